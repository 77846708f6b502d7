"""The events of an audit, in the order they happen. Every report is made from these events alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from fingerpost.audit.generate.mistakes import Mistake
from fingerpost.audit.judge.checklist import Check


@dataclass(frozen=True, slots=True)
class Subject:
    """The server that is audited."""

    target: str
    """The command or the address, without secrets."""
    name: str
    version: str
    protocol: str
    """The negotiated MCP revision, such as `2025-11-25`."""
    transport: Literal["stdio", "http"]
    tools: int


@dataclass(frozen=True, slots=True)
class AuditStarted:
    """The server is running and has listed its tools."""

    subject: Subject
    seed: int
    calls: int
    """The approximate number of calls to come."""


@dataclass(frozen=True, slots=True)
class CallsSkipped:
    """Calls that the audit does not send to a tool, and the reason."""

    tool: str
    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The reply to a call (a protocol error counts as one), or why there is none."""

    reply: Mapping[str, Any] | None
    loss: str = ""
    """Why there is no reply: `gave no answer within 10 s`."""


@dataclass(frozen=True, slots=True)
class CallJudged:
    """A wrong call was sent, and its reply was judged."""

    number: int
    """The position of the call in the plan; replies arrive in any order."""
    tool: str
    mistake: Mistake
    outcome: Outcome
    checks: tuple[Check, ...]
    is_repaired: bool | None
    """Whether the reply leads to the right call; none if only the caller could know the right call."""


@dataclass(frozen=True, slots=True)
class Note:
    """A remark that is no verdict, such as a right call that failed."""

    tool: str
    text: str
    is_urgent: bool = False
    """Whether reports show it before everything else."""
    needs_examples: bool = False
    """Whether `--examples` would help: a right call failed."""


@dataclass(frozen=True, slots=True)
class AuditEnded:
    """The last event."""

    why: str = ""
    """Why the audit stopped early; empty if it is complete."""


Event: TypeAlias = AuditStarted | CallsSkipped | CallJudged | Note | AuditEnded
