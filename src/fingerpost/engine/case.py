"""One call held against one tool, at one point of the fold. What every rule is given.

A case is immutable: applying a fix makes the next case, whose violations are found anew, so a rule
always sees the call as the sure fixes before it leave it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fingerpost.engine.catalog import Tool
from fingerpost.engine.matching.spelling import normal_form
from fingerpost.engine.model import Call, Diagnosis, Edit, Fix, Path, Severity, Violation, value_at
from fingerpost.engine.phrases import key_of, parameter_label
from fingerpost.engine.safety.json_input import as_object
from fingerpost.engine.safety.redact import describe, safe_value
from fingerpost.engine.schema import excerpt as disclosure
from fingerpost.engine.schema import walk as schemas


@dataclass(frozen=True)
class Case:
    """A call, the tool it is for, and what is wrong with it as it stands."""

    call: Call
    tool: Tool
    reported: tuple[Violation, ...] = ()
    """What the server complained of; explained instead of what the schema says."""

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments, for rules that run once they are known to be an object."""
        return as_object(self.call.arguments)

    @cached_property
    def violations(self) -> tuple[Violation, ...]:
        return self.reported or self.tool.violations(self.call.arguments)

    def broken(self, *keywords: str) -> Iterator[Violation]:
        """The violations of these keywords, at most one for each place."""
        seen: set[Path] = set()
        for violation in self.violations:
            if violation.keyword in keywords and violation.at not in seen and self.has(violation.at):
                seen.add(violation.at)
                yield violation

    def after(self, edits: Iterable[Edit]) -> Case:
        call = self.call
        for edit in edits:
            call = edit.applied_to(call)
        return self if call is self.call else Case(call, self.tool)

    def settles(self, edit: Edit, at: Path) -> bool:
        """Whether nothing is wrong at or below `at` once `edit` is applied."""
        return not any(violation.at[: len(at)] == at for violation in self.after([edit]).violations)

    def has(self, at: Path) -> bool:
        try:
            value_at(self.call.arguments, at)
        except (KeyError, IndexError, TypeError):
            return False
        return True

    def value(self, at: Path) -> Any:
        return value_at(self.call.arguments, at)

    def shown(self, at: Path, schema: Mapping[str, Any]) -> Any:
        """The value at `at` as it may be repeated."""
        value = self.value(at)
        return describe(value) if self.is_secret(at) else safe_value(value, key_of(at), schema)

    def is_secret(self, at: Path) -> bool:
        """Whether the tool's schema says that what stands here, or above here, is secret."""
        names = self.tool.secret_names
        return bool(names) and any(normal_form(step) in names for step in at if isinstance(step, str))

    def schema(self, at: Path) -> Mapping[str, Any]:
        return schemas.schema_at(self.tool.schema, at)

    def is_optional(self, at: Path) -> bool:
        """Whether the argument may be left out."""
        if not at or not isinstance(at[-1], str):
            return False
        root, holder = self.tool.schema, self.schema(at[:-1])
        return at[-1] in schemas.properties(root, holder) and at[-1] not in schemas.required_names(root, holder)

    def finding(
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
        schema: Mapping[str, Any] | None = None,
    ) -> Diagnosis:
        """A diagnosis of the value at `at`, with as much of the schema as its severity deserves."""
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
            schema_hint=self._schema_hint(name, at, severity, schema),
        )

    def _schema_hint(
        self, name: str, at: Path, severity: Severity, schema: Mapping[str, Any] | None
    ) -> Mapping[str, Any]:
        if severity is Severity.MEDIUM or not at:
            return disclosure.excerpt(self.tool.schema, self.tool.schema, "minimal")
        if severity is Severity.HIGH:
            return {name: disclosure.quote_schema(self.tool.schema, schema or self.schema(at))}
        return {}
