"""What can go wrong with a search that no schema foresees: said once, with the way out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from fingerpost.engine.phrases import join_names, quote
from fingerpost.errors import Reading, ToolOperationError

_REGEX = re.compile(r"regex parse error:\n {4}(.*)\n {4}( *)\^.*\n(?:.*\n)*?error: (.+)", re.DOTALL)
_GLOB = re.compile(r"error parsing glob '.*': (.+)", re.DOTALL)
_WRAPPER = len("(?:")
_SPECIAL = re.compile(r"[.^$*+?{}\[\]|()\\]")
_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|[()]|\\$", re.DOTALL)
_UNBALANCED = ("unclosed group", "unopened group")
_UNSUPPORTED = re.compile(r"\(\?<?[=!]|\\[1-9]|\\k[<{]|\(\?P=")
_AROUND = 24


def outside(parameter: str) -> ToolOperationError:
    """The refusal of what points out of the folder: it says nothing that could help to get there."""
    return ToolOperationError(
        f"Parameter '{parameter}' is refused: it points outside the served folder",
        code="UNSAFE_INPUT",
        category="validation",
        origin="call",
        retryable=False,
        details={"parameter": parameter},
    )


def unsendable(parameter: str) -> ToolOperationError:
    return ToolOperationError(
        f"Parameter '{parameter}' holds characters that no text file can hold",
        code="INVALID_FORMAT",
        category="validation",
        origin="call",
        parameter=parameter,
        hint="Leave out NUL and unpaired surrogates; . matches any character in their place",
    )


def bad_pattern(pattern: str, said: str, fix: str | None) -> ToolOperationError:
    """Why a pattern is none, and where; `said` is what ripgrep says of it."""
    at, what = _fault(pattern, said)
    shown = {"position": at, "caret": _caret(pattern, at)} if at is not None else {}
    return ToolOperationError(
        f"The pattern is not a regular expression: {what}" + ("" if at is None else f", at character {at + 1}"),
        code="INVALID_FORMAT",
        category="validation",
        origin="call",
        parameter="pattern",
        likely_fix=None if fix is None else {"value": fix, "confidence": 0.9},
        details={"got": pattern, "expected": "a regular expression, in the syntax of ripgrep", **shown},
        hint=_advice(what, pattern, at),
    )


def bad_glob(said: str) -> ToolOperationError:
    found = _GLOB.search(said)
    return ToolOperationError(
        f"The filter is not a glob: {found[1] if found else said}",
        code="INVALID_FORMAT",
        category="validation",
        origin="call",
        parameter="filter",
        hint='Write it like "*.py", "src/**" or "*.{ts,tsx}"; "!" in front leaves files out',
    )


def is_about_glob(said: str) -> bool:
    return _GLOB.search(said) is not None


def too_slow(seconds: float, call: str) -> ToolOperationError:
    return ToolOperationError(
        f"The search was stopped after {seconds:g} seconds with nothing found so far",
        code="TIMEOUT",
        category="timeout",
        origin="server",
        hint=f"Narrow it with a filter such as: {call}",
    )


def gone() -> ToolOperationError:
    return ToolOperationError(
        "The served folder is no longer there",
        code="UPSTREAM_ERROR",
        category="upstream",
        retryable=False,
        hint="Ask the user to start the server again on a folder that exists",
    )


class NothingFound(ToolOperationError):
    """Nothing by that name; `readings` are what may have been meant."""

    code, category, origin = "NOT_FOUND", "not_found", "call"

    def __init__(self, message: str, parameter: str, readings: tuple[Reading, ...], **more: Any) -> None:
        steps: Mapping[str, Any] = more.pop("next_steps")
        kept = {name: step for name, step in steps.items() if step}
        super().__init__(message, parameter=parameter, next_steps=kept, **more)
        self.readings = readings


def no_files(glob: str, meant: str | None, there: list[str], calls: list[str]) -> NothingFound:
    """No file is matched by a filter; `there` are filters that match some, and `calls` find something."""
    return NothingFound(
        f"No file matches the filter {quote(glob)}",
        "filter",
        (Reading(meant, meant, 0.9, is_clear=True),) if meant else (),
        details={"got": glob},
        hint=None if meant else f"There are {join_names(there)}" if there else "There are no files here",
        next_steps={
            "alternatives": [*calls, "list_files()"],
            "check_scope": "Use list_files() to see which files there are",
        },
    )


def escaped(text: str) -> str:
    """The pattern that matches this very text."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def repairs(pattern: str, said: str) -> Iterator[str]:
    """What may have been meant, if it is found: the very text, else all as it stands but for one bracket.

    Look-around and backreferences say what no other pattern says, and a line break was meant as one. An alternative
    would no longer be held together, and a group with a `?` was meant as a group: these are not repaired so.
    """
    at, what = _fault(pattern, said)
    if at is None or _UNSUPPORTED.search(pattern):
        return
    yield escaped(pattern)
    if what in _UNBALANCED and "|" not in pattern and pattern[at + 1 : at + 2] != "?":
        yield f"{pattern[:at]}\\{pattern[at:]}"


def _fault(pattern: str, said: str) -> tuple[int | None, str]:
    """Where a pattern breaks, and how. ripgrep puts a group around it, which may take the blame for an open one."""
    if "literal" in said and "\\n" in said:
        return None, "a line break in it can never match, for lines are searched one by one"
    if (found := _REGEX.search(said)) is None:
        return None, said.partition("\n")[0]
    what = found[3].strip().partition("\n")[0]
    if what in _UNBALANCED:
        return _unbalanced(pattern)
    return len(found[2]) - _WRAPPER, what


def _unbalanced(pattern: str) -> tuple[int, str]:
    is_open = list[int]()
    for token in _TOKEN.finditer(pattern):
        if token[0] == "\\":
            return token.start(), "a backslash with nothing behind it"
        if token[0] == "(":
            is_open.append(token.start())
        elif token[0] == ")" and not is_open:
            return token.start(), "unopened group"
        elif token[0] == ")":
            is_open.pop()
    return (is_open or [0])[-1], "unclosed group"


def _caret(pattern: str, at: int) -> list[str]:
    start = max(at - _AROUND, 0)
    return [pattern[start : at + _AROUND], "-" * (at - start) + "^"]


def _advice(what: str, pattern: str, at: int | None) -> str:
    if "look-around" in what:
        return "Look-around is not supported here: write ab for a(?=b), leave out (?!b) and pass over results with b"
    if "backreference" in what:
        return "Backreferences are not supported here: write the repeated part out"
    if "line break" in what:
        return "Search for the most telling one of its lines"
    if at is None:
        return "Make the pattern simpler"
    return f"Put a backslash before {pattern[at : at + 1] or 'it'!r} to mean the character itself"
