-- With tables orders, customers and v_paid allowed and customers.email denied: what must be refused.
SELECT * FROM customers
FROM customers
SUMMARIZE customers
SELECT COLUMNS(*) FROM customers
SELECT COLUMNS('e.*') FROM customers
SELECT * EXCLUDE (name) FROM customers
SELECT customers FROM customers
PIVOT customers ON email USING count(*)
UNPIVOT customers ON name, email INTO NAME a VALUE b
SELECT EMAIL FROM CUSTOMERS
SELECT "Email" FROM "Customers"
SELECT n FROM numbers
SELECT * FROM orders_of(1)
SELECT fmt_money(1)
SELECT * FROM query_table('numbers')
SELECT * FROM duckdb_tables()
DESCRIBE numbers
SHOW TABLES
SELECT struct_pack(x := c) FROM customers c
SELECT unnest(c) FROM customers c
FROM (SUMMARIZE customers)
FROM (SHOW TABLES)
SHOW TABLES FROM main
SELECT * FROM duckdb_databases()
