"""The streamable HTTP side of `misbehaving`: sessions for the older era, strict headers for the newer one."""

from __future__ import annotations

import asyncio
import base64
import json
import random
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from tests.support.misbehaving import VERSION_KEY, Behaviour, Json, Steps, append, as_object, later

Headers: TypeAlias = "list[tuple[str, str]]"

_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_STATUS = {-32700: 400, -32600: 400, -32602: 400, -32020: 400, -32601: 404}
_MISMATCH = -32020


@dataclass
class Asked:
    """A request, and where its answer goes."""

    method: str
    headers: Headers
    body: bytes
    writer: asyncio.StreamWriter
    is_stream: bool = False
    """Whether the head of a stream of events has been sent."""

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key == name), "")


class Web:
    """The server by HTTP, on a port of its own choice, which is the first line that it prints."""

    def __init__(self, behaviour: Behaviour) -> None:
        self._behaviour = behaviour
        self._sessions: set[str] = set()
        self._held: list[tuple[Asked, Json]] = []
        self._is_released = asyncio.Event()

    def run(self) -> None:
        asyncio.run(self._served())

    async def _served(self) -> None:
        for step in self._behaviour.config.start:
            self._behaviour.common(step)
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, backlog=4_096, limit=2**27)
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (asked := await _request(reader, writer)) is not None:
                if not await self._heard(asked, reader):
                    break
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _heard(self, asked: Asked, reader: asyncio.StreamReader) -> bool:
        """Answer a request; whether the connection can take another."""
        self._record({"method": asked.method, "headers": asked.headers, "body": asked.body.decode("latin-1")})
        if asked.method == "GET":
            return await self._listen(asked, reader)
        if asked.method != "POST":
            self._sessions.discard(asked.header("mcp-session-id"))
            _respond(asked, 200)
            return True
        try:
            message = json.loads(asked.body)
        except ValueError:
            _answer(asked, {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"}}, 400)
            return True
        if "method" not in message or "id" not in message:
            _respond(asked, 202)
            return True
        if (refusal := self._refused(asked, message)) is not None:
            _answer(asked, {"jsonrpc": "2.0", "id": message["id"], "error": refusal[1]}, refusal[0])
            return True
        return await self._asked(asked, message, reader)

    def _record(self, what: Json) -> None:
        append(self._behaviour.config.record, json.dumps(what).encode())

    async def _listen(self, asked: Asked, reader: asyncio.StreamReader) -> bool:
        """The stream of the older era: open, and silent."""
        if asked.header("mcp-session-id") not in self._sessions:
            _respond(asked, 405)
            return True
        _respond(asked, 200, b": hello\n\n", "text/event-stream", is_open=True)
        await reader.read()
        return False

    def _refused(self, asked: Asked, message: Json) -> tuple[int, Json] | None:
        """What is wrong with the headers of a request: status and error."""
        if asked.header("mcp-method") or VERSION_KEY in as_object(as_object(message.get("params")).get("_meta")):
            text = next(self._mismatches(asked, message), "")
            return (400, {"code": _MISMATCH, "message": text}) if text else None
        if message["method"] == "initialize" or self._behaviour.config.era != "legacy":
            return None
        name = asked.header("mcp-session-id")
        if name in self._sessions:
            return None
        return (404 if name else 400), {"code": -32600, "message": "Session not found" if name else "Missing session"}

    def _mismatches(self, asked: Asked, message: Json) -> Iterator[str]:
        params = as_object(message.get("params"))
        if asked.header("mcp-protocol-version") != as_object(params.get("_meta")).get(VERSION_KEY):
            yield "mcp-protocol-version differs from the body"
        if asked.header("mcp-method") != message["method"]:
            yield "mcp-method differs from the body"
        field = _NAMED.get(message["method"])
        if field and isinstance(params.get(field), str) and decoded(asked.header("mcp-name")) != params[field]:
            yield "mcp-name differs from the body"
        if message["method"] == "tools/call":
            tools = {one["name"]: one for one in self._behaviour.tools_of(asked.header("authorization"))}
            schema = as_object(tools.get(str(params.get("name")))).get("inputSchema")
            yield from param_mismatches(schema, params.get("arguments"), asked.headers)

    async def _asked(self, asked: Asked, message: Json, reader: asyncio.StreamReader) -> bool:
        steps = self._behaviour.steps(message)
        while steps:
            if not await self._step(steps, asked, message, reader):
                return False
            steps = steps[1:]
        if not self._behaviour.steps(message):
            self._say(asked, self._reply(asked, message))
        if asked.is_stream:
            asked.writer.write(b"0\r\n\r\n")
        return True

    def _reply(self, asked: Asked, message: Json) -> Json:
        return self._behaviour.reply(message, asked.header("authorization"))

    async def _step(self, steps: Steps, asked: Asked, message: Json, reader: asyncio.StreamReader) -> bool:
        """Take the first of the steps; whether the connection lives on."""
        match steps[0]:
            case ["hang"]:
                await reader.read()
                self._record({"closed": message["id"]})
                return False
            case ["hold"]:
                self._held.append((asked, message))
                await self._is_released.wait()
                return True
            case ["release"]:
                self._release()
                self._say(asked, self._reply(asked, message))
            case ["sleep" | "later", seconds]:
                await asyncio.sleep(seconds)
                if steps[0][0] == "later":
                    self._say(asked, self._reply(asked, message))
            case ["raw", pieces, pause]:
                for piece in pieces:
                    asked.writer.write(piece.encode("latin-1"))
                    await asked.writer.drain()
                    await asyncio.sleep(pause)
                return False
            case ["drop"]:
                return False
            case ["forget"]:
                self._sessions.clear()
            case _:
                self._speak(steps, asked, message)
        return True

    def _release(self) -> None:
        held, self._held = self._held, []
        random.shuffle(held)
        for one, message in held:
            self._say(one, self._reply(one, message))
        self._is_released.set()
        self._is_released = asyncio.Event()

    def _speak(self, steps: Steps, asked: Asked, message: Json) -> None:
        reply = later(steps, message, self._reply(asked, message))
        if not reply:
            self._behaviour.common(steps[0])
        for one in reply:
            self._say(asked, one)

    def _say(self, asked: Asked, message: Json) -> None:
        """Send a message: a reply in one piece where nothing came before it, anything else as an event."""
        if not asked.is_stream and "method" not in message and not self._behaviour.config.streams:
            name = secrets.token_hex(8) if "protocolVersion" in message.get("result", {}) else ""
            self._sessions |= {name} - {""}
            status = _STATUS.get(message.get("error", {}).get("code"), 200) if asked.header("mcp-method") else 200
            _answer(asked, message, status, [("mcp-session-id", name)] if name else [])
            return
        if not asked.is_stream:
            asked.is_stream = True
            _respond(asked, 200, b"", "text/event-stream", is_open=True)
        event = b"event: message\r\ndata: %b\r\n\r\n" % json.dumps(message).encode()
        asked.writer.write(b"%x\r\n%b\r\n" % (len(event), event))


async def _request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Asked | None:
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")[:-2]
    headers = [(key.lower(), value.strip()) for key, _, value in (line.partition(":") for line in lines)]
    size = int(next((value for key, value in headers if key == "content-length"), "0"))
    return Asked(first.split(" ")[0], headers, await reader.readexactly(size) if size else b"", writer)


def _answer(asked: Asked, message: Json, status: int = 200, headers: Headers | None = None) -> None:
    _respond(asked, status, json.dumps(message).encode(), "application/json", headers=headers)


def _respond(
    asked: Asked,
    status: int,
    body: bytes = b"",
    kind: str = "",
    *,
    is_open: bool = False,
    headers: Headers | None = None,
) -> None:
    lines = [f"HTTP/1.1 {status} Status", *(f"{key}: {value}" for key, value in headers or [])]
    lines += [f"content-type: {kind}"] if kind else []
    lines += ["transfer-encoding: chunked"] if is_open else [f"content-length: {len(body)}"]
    framed = b"%x\r\n%b\r\n" % (len(body), body) if is_open and body else body
    asked.writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + framed)


# what headers say of arguments, as strictly as the SDK has it


def decoded(value: str) -> str | None:
    """A header's value; none where it is encoded wrongly."""
    if not (value.startswith("=?base64?") and value.endswith("?=") and len(value) >= 11):
        return value
    try:
        raw = base64.b64decode(value[9:-2], validate=True)
        return raw.decode() if base64.b64encode(raw).decode() == value[9:-2] else None
    except ValueError:
        return None


def param_mismatches(schema: Any, arguments: Any, headers: Headers) -> Iterator[str]:
    """Where the `Mcp-Param-*` headers of a call differ from its arguments."""
    for path, token in _marked(schema, ()):
        name = f"mcp-param-{token.lower()}"
        sent = [value for key, value in headers if key == name]
        wanted = _rendered(arguments, path)
        if len(sent) > 1 or (wanted is None) != (not sent) or (sent and decoded(sent[0]) != wanted):
            yield f"{name} differs from the argument {'.'.join(path)}"


def _marked(schema: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    for key, one in as_object(as_object(schema).get("properties")).items():
        if "x-mcp-header" in as_object(one):
            yield (*path, key), one["x-mcp-header"]
        yield from _marked(one, (*path, key))


def _rendered(arguments: Any, path: tuple[str, ...]) -> str | None:
    for key in path:
        arguments = as_object(arguments).get(key)
    if isinstance(arguments, bool):
        return "true" if arguments else "false"
    return str(arguments) if isinstance(arguments, str | int | float) else None
