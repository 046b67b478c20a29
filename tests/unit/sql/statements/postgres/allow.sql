-- Reads that must pass the guard, one a line.
SELECT ARRAY(SELECT id FROM orders ORDER BY id)
SELECT (o).id FROM orders o
SELECT (o).* FROM orders o
SELECT ROW(1,2) = ROW(1,2)
SELECT 1 IS DISTINCT FROM 2
SELECT 'a' SIMILAR TO '(a|b)%'
SELECT '{"a":1}'::jsonb @? '$.a'
SELECT '{"a":[1]}'::jsonb @@ '$.a[*] > 0'
SELECT to_tsvector('english','fat cats') @@ websearch_to_tsquery('cat')
SELECT int4range(1,5) -|- int4range(5,7)
SELECT 'a' COLLATE "C" < 'b'
SELECT EXTRACT(epoch FROM now())
SELECT make_interval(days => 3)
SELECT format('%s', VARIADIC ARRAY['a'])
SELECT sum(amount) OVER w FROM orders WINDOW w AS (PARTITION BY status ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
SELECT id FROM orders ORDER BY id FETCH FIRST 2 ROWS ONLY
SELECT sum(id) OVER (ORDER BY id GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE TIES) FROM orders
SELECT current_setting('TimeZone'), pg_typeof(1)
WITH a AS MATERIALIZED (SELECT 1 x) SELECT * FROM a
WITH a AS NOT MATERIALIZED (SELECT 1 x) SELECT * FROM a
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM t WHERE n<5) SEARCH DEPTH FIRST BY n SET ordercol SELECT * FROM t ORDER BY ordercol
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM t WHERE n<5) CYCLE n SET is_cycle USING path SELECT * FROM t
SELECT * FROM json_to_recordset('[{"a":1}]') AS x(a int, b text)
SELECT INTERVAL '1' DAY, interval '1 day 2 hours'
SELECT 5 BETWEEN SYMMETRIC 10 AND 1
SELECT 'ab' LIKE ANY (ARRAY['a%','b%'])
SELECT TRIM(BOTH 'x' FROM 'xax'), SUBSTRING('abc' FROM 2 FOR 1), POSITION('b' IN 'abc'), OVERLAY('abc' PLACING 'x' FROM 1)
SELECT 1 OPERATOR(pg_catalog.+) 2
SELECT tags[1], tags[1:2] FROM customers
SELECT count(*) FILTER (WHERE status = 'paid') FROM orders
SELECT status, count(*) FROM orders GROUP BY GROUPING SETS ((status), ())
SELECT status, grouping(status) FROM orders GROUP BY ROLLUP (status)
SELECT status FROM orders GROUP BY CUBE (status, customer_id)
SELECT * FROM orders o, LATERAL (SELECT * FROM customers c WHERE c.id = o.customer_id) x
SELECT * FROM orders o CROSS JOIN LATERAL generate_series(1, o.id) g
SELECT * FROM orders JOIN customers USING (id)
SELECT * FROM orders NATURAL JOIN customers
SELECT now() AT TIME ZONE 'Europe/Rome', timestamp '2024-01-01 00:00' AT LOCAL
SELECT $$;drop table x$$, $a$ it's $a$, E'a\'b', U&'\0041'
SELECT /* outer /* inner */ still */ 1
SELECT 2 ^ 3, 5 # 3, 1 << 4, 'a' || 'b', 7 & 3, 7 | 8, ~7
SELECT date '2024-01-01' + 1, '2024-01-01'::date - interval '1 month'
SELECT customers FROM customers
SELECT c FROM customers c WHERE c.uid IS NOT NULL
SELECT jsonb_path_query(prefs, '$.k') FROM customers
SELECT prefs #>> '{k}', prefs -> 'k', prefs ? 'k', prefs ?| array['a'], prefs - 'k', prefs #- '{k}' FROM customers
SELECT random(), gen_random_uuid(), clock_timestamp()
SELECT pg_size_pretty(pg_total_relation_size('orders')), pg_relation_size('orders')
SELECT has_table_privilege('orders','SELECT'), obj_description('orders'::regclass), pg_get_viewdef('v_paid'::regclass)
SELECT * FROM pg_stat_activity
SELECT * FROM pg_catalog.pg_tables
SELECT string_agg(status, ',' ORDER BY id DESC) FROM orders
SELECT mode() WITHIN GROUP (ORDER BY status) FROM orders
SELECT * FROM orders TABLESAMPLE BERNOULLI (50) REPEATABLE (1)
TABLE orders
TABLE orders ORDER BY id LIMIT 2
VALUES (1,'a'),(2,'b') ORDER BY 1
(SELECT 1) UNION (SELECT 2) EXCEPT (SELECT 3)
SELECT 1 UNION ALL SELECT 2 INTERSECT SELECT 2
EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT * FROM orders
EXPLAIN ANALYZE VERBOSE SELECT 1
EXPLAIN (COSTS OFF) (SELECT 1)
SHOW ALL
SHOW TIME ZONE
SHOW transaction_isolation
SELECT CASE WHEN 1=1 THEN 'update' ELSE 'delete' END AS "insert"
SELECT name AS set, id AS lock FROM customers
SELECT "select", "group" FROM "order"
SELECT * FROM ONLY orders
SELECT * FROM public.orders
SELECT orders.* FROM orders
SELECT lower(name COLLATE "C") FROM customers
SELECT regexp_replace('a','b','c'), regexp_matches('abc','b')
SELECT * FROM unnest(ARRAY[1,2]) WITH ORDINALITY AS t(a,n)
SELECT * FROM ROWS FROM (generate_series(1,2), generate_series(1,3)) AS t(a,b)
SELECT x FROM XMLTABLE('/r/i' PASSING '<r/>' COLUMNS x int PATH '.' DEFAULT 1)
SELECT xmlelement(name foo, 'x')
SELECT json_build_object('a', 1), json_agg(id) FROM orders
SELECT touched FROM (SELECT 1 AS touched) t
SELECT ts_rank(to_tsvector('a'), 'a'::tsquery), ts_headline('a','a'::tsquery)
SELECT nullif(1,2), greatest(1,2), coalesce(null,1)
SELECT '1'::numeric(10,2), CAST('1' AS integer), integer '5', int '5'
SELECT (SELECT 1), EXISTS (SELECT 1), 1 IN (SELECT 1), 1 = ANY (SELECT 1), 1 > ALL (VALUES (0))
SELECT id FROM orders WHERE (id, status) IN ((1,'paid'))
SELECT date_trunc('month', placed_at), to_char(now(), 'YYYY'), age(now(), born) FROM orders, customers
SELECT * FROM orders WHERE note ILIKE '%x%' ESCAPE '\'
SELECT - 5, + 5, -(-5)
SELECT 1.5e3, .5, 1_000
SELECT point(1,2) <-> point(3,4), box '((0,0),(1,1))' @> point '(0.5,0.5)'
SELECT inet '10.0.0.1' << inet '10.0.0.0/8', '192.168.1.1'::inet + 1
SELECT CURRENT_DATE, CURRENT_TIMESTAMP, CURRENT_USER, SESSION_USER, CURRENT_CATALOG, LOCALTIME
SELECT * FROM (VALUES (1,'a')) AS t(x,y)
SELECT 1 WHERE NOT EXISTS (SELECT FROM orders)
SELECT all_visible FROM (SELECT 1 AS all_visible) q
SELECT DISTINCT status FROM orders ORDER BY status NULLS LAST
SELECT count(DISTINCT (status, note)) FROM orders
SELECT bool_and(active), every(active), bit_and(id) FROM customers
SELECT lag(id, 1, 0) OVER (ORDER BY id), ntile(2) OVER (ORDER BY id), first_value(id) OVER () FROM orders
SELECT '{1,2}'::int[] || 3, array_length(ARRAY[1],1), cardinality(ARRAY[1]), ARRAY[[1,2],[3,4]]
SELECT |/ 25.0, ||/ 27.0, @ -5
