"""The vocabulary of guidance: what was called, what is wrong with it, and what a client may do about it.

Everything here is a frozen value. Rules produce these values, `envelope` renders them, and nothing
in this module knows that MCP, JSON-RPC or a network exists.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Literal, NamedTuple, TypeAlias, cast

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Path: TypeAlias = tuple[str | int, ...]
Action: TypeAlias = Literal["forward", "repair", "refuse", "ask"]

EMPTY_OBJECT: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Call:
    """One `tools/call` as the client sent it. `arguments` is any JSON: callers get the container wrong too."""

    tool: str
    arguments: Any = field(default_factory=dict[str, Any])


class Severity(StrEnum):
    """How much harm going on would do; `policy` turns it into an action."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Applicability(StrEnum):
    """How far a client may trust a fix without asking anyone."""

    MACHINE_APPLICABLE = "machine_applicable"
    """One reading survives. Send the corrected call as it stands."""

    MAYBE_INCORRECT = "maybe_incorrect"
    """A plausible reading among several. Choose, then send."""

    HAS_PLACEHOLDERS = "has_placeholders"
    """The shape is right and a value is absent. Fill every placeholder, then send."""


class Grade(StrEnum):
    """How far Fingerpost itself may apply a fix unasked."""

    LOSSLESS = "lossless"
    """The same call, spelled as the schema spells it. On every tool."""

    LIKELY = "likely"
    """One reading survives, yet it is a reading. On read-only tools, unless the operator opts in."""

    OFFERED = "offered"
    """For the client to take or leave. Never applied by us."""


@dataclass(frozen=True, slots=True)
class CallTool:
    """Aim the same arguments at another tool."""

    tool: str

    def applied_to(self, call: Call) -> Call:
        return replace(call, tool=self.tool)


@dataclass(frozen=True, slots=True)
class Rename:
    """Keep the value and its place, correct its name."""

    at: Path
    to: str

    def applied_to(self, call: Call) -> Call:
        def renamed(holder: dict[str, Any]) -> dict[str, Any]:
            return {self.to if key == self.at[-1] else key: value for key, value in holder.items()}

        return replace(call, arguments=_rebuilt(call.arguments, self.at[:-1], renamed))


@dataclass(frozen=True, slots=True)
class Replace:
    """Put a value in this place, there or not; the empty path is the arguments as a whole."""

    at: Path
    value: Any

    def applied_to(self, call: Call) -> Call:
        if not self.at:
            return replace(call, arguments=self.value)
        key = self.at[-1]

        def replaced(holder: Any) -> Any:
            if isinstance(holder, list):
                items = cast("list[Any]", holder)
                return [self.value if index == key else item for index, item in enumerate(items)]
            return {**holder, key: self.value}

        return replace(call, arguments=_rebuilt(call.arguments, self.at[:-1], replaced))


@dataclass(frozen=True, slots=True)
class Drop:
    """Leave the argument out."""

    at: Path

    def applied_to(self, call: Call) -> Call:
        def without(holder: dict[str, Any]) -> dict[str, Any]:
            return {key: value for key, value in holder.items() if key != self.at[-1]}

        return replace(call, arguments=_rebuilt(call.arguments, self.at[:-1], without))


Edit: TypeAlias = CallTool | Rename | Replace | Drop


@dataclass(frozen=True, slots=True)
class Fix:
    """One way out of a diagnosis, graded. `value` is what to send, `label` is how a person reads it."""

    edit: Edit
    applicability: Applicability
    grade: Grade = Grade.OFFERED
    confidence: float = 1.0
    value: Any = None
    label: str = ""
    done: str = ""
    """How the caller is told once it is applied, where the edit alone does not say it."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One place where a value breaks its schema, in the words of JSON Schema.

    `dialects` reads the same facts out of a server's error text. `expected` depends on `keyword`: the
    types for `type`, the absent name for `required`, the choices for `enum`, the limit for `minimum`.
    """

    at: Path
    keyword: str
    expected: Any = None
    schema: Mapping[str, Any] = field(default_factory=dict[str, Any])
    branches: int = 0
    """How many alternatives (`anyOf`, `oneOf`) the nearest one, which this violation is of, was chosen from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """One mistake: its code, the fact, the place in the call, and the ways out, best first."""

    code: str
    message: str
    severity: Severity = Severity.HIGH
    at: Path = ()
    category: str = "validation"
    origin: str = "call"
    retryable: bool = True
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])
    suggestions: Mapping[str, Any] = field(default_factory=dict[str, Any])
    fixes: tuple[Fix, ...] = ()
    hint: str = ""
    hints: tuple[str, ...] = ()
    schema_hint: Mapping[str, Any] = field(default_factory=dict[str, Any])
    next_steps: Mapping[str, Any] = field(default_factory=dict[str, Any])
    routing_hint: Any = None
    warning: str = ""
    """The sentence for a call that is sent all the same; where empty, `message` is used."""
    joins_missing: bool = False
    """Whether the message says only that one parameter is missing, so that several can be told in one sentence."""

    @property
    def sure_fix(self) -> Fix | None:
        """The fix a client may apply unasked, when there is one."""
        return next((fix for fix in self.fixes if fix.applicability is Applicability.MACHINE_APPLICABLE), None)

    @property
    def is_contested(self) -> bool:
        """Whether the two best readings of a value stand too close for either to be put forward."""
        readings = [fix.confidence for fix in self.fixes if fix.label and isinstance(fix.edit, Replace)]
        return len(readings) > 1 and readings[0] - readings[1] < MIN_CLEAR_LEAD


MIN_CLEAR_LEAD = 0.1
"""How far the best reading must stand ahead of the next to be the only one."""


@dataclass(frozen=True, slots=True)
class Correction:
    """One thing that was changed on the caller's behalf, as it is told to the caller."""

    source: Any
    target: Any
    confidence: float
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything `admit` found out about a call."""

    call: Call
    diagnoses: tuple[Diagnosis, ...] = ()
    corrected: Call | None = None
    """The call to send instead, where there is one."""
    applicability: Applicability = Applicability.MACHINE_APPLICABLE
    """How far `corrected` may be trusted."""
    corrections: tuple[Correction, ...] = ()
    """What was changed, when the corrected call is sent on without asking."""
    warnings: tuple[str, ...] = ()
    is_refusal: bool = False
    info_tool: str | None = None
    secret: frozenset[str] = frozenset()
    """Names under which nothing is repeated, because the tool's schema says so."""
    unseen: int = 0
    """How many more findings there are than `diagnoses` tells."""
    server_text: str = ""
    """What the server itself has said above ours: nothing of it is said again."""
    attempts: int = 1
    """How often the very same call has failed by now, this time included."""


EMPTY_REPORT = Report(call=Call(""))
"""The report on every call about which there is nothing to say; shared, for such calls are the many."""


class Verdict(NamedTuple):
    """What to do with a call, the call to do it with, and why."""

    action: Action
    call: Call
    report: Report = EMPTY_REPORT


def value_at(arguments: Any, at: Path) -> Any:
    """The value at a path that is known to exist."""
    for step in at:
        arguments = arguments[step]
    return arguments


def _rebuilt(node: Any, at: Path, change: Callable[[Any], Any]) -> Any:
    """A copy of `node` in which the value at `at` went through `change`; untouched parts are shared."""
    if not at:
        return change(node)
    step, rest = at[0], at[1:]
    if isinstance(node, list):
        items = cast("list[Any]", node)
        return [_rebuilt(item, rest, change) if index == step else item for index, item in enumerate(items)]
    return {key: _rebuilt(value, rest, change) if key == step else value for key, value in node.items()}
