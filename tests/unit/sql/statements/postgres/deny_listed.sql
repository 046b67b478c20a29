-- With tables orders, customers and v_paid allowed and customers.email denied: what must be refused.
SELECT * FROM customers
SELECT c.* FROM customers c
SELECT email FROM customers
SELECT c.email FROM customers AS c
SELECT "email" FROM customers
SELECT c."email" FROM public.customers c
WITH x AS (SELECT * FROM customers) SELECT email FROM x
WITH customers AS (SELECT * FROM customers) SELECT 1 FROM customers
SELECT name FROM customers ORDER BY email
SELECT 1 FROM customers WHERE email LIKE 'a%'
SELECT customers FROM customers
SELECT c FROM customers c
SELECT row_to_json(c) FROM customers c
SELECT (c).email FROM customers c
SELECT c::text FROM customers c
SELECT x FROM customers AS c(a,b,x)
SELECT * FROM orders o JOIN customers c ON c.id=o.customer_id
SELECT * FROM orders NATURAL JOIN customers
SELECT orders.id FROM orders JOIN customers USING (email)
SELECT id FROM numbers
SELECT id FROM public.numbers
SELECT (SELECT n FROM numbers LIMIT 1)
SELECT * FROM pg_class
SELECT * FROM pg_stats
SELECT * FROM information_schema.tables
SELECT product_label('x')
SELECT order_count(1)
TABLE customers
SELECT id FROM orders UNION SELECT n FROM numbers
SELECT id FROM orders WHERE id IN (SELECT n FROM numbers)
WITH "Numbers" AS (SELECT 1 n) SELECT n FROM numbers
SELECT * FROM (WITH numbers AS (SELECT 1) SELECT 1) q, numbers
SELECT max(email) FROM customers
SELECT count(email) FROM customers
SELECT id FROM orders, LATERAL (SELECT email FROM customers) x
