"""Errors of the code server that a schema cannot express, each with a hint."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from fingerpost.engine.phrases import join_names, quote
from fingerpost.errors import Reading, ToolOperationError

_REGEX_ERROR = re.compile(r"regex parse error:\n {4}(.*)\n {4}( *)\^.*\n(?:.*\n)*?error: (.+)", re.DOTALL)
_GLOB_ERROR = re.compile(r"error parsing glob '.*': (.+)", re.DOTALL)
_WRAPPER = len("(?:")
_SPECIAL = re.compile(r"[.^$*+?{}\[\]|()\\]")
_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|[()]|\\$", re.DOTALL)
_UNBALANCED = ("unclosed group", "unopened group")
_UNSUPPORTED = re.compile(r"\(\?<?[=!]|\\[1-9]|\\k[<{]|\(\?P=")
_EXCERPT = 24


def outside_folder_error(parameter: str) -> ToolOperationError:
    """A path or filter points outside the served folder. The error gives no help that could lead there."""
    return ToolOperationError(
        f"Parameter '{parameter}' is refused: it points outside the served folder",
        code="UNSAFE_INPUT",
        category="validation",
        origin="call",
        retryable=False,
        details={"parameter": parameter},
    )


def invalid_text_error(parameter: str) -> ToolOperationError:
    return ToolOperationError(
        f"Parameter '{parameter}' holds characters that no text file can hold",
        code="INVALID_FORMAT",
        category="validation",
        origin="call",
        parameter=parameter,
        hint="Leave out NUL and unpaired surrogates; . matches any character in their place",
    )


def invalid_pattern_error(pattern: str, ripgrep_message: str, fix: str | None) -> ToolOperationError:
    """Why and where a pattern is not a regular expression."""
    at, problem = _locate_problem(pattern, ripgrep_message)
    place = {"position": at, "caret": _caret(pattern, at)} if at is not None else {}
    return ToolOperationError(
        f"The pattern is not a regular expression: {problem}" + ("" if at is None else f", at character {at + 1}"),
        code="INVALID_FORMAT",
        category="validation",
        origin="call",
        parameter="pattern",
        likely_fix=None if fix is None else {"value": fix, "confidence": 0.9},
        details={"got": pattern, "expected": "a regular expression, in the syntax of ripgrep", **place},
        hint=_advice(problem, pattern, at),
    )


def invalid_glob_error(ripgrep_message: str) -> ToolOperationError:
    match = _GLOB_ERROR.search(ripgrep_message)
    return ToolOperationError(
        f"The filter is not a glob: {match[1] if match else ripgrep_message}",
        code="INVALID_FORMAT",
        category="validation",
        origin="call",
        parameter="filter",
        hint='Write it like "*.py", "src/**" or "*.{ts,tsx}"; "!" in front leaves files out',
    )


def is_about_glob(ripgrep_message: str) -> bool:
    return _GLOB_ERROR.search(ripgrep_message) is not None


def timeout_error(seconds: float, narrower_call: str) -> ToolOperationError:
    return ToolOperationError(
        f"The search was stopped after {seconds:g} seconds with nothing found so far",
        code="TIMEOUT",
        category="timeout",
        origin="server",
        hint=f"Narrow it with a filter such as: {narrower_call}",
    )


def missing_folder_error() -> ToolOperationError:
    return ToolOperationError(
        "The served folder is no longer there",
        code="UPSTREAM_ERROR",
        category="upstream",
        retryable=False,
        hint="Ask the user to start the server again on a folder that exists",
    )


class NothingFound(ToolOperationError):
    """Nothing matches; `readings` are what the caller may have meant."""

    code, category, origin = "NOT_FOUND", "not_found", "call"

    def __init__(self, message: str, parameter: str, readings: tuple[Reading, ...], **more: Any) -> None:
        steps: Mapping[str, Any] = more.pop("next_steps")
        kept = {name: step for name, step in steps.items() if step}
        super().__init__(message, parameter=parameter, next_steps=kept, **more)
        self.readings = readings


def no_files_error(glob: str, suggestion: str | None, existing: list[str], calls: list[str]) -> NothingFound:
    """No file matches a filter. `existing` are filters that match some files; `calls` find something."""
    return NothingFound(
        f"No file matches the filter {quote(glob)}",
        "filter",
        (Reading(suggestion, suggestion, 0.9, is_clear=True),) if suggestion else (),
        details={"got": glob},
        hint=None if suggestion else f"There are {join_names(existing)}" if existing else "There are no files here",
        next_steps={
            "alternatives": [*calls, "list_files()"],
            "check_scope": "Use list_files() to see which files there are",
        },
    )


def escape_pattern(text: str) -> str:
    """The pattern that matches exactly this text."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def repair_pattern(pattern: str, ripgrep_message: str) -> Iterator[str]:
    """Repairs to try: the pattern as literal text, then with only the unbalanced bracket escaped.

    Look-around, backreferences and line breaks have no equivalent. A single bracket is not escaped in an alternative,
    which it may hold together, or in a group with a `?`, which was clearly meant as a group.
    """
    at, problem = _locate_problem(pattern, ripgrep_message)
    if at is None or _UNSUPPORTED.search(pattern):
        return
    yield escape_pattern(pattern)
    if problem in _UNBALANCED and "|" not in pattern and pattern[at + 1 : at + 2] != "?":
        yield f"{pattern[:at]}\\{pattern[at:]}"


def _locate_problem(pattern: str, ripgrep_message: str) -> tuple[int | None, str]:
    """Position and description of a problem. ripgrep wraps the pattern in a group, which it may blame instead."""
    if "literal" in ripgrep_message and "\\n" in ripgrep_message:
        return None, "a line break in it can never match, for lines are searched one by one"
    if (match := _REGEX_ERROR.search(ripgrep_message)) is None:
        return None, ripgrep_message.partition("\n")[0]
    problem = match[3].strip().partition("\n")[0]
    if problem in _UNBALANCED:
        return _locate_unbalanced_bracket(pattern)
    return len(match[2]) - _WRAPPER, problem


def _locate_unbalanced_bracket(pattern: str) -> tuple[int, str]:
    open_groups = list[int]()
    for token in _TOKEN.finditer(pattern):
        if token[0] == "\\":
            return token.start(), "a backslash with nothing behind it"
        if token[0] == "(":
            open_groups.append(token.start())
        elif token[0] == ")" and not open_groups:
            return token.start(), "unopened group"
        elif token[0] == ")":
            open_groups.pop()
    return (open_groups or [0])[-1], "unclosed group"


def _caret(pattern: str, at: int) -> list[str]:
    start = max(at - _EXCERPT, 0)
    return [pattern[start : at + _EXCERPT], "-" * (at - start) + "^"]


def _advice(problem: str, pattern: str, at: int | None) -> str:
    if "look-around" in problem:
        return "Look-around is not supported here: write ab for a(?=b), leave out (?!b) and pass over results with b"
    if "backreference" in problem:
        return "Backreferences are not supported here: write the repeated part out"
    if "line break" in problem:
        return "Search for the most telling one of its lines"
    if at is None:
        return "Make the pattern simpler"
    return f"Put a backslash before {pattern[at : at + 1] or 'it'!r} to mean the character itself"
