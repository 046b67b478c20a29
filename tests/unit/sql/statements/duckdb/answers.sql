-- Reads, and their rows or what is said of them, one a line.
SELECT list_transform([1, 2], x -> x + 1), [1, 2].list_filter(x -> x > 1), list_reduce([1, 2], (a, b) -> a + b) --> [[[2, 3], [2], 3]]
SELECT list_transform([1, 2], lambda x, i: x + i), [x * 2 FOR x IN [1, 2] IF x > 1] --> [[["2", "4"], [4]]]
SELECT '{"a":{"b":1}}'::JSON -> 'a' ->> 'b', list_transform(['{"a":1}'::JSON], lambda j: j -> 'a') --> [["1", ["1"]]]
SELECT COLUMNS(c -> c LIKE '%id') FROM orders ORDER BY ALL LIMIT 1 --> [[1, 1]]
SELECT id FROM orders WHERE status IS DISTINCT FROM 'paid' --> [[2]]
SELECT trim('x' FROM 'xax'), trim(BOTH 'x' FROM 'xax'), extract(year FROM '2024-01-01'::DATE) --> [["a", "a", "2024"]]
SELECT "orders/day" FROM (SELECT count(*) AS "orders/day" FROM orders) --> [["3"]]
SELECT column_name FROM (SUMMARIZE orders) WHERE column_name < 'c' --> [["amount"]]
FROM (DESCRIBE SELECT 1 AS a) SELECT column_name, column_type --> [["a", "INTEGER"]]
WITH s AS (SHOW TABLES) FROM s WHERE name LIKE 'c%s' --> [["customers"]]
PIVOT orders ON status USING count(*) GROUP BY customer_id ORDER BY customer_id --> [[1, "1", "1"], [2, "0", "1"]]
SELECT * FROM duckdb_extensions() --> the engine does not allow this
SELECT id FROM orders WHERE id = 1 ORDER BY --> cannot be understood: Parser Error: syntax error at or near "BY"
FROM orders WHERE id = 1 SELECT status --> cannot be understood: Parser Error: syntax error at or near "SELECT"
SELECT id BETWEEN SYMMETRIC 1 AND 2 FROM orders --> Parser Error: syntax error at or near "SYMMETRIC"
SELECT name::INTEGER FROM customers --> Could not convert string '...' to INT32 when casting from source column name
SELECT ('a''b ' || name)::INTEGER FROM customers --> Could not convert string '...' to INT32
SELECT '12 abc'::INTEGER FROM customers --> Could not convert string '...' to INT32
SELECT (id::BIGINT * 10000000000)::INTEGER FROM orders --> Type INT64 with value ... cannot be cast because the value is out of range for the destination type INT32
SELECT (amount * 1000)::DECIMAL(4, 2) FROM orders --> to DECIMAL(4,2)
SELECT 9223372036854775807 * id FROM orders --> Overflow in multiplication of INT64 (... * ...)
SELECT nothing FROM orders --> Referenced column "nothing" not found
SELECT n + 1 FROM counting --> the engine does not allow this
SELECT content_of('/etc/hostname') --> the engine does not allow this
