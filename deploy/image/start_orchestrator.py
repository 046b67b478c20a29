"""Choose which Pi runs the sessions of this container, by PI=auto|real|fake, and become the orchestrator.

`GET /runner` says which it is and why, and so does the first line of the log.
"""

import os
import sys
from pathlib import Path

from launcher.pi_choice import NoUsablePi, choose


def main() -> None:
    """Entry point; exits 1 when PI=real cannot run."""
    wanted = os.environ.get("PI") or "auto"
    if wanted not in {"auto", "real", "fake"}:
        sys.exit(f"PI={wanted} is not one of auto, real, fake")
    home = Path(os.environ["THOTHII_HOME"])
    try:
        choice = choose(wanted, real_pi=home / "node_modules" / ".bin" / "pi")
    except NoUsablePi as problem:
        sys.exit(f"PI=real cannot run: {problem}")
    sys.stderr.write(f"Pi: {choice.runner}: {choice.reason}\n")
    environment = {**os.environ, **choice.environment, "THOTHII_RUNNER_REASON": choice.reason}
    os.execve(sys.executable, [sys.executable, "-m", "services.orchestrator"], environment)


if __name__ == "__main__":
    main()
