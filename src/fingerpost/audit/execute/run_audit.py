"""A complete audit: start the server, list its tools, send the planned calls, and repeat them behind Fingerpost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from fingerpost.audit.events import AuditEnded, Event
from fingerpost.audit.execute.run import IN_FLIGHT, Audit
from fingerpost.audit.execute.server import START_TIMEOUT, Server
from fingerpost.audit.execute.target import Target
from fingerpost.audit.generate.plan import Plan
from fingerpost.audit.generate.right_calls import Examples, check_examples
from fingerpost.audit.report import Report
from fingerpost.engine.catalog import Catalog
from fingerpost.engine.matching import closest
from fingerpost.terminal.command_error import CommandError

Listener: TypeAlias = "Callable[[Event, bool], None]"
"""Receives every event, and whether it happened behind Fingerpost."""
STOPPED = "it was stopped"


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of an audit."""

    seed: int = 1
    examples: Examples = field(default_factory=dict[str, Any])
    allow_writes: bool = False
    only: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()
    most: int = 60
    in_flight: int = IN_FLIGHT
    timeout: float = 10.0
    start_timeout: float = START_TIMEOUT
    compare: bool = False


async def make_plan(target: Target, settings: Settings) -> Plan:
    """Plan the calls for a server without sending them."""
    async with _server(target, settings) as server:
        return await _plan_for(server, settings)


def _server(target: Target, settings: Settings) -> Server:
    return Server(target, timeout=settings.timeout, start_timeout=settings.start_timeout)


async def _plan_for(server: Server, settings: Settings) -> Plan:
    catalog = Catalog.listed(await server.list_tools())
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


async def run_audit(
    target: Target, settings: Settings, listen: Listener = lambda event, is_behind: None
) -> tuple[Report, Plan]:
    """Audit a server and, with `settings.compare`, send the same calls again behind Fingerpost.

    If cancelled after the first call, it returns the report so far.
    """
    report = Report()
    async with _server(target, settings) as server:
        plan = await _plan_for(server, settings)
        is_complete = await _collect_events(server, plan, settings, report, lambda event: listen(event, False))
    if settings.compare and is_complete:
        report.behind = Report()
        guided = _server(replace(target, is_guided=True), settings)
        await _run_comparison(guided, plan, settings, report.behind, lambda event: listen(event, True))
    return report, plan


async def _run_comparison(
    server: Server, plan: Plan, settings: Settings, report: Report, listen: Callable[[Event], None]
) -> None:
    """Send the same calls again; a failure here must not lose the report of the bare server."""
    try:
        async with server:
            await _collect_events(server, plan, settings, report, listen)
    except (CommandError, asyncio.CancelledError) as error:
        report.take(end := AuditEnded(str(error) or STOPPED))
        listen(end)


async def _collect_events(
    server: Server, plan: Plan, settings: Settings, report: Report, listen: Callable[[Event], None]
) -> bool:
    """Run the plan and pass on its events; return false if it was cancelled."""
    try:
        async for event in Audit(server, plan, in_flight=settings.in_flight).events():
            report.take(event)
            listen(event)
    except asyncio.CancelledError:
        report.take(end := AuditEnded(STOPPED))
        listen(end)
        return False
    return True
