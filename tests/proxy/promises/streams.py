"""Bodies and events pass through HTTP byte for byte, however they are cut, spelled or broken off."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from tests.support.waiting import PATIENCE

from .findings import Findings
from .stand import Json, Listening, Stdio, closing, lines_of, request, web_server
from .web import Connection, connected, modern

Response: TypeAlias = "tuple[bytes, bool]"
"""A body, and whether it is events."""


def run(found: Findings, count: int, seed: int) -> None:
    dice = random.Random(seed)
    for guidance in ("on", "off"):
        asyncio.run(_relayed(found, count // 4, dice, guidance))
        with web_server() as url, closing(Stdio("--guidance", guidance, server=(url,))) as proxy:
            _heard(found, proxy, count // 4, dice)
    found.measured("HTTP answers that arrive as they were sent", f"{count:,}")
    with web_server() as url:
        _broken(found, url)
        asyncio.run(_broken_by_http(found, url))
    found.measured("kinds of broken HTTP answers, each told as an error within a second", f"{len(_BROKEN)} in two ways")


# answers that are right


async def _relayed(found: Findings, count: int, dice: random.Random, guidance: str) -> None:
    """HTTP in front of HTTP: request and answer are the same bytes."""
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "record"
        options = ("--guidance", guidance, "--no-info-tool")
        with web_server({"record": str(record)}) as url, closing(Listening(*options, server=(url,))) as proxy:
            link = await connected(proxy.port)
            for turn in range(count):
                link = await _one(found, link, proxy.port, dice, turn)
                found.progress(turn, count)
            link.close()
        sent = [json.loads(line) for line in lines_of(record)]
        bodies = [one["body"] for one in sent if '"progressToken": "mine"' in one.get("body", "")]
        found.hold(len(bodies) == count, f"the server was sent {len(bodies)} bodies of {count}")


async def _one(found: Findings, link: Connection, port: int, dice: random.Random, turn: int) -> Connection:
    body, is_stream = _response(dice, turn)
    whole = dice.choice((_chunked, _measured, _until_closed))(body, is_stream)
    asked, headers = modern(turn, "tools/call", _CALL, progressToken="mine", do=[["raw", _cut(whole, dice), 0.0]])
    try:
        answer = await link.ask(asked, headers)
    except (asyncio.IncompleteReadError, ConnectionError) as error:
        found.hold(False, f"cut off with {error} instead of {body!r}")
        link.close()
        return await connected(port)
    found.hold(answer.body == body, f"{answer.status} {answer.body!r}\n  instead of {body!r}")
    if answer.headers.get("connection") == "close":
        link.close()
        return await connected(port)
    return link


_CALL: Json = {"name": "echo", "arguments": {"text": "a"}}


def _heard(found: Findings, proxy: Stdio, count: int, dice: random.Random) -> None:
    """Standard streams in front of HTTP: each message of a stream is a line."""
    proxy.shake_hands()
    proxy.ask("list", "tools/list")
    for turn in range(count):
        body, is_stream = _response(dice, turn)
        whole = dice.choice((_chunked, _measured, _until_closed))(body, is_stream)
        steps = [["raw", _cut(whole, dice), 0.0]]
        proxy.send(request(turn, "tools/call", {**_CALL, "_meta": {"progressToken": "mine", "do": steps}}))
        wanted = list(_messages(body)) if is_stream else [body]
        got = [line for _, line in proxy.taken(len(wanted), PATIENCE)]
        found.hold(got == wanted, f"{got!r}\n  instead of {wanted!r}")


def _response(dice: random.Random, turn: int) -> Response:
    reply = b'{"id": %d,"jsonrpc":"2.0" , "result":{"content":[], "n":1.50, "x":"\\u00e9\xc3\xa9"}}' % turn
    if dice.random() < 0.3:
        return reply, False
    end = dice.choice((b"\n", b"\r\n", b"\r"))
    note = b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mine","progress":1E0}}'
    events = [_event(dice, note, end) for _ in range(dice.randrange(4))]
    return b"".join([*events, _event(dice, reply, end)]), True


_LINES: tuple[bytes, ...] = (b": a comment", b"id: 7", b"event: message", b"retry: 10", b":", b"other: field")


def _event(dice: random.Random, data: bytes, end: bytes) -> bytes:
    lines = dice.sample(_LINES, dice.randrange(4))
    lines.insert(dice.randrange(len(lines) + 1), dice.choice((b"data: ", b"data:")) + data)
    return end.join([*lines, b"", b""])


def _messages(body: bytes) -> list[bytes]:
    lines = body.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    return [line[5:].removeprefix(b" ") for line in lines if line.startswith(b"data:")]


def _head(is_stream: bool, more: bytes) -> bytes:
    kind = b"text/event-stream" if is_stream else b"application/json"
    return b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: %b\r\n%b\r\n\r\n" % (kind, more)


def _measured(body: bytes, is_stream: bool) -> bytes:
    return _head(is_stream, b"content-length: %d" % len(body)) + body


def _chunked(body: bytes, is_stream: bool) -> bytes:
    parts = [body[at : at + 40] for at in range(0, len(body), 40)]
    return _head(is_stream, b"transfer-encoding: chunked") + b"".join(
        b"%x\r\n%b\r\n" % (len(part), part) for part in [*parts, b""]
    )


def _until_closed(body: bytes, is_stream: bool) -> bytes:
    return _head(is_stream, b"x: y") + body


def _cut(whole: bytes, dice: random.Random) -> list[str]:
    """The bytes in pieces that are sent one by one, so that they are read one by one, too."""
    cuts = sorted({0, len(whole), *(dice.randrange(len(whole)) for _ in range(dice.randrange(6)))})
    return [whole[a:b].decode("latin-1") for a, b in itertools.pairwise(cuts)]


# answers that are broken

_ERROR = b'{"jsonrpc":"2.0","id":%d,"error":{"code":-32000,"message":"no"}}'
_BROKEN: dict[str, Callable[[int], bytes]] = {
    "nothing": lambda id: b"",
    "half a status": lambda id: b"HTTP/1.1 2",
    "no HTTP": lambda id: b"\x00\xff nonsense\r\n\r\n",
    "half a body": lambda id: _measured(_ERROR % id, False)[:-9],
    "half a chunk": lambda id: _chunked(_ERROR % id, False)[:-12],
    "half an event": lambda id: _until_closed(b"data: {", True),
    "a stream without an answer": lambda id: _until_closed(b": hello\n\n", True),
    "500 without a body": lambda id: b"HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n",
    "503 in HTML": lambda id: b"HTTP/1.1 503 No\r\ncontent-type: text/html\r\ncontent-length: 4\r\n\r\n<p>!",
    "404 with an error": lambda id: (
        b"HTTP/1.1 404 No\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b"
        % (len(_ERROR % id), _ERROR % id)
    ),
    "401": lambda id: b'HTTP/1.1 401 No\r\nwww-authenticate: Bearer realm="x"\r\ncontent-length: 0\r\n\r\n',
    "the wrong type": lambda id: b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nok",
    "NaN": lambda id: _measured(b'{"jsonrpc":"2.0","id":%d,"result":{"x":NaN}}' % id, False),
    "bytes that are no text": lambda id: _measured(b'{"jsonrpc":"2.0","id":%d,"result":{"x":"\xff"}}' % id, False),
    "a reply to another": lambda id: _measured(b'{"jsonrpc":"2.0","id":"other","result":{}}', False),
    "a redirect": lambda id: b"HTTP/1.1 307 No\r\nlocation: http://127.0.0.1:9/\r\ncontent-length: 0\r\n\r\n",
    "gzip nobody asked for": lambda id: (
        b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-type: application/json\r\n"
        b"content-length: 4\r\n\r\n\x1f\x8b\x08\x00"
    ),
}


def _broken(found: Findings, url: str) -> None:
    """On standard streams each of them has to become an error of that request, for there is nothing else to see."""
    with closing(Stdio(server=(url,))) as proxy:
        proxy.shake_hands()
        proxy.ask("list", "tools/list")
        for id, (what, made) in enumerate(_BROKEN.items()):
            steps = [["raw", [made(id).decode("latin-1")], 0.0]]
            at = proxy.send(request(id, "tools/call", {**_CALL, "_meta": {"do": steps}}))
            reply = proxy.reply_to(id)
            if found.hold(reply is not None, f"stdio, {what}: no answer") and reply is not None:
                is_error = "error" in reply[1] or reply[1]["result"].get("isError") is True
                found.hold(is_error, f"stdio, {what}: {reply[1]}")
                found.within(reply[0] - at, 1.0, f"stdio, {what}: a late answer")
        again = proxy.ask("again", "tools/call", _CALL)
        found.hold(again is not None and "result" in again, f"after all that: {again}")


async def _broken_by_http(found: Findings, url: str) -> None:
    """By HTTP an answer has to come, whatever it is; only what is no reply at all may be passed on as it is."""
    with closing(Listening(server=(url,))) as proxy:
        for id, (what, made) in enumerate(_BROKEN.items()):
            link = await connected(proxy.port)
            steps = [["raw", [made(id).decode("latin-1")], 0.0]]
            try:
                async with asyncio.timeout(PATIENCE):
                    answer = await link.ask(*modern(id, "tools/call", _CALL, do=steps))
                found.hold(answer.status > 0 and bool(answer.body or answer.status >= 300), f"HTTP, {what}: {answer}")
            except (TimeoutError, asyncio.IncompleteReadError, ConnectionError) as error:
                found.hold(False, f"HTTP, {what}: {type(error).__name__}")
            link.close()
