"""The values of the engine: a call, what is wrong with it, how to fix it, and what to do with it.

Every value is frozen. Rules produce them and `render` writes them. Nothing here knows MCP, JSON-RPC or a network.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Literal, NamedTuple, TypeAlias, cast

KEY = "dev.fingerpost/guidance"
"""The key of guidance for programs in `_meta` and `data`, and the id of the protocol extension."""

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Path: TypeAlias = tuple[str | int, ...]
Action: TypeAlias = Literal["forward", "repair", "refuse", "ask"]

EMPTY_OBJECT: Mapping[str, Any] = {}
"""Shared default for parameters that take an object."""

AS_IT_IS: Any = object()
"""Stands for the value that was sent, in an edit that may replace it."""


@dataclass(frozen=True, slots=True)
class Call:
    """One `tools/call` as the client sent it. `arguments` may be any JSON, because clients get the type wrong too."""

    tool: str
    arguments: Any = field(default_factory=dict[str, Any])


class Severity(StrEnum):
    """How much harm sending the call would do. `Policy` turns it into an action."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Applicability(StrEnum):
    """How far a client may trust a fix without asking its user."""

    MACHINE_APPLICABLE = "machine_applicable"
    """Only one interpretation is plausible. Send the corrected call as it is."""

    MAYBE_INCORRECT = "maybe_incorrect"
    """One of several plausible interpretations. Choose, then send."""

    HAS_PLACEHOLDERS = "has_placeholders"
    """The shape is right, but a value is missing. Fill every placeholder, then send."""


class Grade(StrEnum):
    """Whether Fingerpost may apply a fix by itself."""

    LOSSLESS = "lossless"
    """The same call, spelled as in the schema. Applied on every tool."""

    LIKELY = "likely"
    """The only plausible interpretation. Applied on read-only tools, and on others if the operator allows it."""

    OFFERED = "offered"
    """A suggestion for the client. Never applied by Fingerpost."""


@dataclass(frozen=True, slots=True)
class CallTool:
    """Call another tool with the same arguments."""

    tool: str

    def applied_to(self, call: Call) -> Call:
        return replace(call, tool=self.tool)


@dataclass(frozen=True, slots=True)
class Rename:
    """Rename an argument; its value and position stay."""

    at: Path
    to: str

    def applied_to(self, call: Call) -> Call:
        def rename(holder: dict[str, Any]) -> dict[str, Any]:
            return {self.to if key == self.at[-1] else key: value for key, value in holder.items()}

        return replace(call, arguments=_rebuild(call.arguments, self.at[:-1], rename))


@dataclass(frozen=True, slots=True)
class Replace:
    """Set the value at a path, which need not exist. The empty path is the arguments as a whole."""

    at: Path
    value: Any

    def applied_to(self, call: Call) -> Call:
        if not self.at:
            return replace(call, arguments=self.value)
        key = self.at[-1]

        def set_value(holder: Any) -> Any:
            if isinstance(holder, list):
                return _with_item(cast("list[Any]", holder), key, self.value)
            return {**holder, key: self.value}

        return replace(call, arguments=_rebuild(call.arguments, self.at[:-1], set_value))


@dataclass(frozen=True, slots=True)
class Drop:
    """Remove an argument."""

    at: Path

    def applied_to(self, call: Call) -> Call:
        def drop(holder: dict[str, Any]) -> dict[str, Any]:
            copy = dict(holder)
            copy.pop(cast("str", self.at[-1]), None)
            return copy

        return replace(call, arguments=_rebuild(call.arguments, self.at[:-1], drop))


@dataclass(frozen=True, slots=True)
class Move:
    """Move an argument to another place, into objects and lists that are created if they are absent.

    `value` replaces what was sent, if that does not fit the new place: a placeholder for a value in another unit.
    """

    at: Path
    to: Path
    value: Any = AS_IT_IS

    def applied_to(self, call: Call) -> Call:
        value = value_at(call.arguments, self.at) if self.value is AS_IT_IS else self.value
        left = Drop(self.at).applied_to(call)
        return replace(left, arguments=_insert(left.arguments, self.to, value))


Edit: TypeAlias = CallTool | Rename | Replace | Drop | Move


@dataclass(frozen=True, slots=True)
class Fix:
    """One way to fix a diagnosis. `value` is what to send, `label` is what a person reads."""

    edit: Edit
    applicability: Applicability
    grade: Grade = Grade.OFFERED
    confidence: float = 1.0
    value: Any = None
    label: str = ""
    applied_note: str = ""
    """The note for the caller once the fix is applied, if the edit alone does not tell."""
    convention: str = ""
    """How the value was read, if a call reads all values of its kind alike: the day first, or the month."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One place where a value breaks its schema, named by the JSON Schema keyword.

    `dialects` parses the same facts from a server's error text. `expected` depends on `keyword`: the types for
    `type`, the missing name for `required`, the choices for `enum`, the limit for `minimum`.
    """

    at: Path
    keyword: str
    expected: Any = None
    schema: Mapping[str, Any] = field(default_factory=dict[str, Any])
    branches: int = 0
    """How many alternatives (`anyOf`, `oneOf`) there were; the violation belongs to the nearest one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """One mistake: its code, a message, the place in the call, and the fixes, best first."""

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
    documentation_url: str = ""
    trace: Any = None
    debug: Any = None
    server_warnings: tuple[str, ...] = ()
    """The warnings in the server's own envelope; the text above the guidance contains them."""
    is_news: bool = False
    """Whether the message tells what the server's text does not: a masked exception was a timeout."""
    warning: str = ""
    """The sentence for a call that is sent anyway; if empty, `message` is used."""
    blocks: bool = False
    """Whether the call must not be sent like this, however mild the mistake: the argument has a place elsewhere."""
    joins_missing: bool = False
    """Whether the message says only that one parameter is missing, so that several can share a sentence."""
    is_hint_in_call: bool = False
    """Whether the placeholder in the corrected call tells all that the hint does."""

    @property
    def certain_fix(self) -> Fix | None:
        """The fix that a client may apply without asking, if there is one."""
        return next((fix for fix in self.fixes if fix.applicability is Applicability.MACHINE_APPLICABLE), None)

    @property
    def is_contested(self) -> bool:
        """Whether the two best fixes are too close for either to be preferred."""
        return are_contested(self.fixes)


def are_contested(fixes: Sequence[Fix]) -> bool:
    """Whether the two best fixes of an argument are too close for either to be preferred."""
    confidences = [fix.confidence for fix in fixes if fix.label and not isinstance(fix.edit, CallTool)]
    return len(confidences) > 1 and confidences[0] - confidences[1] < MIN_CLEAR_LEAD


MIN_CLEAR_LEAD = 0.1
"""How far ahead of the next the best interpretation must be to count as the only one."""


@dataclass(frozen=True, slots=True)
class Correction:
    """One change made for the caller, and the note that tells the caller."""

    source: Any
    target: Any
    confidence: float
    note: str
    parameter: str = ""
    """Where the change was made; empty for the tool's name and for the arguments as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything that `admit` found out about a call."""

    call: Call
    diagnoses: tuple[Diagnosis, ...] = ()
    corrected: Call | None = None
    """The call to send instead, if there is one."""
    applicability: Applicability = Applicability.MACHINE_APPLICABLE
    """How far a client may trust `corrected`."""
    readings: tuple[Call, ...] = ()
    """Two or three calls that are equally plausible, if there is no single one to send instead."""
    corrections: tuple[Correction, ...] = ()
    """What was changed, if the corrected call is sent without asking."""
    warnings: tuple[str, ...] = ()
    is_refusal: bool = False
    info_tool: str | None = None
    secret_names: frozenset[str] = frozenset()
    """Parameters whose values are never shown, because the schema declares them secret."""
    more_problems: int = 0
    """How many more problems there are than `diagnoses` lists."""
    same_slips: int = 0
    """How many of them are the same slips in further items of a large list."""
    may_have_more: bool = False
    """Whether more items of a large list may be wrong than were counted."""
    server_text: str = ""
    """The server's own text above the guidance, which does not repeat it."""
    attempts: int = 1
    """How often the same call has failed, including this time."""
    is_by_author: bool = False
    """Whether the author of the tool explained the failure, so that the fix is the author's own text."""
    more_schema: tuple[str, ...] = ()
    """Lines about other parameters, for a caller whose calls of this tool keep failing in different ways."""


EMPTY_REPORT = Report(call=Call(""))
"""The report on a call that needs no guidance; shared, because most calls need none."""


class Verdict(NamedTuple):
    """What to do with a call, the call to send, and why."""

    action: Action
    call: Call
    report: Report = EMPTY_REPORT


def value_at(arguments: Any, at: Path) -> Any:
    """Return the value at a path that exists."""
    for step in at:
        arguments = arguments[step]
    return arguments


def _insert(node: Any, to: Path, value: Any) -> Any:
    """Return a copy of `node` with `value` at `to`. The first step into an absent or empty place creates it."""
    if not to:
        return value
    step, rest = to[0], to[1:]
    if isinstance(step, int):
        items = list(cast("list[Any]", node)) if isinstance(node, list) else []
        inner = items[step] if step < len(items) else None
        return [*items[:step], _insert(inner, rest, value), *items[step + 1 :]]
    fields = cast("dict[str, Any]", node) if isinstance(node, dict) else {}
    return {**fields, step: _insert(fields.get(step), rest, value)}


def _rebuild(node: Any, at: Path, change: Callable[[Any], Any]) -> Any:
    """Return a copy of `node` with `change` applied to the value at `at`; unchanged parts are shared."""
    if not at:
        return change(node)
    step, rest = at[0], at[1:]
    if isinstance(node, list):
        items = cast("list[Any]", node)
        if not isinstance(step, int) or not 0 <= step < len(items):
            return items
        return _with_item(items, step, _rebuild(items[step], rest, change))
    return {**node, step: _rebuild(node[step], rest, change)} if step in node else node


def _with_item(items: list[Any], index: str | int, value: Any) -> list[Any]:
    """Return a copy of a list with one item replaced; much faster than going through a long list."""
    copy = items.copy()
    if isinstance(index, int) and 0 <= index < len(items):
        copy[index] = value
    return copy
