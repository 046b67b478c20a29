-- Questions that every engine can be asked, one a line.
SELECT count(*) AS customers FROM customers
SELECT country, count(*) AS customers FROM customers GROUP BY country ORDER BY customers DESC, country
SELECT name, email FROM customers WHERE email IS NULL
SELECT DISTINCT city FROM customers WHERE city IS NOT NULL ORDER BY city
SELECT count(DISTINCT country) AS countries, count(DISTINCT city) AS cities FROM customers
SELECT sum(total) AS revenue FROM orders WHERE status = 'paid'
SELECT status, count(*) AS orders, sum(total) AS total, avg(total) AS mean FROM orders GROUP BY status ORDER BY status
SELECT min(placed_at) AS first_order, max(placed_at) AS last_order FROM orders
SELECT c.name, count(o.id) AS orders FROM customers c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.name ORDER BY orders DESC, c.name
SELECT c.name FROM customers c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)
SELECT c.name FROM customers c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.id IS NULL
SELECT name FROM customers WHERE id IN (SELECT customer_id FROM orders WHERE status = 'paid') ORDER BY name
SELECT name FROM customers WHERE id NOT IN (SELECT customer_id FROM orders WHERE customer_id IS NOT NULL)
SELECT c.country, sum(o.total) AS revenue FROM orders o JOIN customers c ON c.id = o.customer_id WHERE o.status = 'paid' GROUP BY c.country HAVING sum(o.total) > 50 ORDER BY revenue DESC
SELECT p.name, sum(l.quantity) AS sold FROM order_lines l JOIN products p ON p.id = l.product_id GROUP BY p.name ORDER BY sold DESC, p.name LIMIT 3
SELECT p.category, sum(l.quantity * l.price) AS turnover FROM order_lines l JOIN products p ON p.id = l.product_id JOIN orders o ON o.id = l.order_id WHERE o.status <> 'cancelled' GROUP BY p.category
SELECT name, price FROM products WHERE price > (SELECT avg(price) FROM products) ORDER BY price DESC
SELECT name, stock FROM products WHERE stock = 0 OR stock IS NULL
SELECT name, price, CASE WHEN price < 10 THEN 'cheap' WHEN price < 50 THEN 'fair' ELSE 'dear' END AS class FROM products ORDER BY price
SELECT coalesce(category, 'none') AS category, count(*) AS products FROM products GROUP BY coalesce(category, 'none') ORDER BY 1
SELECT o.id, o.total, sum(l.quantity * l.price) AS lines_total FROM orders o JOIN order_lines l ON l.order_id = o.id GROUP BY o.id, o.total HAVING o.total <> sum(l.quantity * l.price)
SELECT o.id, o.total - coalesce(sum(p.amount), 0) AS still_open FROM orders o LEFT JOIN payments p ON p.order_id = o.id GROUP BY o.id, o.total ORDER BY still_open DESC
SELECT method, count(*) AS payments, sum(amount) AS amount FROM payments GROUP BY method ORDER BY amount DESC
SELECT o.id FROM orders o JOIN payments p ON p.order_id = o.id GROUP BY o.id HAVING count(*) > 1
SELECT id, total, rank() OVER (ORDER BY total DESC) AS place FROM orders ORDER BY place
SELECT customer_id, id, row_number() OVER (PARTITION BY customer_id ORDER BY placed_at) AS nth FROM orders ORDER BY customer_id, nth
SELECT customer_id, placed_at, total, sum(total) OVER (PARTITION BY customer_id ORDER BY placed_at) AS running FROM orders ORDER BY customer_id, placed_at
SELECT id, placed_at, lag(placed_at) OVER (ORDER BY placed_at) AS earlier, lead(placed_at) OVER (ORDER BY placed_at) AS later FROM orders ORDER BY placed_at
SELECT id, total, avg(total) OVER (ORDER BY placed_at ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS moving FROM orders ORDER BY placed_at
SELECT id, total, ntile(4) OVER (ORDER BY total) AS quartile FROM orders
SELECT id, total, percent_rank() OVER (ORDER BY total) AS share, cume_dist() OVER (ORDER BY total) AS cumulative FROM orders
SELECT id, first_value(id) OVER (PARTITION BY status ORDER BY placed_at) AS first_of_status FROM orders
SELECT department, name, salary, dense_rank() OVER (PARTITION BY department ORDER BY salary DESC) AS place FROM staff ORDER BY department, place, name
SELECT department, avg(salary) AS mean, max(salary) - min(salary) AS spread FROM staff GROUP BY department ORDER BY department
SELECT s.name, m.name AS manager FROM staff s LEFT JOIN staff m ON m.id = s.manager_id ORDER BY s.id
SELECT s.name FROM staff s JOIN staff m ON m.id = s.manager_id WHERE s.salary > m.salary * 0.7
WITH RECURSIVE chain AS (SELECT id, name, 0 AS depth FROM staff WHERE manager_id IS NULL UNION ALL SELECT s.id, s.name, c.depth + 1 FROM staff s JOIN chain c ON s.manager_id = c.id) SELECT depth, count(*) AS people FROM chain GROUP BY depth ORDER BY depth
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12) SELECT i AS month_number FROM n
WITH spent AS (SELECT customer_id, sum(total) AS total FROM orders WHERE status = 'paid' GROUP BY customer_id) SELECT c.name, s.total FROM spent s JOIN customers c ON c.id = s.customer_id ORDER BY s.total DESC
WITH spent AS (SELECT customer_id, sum(total) AS total FROM orders GROUP BY customer_id), mean AS (SELECT avg(total) AS total FROM spent) SELECT spent.customer_id FROM spent CROSS JOIN mean WHERE spent.total > mean.total
WITH ranked AS (SELECT o.*, row_number() OVER (PARTITION BY customer_id ORDER BY placed_at DESC) AS r FROM orders o) SELECT customer_id, id, placed_at FROM ranked WHERE r = 1
SELECT customer_id FROM orders WHERE status = 'paid' UNION SELECT customer_id FROM visits WHERE customer_id IS NOT NULL
SELECT customer_id FROM visits WHERE customer_id IS NOT NULL EXCEPT SELECT customer_id FROM orders WHERE status = 'paid'
SELECT id FROM customers INTERSECT SELECT customer_id FROM orders
SELECT 'customers' AS what, count(*) AS n FROM customers UNION ALL SELECT 'orders', count(*) FROM orders UNION ALL SELECT 'products', count(*) FROM products
SELECT page, count(*) AS views, avg(milliseconds) AS mean FROM visits WHERE device <> 'bot' GROUP BY page ORDER BY views DESC, page
SELECT device, sum(CASE WHEN milliseconds < 1000 THEN 1 ELSE 0 END) AS bounced, count(*) AS visits FROM visits GROUP BY device
SELECT v.page, count(DISTINCT o.id) AS orders FROM visits v JOIN orders o ON o.customer_id = v.customer_id GROUP BY v.page ORDER BY v.page
SELECT sum(CASE WHEN status = 'paid' THEN total ELSE 0 END) AS paid, sum(CASE WHEN status = 'refunded' THEN total ELSE 0 END) AS refunded FROM orders
SELECT coupon, count(*) AS used FROM orders WHERE coupon IS NOT NULL GROUP BY coupon ORDER BY used DESC, coupon
SELECT id, total, coupon FROM orders WHERE coupon LIKE 'NEW%'
SELECT name FROM customers WHERE email LIKE '%@example.org'
SELECT name FROM customers WHERE name LIKE 'Z%' OR name LIKE '%ll%'
SELECT upper(name) AS name, lower(email) AS email, length(name) AS letters FROM customers
SELECT trim(name) AS name, replace(email, '@', ' at ') AS address FROM customers
SELECT substr(email, 1, 3) AS start FROM customers WHERE email IS NOT NULL
SELECT id FROM orders WHERE total BETWEEN 10 AND 100 ORDER BY total
SELECT id FROM orders WHERE status IN ('new', 'paid') AND NOT total < 20
SELECT id, round(total * 0.22, 2) AS tax FROM orders
SELECT id, abs(total - 50) AS distance FROM orders ORDER BY distance LIMIT 1
SELECT id, total / nullif((SELECT sum(total) FROM orders), 0) AS share FROM orders
SELECT id, quantity % 2 AS odd FROM order_lines JOIN orders ON orders.id = order_lines.order_id
SELECT o.status, count(*) AS line_count FROM orders o, order_lines l WHERE o.id = l.order_id GROUP BY o.status
SELECT * FROM orders ORDER BY placed_at DESC LIMIT 3 OFFSET 1
SELECT * FROM customers c JOIN orders o ON c.id = o.customer_id ORDER BY o.id
SELECT c.*, (SELECT max(placed_at) FROM orders o WHERE o.customer_id = c.id) AS last_order FROM customers c
SELECT a.name, b.name AS other FROM products a JOIN products b ON a.category = b.category AND a.id < b.id
SELECT a.id, b.id AS later FROM orders a JOIN orders b ON a.customer_id = b.customer_id AND b.placed_at > a.placed_at
SELECT x.category, x.dearest FROM (SELECT category, max(price) AS dearest FROM products GROUP BY category) x WHERE x.dearest > 20
SELECT p.name FROM products p WHERE p.price = (SELECT max(price) FROM products q WHERE q.category = p.category)
SELECT name FROM products WHERE id NOT IN (SELECT product_id FROM order_lines)
SELECT p.name, coalesce(s.sold, 0) AS sold FROM products p LEFT JOIN (SELECT product_id, sum(quantity) AS sold FROM order_lines GROUP BY product_id) s ON s.product_id = p.id
SELECT count(*) AS all_rows, count(coupon) AS with_coupon, count(*) - count(coupon) AS without FROM orders
SELECT avg(total) AS mean, max(total) AS highest, min(total) AS lowest, sum(total) / count(*) AS again FROM orders
SELECT customer_id, count(*) AS orders FROM orders GROUP BY customer_id HAVING count(*) >= 2
SELECT country, CASE WHEN newsletter = 1 THEN 'yes' ELSE 'no' END AS letter, count(*) AS n FROM customers GROUP BY country, newsletter ORDER BY country, letter
SELECT o.id, c.name, c.country FROM orders o JOIN customers c ON o.customer_id = c.id WHERE c.country = 'GB' AND o.total > (SELECT avg(total) FROM orders)
SELECT id, status, CASE status WHEN 'paid' THEN 1 WHEN 'new' THEN 2 ELSE 3 END AS step FROM orders ORDER BY step, id
SELECT sum(p.price * p.stock) AS value_of_stock FROM products p
SELECT category, name, price, price - avg(price) OVER (PARTITION BY category) AS above_mean FROM products
SELECT name, price, sum(price) OVER (ORDER BY price, id) / sum(price) OVER () AS cumulative_share FROM products
SELECT * FROM paid_orders ORDER BY total DESC
SELECT c.name, po.total FROM paid_orders po JOIN customers c ON c.id = po.customer_id
SELECT customer_id, max(placed_at) AS latest FROM paid_orders GROUP BY customer_id
SELECT id FROM orders WHERE placed_at >= '2024-02-01' AND placed_at < '2024-03-01'
SELECT id FROM customers WHERE signed_up > '2023-12-31' ORDER BY signed_up
SELECT 'drop table orders' AS threat, 'it''s; DELETE FROM x; --' AS another
SELECT name FROM products WHERE name LIKE 'Drop Table%'
SELECT id, kind FROM events WHERE payload LIKE '%insert coin%'
SELECT name AS "update" FROM products WHERE name <> 'grant select' LIMIT 1
VALUES (1)
VALUES (1, 'one'), (2, 'two')
SELECT 1 AS a UNION ALL SELECT 2 ORDER BY a DESC
SELECT 1 + 1 AS two
SELECT NULL AS nil, 'text' AS something
SELECT count(*) AS n FROM orders -- how many are there?
SELECT /* all of them */ count(*) AS n FROM orders
SELECT count(*) AS n FROM orders;
SELECT current_date AS today, current_timestamp AS moment
SELECT sum(l.quantity) AS pieces, count(DISTINCT l.order_id) AS orders, sum(l.quantity * 1.0) / count(DISTINCT l.order_id) AS per_order FROM order_lines l
SELECT o.customer_id, sum(l.quantity) AS pieces FROM orders o JOIN order_lines l ON l.order_id = o.id JOIN products p ON p.id = l.product_id AND p.category = 'home' GROUP BY o.customer_id
SELECT count(*) AS pairs FROM products a CROSS JOIN products b WHERE a.price > b.price
WITH first_orders AS (SELECT customer_id, min(placed_at) AS at FROM orders GROUP BY customer_id) SELECT count(*) AS repeaters FROM first_orders f WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = f.customer_id AND o.placed_at > f.at)
WITH both_kinds AS (SELECT customer_id, max(CASE WHEN status = 'paid' THEN 1 ELSE 0 END) AS paid, max(CASE WHEN status <> 'paid' THEN 1 ELSE 0 END) AS other FROM orders GROUP BY customer_id) SELECT count(*) AS n FROM both_kinds WHERE paid = 1 AND other = 1
WITH t AS (SELECT id, total, row_number() OVER (ORDER BY total) AS r, count(*) OVER () AS n FROM orders) SELECT avg(total) AS median FROM t WHERE r IN ((n + 1) / 2, (n + 2) / 2)
SELECT c.name, o.total FROM customers c JOIN orders o ON o.customer_id = c.id AND o.total = (SELECT max(o2.total) FROM orders o2 WHERE o2.customer_id = c.id)
SELECT id, total, total - lag(total) OVER w AS change_to_before FROM orders WINDOW w AS (ORDER BY placed_at) ORDER BY placed_at
SELECT department, name, last_value(name) OVER (PARTITION BY department ORDER BY salary ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS best_paid FROM staff
SELECT id, nth_value(total, 2) OVER (ORDER BY placed_at ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS second FROM orders
SELECT customer_id, count(*) AS n FROM visits GROUP BY customer_id ORDER BY n DESC, customer_id
SELECT v.customer_id, v.page, v.seen_at, o.placed_at FROM visits v JOIN orders o ON o.customer_id = v.customer_id AND o.placed_at > v.seen_at ORDER BY v.id, o.id
SELECT name, CAST(price AS DECIMAL(10, 0)) AS rounded FROM products
SELECT CAST(milliseconds AS DECIMAL(10, 3)) / 1000 AS seconds FROM visits
SELECT max(length(name)) AS longest FROM customers
SELECT name FROM staff WHERE manager_id = (SELECT id FROM staff WHERE name = 'Linus') ORDER BY name
SELECT t.id FROM (SELECT id FROM orders UNION SELECT id FROM payments) t WHERE t.id > 4
SELECT status FROM orders GROUP BY status HAVING min(total) < 10 AND max(total) > 5
SELECT o.id AS order_id, l.line_no, p.name, l.quantity, l.price, l.quantity * l.price AS line_total FROM orders o JOIN order_lines l ON l.order_id = o.id JOIN products p ON p.id = l.product_id WHERE o.id = 6 ORDER BY l.line_no
SELECT DISTINCT c.country, p.category FROM customers c JOIN orders o ON o.customer_id = c.id JOIN order_lines l ON l.order_id = o.id JOIN products p ON p.id = l.product_id ORDER BY 1, 2
SELECT count(*) FROM (SELECT DISTINCT customer_id, device FROM visits) d
SELECT c.name, coalesce(c.city, c.country, 'unknown') AS place FROM customers c ORDER BY c.name
SELECT EXISTS (SELECT 1 FROM orders WHERE total > 1000) AS any_big
SELECT (SELECT count(*) FROM orders) AS orders, (SELECT count(*) FROM customers) AS customers
SELECT sum(salary) AS payroll, sum(salary) * 12 AS yearly FROM staff WHERE department NOT IN ('board')
SELECT name, salary, salary - (SELECT avg(salary) FROM staff) AS above FROM staff ORDER BY above DESC
SELECT m.name, count(s.id) AS reports FROM staff m JOIN staff s ON s.manager_id = m.id GROUP BY m.id, m.name ORDER BY reports DESC, m.name
