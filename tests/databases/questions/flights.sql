-- Questions about the demo's flights of 2013, one a line.
SELECT count(*) FROM flights
SELECT carrier, count(*) AS flights FROM flights GROUP BY carrier ORDER BY flights DESC
SELECT a.name, avg(f.arr_delay) AS mean_delay FROM flights f JOIN airlines a USING (carrier) GROUP BY a.name ORDER BY mean_delay DESC
SELECT a.name, avg(f.arr_delay) FILTER (WHERE f.arr_delay > 0) AS mean_of_late FROM flights f JOIN airlines a USING (carrier) GROUP BY ALL ORDER BY 2 DESC LIMIT 5
SELECT origin, count(*) FROM flights GROUP BY origin
SELECT month, count(*) AS flights, round(avg(dep_delay), 1) AS mean FROM flights GROUP BY month ORDER BY month
SELECT hour, avg(dep_delay) FROM flights WHERE dep_delay IS NOT NULL GROUP BY hour ORDER BY hour
SELECT dayname(time_hour) AS weekday, avg(arr_delay) FROM flights GROUP BY weekday ORDER BY 2 DESC
SELECT count(*) FILTER (WHERE dep_time IS NULL) * 100.0 / count(*) AS cancelled_percent FROM flights
SELECT carrier, count(*) FILTER (WHERE dep_time IS NULL) AS cancelled, count(*) AS all_flights FROM flights GROUP BY carrier ORDER BY cancelled DESC
SELECT month, day, count(*) AS cancelled FROM flights WHERE dep_time IS NULL GROUP BY month, day ORDER BY cancelled DESC LIMIT 10
SELECT dest, count(*) AS flights FROM flights GROUP BY dest ORDER BY flights DESC LIMIT 10
SELECT ap.name, count(*) AS flights FROM flights f JOIN airports ap ON ap.faa = f.dest GROUP BY ap.name ORDER BY flights DESC LIMIT 10
SELECT dest FROM flights WHERE dest NOT IN (SELECT faa FROM airports) GROUP BY dest
SELECT f.dest, count(*) FROM flights f LEFT JOIN airports a ON a.faa = f.dest WHERE a.faa IS NULL GROUP BY f.dest
SELECT origin, dest, avg(air_time) AS minutes, max(distance) AS miles FROM flights GROUP BY origin, dest ORDER BY miles DESC LIMIT 5
SELECT carrier, flight, origin, dest, arr_delay FROM flights ORDER BY arr_delay DESC NULLS LAST LIMIT 10
SELECT tailnum, count(*) AS flights FROM flights WHERE tailnum IS NOT NULL GROUP BY tailnum ORDER BY flights DESC LIMIT 10
SELECT p.manufacturer, count(*) FROM flights f JOIN planes p USING (tailnum) GROUP BY p.manufacturer ORDER BY 2 DESC LIMIT 10
SELECT p.year AS built, avg(f.arr_delay) FROM flights f JOIN planes p USING (tailnum) GROUP BY built ORDER BY built
SELECT 2013 - p.year AS age, count(*), avg(f.dep_delay) FROM flights f JOIN planes p USING (tailnum) GROUP BY 1 ORDER BY 1
SELECT count(*) FROM flights f ANTI JOIN planes p USING (tailnum)
SELECT count(*) * 100.0 / (SELECT count(*) FROM flights) AS percent FROM flights WHERE tailnum NOT IN (SELECT tailnum FROM planes)
SELECT sum(p.seats) AS seats, f.carrier FROM flights f JOIN planes p USING (tailnum) GROUP BY f.carrier ORDER BY seats DESC
SELECT f.origin, avg(w.temp) AS temp, avg(f.dep_delay) AS delay FROM flights f JOIN weather w ON w.origin = f.origin AND w.time_hour = f.time_hour GROUP BY f.origin
SELECT CASE WHEN w.visib < 3 THEN 'poor' WHEN w.visib < 8 THEN 'fair' ELSE 'good' END AS visibility, avg(f.dep_delay), count(*) FROM flights f JOIN weather w USING (origin, time_hour) GROUP BY visibility
SELECT corr(w.wind_speed, f.dep_delay) FROM flights f JOIN weather w USING (origin, time_hour)
SELECT corr(dep_delay, arr_delay), regr_slope(arr_delay, dep_delay) FROM flights
SELECT floor(distance / 500) * 500 AS miles, avg(arr_delay), count(*) FROM flights GROUP BY miles ORDER BY miles
SELECT carrier, median(arr_delay), quantile_cont(arr_delay, 0.9), stddev(arr_delay) FROM flights GROUP BY carrier
SELECT carrier, percentile_cont(0.95) WITHIN GROUP (ORDER BY dep_delay) AS p95 FROM flights GROUP BY carrier ORDER BY p95 DESC
SELECT carrier, count(*) AS n, count(*) * 100.0 / sum(count(*)) OVER () AS share FROM flights GROUP BY carrier ORDER BY share DESC
SELECT carrier, month, count(*) AS n, rank() OVER (PARTITION BY month ORDER BY count(*) DESC) AS place FROM flights GROUP BY carrier, month QUALIFY place <= 3 ORDER BY month, place
SELECT month, carrier, arr FROM (SELECT month, carrier, avg(arr_delay) AS arr, row_number() OVER (PARTITION BY month ORDER BY avg(arr_delay) DESC) AS r FROM flights GROUP BY month, carrier) WHERE r = 1 ORDER BY month
WITH daily AS (SELECT make_date(year, month, day) AS date, count(*) AS n FROM flights GROUP BY date) SELECT date, n, avg(n) OVER (ORDER BY date ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS week FROM daily ORDER BY date
WITH daily AS (SELECT make_date(year, month, day) AS date, avg(dep_delay) AS delay FROM flights GROUP BY date) SELECT date, delay FROM daily ORDER BY delay DESC LIMIT 10
WITH m AS (SELECT month, avg(arr_delay) AS d FROM flights GROUP BY month) SELECT month, d, d - lag(d) OVER (ORDER BY month) AS change_to_before FROM m
WITH worst AS (SELECT carrier FROM flights GROUP BY carrier ORDER BY avg(arr_delay) DESC LIMIT 1) SELECT name FROM airlines WHERE carrier = (SELECT carrier FROM worst)
WITH c AS (SELECT carrier, avg(arr_delay) AS d, count(*) AS n FROM flights GROUP BY carrier HAVING count(*) > 1000) SELECT a.name, c.d FROM c JOIN airlines a USING (carrier) WHERE c.d > (SELECT avg(arr_delay) FROM flights) ORDER BY c.d DESC
PIVOT (SELECT origin, month, dep_delay FROM flights) ON origin USING avg(dep_delay) GROUP BY month ORDER BY month
PIVOT flights ON origin USING count(*) GROUP BY carrier
SELECT origin, carrier, count(*) FROM flights GROUP BY GROUPING SETS ((origin), (carrier), (origin, carrier), ())
SELECT coalesce(origin, 'all') AS origin, sum(distance) FROM flights GROUP BY ROLLUP (origin)
SELECT origin, list(DISTINCT carrier ORDER BY carrier) AS carriers FROM flights GROUP BY origin
SELECT dest, string_agg(DISTINCT carrier, ', ') FROM flights GROUP BY dest ORDER BY count(DISTINCT carrier) DESC LIMIT 5
SELECT count(DISTINCT dest) AS destinations, count(DISTINCT tailnum) AS planes, approx_count_distinct(flight) AS numbers FROM flights
SELECT arg_max(dest, distance) AS farthest, max(distance) FROM flights
SELECT carrier, arg_max(tailnum, air_time) AS plane, max(air_time) FROM flights GROUP BY carrier
SELECT dep_time // 100 * 60 + dep_time % 100 AS minute_of_day, count(*) FROM flights WHERE dep_time IS NOT NULL GROUP BY 1 ORDER BY 1 LIMIT 10
SELECT strftime(time_hour, '%Y-%m') AS month, count(*) FROM flights GROUP BY 1 ORDER BY 1
SELECT date_trunc('week', time_hour) AS week, avg(dep_delay) FROM flights GROUP BY week ORDER BY week
SELECT extract(isodow FROM time_hour) AS weekday, hour, count(*) FROM flights GROUP BY ALL ORDER BY ALL
SELECT quarter(time_hour) AS q, sum(distance) FROM flights GROUP BY q ORDER BY q
SELECT time_hour AT TIME ZONE 'America/New_York' AS local, count(*) FROM flights GROUP BY local ORDER BY local LIMIT 3
SELECT count(*) FROM flights WHERE time_hour BETWEEN '2013-12-24' AND '2013-12-26'
SELECT count(*) FROM flights WHERE month = 2 AND day = 14 AND origin = 'JFK'
SELECT air_time, distance, distance / (air_time / 60.0) AS mph FROM flights WHERE air_time > 0 ORDER BY mph DESC LIMIT 5
SELECT carrier, sum(dep_delay - arr_delay) AS made_up FROM flights GROUP BY carrier ORDER BY made_up DESC
SELECT count(*) FILTER (WHERE dep_delay > 15) * 1.0 / count(dep_delay) AS share_late, carrier FROM flights GROUP BY carrier ORDER BY share_late
SELECT CASE WHEN arr_delay <= 0 THEN 'on time' WHEN arr_delay <= 15 THEN 'a little late' WHEN arr_delay <= 60 THEN 'late' WHEN arr_delay IS NULL THEN 'never' ELSE 'very late' END AS class, count(*) FROM flights GROUP BY class ORDER BY 2 DESC
SELECT name, alt FROM airports ORDER BY alt DESC LIMIT 5
SELECT tzone, count(*) FROM airports GROUP BY tzone ORDER BY 2 DESC
SELECT dst, tz, count(*) FROM airports GROUP BY dst, tz ORDER BY 3 DESC
SELECT a.name, b.name, sqrt(pow(a.lat - b.lat, 2) + pow(a.lon - b.lon, 2)) AS far FROM airports a JOIN airports b ON a.faa < b.faa WHERE a.faa = 'EWR' ORDER BY far LIMIT 5
SELECT type, engine, count(*), avg(seats) FROM planes GROUP BY type, engine
SELECT manufacturer, model, count(*) FROM planes GROUP BY ALL HAVING count(*) > 50 ORDER BY 3 DESC
SELECT count(*) FILTER (WHERE year IS NULL) AS unknown, min(year), max(year) FROM planes
SELECT DISTINCT engines FROM planes ORDER BY engines
SELECT month, avg(temp), max(wind_gust), sum(precip) FROM weather GROUP BY month ORDER BY month
SELECT origin, time_hour, wind_speed FROM weather ORDER BY wind_speed DESC NULLS LAST LIMIT 3
SELECT count(*) FROM weather WHERE precip > 0 AND temp < 32
SELECT f.carrier, f.flight, f.time_hour FROM flights f JOIN weather w USING (origin, time_hour) WHERE w.wind_gust > 60 LIMIT 10
SELECT f.tailnum, f.time_hour, lead(f.origin) OVER (PARTITION BY f.tailnum ORDER BY f.time_hour) AS next_origin FROM flights f WHERE f.tailnum = 'N725MQ' ORDER BY 2 LIMIT 5
SELECT tailnum, time_hour, sum(distance) OVER (PARTITION BY tailnum ORDER BY time_hour) AS flown FROM flights WHERE tailnum = 'N725MQ' ORDER BY time_hour LIMIT 5
SELECT first(carrier ORDER BY dep_delay DESC NULLS LAST) AS carrier, origin FROM flights GROUP BY origin
SELECT * FROM flights USING SAMPLE 5 ROWS
SELECT * EXCLUDE (year, minute) FROM flights LIMIT 2
SELECT COLUMNS('.*delay') FROM flights LIMIT 2
SELECT origin, dest, count(*) AS n FROM flights GROUP BY ALL HAVING n > 5000 ORDER BY n DESC
SELECT a.carrier FROM airlines a WHERE NOT EXISTS (SELECT 1 FROM flights f WHERE f.carrier = a.carrier AND f.origin = 'JFK')
SELECT carrier FROM flights WHERE origin = 'EWR' INTERSECT SELECT carrier FROM flights WHERE origin = 'LGA'
SELECT dest FROM flights WHERE origin = 'EWR' EXCEPT SELECT dest FROM flights WHERE origin = 'JFK'
SELECT 'flights' AS t, count(*) FROM flights UNION ALL SELECT 'planes', count(*) FROM planes UNION ALL SELECT 'weather', count(*) FROM weather
SELECT histogram(month) FROM flights
SELECT unnest(list_sort(list(DISTINCT carrier))) AS carrier FROM flights
SELECT table_name, comment FROM duckdb_tables()
SUMMARIZE airports
DESCRIBE flights
EXPLAIN SELECT carrier, avg(arr_delay) FROM flights GROUP BY carrier
SELECT carrier, avg(arr_delay) OVER (PARTITION BY carrier) AS mean, arr_delay FROM flights LIMIT 3
SELECT count(*) FROM flights WHERE arr_delay > 2 * (SELECT avg(arr_delay) FROM flights WHERE arr_delay > 0)
