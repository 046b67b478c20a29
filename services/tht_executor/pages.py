"""Pages that were asked for again, kept in memory: the next reader of one has it without a worker.

A page is given out only while all that decides it stands as it did when a worker made it:

- the approval, which is examined for every page as a worker examines it (`tht.approval`): the text by its
  hash, the workspace by its file;
- the folder of the kept results: no result was added to it or taken from it since. The rows of a result that
  has ended never change;
- the age of the result.

Whatever is in doubt is a worker's to answer, refusals too.
"""

import os
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from contracts.errors import Fault
from tht.approval import Approved, approved_sql
from tht.files import settled, stamp_of
from tht.home import Home
from tht.sql.results.result_ids import ID, age_of, key_of
from tht.workspaces import Workspace

if TYPE_CHECKING:
    from tht.files import Stamp

MOST_BYTES = 8 << 20
"""Bytes of all pages together."""
PAGE_BYTES = 1 << 20
"""Bytes of a page that is kept, at most."""
ASKED_ONCE = 1024
"""Pages remembered as asked for, without being kept."""

_ELAPSED = b'"elapsed_ms":'


class Asked(NamedTuple):
    """A page of a session's approved SQL."""

    session_id: str
    limit: int
    offset: int
    result_id: str
    """Empty: the newest result."""


class _Facts(msgspec.Struct):
    row_count: int | None
    result_id: str | None


class _Kept(NamedTuple):
    page: bytes
    result_id: str
    sha256: str
    workspace: Workspace
    folder: "Stamp"


class Pages:
    """The pages of one home. Not for several threads."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._kept: OrderedDict[Asked, _Kept] = OrderedDict()
        self._bytes = 0
        self._asked: OrderedDict[Asked, None] = OrderedDict()

    def find(self, asked: Asked) -> bytes | None:
        """The page as JSON; None when a worker must say."""
        kept = self._kept.get(asked)
        if kept is None:
            return None
        approved = self._approved(asked)
        if approved is not None and self._stands(kept, approved):
            self._kept.move_to_end(asked)
            return kept.page
        self._drop(asked)
        return None

    def folder(self) -> "Stamp | None":
        """What changes when a result comes or goes; None without a folder, and while a change could leave it
        as it is."""
        try:
            stamp = stamp_of(os.stat(f"{self._home.root}/results"))  # noqa: PTH116 - every page asks
        except OSError:
            return None
        return stamp if settled(stamp) else None

    def keep(self, asked: Asked, workspace: Workspace, folder: "Stamp | None", page: bytes) -> None:
        """Keep what a worker answered, from the second time on that it is asked for.

        `workspace` and `folder` are as they were before the worker was asked.
        """
        if asked not in self._asked:
            self._asked[asked] = None
            if len(self._asked) > ASKED_ONCE:
                self._asked.popitem(last=False)
            return
        # What is behind a view can change, so that columns which may not be read are looked for each time.
        if folder is None or len(page) > PAGE_BYTES or workspace.allow.deny_columns:
            return
        approved = self._approved(asked)
        if approved is None or approved.workspace is not workspace:
            return
        result_id = _finished(page)
        if result_id is None:
            return
        kept = _Kept(_without_delay(page), result_id, approved.sha256, workspace, folder)
        if self._stands(kept, approved):
            self._drop(asked)
            self._kept[asked] = kept
            self._bytes += len(kept.page)
            while self._bytes > MOST_BYTES:
                self._drop(next(iter(self._kept)))

    def _approved(self, asked: Asked) -> Approved | None:
        try:
            return approved_sql(self._home, asked.session_id)
        except (Fault, OSError):
            return None

    def _stands(self, kept: _Kept, approved: Approved) -> bool:
        """True while a worker would make the same page."""
        workspace = approved.workspace
        return (
            # An unchanged file gives the same object.
            workspace is kept.workspace
            and approved.sha256 == kept.sha256
            and kept.result_id.startswith(f"r{key_of(workspace, approved.sha256)}-")
            and age_of(kept.result_id, time.time_ns()) < workspace.limits.result_age_s
            and self.folder() == kept.folder
        )

    def _drop(self, asked: Asked) -> None:
        kept = self._kept.pop(asked, None)
        if kept is not None:
            self._bytes -= len(kept.page)


def _finished(page: bytes) -> str | None:
    """The id of the result when it is complete: nothing more will come, and nothing was cut."""
    try:
        facts = msgspec.json.decode(page, type=_Facts)
    except msgspec.DecodeError:
        return None
    if facts.row_count is None or facts.result_id is None or not ID.fullmatch(facts.result_id):
        return None
    return facts.result_id


def _without_delay(page: bytes) -> bytes:
    """`page` as one that took no time to make."""
    head, found, tail = page.rpartition(_ELAPSED)
    digits = len(tail) - len(tail.lstrip(b"0123456789"))
    return head + found + b"0" + tail[digits:] if found and digits else page
