-- With tables orders, customers and v_paid allowed and customers.email denied: what must be refused.
SELECT * FROM customers
SELECT c.* FROM customers c
SELECT email FROM customers
SELECT c.email FROM customers AS c
SELECT "email" FROM customers
SELECT c."email" FROM public.customers c
WITH x AS (SELECT * FROM customers) SELECT email FROM x
WITH customers AS (SELECT * FROM customers) SELECT 1 FROM customers
SELECT name FROM customers ORDER BY email
SELECT 1 FROM customers WHERE email LIKE 'a%'
SELECT customers FROM customers
SELECT c FROM customers c
SELECT row_to_json(c) FROM customers c
SELECT (c).email FROM customers c
SELECT c::text FROM customers c
SELECT x FROM customers AS c(a,b,x)
SELECT * FROM orders o JOIN customers c ON c.id=o.customer_id
SELECT * FROM orders NATURAL JOIN customers
SELECT orders.id FROM orders JOIN customers USING (email)
SELECT id FROM numbers
SELECT id FROM public.numbers
SELECT (SELECT n FROM numbers LIMIT 1)
SELECT * FROM pg_class
SELECT * FROM pg_stats
SELECT * FROM information_schema.tables
SELECT product_label('x')
SELECT order_count(1)
TABLE customers
SELECT id FROM orders UNION SELECT n FROM numbers
SELECT id FROM orders WHERE id IN (SELECT n FROM numbers)
WITH "Numbers" AS (SELECT 1 n) SELECT n FROM numbers
SELECT * FROM (WITH numbers AS (SELECT 1) SELECT 1) q, numbers
SELECT max(email) FROM customers
SELECT count(email) FROM customers
SELECT id FROM orders, LATERAL (SELECT email FROM customers) x
SELECT pg_get_viewdef('v_all'::regclass)
SELECT pg_catalog.pg_get_functiondef('f'::regproc)
SELECT * FROM pg_stat_get_activity(NULL)
SELECT query FROM pg_stat_get_activity(NULL) AS a(datid, pid, usesysid, application_name, state, query)
SELECT pg_sequence_last_value('order_seq'::regclass)
SELECT * FROM pg_lock_status()
SELECT * FROM pg_show_all_settings()
SELECT xmlforest(email) FROM customers
SELECT xmlforest(email AS x) FROM customers
SELECT xmlelement(name a, xmlattributes(email AS "id"), email) FROM customers
SELECT xmlelement(name a, email) FROM customers
SELECT 'a' AT TIME ZONE email FROM customers
SELECT now() AT TIME ZONE email FROM customers
SELECT tags[email] FROM customers
SELECT tags[1:email] FROM customers
SELECT ROW(email) FROM customers
SELECT ARRAY[email] FROM customers
SELECT 1 FROM customers WHERE (email, 1) = ('a', 1)
SELECT EXTRACT(year FROM email) FROM customers
SELECT (email, email) OVERLAPS (email, email) FROM customers
SELECT trim(both email from 'x') FROM customers
SELECT trim('x' from email) FROM customers
SELECT position(email in 'x') FROM customers
SELECT substring('x' from 1 for email) FROM customers
SELECT substring(email from 1) FROM customers
SELECT overlay('a' placing email from 1) FROM customers
SELECT email COLLATE "C" FROM customers
SELECT CAST(email AS text) FROM customers
SELECT email::text FROM customers
SELECT concat(VARIADIC ARRAY[email]) FROM customers
SELECT make_date(year => email) FROM customers
SELECT make_date(year := email) FROM customers
SELECT count(*) FILTER (WHERE email = 'a') FROM customers
SELECT sum(1) OVER (PARTITION BY email) FROM customers
SELECT sum(1) OVER (ORDER BY email) FROM customers
SELECT sum(1) OVER w FROM customers WINDOW w AS (ORDER BY email)
SELECT sum(1) OVER (ORDER BY id ROWS email PRECEDING) FROM customers
SELECT string_agg(name, email) FROM customers
SELECT string_agg(name, ',' ORDER BY email) FROM customers
SELECT mode() WITHIN GROUP (ORDER BY email) FROM customers
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY email) FROM customers
SELECT 1 FROM customers GROUP BY GROUPING SETS ((email), ())
SELECT 1 FROM customers GROUP BY ROLLUP (email)
SELECT 1 FROM customers GROUP BY CUBE (email)
SELECT grouping(email) FROM customers GROUP BY 1
SELECT DISTINCT ON (email) id FROM customers
SELECT id FROM customers ORDER BY email NULLS LAST
SELECT id FROM customers LIMIT (SELECT length(email) FROM customers LIMIT 1)
SELECT id FROM customers HAVING max(email) > 'a'
SELECT prefs -> email FROM customers
SELECT prefs #>> ARRAY[email] FROM customers
SELECT prefs[email] FROM customers
SELECT jsonb_build_object(email, 1) FROM customers
SELECT json_build_object('a', email) FROM customers
SELECT CASE email WHEN 'a' THEN 1 END FROM customers
SELECT CASE WHEN email = 'a' THEN 1 END FROM customers
SELECT CASE WHEN true THEN email END FROM customers
SELECT 1 FROM customers WHERE 'a' LIKE email
SELECT 1 FROM customers WHERE 'a' LIKE 'b' ESCAPE email
SELECT 1 FROM customers WHERE email SIMILAR TO 'a'
SELECT 1 FROM customers WHERE email IS NULL
SELECT 1 FROM customers WHERE email IS DISTINCT FROM 'a'
SELECT 1 FROM customers WHERE email ISNULL
SELECT 1 FROM customers WHERE email BETWEEN 'a' AND 'b'
SELECT 1 FROM customers WHERE 'b' BETWEEN SYMMETRIC email AND 'c'
SELECT 1 FROM customers WHERE email = ANY (ARRAY['a'])
SELECT 1 FROM customers WHERE 'a' = ANY (ARRAY[email])
SELECT 1 FROM customers WHERE email IN ('a')
SELECT 1 FROM customers WHERE email ~ '^a'
SELECT 1 FROM customers WHERE NOT email ~~* 'a'
SELECT 1 FROM customers WHERE email ^@ 'a'
SELECT 1 FROM customers WHERE email OPERATOR(pg_catalog.=) 'a'
SELECT 1 FROM orders o JOIN customers c ON c.id = length(email)
SELECT x FROM customers, LATERAL (SELECT email AS x) q
SELECT x FROM customers, LATERAL unnest(ARRAY[email]) x
SELECT x FROM customers, LATERAL string_to_table(email, ',') x
SELECT x FROM customers CROSS JOIN LATERAL (VALUES (email)) v(x)
SELECT x FROM customers, LATERAL regexp_split_to_table(email, ',') x
SELECT x FROM customers, ROWS FROM (string_to_table(email, ',')) x
SELECT (SELECT email) FROM customers
SELECT EXISTS (SELECT 1 WHERE email = 'a') FROM customers
SELECT ARRAY(SELECT email) FROM customers
SELECT id FROM customers TABLESAMPLE SYSTEM (length(email))
WITH x AS (SELECT email FROM customers) SELECT * FROM x
WITH RECURSIVE r AS (SELECT id FROM customers UNION ALL SELECT length(email) FROM customers) SELECT * FROM r
SELECT id FROM orders UNION SELECT length(email) FROM customers
VALUES ((SELECT email FROM customers LIMIT 1))
SELECT x.a FROM customers, XMLTABLE('/r' PASSING email::xml COLUMNS a text PATH '.') x
SELECT interval '1 day' * length(email) FROM customers
SELECT to_tsvector(email) @@ 'a'::tsquery FROM customers
SELECT coalesce(name, email), nullif(email, ''), greatest(email, 'a') FROM customers
SELECT format('%s', email) FROM customers
SELECT -length(email), ~length(email), @ length(email), |/ length(email) FROM customers
SELECT email(customers) FROM customers
SELECT email(c) FROM customers c
SELECT (customers).email FROM customers
SELECT (customers.*).email FROM customers
SELECT customers::text FROM customers
SELECT row_to_json(customers) FROM customers
SELECT to_jsonb(customers.*) FROM customers
SELECT json_agg(customers) FROM customers
SELECT array_agg(c) FROM customers c
SELECT count(DISTINCT c) FROM customers c
SELECT c = c FROM customers c
SELECT c IS NULL FROM customers c
SELECT hashtext(c::text) FROM customers c
SELECT md5((customers)::text) FROM customers
SELECT ROW(c.*) FROM customers c
SELECT * FROM (SELECT * FROM customers) q
SELECT q FROM (SELECT * FROM customers) q
SELECT * FROM ONLY customers
SELECT * FROM customers *
SELECT customers.* FROM public.customers
SELECT public.customers.* FROM public.customers
SELECT public.customers.email FROM public.customers
SELECT * FROM customers TABLESAMPLE SYSTEM (100)
SELECT * FROM customers AS c (a, b, c)
SELECT c FROM customers AS c (a, b, c)
SELECT c.b3 FROM customers AS c (a, b, b3)
TABLE ONLY customers
(TABLE customers)
SELECT id FROM orders UNION ALL TABLE customers
SELECT * FROM orders o, customers
SELECT * FROM v_all
SELECT pg_get_viewdef('x')
SELECT pg_stat_get_live_tuples(1) FROM numbers
SELECT * FROM information_schema.columns
SELECT * FROM orders JOIN customers USING (id)
SELECT "email" FROM "customers"
SELECT U&"em\0061il" FROM customers
SELECT EMAIL FROM CUSTOMERS
SELECT * FROM other.customers
SELECT * FROM orders2
EXPLAIN SELECT email FROM customers
EXPLAIN ANALYZE SELECT * FROM numbers
SELECT * FROM customers FETCH FIRST ROW ONLY
SELECT id, email FROM customers
SELECT min((id, email)) FROM customers
