"""Valid exchanges are byte for byte what they were, in both directions, whatever they hold."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import NamedTuple

from tests.support.waiting import PATIENCE

from . import odd
from .findings import Findings
from .stand import Stdio, closing, request

_BATCH = 200
_METHODS = (b'"ping"', b'"x/unknown"', b'"completion/complete"', b'"tasks/get"', b'"logging/setLevel"', b'"a \\u0062"')
_NOTES = (b'"notifications/roots/list_changed"', b'"notifications/x"', b'"notifications/progress"')


class Exchange(NamedTuple):
    """Frames of the client's, and the frames that the server sends because of them."""

    sent: list[bytes]
    said: list[bytes]


def run(found: Findings, count: int, seed: int) -> None:
    for guidance in ("off", "on"):
        _compared(found, guidance, count // 2, random.Random(seed))
    found.measured("valid exchanges, byte-identical both ways, half of them with guidance on", f"{count:,}")


def _compared(found: Findings, guidance: str, count: int, dice: random.Random) -> None:
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "record"
        options = ("--guidance", guidance, "--no-info-tool")
        with closing(Stdio(*options, config={"record": str(record)})) as proxy:
            proxy.shake_hands()
            proxy.ask("list", "tools/list")
            for start in range(0, count, _BATCH):
                exchanges = [_made(dice, start + turn, guidance) for turn in range(min(_BATCH, count - start))]
                record.unlink(missing_ok=True)
                _batch(found, proxy, exchanges, record)
                found.progress(start, count)


def _batch(found: Findings, proxy: Stdio, exchanges: list[Exchange], record: Path) -> None:
    sent = [frame for one in exchanges for frame in one.sent]
    reply = [frame for one in exchanges for frame in one.said]
    proxy.send(*sent, request("end", "ping"))
    received = [line for _, line in proxy.taken(len(reply) + 1, PATIENCE)][:-1]
    _same(found, "the client was told", reply, received)
    _same(found, "the server was told", sent, record.read_bytes().split(b"\n")[:-2])


def _same(found: Findings, what: str, wanted: list[bytes], got: list[bytes]) -> None:
    for one, other in zip(wanted, got, strict=False):
        if not found.hold(one == other, f"{what} {other!r}\n  instead of {one!r}"):
            return
    found.hold(len(wanted) == len(got), f"{what} {len(got)} frames instead of {len(wanted)}; last {got[-1:]}")


def _made(dice: random.Random, turn: int, guidance: str) -> Exchange:
    kinds = (_asked, _asked, _called, _called, _noted, _by_server, _cancelled, _progressing)
    return dice.choice(kinds)(dice, turn)


def _asked(dice: random.Random, turn: int) -> Exchange:
    """A request of any method, with fields that nobody knows."""
    id = odd.fresh_id(dice, turn)
    reply = [_reply(dice, id)]
    return Exchange([_frame(dice, id, dice.choice(_METHODS), [_extra(dice)], reply)], reply)


def _called(dice: random.Random, turn: int) -> Exchange:
    """A call that is right, whatever its arguments are."""
    id = odd.fresh_id(dice, turn)
    some: list[tuple[bytes, bytes]] = [
        (b'"text"', odd.string(dice)),
        (b'"n"', odd.number(dice)),
        (b'"any"', odd.value(dice)),
        (b'"list"', b"[%b,%b]" % (odd.value(dice), odd.value(dice))),
    ]
    arguments = odd.shuffled(dice, dice.sample(some, dice.randrange(5)))
    reply = [_reply(dice, id)]
    params = [(b'"name"', b'"echo"'), (b'"arguments"', arguments)]
    return Exchange([_frame(dice, id, b'"tools/call"', params, reply)], reply)


def _noted(dice: random.Random, turn: int) -> Exchange:
    """A notification of the client's."""
    params = odd.members(dice, [(b'"of"', b"%d" % turn), (b'"x"', odd.value(dice))])
    pairs = [(b'"jsonrpc"', b'"2.0"'), (b'"method"', dice.choice(_NOTES)), (b'"params"', params)]
    return Exchange([odd.shuffled(dice, pairs)], [])


def _by_server(dice: random.Random, turn: int) -> Exchange:
    """Notifications and requests of the server's, on the way to a reply, and what the client answers to them."""
    id, own = odd.fresh_id(dice, turn), odd.fresh_id(dice, turn)
    pairs = [(b'"jsonrpc"', b'"2.0"'), (b'"method"', b'"notifications/message"'), (b'"params"', b'{"x": 1.0}')]
    note = odd.shuffled(dice, [*pairs])
    asks = odd.shuffled(dice, [(b'"jsonrpc"', b'"2.0"'), (b'"id"', own), (b'"method"', b'"roots/list"'), _extra(dice)])
    reply = [note, asks, _reply(dice, id)]
    return Exchange([_frame(dice, id, b'"ping"', [], reply), _reply(dice, own)], reply)


def _cancelled(dice: random.Random, turn: int) -> Exchange:
    """A request that hangs until it is cancelled."""
    id = odd.fresh_id(dice, turn)
    frame = odd.shuffled(
        dice,
        [
            (b'"jsonrpc"', b'"2.0"'),
            (b'"id"', id),
            (b'"method"', b'"ping"'),
            (b'"params"', b'{"_meta":{"do":[["hang"]]}}'),
        ],
    )
    params = odd.members(dice, [(b'"requestId"', id), (b'"reason"', odd.string(dice))])
    pairs = [(b'"jsonrpc"', b'"2.0"'), (b'"method"', b'"notifications/cancelled"'), (b'"params"', params)]
    return Exchange([frame, odd.shuffled(dice, pairs)], [])


def _progressing(dice: random.Random, turn: int) -> Exchange:
    """A call that reports its progress, under a token of any kind."""
    id, token = odd.fresh_id(dice, turn), odd.fresh_id(dice, turn)
    pairs = [(b'"progressToken"', token), (b'"progress"', odd.number(dice)), (b'"total"', b"2E0")]
    note = b'{"jsonrpc":"2.0","method":"notifications/progress","params":%b}' % odd.shuffled(dice, pairs)
    reply = [note, note, _reply(dice, id)]
    params = [(b'"name"', b'"echo"'), (b'"arguments"', b"{ }")]
    return Exchange([_frame(dice, id, b'"tools/call"', params, reply, [(b'"progressToken"', token)])], reply)


def _frame(
    dice: random.Random,
    id: bytes,
    method: bytes,
    params: list[tuple[bytes, bytes]],
    said: list[bytes],
    meta: list[tuple[bytes, bytes]] | None = None,
) -> bytes:
    """A request that makes the server say those frames."""
    do = b"[%b]" % b",".join(b'["say",%b]' % _as_text(frame) for frame in said)
    about = (b'"_meta"', odd.shuffled(dice, [(b'"do"', do), *(meta or [])]))
    pairs = [(b'"jsonrpc"', b'"2.0"'), (b'"id"', id), (b'"method"', method)]
    return odd.shuffled(dice, [*pairs, (b'"params"', odd.shuffled(dice, [about, *params])), *_unknown(dice)])


def _as_text(frame: bytes) -> bytes:
    text = "".join(f"\\u{byte:04x}" if byte < 32 or byte > 126 or byte in b'"\\' else chr(byte) for byte in frame)
    return b'"%b"' % text.encode()


def _reply(dice: random.Random, id: bytes) -> bytes:
    """A success of any content; errors are another row."""
    content = b'[{"type":"text","text":%b}]' % odd.string(dice)
    result = odd.shuffled(dice, [(b'"content"', content), (b'"x"', odd.value(dice)), (b'"n"', odd.number(dice))])
    return odd.shuffled(dice, [(b'"jsonrpc"', b'"2.0"'), (b'"id"', id), (b'"result"', result), *_unknown(dice)])


def _extra(dice: random.Random) -> tuple[bytes, bytes]:
    return b'"x-%d"' % dice.randrange(9), odd.value(dice)


def _unknown(dice: random.Random) -> list[tuple[bytes, bytes]]:
    return [(b'"x"', odd.value(dice))] if dice.random() < 0.2 else []
