"""Measure the time and memory of an audit of a server with many tools on the official SDK: `python -m bench.audit`."""

from __future__ import annotations

import asyncio
import sys
import time
import tracemalloc

from fingerpost.audit.execute.run_audit import Settings, run_audit
from fingerpost.audit.execute.target import Target
from fingerpost.audit.report import Report

Row = tuple[str, str, str]


def rows() -> list[Row]:
    table: list[Row] = []
    for tools, goal in ((20, "under 20 s"), (300, "")):
        seconds, report = _run_audit(tools)
        calls = f"{report.done:,} calls, {report.grade} {report.letter}"
        table.append((f"audit of {tools} tools by stdio, 4 calls in flight ({calls})", f"{seconds:.1f} s", goal))
    few, many = (_peak_memory(tools) for tools in (20, 60))
    table.append(("  peak memory, 60 tools", f"{many / 1e6:.1f} MB", ""))
    table.append(("  peak memory of three times the tools", f"{many / few:.1f} x", "no more than 3 x"))
    return table


def _run_audit(tools: int) -> tuple[float, Report]:
    start = time.perf_counter()
    target = Target(command=(sys.executable, "-m", "bench.programs", "several", str(tools)))
    report, _ = asyncio.run(run_audit(target, Settings()))
    return time.perf_counter() - start, report


def _peak_memory(tools: int) -> int:
    tracemalloc.start()
    _run_audit(tools)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


if __name__ == "__main__":
    for name, measured, goal in rows():
        print(f"{name:80}  {measured:>9}  {goal}")
