-- Reads, and their rows or what is said of them, one a line.
SELECT offset, count(*) FROM (SELECT 1 AS offset) GROUP BY offset ORDER BY offset --> [[1, 1]]
WITH like AS (SELECT 1 AS glob) SELECT glob FROM like --> [[1]]
SELECT status IS DISTINCT FROM 'paid' FROM orders ORDER BY id --> [[0], [1], [0]]
PRAGMA query_only --> [[0]]
PRAGMA synchronous --> [[2]]
SELECT name FROM pragma_table_info('orders') WHERE pk --> [["id"]]
SELECT * FROM pragma_user_version(5) --> too many arguments
SELECT * FROM pragma_wal_checkpoint --> no such table
SELECT * FROM pragma_optimize --> the engine does not allow this
SELECT ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))) --> parser stack overflow
SELECT json_extract('{}', name) FROM customers --> JSON path error near '...'
SELECT json_extract('{}', 'Eve') --> JSON path error near 'Eve'
SELECT colour FROM orders --> no such column: colour
SELECT * FROM "no such" --> no such table: no such
