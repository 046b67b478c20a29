"""What the services ask of gRPC's core by the environment."""

import os
import subprocess
import sys

SERVER = "import services, asyncio, grpc\nasync def main(): grpc.aio.server()\nasyncio.run(main())"


def test_grpc_knows_every_experiment_that_the_services_turn_off() -> None:
    # Of a name that it does not know it complains, and then goes on as if it had not been given.
    environment = {**os.environ, "GRPC_VERBOSITY": "ERROR"}
    done = subprocess.run(
        [sys.executable, "-c", SERVER], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
