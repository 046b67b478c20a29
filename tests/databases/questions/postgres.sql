-- Questions in PostgreSQL's own words, one a line.
SELECT date_trunc('month', placed_at) AS month, sum(total) AS revenue FROM orders GROUP BY 1 ORDER BY 1
SELECT to_char(placed_at, 'YYYY-MM') AS month, count(*) FROM orders GROUP BY to_char(placed_at, 'YYYY-MM') ORDER BY 1
SELECT extract(dow FROM placed_at) AS weekday, count(*) FROM orders GROUP BY 1 ORDER BY 1
SELECT extract(year FROM age(DATE '2024-07-01', birthday)) AS age, name FROM customers WHERE birthday IS NOT NULL
SELECT placed_at::date AS day, count(*) AS orders FROM orders GROUP BY placed_at::date ORDER BY day
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY total) AS median FROM orders
SELECT status, percentile_disc(0.9) WITHIN GROUP (ORDER BY total) AS p90, mode() WITHIN GROUP (ORDER BY coupon) AS usual FROM orders GROUP BY status
SELECT percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY total) AS quartiles FROM orders
SELECT count(*) FILTER (WHERE status = 'paid') AS paid, count(*) FILTER (WHERE status <> 'paid') AS other FROM orders
SELECT customer_id, array_agg(id ORDER BY placed_at) AS orders FROM orders GROUP BY customer_id
SELECT status, string_agg(id::text, ', ' ORDER BY id) AS orders FROM orders GROUP BY status
SELECT DISTINCT ON (customer_id) customer_id, id, placed_at FROM orders ORDER BY customer_id, placed_at DESC
SELECT c.name, o.id FROM customers c LEFT JOIN LATERAL (SELECT id FROM orders WHERE customer_id = c.id ORDER BY total DESC LIMIT 1) o ON true
SELECT m::date AS month, coalesce(sum(o.total), 0) AS revenue FROM generate_series('2024-01-01'::date, '2024-12-01', '1 month') m LEFT JOIN orders o ON date_trunc('month', o.placed_at) = m GROUP BY m ORDER BY m
SELECT coalesce(status, 'all') AS status, sum(total) FROM orders GROUP BY ROLLUP (status)
SELECT c.country, o.status, sum(o.total) FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY CUBE (c.country, o.status)
SELECT c.country, o.status, count(*), grouping(c.country, o.status) FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY GROUPING SETS ((c.country), (o.status), ())
SELECT payload::jsonb ->> 'button' AS button, count(*) FROM events WHERE kind = 'click' GROUP BY 1
SELECT id, (payload::jsonb #>> '{at,x}')::int AS x FROM events WHERE payload::jsonb ? 'at'
SELECT id, t.value FROM events, jsonb_array_elements_text(payload::jsonb -> 'tags') AS t(value)
SELECT id FROM events WHERE payload::jsonb @> '{"button": "buy"}'
SELECT jsonb_object_agg(kind, n) FROM (SELECT kind, count(*) AS n FROM events GROUP BY kind) k
SELECT jsonb_path_query(payload::jsonb, '$.at.x') AS x FROM events
SELECT jsonb_pretty(payload::jsonb) FROM events LIMIT 1
SELECT row_to_json(o) FROM (SELECT id, total FROM orders LIMIT 1) o
SELECT json_build_object('name', name, 'price', price) FROM products
SELECT * FROM json_to_recordset('[{"a": 1, "b": "x"}]') AS t(a int, b text)
SELECT key, value FROM events, jsonb_each(payload::jsonb) WHERE id = 1
SELECT name FROM customers WHERE name ILIKE 'a%'
SELECT name FROM customers WHERE name ~* '^z' OR email SIMILAR TO '%(org|net)'
SELECT regexp_replace(email, '@.*$', '') AS login FROM customers
SELECT (regexp_match(email, '@(.+)$'))[1] AS domain, count(*) FROM customers GROUP BY 1
SELECT split_part(email, '@', 2) AS domain, count(*) FROM customers GROUP BY 1 ORDER BY 2 DESC
SELECT name || ' <' || coalesce(email, '') || '>' AS address FROM customers
SELECT format('%s (%s)', name, country) AS label FROM customers
SELECT initcap(name), left(name, 3), right(name, 2), reverse(name), lpad(id::text, 5, '0') FROM customers
SELECT concat_ws(', ', city, country) AS place FROM customers
SELECT position('@' IN email) AS at, overlay(name PLACING '*' FROM 2 FOR 3), substring(name FROM 1 FOR 3) FROM customers
SELECT unnest(ARRAY[1, 2, 3]) AS n
SELECT u.n, u.i FROM unnest(ARRAY['a', 'b']) WITH ORDINALITY AS u(n, i)
SELECT id FROM orders WHERE id = ANY (ARRAY[1, 2, 3])
SELECT name FROM products WHERE price >= ALL (SELECT price FROM products)
SELECT now() - max(placed_at) AS since FROM orders
SELECT id FROM orders WHERE placed_at > timestamp '2024-06-01' - interval '90 days'
SELECT placed_at AT TIME ZONE 'Europe/Rome' AS local FROM orders
SELECT p.paid_at - o.placed_at AS took FROM payments p JOIN orders o ON o.id = p.order_id
SELECT avg(p.paid_at - o.placed_at) AS mean FROM payments p JOIN orders o ON o.id = p.order_id
SELECT width_bucket(total, 0, 250, 5) AS bucket, count(*) FROM orders GROUP BY 1 ORDER BY 1
SELECT corr(quantity, price), covar_pop(quantity, price), regr_slope(price, quantity) FROM order_lines
SELECT stddev_samp(total), variance(total), var_pop(total) FROM orders
SELECT bool_and(total > 0), bool_or(coupon IS NULL), every(id > 0) FROM orders
SELECT greatest(1, 2, 3), least(total, 50) FROM orders
SELECT total::numeric(10, 0), round(total), ceil(total), floor(total), trunc(total, 1), mod(id, 2), power(2, 3), sqrt(total) FROM orders
SELECT * FROM orders TABLESAMPLE BERNOULLI (50) REPEATABLE (1)
SELECT * FROM orders FETCH FIRST 2 ROWS ONLY
SELECT * FROM orders ORDER BY coupon NULLS LAST, id
SELECT a.id FROM orders a FULL OUTER JOIN payments p ON p.order_id = a.id WHERE a.id IS NULL OR p.id IS NULL
SELECT * FROM orders NATURAL JOIN (SELECT id FROM payments) p
SELECT id FROM orders JOIN payments USING (id)
TABLE products
TABLE orders LIMIT 2
SELECT $$;drop table orders;$$ AS quoted, $a$ it's $$ fine $a$ AS again
SELECT E'tab\tand \'quote\'' AS escaped, U&'\0041' AS letter
SELECT id, sum(total) OVER (ORDER BY placed_at RANGE BETWEEN interval '30 days' PRECEDING AND CURRENT ROW) FROM orders
SELECT id, sum(total) OVER (ORDER BY id GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW) FROM orders
SELECT id, count(*) FILTER (WHERE status = 'paid') OVER (ORDER BY placed_at) FROM orders
WITH paid AS MATERIALIZED (SELECT * FROM orders WHERE status = 'paid') SELECT count(*) FROM paid
WITH RECURSIVE tree AS (SELECT id, name, ARRAY[id] AS path FROM staff WHERE manager_id IS NULL UNION ALL SELECT s.id, s.name, t.path || s.id FROM staff s JOIN tree t ON s.manager_id = t.id) SELECT array_to_string(path, '/') FROM tree ORDER BY path
WITH RECURSIVE tree(id, manager_id) AS (SELECT id, manager_id FROM staff WHERE id = 1 UNION ALL SELECT s.id, s.manager_id FROM staff s JOIN tree t ON s.manager_id = t.id) SEARCH DEPTH FIRST BY id SET ord SELECT id FROM tree ORDER BY ord
SELECT id FROM orders WHERE (customer_id, status) IN ((1, 'paid'), (2, 'new'))
SELECT id FROM orders WHERE coupon IS DISTINCT FROM 'NEW10'
SELECT (o).id FROM orders o
SELECT (SELECT array_agg(name) FROM products)[1:2] AS two
SELECT daterange('2024-01-01', '2024-02-01') @> placed_at::date AS january FROM orders
SELECT (placed_at, interval '10 days') OVERLAPS (timestamp '2024-02-01', timestamp '2024-02-20') FROM orders
SELECT to_date('2024-02-29', 'YYYY-MM-DD'), to_timestamp(0), make_date(2024, 2, 29), to_number('1,234.5', '9G999D9')
SELECT to_tsvector('english', name) @@ to_tsquery('english', 'table & cloth') AS hit FROM products
SELECT md5(email), encode(sha256(email::bytea), 'hex') FROM customers WHERE email IS NOT NULL
SELECT CASE WHEN total > 100 THEN 'big' END AS size, count(*) FROM orders GROUP BY size
SELECT relname, n_live_tup FROM pg_stat_user_tables ORDER BY 1
SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2
SELECT pg_size_pretty(pg_total_relation_size('orders')) AS size
SELECT current_database(), current_user, version()
EXPLAIN SELECT * FROM orders WHERE total > 10
EXPLAIN (FORMAT JSON) SELECT count(*) FROM orders
SHOW server_version
(SELECT 1 AS a) UNION (SELECT 2 AS a)
