-- Reads that must pass the guard, one a line.
SELECT 1 /* unclosed
SELECT 'a' GLOB 'a*', 'a' REGEXP 'a'
SELECT rowid, _rowid_, oid FROM orders
SELECT * FROM docs4 WHERE docs4 MATCH 'fox'
SELECT snippet(docs4), offsets(docs4) FROM docs4 WHERE docs4 MATCH 'fox'
SELECT bm25(docs5) FROM docs5 WHERE docs5 MATCH 'fox' ORDER BY rank
SELECT * FROM docs5('fox')
SELECT id FROM boxes WHERE x0 >= 0 AND x1 <= 1
SELECT key, value FROM json_each('[1,2]')
SELECT json_extract(prefs, '$.k'), prefs -> '$.k', json_group_array(id) FROM customers
SELECT * FROM sqlite_master
SELECT * FROM pragma_foreign_key_list('orders')
PRAGMA table_info(orders)
PRAGMA index_list('orders')
PRAGMA user_version
PRAGMA main.table_info(orders)
EXPLAIN QUERY PLAN SELECT * FROM orders
EXPLAIN SELECT 1
SELECT [select], "group", `group` FROM [order]
SELECT count(*) FILTER (WHERE id > 1), total(amount), group_concat(status, ';') FROM orders
SELECT row_number() OVER (ORDER BY id), sum(id) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) FROM orders
WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM c LIMIT 5) SELECT x FROM c
WITH c AS MATERIALIZED (SELECT 1 x) SELECT * FROM c
SELECT * FROM (VALUES (1,2))
SELECT date('now'), strftime('%Y', 'now'), julianday('now'), datetime(0, 'unixepoch')
SELECT iif(1,2,3), ifnull(1,2), printf('%d', 1), format('%d', 1), instr('ab','b'), quote('a'), hex('a'), typeof(1), unicode('a'), char(65), likelihood(1, 0.5)
SELECT x'41', 0x10, 1e3, .5, 1.
SELECT 1 IS NOT 2, 1 IS 1, 1 ISNULL, 1 NOTNULL, 1 == 1, 1 <> 2, 5 % 2, 1 << 2, ~1, 'a' || 'b'
SELECT CAST(1 AS TEXT), CAST('1' AS INTEGER)
SELECT * FROM orders INDEXED BY x
SELECT * FROM orders NOT INDEXED
SELECT * FROM orders o LEFT JOIN customers c USING (id)
SELECT * FROM orders o NATURAL LEFT OUTER JOIN customers
SELECT * FROM orders ORDER BY id COLLATE NOCASE DESC NULLS LAST LIMIT 2 OFFSET 1
SELECT id FROM orders LIMIT 1, 2
SELECT max(id), min(1,2), abs(-1), round(1.5), length('a'), substr('abc',1,1), replace('a','b','c'), trim('a'), upper('a'), changes(), last_insert_rowid(), random(), sqlite_version()
SELECT EXISTS (SELECT 1), 1 IN (1,2), 1 BETWEEN 0 AND 2, CASE WHEN 1 THEN 2 END
SELECT * FROM main.orders
SELECT (1,2) = (1,2), (SELECT 1)
SELECT DISTINCT status FROM orders GROUP BY status HAVING count(*) > 1
VALUES (1,2),(3,4)
SELECT 1 UNION SELECT 2 INTERSECT SELECT 3 EXCEPT SELECT 4
SELECT raise FROM (SELECT 1 AS raise)
SELECT 'a' 'b'
SELECT 1;-- trailing
SELECT "a""b" FROM "order"
SELECT rank FROM docs5
SELECT json('{"a":1}') ->> 'a', json_valid('x')
SELECT total_changes()
SELECT t.like, glob, count(offset) FROM (SELECT 1 AS like, 2 AS glob, 3 AS offset) t GROUP BY offset ORDER BY offset
WITH regexp AS (SELECT 1 AS outer) SELECT * FROM regexp
SELECT qualify.lateral FROM (SELECT 1 AS lateral) AS qualify
PRAGMA database_list
PRAGMA synchronous
PRAGMA "main".query_only
PRAGMA table_info = orders
SELECT * FROM orders AS shell_orders
SELECT status IS DISTINCT FROM 'paid' FROM orders
SELECT id IN numbers FROM orders
