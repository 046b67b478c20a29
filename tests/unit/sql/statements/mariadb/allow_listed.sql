-- With tables orders, customers and v_paid allowed and customers.email denied: what may still be asked.
SELECT name, GROUP_CONCAT(id), JSON_EXTRACT(prefs,'$.k'), DATE_FORMAT(created_at,'%Y') FROM customers GROUP BY name
SHOW COLUMNS FROM orders
DESCRIBE orders
