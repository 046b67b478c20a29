-- Questions in SQLite's own words, one a line.
SELECT strftime('%Y-%m', placed_at) AS month, sum(total) AS revenue FROM orders GROUP BY month ORDER BY month
SELECT strftime('%w', placed_at) AS weekday, count(*) FROM orders GROUP BY 1
SELECT date(placed_at) AS day, count(*) FROM orders GROUP BY date(placed_at)
SELECT date('2024-01-31', '+1 month'), date('2024-03-10', 'start of month'), date('2024-03-10', 'weekday 0')
SELECT julianday(p.paid_at) - julianday(o.placed_at) AS days FROM payments p JOIN orders o ON o.id = p.order_id
SELECT CAST((julianday('2024-07-01') - julianday(birthday)) / 365.25 AS INTEGER) AS age FROM customers
SELECT unixepoch(placed_at) AS seconds, datetime(unixepoch(placed_at), 'unixepoch') AS back FROM orders
SELECT id FROM orders WHERE placed_at > datetime('now', '-30 years')
SELECT time(placed_at) AS at FROM orders
SELECT status, group_concat(id, ', ') AS orders FROM orders GROUP BY status
SELECT group_concat(DISTINCT status) FROM orders
SELECT count(*) FILTER (WHERE status = 'paid') AS paid FROM orders
SELECT sum(status = 'paid') AS paid, total(total) AS sum_as_real FROM orders
SELECT iif(total > 100, 'big', 'small') AS size, count(*) FROM orders GROUP BY size
SELECT ifnull(city, 'unknown') AS city, count(*) FROM customers GROUP BY 1
SELECT name || ' <' || coalesce(email, '') || '>' AS address FROM customers
SELECT printf('%05d', id), printf('%.2f', total), format('%s!', status) FROM orders
SELECT substr(email, instr(email, '@') + 1) AS domain, count(*) FROM customers GROUP BY domain
SELECT name FROM customers WHERE name GLOB 'A*'
SELECT name FROM customers WHERE name LIKE 'z%' COLLATE NOCASE
SELECT name FROM customers ORDER BY name COLLATE NOCASE
SELECT ltrim('  x'), rtrim('x  '), hex(name), unicode(name), char(65), quote(name) FROM customers
SELECT typeof(total), typeof(coupon), typeof(placed_at) FROM orders LIMIT 1
SELECT payload ->> '$.button' AS button, count(*) FROM events GROUP BY 1
SELECT json_extract(payload, '$.at.x') AS x FROM events
SELECT e.id, t.value FROM events e, json_each(e.payload, '$.tags') t
SELECT key, value, type FROM json_tree('{"a": {"b": [1, 2]}}')
SELECT json_group_array(name), json_group_object(id, name) FROM products
SELECT json_object('name', name, 'price', price) FROM products
SELECT json_array_length(payload, '$.tags'), json_type(payload), json_valid(payload) FROM events
SELECT value FROM json_each('[1, 2, 3]')
SELECT id, payload -> 'at' AS at FROM events WHERE payload ->> 'q' IS NULL
SELECT max(total, 50), min(total, 50) FROM orders
SELECT round(total), CAST(total AS INTEGER), abs(-1), sign(-2), total % 7 FROM orders
SELECT ceil(total), floor(total), sqrt(total), pow(2, 3), ln(total), pi() FROM orders
SELECT 5 / 2 AS whole, 5.0 / 2 AS half, 7 % 2 AS rest, 5 & 3, 5 | 3, ~5, 1 << 3
SELECT CAST('12abc' AS INTEGER), CAST('1.5' AS REAL), CAST(1 AS TEXT)
SELECT * FROM orders ORDER BY coupon NULLS LAST, id
SELECT * FROM orders LIMIT 2 OFFSET 1
SELECT * FROM orders LIMIT 1, 2
SELECT rowid, * FROM orders WHERE rowid = 1
SELECT "id", [total], `status` FROM "orders" WHERE status == 'paid'
SELECT a.id FROM orders a FULL OUTER JOIN payments p ON p.order_id = a.id WHERE a.id IS NULL OR p.id IS NULL
SELECT p.id FROM orders o RIGHT JOIN payments p ON p.order_id = o.id
SELECT id FROM orders NATURAL JOIN (SELECT id FROM payments)
SELECT id FROM orders JOIN payments USING (id)
SELECT customer_id, max(placed_at), id FROM orders GROUP BY customer_id
SELECT id FROM orders WHERE (customer_id, status) IN (VALUES (1, 'paid'), (2, 'new'))
SELECT id FROM orders WHERE coupon IS NOT 'NEW10'
SELECT id FROM orders WHERE coupon IS DISTINCT FROM 'NEW10'
SELECT id FROM orders WHERE coupon ISNULL
SELECT id FROM orders WHERE coupon NOTNULL
SELECT id, sum(total) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW) AS around FROM orders
SELECT id, sum(total) FILTER (WHERE status = 'paid') OVER (ORDER BY placed_at) AS paid FROM orders
SELECT id, total, group_concat(id, '.') OVER (ORDER BY id GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW) AS trail FROM orders
WITH paid AS MATERIALIZED (SELECT * FROM orders WHERE status = 'paid') SELECT count(*) FROM paid
WITH paid AS NOT MATERIALIZED (SELECT * FROM orders WHERE status = 'paid') SELECT count(*) FROM paid
WITH RECURSIVE months(m) AS (SELECT '2024-01-01' UNION ALL SELECT date(m, '+1 month') FROM months WHERE m < '2024-12-01') SELECT m, (SELECT coalesce(sum(total), 0) FROM orders WHERE strftime('%Y-%m', placed_at) = strftime('%Y-%m', m)) AS revenue FROM months
WITH RECURSIVE tree(id, path) AS (SELECT id, name FROM staff WHERE manager_id IS NULL UNION ALL SELECT s.id, t.path || '/' || s.name FROM staff s JOIN tree t ON s.manager_id = t.id ORDER BY 2) SELECT path FROM tree
SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name
SELECT name FROM pragma_table_info('orders')
SELECT m.name, p.name, p.type FROM sqlite_master m JOIN pragma_table_info(m.name) p WHERE m.type = 'table' ORDER BY 1, p.cid
PRAGMA table_info(orders)
PRAGMA index_list(orders)
PRAGMA foreign_key_list(orders)
EXPLAIN QUERY PLAN SELECT * FROM orders WHERE total > 10
EXPLAIN SELECT count(*) FROM orders
SELECT sqlite_version()
SELECT CASE WHEN total > 100 THEN 'big' END AS size, count(*) FROM orders GROUP BY size
SELECT replace(name, 'Drop Table', 'x') AS name FROM products
SELECT likelihood(total > 100, 0.1) AS l, unlikely(total > 200) AS u FROM orders
SELECT x'41' AS bytes, zeroblob(2) AS zeros, length(x'0041')
SELECT coalesce(NULL, NULL, 3), nullif(1, 1), 'a' < 'b', 1 BETWEEN 0 AND 2
SELECT date(signed_up, '+1 year', '-1 day') AS renewal FROM customers
SELECT count(*) AS n FROM (SELECT 1 UNION SELECT 1 UNION ALL SELECT 2)
SELECT id, lag(total, 1, 0) OVER (PARTITION BY customer_id ORDER BY placed_at) AS earlier FROM orders
SELECT c.name, (SELECT json_group_array(o.id) FROM orders o WHERE o.customer_id = c.id) AS orders FROM customers c
SELECT strftime('%Y', placed_at) || '-Q' || ((CAST(strftime('%m', placed_at) AS INTEGER) + 2) / 3) AS quarter, sum(total) FROM orders GROUP BY 1
SELECT a.name, b.name FROM products a, products b WHERE a.id < b.id AND abs(a.price - b.price) < 10
