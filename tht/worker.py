"""`tht worker`: the operations over stdin and stdout, many calls a process, one at a time.

Descriptor 1 is pointed at stderr and descriptor 0 at nothing before anything else is imported into the
process, so that a library that prints or reads cannot touch the frames.
"""

import gc
import os
import selectors
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from queue import SimpleQueue
from typing import Any

import msgspec

from contracts.errors import Code, Fault
from tht import operations
from tht.files import write_all
from tht.frames import Chunk, FrameReader, encode_chunks, encode_message
from tht.home import Home
from tht.sql.cancel import Cancel
from tht.stopping import stop_descriptor
from tht.warmup import EVERYTHING, warm_up
from tht.watchdog import CANCEL_GRACE_S, Watchdog

READ_SIZE = 256 << 10
MEMORY_VARIABLE = "THT_WORKER_MEMORY_MIB"
"""Environment variable with the most memory, in MiB, that a worker may hold while a call runs."""


class Request(msgspec.Struct):
    """A message to the worker: a call, or the cancelling of one."""

    id: int = 0
    op: str = ""
    args: dict[str, Any] = {}
    cancel: int | None = None


class Worker:
    """Answers the calls that come over one pair of descriptors."""

    def __init__(self, home: Home, reading: int, writing: int) -> None:
        self._home = home
        self._reading = reading
        self._writing = writing
        self._requests: SimpleQueue[Request | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._cancels: dict[int, Cancel] = {}
        self._sending = threading.Lock()
        self._running: int | None = None
        self._watchdog = Watchdog(self._expire, _memory_cap())
        self._exit_code = 0

    def serve(self) -> int:
        """Answers calls until the input ends or SIGTERM comes; the exit code."""
        stop = stop_descriptor(signal.SIGTERM)
        self._send({"ready": {"pid": os.getpid(), "version": version("thothii")}})
        threading.Thread(target=self._listen, args=(stop,), name="listener", daemon=True).start()
        warm_up(EVERYTHING)
        # What is imported stays; each full collection while rows are read would look at all of it
        # (a fifth of the CPU time of reading SQLite's rows, measured).
        gc.collect()
        gc.freeze()
        while (request := self._requests.get()) is not None:
            self._answer(request)
        return self._exit_code

    def _listen(self, stop: int) -> None:
        """Takes calls and cancellations in while a call runs; at the end cancels what runs, then ends the
        process if that does not help."""
        try:
            self._exit_code = self._take_requests(stop)
        except Fault as fault:
            sys.stderr.write(f"tht worker: {fault.message}\n")
            self._exit_code = fault.code.kind.exit_code
        with self._lock:
            running = list(self._cancels.values())
        for cancel in running:
            cancel.set()
        self._requests.put(None)
        threading.Event().wait(CANCEL_GRACE_S)
        os._exit(self._exit_code or 1)

    def _take_requests(self, stop: int) -> int:
        frames = FrameReader()
        with selectors.DefaultSelector() as selector:
            selector.register(self._reading, selectors.EVENT_READ)
            selector.register(stop, selectors.EVENT_READ)
            while True:
                for key, _ in selector.select():
                    if key.fd == stop:
                        return 128 + signal.SIGTERM
                    data = os.read(self._reading, READ_SIZE)
                    if not data and frames.pending:
                        raise Fault(Code.MALFORMED, "the input ended inside a frame")
                    if not data:
                        return 0
                    for frame in frames.feed(data):
                        self._take(frame)

    def _take(self, frame: Any) -> None:
        try:
            if isinstance(frame, Chunk):
                raise ValueError("a stream to the worker")
            request = msgspec.json.decode(frame.payload, type=Request)
        except (ValueError, RecursionError) as error:
            raise Fault(Code.MALFORMED, f"a message that cannot be: {error}") from error
        if request.cancel is None:
            with self._lock:
                if request.id in self._cancels:
                    raise Fault(Code.MALFORMED, f"a second call {request.id} while the first is open")
                self._cancels[request.id] = Cancel(partial(self._tell_connection, request.id))
            self._requests.put(request)
            return
        with self._lock:
            cancel = self._cancels.get(request.cancel)
        if cancel:
            cancel.set()

    def _answer(self, request: Request) -> None:
        call = request.id
        with self._lock:
            self._running = call
            cancel = self._cancels[call]
        try:
            self._run(request, operations.Context(cancel, self._watchdog.guard))
        except Fault as fault:
            self._send({"id": call, "error": fault.document()})
        except BrokenPipeError:
            raise
        except MemoryError:
            fault = Fault(Code.OVER_CAP, "it needs more memory than there is")
            self._send({"id": call, "error": fault.document()})
        except Exception:
            traceback.print_exc()
            fault = Fault(Code.INTERNAL, f"{request.op} failed in tht; its log on stderr says where")
            self._send({"id": call, "error": fault.document()})
        finally:
            with self._lock:
                self._running = None
                del self._cancels[call]

    def _run(self, request: Request, context: operations.Context) -> None:
        context.cancel.raise_if_set()
        result = operations.call(self._home, request.op, request.args, context)
        if isinstance(result, operations.Early):
            self._send({"id": request.id, "early": result.answer})
            result.rest()
            self._send({"id": request.id, "ok": {}})
            return
        if not isinstance(result, operations.Stream):
            self._send({"id": request.id, "ok": result})
            return
        self._send({"id": request.id, "head": result.head})
        for piece in result.chunks:
            context.cancel.raise_if_set()
            for frame in encode_chunks(request.id, piece):
                self._write(frame)
        self._send({"id": request.id, "ok": result.tail()})

    def _tell_connection(self, call: int, connection: int) -> None:
        self._send({"id": call, "connection": connection})

    def _send(self, message: dict[str, Any]) -> None:
        self._write(encode_message(message))

    def _write(self, frame: bytes) -> None:
        with self._sending:
            write_all(self._writing, frame)

    def _expire(self, fault: Fault) -> None:
        """Tells the running call's fault unless a frame is half written, and ends the process."""
        sys.stderr.write(f"tht worker: {fault.message}\n")
        if self._sending.acquire(timeout=0.1):
            write_all(
                self._writing, encode_message({"id": self._running, "error": fault.document(), "ends": True})
            )
        os._exit(fault.code.kind.exit_code)


def main(find: Callable[[], Home]) -> int:
    """Serves on the process's own stdin and stdout; gives the exit code. `find` gives the home folder."""
    reading, writing = _private_descriptors()
    # Ctrl-C in a terminal reaches the parent too, and it decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return Worker(find(), reading, writing).serve()
    except BrokenPipeError:
        return 0


def _memory_cap() -> int | None:
    given = os.environ.get(MEMORY_VARIABLE, "")
    return int(given) << 20 if given.isdecimal() and int(given) else None


def _private_descriptors() -> tuple[int, int]:
    """Duplicates of stdin and stdout that no library knows and no child inherits."""
    reading, writing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return reading, writing
