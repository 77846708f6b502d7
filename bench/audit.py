"""How long an audit takes and what it keeps: `python -m bench.audit`, on a server of many tools on the official SDK."""

from __future__ import annotations

import asyncio
import sys
import time
import tracemalloc

from fingerpost.audit.execute.run_audit import Settings, conducted
from fingerpost.audit.execute.server import Target
from fingerpost.audit.report import Report

Row = tuple[str, str, str]


def rows() -> list[Row]:
    made: list[Row] = []
    for tools, goal in ((20, "under 20 s"), (300, "")):
        seconds, report = _audited(tools)
        calls = f"{report.done:,} calls, {report.grade} {report.letter}"
        made.append((f"audit of {tools} tools by stdio, 4 calls in flight ({calls})", f"{seconds:.1f} s", goal))
    few, many = (_held(tools) for tools in (20, 60))
    made.append(("  held at most, 60 tools", f"{many / 1e6:.1f} MB", ""))
    made.append(("  three times the tools hold", f"{many / few:.1f} x", "no more than 3 x"))
    return made


def _audited(tools: int) -> tuple[float, Report]:
    start = time.perf_counter()
    target = Target(command=(sys.executable, "-m", "bench.programs", "several", str(tools)))
    report, _ = asyncio.run(conducted(target, Settings()))
    return time.perf_counter() - start, report


def _held(tools: int) -> int:
    tracemalloc.start()
    _audited(tools)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


if __name__ == "__main__":
    for name, measured, goal in rows():
        print(f"{name:80}  {measured:>9}  {goal}")
