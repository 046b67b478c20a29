"""Ways to run a command without network and without write access outside one directory."""

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

NONE = "none"

_READ_ONLY_SCRIPT = """\
mount --bind "$1" "$1" && mount --bind "$2" "$2" || exit 125
awk '{print $5}' /proc/self/mountinfo | while read -r point; do
  case "$point" in
    "$1"|"$2"|/proc|/proc/*|/dev|/dev/*) ;;
    *) mount -o remount,bind,ro "$point" 2>/dev/null ;;
  esac
done
cd "$1" && shift 2 && exec "$@"
"""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A way to start commands; `name` is `bubblewrap`, `unshare` or `none`."""

    name: str
    prefix: tuple[str, ...]

    def command(self, words: Sequence[str]) -> list[str]:
        """`words` in the sandbox."""
        return [*self.prefix, *words]


def choose_sandbox(tree: str, home: str) -> Sandbox:
    """The best sandbox that works here; only `tree` and `home` can be written to in it.

    Bubblewrap, else the namespaces of `unshare`; where the system offers neither, `none`.
    """
    for candidate in (_bubblewrap(tree, home), _unshare(tree, home)):
        if candidate is not None and _works(candidate):
            return candidate
    return Sandbox(NONE, ())


def _bubblewrap(tree: str, home: str) -> Sandbox | None:
    program = shutil.which("bwrap")
    if program is None:
        return None
    binds = ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/run")
    writable = ("--bind", tree, tree, "--bind", home, home, "--chdir", tree)
    return Sandbox(
        "bubblewrap", (program, "--unshare-all", "--die-with-parent", "--new-session", *binds, *writable)
    )


def _unshare(tree: str, home: str) -> Sandbox | None:
    program = shutil.which("unshare")
    if program is None:
        return None
    namespaces = ("--user", "--map-root-user", "--net", "--ipc", "--uts", "--mount", "--pid", "--fork")
    script = ("--kill-child", "--mount-proc", "sh", "-c", _READ_ONLY_SCRIPT, "sh", tree, home)
    return Sandbox("unshare", (program, *namespaces, *script))


def _works(sandbox: Sandbox) -> bool:
    try:
        done = subprocess.run(
            sandbox.command(["true"]), stdin=subprocess.DEVNULL, capture_output=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
