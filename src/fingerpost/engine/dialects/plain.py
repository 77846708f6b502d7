"""Read prose that people write by hand, about missing or unknown arguments; `plain_values` reads the rest.

    failed to list resources, missing argument apiVersion
    Error calling tool 'search': search() got an unexpected keyword argument 'patern'
    Missing required parameters: pattern, path

If in doubt, nothing is read. `Login is required` and `File is required to exist` are not about the call. A name counts
if it is quoted, if a word such as `parameter` is beside it, or if it opens the clause in lower case. A traceback is
about the server's own code, and so is a `TypeError` from a dunder method.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fingerpost.engine.dialects import parse, plain_values
from fingerpost.engine.dialects.plain_subject import NOUN, SUBJECT, is_called_parameter, is_name, subject_path
from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.model import Path, Violation

_MISSING = lazy_pattern(
    r"\bmissing (?:\d{1,3} )?(?:a value for )?(?:the )?(?:required |mandatory |)"
    rf"(?:positional |keyword-only |keyword )?{NOUN}(?P<colon>:|) ",
    re.IGNORECASE,
)
_UNKNOWN = lazy_pattern(
    rf"\b(?:unknown|unexpected|unrecogni[sz]ed|unsupported|extraneous) (?:keyword )?{NOUN}(?P<colon>:|) ", re.IGNORECASE
)
_REQUIRED = lazy_pattern(
    rf"{SUBJECT}(?P<verb> (?:is|are|was)|)(?: an?|)(?: field|) "
    rf"(?P<how>required|mandatory|missing|not found|not provided)(?: {NOUN}|)\b",
    re.IGNORECASE | re.MULTILINE,
)
_OPENING = lazy_pattern(r"(?:^|\n|[:;,] )\Z")
_TRACEBACK = "Traceback (most recent call last)"


def read(text: str) -> Iterator[Violation]:
    if _TRACEBACK in text:
        return
    for clause in _MISSING.finditer(text):
        yield from (_missing(parse.path(name)) for name in _names(clause, may_be_bare=True))
    for clause in _UNKNOWN.finditer(text):
        if names := _names(clause, may_be_bare=False):
            yield Violation((), "additionalProperties", names)
    for clause in _REQUIRED.finditer(text):
        if (at := subject_path(clause)) and _is_demand(clause):
            yield _missing(at)
    yield from plain_values.read(text)


def _missing(at: Path) -> Violation:
    return Violation(at[:-1], "required", str(at[-1]))


def _names(clause: re.Match[str], *, may_be_bare: bool) -> list[str]:
    """Return the names at the end of a clause. A bare name counts only if `missing` opens the clause."""
    text, start = clause.string, clause.end()
    listed, end = parse.choices(text, start, bare=True)
    names = parse.property_names(listed)
    is_marked = bool(clause["colon"]) or text[start : start + 1] in ("'", '"', "`")
    is_bare = may_be_bare and _OPENING.search(text, max(clause.start() - 2, 0), clause.start())
    if not (is_marked or (is_bare and all(map(is_name, names)))) or _is_internal(text, clause.start()):
        return []
    return names if parse.ends_clause(text, end) else []


def _is_internal(text: str, start: int) -> bool:
    """Whether the server itself is at fault: `Client.__init__() got an unexpected keyword argument 'proxies'`."""
    before = text[max(start - 100, 0) : start].removesuffix("got an ")
    return before.endswith("() ") and "__" in before.split()[-1]


def _is_demand(clause: re.Match[str]) -> bool:
    """Whether a clause demands an argument: `path is required` does, `'a.txt' is missing` only of a parameter."""
    if not parse.ends_clause(clause.string, clause.end()):
        return False
    if clause["how"].lower() in ("required", "mandatory") and (clause["verb"] or clause["colon"] or clause["quoted"]):
        return True
    return is_called_parameter(clause)
