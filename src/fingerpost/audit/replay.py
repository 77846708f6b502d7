"""Replay findings: send the call of a finding again, and judge the reply as the audit did.

The test files that `fingerpost audit --pytest` writes import `Replay`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from fingerpost.audit.execute.run import Audit
from fingerpost.audit.execute.server import Server
from fingerpost.audit.execute.target import Target
from fingerpost.audit.generate.mistakes import Mistake
from fingerpost.audit.generate.plan import Plan, PlannedCall
from fingerpost.engine.catalog import Catalog
from fingerpost.engine.model import Call
from fingerpost.engine.safety.json_input import as_object
from fingerpost.engine.tool import Tool


class Replay:
    """Replay findings on one server, which starts with the first finding and restarts only if it has ended."""

    def __init__(self, target: Sequence[str] | str, *, allow_writes: bool = False) -> None:
        self._target = Target(url=target) if isinstance(target, str) else Target(command=tuple(target))
        self._allow_writes = allow_writes
        self._runner = asyncio.Runner()
        self._server: Server | None = None

    def __enter__(self) -> Replay:
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.run(self._close_server())
        self._runner.close()

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
        """Why the reply to a call fails an item; empty if it passes.

        The right call is sent too, to compare, if the tool declares that it only reads or if writes are allowed.
        """
        mistake = Mistake(kind, _parse_call(call), _parse_call(right), culprit, is_repairable)
        return self._runner.run(self._why_unmet(item, mistake))

    async def _why_unmet(self, item: str, mistake: Mistake) -> str:
        server = await self._running_server()
        catalog = Catalog.listed(await server.list_tools())
        tool = catalog.get(mistake.right.tool)
        if tool is None:
            return f"the server has no tool {mistake.right.tool}"
        plan = Plan(catalog, seed=0, allow_writes=self._allow_writes)
        if not plan.may_execute(tool) and _could_be_executed(mistake.call, tool):
            return f"{tool.name} does not declare readOnlyHint: true, so the call was not sent; allow_writes sends it"
        planned = PlannedCall(0, tool, mistake, is_repeated=item == "stable")
        judged = await Audit(server, plan).judge_alone(planned)
        return next((check.why for check in judged.checks if check.item == item and not check.passed), "")

    async def _running_server(self) -> Server:
        """Return the server; start it again if the last finding has ended it."""
        if self._server is None or not self._server.is_on_first_start:
            await self._close_server()
            self._server = await Server(self._target).__aenter__()
        return self._server

    async def _close_server(self) -> None:
        if self._server is not None:
            self._server.close()


def replay_finding(target: Sequence[str] | str, *, allow_writes: bool = False, **finding: Any) -> str:
    """Replay one finding on a new server; returns what `Replay.why_unmet` returns."""
    with Replay(target, allow_writes=allow_writes) as replay:
        return replay.why_unmet(**finding)


def _parse_call(call: Mapping[str, Any]) -> Call:
    return Call(str(call["name"]), call.get("arguments", {}))


def _could_be_executed(call: Call, tool: Tool) -> bool:
    """Whether the tool, which may have changed since the audit, could execute the call."""
    return call.tool == tool.name and all(name in as_object(call.arguments) for name in tool.required)
