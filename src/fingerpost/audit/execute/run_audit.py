"""A whole audit: the server is reached, its tools are listed, and the plan is carried out, once or twice."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from fingerpost.audit.events import Ended, Event
from fingerpost.audit.execute.run import IN_FLIGHT, Audit
from fingerpost.audit.execute.server import STARTING, Server, Target
from fingerpost.audit.generate.plan import Plan
from fingerpost.audit.generate.right_calls import Examples, check_examples
from fingerpost.audit.report import Report
from fingerpost.engine.catalog import Catalog
from fingerpost.engine.matching import closest
from fingerpost.terminal.command_error import CommandError

Listener: TypeAlias = "Callable[[Event, bool], None]"
"""Told of every event, and whether it happened behind Fingerpost."""
STOPPED = "it was stopped"


@dataclass(frozen=True, slots=True)
class Settings:
    """What the operator decides."""

    seed: int = 1
    examples: Examples = field(default_factory=dict[str, Any])
    allow_writes: bool = False
    only: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()
    most: int = 60
    in_flight: int = IN_FLIGHT
    seconds: float = 10.0
    starting: float = STARTING
    compares: bool = False


async def planned(target: Target, settings: Settings) -> Plan:
    """What would be tried on a server."""
    async with Server(target, seconds=settings.seconds, starting=settings.starting) as server:
        return await _planned(server, settings)


async def _planned(server: Server, settings: Settings) -> Plan:
    catalog = Catalog.listed(await server.tools())
    names = [tool.name for tool in catalog]
    if not names:
        raise CommandError("the server lists no tools, so there is nothing to audit")
    for name in sorted(settings.only | settings.without):
        if name not in names:
            near = closest(name, names)
            raise CommandError(f"the server has no tool {name}", f"Did you mean {near[0].name}?" if near else "")
    check_examples(settings.examples, catalog)
    return Plan(
        catalog,
        settings.seed,
        examples=settings.examples,
        allow_writes=settings.allow_writes,
        only=settings.only,
        without=settings.without,
        most=settings.most,
    )


async def conducted(
    target: Target, settings: Settings, listen: Listener = lambda event, is_behind: None
) -> tuple[Report, Plan]:
    """The report of a server, and of the same calls behind Fingerpost where that is asked for.

    Cancelled once calls are being made, it gives what there is so far.
    """
    report = Report()
    async with Server(target, seconds=settings.seconds, starting=settings.starting) as server:
        plan = await _planned(server, settings)
        is_done = await _carried_out(server, plan, settings, report, lambda event: listen(event, False))
    if settings.compares and is_done:
        report.behind = Report()
        guided = Server(replace(target, is_guided=True), seconds=settings.seconds, starting=settings.starting)
        await _compared(guided, plan, settings, report.behind, lambda event: listen(event, True))
    return report, plan


async def _compared(
    server: Server, plan: Plan, settings: Settings, report: Report, listen: Callable[[Event], None]
) -> None:
    """The same calls again. Whatever comes of that, what they are to be compared with is there already."""
    try:
        async with server:
            await _carried_out(server, plan, settings, report, listen)
    except (CommandError, asyncio.CancelledError) as error:
        report.take(ended := Ended(str(error) or STOPPED))
        listen(ended)


async def _carried_out(
    server: Server, plan: Plan, settings: Settings, report: Report, listen: Callable[[Event], None]
) -> bool:
    """Whether it was carried out to its end."""
    try:
        async for event in Audit(server, plan, in_flight=settings.in_flight).events():
            report.take(event)
            listen(event)
    except asyncio.CancelledError:
        report.take(ended := Ended(STOPPED))
        listen(ended)
        return False
    return True
