-- The demo database: tables in the order in which they are filled, then comments for people and agents.

CREATE TABLE airlines (
    carrier VARCHAR PRIMARY KEY,
    name VARCHAR NOT NULL
);

CREATE TABLE airports (
    faa VARCHAR PRIMARY KEY,
    name VARCHAR NOT NULL,
    lat DOUBLE,
    lon DOUBLE,
    alt INTEGER,
    tz INTEGER,
    dst VARCHAR,
    tzone VARCHAR
);

CREATE TABLE planes (
    tailnum VARCHAR PRIMARY KEY,
    year INTEGER,
    type VARCHAR,
    manufacturer VARCHAR,
    model VARCHAR,
    engines INTEGER,
    seats INTEGER,
    speed INTEGER,
    engine VARCHAR
);

CREATE TABLE weather (
    origin VARCHAR REFERENCES airports (faa),
    year INTEGER,
    month INTEGER,
    day INTEGER,
    hour INTEGER,
    temp DOUBLE,
    dewp DOUBLE,
    humid DOUBLE,
    wind_dir INTEGER,
    wind_speed DOUBLE,
    wind_gust DOUBLE,
    precip DOUBLE,
    pressure DOUBLE,
    visib DOUBLE,
    time_hour TIMESTAMPTZ,
    PRIMARY KEY (origin, time_hour)
);

CREATE TABLE flights (
    year INTEGER,
    month INTEGER,
    day INTEGER,
    dep_time INTEGER,
    sched_dep_time INTEGER,
    dep_delay INTEGER,
    arr_time INTEGER,
    sched_arr_time INTEGER,
    arr_delay INTEGER,
    carrier VARCHAR REFERENCES airlines (carrier),
    flight INTEGER,
    tailnum VARCHAR,
    origin VARCHAR REFERENCES airports (faa),
    dest VARCHAR,
    air_time INTEGER,
    distance INTEGER,
    hour INTEGER,
    minute INTEGER,
    time_hour TIMESTAMPTZ,
    PRIMARY KEY (time_hour, carrier, flight, origin)
);

COMMENT ON TABLE airlines IS 'Airlines by their two-letter code';
COMMENT ON COLUMN airlines.carrier IS 'Two-letter code of the airline';
COMMENT ON TABLE airports IS 'Airports of the United States; four destinations of flights are missing (BQN, PSE, SJU, STT)';
COMMENT ON COLUMN airports.faa IS 'FAA code of the airport';
COMMENT ON COLUMN airports.alt IS 'Altitude in feet';
COMMENT ON COLUMN airports.tz IS 'Offset from UTC in hours, without daylight saving time';
COMMENT ON COLUMN airports.dst IS 'Daylight saving zone: A = US rules, U = unknown, N = none';
COMMENT ON TABLE planes IS 'Aircraft of the FAA registry; about a sixth of the flights have a tail number that is not here';
COMMENT ON COLUMN planes.year IS 'Year of manufacture';
COMMENT ON COLUMN planes.speed IS 'Cruising speed in miles an hour, mostly unknown';
COMMENT ON TABLE weather IS 'Hourly weather at the three origins EWR, JFK and LGA';
COMMENT ON COLUMN weather.temp IS 'Temperature in degrees Fahrenheit';
COMMENT ON COLUMN weather.wind_speed IS 'Wind speed in miles an hour';
COMMENT ON COLUMN weather.precip IS 'Precipitation in inches';
COMMENT ON COLUMN weather.visib IS 'Visibility in miles';
COMMENT ON COLUMN weather.time_hour IS 'Start of the hour (UTC); joins flights.time_hour together with origin';
COMMENT ON TABLE flights IS 'Every flight that was scheduled to depart from New York City in 2013 (EWR, JFK, LGA)';
COMMENT ON COLUMN flights.dep_time IS 'Actual departure, local time as HHMM (517 is 5:17); NULL when the flight was cancelled';
COMMENT ON COLUMN flights.sched_dep_time IS 'Scheduled departure, local time as HHMM';
COMMENT ON COLUMN flights.dep_delay IS 'Departure delay in minutes; negative is early; NULL when cancelled';
COMMENT ON COLUMN flights.arr_time IS 'Actual arrival, local time as HHMM';
COMMENT ON COLUMN flights.arr_delay IS 'Arrival delay in minutes; negative is early; NULL when cancelled or diverted';
COMMENT ON COLUMN flights.carrier IS 'Two-letter code of the airline: joins airlines.carrier';
COMMENT ON COLUMN flights.tailnum IS 'Tail number of the aircraft: joins planes.tailnum where known';
COMMENT ON COLUMN flights.origin IS 'Airport of departure: joins airports.faa';
COMMENT ON COLUMN flights.dest IS 'Airport of destination: joins airports.faa where known';
COMMENT ON COLUMN flights.air_time IS 'Minutes in the air';
COMMENT ON COLUMN flights.distance IS 'Distance in miles';
COMMENT ON COLUMN flights.hour IS 'Hour of the scheduled departure, local time';
COMMENT ON COLUMN flights.time_hour IS 'Scheduled departure to the hour (UTC)';
