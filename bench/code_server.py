"""`python -m bench.code_server`: time the code server on a generated project of 50,000 files.

The first search is timed twice: with the start of a fresh process including imports, and by itself.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from fingerpost.errors import ToolOperationError
from fingerpost.servers.code import create_server

Row = tuple[str, str, str]

_FILES, _ROUNDS = 50_000, 5
_PROBE = (
    "import json, pathlib, sys, time\n"
    "from fingerpost.servers.code import create_server\n"
    "start = time.perf_counter()\n"
    "create_server(pathlib.Path(sys.argv[1])).tools[0](pattern='Service777')\n"
    "print(json.dumps(time.perf_counter() - start))"
)


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        seconds = _time(lambda: _write_project(root, _FILES))
        return [("a tree of 50,000 files", f"{seconds:.1f} s to write", ""), *_measure(root)]


def _measure(root: Path) -> list[Row]:
    whole, alone = _time_first_search(root)
    search, get_definition, list_files = create_server(root).tools
    goal = "under 1 s"
    home = "pkg027/mod03/file777.py"
    calls: list[tuple[str, Callable[[], Any], str]] = [
        ("search, a rare name", lambda: search(pattern="Service777"), goal),
        ("search, a common word (stopped at 20,000)", lambda: search(pattern="user"), goal),
        ("search, a common word in one folder", lambda: search(pattern="user", filter="pkg001/**"), goal),
        ("search, a qualified name", lambda: search(pattern="Service777.handle_777_3"), ""),
        ("search, a misspelled name", lambda: search(pattern="Servcie777"), ""),
        ("list_files", lambda: list_files(), goal),
        ("get_definition", lambda: get_definition(id=f"{home}:Service777.handle_777_3"), goal),
    ]
    first = [
        ("first search, from the start of a process", f"{whole * 1e3:.0f} ms", ""),
        ("  the search alone, nothing parsed yet", f"{alone * 1e3:.0f} ms", goal),
    ]
    return [*first, *((name, f"{_median(call) * 1e3:.0f} ms", wanted) for name, call, wanted in calls)]


def _time_first_search(root: Path) -> tuple[float, float]:
    """The median time of the first search of a process, with and without starting the process."""
    pairs = list[tuple[float, float]]()
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        output = subprocess.check_output([sys.executable, "-c", _PROBE, str(root)])
        pairs.append((time.perf_counter() - start, json.loads(output)))
    return statistics.median(one for one, _ in pairs), statistics.median(one for _, one in pairs)


def _median(call: Callable[[], Any]) -> float:
    return statistics.median(_time(call) for _ in range(_ROUNDS))


def _time(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    with suppress(ToolOperationError):  # an error is a complete answer too
        call()
    return time.perf_counter() - start


def _write_project(root: Path, count: int) -> None:
    for number in range(count):
        folder = root / f"pkg{number % 250:03}" / f"mod{number // 250 % 20:02}"
        if number < 5_000:
            folder.mkdir(parents=True, exist_ok=True)
        (folder / f"file{number}.py").write_text(_source(number), encoding="utf-8")


def _source(number: int) -> str:
    methods = (
        f'    def handle_{number}_{at}(self, value):\n        """Handle it."""\n'
        f"        return self.user.load(value) + {at}\n"
        for at in range(8)
    )
    return f"class Service{number}:\n" + "\n".join(methods)


def main() -> None:
    table = rows()
    width = max(len(name) for name, _, _ in table)
    for name, measured, goal in table:
        print(f"{name:{width}}  {measured:>16}  {goal}")


if __name__ == "__main__":
    main()
