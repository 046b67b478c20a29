-- With tables orders, customers and v_paid allowed and customers.email denied: what may still be asked.
SELECT name FROM customers
SELECT json_extract(prefs,'$') FROM customers
SELECT id IN (1, 2), 'x' IN ('a', 'b') FROM orders WHERE id IN (SELECT id FROM customers)
SELECT id FROM orders WHERE id NOT IN ()
