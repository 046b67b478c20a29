-- With tables orders, customers and v_paid allowed and customers.email denied: what must be refused.
SELECT * FROM customers
SELECT [email] FROM customers
SELECT n FROM numbers
SELECT * FROM sqlite_master
PRAGMA table_info(numbers)
SELECT * FROM pragma_table_info('numbers')
