"""Findings again: the call is sent, and its reply is judged as it was in the audit."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from fingerpost.audit.execute.run import Audit, Task
from fingerpost.audit.execute.server import Server, Target
from fingerpost.audit.generate.mistakes import Mistake
from fingerpost.audit.generate.plan import Plan
from fingerpost.engine.catalog import Catalog, Tool
from fingerpost.engine.model import Call
from fingerpost.engine.safety.json_input import as_object


class Replay:
    """A server that is started with the first finding and kept for all of them, unless it ends."""

    def __init__(self, target: Sequence[str] | str, *, allow_writes: bool = False) -> None:
        self._target = Target(url=target) if isinstance(target, str) else Target(command=tuple(target))
        self._allow_writes = allow_writes
        self._loop = asyncio.Runner()
        self._server: Server | None = None

    def __enter__(self) -> Replay:
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.run(self._left())
        self._loop.close()

    def why_unmet(
        self,
        *,
        item: str,
        kind: str,
        call: Mapping[str, Any],
        right: Mapping[str, Any],
        culprit: str,
        is_repairable: bool = True,
    ) -> str:
        """Why an item is not met by the reply to a call; empty where it is met.

        The right call is sent too, to compare, where the tool declares that it only reads, or where writes are allowed.
        """
        return self._loop.run(self._why_unmet(item, Mistake(kind, _call(call), _call(right), culprit, is_repairable)))

    async def _why_unmet(self, item: str, mistake: Mistake) -> str:
        server = await self._reached()
        catalog = Catalog.listed(await server.tools())
        tool = catalog.get(mistake.right.tool)
        if tool is None:
            return f"the server has no tool {mistake.right.tool}"
        plan = Plan(catalog, seed=0, allow_writes=self._allow_writes)
        if not plan.may_execute(tool) and _could_be_carried_out(mistake.call, tool):
            return f"{tool.name} does not declare readOnlyHint: true, so the call was not sent; allow_writes sends it"
        tried = await Audit(server, plan).tried_alone(Task(0, tool, mistake, is_repeated=item == "stable"))
        return next((one.why for one in tried.checks if one.item == item and not one.passed), "")

    async def _reached(self) -> Server:
        """The server as it was left, or anew where the last finding has ended it."""
        if self._server is None or not self._server.is_unbroken:
            await self._left()
            self._server = await Server(self._target).__aenter__()
        return self._server

    async def _left(self) -> None:
        if self._server is not None:
            self._server.close()


def replayed(target: Sequence[str] | str, *, allow_writes: bool = False, **finding: Any) -> str:
    """One finding, on a server that is started for it: what `Replay.why_unmet` says."""
    with Replay(target, allow_writes=allow_writes) as replay:
        return replay.why_unmet(**finding)


def _call(said: Mapping[str, Any]) -> Call:
    return Call(str(said["name"]), said.get("arguments", {}))


def _could_be_carried_out(call: Call, tool: Tool) -> bool:
    """As the tool is now, which need not be what it was when the call was found wrong."""
    return call.tool == tool.name and all(name in as_object(call.arguments) for name in tool.required)
