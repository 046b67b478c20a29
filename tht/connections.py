"""How a workspace reaches its database. Secrets come from the environment and stay out of every text."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from contracts.errors import Code, Fault

KEYS = {"path", "url", "immutable", "adapter", "user", "password", "token", "database", "schema", "catalog"}
"""Keys of `connection`; those from `adapter` on are for the rest transport."""
SECRETS = {"password", "token"}

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)", re.DOTALL)
_SECRET_PARAMETER = re.compile(r"[?&](?:password|passwd|pwd|token|api_?key|secret)=([^&]+)", re.IGNORECASE)


class Resolved:
    """Where the database is, with the secrets filled in. Only an engine about to connect holds one."""

    __slots__ = ("options", "path", "url")

    def __init__(self, path: Path | None, url: str | None, options: Mapping[str, str]) -> None:
        self.path = path
        """File of an embedded database; None for a server."""
        self.url = url
        """URL of a server or endpoint; None for a file."""
        self.options = options
        """The other keys of `connection`, such as `adapter` and `token`."""

    def __repr__(self) -> str:
        return "Resolved(...)"


class Connection:
    """What `connection` in a workspace file says, `${ENV}` not yet filled in."""

    __slots__ = ("_options", "_url", "folder", "immutable", "path", "scheme")

    def __init__(
        self, folder: Path, *, path: str | None, url: str | None, immutable: bool, options: Mapping[str, str]
    ) -> None:
        self.folder = folder
        """What a relative path is relative to."""
        self.path = path
        """File of an embedded database as it was written, from `path` or from the URL."""
        self.immutable = immutable
        """The file is written by nobody while it is read (SQLite opens it without looking at its WAL)."""
        self._url = url
        self._options = options
        match = _URL.fullmatch(url or "")
        self.scheme = match[1].lower().partition("+")[0] if match else None
        """Scheme of the URL in small letters, without a driver's name; None when nothing says it."""

    def __repr__(self) -> str:
        return "Connection(...)"

    def template(self) -> dict[str, Any]:
        """What was written, with `${ENV}` unexpanded. It may hold a secret written in clear: hash it only."""
        return {"path": self.path, "url": self._url, "immutable": self.immutable, **self._options}

    def resolve(self, environment: Mapping[str, str] = os.environ) -> Resolved:
        """The connection with `${ENV}` filled in. Raises Fault WORKSPACE_BROKEN for a variable not set."""
        options = {key: _expand(text, environment) for key, text in self._options.items()}
        if self.path is not None:
            return Resolved(self.folder / _expand(self.path, environment), None, options)
        url = _expand_url(self._url or "", environment)
        embedded = _file_of(url)
        if embedded is not None:
            return Resolved(self.folder / embedded, None, options)
        return Resolved(None, url, options)


def parse_connection(value: Any, transport: str, folder: Path) -> tuple[Connection, list[str]]:
    """The connection that `value` of a workspace file in `folder` describes, and warnings about it.

    Raises Fault WORKSPACE_BROKEN.
    """
    if not isinstance(value, dict):
        raise _fault("connection is missing: give connection: {path: FILE} or connection: {url: URL}")
    given = cast("dict[str, Any]", value)
    reject_unknown(given, KEYS, "connection.")
    immutable = given.get("immutable")
    if immutable is not None and not isinstance(immutable, bool):
        raise _fault("connection.immutable must be true or false")
    texts: dict[str, str] = {}
    for key, text in given.items():
        if key == "immutable" or text is None:
            continue
        if not isinstance(text, str) or not text.strip() or "\0" in text:
            raise _fault(f"connection.{key} must be text")
        texts[key] = text.strip()
    path, url = texts.pop("path", None), texts.pop("url", None)
    if (path is None) == (url is None):
        raise _fault("connection must hold either path or url")
    if transport == "rest" and url is None:
        raise _fault("the rest transport needs connection.url")
    warnings = [
        f"connection.{place} holds a secret in clear: write ${{NAME}} and set it in the environment"
        for place in _secrets_in_clear(url, texts)
    ]
    if url is not None and url.lower().startswith("http://") and not _is_loopback(url):
        warnings.append("connection.url is http://: rows and secrets can be read on the way; use https://")
    path = path if url is None else _file_of(url)
    connection = Connection(folder, path=path, url=url, immutable=bool(immutable), options=texts)
    return connection, warnings


def reject_unknown(given: Mapping[Any, Any], known: set[str], prefix: str) -> None:
    """Raises Fault WORKSPACE_BROKEN when `given` has a key outside `known`; `prefix` says where it stands."""
    for key in given:
        if key not in known:
            raise _fault(f"unknown key {prefix}{str(key)[:40]}; known are {', '.join(sorted(known))}")


def _file_of(url: str) -> str | None:
    """The path in a URL of an embedded database, as SQLAlchemy reads it: three slashes before a relative
    path, four before an absolute one."""
    match = _URL.fullmatch(url)
    if not match or match[1].lower() not in ("sqlite", "duckdb"):
        return None
    path = match[2].removeprefix("/")
    if not match[2].startswith("/") or not path or "?" in path:
        raise _fault(f"write connection: {{path: FILE}}, or url: {match[1]}:///FILE without parameters")
    return path


def _expand(text: str, environment: Mapping[str, str], quoted: bool = False) -> str:
    def value(match: re.Match[str]) -> str:
        found = environment.get(match[1])
        if not found:
            raise _fault(f"the environment variable {match[1]}, named in connection, is not set")
        return quote(found, safe="") if quoted else found

    return _VARIABLE.sub(value, text)


def _expand_url(url: str, environment: Mapping[str, str]) -> str:
    """In the user and password of a URL a variable holds the plain text, which is percent-encoded here."""
    match = re.match(r"([^/?#]*//)((?:\$\{\w+\}|[^/?#])*@)", url)
    if not match:
        return _expand(url, environment)
    head = _expand(match[1], environment)
    return head + _expand(match[2], environment, quoted=True) + _expand(url[match.end() :], environment)


def _is_loopback(url: str) -> bool:
    host = re.match(r"[^/?#]*//(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:]*)", url)
    return host is not None and host[1].lower() in ("localhost", "127.0.0.1", "[::1]")


def _secrets_in_clear(url: str | None, texts: Mapping[str, str]) -> list[str]:
    places = [key for key in sorted(SECRETS & texts.keys()) if not _VARIABLE.search(texts[key])]
    if url is not None:
        authority = re.match(r"[^/?#]*//((?:\$\{\w+\}|[^/?#])*)@", url)
        password = authority[1].partition(":")[2] if authority else ""
        parameters = _SECRET_PARAMETER.findall(url)
        if any(text and not _VARIABLE.search(text) for text in [password, *parameters]):
            places.append("url")
    return places


def _fault(message: str) -> Fault:
    return Fault(Code.WORKSPACE_BROKEN, message)
