"""A million messages with faults among them leave nothing behind in memory."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

from tests.support.waiting import PATIENCE

from .findings import Broken, Findings
from .stand import Listening, Stdio, call, closing, request
from .web import connection, modern

_BATCH = 100
_GROWTH = 5.0
_FAULTS = 0.01
_WARM = 50_000
"""Messages after which what is kept on purpose, and bounded, has reached its bounds."""


def run(found: Findings, count: int, seed: int) -> None:
    """`count` is how many messages there are, both ways taken together; a tenth of them by HTTP."""
    dice = random.Random(seed)
    _stdio(found, count * 9 // 10, dice)
    asyncio.run(_by_http(found, count // 10, dice))


class _Memory:
    """What a process holds after the first tenth, and at most from then on."""

    def __init__(self, found: Findings, what: str, of: int) -> None:
        self._found, self._what, self._of = found, what, of
        self._first = self._last = 0.0

    def seen(self, done: int, rss: float) -> None:
        self._last = rss
        if not self._first and done >= max(self._of / 10, min(_WARM, self._of / 2)):
            self._first = rss
        self._found.progress(done, self._of)

    def judged(self) -> None:
        growth = self._last - self._first
        self._found.hold(growth <= _GROWTH, f"{self._what}: {self._first:.1f} MB grew by {growth:.1f} MB")
        self._found.measured(f"{self._what}, {self._of:,} messages, growth of {self._first:.0f} MB", f"{growth:.1f} MB")


def _stdio(found: Findings, count: int, dice: random.Random) -> None:
    memory = _Memory(found, "stdio", count)
    with closing(Stdio()) as proxy:
        proxy.shake_hands()
        for start in range(0, count // 2, _BATCH):
            frames = [_frame(dice, start + turn) for turn in range(_BATCH)]
            kills = dice.random() < _FAULTS
            proxy.send(*frames, *([call("die", "die", {})] if kills else []))
            _heard(proxy, start, kills)
            if not found.hold(proxy.is_alive, f"the proxy has ended: {proxy.errors[-500:]!r}"):
                return
            memory.seen(start * 2, proxy.rss())
    memory.judged()


def _heard(proxy: Stdio, start: int, kills: bool) -> None:
    """Wait until everything of a batch is answered; what comes besides is of no interest."""
    wanted = {start + turn for turn in range(_BATCH)} | ({"die"} if kills else set[Any]())
    while wanted:
        lines = proxy.taken(1, PATIENCE) + proxy.taken(len(proxy.lines), 0)
        if not lines:
            raise Broken(f"{len(wanted)} requests are never answered: {[*wanted][:3]}; {proxy.errors[-500:]!r}")
        for _, line in lines:
            id = json.loads(line).get("id")
            if not isinstance(id, list):
                wanted.discard(id)


def _frame(dice: random.Random, id: int) -> bytes:
    if dice.random() >= _FAULTS:
        return call(id, "echo", {"text": "some text", "n": id}) if id % 3 else request(id, "ping")
    return dice.choice((
        call(id, "weather_report", {"city": "Oslo", "days": "3", "unit": f"u{id}"}),
        call(id, f"wether_{id}", {"city": "Oslo"}),
        call(id, "count_up", {"kye": f"{id}"}),
        call(id, "echo", {"text": "a"}, do=[["reply", {"isError": True, "content": [_TEXT]}]]),
        call(id, "echo", {"text": "a"}, do=[["error", {"code": -32603, "message": f"failed {id}"}]]),
        call(id, "echo", {"text": "a"}, do=[["say", "noise"], ["usual"]]),
        call(id, "echo", {"text": "a"}, do=[["usual"], ["usual"]]),
        call(id, "echo", {"text": "a"}, do=[["say", f'{{"jsonrpc":"2.0","id":"no {id}","result":{{}}}}'], ["usual"]]),
        call(id, "echo", {"text": "a"}, do=[["say", f'{{"jsonrpc":"2.0","id":{id},"result":NaN}}']]),
        call(f"h{id}", "hang", {}) + b"\n" + _cancel(f"h{id}") + b"\n" + request(id, "ping"),
        b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"n":NaN}}}' % id,
        request(id, "resources/read", {"uri": f"file:///{id}"}),
        request(id, "prompts/get", {"name": f"p{id}"}),
        request(id, "tools/list"),
    ))  # fmt: skip


_TEXT = {"type": "text", "text": "'city' is a required property"}


def _cancel(id: str) -> bytes:
    params = {"requestId": id}
    return json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}).encode()


async def _by_http(found: Findings, count: int, dice: random.Random) -> None:
    memory = _Memory(found, "HTTP to stdio", count)
    with closing(Listening()) as proxy:
        async with asyncio.TaskGroup() as tasks:
            for one in range(4):
                tasks.create_task(
                    _client(found, proxy, count // 8, random.Random(dice.random()), memory if not one else None)
                )
    memory.judged()


async def _client(found: Findings, proxy: Listening, count: int, dice: random.Random, memory: _Memory | None) -> None:
    """Requests of one client; each of its connections is used for a while."""
    for start in range(0, count, 50):
        async with connection(proxy.port) as one:
            for turn in range(start, start + 50):
                wrong = dice.random() < _FAULTS
                arguments = {"city": f"c{turn}", "dais": 3} if wrong else {"city": "Oslo"}
                body, headers = modern(turn, "tools/call", {"name": "weather_report", "arguments": arguments})
                answer = await one.ask(body, {**headers, "authorization": f"Bearer {dice.randrange(100)}"})
                found.hold(answer.reply().get("id") == turn, f"{answer.status} {answer.body[:300]!r}")
        if memory is not None:
            memory.seen(start * 8, proxy.rss())
