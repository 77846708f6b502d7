"""What happens in an audit, in the order it happens. Whatever is reported is made from these and from nothing else."""

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
    """The command or the address, without what is secret in it."""
    name: str
    version: str
    protocol: str
    """The revision that is spoken, such as `2025-11-25`."""
    transport: Literal["stdio", "http"]
    tools: int


@dataclass(frozen=True, slots=True)
class Began:
    """The server is there and has listed its tools."""

    subject: Subject
    seed: int
    calls: int
    """How many calls there will be, about."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was not tried, and why."""

    tool: str
    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a call: the result, or an error of the protocol as one; or nothing, and why."""

    reply: Mapping[str, Any] | None
    lost: str = ""
    """Why there is no reply: `gave no answer within 10 s`."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A wrong call was sent, and its reply was judged."""

    number: int
    """Where the call stands in the plan; calls are answered in any order."""
    tool: str
    mistake: Mistake
    outcome: Outcome
    checks: tuple[Check, ...]
    is_repaired: bool | None
    """Whether what the reply says leads to the right call; none where only the caller could know it."""


@dataclass(frozen=True, slots=True)
class Noted:
    """Something to know that is no verdict: a right call that failed, a server that had to be started again."""

    tool: str
    text: str
    is_urgent: bool = False
    """Whether it is to be read before all else."""


@dataclass(frozen=True, slots=True)
class Ended:
    """Nothing more will come."""

    why: str = ""
    """Why it ended before all was tried; empty where all was."""


Event: TypeAlias = Began | Skipped | Tried | Noted | Ended
