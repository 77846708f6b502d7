"""The official conformance suite against a server, and against the same server behind the proxy: nothing may differ.

Each check of each scenario is compared with what it says of the server itself. A server on standard streams has
no HTTP of its own, and no streams to take up again, so there only what fails counts.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

from tests.support.published import NODE, Posts, listening, proxied

HERE = Path(__file__).parent
SERVER = [sys.executable, str(HERE / "server.py")]
LISTEN = ("--listen", "127.0.0.1:0")
LEAST = {"2025-11-25": 84, "2026-07-28": 152}
"""How many checks the server passes by itself. A dead one passes many, too, but never as many."""

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
        is_same = told("the server itself", direct, [*too_few(direct, LEAST[version])])
        for guidance in ("off", "on"):
            front = stack.enter_context(listening(proxied(url, *LISTEN, "--guidance", guidance)))
            found = checks(front, version)
            is_same &= told(f"HTTP to HTTP, guidance {guidance}", found, [*differences(direct, found)])
        for way, behind in {"stdio": [*SERVER, "stdio"], "stdio to HTTP": proxied(url, "--guidance", "off")}.items():
            found = checks(stack.enter_context(listening(proxied(behind, *LISTEN))), version)
            is_same &= told(f"HTTP to {way}", found, [*failures(direct, found)], [*differences(direct, found)])
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
    yield from [*bad, *(f"- {scenario}" for scenario in sorted(silent)), *too_few(found, passed(direct) * 9 // 10)]


def too_few(found: Counter[Check], least: int) -> Iterator[str]:
    if passed(found) < least:
        yield f"only {passed(found)} passed, {least} at least should"


def told(way: str, found: Counter[Check], wrong: list[str], different: Sequence[str] = ()) -> bool:
    """Print what came of one way; whether nothing is wrong with it."""
    statuses = Counter[str]()
    for (_, _, status), count in found.items():
        statuses[status] += count
    counts = ", ".join(f"{count} {status.lower()}" for status, count in sorted(statuses.items(), reverse=True))
    verdict = "WRONG" if wrong else "as good" if different else "same"
    print(f"  {way:28} {verdict:8} {counts}", flush=True)
    for line in wrong:
        print(f"    {line}")
    return not wrong


if __name__ == "__main__":
    sys.exit(main())
