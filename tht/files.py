"""Files below a folder that others may write to: never through a symlink, never half written.

Every name is opened relative to an open folder with `O_NOFOLLOW`, so that nothing swapped between a check
and the opening leads outside.
"""

from __future__ import annotations

import errno
import os
import stat
import time

from contracts.errors import Code, Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    Stamp = tuple[int, ...]

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# O_NONBLOCK: a FIFO in place of a file must not hang the reader.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

SETTLED_NS = 200_000_000
"""Nanoseconds after which a second change of a file shows in its times, whatever the file system's clock."""


def stamp_of(status: os.stat_result) -> Stamp:
    """Inode, size and times of a file: another stamp means that it was changed."""
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def settled(*stamps: Stamp | None) -> bool:
    """Whether an unchanged stamp will mean an unchanged file: what was changed a moment ago could be changed
    again within the same tick of the file system's clock."""
    before = time.time_ns() - SETTLED_NS
    return all(stamp is None or stamp[-1] < before for stamp in stamps)


class Folder:
    """An open folder. Names given to it are single components."""

    __slots__ = ("descriptor",)

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    @classmethod
    def open(cls, path: str) -> Folder:
        """The folder at `path`, which the operator chose: symlinks on the way to it are theirs.

        Raises FileNotFoundError or NotADirectoryError."""
        return cls(os.open(path, _FOLDER))

    def close(self) -> None:
        """Give the descriptor back."""
        os.close(self.descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def names(self) -> list[str]:
        """Names in the folder, unsorted."""
        return os.listdir(self.descriptor)  # noqa: PTH208

    def folder(self, name: str, *, create: bool = False) -> Folder:
        """The folder `name` in this one.

        Raises FileNotFoundError; Fault NOT_FOUND for a symlink or a file."""
        _check_component(name)
        if create:
            try:
                os.mkdir(name, dir_fd=self.descriptor)
            except FileExistsError:
                pass
            else:
                os.fsync(self.descriptor)
        try:
            return Folder(os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=self.descriptor))
        except OSError as error:
            if error.errno in (errno.ENOTDIR, errno.ELOOP):
                raise Fault(Code.NOT_FOUND, f"{name} is not a folder of its own") from error
            raise

    def open_file(self, name: str, flags: int = _READ) -> int:
        """A descriptor of the regular file `name`.

        Raises FileNotFoundError; Fault NOT_FOUND for anything else, symlinks among it."""
        _check_component(name)
        try:
            descriptor = os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666, dir_fd=self.descriptor)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EISDIR, errno.ENXIO):
                raise Fault(Code.NOT_FOUND, f"{name} is not a regular file") from error
            raise
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise Fault(Code.NOT_FOUND, f"{name} is not a regular file")
        return descriptor

    def read(self, name: str, cap: int) -> bytes:
        """The bytes of file `name`. Raises as `open_file`, and Fault TOO_LARGE above `cap` bytes."""
        descriptor = self.open_file(name)
        try:
            return read_all(descriptor, name, cap)
        finally:
            os.close(descriptor)

    def stamp(self, name: str) -> Stamp | None:
        """What changes when the file `name` does; None when it is not there. A symlink is not followed."""
        try:
            return stamp_of(os.stat(name, dir_fd=self.descriptor, follow_symlinks=False))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def write(self, name: str, content: bytes) -> None:
        """Puts `content` at `name` in one step, on the disk when this returns."""
        _check_component(name)
        temporary = f".{name}.{os.urandom(6).hex()}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        descriptor = self.open_file(temporary, flags)
        try:
            write_all(descriptor, content)
            os.fsync(descriptor)
            os.rename(temporary, name, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)
        except BaseException:
            os.unlink(temporary, dir_fd=self.descriptor)
            raise
        finally:
            os.close(descriptor)
        os.fsync(self.descriptor)


def read_all(descriptor: int, name: str, cap: int) -> bytes:
    """Everything in the regular file behind `descriptor`. Raises Fault TOO_LARGE above `cap` bytes."""
    size = os.fstat(descriptor).st_size
    parts: list[bytes] = []
    total = 0
    while total <= cap and (part := os.pread(descriptor, max(size - total, 0) + 1, total)):
        parts.append(part)
        total += len(part)
    if total > cap:
        raise Fault(Code.TOO_LARGE, f"{name} is larger than {cap} bytes")
    return b"".join(parts)


def write_all(descriptor: int, content: bytes) -> None:
    """Writes the whole of `content` at the descriptor's position."""
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]


def _check_component(name: str) -> None:
    if not name or name in (".", "..") or "/" in name or "\0" in name:
        raise Fault(Code.NOT_FOUND, "a name of a file has no slash and no NUL, and is not . or ..")
