-- With tables orders, customers and v_paid allowed and customers.email denied: what must be refused.
SELECT * FROM customers
SELECT [email] FROM customers
SELECT n FROM numbers
SELECT * FROM sqlite_master
PRAGMA table_info(numbers)
SELECT * FROM pragma_table_info('numbers')
PRAGMA database_list
WITH glob AS (SELECT email AS like FROM customers) SELECT * FROM glob
SELECT offset FROM numbers GROUP BY offset ORDER BY offset
SELECT 1 IN numbers
SELECT 1 IN "numbers"
SELECT 1 IN 'numbers'
SELECT 1 NOT IN main.numbers
SELECT 1 IN main . 'numbers'
SELECT * FROM orders WHERE id IN/**/[numbers]
EXPLAIN SELECT 1 IN numbers
SELECT 1 in `numbers` FROM orders
