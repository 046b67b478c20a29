-- What the guard must refuse, one a line.
ATTACH 'x' AS y
ATTACH DATABASE 'file:x?mode=rw' AS y
DETACH y
VACUUM
VACUUM INTO 'x'
REINDEX
ANALYZE
PRAGMA journal_mode=WAL
PRAGMA user_version=5
PRAGMA user_version(5)
PRAGMA writable_schema=1
PRAGMA temp_store_directory='x'
PRAGMA wal_checkpoint
PRAGMA incremental_vacuum
PRAGMA main.user_version = 5
PRAGMA table_info(orders); DELETE FROM orders
EXPLAIN PRAGMA user_version=5
EXPLAIN ATTACH 'x' AS y
EXPLAIN DELETE FROM orders
EXPLAIN QUERY PLAN DELETE FROM orders
SELECT load_extension('x')
SELECT writefile('x','y')
SELECT readfile('x')
SELECT edit('x')
SELECT fts3_tokenizer('simple', x'00')
SELECT optimize(docs4) FROM docs4
INSERT INTO docs4(docs4) VALUES ('optimize')
INSERT INTO orders DEFAULT VALUES
REPLACE INTO orders VALUES (1)
WITH a AS (SELECT 1) INSERT INTO orders SELECT * FROM a
UPDATE orders SET id=1 RETURNING *
CREATE TABLE x(a)
CREATE TEMP TABLE x AS SELECT 1
CREATE VIRTUAL TABLE x USING fts5(a)
CREATE TRIGGER t AFTER INSERT ON orders BEGIN DELETE FROM orders; END
DROP TABLE orders
ALTER TABLE orders RENAME TO x
BEGIN
END
SAVEPOINT x
RELEASE x
ROLLBACK TO x
SELECT 1; DELETE FROM orders
SELECT 'a'';' ; DELETE FROM orders
SELECT [a;] ; DELETE FROM orders
SELECT "a;"; DELETE FROM orders
SELECT * FROM zipfile('x')
SELECT * FROM fsdir('x')
SELECT * FROM csv
SELECT * FROM dbstat('x')
PRAGMA synchronous = 0
PRAGMA query_only(0)
PRAGMA locking_mode = EXCLUSIVE
PRAGMA main.busy_timeout = 5
PRAGMA writable_schema
PRAGMA optimize
PRAGMA shrink_memory
WITH like AS (SELECT 1) DELETE FROM orders
WITH offset AS (SELECT offset + 1 FROM t GROUP BY offset) REPLACE INTO orders SELECT 1
WITH glob AS (SELECT 1 AS a) UPDATE orders SET id = 1
WITH glob AS (SELECT 1 AS a) SELECT * FROM glob, fsdir
SELECT offset, load_extension('x') FROM (SELECT 1 AS offset) GROUP BY offset ORDER BY offset
SELECT sqlite_log(1, 'x')
WITH a AS (ALTER TABLE orders ADD COLUMN a) SELECT * FROM a
SELECT 1 IN sqlite_dbpage
SELECT 1 IN main.'sqlite_dbpage'
