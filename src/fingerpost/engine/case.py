"""One call and the tool it is for. Every rule works on a case.

A case is immutable. Applying a fix gives a new case with its own violations, so each rule sees the call after the
certain fixes of the rules before it.
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
from fingerpost.engine.schema import walk as schemas
from fingerpost.engine.schema.excerpt import excerpt, quote_schema


@dataclass(frozen=True)
class Case:
    """A call, the tool it is for, and the violations of its schema."""

    call: Call
    tool: Tool
    reported: tuple[Violation, ...] = ()
    """Violations that the server reported. If there are any, they replace those of the schema."""

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments, for rules that run only when they are an object."""
        return as_object(self.call.arguments)

    @cached_property
    def violations(self) -> tuple[Violation, ...]:
        return self.reported or self.tool.violations(self.call.arguments)

    def violations_of(self, *keywords: str) -> Iterator[Violation]:
        """Yield the violations of these keywords, at most one for each place."""
        seen: set[Path] = set()
        for violation in self.violations:
            if violation.keyword in keywords and violation.at not in seen and self.has(violation.at):
                seen.add(violation.at)
                yield violation

    def after(self, edits: Iterable[Edit]) -> Case:
        """Return the case with these edits applied to the call."""
        call = self.call
        for edit in edits:
            call = edit.applied_to(call)
        return self if call is self.call else Case(call, self.tool)

    def is_valid_after(self, edit: Edit, at: Path) -> bool:
        """Whether `edit` leaves no violation at or below `at`."""
        return not any(violation.at[: len(at)] == at for violation in self.after([edit]).violations)

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

    def is_secret(self, at: Path) -> bool:
        """Whether the schema of the tool declares this value, or one that contains it, secret."""
        names = self.tool.secret_names
        return bool(names) and any(normal_form(step) in names for step in at if isinstance(step, str))

    def schema(self, at: Path) -> Mapping[str, Any]:
        return schemas.schema_at(self.tool.schema, at)

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
            schema_hint=self._schema_hint(name, at, severity, schema),
        )

    def _schema_hint(
        self, name: str, at: Path, severity: Severity, schema: Mapping[str, Any] | None
    ) -> Mapping[str, Any]:
        if severity is Severity.MEDIUM or not at:
            return excerpt(self.tool.schema, self.tool.schema, "minimal")
        if severity is Severity.HIGH:
            return {name: quote_schema(self.tool.schema, schema or self.schema(at))}
        return {}
