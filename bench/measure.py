"""What the benchmarks share: alternating runs, medians, CPU of children, a table of ratios."""

import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table: what was measured, beside what, and the target of the ratio."""

    what: str
    ours: float
    beside: str
    theirs: float
    target: float | None
    """None for a figure that is told without one."""
    at_most: bool = True
    """The ratio should be at most the target, else at least."""

    @property
    def ratio(self) -> float:
        """Ours to theirs."""
        return self.ours / self.theirs

    @property
    def reached(self) -> bool:
        """True when the ratio is on the right side of the target, or there is none."""
        if self.target is None:
            return True
        return self.ratio <= self.target if self.at_most else self.ratio >= self.target


def alternate(runs: int, subjects: Mapping[str, Callable[[], float]]) -> dict[str, float]:
    """The median of `runs` rounds for each subject. A round asks each of them once, in turn, so that a
    change of the machine's speed meets all alike. One round before them is not counted."""
    for subject in subjects.values():
        subject()
    taken: dict[str, list[float]] = {name: [] for name in subjects}
    for _ in range(runs):
        for name, subject in subjects.items():
            taken[name].append(subject())
    return {name: statistics.median(values) for name, values in taken.items()}


def cpu_seconds(command: Sequence[str], environment: Mapping[str, str] | None = None) -> float:
    """User and system seconds of one run of `command`, which must succeed."""
    before = _of_children()
    subprocess.run(
        command,
        check=True,
        stdout=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **(environment or {})},
    )
    return _of_children() - before


def _of_children() -> float:
    # os.times counts in clock ticks of 10 ms, as long as what is measured here.
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def wall_seconds(action: Callable[[], object]) -> float:
    """Seconds that `action` takes."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def report(title: str, rows: Sequence[Row], unit: str = "s", scale: float = 1.0) -> None:
    """Print the table. Figures are medians, in `unit` after multiplying by `scale`."""
    load = os.getloadavg()[0]
    print(f"\n{title}  (Python {sys.version.split()[0]}, {os.cpu_count()} cores, load {load:.1f})")
    print(f"{'what':<42}{unit:>12}  {'beside':<34}{unit:>12}{'ratio':>9}  target")
    for row in rows:
        sign, mark = ("<=" if row.at_most else ">="), ("" if row.reached else "   missed")
        target = "" if row.target is None else f"{sign} {row.target:g}{mark}"
        print(
            f"{row.what:<42}{row.ours * scale:>12.3f}  {row.beside:<34}{row.theirs * scale:>12.3f}"
            f"{row.ratio:>9.3f}  {target}".rstrip()
        )
