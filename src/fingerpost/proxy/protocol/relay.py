"""What becomes of the requests that guidance cares about, in whatever way messages travel.

A transport brings a `Wire` for each request: how it is sent on, and how the server is asked something of our own.
What comes out is the frame to answer with. Whatever guidance does not change is the frame that came.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, cast

from msgspec import Raw, Struct
from msgspec.json import Decoder

from fingerpost.engine import info_tool
from fingerpost.engine.catalog import Catalog, Tool
from fingerpost.engine.model import SILENCE, Call, Report, Verdict
from fingerpost.engine.policy import Policy
from fingerpost.engine.render.shapes import Shape
from fingerpost.engine.replies.enrich import KEY, error_result
from fingerpost.engine.safety.json_input import as_list, as_object
from fingerpost.middleware.call_flow import Exchange, Outcome
from fingerpost.middleware.guidance import Door
from fingerpost.proxy.protocol import message as messages
from fingerpost.proxy.protocol.lost_reply import LostReply
from fingerpost.proxy.protocol.message import Message, encode, fields, replace_members, splice
from fingerpost.proxy.protocol.request import Reply, Wire, entries_of, pages_of

_SERVER_INFO = "io.modelcontextprotocol/serverInfo"
_MOST_CALLERS = 256
_LEAST_BELIEVED, _BELIEVED, _WORTH = 2.0, 60.0, 100.0
"""Seconds for which something is said from a list that has no term of its own: not every server tells of changes.
At least, at most, and for each second that it took to read."""

_PAUSE = 30.0
_LONGEST_PAUSE = 600.0
"""Seconds for which a list that nobody answers for is not asked for: at first, and at most."""

_NOT_FOUND = (-32602, -32002, 0)

GUIDED = frozenset({"tools/call", "tools/list", "prompts/get", "resources/read"})
"""The methods that guidance has anything to do with."""


class Journal(Protocol):
    """Who is told of what guidance does, without a value of any argument."""

    def record_call(self, action: str, tool: str, code: str) -> None: ...
    def note(self, text: str) -> None: ...


class Relay(Door):
    """Guidance for every caller of one server."""

    def __init__(
        self,
        policy: Policy,
        journal: Journal,
        *,
        shape: Shape = "nested",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(policy, shape=shape, clock=clock)
        self._journal = journal
        self.leaves_successes_alone = not policy.tips
        """Whether a success of a right call is never added to."""
        self._pages: dict[object, tuple[str, list[Any]]] = {}
        """The pages that callers have read so far of a list that goes on."""
        self._silent: dict[object, tuple[float, float]] = {}
        """Callers whose list nobody answers for: until when it is not asked for, and how long it will be then."""
        self._server_info: dict[str, Any] = {}

    # tools

    def right_call(self, wire: Wire) -> Call | None:
        """The call in a `tools/call`, where it is right by the last known list: it goes on as it came."""
        name, arguments = wire.params.get("name"), wire.params.get("arguments", {})
        return Call(name, arguments) if type(name) is str and self.lets_pass(wire.caller, name, arguments) else None

    def succeeded(self, speaker: object, call: Call) -> None:
        self._desk.succeeded(speaker, call)

    def tool(self, caller: object, name: str) -> Tool | None:
        """A tool of this caller's last known list."""
        catalog = self._tools.any(caller)
        return catalog.get(name) if catalog else None

    def schema(self, caller: object, name: str) -> Any:
        """The schema of a tool as the server lists it."""
        tool = self.tool(caller, name)
        return tool.listed_schema if tool else None

    def lost(self, wire: Wire, loss: LostReply) -> bytes | None:
        """The reply to a call of a tool whose answer will not come; none where the request was for something else."""
        params = fields(wire.message.params)
        name = params.get("name")
        if wire.message.method != "tools/call" or not isinstance(name, str):
            return None
        tool = self.tool(wire.caller, name)
        call, diagnosis = Call(name, params.get("arguments", {})), loss.diagnosis(tool)
        result = error_result(
            Report(call=call, diagnoses=(diagnosis,), is_refusal=True), tool, self._desk.policy, "nested"
        )
        self._journal.record_call("lost", name, diagnosis.code)
        return messages.reply(wire.id, "result", encode(self.stamped(wire, result)))

    def leaves_alone(self, speaker: object, call: Call, reply: Message) -> bool:
        """Whether the reply to a right call is relayed as it is: every success is, unless tips are wanted."""
        if reply.error or _is_error(reply.result):
            return False
        if self._desk.policy.tips:
            return self._desk.has_nothing_to_say(speaker, call.tool, call.arguments, fields(reply.result))
        self._desk.succeeded(speaker, call)
        return True

    def outdate(self) -> None:
        """The server has announced that its list of tools changed, or another process has taken its place."""
        self._silent.clear()
        self._tools.outdate()

    async def answered(self, wire: Wire, reply: Reply | None = None) -> bytes:
        """The frame to answer a request with; `reply` is the server's, where the request has been sent on already."""
        match wire.message.method:
            case "tools/call":
                return await self._called(wire, reply)
            case "tools/list":
                return await self._listed(wire)
            case "prompts/get":
                return await self._prompted(wire)
            case _:
                return await self._read(wire)

    async def _called(self, wire: Wire, reply: Reply | None) -> bytes:
        name, arguments = wire.params.get("name"), wire.params.get("arguments", {})
        if not isinstance(name, str):
            return (reply or await wire.forward(wire.frame)).frame
        exchange = _Exchange(self._desk, self._tools, wire.caller, Call(name, arguments))
        exchange.relay, exchange.wire, exchange.reply, exchange.speaker = self, wire, reply, wire.speaker
        said, outcome = await exchange.run(exchange.outcome() if reply else None)
        own = cast("Reply", exchange.reply).frame if outcome is not None else b""
        return self._desk.safely(lambda: exchange.framed(said, outcome), own) or exchange.framed(said, None)

    def noted(self, verdict: str, tool: str, reply: dict[str, Any]) -> None:
        """Tell the journal what was done with a call."""
        told = as_object(as_object(reply.get("_meta")).get(KEY)) or as_object(as_object(reply.get("data")).get(KEY))
        self._journal.record_call(verdict, tool, str(as_object(told.get("error")).get("code", "")))

    def stamped(self, wire: Wire, result: dict[str, Any]) -> dict[str, Any]:
        """A result of ours as the server's own would look in this era."""
        if not wire.is_modern or "content" not in result:
            return result
        return {"resultType": "complete", **result, "_meta": {**self._server_info, **as_object(result.get("_meta"))}}

    # lists

    async def _listed(self, wire: Wire) -> bytes:
        asked = self._desk.now()
        reply = await wire.forward(wire.frame)
        try:
            return self._learned(wire, reply, self._desk.now() - asked)
        except Exception as error:
            self._desk.failed(error)
            return reply.frame

    def _learned(self, wire: Wire, reply: Reply, cost: float) -> bytes:
        """A page of the list on its way to the client; the last one gains our own tool."""
        page = fields(reply.message.result)
        if not isinstance(page.get("tools"), list):
            return reply.frame
        self._learn_server(page)
        cursor, tools = wire.params.get("cursor"), as_list(page["tools"])
        if cursor is not None:
            expected, before = self._pages.pop(wire.caller, ("", []))
            if expected != cursor:
                return reply.frame
            tools = [*before, *tools]
        if following := page.get("nextCursor"):
            self._pages[wire.caller] = str(following), tools
            _bound(self._pages)
            return reply.frame
        self.keep(wire.caller, tools, page, cost)
        own = self._desk.own_tools({str(as_object(tool).get("name")) for tool in tools})
        if not own:
            return reply.frame
        more = {**page, "tools": [*as_list(page["tools"]), *own]}
        return replace_members(reply.frame, result=splice(reply.message.result, page, more))

    def _learn_server(self, result: dict[str, Any]) -> None:
        """Remember how the server stamps its results, for ours are to look alike."""
        if (stamp := as_object(result.get("_meta")).get(_SERVER_INFO)) is not None:
            self._server_info = {_SERVER_INFO: stamp}

    def keep(self, caller: object, tools: list[Any], page: dict[str, Any], cost: float) -> Catalog:
        """A list on the shelf: until it goes stale by the server's word, or until the server says that it changed.

        Where the server says nothing, what took long to read is believed for longer.
        """
        self._silent.pop(caller, None)
        ttl = page.get("ttlMs")
        believed = min(max(_LEAST_BELIEVED, _WORTH * cost), _BELIEVED)
        until = self._desk.now() + (ttl / 1000 if isinstance(ttl, int | float) else believed)
        return self._tools.put(caller, [[tool for tool in tools if not info_tool.is_ours(tool, KEY)]], until)

    async def read_tools(self, wire: Wire) -> Catalog | None:
        """The caller's own list, every page of it; none where it cannot be read.

        A server that does not answer is not asked again for a while: calls would only wait for nothing.
        """
        until, pause = self._silent.get(wire.caller, (0.0, _PAUSE))
        if self._desk.now() < until:
            return None
        asked = self._desk.now()
        tools, last = await pages_of(wire.ask, wire.meta, "tools/list", "tools")
        if tools is None:
            if last is None:
                self._journal.note("the list of tools was not answered; calls go on without guidance")
                self._silent[wire.caller] = self._desk.now() + pause, min(pause * 2, _LONGEST_PAUSE)
                _bound(self._silent)
            return None
        self._learn_server(last or {})
        return self.keep(wire.caller, tools, last or {}, self._desk.now() - asked)

    # prompts and resources

    async def _prompted(self, wire: Wire) -> bytes:
        name, arguments = wire.params.get("name"), as_object(wire.params.get("arguments"))
        if not isinstance(name, str):
            return (await wire.forward(wire.frame)).frame
        call = Call(name, arguments)
        verdict = await self._admitted(call, wire.caller, partial(entries_of, wire, "prompts/list", "prompts"))
        reply = await wire.forward(_rewritten(wire, verdict.call) if verdict.action == "repair" else wire.frame)
        return self._desk.safely(lambda: self._remarked(reply, verdict), reply.frame)

    def _remarked(self, reply: Reply, verdict: Verdict) -> bytes:
        if reply.message.error:
            return self._explained(reply, self._desk.data(verdict.report, fields(reply.message.error).get("data")))
        if not (said := self._desk.remarks(verdict)):
            return reply.frame
        result = fields(reply.message.result)
        more = {**result, "_meta": {**as_object(result.get("_meta")), KEY: said}}
        return replace_members(reply.frame, result=splice(reply.message.result, result, more))

    async def _read(self, wire: Wire) -> bytes:
        reply, uri = await wire.forward(wire.frame), wire.params.get("uri")
        error = fields(reply.message.error) if reply.message.error else {}
        if error.get("code") not in _NOT_FOUND or not isinstance(uri, str):
            return reply.frame
        resources = await entries_of(wire, "resources/list", "resources")
        templates = await entries_of(wire, "resources/templates/list", "resourceTemplates")
        report = self._astray(uri, resources, templates)
        return self._desk.safely(
            lambda: self._explained(reply, self._desk.data(report, error.get("data"))), reply.frame
        )

    def _explained(self, reply: Reply, data: dict[str, Any] | None) -> bytes:
        """The server's protocol error with guidance in its data."""
        if data is None:
            return reply.frame
        error = fields(reply.message.error)
        return replace_members(reply.frame, error=splice(reply.message.error, error, {**error, "data": data}))


class _Exchange(Exchange):
    """A call that came through the proxy."""

    __slots__ = ("_said", "relay", "reply", "wire")

    relay: Relay
    wire: Wire
    reply: Reply | None

    async def send(self, call: Call) -> Outcome:
        self.reply = await self.wire.forward(
            self.wire.frame if call is self.call else _rewritten(self.wire, call), call
        )
        return self.outcome()

    def outcome(self) -> Outcome:
        """The server's reply as guidance reads it."""
        message = cast("Reply", self.reply).message
        self._said = fields(message.error or message.result)
        return Outcome(self._said)

    async def read(self) -> Catalog | None:
        return await self.relay.read_tools(self.wire)

    async def announce(self) -> None:
        """Nothing is declared to us that could change a label."""

    async def _guided(self, verdict: Verdict, outcome: Outcome) -> Any:
        """A success. To that of a right call nothing is added, unless tips are wanted: the proxy is not to be seen."""
        if verdict.report is SILENCE and not self.desk.policy.tips:
            self.desk.succeeded(self.speaker, self.call)
            return outcome.reply
        return await super()._guided(verdict, outcome)

    def framed(self, said: dict[str, Any], outcome: Outcome | None) -> bytes:
        """The reply on the wire, in the server's own bytes wherever they are its words."""
        if outcome is not None and self.reply is not None:
            if said is outcome.reply:
                return self.reply.frame
            self.relay.noted("guided" if _has_failed(said) else "repaired", self.call.tool, said)
            part, raw = (
                ("error", message.error) if (message := self.reply.message).error else ("result", message.result)
            )
            return replace_members(self.reply.frame, **{part: splice(raw, outcome.reply, said)})
        self.relay.noted("refused" if _has_failed(said) else "explained", self.call.tool, said)
        part = "result" if "content" in said else "error"
        return messages.reply(self.wire.id, part, encode(self.relay.stamped(self.wire, said)))


class _Flag(Struct, gc=False):
    isError: Any = None


_flag = Decoder(_Flag)


def _is_error(result: Raw) -> bool:
    try:
        return _flag.decode(result).isError is True
    except ValueError:  # half a surrogate pair is all that msgspec rejects and a relayed reply may hold
        return fields(result).get("isError") is True


def _bound(memory: dict[object, Any]) -> None:
    """Forget what was noted first: there may be any number of callers."""
    if len(memory) > _MOST_CALLERS:
        del memory[next(iter(memory))]


def _has_failed(reply: dict[str, Any]) -> bool:
    return reply.get("isError") is True or "content" not in reply


def _rewritten(wire: Wire, call: Call) -> bytes:
    """The client's request with another name and other arguments, all else as it came."""
    params = {**wire.params, "name": call.tool, "arguments": call.arguments}
    return replace_members(wire.frame, params=splice(wire.message.params, wire.params, params))
