"""The three services together: start them, wait until they are ready, stop them."""

import shutil
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path

from launcher import services
from launcher.pi_choice import PiChoice

READY_DEADLINE = 60.0
"""Seconds for all three services to become ready."""

MODULES = {
    "executor": "services.tht_executor",
    "orchestrator": "services.orchestrator",
    "gateway": "services.gateway",
}


class NotReady(Exception):
    """A service ended by itself or did not become ready; the message says which and its last words."""


class Stack:
    """Executor, orchestrator and gateway on this machine; a context manager that stops them.

    Args:
        home: the harness folder.
        port: the gateway's port on 127.0.0.1.
        choice: which Pi runs the sessions.
        logs: folder for the services' logs; made when absent.
        environment: more settings, by variable.
    """

    def __init__(
        self,
        home: Path,
        port: int,
        choice: PiChoice,
        logs: Path,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        # A private folder: on a Unix socket no other account reaches gRPC.
        self._sockets = Path(tempfile.mkdtemp(prefix="thothii-"))
        self._logs = logs
        self.home = home
        self.url = f"http://127.0.0.1:{port}"
        self.addresses = {
            "THOTHII_EXECUTOR_ADDRESS": f"unix:{self._sockets}/executor.sock",
            "THOTHII_ORCHESTRATOR_ADDRESS": f"unix:{self._sockets}/orchestrator.sock",
        }
        self._environment = {
            **self.addresses,
            **choice.environment,
            "THOTHII_RUNNER_REASON": choice.reason,
            "THOTHII_HOME": str(home),
            "THOTHII_GATEWAY_PORT": str(port),
            **(environment or {}),
        }
        self.services: list[services.Service] = []

    def __enter__(self) -> "Stack":
        self._logs.mkdir(parents=True, exist_ok=True)
        try:
            for name, module in MODULES.items():
                self.services.append(services.start(name, module, self._environment, self._logs))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        services.stop(self.services)
        shutil.rmtree(self._sockets, ignore_errors=True)

    def wait_ready(self, stopping: Callable[[], bool] = lambda: False) -> bool:
        """Wait for the gateway's readiness; False when `stopping` came first. Raises NotReady."""
        deadline = time.monotonic() + READY_DEADLINE
        while time.monotonic() < deadline:
            if stopping():
                return False
            self.check()
            try:
                with urllib.request.urlopen(f"{self.url}/readyz", timeout=2) as answer:
                    if answer.status == 200:
                        return True
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                pass
            time.sleep(0.1)
        raise NotReady(f"the services were not ready within {READY_DEADLINE:g} s; see {self._logs}")

    def check(self) -> None:
        """Raises NotReady when a service ended by itself."""
        for service in self.services:
            if service.process.poll() is not None:
                raise NotReady(
                    f"the {service.name} ended (exit code {service.process.returncode}):\n"
                    f"{service.last_words()}"
                )
