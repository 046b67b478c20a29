-- Questions in DuckDB's own words about the shop, one a line.
SELECT date_trunc('month', placed_at) AS month, sum(total) AS revenue FROM orders GROUP BY ALL ORDER BY ALL
FROM orders SELECT status, count(*) GROUP BY status
FROM products
SELECT * EXCLUDE (email) FROM customers
SELECT * REPLACE (upper(name) AS name) FROM customers
SELECT COLUMNS('.*name.*') FROM customers
SELECT status, median(total), quantile_cont(total, 0.9), mode(coupon) FROM orders GROUP BY status
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY total) FROM orders
SELECT list(id ORDER BY placed_at) AS orders, customer_id FROM orders GROUP BY customer_id
SELECT string_agg(name, ', ' ORDER BY name) FROM products
SELECT arg_max(name, price) AS dearest, arg_min(name, price) AS cheapest FROM products
SELECT count(*) FILTER (WHERE status = 'paid') AS paid FROM orders
SELECT customer_id, id FROM orders QUALIFY row_number() OVER (PARTITION BY customer_id ORDER BY placed_at DESC) = 1
PIVOT orders ON status USING sum(total) GROUP BY customer_id
SELECT * FROM (UNPIVOT (SELECT id, CAST(total AS DOUBLE) AS total, CAST(customer_id AS DOUBLE) AS customer FROM orders) ON total, customer)
SELECT unnest([1, 2, 3]) AS n
SELECT range AS n FROM range(1, 13)
SELECT m AS month, coalesce(sum(o.total), 0) AS revenue FROM generate_series(DATE '2024-01-01', DATE '2024-12-01', INTERVAL 1 MONTH) t(m) LEFT JOIN orders o ON date_trunc('month', o.placed_at) = m GROUP BY m ORDER BY m
SELECT v.id, o.id FROM visits v ASOF JOIN orders o ON v.customer_id = o.customer_id AND v.seen_at >= o.placed_at
SELECT c.name, o.id FROM customers c, LATERAL (SELECT id FROM orders WHERE customer_id = c.id ORDER BY total DESC LIMIT 1) o
SELECT payload ->> '$.button' AS button, count(*) FROM events GROUP BY 1
SELECT json_extract_string(payload, '$.q') FROM events WHERE kind = 'search'
SELECT name, {'price': price, 'stock': stock} AS facts FROM products
SELECT list_transform([1, 2, 3], x -> x * 2), list_filter([1, 2, 3], x -> x > 1), [x * x FOR x IN [1, 2, 3]]
SELECT map([1, 2], ['a', 'b']), struct_pack(a := 1, b := 'x')
SELECT name FROM customers WHERE name ILIKE 'a%' OR regexp_matches(email, 'org$')
SELECT regexp_extract(email, '@(.+)$', 1) AS domain, count(*) FROM customers GROUP BY domain
SELECT strftime(placed_at, '%Y-%m'), date_part('dow', placed_at), dayname(placed_at), monthname(placed_at) FROM orders
SELECT date_diff('day', o.placed_at, p.paid_at), age(p.paid_at, o.placed_at) FROM payments p JOIN orders o ON o.id = p.order_id
SELECT * FROM orders USING SAMPLE 50%
SELECT * FROM orders TABLESAMPLE reservoir(2 ROWS)
SELECT * FROM orders ORDER BY total DESC LIMIT 10%
SELECT time_bucket(INTERVAL '1 week', placed_at) AS week, count(*) FROM orders GROUP BY week
SELECT country, count(*) FROM customers GROUP BY CUBE (country)
SELECT approx_count_distinct(customer_id), approx_quantile(total, 0.5), histogram(status) FROM orders
SELECT id, sum(total) OVER (ORDER BY placed_at RANGE BETWEEN INTERVAL 30 DAYS PRECEDING AND CURRENT ROW) FROM orders
SELECT a.id FROM orders a FULL OUTER JOIN payments p ON p.order_id = a.id WHERE a.id IS NULL OR p.id IS NULL
SELECT id FROM orders SEMI JOIN payments ON payments.order_id = orders.id
SELECT id FROM orders ANTI JOIN payments ON payments.order_id = orders.id
SELECT o.id FROM orders o POSITIONAL JOIN payments p
SELECT * FROM orders UNION ALL BY NAME SELECT id, amount AS total FROM payments
SELECT 1_000 AS n, 1e3 AS f, 'a' || 'b' AS s, 7 // 2 AS whole, 2 ** 3 AS cube
SELECT $$;drop table orders;$$ AS quoted
DESCRIBE orders
SUMMARIZE products
SHOW TABLES
EXPLAIN SELECT * FROM orders
SELECT table_name, estimated_size FROM duckdb_tables()
SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'orders'
(SELECT 1 AS a) UNION (SELECT 2 AS a)
