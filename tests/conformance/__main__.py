"""The official conformance suite against a server, and against the same server behind the proxy: nothing may differ.

Each check of each scenario is compared with what it says of the server itself. A server on standard streams has
no HTTP of its own to compare with, so there only what fails counts.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

from tests.published import NODE, Posts, listening

HERE = Path(__file__).parent
SERVER = [sys.executable, str(HERE / "server.py")]
PROXY = [sys.executable, "-m", "fingerpost.cli", "proxy", "--listen", "127.0.0.1:0"]
LEAST = {"2025-11-25": 84, "2026-07-28": 152}
"""How many checks the server passes by itself. A dead one passes many, too, but never as many."""

GUIDANCE = ("off", "on")

Check: TypeAlias = tuple[str, str, str]
"""A scenario, a check of it, and its status."""


def main() -> int:
    began = time.monotonic()
    results = [compared(version) for version in LEAST]
    print(f"{time.monotonic() - began:.0f} s")
    return 0 if all(results) else 1


def compared(version: str) -> bool:
    """Whether the suite for this revision says the same on every way to the server."""
    print(version)
    with ExitStack() as stack:
        url = stack.enter_context(listening([*SERVER, "http"]))
        direct = checks(url, version)
        is_same = told("the server itself", direct, [] if passed(direct) >= LEAST[version] else ["too few passed"])
        for guidance in GUIDANCE:
            front = stack.enter_context(listening([*PROXY, "--guidance", guidance, url]))
            found = checks(front, version)
            is_same &= told(f"HTTP to HTTP, guidance {guidance}", found, [*differences(direct, found)])
        for guidance in GUIDANCE:
            command = [*PROXY, "--guidance", guidance, "--", *SERVER, "stdio"]
            found = checks(stack.enter_context(listening(command)), version)
            is_same &= told(f"HTTP to stdio, guidance {guidance}", found, [*failures(direct, found)])
    return is_same


def checks(url: str, version: str) -> Counter[Check]:
    """What the suite finds; the server has to be there before and after."""
    is_there(url)
    with TemporaryDirectory() as folder:
        suite = HERE / "node_modules" / ".bin" / "conformance"
        options = ["--url", url, "--spec-version", version, "--suite", "all", "-o", folder]
        subprocess.run([NODE, str(suite), "server", *options], capture_output=True, timeout=600, check=False)
        found = Counter(_found(Path(folder)))
    is_there(url)
    return found


def is_there(url: str) -> None:
    assert Posts(url).greet().result["serverInfo"]["name"] == "conformance"


def _found(folder: Path) -> Iterator[Check]:
    for file in folder.glob("*/checks.json"):
        scenario = re.sub(r"^server-|-\d{4}-\d\d-\d\dT.*$", "", file.parent.name)
        for check in json.loads(file.read_text(encoding="utf-8")):
            yield scenario, check["id"], check["status"]


def passed(found: Counter[Check]) -> int:
    return sum(count for (_, _, status), count in found.items() if status == "SUCCESS")


def differences(direct: Counter[Check], found: Counter[Check]) -> Iterator[str]:
    for sign, more in (("-", direct - found), ("+", found - direct)):
        for (scenario, check, status), count in sorted(more.items()):
            yield f"{sign} {scenario} {check} {status} {count}"


def failures(direct: Counter[Check], found: Counter[Check]) -> Iterator[str]:
    """What is worse than without the proxy: a failure, or a scenario of which nothing is heard."""
    bad = [line for line in differences(direct, found) if line.startswith("+") and " FAILURE " in line]
    silent = {scenario for scenario, _, _ in direct} - {scenario for scenario, _, _ in found}
    yield from [*bad, *(f"- {scenario}" for scenario in sorted(silent))]


def told(way: str, found: Counter[Check], wrong: list[str]) -> bool:
    statuses = Counter[str]()
    for (_, _, status), count in found.items():
        statuses[status] += count
    counts = ", ".join(f"{count} {status.lower()}" for status, count in sorted(statuses.items(), reverse=True))
    print(f"  {way:28} {'same' if not wrong else 'WRONG':6} {counts}")
    for line in wrong:
        print(f"    {line}")
    return not wrong


if __name__ == "__main__":
    sys.exit(main())
