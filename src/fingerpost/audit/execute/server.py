"""The audited server: started, initialized in either MCP era, called, and restarted when it has ended."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from importlib import metadata
from typing import Any

from fingerpost.audit.events import Subject
from fingerpost.audit.execute.connection import AnswerTimeout, Connection, NoAnswer, ServerEnded
from fingerpost.audit.execute.target import Target
from fingerpost.engine.model import KEY, Call
from fingerpost.engine.safety.json_input import as_object, as_strings
from fingerpost.engine.safety.redact import clean, scrub
from fingerpost.middleware.paging import read_all_pages
from fingerpost.middleware.protocol import PROTOCOL_VERSION_KEY
from fingerpost.proxy.protocol.lost_reply import LostMark, read_mark
from fingerpost.terminal.command_error import CommandError

MODERN, LEGACY = "2026-07-28", "2025-11-25"
START_TIMEOUT = 30.0
"""Seconds that a server has to start; some are downloaded first."""
_DISCOVER_TIMEOUT = 10.0
"""Seconds until a server that ignores `server/discover` gets `initialize` instead."""
_TIMEOUT_HINT = "Is it an MCP server? --start-timeout gives it more time."
_MAX_STARTS = 40
_RETRY_PAUSE = 0.25
_META_PREFIX = PROTOCOL_VERSION_KEY.partition("/")[0]


class Server:
    """A server that is started on demand, and again after it has ended."""

    def __init__(self, target: Target, *, timeout: float = 10.0, start_timeout: float = START_TIMEOUT) -> None:
        self._target, self._timeout, self._start_timeout = target, timeout, start_timeout
        self._connection: Connection | None = None
        self._starting_lock = asyncio.Lock()
        self._info: dict[str, Any] = {}
        self._is_modern: bool | None = None
        self._protocol = ""
        self._starts = 0

    async def __aenter__(self) -> Server:
        try:
            await self._connect()
        except BaseException:
            self.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def close(self, why: str = "was stopped") -> None:
        if self._connection is not None:
            self._connection.close(why)

    @property
    def has_changed_tools(self) -> bool:
        """Whether the server has announced that its list of tools changed."""
        return self._connection is not None and self._connection.has_changed_tools

    @property
    def is_on_first_start(self) -> bool:
        """Whether the server is running and never had to be restarted."""
        return self._starts == 1 and self._connection is not None and not self._connection.has_ended

    def subject(self, tools: int) -> Subject:
        return Subject(
            target=self._target.label,
            name=clean(str(self._info.get("name", "")), 100),
            version=clean(str(self._info.get("version", "")), 60),
            protocol=self._protocol,
            transport="http" if self._target.url else "stdio",
            tools=tools,
        )

    async def list_tools(self) -> list[dict[str, Any]]:
        """List all tools, page by page."""
        pages = await read_all_pages(self._list_page, "tools", {})
        return [as_object(tool) for tool in pages.entries if isinstance(as_object(tool).get("name"), str)]

    async def _list_page(self, params: dict[str, Any]) -> dict[str, Any]:
        connection = await self._connect()
        try:
            answer = await connection.request("tools/list", self._with_meta(params), self._start_timeout)
        except NoAnswer as error:
            raise CommandError(
                f"the server {error} when it was asked for its tools", _stderr_hint(connection)
            ) from error
        if "error" in answer:
            raise CommandError(
                f"the server does not list its tools: {_error_message(answer)}",
                "Does it need an option, a key or a login?",
            )
        return as_object(answer["result"])

    async def call(self, call: Call) -> Mapping[str, Any]:
        """Call a tool and return the reply; raises `NoAnswer` if there is none."""
        connection = await self._connect()
        params = self._with_meta({"name": call.tool, "arguments": call.arguments})
        try:
            answer = await connection.request("tools/call", params, self._timeout)
        except AnswerTimeout as error:
            if not await self._answers_ping(connection):
                connection.close("no longer answers at all")
                raise ServerEnded(f"{error}, and none to a ping either") from error
            # Behind Fingerpost, the later answers may have come from Fingerpost itself.
            was_overtaken = error.was_overtaken and not self._target.is_guided
            raise AnswerTimeout(str(error), was_overtaken=was_overtaken) from error
        if lost := self._read_lost(answer):
            if lost.was_sent:
                raise ServerEnded(lost.clause)
            connection.close("could not be reached")  # this call is not to blame
            return await self.call(call)
        return as_object(answer["result"]) if "result" in answer else _error_as_reply(as_object(answer["error"]))

    def _read_lost(self, answer: dict[str, Any]) -> LostMark | None:
        """Read why the proxy in front got no answer from the server; None if it got one, or there is no proxy."""
        if not self._target.is_proxied:
            return None
        fields = as_object(answer.get("result")).get("_meta") or as_object(answer.get("error")).get("data")
        return read_mark(as_object(fields))

    async def _answers_ping(self, connection: Connection) -> bool:
        try:
            await connection.request("ping", self._with_meta({}), min(5.0, self._timeout))
        except NoAnswer:
            return False
        return True

    def _with_meta(self, params: dict[str, Any]) -> dict[str, Any]:
        """Add the `_meta` that the modern revision requires."""
        return {**params, "_meta": _client_meta()} if self._is_modern else params

    # starting

    async def _connect(self) -> Connection:
        """Return the connection; start the server if it is not running."""
        async with self._starting_lock:
            if self._connection is None or self._connection.has_ended:
                self._starts += 1
                if self._starts > _MAX_STARTS:
                    raise CommandError(f"the server had to be started {_MAX_STARTS} times")
                self._connection = await self._start_with_retries()
            return self._connection

    async def _start_with_retries(self) -> Connection:
        """Start the server; retry a URL that worked before, since its owner may be restarting it."""
        clock = asyncio.get_running_loop().time
        until = clock() + (min(_DISCOVER_TIMEOUT, self._start_timeout) if self._target.url and self._protocol else 0)
        while True:
            try:
                return await self._start()
            except CommandError:
                if clock() >= until:
                    raise
            await asyncio.sleep(_RETRY_PAUSE)

    async def _start(self) -> Connection:
        clock, connection = asyncio.get_running_loop().time, self._spawn()
        until = clock() + self._start_timeout
        try:
            if self._is_modern is not False and await self._discover(connection):
                return connection
            if connection.has_ended:  # some servers exit on an unknown method
                connection = self._spawn()
            await self._initialize(connection, until - clock())
        except AnswerTimeout as error:
            connection.close()
            message = f"the server gave no answer within {self._start_timeout:g} s during the MCP handshake"
            raise CommandError(message, f"{_stderr_hint(connection)}\n{_TIMEOUT_HINT}".strip()) from error
        except NoAnswer as error:
            connection.close()
            raise CommandError(f"the server {error} during the MCP handshake", _stderr_hint(connection)) from error
        except BaseException:
            connection.close()
            raise
        return connection

    def _spawn(self) -> Connection:
        argv = self._target.argv
        try:
            return Connection(argv)
        except FileNotFoundError as error:
            raise CommandError(f"there is no command {argv[0]}", "Is it installed, and on the PATH?") from error
        except OSError as error:
            raise CommandError(f"{argv[0]} cannot be started: {error.strerror}") from error

    async def _discover(self, connection: Connection) -> bool:
        """Try the modern revision, which needs no `initialize`; return whether the server speaks it."""
        seconds = min(_DISCOVER_TIMEOUT, self._start_timeout / 3)
        try:
            answer = await connection.request("server/discover", {"_meta": _client_meta()}, seconds)
        except NoAnswer:
            return False
        result = as_object(answer.get("result"))
        if MODERN not in as_strings(result.get("supportedVersions")):
            return False
        info = as_object(result.get("_meta")).get(f"{_META_PREFIX}/serverInfo", result.get("serverInfo"))
        self._is_modern, self._protocol, self._info = True, MODERN, as_object(info)
        return True

    async def _initialize(self, connection: Connection, seconds: float) -> None:
        params = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": _client_info()}
        answer = await connection.request("initialize", params, seconds)
        if "error" in answer:
            if await self._discover(connection):  # a modern server that was only slow to start
                return
            message = _error_message(answer)
            lost = self._read_lost(answer)
            problem = lost.clause if lost and lost.was_sent else lost.why if lost else None
            raise CommandError(
                f"the server {problem or f'does not take this client: {message}'}", _stderr_hint(connection)
            )
        result = as_object(answer["result"])
        self._is_modern, self._info = False, as_object(result.get("serverInfo"))
        self._protocol = clean(str(result.get("protocolVersion") or LEGACY), 40)
        connection.notify("notifications/initialized", {})


def _client_info() -> dict[str, str]:
    return {"name": "fingerpost-audit", "version": metadata.version("fingerpost")}


def _client_meta() -> dict[str, Any]:
    prefix = _META_PREFIX
    return {PROTOCOL_VERSION_KEY: MODERN, f"{prefix}/clientInfo": _client_info(), f"{prefix}/clientCapabilities": {}}


def _error_message(answer: dict[str, Any]) -> str:
    return clean(str(as_object(answer["error"]).get("message")), 200)


def _error_as_reply(error: dict[str, Any]) -> dict[str, Any]:
    """Turn a protocol error into a reply with its message as text, as clients show it; keep our guidance in `_meta`."""
    data = as_object(error.get("data"))
    text = {"type": "text", "text": str(error.get("message"))}
    return {"isError": True, "content": [text], **({"_meta": {KEY: data[KEY]}} if KEY in data else {})}


def _stderr_hint(connection: Connection) -> str:
    lines = [scrub(line, 200) for line in connection.stderr_tail.strip().splitlines()[-5:]]
    return "\n".join(["The end of its standard error:", *lines]) if lines else ""
