-- Reads that must pass the guard, one a line.
SELECT SQL_CALC_FOUND_ROWS * FROM orders LIMIT 1
SELECT STRAIGHT_JOIN * FROM orders o JOIN customers c ON c.id=o.customer_id
SELECT * FROM orders USE INDEX (PRIMARY)
SELECT status, count(*) FROM orders GROUP BY status WITH ROLLUP
SELECT 1 <=> NULL, 7 DIV 2, 1 XOR 0, 5 MOD 3, !1, ~1
SELECT * FROM JSON_TABLE('[1,2]', '$[*]' COLUMNS (a INT PATH '$')) t
SELECT NOW() + INTERVAL 1 DAY, DATE_ADD('2024-01-01', INTERVAL 1 MONTH)
SELECT 1 FROM DUAL
SELECT CONVERT('x' USING utf8mb4), CAST('1' AS UNSIGNED), CAST('a' AS CHAR(5) CHARACTER SET utf8mb4)
SELECT CAST('::1' AS INET6), CAST('10.0.0.1' AS INET4), CAST(UUID() AS UUID), inet6.a FROM t AS inet6
SELECT _utf8mb4'x', x'41', b'101', N'abc', 0x41, BINARY 'a'
SELECT @@version, @@session.sql_mode, @@global.max_connections
SELECT id FROM customers INTERSECT SELECT customer_id FROM orders
SELECT n FROM numbers LIMIT 2, 3
SELECT n FROM numbers LIMIT 5 ROWS EXAMINED 1000
SELECT seq FROM seq_1_to_10
VALUES (1,2),(3,4)
SELECT * FROM orders PARTITION (p0)
SELECT 'a' 'b', "x""y", 'it''s', 'a\\'
SELECT 5--1
SELECT 5 -- 1
SELECT 1 # comment
SELECT /* ; */ 1
SELECT `order`.`select` FROM `order`
SHOW TABLES
SHOW FULL COLUMNS FROM orders
SHOW CREATE TABLE orders
SHOW INDEX FROM orders
SHOW VARIABLES LIKE 'version'
SHOW STATUS LIKE 'Threads%'
SHOW DATABASES
SHOW WARNINGS
SHOW TABLE STATUS LIKE 'orders'
DESCRIBE orders
DESC orders note
EXPLAIN FORMAT=JSON SELECT * FROM orders
EXPLAIN EXTENDED SELECT 1
ANALYZE SELECT * FROM orders
ANALYZE FORMAT=JSON SELECT * FROM orders
SELECT ROW_NUMBER() OVER (PARTITION BY status ORDER BY id) FROM orders
SELECT JSON_EXTRACT(prefs, '$.k'), JSON_VALUE(prefs,'$.k'), JSON_UNQUOTE('"a"') FROM customers
SELECT REGEXP_REPLACE('abc','b','x'), 'a' REGEXP 'a', 'a' RLIKE 'a', 'a' NOT LIKE 'b' ESCAPE '!'
SELECT IF(1,2,3), IFNULL(NULL,1), CASE 1 WHEN 1 THEN 2 END
SELECT DATE_FORMAT(NOW(), '%Y-%m-%d'), STR_TO_DATE('2024','%Y'), TIMESTAMPDIFF(DAY, '2024-01-01', '2024-02-01')
SELECT SUBSTRING_INDEX('a,b', ',', 1), FIND_IN_SET('a','a,b'), CONCAT_WS(',', 'a')
SELECT GROUP_CONCAT(DISTINCT status ORDER BY status DESC SEPARATOR '|') FROM orders
SELECT @r := @r + 1 AS n FROM orders, (SELECT @r := 0) x
SELECT UUID(), RAND(), CONNECTION_ID(), DATABASE(), USER(), VERSION(), FOUND_ROWS()
WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT n+1 FROM c WHERE n<3) SELECT * FROM c
SELECT * FROM orders WHERE id IN (1,2) ORDER BY FIELD(id,2,1)
SELECT CAST(note AS BINARY), HEX(note), MD5(note), SHA2(note,256), LENGTH(note) FROM orders
SELECT TRIM(LEADING 'x' FROM 'xa'), EXTRACT(YEAR FROM NOW()), POSITION('a' IN 'ba')
(SELECT 1) UNION ALL (SELECT 2) LIMIT 1
SELECT MEDIAN(id) OVER () FROM orders
SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY id) OVER () FROM orders
SELECT DISTINCTROW status FROM orders
SELECT HIGH_PRIORITY * FROM orders
SELECT * FROM orders FOR SYSTEM_TIME ALL
SELECT * FROM orders o LEFT OUTER JOIN customers c ON (c.id = o.customer_id AND c.active)
SELECT * FROM information_schema.tables
SELECT CURRENT_TIMESTAMP(6), UTC_TIMESTAMP(), CURDATE()
SELECT TIME '10:00:00', DATE '2024-01-01', TIMESTAMP '2024-01-01 00:00:00'
SELECT id, (SELECT MAX(amount) FROM orders o2 WHERE o2.customer_id = o.customer_id) FROM orders o
SELECT 1 AS `delete`, 2 AS `drop`
SELECT 1 INTO_ FROM (SELECT 1) INTO_
SELECT status, customer_id, SUM(amount) FROM orders GROUP BY status, customer_id WITH ROLLUP
SELECT status, SUM(amount) FROM orders GROUP BY status ASC WITH ROLLUP
SELECT GROUP_CONCAT(DISTINCT status ORDER BY status DESC SEPARATOR ', ' LIMIT 2) FROM orders
SELECT GROUP_CONCAT(id, ':', status ORDER BY id SEPARATOR '\n') FROM orders
SELECT JSON_EXTRACT(prefs, '$.k'), JSON_UNQUOTE(JSON_EXTRACT(prefs, '$.k')), JSON_KEYS(prefs), JSON_LENGTH(prefs), JSON_TYPE(prefs), JSON_VALID(prefs), JSON_CONTAINS(prefs, '1', '$.k') FROM customers
SELECT JSON_OBJECT('a', 1, 'b', JSON_ARRAY(1,2)), JSON_ARRAYAGG(id), JSON_OBJECTAGG(id, status) FROM orders
SELECT JSON_SET('{"a":1}', '$.a', 2), JSON_REMOVE('{"a":1}', '$.a'), JSON_MERGE_PATCH('{"a":1}', '{"b":2}'), JSON_QUERY('{"a":{"b":1}}', '$.a'), JSON_SEARCH('["a"]', 'one', 'a'), JSON_DETAILED('{"a":1}'), JSON_COMPACT('{"a": 1}'), JSON_EXISTS('{"a":1}', '$.a')
SELECT t.* FROM customers c, JSON_TABLE(c.tags, '$[*]' COLUMNS (ord FOR ORDINALITY, tag VARCHAR(20) PATH '$' DEFAULT 'x' ON EMPTY NULL ON ERROR)) AS t WHERE c.id = 1
SELECT * FROM JSON_TABLE('[{"a":1,"b":[1,2]}]', '$[*]' COLUMNS (a INT PATH '$.a', NESTED PATH '$.b[*]' COLUMNS (b INT PATH '$'), x INT EXISTS PATH '$.z')) t
SELECT note REGEXP '^f', note NOT REGEXP 'x', note RLIKE 'a|b', REGEXP_INSTR(note, 'i'), REGEXP_SUBSTR(note, '[a-z]+') FROM orders
SELECT 'a' REGEXP BINARY 'A', note LIKE BINARY 'F%' FROM orders
SELECT DATE_FORMAT(placed_at, '%Y-%m'), DATE_ADD(placed_at, INTERVAL 1 MONTH), DATE_SUB(placed_at, INTERVAL '1:30' HOUR_MINUTE), placed_at + INTERVAL 2 WEEK, placed_at - INTERVAL 1 QUARTER FROM orders
SELECT INTERVAL 1 DAY + '2024-01-01', INTERVAL(5, 1, 10), ADDDATE('2024-01-01', 5), SUBDATE('2024-01-01', INTERVAL 1 YEAR)
SELECT TIMESTAMPDIFF(MONTH, '2024-01-01', NOW()) > 0, TIMESTAMPADD(SQL_TSI_DAY, 1, '2024-01-01'), DATEDIFF('2024-01-02','2024-01-01'), TIMEDIFF('10:00:00','09:00:00')
SELECT EXTRACT(YEAR_MONTH FROM placed_at), EXTRACT(DAY_HOUR FROM placed_at), YEARWEEK(placed_at, 3), QUARTER(placed_at), DAYNAME(placed_at), LAST_DAY(placed_at), UNIX_TIMESTAMP(placed_at), FROM_UNIXTIME(1700000000, '%Y'), WEEK(placed_at, 1), MAKEDATE(2024, 60), SEC_TO_TIME(3661), STR_TO_DATE('01,5,2024','%d,%m,%Y') FROM orders
SELECT GET_FORMAT(DATE, 'EUR'), DATE_FORMAT('2024-01-01', GET_FORMAT(DATE, 'ISO')), CONVERT_TZ('2024-01-01 00:00:00', '+00:00', '+02:00')
SELECT CURDATE(), CURRENT_DATE, CURRENT_DATE(), CURTIME(3), CURRENT_TIME, NOW(6), SYSDATE(), LOCALTIME, LOCALTIMESTAMP(), UTC_DATE(), UTC_DATE, UTC_TIMESTAMP(3)
SELECT id, ROW_NUMBER() OVER (PARTITION BY status ORDER BY id), RANK() OVER w, DENSE_RANK() OVER w, NTILE(2) OVER w, LAG(amount) OVER w, LEAD(amount, 2) OVER w, FIRST_VALUE(id) OVER w FROM orders WINDOW w AS (ORDER BY id)
SELECT id, SUM(amount) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING), AVG(amount) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING), COUNT(*) OVER (ORDER BY id RANGE BETWEEN 2 PRECEDING AND CURRENT ROW) FROM orders
SELECT id, PERCENT_RANK() OVER (ORDER BY id), CUME_DIST() OVER (ORDER BY id), NTH_VALUE(id, 2) OVER (ORDER BY id), LAST_VALUE(id) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM orders
SELECT DISTINCT MEDIAN(amount) OVER (PARTITION BY status), PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY amount) OVER (PARTITION BY status) FROM orders
VALUES (1, 'a'), (2, 'b')
VALUES (1), (2) UNION ALL SELECT 3
VALUES (1), (2) ORDER BY 1 DESC LIMIT 1
SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS t
WITH t(a, b) AS (VALUES (1, 2), (3, 4)) SELECT a + b FROM t
SELECT id FROM orders WHERE id IN (VALUES (1), (2))
SELECT STRAIGHT_JOIN o.id FROM orders o, customers c WHERE c.id = o.customer_id
SELECT o.id FROM orders o STRAIGHT_JOIN customers c ON c.id = o.customer_id
SELECT o.id FROM orders o STRAIGHT_JOIN customers c
SELECT * FROM orders FORCE INDEX (PRIMARY) WHERE id = 1
SELECT * FROM orders IGNORE INDEX FOR ORDER BY (PRIMARY) ORDER BY id
SELECT * FROM orders USE KEY FOR JOIN (PRIMARY), customers
SELECT * FROM orders o USE INDEX () WHERE o.id = 1
SELECT SQL_NO_CACHE id FROM orders
SELECT SQL_CACHE id FROM orders
SELECT SQL_SMALL_RESULT DISTINCT status FROM orders
SELECT SQL_BIG_RESULT SQL_BUFFER_RESULT status, COUNT(*) FROM orders GROUP BY status
SELECT SQL_CALC_FOUND_ROWS id FROM orders LIMIT 2
SELECT FOUND_ROWS(), ROW_COUNT(), LAST_INSERT_ID(), CONNECTION_ID(), DATABASE(), SCHEMA(), CURRENT_USER, CURRENT_USER(), CURRENT_ROLE(), SESSION_USER(), SYSTEM_USER(), VERSION(), @@version
SELECT `o`.`id` AS `order id`, `o`.`status` `st` FROM `orders` `o`
SELECT `back``tick`, `a"b`, `col,umn`, `sp ace`, `Größe`, `union;drop` FROM `order`
SELECT `cases`.`orders`.`id` FROM `cases`.`orders`
SELECT 7 DIV 2, 7 MOD 3, 7 % 3, 1 XOR 1, NULL <=> NULL, NOT 1, ! 0, 1 && 0, 1 || 0, 5 & 3, 5 | 3, 5 ^ 3, ~1, 1 << 2, 8 >> 1, 1 <> 2, 1 != 2
SELECT -1, - -1, 5--1, 5 - - 1, +1, 1e3, .5, 5., 0x41, x'41', 0b11, b'11', X'4D'
SELECT NULL IS NULL, 1 IS TRUE, 0 IS NOT FALSE, NULL IS UNKNOWN, ISNULL(1), 1 BETWEEN 0 AND 2, 1 NOT BETWEEN 2 AND 3, 2 IN (1,2), (1,2) = (1,2), (1,2) IN ((1,2),(3,4)), 1 = ANY (SELECT 1), 1 > ALL (SELECT 0), EXISTS (SELECT 1)
SELECT 'a' SOUNDS LIKE 'b', SOUNDEX('abc'), 'a' COLLATE utf8mb4_bin = 'A', BINARY 'a' = 'A', _latin1'a', _utf8mb4 'ü' COLLATE utf8mb4_general_ci, N'x', n'y'
SELECT CONVERT('a' USING latin1), CONVERT('1', SIGNED), CONVERT('1', DECIMAL(5,2)), CAST('1' AS UNSIGNED INTEGER), CAST('a' AS BINARY(3)), CAST('2024-01-01' AS DATE), CAST('10:00' AS TIME(3)), CAST(1 AS DOUBLE), CAST(1 AS CHAR CHARACTER SET latin1), CAST('2024-01-01' AS DATETIME(6)), CAST(x'41' AS CHAR), CAST('a' AS NCHAR), CAST('a' AS VARCHAR(5)), CAST('1' AS INT), CAST('00000000-0000-4000-8000-000000000001' AS UUID), CAST('1.2.3.4' AS INET4)
SELECT CHAR(65, 66), CHAR(0xC3A9 USING utf8mb4), ORD('a'), ASCII('a'), HEX('a'), UNHEX('41'), BIN(5), OCT(8), CONV('ff', 16, 10), LPAD('a', 3, 'x'), RPAD('a', 3, 'x'), REVERSE('abc'), REPEAT('ab', 2), SPACE(2), INSERT('abc', 2, 1, 'x'), ELT(2, 'a', 'b'), FIELD('b', 'a', 'b'), FIND_IN_SET('b', 'a,b'), MAKE_SET(3, 'a', 'b'), EXPORT_SET(5, 'Y', 'N', ',', 4), FORMAT(1234.5, 2), FORMAT(1234.5, 2, 'de_DE'), QUOTE('it''s'), STRCMP('a','b'), SUBSTRING_INDEX('a.b.c', '.', -2), MID('abc', 2, 1), SUBSTR('abc' FROM 2 FOR 1), SUBSTRING('abc', -2), LOCATE('b', 'abc', 1), INSTR('abc', 'b'), POSITION('b' IN 'abc'), TRIM(BOTH 'x' FROM 'xax'), LTRIM(' a'), LCASE('A'), UCASE('a'), LEFT('abc', 2), RIGHT('abc', 2), REPLACE('abc','b','x'), TO_BASE64('a'), FROM_BASE64('YQ=='), CONCAT('a', 1), CONCAT_WS('-', 'a', 'b'), CHAR_LENGTH('é'), OCTET_LENGTH('é'), BIT_LENGTH('a'), WEIGHT_STRING('a'), CRC32('a'), MD5('a'), SHA1('a'), SHA2('a', 256), SFORMAT('{} {}', 1, 2), NATURAL_SORT_KEY('a10')
SELECT ABS(-1), CEIL(1.2), FLOOR(1.2), ROUND(2.5), ROUND(2.567, 2), TRUNCATE(2.567, 1), MOD(7, 3), POW(2, 3), SQRT(2), EXP(1), LN(2), LOG(2, 8), LOG2(8), LOG10(100), SIGN(-1), PI(), RAND(1), GREATEST(1,2), LEAST(1,2), CRC32('x'), DEGREES(1), RADIANS(1), SIN(1), COT(1), ATAN2(1,2)
SELECT STD(amount), STDDEV(amount), STDDEV_SAMP(amount), VAR_POP(amount), VARIANCE(amount), BIT_AND(id), BIT_OR(id), BIT_XOR(id), COUNT(DISTINCT customer_id, status), SUM(DISTINCT amount), MIN(id), MAX(note) FROM orders
SELECT IF(1, 'a', 'b'), IFNULL(NULL, 1), NULLIF(1, 1), NVL(NULL, 2), NVL2(1, 2, 3), COALESCE(NULL, 1), CASE WHEN 1 THEN 2 ELSE 3 END, CASE status WHEN 'paid' THEN 1 END, DECODE_ORACLE(1, 1, 'a', 'b') FROM orders
SELECT INET_ATON('1.2.3.4'), INET_NTOA(16909060), INET6_NTOA(INET6_ATON('::1')), IS_IPV4('1.2.3.4'), UUID() IS NOT NULL, SYS_GUID() IS NOT NULL
SELECT ST_AsText(POINT(1, 2)), ST_Distance(POINT(0,0), POINT(3,4)), ST_X(ST_GeomFromText('POINT(1 2)')), MBRContains(ST_GeomFromText('POLYGON((0 0,0 5,5 5,5 0,0 0))'), POINT(1,1)), AsText(GeomFromText('POINT(1 1)'))
SHOW FULL TABLES
SHOW FULL TABLES FROM cases LIKE 'o%'
SHOW TABLES IN cases WHERE Tables_in_cases LIKE 'o%'
SHOW TABLES FROM `cases`
SHOW COLUMNS FROM orders
SHOW FULL COLUMNS FROM orders FROM cases
SHOW COLUMNS IN orders LIKE 'i%'
SHOW FIELDS FROM cases.orders WHERE Field = 'id'
SHOW CREATE VIEW v_paid
SHOW CREATE DATABASE cases
SHOW CREATE SCHEMA IF NOT EXISTS cases
SHOW CREATE FUNCTION fmt_money
SHOW CREATE PROCEDURE do_touch
SHOW CREATE SEQUENCE order_seq
SHOW INDEXES IN orders FROM cases
SHOW KEYS FROM orders WHERE Key_name = 'PRIMARY'
SHOW DATABASES LIKE 'c%'
SHOW SCHEMAS
SHOW TABLE STATUS
SHOW TABLE STATUS FROM cases WHERE Name = 'orders'
SHOW TRIGGERS
SHOW TRIGGERS FROM cases LIKE 'o%'
SHOW EVENTS
SHOW FUNCTION STATUS WHERE Db = 'cases'
SHOW PROCEDURE STATUS LIKE 'do%'
SHOW VARIABLES
SHOW GLOBAL VARIABLES LIKE 'max_%'
SHOW SESSION VARIABLES WHERE Variable_name = 'sql_mode'
SHOW GLOBAL STATUS LIKE 'Uptime'
SHOW STATUS
SHOW CHARACTER SET
SHOW CHARSET
SHOW COLLATION WHERE Charset = 'utf8mb4'
SHOW ENGINES
SHOW STORAGE ENGINES
SHOW PLUGINS
SHOW WARNINGS LIMIT 5
SHOW COUNT(*) WARNINGS
SHOW ERRORS
SHOW COUNT(*) ERRORS
SHOW PRIVILEGES
SHOW OPEN TABLES
SHOW PROCESSLIST
SHOW FULL PROCESSLIST
DESC orders
DESC cases.orders
DESCRIBE orders id
DESCRIBE orders 'i%'
DESCRIBE `order` `select`
EXPLAIN orders
EXPLAIN SELECT * FROM orders
EXPLAIN EXTENDED SELECT * FROM orders WHERE id = 1
EXPLAIN PARTITIONS SELECT * FROM orders
EXPLAIN FORMAT = TRADITIONAL SELECT 1
DESCRIBE SELECT * FROM orders
DESC FORMAT=JSON SELECT 1
DESCRIBE EXTENDED SELECT 1
EXPLAIN WITH a AS (SELECT 1) SELECT * FROM a
EXPLAIN (SELECT 1) UNION (SELECT 2)
EXPLAIN SELECT 1 UNION SELECT 2
ANALYZE FORMAT=JSON SELECT COUNT(*) FROM orders
ANALYZE WITH a AS (SELECT 1 AS x) SELECT * FROM a
SELECT id FROM customers EXCEPT SELECT customer_id FROM orders
SELECT id FROM customers INTERSECT ALL SELECT customer_id FROM orders
SELECT id FROM customers EXCEPT ALL SELECT customer_id FROM orders
(SELECT 1 AS a UNION SELECT 2) INTERSECT SELECT 2
(SELECT id FROM orders ORDER BY id DESC LIMIT 1) UNION DISTINCT (SELECT id FROM orders ORDER BY id LIMIT 1)
((SELECT 1)) UNION ALL ((SELECT 2))
WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT * FROM t
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) CYCLE n RESTRICT SELECT * FROM t
WITH a AS (SELECT 1 AS x), b AS (SELECT x + 1 AS y FROM a) SELECT * FROM a, b
SELECT * FROM (WITH a AS (SELECT 1 AS x) SELECT * FROM a) q
SELECT * FROM orders LIMIT 2
SELECT * FROM orders LIMIT 1, 2
SELECT * FROM orders LIMIT 2 OFFSET 1
SELECT * FROM orders ORDER BY id LIMIT 2 ROWS EXAMINED 100
SELECT * FROM orders LIMIT ROWS EXAMINED 1000
SELECT * FROM orders ORDER BY id OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY
SELECT * FROM orders ORDER BY status FETCH FIRST 1 ROW WITH TIES
SELECT * FROM orders ORDER BY id FETCH FIRST ROW ONLY
SELECT seq FROM seq_1_to_10_step_3
SELECT * FROM seq_5_to_1
SELECT s.seq, o.id FROM seq_1_to_7 s LEFT JOIN orders o ON o.id = s.seq
SELECT * FROM orders o NATURAL JOIN v_paid
SELECT * FROM orders o NATURAL LEFT JOIN v_paid v
SELECT * FROM orders o LEFT JOIN (customers c, numbers n) ON c.id = o.customer_id AND n.n = 1
SELECT * FROM { OJ orders o LEFT OUTER JOIN customers c ON c.id = o.customer_id }
SELECT {d '2024-01-01'}, {t '10:00:00'}, {ts '2024-01-01 10:00:00'}
SELECT * FROM orders JOIN customers c USING (id)
SELECT * FROM orders CROSS JOIN customers
SELECT ALL status FROM orders
SELECT @a := 1, @a + 1
SELECT @row := @row + 1 AS n, o.id FROM orders o, (SELECT @row := 0) r ORDER BY o.id
SELECT @x, @`quoted var`, @'str', @@sql_mode, @@SESSION.time_zone, @@global.version, @@max_allowed_packet
SELECT id FROM orders PROCEDURE_ WHERE 1
SELECT ExtractValue('<a><b>x</b></a>', '/a/b'), UpdateXML('<a><b>x</b></a>', '/a/b', '<c/>')
SELECT COLUMN_GET(COLUMN_CREATE('a', 1), 'a' AS INT), COLUMN_JSON(COLUMN_CREATE('a', 1)), COLUMN_LIST(COLUMN_CREATE('a', 1))
SELECT COMPRESS('a') IS NOT NULL, UNCOMPRESS(COMPRESS('a')), AES_DECRYPT(AES_ENCRYPT('a','k'),'k'), PASSWORD('x'), OLD_PASSWORD('x'), ENCODE('a','b'), ENCRYPT('a','bc') IS NOT NULL
SELECT CHARSET('a'), COLLATION('a'), COERCIBILITY('a'), CHARSET(CONVERT('a' USING latin1))
SELECT 1 FROM DUAL WHERE 1 LIMIT 1
SELECT 1 WHERE 1
SELECT 1 WHERE EXISTS (SELECT 1 FROM orders)
SELECT id, order_count(id), fmt_money(balance) FROM customers WHERE id = 2
SELECT cases.order_count(1), `cases`.`fmt_money`(12.5)
SELECT * FROM v_paid
SELECT table_name, engine, table_rows FROM information_schema.tables WHERE table_schema = DATABASE()
SELECT TABLE_NAME, COLUMN_NAME, COLUMN_TYPE FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_SCHEMA = 'cases'
SELECT * FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = 'cases'
SELECT ROUTINE_NAME FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = 'cases'
SELECT * FROM information_schema.STATISTICS LIMIT 1
SELECT * FROM information_schema.processlist
SELECT * FROM information_schema.GLOBAL_VARIABLES WHERE VARIABLE_NAME = 'VERSION'
SELECT * FROM information_schema.VIEWS WHERE TABLE_SCHEMA = 'cases'
SELECT * FROM performance_schema.setup_consumers LIMIT 1
SELECT * FROM sys.version
SELECT * FROM mysql.innodb_table_stats LIMIT 1
SELECT * FROM mysql.proc LIMIT 1
SELECT name FROM mysql.help_topic LIMIT 1
SELECT Host, Db FROM mysql.db
SELECT * FROM order_seq
SELECT next_not_cached_value FROM order_seq
SELECT 'a' 'b', "a" "b", 'it''s', 'it\'s', "dq \" x", "dq "" y", 'a\\', 'tab\t', '\%', 'x\0y'
SELECT "; DELETE FROM orders", '# not', '-- not', '/* not */'
SELECT 1 # comment ; DELETE FROM orders
SELECT 1 /* c ; */ + /**/ 2
SELECT /*+ NO_RANGE_OPTIMIZATION(orders) */ id FROM orders
SELECT 1 AS `select`, 2 AS `from`, 3 AS 'quoted alias', 4 "dq alias"
SELECT id AS status, status AS type, note AS comment, amount AS value, customer_id AS level FROM orders
SELECT id AS date, id AS time, id AS year, id AS month, id AS day, id AS user, id AS role, id AS position, id AS action FROM orders
SELECT o.date_, o.end FROM (SELECT 1 AS date_, 2 AS end) o
SELECT t.begin, t.start, t.lock_ FROM (SELECT 1 AS begin, 2 AS start, 3 AS lock_) t
SELECT COUNT(*) cnt FROM orders GROUP BY DATE(placed_at) ORDER BY NULL
SELECT status, COUNT(*) FROM orders GROUP BY 1 DESC
SELECT YEAR(placed_at) y, MONTH(placed_at) m, SUM(amount) FROM orders GROUP BY y, m ORDER BY y DESC, m
SELECT status s FROM orders HAVING s = 'paid'
SELECT SUM(status = 'paid'), SUM(IF(status='new', amount, 0)), AVG(amount > 5) FROM orders
SELECT id DIV 2 AS half, id & 1 AS odd FROM orders
SELECT id FROM orders WHERE placed_at BETWEEN '2024-01-01' AND '2024-01-31 23:59:59'
SELECT id FROM orders WHERE note LIKE '100\%%' OR note LIKE '%|%%' ESCAPE '|'
SELECT id FROM orders WHERE status IN ('paid', "new") AND customer_id NOT IN (9)
SELECT id FROM orders WHERE (status, customer_id) = ('paid', 1)
SELECT id FROM orders WHERE id = 1 AND id IS NOT NULL XOR id = 2
SELECT id FROM orders WHERE id <=> 1 OR !(id > 3)
SELECT id FROM orders ORDER BY FIELD(status, 'new', 'paid'), RAND(3)
SELECT id FROM orders ORDER BY status COLLATE utf8mb4_general_ci DESC, id + 0
SELECT o.*, c.name FROM orders AS o INNER JOIN customers AS c ON o.customer_id = c.id
SELECT c.name, (SELECT COUNT(*) FROM orders o WHERE o.customer_id = c.id) n FROM customers c HAVING n > 0
SELECT TIME(placed_at), DATE(placed_at), TIMESTAMP(placed_at, '01:00:00'), MICROSECOND(placed_at), TO_DAYS(placed_at), TO_SECONDS(placed_at), PERIOD_ADD(202401, 1), TO_CHAR(placed_at, 'YYYY-MM-DD') FROM orders LIMIT 1
SELECT HEX(uid), uid, LENGTH(avatar), avatar FROM customers
SELECT id FROM customers WHERE uid = '00000000-0000-4000-8000-000000000001'
SELECT CAST(prefs AS CHAR), JSON_VALUE(prefs, '$.k') + 1 FROM customers
SELECT SUBSTRING_INDEX(SUBSTRING_INDEX(name, ' ', 2), ' ', -1) FROM customers
SELECT MAX(CASE WHEN status = 'paid' THEN amount END) AS paid, MAX(CASE WHEN status = 'new' THEN amount END) AS new FROM orders
SELECT t1.id FROM orders t1 LEFT JOIN orders t2 ON t1.customer_id = t2.customer_id AND t1.placed_at < t2.placed_at WHERE t2.id IS NULL
WITH m AS (SELECT DATE_FORMAT(placed_at, '%Y-%m-01') AS m, SUM(amount) AS s FROM orders GROUP BY 1) SELECT m, s, s - LAG(s) OVER (ORDER BY m) AS diff FROM m
SELECT BENCHMARKS FROM (SELECT 1 AS BENCHMARKS) x
SELECT sleep FROM (SELECT 1 AS sleep) x
SELECT COUNT(*) FROM orders WHERE note = 'SLEEP(5)' OR note = 'INTO OUTFILE'
SELECT DEFAULT(label) FROM empty_table
SELECT VALUE(id) FROM orders
SELECT NAME_CONST('a', 1)
SELECT ROWNUM(), id FROM orders
SELECT LENGTH(SPACE(10)), LENGTHB('é'), CHR(65), RANDOM_BYTES(4) IS NOT NULL
SELECT 0xFF + 0, CAST(0xFF AS UNSIGNED), b'1' + 0, x'4142', 'a' = 0x61
SELECT id FROM orders WHERE note REGEXP '[[:alpha:]]+' AND note REGEXP '\\d*'
SELECT 1 UNION SELECT 2 ORDER BY 1 LIMIT 1
SELECT 1 UNION (SELECT 2 LIMIT 1)
SELECT * FROM orders AS o WHERE o.id IN (SELECT MAX(id) FROM orders GROUP BY customer_id)
SELECT 1 AS a,2 AS b,3 AS c
select id,status from orders where id=1;
SELECT CURRENT_TIMESTAMP - INTERVAL 1 DAY < NOW()
SELECT * FROM orders WHERE placed_at > DATE_SUB(CURDATE(), INTERVAL 100 YEAR)
SELECT * FROM orders WHERE placed_at > CURRENT_DATE - INTERVAL '100' YEAR
SELECT PERIOD_DIFF(202402, 202401), WEEKDAY('2024-01-01'), DAYOFYEAR('2024-01-01'), TIME_TO_SEC('01:00:00'), TIME_FORMAT('10:00:00', '%H')
SELECT ST_AsGeoJSON(POINT(1,2)), ST_Length(LINESTRING(POINT(0,0), POINT(1,1)))
SELECT EXISTS(SELECT 1 FROM orders WHERE id = 1) AS e
SELECT /*+ MAX_EXECUTION_TIME(1000) JOIN_ORDER(o, c) */ 1 FROM orders o, customers c
SELECT * FROM information_schema.REFERENTIAL_CONSTRAINTS
SELECT * FROM information_schema.CHECK_CONSTRAINTS
SELECT * FROM information_schema.TABLE_CONSTRAINTS LIMIT 3
SELECT * FROM information_schema.PARAMETERS LIMIT 3
SELECT * FROM information_schema.TRIGGERS
SELECT * FROM information_schema.EVENTS
SELECT * FROM information_schema.PARTITIONS LIMIT 1
SELECT * FROM information_schema.ENGINES
SELECT * FROM information_schema.COLLATIONS LIMIT 1
SELECT * FROM information_schema.SESSION_VARIABLES LIMIT 1
SELECT * FROM information_schema.SYSTEM_VARIABLES LIMIT 1
SELECT * FROM information_schema.USER_PRIVILEGES LIMIT 1
SELECT * FROM information_schema.INNODB_TRX
SELECT * FROM information_schema.INNODB_SYS_TABLES LIMIT 1
SELECT * FROM information_schema.PLUGINS LIMIT 1
SELECT * FROM information_schema.PROFILING
SELECT * FROM information_schema.SQL_FUNCTIONS LIMIT 1
SELECT * FROM information_schema.KEYWORDS LIMIT 1
SELECT * FROM sys.schema_table_statistics LIMIT 1
SELECT sys.format_bytes(1024), sys.version_major()
SELECT * FROM sys.session LIMIT 1
SELECT * FROM performance_schema.global_status LIMIT 1
SELECT * FROM performance_schema.threads LIMIT 1
SELECT * FROM mysql.db
SELECT * FROM mysql.tables_priv
SELECT * FROM mysql.roles_mapping
SELECT * FROM mysql.time_zone_name LIMIT 1
SELECT * FROM mysql.table_stats
SELECT * FROM mysql.func
SELECT * FROM mysql.plugin
SELECT * FROM mysql.event
SELECT User, Host FROM mysql.tables_priv
SHOW CREATE TABLE `order`
SHOW CREATE TABLE cases.orders
SHOW INDEX FROM `order`
SHOW COLUMNS FROM `order` FROM `cases`
SHOW VARIABLES LIKE '%timeout%'
SHOW GLOBAL STATUS WHERE Variable_name IN ('Uptime', 'Threads_connected')
SHOW STATUS LIKE 'Last_query_cost'
SHOW TABLES WHERE Tables_in_cases IN ('orders', 'customers')
DESC `orders`
EXPLAIN `orders` `id`
EXPLAIN FORMAT=json SELECT 1
SELECT o.id FROM orders AS o FORCE INDEX FOR JOIN (PRIMARY) JOIN customers AS c USE INDEX (PRIMARY) ON c.id = o.customer_id
SELECT * FROM orders WHERE id IN (SELECT /*+ SEMIJOIN() */ customer_id FROM orders)
SELECT '2024-01-31' + INTERVAL 1 MONTH, TIMESTAMP('2024-01-31') - INTERVAL '1 1' DAY_HOUR, '2024-01-01' BETWEEN '2023-01-01' AND CURDATE()
SELECT DATE_FORMAT(placed_at, '%x-W%v'), WEEKOFYEAR(placed_at), MONTHNAME(placed_at), HOUR(placed_at), MINUTE(placed_at) FROM orders
SELECT CONCAT(YEAR(placed_at), '-', LPAD(MONTH(placed_at), 2, '0')) ym, COUNT(*) FROM orders GROUP BY ym WITH ROLLUP
SELECT id, @prev := amount AS a, amount - @prev FROM orders ORDER BY id
SELECT JSON_VALUE(prefs, '$.k') k, JSON_QUERY(prefs, '$') q, JSON_EXISTS(prefs, '$.k') e FROM customers
SELECT JSON_EXTRACT(tags, '$[0]', '$[1]') FROM customers
SELECT JSON_LENGTH(tags), JSON_CONTAINS(tags, '"a"'), JSON_SEARCH(tags, 'all', 'a%'), JSON_OVERLAPS(tags, '["a"]') FROM customers
SELECT CAST(JSON_EXTRACT(prefs, '$.k') AS INT) + 1 FROM customers WHERE JSON_TYPE(prefs) = 'OBJECT'
SELECT * FROM customers WHERE prefs LIKE '%k%' AND JSON_VALID(prefs)
SELECT TRIM(name), TRIM(TRAILING FROM name), REGEXP_REPLACE(name, '\\s+', ' '), name REGEXP '^[A-Z]' FROM customers
SELECT * FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY status ORDER BY amount DESC) rn FROM orders) t WHERE rn = 1
SELECT SUM(amount) OVER (ORDER BY placed_at RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM orders
SELECT c.name, COALESCE(SUM(o.amount), 0) total FROM customers c LEFT JOIN orders o ON o.customer_id = c.id AND o.status <> 'deleted' GROUP BY c.id, c.name HAVING total >= 0 ORDER BY total DESC LIMIT 3
SELECT a.*, b.cnt FROM orders a JOIN (SELECT customer_id, COUNT(*) cnt FROM orders GROUP BY customer_id) b USING (customer_id)
SELECT * FROM orders WHERE amount > ALL (SELECT amount FROM orders WHERE status = 'new') OR amount = SOME (SELECT 5.00)
SELECT * FROM orders o WHERE NOT EXISTS (SELECT * FROM customers c WHERE c.id = o.customer_id + 100)
SELECT ROW(1,2) = ROW(1,2), (SELECT 1, 2) = (1, 2)
SELECT LEFT(note, 3), RIGHT(note, 2), INSERT(note, 1, 1, 'X'), REPLACE(note, 'a', 'b'), CHAR_LENGTH(note), REVERSE(note) FROM orders
SELECT REPLACE ('a', 'a', 'b'), INSERT ('abc', 1, 1, 'x'), TRUNCATE (1.5, 0)
SELECT 1 AS `insert`, 2 AS `update`, 3 AS `into`, 4 AS `lock`
SELECT t.`update`, t.update FROM customers t
SELECT IF(a > 1, 'x', 'y') FROM (SELECT 1 a) t
SELECT TIMESTAMPDIFF(SECOND, '2024-01-01', '2024-01-02'), TIME_TO_SEC(TIMEDIFF('10:00', '09:00'))
SELECT ROUND(AVG(amount), 2), STDDEV_POP(amount), VAR_SAMP(amount) FROM orders
SELECT FORMAT(SUM(amount), 2), CAST(SUM(amount) AS SIGNED), SUM(amount) DIV 1 FROM orders
SELECT SUBSTRING_INDEX(email, '@', -1) d, COUNT(*) FROM customers GROUP BY d
SELECT CRC32(name), SHA1(name), TO_BASE64(name), HEX(name), BIN(id), CONV(id, 10, 36) FROM customers
SELECT GREATEST(a, b), LEAST(a, b), ELT(a, 'x', 'y'), FIELD('b', 'a', 'b'), INTERVAL(23, 1, 15, 17) FROM (SELECT 1 a, 2 b) t
SELECT 'a' LIKE 'A' COLLATE utf8mb4_general_ci, _utf8mb4'é' COLLATE utf8mb4_unicode_ci = 'e', 'a' = 'A' COLLATE utf8mb4_general_ci
SELECT * FROM orders ORDER BY CONVERT(status USING utf8mb4) COLLATE utf8mb4_unicode_ci, id DESC
SELECT SQL_CALC_FOUND_ROWS * FROM orders WHERE id > 2 LIMIT 1
SELECT CURRENT_USER() IS NOT NULL, LAST_INSERT_ID(), @@identity, @@warning_count, @@error_count
SELECT PASSWORD('x') IS NOT NULL, ENCRYPT('a') IS NOT NULL
SELECT ENCODE('a','b') IS NOT NULL, AES_ENCRYPT('a', 'b') IS NOT NULL
SELECT 9223372036854775807 + 0, 18446744073709551615, -9223372036854775808, 0.1 + 0.2, 1e308 * 1, 5 / 0
SELECT x'00FF', 0x00FF, X'', b'', B'1010', '\0' IS NOT NULL, 'a\nb', 'tab\tq', 'it''s', "x'y", 'x"y'
SELECT 1;
SELECT 1 ; -- x
SELECT 1 ; # x
/* head */ SELECT 1
(SELECT 1)
((SELECT 1 UNION SELECT 2)) ORDER BY 1
WITH a AS (SELECT 1 x) SELECT * FROM a UNION SELECT 2
WITH RECURSIVE d AS (SELECT DATE('2024-01-01') AS d UNION ALL SELECT d + INTERVAL 1 DAY FROM d WHERE d < '2024-01-10') SELECT d.d, COUNT(o.id) FROM d LEFT JOIN orders o ON DATE(o.placed_at) = d.d GROUP BY d.d
WITH RECURSIVE t AS (SELECT id, CAST(id AS CHAR(100)) AS path FROM orders WHERE id = 1 UNION ALL SELECT o.id, CONCAT(t.path, '/', o.id) FROM orders o JOIN t ON o.id = t.id + 1 WHERE o.id < 4) SELECT * FROM t
SELECT \N, a FROM t
