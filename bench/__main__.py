"""`make bench`: what the core, the doors and the proxy cost, beside peers measured in the same run.

Every number is a ratio or a median taken on this machine, in this process, interleaved with what it is
compared to. The goal of each row is printed with it; nothing is asserted, because machines are noisy.
"""

from __future__ import annotations

import gc
import json
import os
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from difflib import get_close_matches
from functools import partial
from typing import Any

import jsonschema
import jsonschema_rs
from rapidfuzz import fuzz, process

from bench.audit import rows as audit
from bench.code_server import rows as code_server
from bench.corpus import TEN, TEN_ARGUMENTS, TWICE_WRONG, WRONG, many_tools, page_texts
from bench.doors import doors
from bench.loop import loop
from bench.mistakes import real_names, slips
from bench.proxy import proxy
from bench.units_typos import rows as units_typos
from fingerpost import Call, Catalog, Envelope, admit, closest, render
from fingerpost.audit.judge.tokens import estimate_tokens
from fingerpost.engine.matching import Names

Row = tuple[str, str, str]


def main() -> None:
    rows = [*right_calls(), *wrong_calls(), *unknown_tools(), *matching(), *listing(), *texts(), *imports()]
    rows += doors()
    rows += proxy()
    rows += [*code_server(), *units_typos(), *loop(), *audit()]
    width = max(len(name) for name, _, _ in rows)
    for name, measured, goal in rows:
        print(f"{name:{width}}  {measured:>16}  {goal}")


def right_calls() -> list[Row]:
    """A call that is right, beside two validators that only say yes."""
    catalog, call = Catalog.listed([TEN]), Call(TEN["name"], TEN_ARGUMENTS)
    slow: Any = jsonschema.Draft202012Validator(TEN["inputSchema"])
    quick = jsonschema_rs.validator_for(TEN["inputSchema"])
    ours, theirs, bare = interleaved(
        lambda: admit(call, catalog),
        lambda: slow.is_valid(TEN_ARGUMENTS),
        lambda: quick.is_valid(TEN_ARGUMENTS),
        loops=400,
    )
    return [
        ("admit, right call, ten parameters", f"{ours * 1e6:.1f} µs", "at most 15 µs"),
        ("  jsonschema / admit", f"{theirs / ours:.1f} x", "at least 20 x"),
        ("  admit / jsonschema-rs alone", f"{ours / bare:.1f} x", ""),
    ]


def wrong_calls() -> list[Row]:
    """Calls with one and two slips, from the call to the text, in a small and in a large list."""
    rows: list[Row] = []
    for size in (10, 5_000):
        catalog = Catalog.listed([TEN, *many_tools(size)])
        for count, calls in (("one slip", WRONG), ("two slips", TWICE_WRONG)):
            slowest = max(median(partial(guided, call, catalog), loops=40) for call in calls)
            rows.append((f"admit + render, {count}, {size:,} tools", f"{slowest * 1e3:.2f} ms", "at most 0.5 ms"))
    return rows


def guided(call: Call, catalog: Catalog) -> Envelope:
    return render(admit(call, catalog).report)


def unknown_tools() -> list[Row]:
    tools = many_tools(5_000)
    catalog = Catalog.listed(tools)
    names = [tool["name"] for tool in tools]
    first = timed(lambda: admit(Call("x"), catalog))
    calls = [Call(name[:4] + name[5:], {}) for name in names[::500]]
    ours, theirs = interleaved(
        lambda: [render(admit(call, catalog).report) for call in calls],
        lambda: [get_close_matches(call.tool, names, n=5) for call in calls[:2]],
        loops=3,
    )
    return [
        ("admit + render, unknown tool, 5,000 tools", f"{ours / len(calls) * 1e3:.2f} ms", "at most 3 ms"),
        ("  difflib / ours", f"{theirs / 2 / (ours / len(calls)):.0f} x", ""),
        ("  the first one, which makes the index", f"{first * 1e3:.0f} ms", ""),
    ]


def matching() -> list[Row]:
    """One question of each kind of slip, beside what is usually asked; the index is made beforehand."""
    rows: list[Row] = []
    for size, goal in ((100, 0.1), (1_000, 0.5), (10_000, 2.0), (100_000, 6.0)):
        names = real_names(size)
        known, asked = Names(names), slips(names, 100)
        made = timed(lambda known=known: closest("serach", known))
        few = asked[:10] if size < 10_000 else asked[:2]
        ours, theirs, quick = interleaved(
            lambda known=known, asked=asked: [closest(slip, known) for slip in asked],
            lambda names=names, few=few: [get_close_matches(slip, names) for slip in few],
            lambda names=names, few=few: [process.extract(slip, names, scorer=fuzz.WRatio) for slip in few],
            loops=3,
        )
        each = ours / len(asked)
        rows += [
            (f"closest, {size:,} names", f"{each * 1e3:.2f} ms", f"at most {goal:g} ms"),
            ("  difflib / ours", f"{theirs / len(few) / each:.1f} x", ""),
            ("  rapidfuzz WRatio / ours", f"{quick / len(few) / each:.1f} x", ""),
            ("  the first question, which makes the index", f"{made * 1e3:.0f} ms", ""),
        ]
    return rows


def listing() -> list[Row]:
    """What 5,000 tools cost to list, and to hold when every one of them has been called."""
    tools = many_tools(5_000)
    spent = timed(lambda: Catalog.listed(tools))
    gc.collect()
    tracemalloc.start()
    catalog = Catalog.listed(tools)
    _ = catalog.names
    listed = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    before = resident()
    for tool in catalog:
        tool.accepts({})
    return [
        ("Catalog.listed, 5,000 tools", f"{spent * 1e3:.0f} ms", "at most 1,000 ms"),
        ("  memory a tool, listed and indexed", f"{listed / len(tools) / 1024:.1f} kB", "at most 10 kB"),
        ("  memory a tool, its validator compiled", f"{(resident() - before) / len(tools) / 1024:.1f} kB", ""),
    ]


def texts() -> list[Row]:
    every = list(page_texts())
    sizes = [estimate_tokens(text) for text in every]
    longest = max(map(len, every))
    return [
        (f"tokens of a guided error, median of {len(sizes)}", f"{statistics.median(sizes):.0f}", "at most 120"),
        ("  the longest text", f"{longest} characters", "at most 800"),
    ]


def imports() -> list[Row]:
    probe = (
        "import sys, time, json; t = time.perf_counter(); import fingerpost; t = time.perf_counter() - t;"
        "print(json.dumps([t, [m for m in ('mcp', 'pydantic', 'asyncio') if m in sys.modules]]))"
    )
    cached = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    runs = [json.loads(subprocess.check_output([sys.executable, "-c", probe], env=cached)) for _ in range(9)]
    heavy = runs[0][1]
    return [
        ("import fingerpost", f"{statistics.median(run[0] for run in runs) * 1e3:.0f} ms", "at most 60 ms"),
        ("  heavy modules it pulls in", ", ".join(heavy) or "none", "none of mcp, pydantic, asyncio"),
    ]


def interleaved(*functions: Callable[[], Any], loops: int, rounds: int = 15) -> list[float]:
    """The median seconds of each, measured in turns so that a noisy moment hits all alike."""
    spent: list[list[float]] = [[] for _ in functions]
    for _ in range(rounds):
        for function, times in zip(functions, spent, strict=True):
            times.append(timed(function, loops))
    return [statistics.median(times) for times in spent]


def median(function: Callable[[], Any], loops: int) -> float:
    return interleaved(function, loops=loops)[0]


def timed(function: Callable[[], Any], loops: int = 1) -> float:
    start = time.perf_counter()
    for _ in range(loops):
        function()
    return (time.perf_counter() - start) / loops


def resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * 4096


if __name__ == "__main__":
    main()
