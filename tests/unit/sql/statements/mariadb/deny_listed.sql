-- With tables orders, customers and v_paid allowed and customers.email denied: what must be refused.
SELECT * FROM customers
SELECT `email` FROM `customers`
SELECT n FROM numbers
SHOW CREATE TABLE numbers
SHOW TABLES
SELECT order_count(1)
SELECT id FROM mysql.user
DESCRIBE numbers
SELECT customers.email FROM customers
