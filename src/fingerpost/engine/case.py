"""One call and the tool it is for. Every rule works on a case.

A case is immutable. Applying a fix gives a new case with its own violations, so each rule sees the call after the
certain fixes of the rules before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.spelling import normal_form
from fingerpost.engine.model import Call, Diagnosis, Drop, Edit, Fix, Path, Replace, Severity, Violation, value_at
from fingerpost.engine.phrases import Placeholder, key_of, parameter_label
from fingerpost.engine.safety.hazards import find_hazards
from fingerpost.engine.safety.json_input import as_list, as_object
from fingerpost.engine.safety.redact import describe, safe_value
from fingerpost.engine.schema import walk as schemas
from fingerpost.engine.schema.code_labels import find_labels
from fingerpost.engine.schema.excerpt import excerpt, outline_value
from fingerpost.engine.schema.repeated_slips import Applied, repeat_edits
from fingerpost.engine.schema.sample import Focus, is_large, original_path
from fingerpost.engine.schema.undeclared import UnknownArguments
from fingerpost.engine.schema.validate import UNDECLARED_KEYWORD
from fingerpost.engine.tool import Tool

_DATE = lazy_pattern(r"\s*\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d)")
_REJECTS_TEXT = frozenset({"type", "enum"})
_MAX_PLACEHOLDER_DEPTH, _MAX_PLACEHOLDERS = 6, 20


@dataclass(frozen=True)
class Case:
    """A call, the tool it is for, and the violations of its schema."""

    call: Call
    tool: Tool
    reported: tuple[Violation, ...] = ()
    """Violations that the server reported. If there are any, they replace those of the schema."""
    seen: Focus | None = None
    """Which items of large lists were looked at in the call before the edits."""
    known: tuple[Violation, ...] = ()
    """The violations of the call before an edit that does not change them, apart from placeholders."""
    applied: tuple[Applied, ...] = ()
    """The edits that a large call has behind it."""
    is_safe: bool = False
    """Whether the call before the edits contained no attack, and the edits added no text.

    In a large call, edits may add text: what they do is searched when they have been repeated in all items.
    """
    sent: Call | None = None
    """The call before the edits, if there were any: what it shows about its own notation stays known."""

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments, for rules that run only when they are an object."""
        return as_object(self.call.arguments)

    @cached_property
    def violations(self) -> tuple[Violation, ...]:
        """The violations, without those of a placeholder: the caller fills it in."""
        is_sample = bool(self.applied)  # the other items of a large list still have the slips that edits removed here
        every = self.reported or self.known
        if not every:
            every = self.tool.find_violations(self.call.arguments, self.focus, is_sample=is_sample)
        return tuple(one for one in every if not self._is_filled_in(one))

    def _is_filled_in(self, violation: Violation) -> bool:
        """Whether the caller fills in the value, so that it will be right. Other fields of it may still be wrong."""
        if not violation.at or not self.has(violation.at):
            return False
        value = self.value(violation.at)
        is_about_names = violation.keyword in ("required", UNDECLARED_KEYWORD)
        return isinstance(value, Placeholder) if is_about_names else _holds_placeholder(value)

    @cached_property
    def is_valid(self) -> bool:
        """Whether the whole call is certainly valid. Much cheaper than its violations."""
        return not self.reported and self.tool.is_surely_valid(self.call.arguments)

    @property
    def needs_no_rule(self) -> bool:
        """Whether certainly no rule finds anything: the call is right, apart from placeholders."""
        if self.reported or not isinstance(self.call.arguments, dict):
            return False
        return self.tool.is_clearly_valid(self.arguments) or (not self.violations and self.is_known_and_harmless)

    @cached_property
    def is_known_and_harmless(self) -> bool:
        """Whether all arguments are declared, and none contains what a rule other than the validator objects to."""
        return self.tool.is_known_and_harmless(self.arguments)

    @cached_property
    def first_hazard(self) -> tuple[Path, str] | None:
        """The first place that contains an attack, and the kind of attack."""
        return None if self.is_safe else next(find_hazards(self.arguments), None)

    @cached_property
    def focus(self) -> Focus | None:
        """The items that are looked at, if the call is too large to look at all."""
        return self.seen or (self.tool.make_focus() if is_large(self.call.arguments) else None)

    def find_unknown_arguments(self) -> list[str]:
        """Return the arguments that the tool does not take."""
        is_own = not (self.reported or self.applied)
        return self.tool.unknown_arguments(self.arguments, self.violations if is_own else None)

    @cached_property
    def nested_unknown_arguments(self) -> Sequence[UnknownArguments]:
        """The objects inside the arguments with names that a server would drop; in a fixed call, in focus only."""
        find = self.tool.find_nested_unknown_arguments
        if not (self.focus and self.applied):
            return [*find(self.arguments)]
        sample, kept = self.focus.sample(self.arguments)
        return [(original_path(at, kept), declared, names) for at, declared, names in find(sample)]

    def violations_of(self, *keywords: str) -> Iterator[Violation]:
        """Yield the violations of these keywords, at most one for each place."""
        seen: set[Path] = set()
        for violation in self.violations:
            if violation.keyword in keywords and violation.at not in seen and self.has(violation.at):
                seen.add(violation.at)
                yield violation

    def after(self, edits: Iterable[Edit]) -> Case:
        """Return the case with these edits applied to the call."""
        call, applied = self.call, self.applied
        edits = tuple(edits)
        for edit in edits:
            if self.focus:
                applied = (*applied, Applied(edit, call))
            call = edit.applied_to(call)
        if call is self.call:
            return self
        known = self.violations if len(edits) == 1 and self._keeps_violations(edits[0]) else ()
        return Case(
            call,
            self.tool,
            seen=self.focus,
            known=known,
            applied=applied,
            is_safe=self._stays_safe(edits),
            sent=self.sent or self.call,
        )

    def _stays_safe(self, edits: Iterable[Edit]) -> bool:
        """Whether the call was seen to contain no attack, and need not be searched again after these edits."""
        was_safe = self.is_safe or ("first_hazard" in self.__dict__ and self.first_hazard is None)
        return was_safe and (self.focus is not None or all(map(_adds_no_text, edits)))

    def _keeps_violations(self, edit: Edit) -> bool:
        """Whether an edit puts a placeholder in the place of a text that is no better: both are only text."""
        if self.reported or not (isinstance(edit, Replace) and edit.at and isinstance(edit.value, Placeholder)):
            return False
        wrong = [one for one in self.violations if one.at[: len(edit.at)] == edit.at]
        is_text = bool(wrong) and isinstance(self.value(edit.at), str)
        return is_text and all(one.at == edit.at and one.keyword in _REJECTS_TEXT for one in wrong)

    def spread(self) -> tuple[Case, int]:
        """Repeat the edits so far in every item of a large list with the same slip; return how many more they are."""
        if not self.applied:
            return self, 0
        call, places = repeat_edits(self.call, self.applied)
        is_safe = self.is_safe and all(_adds_no_text(one.edit) for one in self.applied)
        return (Case(call, self.tool, is_safe=is_safe, sent=self.sent), places) if places or not is_safe else (self, 0)

    def is_valid_after(self, edit: Edit, at: Path) -> bool:
        """Whether `edit` leaves no violation at or below `at`."""
        after = self.after([edit])
        return after.is_valid or not any(violation.at[: len(at)] == at for violation in after.violations)

    def holds(self, call: Call) -> bool:
        """Whether the case is about exactly these arguments."""
        return self.call.arguments is call.arguments

    def has(self, at: Path) -> bool:
        try:
            value_at(self.call.arguments, at)
        except (KeyError, IndexError, TypeError):
            return False
        return True

    def value(self, at: Path) -> Any:
        return value_at(self.call.arguments, at)

    def redact_value(self, at: Path, schema: Mapping[str, Any]) -> Any:
        """Return the value at `at` in a form that may be shown."""
        value = self.value(at)
        return describe(value) if self.is_secret(at) else safe_value(value, key_of(at), schema)

    def is_forbidden(self, at: Path) -> bool:
        """Whether the schema forbids the name of this argument, so that a server that checks it rejects the call."""
        return schemas.is_closed(self.tool.schema, self.schema(at[:-1]))

    def is_secret(self, at: Path) -> bool:
        """Whether the schema of the tool declares this value, or one that contains it, secret."""
        names = self.tool.secret_names
        return bool(names) and any(normal_form(step) in names for step in at if isinstance(step, str))

    def schema(self, at: Path) -> Mapping[str, Any]:
        return schemas.schema_at(self.tool.schema, at)

    def find_labels(self, at: Path) -> Mapping[str, str]:
        """Return what the codes for a value mean. The description of a list may explain those of its items."""
        root, schema = self.tool.schema, self.schema(at)
        labels = find_labels(root, schema)
        if labels or not at or isinstance(at[-1], str):
            return labels
        return find_labels(root, {"allOf": [schema], "description": self.schema(at[:-1]).get("description")})

    def takes_date(self, value: Any, at: Path) -> bool:
        """Whether a text is a date, and the parameter at `at` takes dates."""
        if not isinstance(value, str) or not _DATE.match(value):
            return False
        layers = schemas.layers(self.tool.schema, self.schema(at))
        return any(layer.get("format") in ("date", "date-time") for layer in layers)

    def is_optional(self, at: Path) -> bool:
        """Whether the argument may be omitted."""
        if not at or not isinstance(at[-1], str):
            return False
        root, holder = self.tool.schema, self.schema(at[:-1])
        return at[-1] in schemas.properties(root, holder) and at[-1] not in schemas.find_required(root, holder)

    def make_diagnosis(
        self,
        code: str,
        message: str,
        at: Path,
        *,
        severity: Severity = Severity.HIGH,
        details: Mapping[str, Any] | None = None,
        fixes: Iterable[Fix] = (),
        hint: str = "",
        warning: str = "",
        blocks: bool = False,
        schema: Mapping[str, Any] | None = None,
    ) -> Diagnosis:
        """Build a diagnosis of the value at `at`. The severity decides how much of the schema it shows."""
        name = parameter_label(at)
        return Diagnosis(
            code=code,
            message=message,
            severity=severity,
            at=at,
            details={**({"parameter": name} if at else {}), **(details or {})},
            fixes=tuple(fixes),
            hint=hint,
            warning=warning,
            blocks=blocks,
            schema_hint=self._schema_hint(name, at, severity, schema),
        )

    def _schema_hint(
        self, name: str, at: Path, severity: Severity, schema: Mapping[str, Any] | None
    ) -> Mapping[str, Any]:
        if severity is Severity.MEDIUM or not at:
            return excerpt(self.tool.schema, self.tool.schema, "minimal")
        if severity is Severity.HIGH:
            return {name: outline_value(self.tool.schema, schema or self.schema(at))}
        return {}


def _adds_no_text(edit: Edit) -> bool:
    """Whether an edit only removes a value, or puts a placeholder, a number or a flag in its place."""
    if isinstance(edit, Replace):
        return isinstance(edit.value, Placeholder | int | float | None)
    return isinstance(edit, Drop)


def _holds_placeholder(value: Any, depth: int = 0) -> bool:
    """Whether a value is a placeholder, or an object or list that is made of them."""
    if depth > _MAX_PLACEHOLDER_DEPTH:
        return False
    inner = [*as_object(value).values(), *as_list(value)][:_MAX_PLACEHOLDERS]
    return isinstance(value, Placeholder) or any(_holds_placeholder(item, depth + 1) for item in inner)
