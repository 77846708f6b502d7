"""Read prose about a value: its type, its limits, its choices.

tail parameter must be an integer: expected integer, got string
Invalid thoughtNumber: must be a number
invalid value 'x' for parameter 'sort', expected one of: asc, desc
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from fingerpost.engine.dialects import parse
from fingerpost.engine.dialects.plain_subject import NAME, NOUN, SUBJECT, is_called_parameter, is_name, subject_path
from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.model import Path, Violation

_MOST = 60
_MUST = r"(?:must|should|needs to|has to) be"
_TYPED = lazy_pattern(
    rf"{SUBJECT} (?P<verb>{_MUST}|is not|expects|expected) (?:of type |type |an? )?(?:valid )?"
    r"['\"`<]?(?P<type>integer|int|number|float|string|str|boolean|bool|array|list|object|dict|dictionary)s?['\"`>]?"
    r"(?: of \w{1,30})?(?P<contrast> (?:but|got|not)\b|)",
    re.IGNORECASE | re.MULTILINE,
)
_COMPARED = lazy_pattern(
    rf"{SUBJECT} {_MUST} (?P<how>[<>]=?|at least|at most|no (?:more|less) than|(?:less|greater) than(?: or equal to)?) "
    rf"(?P<limit>{parse.NUMBER})(?P<unit> characters?| items?|)(?: long)?",
    re.IGNORECASE | re.MULTILINE,
)
_BETWEEN = lazy_pattern(
    rf"{SUBJECT} {_MUST} (?:an? \w{{1,20}} )?between (?P<least>{parse.NUMBER}) and (?P<most>{parse.NUMBER})",
    re.IGNORECASE | re.MULTILINE,
)
_KEYWORDS = {
    **dict.fromkeys((">=", "at least", "no less than", "greater than or equal to"), "minimum"),
    **dict.fromkeys(("<=", "at most", "no more than", "less than or equal to"), "maximum"),
    **dict.fromkeys((">", "greater than"), "exclusiveMinimum"),
    **dict.fromkeys(("<", "less than"), "exclusiveMaximum"),
}
_SIZES = {
    ("minimum", "char"): "minLength",
    ("maximum", "char"): "maxLength",
    ("minimum", "item"): "minItems",
    ("maximum", "item"): "maxItems",
}
_CHOICES = lazy_pattern(
    rf"(?:{_MUST}|expected) (?:one|any) of:? ?\[?|(?:valid|allowed|supported) (?:values|options)(?: are|):? ?\[?",
    re.IGNORECASE,
)
_ABOUT = lazy_pattern(
    rf"\bfor (?:the )?(?:{NOUN} )?(?P<quote>['\"`])(?P<quoted>{NAME})(?P=quote)|\bfor (?:the )?{NOUN} (?P<bare>{NAME})"
    rf"|\binvalid (?:value for )?(?:{NOUN} )?(?P<invalid>{NAME})(?: ['\"`][^'\"`\n]{{0,200}}['\"`])?[:.,]",
    re.IGNORECASE,
)
_OPENING = lazy_pattern(rf"{SUBJECT} \Z", re.IGNORECASE | re.MULTILINE)


def read(text: str) -> Iterator[Violation]:
    yield from _types(text)
    yield from _limits(text)
    yield from _enums(text)


def _types(text: str) -> Iterator[Violation]:
    """Read types. `'x' is not a string` counts only of a parameter; `x must be a string` always does."""
    for clause in _TYPED.finditer(text):
        is_closed = clause["contrast"] or parse.ends_clause(text, clause.end())
        is_order = clause["verb"].lower() not in ("is not", "expected")
        if is_closed and (is_order or clause["quoted"] or is_called_parameter(clause)) and (at := subject_path(clause)):
            yield Violation(at, "type", parse.json_types([clause["type"]]))


def _limits(text: str) -> Iterator[Violation]:
    for clause in _COMPARED.finditer(text):
        if (at := subject_path(clause)) and parse.ends_clause(text, clause.end()):
            keyword = _KEYWORDS[clause["how"].lower()]
            yield Violation(
                at, _SIZES.get((keyword, clause["unit"].strip()[:4]), keyword), parse.number(clause["limit"])
            )
    for clause in _BETWEEN.finditer(text):
        if (at := subject_path(clause)) and parse.ends_clause(text, clause.end()):
            yield Violation(at, "minimum", parse.number(clause["least"]))
            yield Violation(at, "maximum", parse.number(clause["most"]))


def _enums(text: str) -> Iterator[Violation]:
    for announced in islice(_CHOICES.finditer(text), _MOST):
        at = _about(text[max(announced.start() - 300, 0) : announced.start()].rpartition("\n")[2])
        if at:
            choices, end = parse.choices(text, announced.end(), bare=True)
            yield Violation(at, "enum", choices if parse.ends_clause(text, end) else [])


def _about(before: str) -> Path:
    """Return the parameter that is named last before a list of choices."""
    opening = _OPENING.search(before)
    if opening:
        return subject_path(opening)
    named = [match["quoted"] or match["bare"] or match["invalid"] for match in _ABOUT.finditer(before)]
    return parse.path(named[-1]) if named and is_name(named[-1]) else ()
