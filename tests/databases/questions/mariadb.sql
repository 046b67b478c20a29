-- Questions in MariaDB's own words, one a line.
SELECT DATE_FORMAT(placed_at, '%Y-%m') AS month, SUM(total) AS revenue FROM orders GROUP BY month ORDER BY month
SELECT YEAR(placed_at) AS y, MONTH(placed_at) AS m, COUNT(*) FROM orders GROUP BY y, m
SELECT DAYNAME(placed_at) AS weekday, COUNT(*) FROM orders GROUP BY weekday
SELECT WEEK(placed_at, 3), QUARTER(placed_at), DAYOFYEAR(placed_at), HOUR(placed_at) FROM orders
SELECT DATE(placed_at) AS day, COUNT(*) FROM orders GROUP BY DATE(placed_at)
SELECT TIMESTAMPDIFF(YEAR, birthday, '2024-07-01') AS age FROM customers
SELECT DATEDIFF(p.paid_at, o.placed_at) AS days FROM payments p JOIN orders o ON o.id = p.order_id
SELECT TIMEDIFF(p.paid_at, o.placed_at) AS took FROM payments p JOIN orders o ON o.id = p.order_id
SELECT id FROM orders WHERE placed_at > NOW() - INTERVAL 30 YEAR
SELECT DATE_ADD(placed_at, INTERVAL 1 MONTH), DATE_SUB(placed_at, INTERVAL 7 DAY), LAST_DAY(placed_at) FROM orders
SELECT EXTRACT(YEAR_MONTH FROM placed_at) AS ym, COUNT(*) FROM orders GROUP BY ym
SELECT STR_TO_DATE('29.02.2024', '%d.%m.%Y'), MAKEDATE(2024, 60), FROM_UNIXTIME(0), UNIX_TIMESTAMP('2024-01-01')
SELECT CONVERT_TZ(placed_at, '+00:00', '+01:00') AS local FROM orders
SELECT status, GROUP_CONCAT(id ORDER BY id SEPARATOR ', ') AS orders FROM orders GROUP BY status
SELECT customer_id, GROUP_CONCAT(DISTINCT status ORDER BY status) FROM orders GROUP BY customer_id
SELECT IF(total > 100, 'big', 'small') AS size, COUNT(*) FROM orders GROUP BY size
SELECT IFNULL(city, 'unknown') AS city, COUNT(*) FROM customers GROUP BY city
SELECT SUM(status = 'paid') AS paid, SUM(status <> 'paid') AS other FROM orders
SELECT CONCAT(name, ' <', IFNULL(email, ''), '>') AS address FROM customers
SELECT CONCAT_WS(', ', city, country) AS place FROM customers
SELECT SUBSTRING_INDEX(email, '@', -1) AS domain, COUNT(*) FROM customers GROUP BY domain
SELECT LEFT(name, 3), RIGHT(name, 2), REVERSE(name), LPAD(id, 5, '0'), CHAR_LENGTH(name), UCASE(name) FROM customers
SELECT LOCATE('@', email), INSTR(email, 'example'), FIELD(country, 'GB', 'IE'), ELT(1, 'a', 'b'), SPACE(2) FROM customers
SELECT name FROM customers WHERE name REGEXP '^[AZ]'
SELECT name FROM customers WHERE name RLIKE 'll' OR email NOT REGEXP 'org$'
SELECT REGEXP_REPLACE(email, '@.*$', '') AS login, REGEXP_SUBSTR(email, '[a-z]+$') FROM customers
SELECT id FROM orders WHERE coupon <=> NULL
SELECT coalesce(status, 'all') AS status, SUM(total) FROM orders GROUP BY status WITH ROLLUP
SELECT `id`, `total` FROM `orders` WHERE `status` = "paid"
SELECT * FROM orders ORDER BY placed_at DESC LIMIT 1, 2
SELECT * FROM orders ORDER BY RAND(1) LIMIT 2
SELECT JSON_VALUE(payload, '$.button') AS button, COUNT(*) FROM events GROUP BY button
SELECT id, JSON_EXTRACT(payload, '$.at.x') AS x, JSON_LENGTH(payload, '$.tags') AS tags FROM events
SELECT id FROM events WHERE JSON_CONTAINS(payload, '"buy"', '$.button')
SELECT JSON_UNQUOTE(JSON_EXTRACT(payload, '$.q')) FROM events WHERE kind = 'search'
SELECT e.id, t.tag FROM events e, JSON_TABLE(e.payload, '$.tags[*]' COLUMNS (tag VARCHAR(10) PATH '$')) t
SELECT JSON_ARRAYAGG(name), JSON_OBJECTAGG(id, name) FROM products
SELECT JSON_OBJECT('name', name, 'price', price) FROM products
SELECT JSON_KEYS(payload), JSON_TYPE(payload), JSON_VALID(payload) FROM events
SELECT STDDEV(total), VAR_SAMP(total), STD(total), VARIANCE(total) FROM orders
SELECT MEDIAN(total) OVER (PARTITION BY status) AS median, status FROM orders
SELECT PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY total) OVER (PARTITION BY status) AS p90 FROM orders
SELECT GREATEST(1, 2, 3), LEAST(total, 50) FROM orders
SELECT FORMAT(total, 2), TRUNCATE(total, 1), CEILING(total), FLOOR(total), MOD(id, 2), POW(2, 3), SQRT(total) FROM orders
SELECT 7 DIV 2 AS whole, 7 MOD 2 AS rest, 5 / 2 AS half
SELECT CAST(total AS SIGNED), CAST(id AS CHAR), CAST('2024-02-29' AS DATE), CONVERT(total, DECIMAL(10, 0)) FROM orders
SELECT BINARY 'a' = 'A' AS same, 'a' = 'A' AS folded
SELECT name FROM customers WHERE name COLLATE utf8mb4_bin LIKE 'Z%'
SELECT HEX(name), MD5(email), SHA2(email, 256), CRC32(email) FROM customers
SELECT o.id FROM orders o LEFT JOIN payments p ON p.order_id = o.id WHERE p.id IS NULL UNION SELECT p.id FROM orders o RIGHT JOIN payments p ON p.order_id = o.id WHERE o.id IS NULL
SELECT STRAIGHT_JOIN o.id FROM orders o JOIN payments p ON p.order_id = o.id
SELECT SQL_NO_CACHE COUNT(*) FROM orders
SELECT * FROM orders USE INDEX (PRIMARY) WHERE id = 1
SELECT id FROM orders WHERE (customer_id, status) IN ((1, 'paid'), (2, 'new'))
SELECT customer_id, MAX(total) FROM orders GROUP BY customer_id ORDER BY NULL
SELECT ANY_VALUE FROM (SELECT 1 AS ANY_VALUE) x
SELECT @@version, @@sql_mode, DATABASE(), CURRENT_USER(), CONNECTION_ID() > 0
SELECT TABLE_NAME, TABLE_ROWS FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()
SELECT COLUMN_NAME, DATA_TYPE FROM information_schema.COLUMNS WHERE TABLE_NAME = 'orders'
SHOW TABLES
SHOW COLUMNS FROM orders
SHOW INDEX FROM orders
SHOW CREATE TABLE orders
DESCRIBE customers
EXPLAIN SELECT * FROM orders WHERE total > 10
EXPLAIN FORMAT=JSON SELECT COUNT(*) FROM orders
ANALYZE FORMAT=JSON SELECT COUNT(*) FROM orders
SELECT 1 FROM DUAL
SELECT COUNT(*) FROM orders # how many
SELECT SEC_TO_TIME(SUM(milliseconds) DIV 1000) AS time_on_site FROM visits
SELECT ADDDATE('2024-01-31', 1), SUBDATE('2024-01-01', INTERVAL 1 DAY), TO_DAYS('2024-01-01'), PERIOD_DIFF(202403, 202401)
SELECT BIT_COUNT(7), CONV('ff', 16, 10), BIN(5), OCT(8), 5 & 3, 5 | 3, 5 ^ 3, 1 << 3
SELECT seq FROM seq_1_to_5
SELECT DATE('2024-01-01') + INTERVAL seq MONTH AS month FROM seq_0_to_11
SELECT VALUE FROM (SELECT 1 AS VALUE) x WHERE VALUE XOR 0
SELECT CASE WHEN total > 100 THEN 'big' END AS size, COUNT(*) FROM orders GROUP BY size HAVING size IS NOT NULL
SELECT a.id FROM orders a WHERE a.total = (SELECT MAX(total) FROM orders) ORDER BY a.id DESC LIMIT 1 OFFSET 0
SELECT o.*, c.name FROM orders o INNER JOIN customers c USING (id)
SELECT INET_NTOA(3232235777), INET_ATON('192.168.1.1'), INET6_NTOA(INET6_ATON('::1'))
(SELECT 1 AS a) UNION (SELECT 2 AS a)
