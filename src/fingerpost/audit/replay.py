"""One finding again: the server is started, the call is sent, and its reply is judged as it was in the audit."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from fingerpost.audit.mistakes import Mistake
from fingerpost.audit.plan import Plan
from fingerpost.audit.run import Audit, Task
from fingerpost.audit.server import Server, Target
from fingerpost.catalog import Catalog, Tool
from fingerpost.diagnosis import Call
from fingerpost.untrusted import as_object


def replayed(
    target: Sequence[str] | str,
    *,
    item: str,
    kind: str,
    call: Mapping[str, Any],
    right: Mapping[str, Any],
    culprit: str,
    allow_writes: bool = False,
) -> str:
    """Why an item is not met by the reply to a call; empty where it is met.

    The right call is sent too, to compare, where the tool declares that it only reads, or where writes are allowed.
    """
    mistake = Mistake(kind, _call(call), _call(right), culprit)
    where = Target(url=target) if isinstance(target, str) else Target(command=tuple(target))
    return asyncio.run(_replayed(where, item, mistake, allow_writes=allow_writes))


def _call(said: Mapping[str, Any]) -> Call:
    return Call(str(said["name"]), said.get("arguments", {}))


async def _replayed(target: Target, item: str, mistake: Mistake, *, allow_writes: bool) -> str:
    async with Server(target) as server:
        catalog = Catalog.listed(await server.tools())
        tool = catalog.get(mistake.right.tool)
        if tool is None:
            return f"the server has no tool {mistake.right.tool}"
        plan = Plan(catalog, seed=0, allow_writes=allow_writes)
        if not plan.may_execute(tool) and _could_be_carried_out(mistake.call, tool):
            return f"{tool.name} does not declare readOnlyHint: true, so the call was not sent; allow_writes sends it"
        tried = await Audit(server, plan).tried_alone(Task(0, tool, mistake, is_repeated=item == "stable"))
        return next((one.why for one in tried.checks if one.item == item and not one.passed), "")


def _could_be_carried_out(call: Call, tool: Tool) -> bool:
    """As the tool is now, which need not be what it was when the call was found wrong."""
    return call.tool == tool.name and all(name in as_object(call.arguments) for name in tool.required)
