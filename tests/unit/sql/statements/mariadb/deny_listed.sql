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
SHOW FULL COLUMNS FROM numbers FROM shop
SHOW COLUMNS FROM user IN mysql
SHOW COLUMNS FROM mysql.orders
SHOW COLUMNS FROM orders IN mysql
SHOW INDEX FROM orders FROM information_schema
SELECT MATCH(email) AGAINST ('a') FROM customers
SELECT CONVERT(email USING utf8) FROM customers
SELECT CAST(email AS CHAR) FROM customers
SELECT BINARY email FROM customers
SELECT email COLLATE utf8mb4_bin FROM customers
SELECT NOW() + INTERVAL email DAY FROM customers
SELECT DATE_ADD(NOW(), INTERVAL email DAY) FROM customers
SELECT EXTRACT(YEAR FROM email) FROM customers
SELECT GROUP_CONCAT(email SEPARATOR ',') FROM customers
SELECT GROUP_CONCAT(id ORDER BY email) FROM customers
SELECT @a := email FROM customers
SELECT email INTO @a FROM customers
SELECT IF(email = 'a', 1, 0) FROM customers
SELECT 1 FROM customers WHERE email REGEXP 'a'
SELECT 1 FROM customers WHERE email RLIKE 'a'
SELECT 1 FROM customers WHERE email SOUNDS LIKE 'a'
SELECT 1 FROM customers WHERE email <=> 'a'
SELECT 1 FROM customers WHERE 1 XOR email
SELECT 1 FROM customers WHERE NOT email LIKE 'a'
SELECT 1 FROM customers ORDER BY email DESC
SELECT 1 FROM customers GROUP BY email WITH ROLLUP
SELECT 1 FROM customers HAVING email = 'a'
SELECT JSON_OBJECT('a', email), JSON_ARRAYAGG(email) FROM customers
SELECT x.a FROM customers, JSON_TABLE(email, '$[*]' COLUMNS (a TEXT PATH '$')) x
SELECT SUBSTRING(email FROM 1 FOR 2), TRIM(LEADING 'a' FROM email), POSITION('a' IN email) FROM customers
SELECT 1 IN (email) FROM customers
SELECT CHAR(email USING utf8) FROM customers
SELECT MAX(email), COUNT(email), COUNT(DISTINCT email, id) FROM customers
SELECT ROW_NUMBER() OVER (PARTITION BY email) FROM customers
SELECT MEDIAN(1) OVER (PARTITION BY email) FROM customers
SELECT CASE email WHEN 'a' THEN 1 END FROM customers
SELECT email -> '$.a' FROM customers
SELECT 7 DIV email, 7 MOD email FROM customers
SELECT VALUE(email) FROM customers
SELECT STRAIGHT_JOIN email FROM customers
SELECT HIGH_PRIORITY email FROM customers
SELECT SQL_CALC_FOUND_ROWS email FROM customers
SELECT DISTINCTROW email FROM customers
SELECT customers.* FROM customers
SELECT shop.customers.email FROM shop.customers
SELECT c.* FROM customers c
SELECT c.EMAIL FROM customers c
SELECT * FROM orders NATURAL JOIN customers
SELECT * FROM `other`.`customers`
SELECT * FROM orders PARTITION (p0), numbers
SHOW COLUMNS FROM numbers
SHOW INDEX FROM user FROM mysql
SHOW CREATE VIEW other.v
SHOW TABLES FROM other
DESC numbers
EXPLAIN numbers
EXPLAIN SELECT email FROM customers
ANALYZE SELECT email FROM customers
SELECT * FROM seq_1_to_10
VALUES ((SELECT email FROM customers LIMIT 1))
SELECT id FROM orders WHERE id IN (SELECT email FROM customers)
SELECT id FROM customers INTERSECT SELECT email FROM customers
WITH t AS (SELECT * FROM customers) SELECT 1 FROM t
SELECT cases.bump_counter()
SELECT fmt_money(1)
