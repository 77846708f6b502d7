"""Guidance adds to errors and changes nothing in them: content behind their own, `_meta`, `error.data`."""

from __future__ import annotations

import json
import random
from typing import Any, cast

from fingerpost import KEY
from tests.support.waiting import PATIENCE

from . import odd
from .findings import Findings
from .stand import Json, Stdio, call, closing

_BATCH = 100
_TEXTS = (
    "failed", "404 not found", "'city' is a required property", "rate limit exceeded, retry after 5", "timeout",
    "1 validation error for f\ndays\n  Input should be a valid integer [type=int_parsing, input_value='x']",
    "ValueError: bad", "", "permission denied: /etc/passwd", "Unknown tool: echo", "invalid type: string, expected u32",
)  # fmt: skip
_CODES = (-32602, -32603, -32000, -32601, -32002, 0, 7, -32700)
_CALLS: tuple[tuple[str, Json], ...] = (
    ("echo", {"text": "a"}),
    ("echo", {}),
    ("weather_report", {"city": "Oslo", "days": 3}),
    ("weather_report", {"city": "Oslo"}),
    ("count_up", {"key": "x"}),
    ("hang", {}),
)


class Spelled(str):
    """A number by its spelling, unlike any string."""


def run(found: Findings, count: int, seed: int) -> None:
    dice = random.Random(seed)
    with closing(Stdio()) as proxy:
        proxy.shake_hands()
        proxy.ask("list", "tools/list")
        guided = 0
        for start in range(0, count, _BATCH):
            made = [_made(dice, f"{start}-{turn}") for turn in range(_BATCH)]
            proxy.send(*(frame for frame, _ in made))
            received = {json.loads(line)["id"]: line for _, line in proxy.taken(_BATCH, PATIENCE)}
            for turn, (frame, reply) in enumerate(made):
                line = received.get(f"{start}-{turn}")
                if found.hold(line is not None, f"no reply to {frame!r}"):
                    guided += _held(found, reply, cast("bytes", line))
            found.progress(start, count)
        found.hold(guided > count // 4, f"only {guided} replies were guided")
    found.measured("error exchanges, added to and not changed", f"{count:,}, of which {guided:,} guided")


def _made(dice: random.Random, id: str) -> tuple[bytes, bytes]:
    """A call, and the frame that the server answers it with."""
    name, arguments = dice.choice(_CALLS)
    kind = dice.randrange(5)
    part, raw = ("result", _success(dice)) if kind == 0 else _error(dice) if kind < 3 else _failure(dice)
    pairs = [(b'"jsonrpc"', b'"2.0"'), (b'"id"', json.dumps(id).encode()), (b'"%b"' % part.encode(), raw)]
    reply = odd.shuffled(dice, [*pairs, *([(b'"x"', odd.value(dice))] if dice.random() < 0.2 else [])])
    return call(id, name, arguments, do=[["say", reply.decode("latin-1")]]), reply


def _success(dice: random.Random) -> bytes:
    flag = dice.choice(([], [(b'"isError"', b"false")]))
    return odd.shuffled(dice, [(b'"content"', _content(dice)), (b'"structuredContent"', odd.members(dice, [])), *flag])


def _failure(dice: random.Random) -> tuple[str, bytes]:
    pairs = [(b'"content"', _content(dice)), (b'"isError"', b"true")]
    pairs += [(b'"_meta"', odd.members(dice, [(b'"a"', odd.value(dice))]))] if dice.random() < 0.3 else []
    pairs += [(b'"structuredContent"', odd.members(dice, [(b'"n"', odd.number(dice))]))] if dice.random() < 0.3 else []
    return "result", odd.shuffled(dice, pairs)


def _error(dice: random.Random) -> tuple[str, bytes]:
    pairs = [(b'"code"', b"%d" % dice.choice(_CODES)), (b'"message"', _text(dice))]
    data = odd.members(dice, [(b'"a"', odd.value(dice))]) if dice.random() < 0.5 else odd.value(dice)
    return "error", odd.shuffled(dice, [*pairs, *([(b'"data"', data)] if dice.random() < 0.6 else [])])


def _content(dice: random.Random) -> bytes:
    blocks = [b'{"type":"text","text":%b,"x":%b}' % (_text(dice), odd.number(dice)) for _ in range(dice.randrange(3))]
    return b"[%b]" % b" , ".join(blocks)


def _text(dice: random.Random) -> bytes:
    return odd.string(dice) if dice.random() < 0.3 else json.dumps(dice.choice(_TEXTS)).encode()


def _held(found: Findings, said: bytes, heard: bytes) -> bool:
    """Hold what the client heard against what the server said; whether anything was added."""
    if said == heard:
        return False
    before, after = _exact(said), _exact(heard)
    is_failure = "error" in before or before["result"].get("isError") is True
    found.hold(is_failure, f"a success was changed: {said!r}\n  to {heard!r}")
    part = "error" if "error" in before else "result"
    outside = {key: one for key, one in before.items() if key != part}
    is_same = {key: one for key, one in after.items() if key != part} == outside and part in after
    if found.hold(is_same, f"changed outside of the {part}: {said!r}\n  to {heard!r}"):
        trouble = (_error_trouble if part == "error" else _result_trouble)(before[part], after[part])
        found.hold(not trouble, f"{trouble}: {said!r}\n  to {heard!r}")
    return True


def _error_trouble(before: Json, after: Json) -> str:
    kept = {key: one for key, one in before.items() if key != "data"}
    if {key: one for key, one in after.items() if key != "data"} != kept:
        return "more than the data of an error was changed"
    if "data" not in before:
        return ""
    data: Any = after.get("data")
    is_object = isinstance(before["data"], dict) and isinstance(data, dict)
    rest = {key: one for key, one in cast("Json", data).items() if key != KEY} if is_object else None
    return "" if rest == before["data"] else "the data of an error was not kept"


def _result_trouble(before: Json, after: Json) -> str:
    kept = {key: one for key, one in before.items() if key not in ("content", "_meta")}
    if {key: one for key, one in after.items() if key not in ("content", "_meta")} != kept:
        return "more than content and _meta was changed"
    if after["content"][: len(before["content"])] != before["content"]:
        return "the server's own content was changed"
    meta = {key: one for key, one in after.get("_meta", {}).items() if key != KEY}
    return "" if meta == before.get("_meta", {}) else "other people's _meta was changed"


def _exact(frame: bytes) -> Json:
    return json.loads(frame, parse_int=Spelled, parse_float=Spelled)
