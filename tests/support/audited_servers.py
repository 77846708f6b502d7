"""Servers to audit, started like a user starts them, and audits that keep every event."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from fingerpost.audit.events import CallJudged, Event
from fingerpost.audit.execute.run_audit import Settings, run_audit
from fingerpost.audit.execute.target import Target
from fingerpost.audit.report import Report
from tests.support.misbehaving import tool

_SERVER = str(Path(__file__).parent / "misbehaving.py")
WORD = {"word": {"type": "string"}}
NEAR = tool("look_up", {**WORD, "limit": {"type": "integer", "minimum": 1, "maximum": 9}}, ("word",))
FAR = {**NEAR, "name": "see_beyond"}
"""Tools that behave well."""


def command(**config: Any) -> tuple[str, ...]:
    """The command of a server that behaves as configured: the fields of `misbehaving.Config`."""
    return ("env", f"MISBEHAVE={json.dumps(config)}", sys.executable, "-S", _SERVER)


def doing(**does: Any) -> tuple[str, ...]:
    """A server with two good tools and, between them, tools that take the given steps when they are called."""
    return command(tools=[NEAR, *(tool(name, WORD, ("word",)) for name in does), FAR], does=does)


@contextmanager
def by_http(**config: Any) -> Generator[str]:
    """The URL of such a server over HTTP."""
    with subprocess.Popen([*command(**config), "http"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/mcp"
        finally:
            process.kill()


class AuditRun(NamedTuple):
    report: Report
    events: list[Event]
    """Those of the bare server."""

    def verdicts(self, name: str) -> set[tuple[str, str, str, bool]]:
        """Every check of a tool."""
        judged = (event for event in self.events if isinstance(event, CallJudged) and event.tool == name)
        return {
            (one.mistake.kind, repr(one.mistake.call), check.item, check.passed)
            for one in judged
            for check in one.checks
        }

    def unmet(self, item: str) -> set[str]:
        """The tools that fail an item."""
        return {one.tool for one in self.report.findings if one.item.id == item}


def audit(target: tuple[str, ...] | str, **settings: Any) -> AuditRun:
    where = Target(url=target) if isinstance(target, str) else Target(command=target)
    events = list[Event]()

    def listen(event: Event, is_behind: bool) -> None:
        if not is_behind:
            events.append(event)

    report, _ = asyncio.run(run_audit(where, Settings(**settings), listen))
    return AuditRun(report, events)


def requests_in(record: Path, method: str) -> list[dict[str, Any]]:
    """The parameters of the requests that a server recorded."""
    messages = [json.loads(line) for line in record.read_text().splitlines()]
    return [message["params"] for message in messages if message.get("method") == method]
