-- Reads that must pass the guard, one a line.
PIVOT orders ON status USING sum(amount) GROUP BY customer_id ORDER BY customer_id
PIVOT orders ON status IN ('paid','new') USING sum(amount)
UNPIVOT (SELECT 1 a, 2 b) ON a, b INTO NAME n VALUE v
SELECT * FROM orders PIVOT (sum(amount) FOR status IN ('paid','new'))
SELECT * EXCLUDE (note) REPLACE (id+1 AS id) FROM orders
SELECT * RENAME (id AS i) FROM orders
SELECT COLUMNS('^i.*') FROM orders
SELECT min(COLUMNS(* EXCLUDE note)) FROM orders
SELECT status, sum(amount) FROM orders GROUP BY ALL ORDER BY ALL
SELECT [x*2 FOR x IN [1,2,3] IF x > 1]
SELECT list_transform([1,2], lambda x: x+1)
SELECT list_filter([1,2], x -> x > 1), [1,2,3][1:2], 'abc'[1], {'a':1}.a, {'a':1}['a'], map {'a':1}['a']
SELECT unnest([1,2]), unnest({'a':1})
SELECT * FROM unnest([1,2]) t(x)
SELECT * FROM orders USING SAMPLE 2
SELECT * FROM orders TABLESAMPLE 50%
SELECT * FROM orders QUALIFY row_number() OVER (PARTITION BY status ORDER BY id) = 1
SELECT * FROM orders o ASOF JOIN orders p ON o.placed_at >= p.placed_at
SELECT * FROM orders SEMI JOIN customers ON orders.customer_id = customers.id
SELECT * FROM orders ANTI JOIN customers ON orders.customer_id = customers.id
SELECT * FROM orders POSITIONAL JOIN customers
FROM orders SELECT id WHERE id > 1
FROM orders
SELECT TRY_CAST('a' AS INTEGER), 1::BIGINT, DATE '2024-01-01', '1 day'::INTERVAL, INTERVAL 1 DAY, INTERVAL '1' MONTH
SELECT orders.id, struct_pack(a := 1), row(1,2) FROM orders
SELECT 'abc'.upper(), 'a' || 'b', 5 // 2, 5 % 2, 2 ** 3, 2 ^ 3, 'a' LIKE 'a', 'a' ILIKE 'A', 'a' SIMILAR TO 'a', 'a' GLOB '*'
SELECT prefs -> '$.k', prefs ->> 'k', json_extract(prefs, '$.k') FROM customers
SELECT count(*) FILTER (WHERE status='paid'), arg_max(id, amount), quantile_cont(amount, 0.5), string_agg(status, ',' ORDER BY id) FROM orders
SELECT * FROM range(10), generate_series(1,3)
SELECT * FROM duckdb_tables()
SELECT * FROM information_schema.columns
SELECT * FROM pragma_table_info('orders')
DESCRIBE orders
SHOW TABLES
SUMMARIZE SELECT * FROM orders
SUMMARIZE orders
DESCRIBE (SELECT 1)
EXPLAIN ANALYZE SELECT * FROM orders
SELECT fmt_money(1)
SELECT * FROM orders_of(1)
SELECT date_trunc('month', placed_at), strftime(placed_at, '%Y'), epoch(placed_at), date_diff('day', placed_at, now()) FROM orders
SELECT regexp_matches('a','b'), regexp_extract('abc','b',0), string_split('a,b', ',')
VALUES (1, 'a'), (2, 'b')
WITH RECURSIVE t AS (SELECT 1 AS x UNION ALL SELECT x+1 FROM t WHERE x<3) SELECT * FROM t
WITH RECURSIVE t(a,b) USING KEY (a) AS (SELECT 1, 1 UNION SELECT a, b+1 FROM t WHERE b < 3) SELECT * FROM t
SELECT * FROM (VALUES (1)) t(a) NATURAL JOIN (VALUES (1)) s(a)
SELECT 1 AS a, a + 1 AS b
SELECT id FROM orders UNION BY NAME SELECT id FROM customers
SELECT #1 FROM orders
SELECT histogram(id), list(id), first(id), any_value(id), approx_count_distinct(id) FROM orders
SELECT sum(id) OVER (ORDER BY id RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND CURRENT ROW) FROM orders
SELECT E'a\nb', $$x;y$$, x'41'::BLOB, '\x41'::BLOB
SELECT md5('a'), hash(1), uuid(), random(), now(), current_date, version()
SELECT CASE WHEN true THEN 1 END, if(true,1,2), ifnull(1,2)
SELECT * FROM fixture.main.orders
SELECT alias: id FROM orders
SELECT * FROM orders LIMIT 10%
SELECT * FROM orders WHERE id IN [1,2]
SELECT getvariable('x')
SELECT COLUMNS(c -> c LIKE 'i%') FROM orders
SELECT a.* FROM orders a
SELECT 1 a,
SELECT UNION_VALUE(k := 1), bitstring('101', 8), '101'::BIT
SELECT * FROM summary(TABLE orders)
SELECT current_setting('timezone')
SELECT * FROM orders AT (VERSION => 1)
SELECT 'a' COLLATE NOCASE = 'A'
SELECT note IS DISTINCT FROM 'x', note IS NOT DISTINCT FROM 'y' FROM orders
SELECT trim('x' FROM note), trim(BOTH 'x' FROM 'xax'), extract(year FROM '2024-01-01'::DATE), substring('abc' FROM 2) FROM orders
SELECT count(*) AS "orders/day", sum(id) AS "x.csv" FROM orders ORDER BY "orders/day"
WITH "x.csv" AS (SELECT 1 AS "km/h") SELECT 0, "km/h" FROM "x.csv"
FROM (SUMMARIZE orders) SELECT column_name
FROM (DESCRIBE orders)
FROM (DESCRIBE SELECT 1 AS a)
WITH s AS (SHOW TABLES) FROM s
SHOW TABLES FROM main
SELECT database_name FROM duckdb_databases()
WITH read_things(a) AS (SELECT 1) FROM read_things
SELECT * FROM orders AS read_orders(read_id)
SELECT o.`id` AS `it's` FROM `orders` o
SELECT ' ', "a​b" FROM (SELECT 1 AS "a​b")
SELECT trim('a' FROM trim('b' FROM 'abc')), trim(('a' IS DISTINCT FROM 'x')::text FROM 'b')
