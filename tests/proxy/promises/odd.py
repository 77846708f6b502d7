"""JSON as nobody writes it and as everybody may: odd but valid spellings, and frames that are broken in every way."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

Made: TypeAlias = "Callable[[random.Random], bytes]"

_NUMBERS = (
    b"0", b"-0", b"1.0", b"1.50", b"1E5", b"1e+05", b"-2.5e-3", b"9007199254740993", b"18446744073709551617", b"0.1e1",
    b"123456789012345678901234567890", b"1e308", b"0.30000000000000004", b"-1", b"42",
)  # fmt: skip
_LETTERS = (
    b"a", b"Z", b" ", b"\\u0041", b"\\/", b"/", b"\\n", b"\\\"", b"\\\\", b"\\u00e9", "é".encode(), "𝄞".encode(),
    b"\\ud834\\udd1e", b"\\u0000", b"\\u2028", "\u2028".encode(), b"\x7f", b"{", b"]", b":", b",", b"id", b"'",
)  # fmt: skip
_SPACES = (b"", b"", b"", b" ", b"  ", b"\t")
"""Without the carriage return, which some servers take for the end of a line."""


def string(dice: random.Random, longest: int = 8) -> bytes:
    return b'"%b"' % b"".join(dice.choice(_LETTERS) for _ in range(dice.randrange(longest + 1)))


def number(dice: random.Random) -> bytes:
    return dice.choice(_NUMBERS)


def value(dice: random.Random, depth: int = 3) -> bytes:
    """Any JSON, spelled in any valid way."""
    kind = dice.randrange(7 if depth else 5)
    match kind:
        case 0:
            return number(dice)
        case 1 | 2:
            return string(dice)
        case 3:
            return dice.choice((b"true", b"false", b"null"))
        case 4:
            return dice.choice((b"{}", b"[]", b"{ }", b"[\t]"))
        case 5:
            inner = [value(dice, depth - 1) for _ in range(dice.randrange(4))]
            return b"[%b]" % spaced(dice, b",").join(inner)
        case _:
            keys = dict.fromkeys(string(dice) for _ in range(dice.randrange(4)))
            return members(dice, [(key, value(dice, depth - 1)) for key in distinct(keys)])


def distinct(keys: Sequence[bytes] | dict[bytes, None]) -> list[bytes]:
    """Keys that differ however they are spelled."""
    return [*{json.loads(key): key for key in keys}.values()]


def members(dice: random.Random, pairs: list[tuple[bytes, bytes]]) -> bytes:
    """An object with its members in this order."""
    written = [key + spaced(dice, b":") + one for key, one in pairs]
    return b"{%b%b}" % (dice.choice(_SPACES), spaced(dice, b",").join(written))


def spaced(dice: random.Random, sign: bytes) -> bytes:
    return dice.choice(_SPACES) + sign + dice.choice(_SPACES)


def fresh_id(dice: random.Random, turn: int) -> bytes:
    """An id of any valid kind, unlike every other of the run."""
    kinds: tuple[bytes, ...] = (
        b"%d" % (turn + 1_000_000),
        b"-%d" % (turn + 1),
        b"%d" % (2**53 + turn),
        b'"%d"' % turn,
        b'"\\u0069d-%d"' % turn,
        b'"%d \xc3\xa9 \\n"' % turn,
        b'"%x-%d"' % (dice.getrandbits(64), turn),
    )
    return dice.choice(kinds)


def shuffled(dice: random.Random, pairs: list[tuple[bytes, bytes]]) -> bytes:
    """An object with its members in any order."""
    dice.shuffle(pairs)
    return members(dice, pairs)


# broken frames

_BYTES = (
    b"\x00", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\\ud800", b"\\udc00\\ud800", b"NaN", b"Infinity", b"-", b"{", b"}",
    b"[", b"]", b'"', b",", b":", b"\\", b"1e999", b"01", b"\xf0\x9f\x98\x80", b"\x1b[2J", b"null", b"true", b"'",
    b"\r", b"\xef\xbb\xbf", b"\\u0000", b"9" * 400, b"[" * 3_000, b'{"a":' * 2_000, b"\n",
)  # fmt: skip
_INSTEAD: tuple[tuple[bytes, tuple[bytes, ...]], ...] = (
    (b'"2.0"', (b'"1.0"', b"2.0", b"null", b'"2.0 "', b'["2.0"]')),
    (b'"jsonrpc"', (b'"jsonrcp"', b'"x"', b'"method"')),
    (b'"method"', (b'"methode"', b'"result"', b'"error"', b'"method":"ping","method"')),
    (b'"params"', (b'"params":[],"p"', b'"params":null,"p"', b'"params":7,"p"', b'"params":{},"params"')),
    (b'"name"', (b'"name":7,"n"', b'"name":null,"n"', b'"name":"a","name"', b'"nam\\u0065"')),
    (b'"arguments"', (b'"arguments":[1],"a"', b'"arguments":"{}","a"', b'"arguments":null,"a"', b'"args"')),
    (b'"id"', (b'"id":1,"id"', b'"ID"', b'"\\u0069d"', b'"id":null,"i"', b'"id":true,"i"', b'"id":[1],"i"')),
)


def broken(frame: bytes, dice: random.Random) -> bytes:
    """A frame with one thing or a few things wrong with it; sometimes it is still right."""
    for _ in range(dice.choice((1, 1, 1, 2, 4))):
        frame = dice.choice(_WAYS)(frame, dice)
    return frame


def _cut(frame: bytes, dice: random.Random) -> bytes:
    at = dice.randrange(len(frame) + 1)
    return frame[:at] if dice.random() < 0.7 else frame[at:]


def _inserted(frame: bytes, dice: random.Random) -> bytes:
    at = dice.randrange(len(frame) + 1)
    return frame[:at] + dice.choice(_BYTES) + frame[at:]


def _flipped(frame: bytes, dice: random.Random) -> bytes:
    at = dice.randrange(len(frame) + 1)
    return frame[:at] + bytes([dice.randrange(256)]) + frame[at + 1 :]


def _dropped(frame: bytes, dice: random.Random) -> bytes:
    at = dice.randrange(len(frame) + 1)
    return frame[:at] + frame[at + dice.randrange(1, 20) :]


def _doubled(frame: bytes, dice: random.Random) -> bytes:
    at = dice.randrange(len(frame) + 1)
    return frame[:at] + frame[at : at + dice.randrange(1, 30)] + frame[at:]


def _wrapped(frame: bytes, dice: random.Random) -> bytes:
    return dice.choice((b"[%b]", b"[%b,1]", b'{"x":%b}', b"\xef\xbb\xbf%b", b" %b ", b"%b%%", b"data: %b")) % frame


def _swapped(frame: bytes, dice: random.Random) -> bytes:
    old, new = dice.choice(_INSTEAD)
    return frame.replace(old, dice.choice(new), 1)


_WAYS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _cut, _inserted, _inserted, _flipped, _dropped, _doubled, _wrapped, _swapped, _swapped,
)  # fmt: skip


def read(line: bytes) -> Any:
    """JSON as the strictest of readers would have it; `ValueError` where it is none."""
    return json.loads(line.decode("utf-8"), parse_constant=_no_constant, object_pairs_hook=_pairs)


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a key twice")
    return dict(pairs)
