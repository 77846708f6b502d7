"""Run the official conformance suite against a server, directly and behind the proxy, and compare the results.

Every check must give the same result as without the proxy. In front of a stdio server the number of events may differ,
and it is the proxy that ends streams before their reply. Where it does not, which is the default, only failures count.
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
SHORT_STREAMS = ("--max-stream", "0.4")
"""A stdio server cannot end a stream before its reply, as one scenario wants. The proxy can."""
LEAST = {"2025-11-25": 84, "2026-07-28": 152}
"""How many checks the server passes directly. A dead server passes many too, but not as many."""

Check: TypeAlias = tuple[str, str, str]
"""A scenario, a check of it, and its status."""


def main() -> int:
    began = time.monotonic()
    results = [compare(version) for version in LEAST]
    print(f"{time.monotonic() - began:.0f} s")
    return 0 if all(results) else 1


def compare(version: str) -> bool:
    """Run the suite for a revision on every transport; whether nothing is worse than without the proxy."""
    print(version)
    with ExitStack() as stack:
        url = stack.enter_context(listening([*SERVER, "http"]))
        direct = checks(url, version)
        is_same = report("the server itself", direct, [*too_few(direct, LEAST[version])])
        for guidance in ("off", "on"):
            front = stack.enter_context(listening(proxied(url, *LISTEN, "--guidance", guidance)))
            found = checks(front, version)
            is_same &= report(f"HTTP to HTTP, guidance {guidance}", found, [*differences(direct, found)])
        stdio = [*SERVER, "stdio"]
        found = checks(stack.enter_context(listening(proxied(stdio, *LISTEN))), version)
        is_same &= report("HTTP to stdio", found, [*failures(direct, found)], [*differences(direct, found)])
        for way, behind in {"stdio": stdio, "stdio to HTTP": proxied(url, "--guidance", "off")}.items():
            found = checks(stack.enter_context(listening(proxied(behind, *LISTEN, *SHORT_STREAMS))), version)
            wrong = [line for line in differences(direct, found) if " INFO " not in line]
            is_same &= report(f"HTTP to {way}, resumed", found, wrong)
    return is_same


def checks(url: str, version: str) -> Counter[Check]:
    """Run the suite; the server must answer before and after it."""
    check_alive(url)
    with TemporaryDirectory() as folder:
        suite = HERE / "node_modules" / ".bin" / "conformance"
        options = ["--url", url, "--spec-version", version, "--suite", "all", "-o", folder]
        subprocess.run([NODE, str(suite), "server", *options], capture_output=True, timeout=600, check=False)
        found = Counter(_read_checks(Path(folder)))
    check_alive(url)
    return found


def check_alive(url: str) -> None:
    assert Posts(url).greet().result["serverInfo"]["name"] == "conformance"


def _read_checks(folder: Path) -> Iterator[Check]:
    for file in folder.glob("*/checks.json"):
        scenario = re.sub(r"^server-|-\d{4}-\d\d-\d\dT.*$", "", file.parent.name)
        for check in json.loads(file.read_text(encoding="utf-8")):
            yield scenario, check["id"], check["status"]


def count_passed(found: Counter[Check]) -> int:
    return sum(count for (_, _, status), count in found.items() if status == "SUCCESS")


def differences(direct: Counter[Check], found: Counter[Check]) -> Iterator[str]:
    for sign, more in (("-", direct - found), ("+", found - direct)):
        for (scenario, check, status), count in sorted(more.items()):
            yield f"{sign} {scenario} {check} {status} {count}"


def failures(direct: Counter[Check], found: Counter[Check]) -> Iterator[str]:
    """What is worse than without the proxy: a failure, or a scenario without results."""
    bad = [line for line in differences(direct, found) if line.startswith("+") and " FAILURE " in line]
    silent = {scenario for scenario, _, _ in direct} - {scenario for scenario, _, _ in found}
    yield from [
        *bad,
        *(f"- {scenario}" for scenario in sorted(silent)),
        *too_few(found, count_passed(direct) * 9 // 10),
    ]


def too_few(found: Counter[Check], least: int) -> Iterator[str]:
    if count_passed(found) < least:
        yield f"only {count_passed(found)} passed, {least} at least should"


def report(way: str, found: Counter[Check], wrong: list[str], different: Sequence[str] = ()) -> bool:
    """Print the results of one transport; whether nothing is wrong."""
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
