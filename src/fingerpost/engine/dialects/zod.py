"""Read the list of issues of zod v3 and v4, as JSON inside a text.

    MCP error -32602: Invalid arguments for tool edit_file: [
      {"code": "invalid_type", "expected": "string", "received": "undefined", "path": ["path"], "message": "Required"}
    ]

Version 4 renames codes (`invalid_enum_value` → `invalid_value`, `invalid_string` → `invalid_format`) and omits
`received`, which is then read from the message. In version 4 the paths inside a union start at the union.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast

from fingerpost.engine.dialects import parse
from fingerpost.engine.dialects.alternatives import choose_nearest
from fingerpost.engine.dialects.embedded import find_records
from fingerpost.engine.dialects.zod_codes import CODES, Issue, choice_violations
from fingerpost.engine.model import Path, Violation
from fingerpost.engine.safety.json_input import as_list

_DEEPEST = 8


def read(text: str) -> Iterator[Violation]:
    for issue in find_records(text, "code", "path"):
        yield from _violations(issue, (), 0)


def _violations(issue: Issue, within: Path, depth: int) -> Iterable[Violation]:
    at = within + _path(issue)
    code = str(issue["code"])
    if code == "invalid_union" and depth < _DEEPEST:
        return choose_nearest(_branches(issue, at, depth + 1), at) or choice_violations(issue, at)
    return CODES[code](issue, at) if code in CODES else ()


def _path(issue: Issue) -> Path:
    """Return the path in the arguments; the TypeScript SDK validates whole requests, with `params.arguments` inside."""
    at = parse.path_from_steps(issue["path"])
    return at[2:] if at[:2] == ("params", "arguments") else at


def _branches(issue: Issue, at: Path, depth: int) -> Iterator[list[Violation]]:
    for branch in as_list(issue.get("errors")):
        yield [found for inner in _issues(branch) for found in _violations(inner, at, depth)]
    for error in _issues(issue.get("unionErrors")):
        yield [found for inner in _issues(error.get("issues")) for found in _violations(inner, (), depth)]


def _issues(value: object) -> list[Issue]:
    return [
        {"code": "", "path": [], **cast("dict[str, Any]", item)} for item in as_list(value) if isinstance(item, dict)
    ]
