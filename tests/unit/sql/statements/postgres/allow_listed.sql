-- With tables orders, customers and v_paid allowed and customers.email denied: what may still be asked.
SELECT name FROM customers
SELECT c.name, count(*) FROM customers c GROUP BY 1
SELECT * FROM orders
SELECT o.*, c.name FROM orders o JOIN customers c ON c.id = o.customer_id
WITH numbers AS (SELECT 1 AS n) SELECT n FROM numbers
WITH c AS (SELECT id, name FROM customers) SELECT * FROM c
SELECT upper(name), now(), coalesce(name,'x') FROM customers
SELECT * FROM v_paid
SELECT o.email FROM (SELECT 'x' AS email FROM orders) o JOIN customers c ON true
SELECT count(*) FROM customers
SELECT * FROM generate_series(1,3)
SELECT pg_typeof(id), pg_column_size(note), pg_size_pretty(1024::bigint) FROM orders
