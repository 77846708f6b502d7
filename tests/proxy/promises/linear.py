"""What a message costs grows with its bytes and with nothing else; one that is too long is answered with an error."""

from __future__ import annotations

import json
from typing import Any, TypeAlias

from tests.support.waiting import PATIENCE

from .findings import Findings
from .stand import Stdio, call, closing

MB = 1_000_000
SLACK = 1.3
_SIZES = (1, 10, 50, 100)
_NOISE = 0.03
"""Seconds of processor time that a round may cost more or less for no reason of ours."""

Way: TypeAlias = "tuple[str, str, str]"
_WAYS: tuple[Way, ...] = (
    ("to the server", "off", "up"),
    ("to the client", "off", "down"),
    ("to the server, guided", "on", "up"),
    ("to the client, guided", "on", "down"),
)


def run(found: Findings, count: int, seed: int) -> None:
    """`count` is the size of the longest message in megabytes; every size moves as many bytes in all."""
    del seed
    sizes = [size for size in _SIZES if size < count] + [count]
    for way in _WAYS:
        worst = _worst(found, way, sizes)
        for _ in range(2):
            worst = worst if worst <= SLACK else min(worst, _worst(found, way, sizes))
        found.within(worst, SLACK, f"{way[0]}: more than linear")
        found.measured(f"CPU per byte {way[0]}, at worst, over that of short messages", f"{worst:.2f} x")
    _capped(found)


def _worst(found: Findings, way: Way, sizes: list[int]) -> float:
    """The cost of the long by that of the short, where the memory's own caches stop to help (1 MB or 10 MB)."""
    _, guidance, direction = way
    with closing(Stdio("--guidance", guidance, "--max-message", "256")) as proxy:
        proxy.shake_hands()
        proxy.ask("list", "tools/list")
        _moved(found, proxy, direction, 1, 2)
        costs = [_moved(found, proxy, direction, size, max(sizes) // size) for size in sizes]
    return max(cost - _NOISE for cost in costs) / max(costs[:2])


def _moved(found: Findings, proxy: Stdio, direction: str, size: int, times: int) -> float:
    """Processor time of the proxy for so many messages of that many megabytes."""
    before = proxy.cpu()
    for turn in range(times):
        id = f"{size}-{turn}"
        text = "x" * (size * MB) if direction == "up" else "x"
        done: list[Any] = [["reply", {"content": []}]] if direction == "up" else [["big", size * MB]]
        proxy.send(call(id, "echo", {"text": text}, do=done))
        received = proxy.taken(1, PATIENCE)
        is_there = found.hold(bool(received), f"no reply to {size} MB {direction}")
        if is_there and direction == "down":
            found.hold(len(received[0][1]) > size * MB, f"a short reply: {received[0][1][:200]!r}")
    return proxy.cpu() - before


def _capped(found: Findings) -> None:
    """64 MB are let through by default, and more is answered with an error, both ways."""
    with closing(Stdio()) as proxy:
        proxy.shake_hands()
        proxy.send(call("long", "echo", {"text": "x" * (65 * 1024 * 1024)}))
        proxy.send(call("answer", "echo", {"text": "x"}, do=[["big", 65 * 1024 * 1024]]))
        for id in ("long", "answer"):
            reply = proxy.reply_to(id)
            is_error = reply is not None and ("error" in reply[1] or reply[1]["result"].get("isError") is True)
            found.hold(is_error, f"a message of 65 MB ({id}) got {json.dumps(reply)[:200]}")
        again = proxy.ask("again", "ping")
        found.hold(again is not None and "result" in again, "nothing is answered after a message that was too long")
    found.measured("messages of 65 MB, each answered with an error", "both ways")
