"""One finding again: the server is started, the call is sent, and its reply is judged as it was in the audit."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from fingerpost.audit.mistakes import Mistake
from fingerpost.audit.plan import Plan
from fingerpost.audit.run import Audit, Task
from fingerpost.audit.server import Server, Target
from fingerpost.catalog import Catalog
from fingerpost.diagnosis import Call


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
        audit = Audit(server, Plan(catalog, seed=0, allow_writes=allow_writes))
        tried = await audit.tried(Task(0, tool, mistake, is_repeated=item == "stable"))
        return next((one.why for one in tried.checks if one.item == item and not one.passed), "")
