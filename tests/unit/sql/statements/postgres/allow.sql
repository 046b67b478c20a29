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
SELECT id, amount, sum(amount) OVER (PARTITION BY customer_id ORDER BY id ROWS UNBOUNDED PRECEDING) AS run FROM orders
SELECT id, avg(amount) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING) FROM orders
SELECT id, sum(amount) OVER (ORDER BY placed_at RANGE BETWEEN INTERVAL '7 days' PRECEDING AND CURRENT ROW) FROM orders
SELECT id, count(*) OVER (ORDER BY id RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW) FROM orders
SELECT id, count(*) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE GROUP) FROM orders
SELECT id, count(*) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING EXCLUDE NO OTHERS) FROM orders
SELECT id, count(*) OVER (ORDER BY id GROUPS CURRENT ROW) FROM orders
SELECT id, rank() OVER w, dense_rank() OVER w, percent_rank() OVER w, cume_dist() OVER w FROM orders WINDOW w AS (ORDER BY status)
SELECT id, sum(amount) OVER (w ORDER BY id) FROM orders WINDOW w AS (PARTITION BY status)
SELECT id, sum(amount) OVER (w2 ROWS 1 PRECEDING) FROM orders WINDOW w AS (PARTITION BY status), w2 AS (w ORDER BY id)
SELECT id, nth_value(amount, 2) OVER (ORDER BY id), lead(amount, 2, 0.0) OVER (ORDER BY id DESC) FROM orders
SELECT id, last_value(amount) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM orders
SELECT status, sum(count(*)) OVER (ORDER BY status) FROM orders GROUP BY status
SELECT id, count(*) FILTER (WHERE status = 'paid') OVER (ORDER BY id) FROM orders
SELECT status, customer_id, sum(amount) FROM orders GROUP BY GROUPING SETS ((status, customer_id), (status), ())
SELECT status, customer_id, sum(amount), grouping(status, customer_id) FROM orders GROUP BY ROLLUP (status, customer_id) ORDER BY 1 NULLS FIRST, 2 NULLS FIRST
SELECT status, customer_id, sum(amount) FROM orders GROUP BY CUBE (status, customer_id)
SELECT status, customer_id, sum(amount) FROM orders GROUP BY status, ROLLUP (customer_id), CUBE (note)
SELECT status, count(*) FROM orders GROUP BY DISTINCT ROLLUP (status), ROLLUP (status)
SELECT status, count(*) FROM orders GROUP BY ALL status
SELECT status FROM orders GROUP BY GROUPING SETS (ROLLUP (status, customer_id), CUBE (status))
SELECT status FROM orders GROUP BY ROLLUP ((status, customer_id), note)
SELECT percentile_disc(0.9) WITHIN GROUP (ORDER BY amount DESC) FROM orders
SELECT percentile_cont(ARRAY[0.25,0.5,0.75]) WITHIN GROUP (ORDER BY amount) FROM orders
SELECT rank(5) WITHIN GROUP (ORDER BY id), dense_rank(5) WITHIN GROUP (ORDER BY id), percent_rank(5) WITHIN GROUP (ORDER BY id), cume_dist(5) WITHIN GROUP (ORDER BY id) FROM orders
SELECT mode() WITHIN GROUP (ORDER BY status) FILTER (WHERE id > 1) FROM orders
SELECT DISTINCT ON (customer_id, status) customer_id, status, amount FROM orders ORDER BY customer_id, status, amount DESC NULLS LAST
SELECT DISTINCT ON (date_trunc('month', placed_at)) * FROM orders ORDER BY date_trunc('month', placed_at), id DESC
SELECT c.name, t.* FROM customers c LEFT JOIN LATERAL (SELECT o.id, o.amount FROM orders o WHERE o.customer_id = c.id ORDER BY o.amount DESC LIMIT 1) t ON true
SELECT c.id, s.* FROM customers c CROSS JOIN LATERAL (VALUES (c.id, 'a'), (c.id * 2, 'b')) AS s(v, label)
SELECT c.id, t.tag, t.ord FROM customers c CROSS JOIN LATERAL unnest(c.tags) WITH ORDINALITY AS t(tag, ord)
SELECT c.id, tag FROM customers c, unnest(tags) AS tag
SELECT a, b FROM unnest(ARRAY[1,2,3], ARRAY['x','y']) AS u(a, b)
SELECT * FROM ROWS FROM (unnest(ARRAY[1,2]), generate_series(1,3)) WITH ORDINALITY AS t(a, b, n)
SELECT * FROM ROWS FROM (json_to_recordset('[{"a":1,"b":"x"}]') AS (a int, b text), generate_series(1,2)) AS z
SELECT k, v FROM customers, jsonb_each_text(prefs) AS e(k, v) WHERE jsonb_typeof(prefs) = 'object'
SELECT id, jsonb_array_elements_text(prefs) FROM customers WHERE jsonb_typeof(prefs) = 'array'
SELECT prefs -> 'k' AS a, prefs ->> 'k' AS b, prefs #> '{k}' AS c, prefs #>> ARRAY['k'] AS d FROM customers WHERE id = 1
SELECT prefs @> '{"k":1}', prefs <@ '{"k":1,"z":2}', prefs ? 'k', prefs ?& ARRAY['k','delete'], prefs || '{"z":1}'::jsonb FROM customers WHERE id = 1
SELECT prefs['k'], (prefs['k'])::int + 1 FROM customers WHERE id = 1
SELECT jsonb_set(prefs, '{k}', '2'::jsonb, true), jsonb_insert('{"a":[0]}', '{a,0}', '1'), jsonb_strip_nulls('{"a":null}'), jsonb_pretty('{"a":1}') FROM customers WHERE id = 1
SELECT jsonb_path_query_array('{"a":[1,2,3]}', '$.a[*] ? (@ > $min)', '{"min":1}'), jsonb_path_exists('{"a":1}', '$.a'), jsonb_path_query_first('[1,2]', '$[last]')
SELECT jsonb_path_match('{"a":1}', '$.a == 1'), jsonb_path_query_tz('["2024-01-01"]', '$[*].datetime()')
SELECT '{"a":{"b":[1,2]}}'::json #>> '{a,b,1}', json_typeof('{}'), json_array_length('[1,2]'), json_object_keys('{"a":1,"b":2}')
SELECT json_object('{a,1,b,2}'), json_object(ARRAY['a','b'], ARRAY['1','2']), jsonb_object_agg(id, status) FROM orders
SELECT json_agg(json_build_object('id', o.id, 'total', o.amount) ORDER BY o.id) FILTER (WHERE o.amount > 1) FROM orders o
SELECT row_to_json(o), to_jsonb(o) - 'note', json_agg(o) OVER () FROM orders o LIMIT 1
SELECT * FROM jsonb_to_recordset('[{"id":1,"x":{"y":2}}]') AS t(id int, x jsonb)
SELECT * FROM jsonb_to_record('{"a":1,"b":[1,2]}') AS t(a int, b int[])
SELECT (jsonb_populate_record(NULL::orders, '{"id": 5, "status": "new"}')).id
SELECT * FROM jsonb_populate_recordset(NULL::orders, '[{"id": 1}]')
SELECT int4range(1,10) @> 5, int4range(1,5) && int4range(4,8), int4range(1,5) * int4range(3,9), lower(numrange(1.1,2.2)), upper_inf(daterange('2024-01-01', NULL))
SELECT '[2024-01-01,2024-02-01)'::daterange, tsrange('2024-01-01', '2024-01-02', '[]'), isempty('empty'::int4range), range_merge('[1,2)'::int4range, '[5,6)'::int4range)
SELECT '{[1,3),[5,7)}'::int4multirange, range_agg(int4range(id, id+1)) FROM orders
SELECT int4range(1,3) << int4range(5,7), int4range(5,7) >> int4range(1,3), int4range(1,3) &< int4range(2,7), int4range(1,3) + int4range(3,5), int4range(1,5) - int4range(3,9)
SELECT placed_at + interval '1 day 2 hours', placed_at - INTERVAL '1' MONTH, now() - placed_at > interval '1 year', interval '1 day' * 2.5, interval '1 hour' / 2 FROM orders LIMIT 1
SELECT INTERVAL '1-2' YEAR TO MONTH, INTERVAL '1 12:00:00' DAY TO SECOND, INTERVAL '90' MINUTE, INTERVAL(3) '1.23456 second'
SELECT justify_interval(interval '35 days'), make_interval(years => 1, days => 2), extract(day FROM interval '40 days'), date_part('hour', interval '5 hours')
SELECT placed_at AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Rome', timezone('UTC', placed_at), created_at AT TIME ZONE INTERVAL '-08:00' FROM orders, customers LIMIT 1
SELECT date_trunc('week', placed_at)::date, date_trunc('day', now(), 'Europe/Rome'), extract(isodow FROM placed_at), extract(quarter from placed_at), extract(epoch from placed_at)::bigint FROM orders
SELECT to_char(placed_at, 'YYYY-MM-DD"T"HH24:MI:SS.US TZ'), to_char(amount, 'FM999G999D00'), to_date('01 Jan 2024', 'DD Mon YYYY'), to_timestamp(1700000000), to_number('1,234.5', '9G999D9') FROM orders LIMIT 1
SELECT age(timestamp '2024-03-01', timestamp '2023-01-15'), age(born), date '2024-01-31' + interval '1 month', date '2024-03-01' - date '2024-02-01', isfinite(now()) FROM customers LIMIT 1
SELECT date_bin('15 minutes', placed_at, timestamp '2001-01-01'), make_date(2024,1,2), make_timestamp(2024,1,2,3,4,5.5), make_time(1,2,3) FROM orders
SELECT generate_series(date '2024-01-01', date '2024-01-10', interval '1 day')::date AS d
SELECT d::date, count(o.id) FROM generate_series('2024-01-01'::timestamp, '2024-01-05', '1 day') AS d LEFT JOIN orders o ON o.placed_at::date = d::date GROUP BY 1 ORDER BY 1
SELECT current_date, current_time, current_timestamp(3), localtime, localtimestamp(0), transaction_timestamp(), statement_timestamp(), timeofday()
SELECT (date '2024-01-01', interval '10 days') OVERLAPS (date '2024-01-05', date '2024-01-20')
SELECT note ~ '^f', note ~* 'FIRST', note !~ 'x', note !~* 'X' FROM orders
SELECT regexp_match('foobarbequebaz', '(bar)(beque)'), regexp_split_to_array('a b  c', '\s+'), regexp_replace('foobar', 'o(.)', 'X\1', 'g')
SELECT * FROM regexp_split_to_table('a,b,c', ',') AS t
SELECT regexp_count('abcabc', 'b'), regexp_instr('abc', 'c'), regexp_like('abc', 'B', 'i'), regexp_substr('abc', 'b.')
SELECT (regexp_matches('foo=1;bar=2', '(\w+)=(\d+)', 'g'))[1]
SELECT 'abc' SIMILAR TO '%(b|d)%', 'a_c' LIKE 'a\_c', 'abc' NOT ILIKE 'X%', 'abc' ~~ 'a%', 'abc' !~~* 'A%'
SELECT 'abc' LIKE ALL (ARRAY['a%','%c']), 'abc' NOT LIKE ALL (ARRAY['x%']), 5 <> ALL (ARRAY[1,2]), 5 = ANY ('{1,5}'::int[])
SELECT to_tsvector('english', notes) @@ to_tsquery('english', 'line & two'), ts_rank_cd(to_tsvector(notes), plainto_tsquery('line')), ts_headline('english', notes, phraseto_tsquery('line one'), 'MaxWords=5, MinWords=1') FROM customers
SELECT setweight(to_tsvector('a b'), 'A') || to_tsvector('c'), numnode('a & b'::tsquery), querytree('a & b'::tsquery), 'a'::tsquery && 'b'::tsquery, !! 'a'::tsquery, 'a' <-> 'b'::tsquery
SELECT strip('a:1'::tsvector), ts_delete('a b'::tsvector, 'a'), tsvector_to_array('a b'::tsvector), * FROM unnest('a:1 b:2'::tsvector)
SELECT alias, token FROM ts_debug('english', 'a fat cat')
SELECT ts_lexize('english_stem', 'stars'), get_current_ts_config()
SELECT generate_series(1, 5) AS a, generate_series(1, 3) AS b
SELECT * FROM generate_series(10, 1, -3) WITH ORDINALITY
SELECT n, n % 2 = 0 AS even FROM generate_series(1.0, 2.0, 0.5) AS g(n)
SELECT generate_subscripts(ARRAY['a','b'], 1)
WITH RECURSIVE t(id, path, cycle) AS (SELECT 1, ARRAY[1], false UNION ALL SELECT t.id + 1, path || (t.id + 1), (t.id + 1) = ANY(path) FROM t WHERE NOT cycle AND t.id < 5) SELECT * FROM t
WITH RECURSIVE t(n) AS (VALUES (1) UNION SELECT n + 1 FROM t WHERE n < 5) SELECT * FROM t
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM t WHERE n<5) SEARCH BREADTH FIRST BY n SET o SELECT * FROM t ORDER BY o
WITH RECURSIVE t(n, m) AS (SELECT 1, 2 UNION ALL SELECT n+1, m FROM t WHERE n<5) CYCLE n, m SET is_cycle TO true DEFAULT false USING path SELECT * FROM t
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM t WHERE n<5) SEARCH DEPTH FIRST BY n SET o CYCLE n SET c USING p SELECT n, o, c FROM t
WITH RECURSIVE fib(a, b) AS (SELECT 0::numeric, 1::numeric UNION ALL SELECT b, a + b FROM fib WHERE b < 1000) SELECT a FROM fib
WITH t AS MATERIALIZED (SELECT * FROM orders), u AS NOT MATERIALIZED (SELECT * FROM customers) SELECT count(*) FROM t JOIN u ON u.id = t.customer_id
WITH a(x, y) AS (SELECT 1, 2), b AS (SELECT x FROM a) TABLE b
WITH a AS (SELECT 1 AS x) (SELECT * FROM a UNION ALL SELECT 2) ORDER BY x LIMIT 1
SELECT * FROM (WITH q AS (SELECT 1 AS z) SELECT * FROM q) s
VALUES (1, 'one'), (2, NULL), (3, upper('three')) ORDER BY 1 DESC LIMIT 2 OFFSET 1
VALUES (1), (2) UNION ALL SELECT 3
SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS t (n, l) JOIN orders o ON o.id = t.n
TABLE orders LIMIT 3 OFFSET 1
TABLE public.orders
TABLE ONLY orders
(TABLE empty_table) UNION ALL (SELECT 1, 'x')
((SELECT 1 AS a UNION SELECT 2) INTERSECT SELECT 2) UNION ALL (SELECT 3 ORDER BY 1 LIMIT 1)
(SELECT id FROM orders ORDER BY id DESC LIMIT 1) UNION ALL (SELECT id FROM orders ORDER BY id LIMIT 1)
SELECT id FROM customers EXCEPT ALL SELECT customer_id FROM orders INTERSECT ALL SELECT 1
((((SELECT 1))))
SELECT name FROM customers ORDER BY name COLLATE "C" DESC, id USING <
SELECT name FROM customers ORDER BY name COLLATE pg_catalog."default"
SELECT 'x'::text COLLATE "ucs_basic"
SELECT CAST(amount AS double precision), amount::float8::text, CAST('{1,2}' AS int[]), '1'::"char", 'a'::character varying(5), 'x'::bpchar, 5::bit(8), B'101'::int FROM orders LIMIT 1
SELECT '12:00'::time with time zone, '2024-01-01'::timestamp(0) without time zone, timestamptz '2024-01-01 00:00+02', time '10:00' + date '2024-01-01'
SELECT 'orders'::regclass, 'orders'::regclass::oid, 'integer'::regtype, '+(integer,integer)'::regoperator, 'now'::regproc, 'lower(text)'::regprocedure, 'english'::regconfig, 'public'::regnamespace, 'postgres'::regrole, '"C"'::regcollation
SELECT to_regclass('orders'), to_regtype('int4'), to_regproc('now'), to_regnamespace('public')
SELECT '10.1.2.3'::inet, '10.0.0.0/8'::cidr >>= '10.1.0.0/16', host('10.1.2.3/8'::inet), masklen('10.0.0.0/8'), network('10.1.2.3/8'), broadcast('10.1.2.3/8'), '08:00:2b:01:02:03'::macaddr
SELECT '(1,2)'::point, circle '((0,0),5)' @> point '(1,1)', area(box '((0,0),(2,2))'), '[(0,0),(1,1)]'::lseg, path '((0,0),(1,1))', polygon '((0,0),(1,1),(1,0))', line '{1,2,3}'
SELECT point '(0,0)' <-> point '(3,4)', lseg '((0,0),(2,2))' ?# lseg '((0,2),(2,0))', lseg '((0,0),(2,2))' ?|| lseg '((0,1),(2,3))', center(circle '((1,2),3)'), box '((0,0),(1,1))' ?# box '((0,0),(2,2))', @@ circle '((1,2),3)', # path '((0,0),(1,1))', point '(0,0)' ~= point '(0,0)', point '(1,1)' <^ point '(1,2)', ?- lseg '((0,0),(1,0))'
SELECT 12.34::money, '1'::xid, '(0,1)'::tid, '16/B374D848'::pg_lsn, 'a b'::tsvector, '$.a'::jsonpath, 'f47ac10b-58cc-4372-a567-0e02b2c3d479'::uuid
SELECT ctid, xmin, xmax, cmin, tableoid::regclass, * FROM orders WHERE ctid = '(0,1)'
SELECT tags[1], tags[2:3], tags[:1], tags[array_upper(tags,1)], array_length(tags,1), array_position(tags,'a'), array_to_string(tags, ',', '*'), 'a' = ANY(tags) FROM customers
SELECT ARRAY(SELECT id FROM orders WHERE status = 'paid' ORDER BY id), array_agg(DISTINCT status ORDER BY status), array_agg(id ORDER BY id DESC) FILTER (WHERE id > 2) FROM orders
SELECT ARRAY[]::text[], '{}'::int[], ARRAY[NULL, 1], array_agg(ARRAY[id, customer_id]) FROM orders
SELECT (ARRAY(SELECT id FROM orders))[1:2], (string_to_array('a,b', ','))[1], (SELECT array_agg(x) FROM generate_series(1,3) x)[2]
SELECT format('%s %I %L %%', 'a', 'b c', 'd'), format('%2$s %1$s', 'a', 'b'), concat_ws(',', 'a', NULL, 'b'), quote_ident('a b'), quote_literal('x'), quote_nullable(NULL)
SELECT string_agg(DISTINCT status, ', ' ORDER BY status), string_agg(id::text, '' ORDER BY id DESC) FROM orders
SELECT left('abc', 2), right('abc', 2), lpad('a', 3, 'x'), rpad('a', 3), initcap('ab cd'), repeat('ab', 2), reverse('abc'), split_part('a.b.c', '.', -1), strpos('abc','b'), translate('abc','ab','xy'), starts_with('abc','a'), chr(65), ascii('A'), to_hex(255), btrim('xax','x'), md5('a'), sha256('a'), encode('a'::bytea,'base64'), decode('YQ==','base64'), octet_length('é'), bit_length('a'), char_length('é'), overlay('abcd' placing 'X' from 2 for 1), unistr('\0041'), normalize('é', NFC), 'a' IS NORMALIZED
SELECT substring('abc' FROM 2), substring('abc' FROM 'b.'), substring('abc' SIMILAR 'a#"b#"c' ESCAPE '#'), trim(leading from ' a'), trim('x' from 'xax'), trim(both 'x' from 'xax'), position('b' in 'abc'), substr('abc', 2, 1)
SELECT round(2.567, 2), trunc(2.567, 1), ceil(1.2), floor(-1.2), mod(7,3), div(7,3), power(2,3), sqrt(2), cbrt(27), exp(1), ln(2), log(100), log(2, 8), sign(-1), abs(-1), gcd(12,8), lcm(4,6), factorial(5), width_bucket(5, 0, 10, 5), degrees(1), radians(1), pi(), sin(1), atan2(1,2), scale(1.20), min_scale(1.20), trim_scale(1.20), random() < 2
SELECT stddev(amount), variance(amount), stddev_pop(amount), var_samp(amount), corr(id, amount), covar_pop(id, amount), regr_slope(amount, id), regr_r2(amount, id), bool_or(id > 1), bit_or(id), every(id > 0) FROM orders
SELECT xmlconcat('<a/>', '<b/>'), xmlcomment('x'), xmlparse(DOCUMENT '<a/>'), xmlparse(CONTENT 'a<b/>'), xmlserialize(CONTENT '<a/>'::xml AS text), xmlpi(name php, 'x'), xmlroot('<a/>'::xml, version '1.0')
SELECT x.* FROM XMLTABLE('/r/i' PASSING '<r><i n="1">a</i><i n="2">b</i></r>' COLUMNS ord FOR ORDINALITY, n int PATH '@n', v text PATH '.' DEFAULT 'z') AS x
SELECT x.* FROM XMLTABLE(XMLNAMESPACES('http://x' AS n), '/n:r/n:i' PASSING '<r xmlns="http://x"><i>1</i></r>' COLUMNS a int PATH '.') x
SELECT c.id, x.a FROM customers c, LATERAL XMLTABLE('/r/i' PASSING xmlparse(document '<r><i>1</i></r>') COLUMNS a int PATH '.') x LIMIT 1
SELECT (o).id, (o).amount FROM (SELECT o FROM orders o) s
SELECT ROW(1, 'a', NULL), (1, 2) < (1, 3), ROW(1,2) IN ((1,2),(3,4)), (id, status) = (1, 'paid') FROM orders
SELECT * FROM orders WHERE (customer_id, amount) IN (SELECT customer_id, max(amount) FROM orders GROUP BY 1)
SELECT o.*, o AS whole, o IS NULL, count(o) OVER () FROM orders o
SELECT orders.*::text FROM orders
SELECT id FROM orders TABLESAMPLE BERNOULLI (100) REPEATABLE (42) WHERE id > 1
SELECT count(*) FROM orders AS o TABLESAMPLE SYSTEM (50.0)
EXPLAIN (ANALYZE, COSTS false, TIMING off, SUMMARY off) SELECT * FROM orders
EXPLAIN (FORMAT YAML) SELECT 1
EXPLAIN (FORMAT 'json') SELECT 1
EXPLAIN (VERBOSE true, SETTINGS, WAL, ANALYZE, BUFFERS 1) SELECT * FROM orders
EXPLAIN VERBOSE WITH a AS (SELECT 1) SELECT * FROM a
EXPLAIN ANALYZE WITH a AS (SELECT 1) SELECT * FROM a
EXPLAIN (ANALYZE off) TABLE orders
EXPLAIN (ANALYZE) VALUES (1)
EXPLAIN ANALYSE SELECT 1
EXPLAIN ANALYZE (SELECT 1) UNION ALL (SELECT 2)
EXPLAIN (SELECT 1) UNION (SELECT 2)
explain (costs off, analyze) select 1
EXPLAIN ((SELECT 1))
SHOW search_path
SHOW "TimeZone"
SHOW SESSION AUTHORIZATION
SHOW transaction_read_only
SHOW is_superuser
show all
SHOW TRANSACTION ISOLATION LEVEL
SELECT n.nspname, c.relname, CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' END, pg_catalog.pg_get_userbyid(c.relowner) FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r','p','v','m','S','f','') AND n.nspname !~ '^pg_toast' AND pg_catalog.pg_table_is_visible(c.oid) ORDER BY 1,2
SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), (SELECT substring(pg_catalog.pg_get_expr(d.adbin, d.adrelid, true) for 128) FROM pg_catalog.pg_attrdef d WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.atthasdef), a.attnotnull, a.attidentity FROM pg_catalog.pg_attribute a WHERE a.attrelid = 'orders'::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
SELECT conname, pg_get_constraintdef(oid, true) FROM pg_constraint WHERE conrelid = 'orders'::regclass
SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'orders'
SELECT pg_get_indexdef(indexrelid), indisunique FROM pg_index WHERE indrelid = 'public.orders'::regclass
SELECT pg_get_functiondef('order_count'::regproc), pg_get_function_arguments('order_count'::regproc), pg_get_function_result('order_count'::regproc)
SELECT pg_get_viewdef('v_paid', true), pg_get_ruledef(oid), pg_get_serial_sequence('audit_log', 'id') FROM pg_rewrite LIMIT 1
SELECT table_schema, table_name, column_name, data_type FROM information_schema.columns WHERE table_schema NOT IN ('pg_catalog','information_schema') ORDER BY 1,2,ordinal_position
SELECT tc.constraint_name, kcu.column_name, ccu.table_name FROM information_schema.table_constraints tc JOIN information_schema.key_column_usage kcu USING (constraint_schema, constraint_name) JOIN information_schema.constraint_column_usage ccu USING (constraint_schema, constraint_name) WHERE constraint_type = 'FOREIGN KEY'
SELECT relname, n_live_tup, seq_scan FROM pg_stat_user_tables
SELECT relname, reltuples::bigint, pg_size_pretty(pg_total_relation_size(oid)), pg_table_size(oid), pg_indexes_size(oid) FROM pg_class WHERE relkind = 'r' LIMIT 5
SELECT * FROM pg_stats WHERE tablename = 'orders'
SELECT pg_database_size(current_database()), pg_size_bytes('1 MB'), current_database(), current_schema(), current_schemas(true), version(), inet_server_port() > 0, pg_backend_pid() > 0, pg_postmaster_start_time() < now()
SELECT name, setting, unit FROM pg_settings WHERE name IN ('work_mem', 'server_version')
SELECT * FROM pg_available_extensions LIMIT 1
SELECT extname, extversion FROM pg_extension
SELECT rolname, rolsuper FROM pg_roles
SELECT usename FROM pg_user LIMIT 1
SELECT pid, state, query FROM pg_stat_activity WHERE state = 'active'
SELECT locktype, mode, granted FROM pg_locks LIMIT 5
SELECT enumlabel FROM pg_enum JOIN pg_type t ON t.oid = enumtypid
SELECT datname, pg_encoding_to_char(encoding), datcollate FROM pg_database
SELECT obj_description(c.oid, 'pg_class'), col_description(c.oid, 1), shobj_description(1, 'pg_database') FROM pg_class c LIMIT 1
SELECT has_table_privilege('orders', 'SELECT'), has_schema_privilege('public', 'USAGE'), has_column_privilege('orders', 'id', 'SELECT'), pg_has_role('postgres', 'MEMBER')
SELECT * FROM pg_timezone_names LIMIT 1
SELECT last_value, is_called FROM order_seq
SELECT * FROM pg_sequences
SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = 'public'
SELECT pg_sequence_last_value('order_seq'::regclass) IS NULL
SELECT * FROM pg_sequence
SELECT pg_column_size(o.*), pg_column_size(note), pg_typeof(amount), num_nulls(note, status), num_nonnulls(1, NULL) FROM orders o LIMIT 1
SELECT pg_relation_filenode('orders') IS NOT NULL, pg_is_in_recovery(), pg_current_snapshot() IS NOT NULL
SELECT pg_stat_get_live_tuples('orders'::regclass), pg_stat_get_numscans('orders'::regclass)
SELECT current_setting('work_mem'), current_setting('my.nothing', true)
SELECT current_user, session_user, user, current_role, current_catalog
SELECT txid_current_if_assigned() IS NULL, pg_current_xact_id_if_assigned() IS NULL, pg_snapshot_xmin(pg_current_snapshot()) IS NOT NULL
SELECT id, order_count(id), fmt_money(balance) FROM customers WHERE id = 2
SELECT public.fmt_money(12.5), "public"."order_count"(1), fmt_money(amount) FROM orders ORDER BY order_count(customer_id) LIMIT 1
SELECT * FROM order_count(1)
SELECT o.id FROM orders o WHERE order_count(o.customer_id) > 1
SELECT * FROM mv_totals
SELECT m.total FROM public.mv_totals AS m ORDER BY 1
SELECT * FROM v_paid v WHERE v.amount > 5
SELECT "select", "group", "a""b", "col,umn", "sp ace", "Größe", "union;drop" FROM "order"
SELECT U&"\0073elect" FROM U&"ord\0065r"
SELECT U&"!0073elect" UESCAPE '!' FROM "order"
SELECT U&'caf\00E9', U&'x!0041' UESCAPE '!'
SELECT U&'caf\00E9' AS a FROM orders WHERE status = U&'p\0061id' LIMIT 1
SELECT 'a'
SELECT $$it's$$, $q$a $$ b$q$, $x$;$x$, $_a1$--$_a1$
SELECT $é$x$é$
SELECT 1 /* a /* nested */ ; DELETE */ AS a -- ; DROP
SELECT 1 AS "a;b", ';' AS "--"
SELECT '/*' AS a, '*/' AS b, '--' AS c
SELECT 1 --
SELECT B'1010', X'1F', N'abc', b'1' || B'0'
SELECT 1 AS select_, 2 AS "from", id AS value, status AS type, note AS comment, amount AS name FROM orders
SELECT id AS key, id AS level, id AS role, id AS "user", id AS password, id AS share, id AS nowait, id AS skip, id AS cascade, id AS temp FROM orders
SELECT count(*) AS rows, sum(amount) AS total, max(placed_at) AS at, min(id) AS first FROM orders
SELECT o.id AS "order id", o.status "Status" FROM orders AS o
SELECT o.* FROM orders AS o (a, b, c)
SELECT t.a FROM orders t(a, b)
SELECT * FROM orders o (i, ci) WHERE o.i = 1
SELECT * FROM orders FULL OUTER JOIN customers ON orders.customer_id = customers.id
SELECT * FROM orders o JOIN customers c USING (id) AS j WHERE j.id = 1
SELECT * FROM (orders o JOIN customers c ON c.id = o.customer_id) LEFT JOIN numbers n ON n.n = o.id
SELECT * FROM (orders CROSS JOIN numbers) AS z(id) LIMIT 1
SELECT 1 FROM orders a, ONLY (customers) b LIMIT 1
SELECT * FROM orders * LIMIT 1
SELECT id FROM orders LIMIT ALL OFFSET 2
SELECT id FROM orders OFFSET 2 ROWS FETCH NEXT 3 ROWS ONLY
SELECT id FROM orders ORDER BY id FETCH FIRST ROW ONLY
SELECT id FROM orders LIMIT (SELECT 2) OFFSET 1 + 1
SELECT id FROM orders LIMIT NULL
SELECT CASE WHEN amount > 100 THEN 'big' WHEN amount > 10 THEN 'mid' ELSE 'small' END AS bucket, count(*) FROM orders GROUP BY 1 HAVING count(*) > 0 ORDER BY count(*) DESC, 1
SELECT CASE status WHEN 'paid' THEN 1 END FROM orders
SELECT coalesce(note, '-'), nullif(status, 'new'), greatest(1, 2, NULL), least(1, 2) FROM orders
SELECT 1 IS NULL, NULL ISNULL, 1 NOTNULL, true IS NOT TRUE, NULL IS UNKNOWN, 1 IS NOT DISTINCT FROM 1
SELECT 1 BETWEEN 0 AND 2, 1 NOT BETWEEN SYMMETRIC 3 AND 2, 1 IN (1, 2), 1 NOT IN (3)
SELECT EXISTS (SELECT 1 FROM orders), NOT EXISTS (TABLE empty_table), (SELECT count(*) FROM orders), 1 = SOME (SELECT 1)
SELECT id FROM orders WHERE status = 'paid' AND NOT (amount < 5 OR note IS NULL)
SELECT TRUE AND FALSE OR NOT NULL
SELECT make_date(year => 2024, month => 1, day => 2), make_interval(days := 3)
SELECT concat(VARIADIC ARRAY['a','b']), num_nulls(VARIADIC ARRAY[1,NULL])
SELECT 1 OPERATOR(pg_catalog.+) 2, 'a' OPERATOR(pg_catalog.||) 'b', 3 OPERATOR(+) 4
SELECT gen_random_uuid() IS NOT NULL, random() BETWEEN 0 AND 1
SELECT count(*), count(DISTINCT customer_id), count(DISTINCT (customer_id, status)), count(ALL id) FROM orders
SELECT sum(DISTINCT amount), avg(ALL amount) FROM orders
SELECT (SELECT max(id) FROM orders) AS m, (SELECT count(*) FROM customers) AS c
SELECT encode(avatar, 'hex'), length(avatar), get_byte(avatar, 0), avatar || '\x01'::bytea, substring(avatar from 1 for 2) FROM customers WHERE id = 1
SELECT set_bit('\x00'::bytea, 0, 1), set_byte('\x00'::bytea, 0, 65), get_bit(B'101', 0), bit_count(B'101'), convert_from('\x41', 'UTF8'), convert_to('A', 'LATIN1')
SELECT hashtext('a'), md5(o::text) FROM orders o LIMIT 1
SELECT min(n), max(n) FROM numbers WHERE n BETWEEN 10 AND 20
SELECT date_trunc('month', o.placed_at) AS month, c.name, sum(o.amount) AS total, round(100.0 * sum(o.amount) / sum(sum(o.amount)) OVER (PARTITION BY date_trunc('month', o.placed_at)), 2) AS pct FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY 1, 2 ORDER BY 1, 3 DESC
WITH m AS (SELECT date_trunc('month', placed_at) AS m, sum(amount) AS s FROM orders GROUP BY 1) SELECT m, s, s - lag(s) OVER (ORDER BY m) AS diff, (s / nullif(lag(s) OVER (ORDER BY m), 0) - 1) * 100 AS pct FROM m
SELECT status, count(*) FILTER (WHERE amount > 10) AS big, sum(CASE WHEN note IS NULL THEN 1 ELSE 0 END) AS empty FROM orders GROUP BY status
SELECT width_bucket(amount, ARRAY[0, 10, 100]), count(*) FROM orders GROUP BY 1 ORDER BY 1
SELECT ntile(4) OVER (ORDER BY amount) AS q, id FROM orders
SELECT jsonb_agg(DISTINCT status), json_object_agg(id, note) FROM orders
SELECT name, similarity FROM (SELECT name, 0.5 AS similarity FROM customers) s
SELECT position('x' in note), extract(year from placed_at) AS y FROM orders GROUP BY 1, 2
SELECT DATE_PART('year', placed_at)::int AS year FROM orders GROUP BY year
SELECT EXTRACT(DOW FROM placed_at), EXTRACT('month' FROM placed_at), EXTRACT(MILLISECONDS FROM placed_at) FROM orders
SELECT timestamp '2024-01-01 00:00' AT TIME ZONE 'America/New_York', TIMESTAMP WITH TIME ZONE '2024-01-01 00:00+00', TIME WITHOUT TIME ZONE '10:00'
SELECT '{"a": 1}'::jsonb ->> 'a' = '1' AND '{"a": 1}'::jsonb @> '{"a": 1}'::jsonb
SELECT prefs @? '$.k ? (@ > 0)', prefs @@ '$.k == 1' FROM customers
SELECT jsonb '{"a":1}' - 'a', jsonb '[1,2]' - 0, jsonb '{"a":{"b":1}}' #- '{a,b}', jsonb '{"a":1}' - ARRAY['a']
SELECT t.* FROM customers c, jsonb_path_query(c.prefs, '$.*') AS t WHERE c.id = 1
SELECT bool_and(active) FILTER (WHERE active IS NOT NULL) FROM customers
SELECT name || ' <' || coalesce(email, '') || '>' FROM customers
SELECT id, tags || '{z}' FROM customers WHERE tags IS NOT NULL
SELECT unnest(tags), unnest(ARRAY[1,2]) FROM customers
SELECT (unnest(ARRAY[(1,'a')]::record[])) IS NOT NULL
SELECT wait * 2, wait + interval '1 day', extract(epoch FROM wait), to_char(wait, 'HH24:MI') FROM customers
SELECT max(placed_at) - min(placed_at) AS span, count(*) / greatest(1, extract(day FROM max(placed_at) - min(placed_at))) FROM orders
SELECT id FROM orders WHERE placed_at >= date '2024-01-01' AND placed_at < date '2024-01-01' + interval '1 month'
SELECT id FROM orders WHERE placed_at::date = '2024-01-01' OR date(placed_at) IN ('2024-01-02', '2024-03-01')
SELECT id FROM orders WHERE note LIKE '%\%%' OR note LIKE '%!%%' ESCAPE '!'
SELECT id, note FROM orders WHERE note ILIKE ANY (ARRAY['%first%', '%sure%'])
SELECT o.id, o.customer_id FROM orders o WHERE EXISTS (SELECT 1 FROM customers c WHERE c.id = o.customer_id AND c.active IS TRUE)
SELECT id FROM orders ORDER BY CASE status WHEN 'new' THEN 0 ELSE 1 END, amount DESC NULLS LAST
SELECT id FROM orders ORDER BY amount USING >, id ASC
SELECT 'SELECT 1; DROP TABLE x' AS q, 'pg_read_file(''/etc/passwd'')' AS f, 'pg_sleep' AS g
SELECT status AS set_config, note AS pg_sleep FROM orders
SELECT lock.id FROM orders AS lock
SELECT execute.id FROM orders AS execute
SELECT copy.id, copy.note FROM orders copy
SELECT notify.id AS listen FROM orders notify
SELECT id AS call, id AS do_, id AS vacuum, id AS reindex FROM orders
SELECT update.id FROM orders AS update
SELECT currval FROM (SELECT 1 AS currval) t
SELECT query_to_xml.x FROM (SELECT 1 AS x) AS query_to_xml
SELECT crosstab.id FROM orders crosstab
WITH dblink AS (SELECT 1 AS a) SELECT dblink.a FROM dblink
SELECT * FROM orders AS pg_read_file
SELECT string_to_table('a,b', ','), regexp_split_to_table('a b', ' ')
SELECT * FROM string_to_table('a~b', '~') AS s(part)
SELECT * FROM json_each('{"a":1}'), json_array_elements('[1,2]') AS v
SELECT * FROM pg_options_to_table(ARRAY['a=b'])
SELECT * FROM pg_get_keywords() LIMIT 1
SELECT (pg_identify_object('pg_class'::regclass, 'orders'::regclass, 0)).identity
SELECT pg_describe_object('pg_class'::regclass, 'orders'::regclass, 0)
SELECT aclexplode(relacl) FROM pg_class LIMIT 1
SELECT (aclexplode(relacl)).* FROM pg_class WHERE relname = 'orders'
SELECT * FROM information_schema.views v, information_schema.schemata, information_schema.routines r LIMIT 1
SELECT _pg_char_max_length IS NULL FROM (SELECT 1 AS _pg_char_max_length) x
SELECT information_schema._pg_truetypid(a.*, t.*) FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid LIMIT 1
SELECT pg_catalog.array_to_string(ARRAY[1,2], ','), pg_catalog.count(*) FROM orders
SELECT pg_catalog.now() IS NOT NULL, "pg_catalog"."lower"('A'), pg_catalog."upper"('a')
SELECT "lower"('A'), "LOWER" FROM (SELECT 1 AS "LOWER") x
SELECT t.typname, t.typlen FROM pg_type t WHERE t.typname LIKE 'int%'
SELECT count(*) FROM numbers a JOIN numbers b ON a.n = b.n + 1
SELECT (SELECT string_agg(x::text, ',') FROM unnest(ARRAY[3,1,2]) WITH ORDINALITY u(x, o)) AS s
SELECT * FROM orders WHERE id = ANY (SELECT unnest(ARRAY[1,2]))
SELECT id FROM orders WHERE id = ANY (VALUES (1), (2))
SELECT cast(row(1,'x') AS text), row(1,2.5)::text
SELECT o.id, o.amount::numeric(10,1), o.amount::int FROM orders o WHERE o.amount::text LIKE '1%'
SELECT date '2024-02-29' + 365, '2024-02-29'::date + '1 year'::interval, timestamp 'epoch' + 1700000000 * interval '1 second'
SELECT interval '1 day' = interval '24 hours', make_interval(hours => 2) > interval '1 hour', -interval '1 day'
SELECT xmin::text::bigint > 0 FROM orders LIMIT 1
SELECT grouping(status), status FROM orders GROUP BY GROUPING SETS (status, ())
SELECT to_json('a'::text), array_to_json(ARRAY[1,2]), row_to_json(row(1,2))
SELECT t.x FROM (SELECT 1) AS t(x) CROSS JOIN (SELECT 2) AS u
SELECT a.attname FROM pg_attribute a WHERE attrelid = 'public."order"'::regclass
SELECT - (- 5), 5 - -5, 5 --- 5
SELECT '5'::int4 + '6'::int8 * 7::smallint, 1::boolean, 'yes'::bool
SELECT ALL id FROM orders
SELECT FROM orders
SELECT
SELECT WHERE false
SELECT count(*) FROM orders WHERE note IS NOT NULL GROUP BY () HAVING true
SELECT min(id) FROM orders HAVING min(id) > 0
SELECT extract(epoch FROM age(now(), placed_at)) / 86400 FROM orders
SELECT 'a'::name, 'a'::"char", '{a}'::name[], '1 2'::oidvector
SELECT string_agg(x, '') FROM (SELECT chr(65 + i) AS x FROM generate_series(0, 5) i ORDER BY i DESC) s
SELECT overlay('Txxxxas' PLACING 'hom' FROM 2 FOR 4), ltrim('  a'), rtrim('a  '), btrim(' a ')
SELECT json '{"a":1}' ->> 'a', JSON '{"a":[1]}' -> 'a' -> 0
SELECT CURRENT_TIMESTAMP AT TIME ZONE 'utc', now()::timestamp, now()::date, (now() AT TIME ZONE 'UTC')::date
SELECT c.name FROM customers c WHERE c.prefs ->> 'k' IS NOT NULL AND (c.prefs ->> 'k')::int > 0
SELECT t1.id FROM orders t1 LEFT JOIN orders t2 ON t1.customer_id = t2.customer_id AND t1.placed_at < t2.placed_at WHERE t2.id IS NULL
SELECT pg_blocking_pids(1), pg_current_wal_lsn() IS NOT NULL
SELECT pg_get_triggerdef(oid) FROM pg_trigger
SELECT pg_is_in_recovery(), pg_last_wal_replay_lsn()
SELECT * FROM pg_stat_database
SELECT * FROM pg_stat_replication
SELECT * FROM pg_replication_slots
SELECT * FROM pg_publication_tables
SELECT * FROM pg_stat_bgwriter
SELECT * FROM pg_statio_user_tables
SELECT * FROM pg_stat_user_indexes
SELECT * FROM pg_views WHERE schemaname = 'public'
SELECT * FROM pg_matviews
SELECT * FROM pg_policies
SELECT * FROM pg_prepared_statements
SELECT * FROM pg_cursors
SELECT * FROM pg_rules LIMIT 1
SELECT * FROM pg_tables WHERE tableowner = current_user
SELECT * FROM pg_stat_ssl
SELECT * FROM pg_available_extension_versions LIMIT 1
SELECT * FROM pg_stat_progress_vacuum
SELECT * FROM pg_largeobject_metadata
SELECT * FROM pg_seclabels
SELECT * FROM pg_stats_ext
SELECT * FROM pg_group
SELECT * FROM pg_roles
SELECT * FROM pg_locks
SELECT * FROM pg_default_acl
SELECT * FROM pg_stat_archiver
SELECT * FROM pg_stat_wal
SELECT * FROM pg_stat_slru
SELECT * FROM pg_prepared_xacts
SELECT * FROM pg_aggregate LIMIT 1
SELECT * FROM pg_ts_config
SELECT * FROM information_schema.role_table_grants LIMIT 1
SELECT * FROM information_schema.table_privileges LIMIT 1
SELECT * FROM information_schema.triggers
SELECT * FROM information_schema.sequences
SELECT * FROM information_schema.parameters LIMIT 1
SELECT * FROM information_schema.domains
SELECT * FROM information_schema.referential_constraints
SELECT * FROM information_schema.check_constraints
SELECT * FROM information_schema.sql_features LIMIT 1
SELECT pg_get_partkeydef('orders'::regclass), pg_get_statisticsobjdef(1), pg_get_object_address('table', '{public,orders}', '{}')
SELECT pg_relation_filepath('orders'), pg_filenode_relation(0, 1)
SELECT pg_tablespace_location(0), pg_tablespace_size('pg_default')
SELECT pg_stat_get_activity(NULL)
SELECT pg_encoding_to_char(6), pg_char_to_encoding('UTF8')
SELECT pg_my_temp_schema(), pg_is_other_temp_schema(1), pg_conf_load_time() IS NULL
SELECT pg_show_all_settings()
SELECT pg_partition_root('orders'), pg_partition_ancestors('orders'), * FROM pg_partition_tree('orders')
SELECT pg_index_column_has_property('orders_pkey'::regclass, 1, 'asc'), pg_indexam_has_property(403, 'can_order'), pg_index_has_property('orders_pkey'::regclass, 'clusterable')
SELECT pg_nextval_x FROM (SELECT 1 AS pg_nextval_x) t
SELECT amname FROM pg_am
SELECT age(datfrozenxid) FROM pg_database
SELECT age(xmin), mxid_age('1'::xid) FROM orders
SELECT txid_status(1), txid_visible_in_snapshot(1, txid_current_snapshot())
SELECT has_function_privilege('now()', 'EXECUTE'), has_sequence_privilege('order_seq', 'USAGE'), has_any_column_privilege('orders', 'SELECT'), has_language_privilege('sql', 'USAGE'), has_type_privilege('int', 'USAGE'), has_foreign_data_wrapper_privilege(1, 'USAGE'), has_server_privilege(1, 'USAGE'), has_tablespace_privilege('pg_default', 'CREATE'), has_parameter_privilege('work_mem', 'SET')
SELECT row_security_active('guarded'), pg_has_role('postgres', 'USAGE')
SELECT acldefault('r', 10), makeaclitem(10, 10, 'SELECT', true), aclitemeq(a, a) FROM (SELECT unnest(acldefault('r', 10)) a) x
SELECT inet_client_addr(), inet_server_addr(), pg_client_encoding(), getdatabaseencoding()
SELECT oidvectortypes(proargtypes) FROM pg_proc LIMIT 1
SELECT pg_describe_object(classid, objid, 0) FROM pg_depend LIMIT 1
SELECT xact_commit FROM pg_stat_database LIMIT 1
SELECT query_start, state_change, wait_event_type, backend_type FROM pg_stat_activity
SELECT * FROM pg_stat_get_wal()
SELECT * FROM normal_rand(5, 0, 1)
SELECT lineorder.lo_revenue FROM lineorder
SELECT (x).lower FROM t
