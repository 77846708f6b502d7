"""Whatever a client sends, each request with a readable id gets exactly one reply within a second."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import Counter
from contextlib import suppress
from typing import Any, NamedTuple, cast

from tests.support.waiting import PATIENCE

from . import odd
from .findings import Findings
from .stand import Listening, Stdio, closing, request, web_server
from .web import connected, connection, modern

_BATCH = 100
_WITHIN = 1.0


class Owed(NamedTuple):
    """What a line of the client's is owed: a reply to this id, to none in particular, or none at all."""

    id: Any
    is_certain: bool
    """Whether that id has to be read out of it: it is valid JSON."""
    times: int


def run(found: Findings, count: int, seed: int) -> None:
    dice = random.Random(seed)
    for options in ((), ("--guidance", "off")):
        _on_stdio(found, count // 2, dice, options)
    found.measured("mutated frames on stdio, each answered as owed", f"{count:,}")
    bodies = count // 10
    with web_server() as url:
        for server in ((url,), None):
            asyncio.run(_by_http(found, bodies // 2, dice, server))
    found.measured("mutated HTTP bodies, each answered", f"{bodies:,}")


def _frame(dice: random.Random, id: Any) -> bytes:
    """A request that is right, before it is broken."""
    method, params = dice.choice((
        ("tools/call", {"name": "echo", "arguments": {"text": "a", "n": 1.5}}),
        ("tools/call", {"name": "weather_report", "arguments": {"city": "Oslo", "days": "3"}}),
        ("tools/call", {"name": "weather_reprot", "arguments": {"city": "Oslo"}}),
        ("tools/list", {}),
        ("prompts/get", {"name": "p", "arguments": {"a": "b"}}),
        ("resources/read", {"uri": "file:///a"}),
        ("ping", {"_meta": {"progressToken": 5}}),
        ("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x"}}),
    ))  # fmt: skip
    pairs = [("jsonrpc", "2.0"), ("id", id), ("method", method), ("params", params)]
    dice.shuffle(pairs)
    return json.dumps(dict(pairs), separators=dice.choice(((",", ":"), (", ", ": ")))).encode()


def _id(dice: random.Random) -> Any:
    number = dice.getrandbits(48)
    return number if dice.random() < 0.5 else f"r{number:x}"


def _owed(line: bytes) -> Owed:
    """What a line is owed, by a reader that shares nothing with the proxy."""
    if not line.strip(b" \t\r\n\x0b\x0c"):
        return Owed(None, True, 0)
    reply, is_strict = _read(line)
    if not isinstance(reply, dict):
        return Owed(None, False, 1)
    message = cast("dict[str, Any]", reply)
    id: Any = message.get("id")
    is_reply = "method" not in message and ("result" in message or "error" in message)
    is_note = "method" in message and "id" not in message
    if is_reply or is_note:
        return Owed(None, False, -1)
    is_plain = b'"id"' in line or b"\\ud" not in line.lower()  # half a pair leaves a frame that has to be guessed at
    is_readable = is_strict and is_plain and len(str(id)) > 3 and isinstance(id, str | int) and not isinstance(id, bool)
    return Owed(id if is_readable else None, is_readable, 1)


def _read(line: bytes) -> tuple[Any, bool]:
    """What a line says, and whether every reader agrees on it."""
    for read, is_strict in ((odd.read, True), (json.loads, False)):
        with suppress(ValueError, RecursionError):
            return read(line), is_strict
    return None, False


def _on_stdio(found: Findings, count: int, dice: random.Random, options: tuple[str, ...]) -> None:
    with closing(Stdio(*options)) as proxy:
        proxy.shake_hands()
        for start in range(0, count, _BATCH):
            _batch(found, proxy, [odd.broken(_frame(dice, _id(dice)), dice) for _ in range(_BATCH)], start)
            found.progress(start, count)
            if not found.hold(proxy.is_alive, "the proxy has ended"):
                return
        found.hold(b"Traceback" not in proxy.errors, proxy.errors.decode(errors="replace"))


def _batch(found: Findings, proxy: Stdio, frames: list[bytes], turn: int) -> None:
    """Send a batch, then a ping; a ping is answered after everything that came before it, or nearly."""
    lines = [line for frame in frames for line in frame.split(b"\n")]
    owed = [_owed(line) for line in lines]
    wanted = Counter(_key(one.id) for one in owed if one.is_certain and one.times == 1 and one.id is not None)
    sent = proxy.send(*lines, request(f"end-{turn}", "ping"))
    total = sum(one.times for one in owed if one.times > 0) + 1
    received = proxy.taken(total, PATIENCE)
    while not wanted <= _ids(received) and (more := proxy.taken(1, PATIENCE)):
        received += more
    for again in range(4):  # what guidance asks of the server on the way takes a few turns
        proxy.ask(f"end-{turn}-{again}", "ping")
    received += proxy.taken(len(proxy.lines), 0.0)
    _told(found, proxy, owed, wanted, received, sent, lines)


def _alone(proxy: Stdio, line: bytes) -> int:
    """How many replies a line gets by itself."""
    proxy.lines.clear()
    proxy.send(line)
    return len(proxy.taken(3, 0.3))


def _ids(heard: list[tuple[float, bytes]]) -> Counter[str]:
    """The ids of the replies among those lines."""
    messages = [json.loads(line) for _, line in heard]
    return Counter(_key(one.get("id")) for one in messages if "method" not in one)


def _told(
    found: Findings,
    proxy: Stdio,
    owed: list[Owed],
    wanted: Counter[str],
    heard: list[tuple[float, bytes]],
    sent: float,
    lines: list[bytes],
) -> None:
    ids = _ids(heard)
    for id, times in wanted.items():
        about = [line for line, one in zip(lines, owed, strict=True) if _key(one.id) == id]
        found.hold(ids[id] == times, f"{ids[id]} replies instead of {times} to {about!r}")
    least = sum(one.times for one in owed if one.times > 0) + 1
    most = least + sum(one.times < 0 for one in owed)
    if not least <= sum(ids.values()) <= most:
        alone = [(line, one.times, _alone(proxy, line)) for line, one in zip(lines, owed, strict=True) if found.is_kept]
        wrong = [line for line, count, times in alone if count >= 0 and times != count]
        found.hold(False, f"{sum(ids.values())} replies instead of {least} to {most}; alone: {wrong!r}")
    late = max((at for at, _ in heard), default=sent) - sent
    found.within(late, _WITHIN, "the last reply came late")


def _key(id: Any) -> str:
    return json.dumps(id)


async def _by_http(found: Findings, count: int, dice: random.Random, server: tuple[str, ...] | None) -> None:
    with closing(Listening(server=server) if server else Listening()) as proxy:
        one = await connected(proxy.port)
        for turn in range(count):
            id = _id(dice)
            body, headers = modern(id, "tools/call", {"name": "echo", "arguments": {"text": "a"}})
            body = odd.broken(body if dice.random() < 0.5 else _frame(dice, id), dice)
            began = time.monotonic()
            try:
                async with asyncio.timeout(PATIENCE):
                    answer = await one.ask(body, headers)
            except (TimeoutError, ConnectionError, asyncio.IncompleteReadError) as error:
                found.hold(False, f"{type(error).__name__} instead of an answer to {body!r}")
                one.close()
                one = await connected(proxy.port)
                continue
            found.within(time.monotonic() - began, _WITHIN, f"a late answer to {body!r}")
            owed = _owed(body)
            if owed.times == 1 and owed.is_certain and owed.id is not None:
                reply = answer.messages()
                is_answered = len(reply) == 1 and reply[0].get("id") == owed.id
                found.hold(is_answered, f"{answer.status} {answer.body!r} to {body!r}")
            found.progress(turn, count)
        one.close()
        async with connection(proxy.port) as another:
            answer = await another.ask(b"", {":path": "/healthz"}, "GET")
            found.hold(answer.status == 200, "the proxy is not well")
        found.hold(b"Traceback" not in proxy.errors, proxy.errors.decode(errors="replace"))
