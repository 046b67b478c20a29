-- With tables orders, customers and v_paid allowed and customers.email denied: what may still be asked.
SELECT name FROM customers
SELECT json_extract(prefs,'$') FROM customers
