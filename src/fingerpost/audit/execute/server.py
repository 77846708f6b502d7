"""The server under audit: reached in either era, listed, called, and started again when it has ended.

One way of travelling is enough: an address is reached through our own proxy with guidance switched off, which passes
on what is said byte for byte, and the comparison is the same proxy with guidance on.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from fingerpost.audit.events import Subject
from fingerpost.audit.execute.connection import Gone, Late, Line, Lost
from fingerpost.engine.model import Call
from fingerpost.engine.replies.enrich import KEY
from fingerpost.engine.safety.json_input import as_list, as_object, as_strings
from fingerpost.engine.safety.redact import HIDDEN, clean, is_secret, scrub
from fingerpost.proxy.http.environment import headers_from_environment
from fingerpost.proxy.http.sendable import is_url
from fingerpost.proxy.protocol.lost_reply import NOT_SENT, told_in
from fingerpost.proxy.protocol.request import PROTOCOL_VERSION
from fingerpost.terminal.command_error import CommandError

MODERN, LEGACY = "2026-07-28", "2025-11-25"
STARTING = 30.0
"""Seconds that a server has for its start; some are downloaded first."""
_SILENCE = 10.0
"""Seconds after which a server that says nothing to the newer revision is greeted as the older ones are."""
_MORE_TIME = "Is it an MCP server? --start-timeout gives it more time."
_MOST_PAGES = 200
_MOST_STARTS = 40
_PAUSE = 0.25
_SPACE = PROTOCOL_VERSION.partition("/")[0]
_PROXY = (sys.executable, "-P", "-m", "fingerpost", "proxy")
"""`-P`, for the folder that the audit is run in may have modules of any name."""


@dataclass(frozen=True, slots=True)
class Target:
    """What is audited: a command or an address, as it is or with Fingerpost in front."""

    command: tuple[str, ...] = ()
    url: str = ""
    is_guided: bool = False

    @property
    def argv(self) -> tuple[str, ...]:
        if self.url:
            return (*_PROXY, "--guidance", "on" if self.is_guided else "off", self.url)
        return (*_PROXY, "--", *self.command) if self.is_guided else self.command

    @property
    def is_relayed(self) -> bool:
        return bool(self.url) or self.is_guided

    @property
    def shown(self) -> tuple[str, ...] | str:
        """The command or the address, with nothing secret in it."""
        return _unless_secret(self.url) if self.url else tuple(_discreet(self.command))

    @property
    def told(self) -> str:
        """How it is called in a report."""
        return clean(self.shown if isinstance(self.shown, str) else " ".join(self.shown), 300)


def _discreet(words: Sequence[str]) -> Iterator[str]:
    """A command line without its secrets, which stand behind `=` or behind the option."""
    option = ""
    for word in words:
        name, is_pair, _ = word.partition("=")
        if is_pair and is_secret(name):
            yield f"{name}={HIDDEN}"
        else:
            yield HIDDEN if option and is_secret(option) else _unless_secret(word)
        option = word if word[:1] == "-" and not is_pair else ""


def _unless_secret(word: str) -> str:
    is_path = "/" in word and "://" not in word
    said = scrub(word, 4 * len(word), keeps_ids=is_path)
    return said if HIDDEN in said else word


class Server:
    """A server that is there whenever it is called."""

    def __init__(self, target: Target, *, seconds: float = 10.0, starting: float = STARTING) -> None:
        self._target, self._seconds, self._starting = target, seconds, starting
        self._line: Line | None = None
        self._begin = asyncio.Lock()
        self._info: dict[str, Any] = {}
        self._is_modern: bool | None = None
        self._protocol = ""
        self._starts = 0

    async def __aenter__(self) -> Server:
        try:
            await self._ready()
        except BaseException:
            self.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def close(self, why: str = "was stopped") -> None:
        if self._line is not None:
            self._line.close(why)

    @property
    def has_changed(self) -> bool:
        """Whether it has said that its list of tools is another one now."""
        return self._line is not None and self._line.has_changed

    @property
    def is_unbroken(self) -> bool:
        """Whether it is still there and never had to be started again."""
        return self._starts == 1 and self._line is not None and not self._line.is_gone

    def subject(self, tools: int) -> Subject:
        return Subject(
            target=self._target.told,
            name=clean(str(self._info.get("name", "")), 100),
            version=clean(str(self._info.get("version", "")), 60),
            protocol=self._protocol,
            transport="http" if self._target.url else "stdio",
            tools=tools,
        )

    async def tools(self) -> list[dict[str, Any]]:
        """All that it lists, page by page."""
        listed, cursor = list[dict[str, Any]](), None
        for _ in range(_MOST_PAGES):
            page = await self._listed({"cursor": cursor} if cursor else {})
            listed += [as_object(tool) for tool in as_list(page.get("tools")) if isinstance(tool, dict)]
            cursor = page.get("nextCursor")
            if not isinstance(cursor, str) or not cursor:
                break
        return [tool for tool in listed if isinstance(tool.get("name"), str)]

    async def _listed(self, params: dict[str, Any]) -> dict[str, Any]:
        line = await self._ready()
        try:
            answer = await line.ask("tools/list", self._stamped(params), self._starting)
        except Lost as lost:
            raise CommandError(f"the server {lost} when it was asked for its tools", _last_words(line)) from lost
        if "error" in answer:
            said = clean(str(as_object(answer["error"]).get("message")), 200)
            raise CommandError(
                f"the server does not list its tools: {said}", "Does it need an option, a key or a login?"
            )
        return as_object(answer["result"])

    async def call(self, call: Call) -> Mapping[str, Any]:
        """What a call is answered with. `Lost` where there is no answer."""
        line = await self._ready()
        params = self._stamped({"name": call.tool, "arguments": call.arguments})
        try:
            answer = await line.ask("tools/call", params, self._seconds)
        except Late as late:
            if not await self._is_there(line):
                line.close("no longer answers at all")
                raise Gone(f"{late}, and none to a ping either") from late
            late.was_passed &= not self._target.is_guided  # where Fingerpost itself may have answered what came later
            raise
        reply = as_object(answer["result"]) if "result" in answer else _as_reply(as_object(answer["error"]))
        lost = _lost(reply) if self._target.is_relayed else ""
        if lost.endswith(NOT_SENT):  # that is not the fault of this call
            line.close("could not be reached")
            return await self.call(call)
        if lost:
            raise Gone(lost)
        return reply

    async def _is_there(self, line: Line) -> bool:
        try:
            await line.ask("ping", self._stamped({}), min(5.0, self._seconds))
        except Lost:
            return False
        return True

    def _stamped(self, params: dict[str, Any]) -> dict[str, Any]:
        """Parameters as the revision that is spoken asks for."""
        return {**params, "_meta": _introduction()} if self._is_modern else params

    # beginning

    async def _ready(self) -> Line:
        """The server, started again where it has ended."""
        async with self._begin:
            if self._line is None or self._line.is_gone:
                self._starts += 1
                if self._starts > _MOST_STARTS:
                    raise CommandError(f"the server had to be started {_MOST_STARTS} times")
                self._line = await self._reached()
            return self._line

    async def _reached(self) -> Line:
        """An address that was there once is not given up at once: whoever runs it may be about to start it again."""
        clock = asyncio.get_running_loop().time
        until = clock() + (min(_SILENCE, self._starting) if self._target.url and self._protocol else 0)
        while True:
            try:
                return await self._started()
            except CommandError:
                if clock() >= until:
                    raise
            await asyncio.sleep(_PAUSE)

    async def _started(self) -> Line:
        clock, line = asyncio.get_running_loop().time, self._spawned()
        until = clock() + self._starting
        try:
            if self._is_modern is not False and await self._discovered(line):
                return line
            if line.is_gone:  # some end at a question that they do not know
                line = self._spawned()
            await self._initialized(line, until - clock())
        except Late as late:
            line.close()
            slow = f"the server gave no answer within {self._starting:g} s when it was greeted"
            raise CommandError(slow, f"{_last_words(line)}\n{_MORE_TIME}".strip()) from late
        except Lost as lost:
            line.close()
            raise CommandError(f"the server {lost} when it was greeted", _last_words(line)) from lost
        except BaseException:
            line.close()
            raise
        return line

    def _spawned(self) -> Line:
        argv = self._target.argv
        try:
            return Line(argv)
        except FileNotFoundError as error:
            raise CommandError(f"there is no command {argv[0]}", "Is it installed, and on the PATH?") from error
        except OSError as error:
            raise CommandError(f"{argv[0]} cannot be started: {error.strerror}") from error

    async def _discovered(self, line: Line) -> bool:
        """Whether it speaks the revision that needs no greeting."""
        try:
            answer = await line.ask("server/discover", {"_meta": _introduction()}, min(_SILENCE, self._starting / 3))
        except Lost:
            return False
        said = as_object(answer.get("result"))
        if MODERN not in as_strings(said.get("supportedVersions")):
            return False
        named = as_object(said.get("_meta")).get(f"{_SPACE}/serverInfo", said.get("serverInfo"))
        self._is_modern, self._protocol, self._info = True, MODERN, as_object(named)
        return True

    async def _initialized(self, line: Line, seconds: float) -> None:
        hello = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": _client()}
        answer = await line.ask("initialize", hello, seconds)
        if "error" in answer:
            if await self._discovered(line):  # it speaks the newer revision, and was only slow to begin
                return
            said = clean(str(as_object(answer["error"]).get("message")), 200)
            lost = told_in(said).removesuffix(NOT_SENT) if self._target.is_relayed else ""
            raise CommandError(f"the server {lost or f'does not take this client: {said}'}", _last_words(line))
        said = as_object(answer["result"])
        self._is_modern, self._info = False, as_object(said.get("serverInfo"))
        self._protocol = clean(str(said.get("protocolVersion") or LEGACY), 40)
        line.tell("notifications/initialized", {})


def _client() -> dict[str, str]:
    return {"name": "fingerpost-audit", "version": metadata.version("fingerpost")}


def _introduction() -> dict[str, Any]:
    return {PROTOCOL_VERSION: MODERN, f"{_SPACE}/clientInfo": _client(), f"{_SPACE}/clientCapabilities": {}}


def _as_reply(error: dict[str, Any]) -> dict[str, Any]:
    """An error of the protocol as clients show it: its message. What programs read stays where they look for it."""
    data = as_object(error.get("data"))
    text = {"type": "text", "text": str(error.get("message"))}
    return {"isError": True, "content": [text], **({"_meta": {KEY: data[KEY]}} if KEY in data else {})}


def _lost(reply: dict[str, Any]) -> str:
    """Why the proxy in between has no answer of the server's; empty where it has one."""
    blocks = as_list(reply.get("content"))
    return told_in(str(as_object(blocks[0]).get("text"))) if reply.get("isError") is True and blocks else ""


def _last_words(line: Line) -> str:
    lines = [scrub(one, 200) for one in line.last_words.strip().splitlines()[-5:]]
    return "\n".join(["Its last words:", *lines]) if lines else ""


def target_of(command: Sequence[str], url: str | None) -> Target:
    if bool(command) == bool(url):
        raise CommandError(
            "say either a command or a URL", "fingerpost audit -- python server.py, or fingerpost audit URL"
        )
    if url:
        if not is_url(url):
            raise CommandError(
                f"{url} is not a URL", "For a command, put -- before it: fingerpost audit -- python server.py"
            )
        headers_from_environment()  # says what is wrong with them before anything is started
    return Target(command=tuple(command), url=url or "")
