"""Told to end, the proxy answers what is under way and goes; so it does when its client closes its side."""

from __future__ import annotations

import asyncio
import json
import signal
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.support.waiting import PATIENCE, eventually

from .findings import Findings
from .stand import Json, Listening, Stdio, call, closing, is_running, lines_of, web_server
from .web import Answer, Connection, connected, modern, shaken

_TERM, _EOF = 5.0, 2.0


def run(found: Findings, count: int, seed: int) -> None:
    """`count` is how many calls are in flight. Nearly all of it is waiting, so the ways are tried side by side."""
    del seed
    folder = tempfile.TemporaryDirectory()
    config: Json = {"counter": f"{folder.name}/counter"}
    with folder, web_server(config) as url, ThreadPoolExecutor(4) as pool:
        ways: list[Callable[[], None]] = [
            lambda: _stdio(found, count, {}),
            lambda: _stdio(found, count, {"deaf": True}),
            lambda: _terminated(found, "stdio to HTTP", Stdio(server=(url,)), count),
            lambda: _closed(found, "stdio to HTTP", Stdio(server=(url,)), count),
            *(
                lambda back=back, era=era: asyncio.run(_listening(found, back, url, config, count, era))
                for back in ("HTTP", "stdio")
                for era in ("modern", "legacy")
            ),
        ]
        for way in [pool.submit(way) for way in ways]:
            way.result()


def _stdio(found: Findings, count: int, config: Json) -> None:
    with tempfile.TemporaryDirectory() as folder:
        pids = Path(folder) / "pids"
        config = {**config, "pids": str(pids)}
        what = "a deaf server" if config.get("deaf") else "stdio to stdio"
        _terminated(found, what, Stdio(config=config), count)
        _closed(found, what, Stdio(config=config), count)
        left = [pid for pid in lines_of(pids) + lines_of(pids.with_suffix(".spawned")) if is_running(int(pid))]
        found.hold(not left, f"{what}: {len(left)} processes are left")


def _terminated(found: Findings, what: str, proxy: Stdio, count: int) -> None:
    with closing(proxy):
        _in_flight(proxy, count)
        at = time.monotonic()
        proxy.tell(signal.SIGTERM)
        _ended(found, f"{what}, SIGTERM", proxy, count, at, _TERM)


def _closed(found: Findings, what: str, proxy: Stdio, count: int) -> None:
    with closing(proxy):
        _in_flight(proxy, count)
        at = time.monotonic()
        proxy.close_input()
        _ended(found, f"{what}, end of input", proxy, count, at, _EOF)


def _in_flight(proxy: Stdio, count: int) -> None:
    """So many calls that hang, and as many that take a moment."""
    proxy.shake_hands()
    proxy.ask("list", "tools/list")
    for turn in range(count):
        steps = [["hang"]] if turn % 2 else [["later", 0.3]]
        proxy.send(call(turn, "echo", {"text": f"{turn}"}, do=steps))
    proxy.ask("spawn", "ping", {"_meta": {"do": [["spawn", 60], ["usual"]]}})


def _ended(found: Findings, what: str, proxy: Stdio, count: int, at: float, within: float) -> None:
    code = proxy.ended(PATIENCE)
    took = time.monotonic() - at
    found.hold(code == 0, f"{what}: exit code {code}; {proxy.errors.decode()}")
    found.within(took, within, f"{what}: it took too long")
    replies = [json.loads(line) for _, line in proxy.taken(count, PATIENCE)]
    answered = {reply["id"]: reply for reply in replies}
    found.hold(len(answered) == count == len(replies), f"{what}: {len(replies)} answers to {count} calls")
    fine = [turn for turn in range(0, count, 2) if "error" not in json.dumps(answered.get(turn, "error")).lower()]
    found.hold(
        len(fine) == len(range(0, count, 2)), f"{what}: only {len(fine)} of those that were soon done got through"
    )
    found.measured(f"{what}, {count} in flight, all answered", f"{took:.2f} s")


async def _listening(found: Findings, back: str, url: str, config: Json, count: int, era: str) -> None:
    what = f"HTTP to {back}, {era}"
    with closing(Listening(server=(url,)) if back == "HTTP" else Listening(config=config)) as proxy:
        links = [await connected(proxy.port) for _ in range(count)]
        headers = await shaken(links[0]) if era == "legacy" else {}
        asked = [asyncio.ensure_future(_asked(links[turn], turn, f"{what} {turn}", headers)) for turn in range(count)]
        keys = {f"{what} {turn}" for turn in range(count)}
        await eventually(lambda: keys <= set(lines_of(Path(config["counter"]))))
        at = time.monotonic()
        proxy.tell(signal.SIGTERM)
        _, late = await asyncio.wait(asked, timeout=PATIENCE)
        took = time.monotonic() - at
        found.hold(not late, f"{what}: {len(late)} calls without an answer")
        broken = [one.exception() for one in asked if one.done() and one.exception() is not None]
        found.hold(not broken, f"{what}: {len(broken)} calls cut off, {broken[:1]}")
        wrong = [one.result() for one in asked if one.done() and not one.exception() and not _is_whole(one.result())]
        found.hold(not wrong, f"{what}: {len(wrong)} answers without a reply, {wrong[:1]}")
        code = await asyncio.to_thread(proxy.ended, PATIENCE)
        found.hold(code == 0, f"{what}: exit code {code}; {proxy.errors.decode()}")
        found.within(took, _TERM, f"{what}: it took too long")
        found.measured(f"{what}, SIGTERM, {count} in flight, all answered", f"{took:.2f} s")
        for link in links:
            link.close()


async def _asked(link: Connection, turn: int, key: str, headers: dict[str, str]) -> Answer:
    """Make a call that the server counts under a key when it begins to work on it."""
    steps = [["count", key], ["hang"] if turn % 2 else ["later", 0.3]]
    params = {"name": "echo", "arguments": {"text": "a"}}
    if headers:
        return await link.ask(call(turn, "echo", {"text": "a"}, do=steps), headers)
    body, own = modern(1, "tools/call", params, do=steps)
    return await link.ask(body, own)


def _is_whole(answer: Answer) -> bool:
    return any("result" in one or "error" in one for one in answer.messages())
