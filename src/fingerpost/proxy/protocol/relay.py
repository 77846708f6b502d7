"""Guide the requests of the client, whatever transport they travel on.

A transport brings a `ClientRequest` that can send itself and ask the server something of our own. What comes out is
the frame to answer with. Whatever guidance does not change keeps the bytes it came in.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Protocol

from msgspec import Raw, Struct
from msgspec.json import Decoder

from fingerpost.engine.catalog import Catalog
from fingerpost.engine.model import KEY, Call, Report, Verdict
from fingerpost.engine.overrides import NO_OVERRIDES, Overrides
from fingerpost.engine.policy import Policy
from fingerpost.engine.render.shapes import Shape
from fingerpost.engine.replies.classify import may_report_failure
from fingerpost.engine.safety.json_input import as_list, as_object
from fingerpost.engine.tool import Tool
from fingerpost.middleware.call_flow import CallFlow
from fingerpost.middleware.guidance import ServerGuidance
from fingerpost.middleware.outcome import Answer, Outcome
from fingerpost.middleware.paging import Pages, read_all_pages
from fingerpost.middleware.protocol import NOT_FOUND_CODES, stamp_result
from fingerpost.proxy.protocol import message as messages
from fingerpost.proxy.protocol.lost_reply import LostReply
from fingerpost.proxy.protocol.message import (
    Message,
    encode,
    fields,
    is_absent,
    replace_members,
    replace_params,
    splice,
)
from fingerpost.proxy.protocol.recent_pages import RecentPages
from fingerpost.proxy.protocol.request import ClientRequest, Reply

_UNREADABLE = {"resultType": "malformed"}
"""Stands for a reply that is neither a result nor an error, so that nothing is added to it."""

_SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo"
_MAX_CALLERS = 256

_MIN_FRESH, _MAX_FRESH, _FRESH_PER_SECOND_OF_READING = 2.0, 60.0, 100.0
"""How many seconds a list without a `ttlMs` counts as fresh: not every server announces changes."""

_FIRST_PAUSE, _LONGEST_PAUSE = 30.0, 600.0
"""Seconds for which a list that the server does not answer for is not asked for again."""

GUIDED_METHODS = frozenset({"tools/call", "tools/list", "prompts/get", "resources/read"})
NAMING_METHODS = frozenset({"initialize", "server/discover"})
"""The requests in whose replies a server says its name: as `serverInfo`, or in `_meta` since 2026-07-28."""


class EventLog(Protocol):
    """Where guidance reports what it does, without the value of any argument."""

    def record_call(self, action: str, tool: str, code: str) -> None: ...
    def note(self, text: str) -> None: ...
    def notice_once(self, text: str) -> None: ...


class _Pause(NamedTuple):
    until: float
    next_length: float


class Relay(ServerGuidance):
    """Guidance for every caller of one server."""

    only_tips_go_to_successes = True

    def __init__(
        self,
        policy: Policy,
        log: EventLog,
        *,
        shape: Shape = "nested",
        overrides: Overrides = NO_OVERRIDES,
        name: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(
            policy,
            shape=shape,
            tools=overrides.tools,
            aliases=overrides.aliases,
            hints=overrides.hints,
            clock=clock,
        )
        self._log = log
        self.learn_server_name(name)
        self.leaves_successes_alone = not any(one.tips for one in (policy, *overrides.tools.values()))
        """Whether nothing is ever added to the success of a right call, of whichever tool."""
        self._partial_lists: dict[object, tuple[str, list[Any]]] = {}
        """For each caller that reads a list page by page: the next cursor, and the tools so far."""
        self._pages = RecentPages()
        self._pauses: dict[object, _Pause] = {}
        """Callers whose list the server does not answer for."""
        self._server_info: dict[str, Any] = {}

    def warn(self, text: str) -> None:
        self._log.note(text)

    def report_declaration(self, problem: str) -> None:
        self._log.notice_once(problem)

    # tool calls

    def valid_call(self, request: ClientRequest) -> Call | None:
        """Return the call of a `tools/call` that is clearly valid by the last known list: it only has to be sent."""
        params = request.params or request.read_params()
        name, arguments = params.get("name"), params.get("arguments", {})
        return Call(name, arguments) if type(name) is str and self.lets_pass(request.caller, name, arguments) else None

    def leaves_reply_alone(self, speaker: object, call: Call, reply: Message) -> bool:
        """Whether the reply to a valid call is relayed as it is."""
        if reply.error or _is_error(reply.result):
            return False
        if not self.leaves_success_alone(call.tool) or may_report_failure(bytes(reply.result)):
            return self.leaves_unchanged(speaker, call.tool, call.arguments, fields(reply.result))
        self.repeated.forget(speaker, call)
        return True

    async def answer_call(self, request: ClientRequest, reply: Reply | None = None) -> bytes:
        """Return the frame that answers a `tools/call`; `reply` is the server's, if the call has been sent already."""
        params = request.params or request.read_params()
        name, arguments = params.get("name"), params.get("arguments", {})
        if not isinstance(name, str):
            return (reply or await request.forward(request.frame)).frame
        call = Call(name, arguments)
        upstream = _ProxyUpstream(self, request, call)
        flow = CallFlow(self, upstream, request.caller, call, counts_as=request.speaker)
        answer = await (flow.run() if reply is None else flow.complete(upstream.receive(reply)))
        last = upstream.last_reply
        if last is None:
            return self._to_frame(request, call, answer, None)
        try:
            return self._to_frame(request, call, answer, last)
        except Exception as error:
            self.count_own_failure(error)
            return last.frame

    def _to_frame(self, request: ClientRequest, call: Call, answer: Answer, last: Reply | None) -> bytes:
        """Encode an answer, in the server's own bytes wherever it is unchanged. `last` is the server's last reply."""
        guided = answer.reply
        if last is not None and answer.outcome is not None and guided is answer.outcome.reply:
            return last.frame
        has_failed = guided.get("isError") is True or "content" not in guided
        if answer.outcome is not None and last is not None:
            self._log_guided("guided" if has_failed else "repaired", call.tool, guided)
            part, raw = ("error", last.message.error) if last.message.error else ("result", last.message.result)
            return replace_members(last.frame, **{part: splice(raw, answer.outcome.reply, guided)})
        self._log_guided("refused" if has_failed else "explained", call.tool, guided)
        return self._own_reply(request, guided)

    def _own_reply(self, request: ClientRequest, reply: dict[str, Any]) -> bytes:
        """Encode a reply that consists of guidance only, as the server's own would look."""
        if "content" not in reply:
            return messages.reply(request.encoded_id, "error", encode(reply))
        result = stamp_result(reply, self._server_info) if request.is_modern else reply
        return messages.reply(request.encoded_id, "result", encode(result))

    def _log_guided(self, action: str, tool: str, reply: dict[str, Any]) -> None:
        guidance = as_object(reply.get("_meta")).get(KEY) or as_object(reply.get("data")).get(KEY)
        self._log.record_call(action, tool, str(as_object(as_object(guidance).get("error")).get("code", "")))

    def answer_lost(self, request: ClientRequest, loss: LostReply, meta: dict[str, Any] | None = None) -> bytes | None:
        """Return the reply to a tool call whose answer will not come; None if the request was for something else.

        `meta` is added to the `_meta` of the reply.
        """
        name = request.read_params().get("name") if request.method == "tools/call" else None
        if not isinstance(name, str):
            return None
        diagnosis = loss.diagnosis(self.tool(request.caller, name))
        call = Call(name, request.read_params().get("arguments", {}))
        report = Report(call=call, diagnoses=(diagnosis,), is_refusal=True)
        self._log.record_call("lost", name, diagnosis.code)
        cached = self.tools.get(request.caller)
        result = self.error_result(report, cached.value if cached else Catalog())
        return self._own_reply(request, {**result, "_meta": {**result["_meta"], **(meta or {})}})

    def tool(self, caller: object, name: str) -> Tool | None:
        """Return a tool of this caller's last known list."""
        cached = self.tools.get(caller)
        return cached.value.get(name) if cached else None

    def schema(self, caller: object, name: str) -> Any:
        """Return the schema of a tool as the server lists it."""
        tool = self.tool(caller, name)
        return tool.raw_schema if tool else None

    # other requests

    async def answer(self, request: ClientRequest) -> bytes:
        """Return the frame that answers a guided request."""
        match request.method:
            case "tools/call":
                return await self.answer_call(request)
            case "tools/list":
                return await self._answer_list(request)
            case "prompts/get":
                return await self._answer_prompt(request)
            case _:
                return await self._answer_resource(request)

    async def _answer_list(self, request: ClientRequest) -> bytes:
        started = self.now()
        reply = await request.forward(request.frame)
        try:
            return self._complete_list(request, reply, self.now() - started)
        except Exception as error:
            self.count_own_failure(error)
            return reply.frame

    def _complete_list(self, request: ClientRequest, reply: Reply, cost: float) -> bytes:
        """Store a page of the list on its way to the client; the last page gets our own tool."""
        decoded = self._pages.decode(reply.message.result)
        page = decoded.fields
        if not isinstance(page.get("tools"), list):
            return reply.frame
        self._learn_server_info(page)
        cursor, tools = request.read_params().get("cursor"), as_list(page["tools"])
        if cursor is not None:
            expected, before = self._partial_lists.pop(request.caller, ("", []))
            if expected != cursor:
                return reply.frame
            tools = [*before, *tools]
        if next_cursor := page.get("nextCursor"):
            self._partial_lists[request.caller] = str(next_cursor), tools
            _drop_oldest(self._partial_lists)
            return reply.frame
        self._store_list(request.caller, tools, page, cost)
        own = self.own_tools({str(as_object(tool).get("name")) for tool in tools})
        return replace_members(reply.frame, result=decoded.with_tools(own)) if own else reply.frame

    def _learn_server_info(self, result: dict[str, Any]) -> None:
        """Remember how the server stamps its results, for ours must look the same."""
        if (stamp := as_object(result.get("_meta")).get(_SERVER_INFO_KEY)) is not None:
            self._server_info = {_SERVER_INFO_KEY: stamp}
            self.learn_server_name(as_object(stamp).get("name"))

    def read_server_name(self, reply: Message) -> None:
        """Learn the server's name from its reply to one of `NAMING_METHODS`; it holds for lists of before too."""
        result, known = fields(reply.result), self._server_names
        self._learn_server_info(result)
        self.learn_server_name(as_object(result.get("serverInfo")).get("name"))
        if self._server_names != known:
            self.tools.rebuild_all()

    def _store_list(self, caller: object, tools: list[Any], page: Any, cost: float) -> Catalog:
        """Store a list until it goes stale by the server's word; without one, a list slow to read lasts longer."""
        self._pauses.pop(caller, None)
        ttl = page.get("ttlMs")
        lasts = min(max(_MIN_FRESH, _FRESH_PER_SECOND_OF_READING * cost), _MAX_FRESH)
        return self.store_tools(caller, tools, ttl / 1000 if isinstance(ttl, int | float) else lasts)

    async def read_tools(self, request: ClientRequest) -> Catalog | None:
        """Read the caller's own list; None if it cannot be read.

        A server that does not answer is not asked again for a while: calls would only wait for nothing.
        """
        pause = self._pauses.get(request.caller, _Pause(0.0, _FIRST_PAUSE))
        started = self.now()
        if started < pause.until:
            return None
        try:
            pages = await _read_list(request, "tools/list", "tools", lambda raw: self._pages.decode(raw).fields)
        except _NoAnswerError:
            self._log.note("the list of tools was not answered; calls go on without guidance")
            length = pause.next_length
            self._pauses[request.caller] = _Pause(self.now() + length, min(length * 2, _LONGEST_PAUSE))
            _drop_oldest(self._pauses)
            return None
        if not pages.is_complete:
            return None
        self._learn_server_info(dict(pages.last))
        return self._store_list(request.caller, pages.entries, pages.last, self.now() - started)

    def expire_lists(self) -> None:
        """Mark every list as out of date: the server announced a change, or another process has taken its place."""
        self._pauses.clear()
        self.tools.expire_all()

    async def _answer_prompt(self, request: ClientRequest) -> bytes:
        params = request.read_params()
        name = params.get("name")
        if not isinstance(name, str):
            return (await request.forward(request.frame)).frame
        call = Call(name, as_object(params.get("arguments")))
        read_prompts = partial(_read_entries, request, "prompts/list", "prompts")
        verdict = await self.judge_prompt(call, request.caller, read_prompts)
        frame = _rewrite(request, verdict.call) if verdict.action == "repair" else request.frame
        reply = await request.forward(frame)
        return self.safely(lambda: self._guide_prompt(reply, verdict), reply.frame)

    def _guide_prompt(self, reply: Reply, verdict: Verdict) -> bytes:
        if reply.message.error:
            return self._guide_error(reply, verdict.report)
        if not (notes := self.prompt_notes(verdict)):
            return reply.frame
        result = fields(reply.message.result)
        guided = {**result, "_meta": {**as_object(result.get("_meta")), KEY: notes}}
        return replace_members(reply.frame, result=splice(reply.message.result, result, guided))

    async def _answer_resource(self, request: ClientRequest) -> bytes:
        reply = await request.forward(request.frame)
        uri = request.read_params().get("uri")
        error = fields(reply.message.error) if reply.message.error else {}
        if error.get("code") not in NOT_FOUND_CODES or not isinstance(uri, str):
            return reply.frame
        resources = await _read_entries(request, "resources/list", "resources")
        templates = await _read_entries(request, "resources/templates/list", "resourceTemplates")
        report = self.explain_unknown_resource(uri, resources, templates)
        return self.safely(lambda: self._guide_error(reply, report), reply.frame)

    def _guide_error(self, reply: Reply, report: Report) -> bytes:
        """Add guidance to the data of the server's protocol error."""
        error = fields(reply.message.error)
        data = self.error_data(report, error.get("data"))
        if data is None:
            return reply.frame
        return replace_members(reply.frame, error=splice(reply.message.error, error, {**error, "data": data}))


class _ProxyUpstream:
    """The server behind the proxy, as a call flow uses it."""

    def __init__(self, relay: Relay, request: ClientRequest, call: Call) -> None:
        self._relay, self._request, self._call = relay, request, call
        self.last_reply: Reply | None = None
        """What the server answered last, as it came."""

    async def send(self, call: Call) -> Outcome:
        frame = self._request.frame if call is self._call else _rewrite(self._request, call)
        return self.receive(await self._request.forward(frame, call))

    def receive(self, reply: Reply) -> Outcome:
        """Decode the server's reply for guidance to read; of a malformed one it reads nothing."""
        self.last_reply = reply
        error, result = reply.message.error, reply.message.result
        if is_absent(error) == is_absent(result):
            return Outcome(dict(_UNREADABLE))
        found = fields(result if is_absent(error) else error)
        is_error = isinstance(found.get("code"), int) and "content" not in found
        is_readable = is_error is not is_absent(error)
        return Outcome(found if is_readable else dict(_UNREADABLE), facts=reply.facts, has_worked=reply.has_worked)

    async def list_tools(self) -> Catalog | None:
        return await self._relay.read_tools(self._request)

    async def announce_change(self) -> None:
        """Do nothing: no effects are declared to a proxy, so no annotation can change."""


class _NoAnswerError(Exception):
    """The server did not answer a request of ours."""


async def _read_list(
    request: ClientRequest, method: str, key: str, decode: Callable[[Raw], dict[str, Any]] = fields
) -> Pages:
    async def read_page(params: dict[str, Any]) -> dict[str, Any]:
        reply = await request.ask(method, params)
        if reply is None:
            raise _NoAnswerError
        return decode(reply.message.result) if reply.message.result else {}

    return await read_all_pages(read_page, key, request.meta if request.is_modern else {})


async def _read_entries(request: ClientRequest, method: str, key: str) -> list[Any] | None:
    try:
        pages = await _read_list(request, method, key)
    except _NoAnswerError:
        return None
    return pages.entries if pages.is_complete else None


class _Flag(Struct, gc=False):
    isError: Any = None


_flag = Decoder(_Flag)


def _is_error(result: Raw) -> bool:
    try:
        return _flag.decode(result).isError is True
    except ValueError:  # half a surrogate pair is all that msgspec rejects and a relayed reply may hold
        return fields(result).get("isError") is True


def _drop_oldest(table: dict[object, Any]) -> None:
    """Bound a table: there may be any number of callers."""
    if len(table) > _MAX_CALLERS:
        del table[next(iter(table))]


def _rewrite(request: ClientRequest, call: Call) -> bytes:
    """Return the client's request with another name and other arguments, all else unchanged."""
    params = request.params or request.read_params()
    return replace_params(request.frame, params, {**params, "name": call.tool, "arguments": call.arguments})
