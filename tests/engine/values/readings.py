"""Judge one value for one parameter, for the tests of the readers."""

from __future__ import annotations

from typing import Any

from fingerpost import Applicability, Call, Catalog, Grade, Verdict, admit, render
from fingerpost.engine.model import Drop, Replace

INTEGER, NUMBER, BOOLEAN = {"type": "integer"}, {"type": "number"}, {"type": "boolean", "default": False}
STRINGS = {"type": "array", "items": {"type": "string"}}
LEFT_OUT = "left out"


def judge_value(
    value: Any,
    schema: dict[str, Any],
    *,
    name: str = "p",
    tool: str = "t",
    beside: dict[str, Any] | None = None,
    read_only: bool = False,
    required: bool = False,
) -> Verdict:
    """Judge a call with this one argument. `beside` are the schemas of other parameters."""
    properties = {name: schema, **(beside or {})}
    listed: dict[str, Any] = {"name": tool, "inputSchema": {"type": "object", "properties": properties}}
    listed["inputSchema"]["required"] = [name] if required else []
    if read_only:
        listed["annotations"] = {"readOnlyHint": True}
    return admit(Call(tool, {name: value}), Catalog.listed([listed]))


def readings(value: Any, schema: dict[str, Any], **options: Any) -> list[tuple[Any, Grade]]:
    """Return the value and the grade of each fix, without the placeholder."""
    return [
        (fix.edit.value if isinstance(fix.edit, Replace) else LEFT_OUT, fix.grade)
        for diagnosis in judge_value(value, schema, **options).report.diagnoses
        for fix in diagnosis.fixes
        if fix.applicability is not Applicability.HAS_PLACEHOLDERS and isinstance(fix.edit, Replace | Drop)
    ]


def lossless(value: Any) -> list[tuple[Any, Grade]]:
    return [(value, Grade.LOSSLESS)]


def likely(value: Any) -> list[tuple[Any, Grade]]:
    return [(value, Grade.LIKELY)]


def offered(*values: Any) -> list[tuple[Any, Grade]]:
    return [(value, Grade.OFFERED) for value in values]


def text(value: Any, schema: dict[str, Any], **options: Any) -> str:
    """Return what the caller reads."""
    return render(judge_value(value, schema, **options).report).text
