"""What each container is given and what it may do."""

import os
import subprocess

import pytest

from tests.compose.containers import HOME, SERVICES, Containers, run
from tests.helpers import assert_eventually

pytestmark = pytest.mark.compose

SECRETS_AND_DATABASES = r"\( -name '*.env' -o -name '*.duckdb' -o -name '*.sqlite*' -o -name '*.db' \)"
KERNEL = r"\( -path /proc -o -path /sys -o -path /dev \) -prune"

ORPHANS = """
import json, os, time
for _ in range(20):
    if os.fork() == 0:
        if os.fork() == 0:
            time.sleep(0.05)
        os._exit(0)
    os.wait()
deadline = time.monotonic() + 5
while time.monotonic() < deadline:
    states = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                states.append(open(f"/proc/{name}/stat").read().rsplit(") ", 1)[1][0])
            except OSError:
                continue
    # Only the first process, its helpers and this one are left once the orphans were reaped.
    if len(states) <= int(os.environ["EXPECTED"]):
        break
print(json.dumps(states.count("Z")), len(states))
"""
"""Leaves twenty grandchildren behind; prints how many zombies and how many processes there are in the end."""


@pytest.mark.parametrize("service", SERVICES)
def test_b04_an_image_reaps_orphans_without_an_init_of_the_engine(
    service: str, containers: Containers
) -> None:
    image = containers.image(service)
    # tini and this program.
    command = (
        "docker",
        "run",
        "--rm",
        "--network",
        "none",
        "-e",
        "EXPECTED=2",
        image,
        "python",
        "-c",
        ORPHANS,
    )
    assert run(*command).split() == ["0", "2"]


@pytest.mark.parametrize("service", SERVICES)
async def test_b04_the_services_containers_reap_orphans(service: str, containers: Containers) -> None:
    containers.execute(service, "sh", "-c", "for n in 1 2 3 4 5 6 7 8; do (sleep 0.1 &); done")
    await assert_eventually(lambda: containers.zombies(service) == [], seconds=10, interval=0.5)
    assert containers.inspect(service)["HostConfig"]["Init"] is True


@pytest.mark.parametrize("service", SERVICES)
def test_no_service_runs_as_root_or_can_become_it(service: str, containers: Containers) -> None:
    assert containers.execute(service, "id", "-u").strip() == "10001"
    status = containers.execute(service, "cat", "/proc/self/status")
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert int(fields["CapEff"], 16) == int(fields["CapBnd"], 16) == 0
    assert fields["NoNewPrivs"] == "1"


def test_only_the_gateway_is_published_and_only_on_loopback(containers: Containers) -> None:
    published = {
        service: [
            binding["HostIp"]
            for bindings in containers.inspect(service)["NetworkSettings"]["Ports"].values()
            for binding in bindings or []
        ]
        for service in SERVICES
    }
    assert published == {"gateway": ["127.0.0.1"], "orchestrator": [], "tht-executor": []}


@pytest.mark.parametrize("address", ["orchestrator:50151", "tht-executor:50152"])
def test_a_call_without_the_services_token_is_refused(address: str, containers: Containers) -> None:
    package, method = {
        "orchestrator:50151": ("orchestrator", "GetRunner"),
        "tht-executor:50152": ("executor", "ListSessions"),
    }[address]
    code = containers.python(
        "gateway",
        f"""
import grpc, json
channel = grpc.insecure_channel("{address}")
service = "/thothii.{package}.v1.{package.capitalize()}Service/{method}"
call = channel.unary_unary(service, request_serializer=bytes, response_deserializer=bytes)
try:
    call(b"", timeout=10)
    print(json.dumps("answered"))
except grpc.RpcError as error:
    print(json.dumps(error.code().name))
""",
    )
    assert code == "UNAUTHENTICATED"


def test_database_and_its_secrets_are_with_the_executor_alone(containers: Containers) -> None:
    secret = os.environ["THOTHII_TEST_SECRET"]
    assert containers.environment("tht-executor")["FLIGHTS_PASSWORD"] == secret
    for service in ("orchestrator", "gateway"):
        assert secret not in str(containers.inspect(service))
        environments = containers.execute(service, "sh", "-c", "cat /proc/[0-9]*/environ 2>/dev/null || true")
        assert environments and secret not in environments
        written = containers.execute(
            service,
            "sh",
            "-c",
            f"grep -rlF {secret} /srv/thothii/harness/sessions /var/lib /tmp /home 2>&1 || true",
        )
        assert [line for line in written.splitlines() if not line.startswith("grep:")] == []
        # What opens databases is not installed either.
        found = containers.python(
            service,
            "import importlib.util as u, json; print(json.dumps([name for name in "
            "('duckdb', 'psycopg', 'pymysql', 'sqlglot') if u.find_spec(name)]))",
        )
        assert found == []


@pytest.mark.parametrize("service", SERVICES)
def test_no_secret_is_in_an_image_and_no_database_but_the_executors(
    service: str, containers: Containers
) -> None:
    image = containers.image(service)
    described = run("docker", "image", "inspect", image) + run("docker", "history", "--no-trunc", image)
    assert "THOTHII_HOME" in described
    for name in ("THOTHII_SERVICE_TOKEN", "THOTHII_TEST_SECRET"):
        assert os.environ[name] not in described
    databases = [f"{HOME}/data/flights.duckdb"] if service == "tht-executor" else []
    # As root, who sees every file.
    looking = ("docker", "run", "--rm", "--network", "none", "--user", "0", image, "sh", "-c")
    assert run(*looking, f"find / -xdev -type f {SECRETS_AND_DATABASES}").split() == databases
    looking = (*containers.client, "exec", "-T", service, "sh", "-c")
    seen = run(*looking, f"find / {KERNEL} -o -type f {SECRETS_AND_DATABASES} -print 2>/dev/null || true")
    assert seen.split() == databases


def test_the_pinned_pi_is_in_the_orchestrator_and_says_why_it_does_not_run(containers: Containers) -> None:
    if os.environ.get("WITH_PI", "1") != "1":
        pytest.skip("built with WITH_PI=0")
    assert containers.execute("orchestrator", "harness/node_modules/.bin/pi", "--version").strip() == "1.6.0"
    chosen = containers.python(
        "orchestrator",
        "import json, pathlib, launcher.pi_choice as pi\n"
        f"choice = pi.choose('auto', real_pi=pathlib.Path('{HOME}/node_modules/.bin/pi'))\n"
        "print(json.dumps([choice.runner, choice.reason]))",
    )
    assert chosen[0] == "fake_pi"
    assert "no model with credentials" in chosen[1]


def test_nothing_starts_without_a_token(containers: Containers) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "THOTHII_SERVICE_TOKEN"}
    refused = subprocess.run(
        [*containers.client, "--env-file", os.devnull, "config", "--quiet"],
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
        check=False,
    )
    assert refused.returncode != 0
    assert "THOTHII_SERVICE_TOKEN is missing" in refused.stderr
    assert "make up" in refused.stderr
