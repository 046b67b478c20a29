"""The four databases of the cases, each laid from its fixture, with a way to see whether anything was
changed."""

import hashlib
import re
import shutil
import sqlite3
from pathlib import Path
from typing import Any, Protocol

import duckdb
import psycopg
import pymysql

CASES = Path(__file__).parent / "cases"


class Database(Protocol):
    """One laid fixture."""

    url: str

    def fingerprint(self) -> Any:
        """Something that differs once anything in the database was changed."""
        ...

    def lay(self) -> None:
        """Makes the database as the fixture says, if it is not so."""
        ...

    def close(self) -> None:
        """Ends connections."""
        ...


class FileDatabase:
    """SQLite or DuckDB: a copy of a pristine file."""

    def __init__(self, dialect: str, folder: Path) -> None:
        self.pristine = folder / f"pristine.{dialect}"
        self.path = folder / f"cases.{dialect}"
        self.url = f"{dialect}:///{self.path}"
        text = (CASES / f"fixture_{dialect}.sql").read_text(encoding="utf-8")
        if dialect == "sqlite":
            connection = sqlite3.connect(self.pristine)
            connection.executescript(text)
            connection.close()
        else:
            with duckdb.connect(str(self.pristine)) as database:
                database.execute(text)
        shutil.copyfile(self.pristine, self.path)
        self.right = self.fingerprint()

    def fingerprint(self) -> Any:
        beside = sorted(path.name for path in self.path.parent.glob(f"{self.path.name}*"))
        return hashlib.sha256(self.path.read_bytes()).hexdigest(), beside

    def lay(self) -> None:
        if self.fingerprint() != self.right:
            shutil.copyfile(self.pristine, self.path)

    def close(self) -> None:
        pass


class PostgresDatabase:
    """A database of a PostgreSQL server."""

    def __init__(self, dsn: str) -> None:
        self.dsn = dsn
        port = re.search(r"port=(\d+)", dsn)
        assert port is not None
        self.url = f"postgresql://postgres@127.0.0.1:{port[1]}/cases"
        self.admin = psycopg.connect(f"{dsn} dbname=postgres", autocommit=True)
        self._make()

    def _make(self) -> None:
        self.admin.execute("DROP DATABASE IF EXISTS cases WITH (FORCE)")
        self.admin.execute("CREATE DATABASE cases")
        self.look = psycopg.connect(f"{self.dsn} dbname=cases", autocommit=True)
        for extension in ("dblink", "tablefunc", "adminpack"):
            self.look.execute(f"CREATE EXTENSION IF NOT EXISTS {extension}")
        self.look.execute((CASES / "fixture_postgres.sql").read_text(encoding="utf-8"))
        self.right = self.fingerprint()

    def fingerprint(self) -> Any:
        return self.look.execute(
            "SELECT (SELECT count(*) FROM pg_class WHERE relnamespace::regnamespace::text !~ '^pg_t'), "
            "(SELECT count(*) FROM pg_proc), (SELECT count(*) FROM pg_largeobject_metadata), "
            "(SELECT count(*) FROM pg_roles), (SELECT count(*) FROM pg_replication_slots), "
            "(SELECT count(*) FROM pg_prepared_xacts), (SELECT count(*) FROM pg_replication_origin), "
            "(SELECT md5(string_agg(o::text, ',' ORDER BY id)) FROM orders o), "
            "(SELECT count(*) FROM audit_log), "
            "(SELECT last_value FROM order_seq), (SELECT last_value FROM audit_log_id_seq), "
            "pg_conf_load_time(), "
            "(SELECT count(*) FROM pg_db_role_setting), (SELECT count(*) FROM pg_collation), "
            "(SELECT count(*) FROM empty_table), (SELECT relacl::text FROM pg_class WHERE relname = 'orders')"
        ).fetchall()

    def lay(self) -> None:
        try:
            same = self.fingerprint() == self.right
        except psycopg.Error:
            same = False
        if not same:
            self.look.close()
            self._make()

    def close(self) -> None:
        self.look.close()
        self.admin.close()


class MariadbDatabase:
    """A database of a MariaDB server."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.url = f"mysql://root@127.0.0.1:{port}/cases"
        self._make()

    def _make(self) -> None:
        self.admin = pymysql.connect(host="127.0.0.1", port=self.port, user="root", autocommit=True)
        for statement in (
            "DROP DATABASE IF EXISTS cases",
            "CREATE DATABASE cases CHARACTER SET utf8mb4",
            "USE cases",
        ):
            self.rows(statement)
        for statement in _statements((CASES / "fixture_mariadb.sql").read_text(encoding="utf-8")):
            self.rows(statement)
        self.right = self.fingerprint()

    def rows(self, sql: str) -> list[Any]:
        with self.admin.cursor() as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())

    def fingerprint(self) -> Any:
        tables = self.rows(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'cases' ORDER BY 1"
        )
        names = [row[0] for row in tables if row[0] not in ("v_paid", "v_touch", "order_seq")]
        return (
            tables,
            [self.rows(f"CHECKSUM TABLE cases.`{name}` EXTENDED") for name in names],
            self.rows("SELECT next_not_cached_value FROM cases.order_seq"),
            self.rows("SELECT count(*) FROM information_schema.routines WHERE routine_schema = 'cases'"),
            self.rows("SELECT count(*) FROM mysql.global_priv"),
            self.rows("SELECT @@global.max_connections, @@global.general_log, @@global.local_infile"),
        )

    def lay(self) -> None:
        try:
            same = self.fingerprint() == self.right
        except pymysql.Error:
            same = False
        if not same:
            self.admin.close()
            self._make()

    def close(self) -> None:
        self.admin.close()


def _statements(text: str) -> list[str]:
    found: list[str] = []
    for block in re.split(r"^//\s*$", text, flags=re.MULTILINE):
        lines = [line for line in block.splitlines() if not line.startswith("--")]
        body = "\n".join(lines).strip()
        if re.match(r"CREATE (FUNCTION|PROCEDURE)[^;]*BEGIN", body, re.DOTALL):
            found.append(body)
        else:
            found += [part for part in re.split(r";\s*\n|;\s*$", body) if part.strip()]
    return found
