"""The containers of the compose project, looked at from outside."""

import json
import os
import subprocess
from typing import Any

SERVICES = ("gateway", "orchestrator", "tht-executor")
HOME = "/srv/thothii/harness"


class Containers:
    """The project named by COMPOSE_FILE and COMPOSE_PROJECT_NAME; `client` is the compose command."""

    def __init__(self, client: list[str]) -> None:
        self.client = client
        self.url = f"http://127.0.0.1:{os.environ['THOTHII_PORT']}"

    def compose(self, *arguments: str, environment: dict[str, str] | None = None) -> str:
        """The output of a compose command that must succeed."""
        return run(*self.client, *arguments, environment=environment)

    def execute(self, service: str, *command: str) -> str:
        """The output of a command in a service's container that must succeed."""
        return self.compose("exec", "-T", service, *command)

    def python(self, service: str, program: str) -> Any:
        """What a Python program in a service's container printed, from JSON."""
        return json.loads(self.execute(service, "python", "-c", program))

    def inspect(self, service: str) -> dict[str, Any]:
        """The engine's description of a service's container."""
        container = self.compose("ps", "--all", "--quiet", service).strip()
        return json.loads(run("docker", "inspect", container))[0]

    def health(self, service: str) -> str:
        """starting, healthy or unhealthy."""
        return self.inspect(service)["State"]["Health"]["Status"]

    def image(self, service: str) -> str:
        """The image a service runs."""
        return self.inspect(service)["Config"]["Image"]

    def environment(self, service: str) -> dict[str, str]:
        """The variables a service's container was given."""
        return dict(item.split("=", 1) for item in self.inspect(service)["Config"]["Env"])

    def zombies(self, service: str) -> list[str]:
        """Ended processes that nobody waited for, as `pid command`."""
        return self.python(service, ZOMBIES)


ZOMBIES = """
import json, pathlib
found = []
for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
    try:
        pid, rest = stat.read_text().split(" (", 1)
    except OSError:
        continue
    command, fields = rest.rsplit(") ", 1)
    if fields[0] == "Z":
        found.append(f"{pid} {command}")
print(json.dumps(found))
"""


def run(*command: str, environment: dict[str, str] | None = None) -> str:
    """The output of a command that must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=110, env=environment, check=False)
    assert done.returncode == 0, f"{' '.join(command)[:200]}: {done.stdout}{done.stderr}"
    return done.stdout
