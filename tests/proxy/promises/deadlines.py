"""A server that hangs: with `--timeout` there is an error by the deadline, and the server is told to stop."""

from __future__ import annotations

import asyncio
import itertools
import json
import tempfile
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from tests.support.waiting import PATIENCE

from .findings import Findings
from .stand import Json, Listening, Stdio, call, closing, lines_of, request, web_server
from .web import connection, modern, shaken

_P = TypeVar("_P", Stdio, Listening)

_TIMEOUT = 1.0
_LATE = 0.5
"""Seconds that an answer may take beyond the deadline on its way."""


def run(found: Findings, count: int, seed: int) -> None:
    """`count` is how many calls hang in each way that messages travel."""
    del seed
    ways: list[Callable[[], float]] = []
    for upstream, guidance in itertools.product(("stdio", "HTTP"), ("on", "off")):
        ways.append(lambda to=upstream, on=guidance: _stdio(found, to, on, count))
        ways += [
            lambda to=upstream, on=guidance, era=era: asyncio.run(_http(found, to, on, era, count))
            for era in ("legacy", "modern")
        ]
    with ThreadPoolExecutor(2) as pool:
        slowest = max(one.result() for one in [pool.submit(way) for way in ways])
    found.measured(f"slowest error of a call that hangs, for a deadline of {_TIMEOUT:g} s", f"{slowest:.2f} s")
    _hung_list(found)


def _hung_list(found: Findings) -> None:
    """A server that never lists its tools must not hold up a call beyond the deadline either."""
    with closing(Stdio("--timeout", str(_TIMEOUT), config={"lists": False})) as proxy:
        proxy.shake_hands()
        at = time.monotonic()
        reply = proxy.ask("call", "tools/call", {"name": "echo", "arguments": {"text": "a"}})
        took = time.monotonic() - at
        found.hold(reply is not None, "a call is never answered where the list is not")
        found.measured("a right call to a server that never lists its tools, deadline 1 s", f"{took:.2f} s")


def _stdio(found: Findings, upstream: str, guidance: str, count: int) -> float:
    with _in_front_of(Stdio, upstream, guidance) as (proxy, record):
        proxy.shake_hands()
        proxy.ask("list", "tools/list")
        earliest = time.monotonic()
        at = proxy.send(*(call(turn, "hang", {}) for turn in range(count)), request("other", "x", _HANG))
        slowest = 0.0
        for id in [*range(count), "other"]:
            slowest = max(slowest, _judged(found, f"stdio, {upstream}", proxy.reply_to(id), earliest, at))
        _told(found, f"stdio to {upstream}", record, [*range(count), "other"])
        after = proxy.ask("after", "ping")
        found.hold(after is not None and "result" in after, f"nothing works after a deadline: {after}")
    return slowest


@contextmanager
def _in_front_of(kind: type[_P], upstream: str, guidance: str) -> Generator[tuple[_P, Path]]:
    """A proxy of that kind with a deadline, and the file in which its server records what it hears."""
    with tempfile.TemporaryDirectory() as folder:
        config = {"record": str(Path(folder) / "record")}
        with web_server(config) as url:
            options = ("--timeout", str(_TIMEOUT), "--guidance", guidance)
            server: Json = {"server": (url,)} if upstream == "HTTP" else {"config": config}
            with closing(kind(*options, **server)) as proxy:
                yield proxy, Path(config["record"])


_HANG: Json = {"_meta": {"do": [["hang"]]}}


def _judged(found: Findings, what: str, reply: tuple[float, Json] | None, earliest: float, at: float) -> float:
    """The call was sent between `earliest` and `at`."""
    if not found.hold(reply is not None, f"{what}: no error by the deadline") or reply is None:
        return 0.0
    took = reply[0] - at
    found.hold(reply[0] - earliest >= _TIMEOUT - 0.05, f"{what}: an answer after only {reply[0] - earliest:.2f} s")
    found.within(took, _TIMEOUT + _LATE, f"{what}: a late answer")
    is_error = "error" in reply[1] or reply[1]["result"].get("isError") is True
    found.hold(is_error, f"{what}: {reply[1]} is no error")
    return took


def _told(found: Findings, what: str, record: Path, ids: list[Any]) -> None:
    """Whether the server has heard that it is to stop, by a message or by the end of the connection."""
    until = time.monotonic() + PATIENCE
    while len(cancelled := _cancelled(record)) < len(ids) and time.monotonic() < until:
        time.sleep(0.02)
    found.hold(len(cancelled) >= len(ids), f"{what}: {len(cancelled)} of {len(ids)} calls were cancelled: {cancelled}")


def _cancelled(record: Path) -> list[Any]:
    found = set[str]()
    for line in lines_of(record):
        reply = json.loads(line)
        body = json.loads(reply["body"]) if reply.get("body") else reply
        if body.get("method") == "notifications/cancelled":
            found.add(str(body["params"]["requestId"]))
        elif "closed" in reply:
            found.add(str(reply["closed"]))
    return sorted(found)


async def _http(found: Findings, upstream: str, guidance: str, era: str, count: int) -> float:
    with _in_front_of(Listening, upstream, guidance) as (proxy, record):
        async with connection(proxy.port) as one:
            headers = await shaken(one) if era == "legacy" else {}
            what = f"HTTP to {upstream}, {era}, guidance {guidance}"
            asked = [_asked(found, what, proxy.port, turn, headers) for turn in range(count)]
            slowest = max(await asyncio.gather(*asked))
            await asyncio.to_thread(_told, found, what, record, [*range(count)])
    return slowest


async def _asked(found: Findings, what: str, port: int, turn: int, headers: dict[str, str]) -> float:
    body, own = modern(turn, "tools/call", {"name": "hang", "arguments": {}})
    async with connection(port) as one:
        at = time.monotonic()
        try:
            async with asyncio.timeout(PATIENCE):
                answer = await one.ask(call(turn, "hang", {}) if headers else body, headers or own)
        except (TimeoutError, asyncio.IncompleteReadError) as error:
            found.hold(False, f"{what}: {type(error).__name__}")
            return 0.0
        return _judged(found, what, (time.monotonic(), answer.reply()), at, at)
