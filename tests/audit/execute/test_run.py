"""How many calls an audit sends, in which order, and how much it keeps."""

from __future__ import annotations

import asyncio
import sys
import tracemalloc
from typing import Any

import pytest

from fingerpost.audit.execute.run import Audit
from fingerpost.audit.execute.run_audit import Settings, run_audit
from fingerpost.audit.execute.server import Server
from fingerpost.audit.execute.target import Target
from fingerpost.audit.generate.plan import Plan
from fingerpost.audit.reports import plain_json
from fingerpost.engine.catalog import Catalog
from fingerpost.engine.model import Call
from tests.support.audited_servers import FAR, NEAR, audit, command
from tests.support.misbehaving import tool


def python(program: str) -> tuple[str, ...]:
    return (sys.executable, "-S", "-c", program)


class CountingServer(Server):
    """A server that counts the calls, and how many are in flight."""

    most = now = total = 0

    async def call(self, call: Call) -> Any:
        self.now += 1
        self.total += 1
        self.most = max(self.most, self.now)
        try:
            return await super().call(call)
        finally:
            self.now -= 1


@pytest.mark.parametrize("in_flight", [1, 3])
def test_calls_in_flight_are_limited_and_few_extra_calls_are_sent(in_flight: int) -> None:
    async def count_calls() -> CountingServer:
        server = CountingServer(Target(command=command(tools=[NEAR], does={"look_up": [["later", 0.01]]})))
        async with server:
            plan = Plan(Catalog.listed(await server.list_tools()), seed=1, most=20)
            assert [event async for event in Audit(server, plan, in_flight=in_flight).events()]
        return server

    server = asyncio.run(count_calls())
    assert server.most == in_flight
    assert server.total == 20 + 1 + 2 * 2 + 1, "wrong calls, the first again, two right ones twice, and a made-up tool"


def test_the_same_seed_gives_the_same_report_with_any_number_of_calls_in_flight() -> None:
    program = python(_PLAIN)
    one, four, other = (audit(program, **more) for more in ({"in_flight": 1}, {"in_flight": 4}, {"seed": 2}))
    assert plain_json.render(one.report) == plain_json.render(four.report)
    assert len(one.report.findings) > 3
    assert one.verdicts("look_up") != other.verdicts("look_up")


_PLAIN = f"""
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        result = {{"tools": {[NEAR, FAR]!r}}} if asked["method"] == "tools/list" else {{"content": []}}
        print(json.dumps({{"jsonrpc": "2.0", "id": asked["id"], "result": result}}), flush=True)
"""


@pytest.mark.no_cover
def test_memory_grows_with_the_tools_and_not_with_the_replies() -> None:
    def kept_and_peak(count: int, size: int) -> tuple[int, int]:
        tools = [tool(f"tool_{number}", {}) for number in range(count)]
        program = python(_LONG.format(tools=tools, size=size))
        tracemalloc.start()
        report, _ = asyncio.run(run_audit(Target(command=program), Settings(most=1)))
        kept, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert report.done == count
        return kept, peak

    assert kept_and_peak(300, 300)[0] < 300 * 10_000
    short, long = kept_and_peak(10, 300), kept_and_peak(10, 100_000)
    assert long[0] < 2 * short[0]
    assert long[1] < 40 * 100_000, "of which several are held at once, and many more are sent"


_LONG = """
import json, sys
tools = {tools}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        result = {{"isError": True, "content": [{{"type": "text", "text": "no word " * ({size} // 8)}}]}}
        result = {{"tools": tools}} if asked["method"] == "tools/list" else result
        print(json.dumps({{"jsonrpc": "2.0", "id": asked["id"], "result": result}}), flush=True)
"""
