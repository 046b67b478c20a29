-- With tables orders, customers and v_paid allowed and customers.email denied: what may still be asked.
SELECT * EXCLUDE (email) FROM customers
SELECT name FROM customers
FROM orders
SELECT 'a'.upper(), list_transform([1], x -> x) FROM orders
SELECT * FROM range(3)
