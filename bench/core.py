"""What the engine costs, next to validators and string matchers that are measured in turns with it."""

from __future__ import annotations

import gc
import json
import os
import statistics
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from difflib import get_close_matches
from functools import partial
from typing import Any

import jsonschema
import jsonschema_rs
from msgspec import Raw
from rapidfuzz import fuzz, process

from bench.corpus import TEN, TEN_ARGUMENTS, TWICE_WRONG, WRONG, many_tools, page_texts
from bench.mistakes import real_names, slips
from bench.table import Row
from bench.timing import interleave, measure
from fingerpost import Call, Catalog, Envelope, admit, closest, render
from fingerpost.audit.judge.tokens import estimate_tokens
from fingerpost.engine.matching import Names
from fingerpost.middleware.tool_list_cache import ToolListCache
from fingerpost.proxy.protocol.recent_pages import RecentPages


def right_calls() -> Iterator[Row]:
    """A correct call, compared with two validators that only answer yes or no."""
    catalog, call = Catalog.listed([TEN]), Call(TEN["name"], TEN_ARGUMENTS)
    slow: Any = jsonschema.Draft202012Validator(TEN["inputSchema"])
    quick = jsonschema_rs.validator_for(TEN["inputSchema"])
    ours, theirs, bare = interleave(
        lambda: admit(call, catalog),
        lambda: slow.is_valid(TEN_ARGUMENTS),
        lambda: quick.is_valid(TEN_ARGUMENTS),
        loops=400,
    )
    yield "admit, right call, ten parameters", f"{ours * 1e6:.1f} µs", "at most 3 µs"
    yield "  jsonschema / admit", f"{theirs / ours:.1f} x", "at least 20 x"
    yield "  admit / jsonschema-rs alone", f"{ours / bare:.1f} x", ""


def wrong_calls() -> Iterator[Row]:
    """Calls with one and two mistakes, from the call to the text, in a small and in a large tool list."""
    for size in (10, 5_000):
        catalog = Catalog.listed([TEN, *many_tools(size)])
        for count, calls, goal in (("one mistake", WRONG, 0.6), ("two mistakes", TWICE_WRONG, 1.0)):
            slowest = max(interleave(*(partial(_guide, call, catalog) for call in calls), loops=20))
            yield f"admit + render, {count}, {size:,} tools", f"{slowest * 1e3:.2f} ms", f"at most {goal:g} ms"


def _guide(call: Call, catalog: Catalog) -> Envelope:
    return render(admit(call, catalog).report)


def unknown_tools() -> Iterator[Row]:
    """Unknown tool names, compared with difflib."""
    tools = many_tools(5_000)
    catalog = Catalog.listed(tools)
    names = [tool["name"] for tool in tools]
    first = measure(lambda: admit(Call("x"), catalog))
    calls = [Call(name[:4] + name[5:], {}) for name in names[::500]]
    ours, theirs = interleave(
        lambda: [_guide(call, catalog) for call in calls],
        lambda: [get_close_matches(call.tool, names, n=5) for call in calls[:2]],
        loops=1,
    )
    yield "admit + render, unknown tool, 5,000 tools", f"{ours / len(calls) * 1e3:.2f} ms", "at most 3 ms"
    yield "  difflib / ours", f"{theirs / 2 / (ours / len(calls)):.0f} x", ""
    yield "  the first call, which builds the index", f"{first * 1e3:.0f} ms", ""


def matching() -> Iterator[Row]:
    """`closest` on every kind of misspelling, compared with difflib and rapidfuzz; the index is built before."""
    for size, goal, few, rounds in ((100, 0.1, 10, 9), (1_000, 0.5, 10, 9), (10_000, 2.0, 2, 5), (100_000, 6.0, 1, 3)):
        names = real_names(size)
        known, asked = Names(names), slips(names, 100)
        first = measure(lambda known=known: closest("serach", known))
        ours, theirs, quick = interleave(
            lambda known=known, asked=asked: [closest(one, known) for one in asked],
            lambda names=names, some=asked[:few]: [get_close_matches(one, names) for one in some],
            lambda names=names, some=asked[:few]: [process.extract(one, names, scorer=fuzz.WRatio) for one in some],
            loops=1,
            rounds=rounds,
        )
        each = ours / len(asked)
        yield f"closest, {size:,} names", f"{each * 1e3:.2f} ms", f"at most {goal:g} ms"
        yield "  difflib / ours", f"{theirs / few / each:.1f} x", ""
        yield "  rapidfuzz WRatio / ours", f"{quick / few / each:.1f} x", ""
        yield "  the first question, which builds the index", f"{first * 1e3:.0f} ms", ""


def listing() -> Iterator[Row]:
    """The time and memory of a list of 5,000 tools, before and after every tool has been called."""
    tools = many_tools(5_000)
    spent = measure(lambda: Catalog.listed(tools))
    gc.collect()
    tracemalloc.start()
    catalog = Catalog.listed(tools)
    _ = catalog.names
    listed = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    before = _resident()
    for tool in catalog:
        tool.accepts({})
    yield "Catalog.listed, 5,000 tools", f"{spent * 1e3:.0f} ms", "at most 1,000 ms"
    yield "  memory per tool, listed and indexed", f"{listed / len(tools) / 1024:.1f} kB", "at most 10 kB"
    yield "  memory per tool, validator compiled", f"{(_resident() - before) / len(tools) / 1024:.1f} kB", ""
    large = Catalog.listed(many_tools(50_000))
    first = measure(lambda: render(admit(Call("serach_thing_7", {}), large).report))
    yield "first unknown tool among 50,000, which builds the index", f"{first * 1e3:.0f} ms", "at most 100 ms"
    yield from _reread()


def _reread() -> Iterator[Row]:
    """The time to read an unchanged list again: its bytes in the proxy, its objects in the middleware."""
    raw = json.dumps({"tools": many_tools(1_000)}).encode()
    pages, cache, objects = RecentPages(), ToolListCache(Catalog.listed), ToolListCache(Catalog.listed)
    lists = [json.loads(raw)["tools"] for _ in range(2)]

    def read_bytes() -> None:
        cache.put("caller", list(pages.decode(Raw(bytes(raw))).fields["tools"]))

    def read_objects() -> None:
        lists.reverse()
        objects.put("caller", lists[0])

    for name, read in (("bytes, in the proxy", read_bytes), ("new objects, in the middleware", read_objects)):
        read()
        yield (
            f"reading 1,000 unchanged tools again, {name}",
            f"{measure(read, loops=20) * 1e3:.3f} ms",
            "at most 0.1 ms",
        )


def _resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * 4096


def texts() -> Iterator[Row]:
    """The size of the guided errors on the code pages."""
    every = list(page_texts())
    sizes = sorted(estimate_tokens(text) for text in every)
    yield f"tokens of a guided error, median of {len(sizes)}", f"{statistics.median(sizes):.0f}", "at most 50"
    yield "  95th percentile", f"{sizes[len(sizes) * 95 // 100]}", "at most 120"
    yield "  the longest text", f"{max(map(len, every))} characters", "at most 800"


def imports() -> Iterator[Row]:
    """The import of the package in a fresh process."""
    probe = (
        "import sys, time, json; t = time.perf_counter(); import fingerpost; t = time.perf_counter() - t;"
        "print(json.dumps([t, [m for m in ('mcp', 'pydantic', 'asyncio') if m in sys.modules]]))"
    )
    cached = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    runs = [json.loads(subprocess.check_output([sys.executable, "-c", probe], env=cached)) for _ in range(9)]
    yield "import fingerpost", f"{statistics.median(run[0] for run in runs) * 1e3:.0f} ms", "at most 60 ms"
    yield "  heavy modules it imports", ", ".join(runs[0][1]) or "none", "none of mcp, pydantic, asyncio"
