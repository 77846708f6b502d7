"""Read pydantic v2: the text of a `ValidationError`, its `.json()`, the `repr` of its `.errors()`, FastAPI's `detail`.

    Error executing tool search: 2 validation errors for searchArguments
    pattern
      Field required [type=missing, input_value={'max': 'fifty'}, input_type=dict]
    max
      Input should be a valid integer, unable to parse string as an integer [type=int_parsing, input_value='fifty', …]

Each form gives a kind, a location and a message; `input_value` is ignored. For a union, pydantic adds a label of the
alternative to the location (`u.str`, `u.list[int].0`), which is removed because the call does not contain it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from fingerpost.engine.dialects import parse
from fingerpost.engine.dialects.alternatives import choose_nearest
from fingerpost.engine.dialects.embedded import find_records
from fingerpost.engine.dialects.pydantic_kinds import Error, to_violation
from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.model import Path, Violation

_MOST = 60
_DEEPEST = 16
_TITLE = lazy_pattern(r"\d validation errors? for ")
_DETAIL = lazy_pattern(r"  (.{0,4000}?) \[type=(\w+)[,\]]")
_STEP = lazy_pattern(r"`([^`]*)`|([^.`]+)")
_REPR = lazy_pattern(
    r"""'type': '(\w+)', 'loc': \(([^()]{0,400})\), 'msg': (?:'([^'\n]{0,4000})'|"([^"\n]{0,4000})")"""
)
_REQUEST_PARTS = ("body", "query", "path", "header", "cookie")
_SCALAR_LABELS = {"str": "string_", "int": "int_", "float": "float_", "bool": "bool_"}


def read(text: str) -> list[Violation]:
    errors = _from_text(text) or _from_json(text) or _from_repr(text)
    return _violations([error for error in errors if len(error.loc) <= _DEEPEST][:_MOST])


def _from_text(text: str) -> list[Error]:
    title = _TITLE.search(text)
    return list(islice(_details(text[title.start() :]), _MOST)) if title else []


def _details(text: str) -> Iterator[Error]:
    """Read one error per indented line; the line above it has the location."""
    loc: Path = ()
    for line in text.split("\n")[: parse.MOST_LINES]:
        if detail := _DETAIL.match(line):
            yield Error(detail[2], loc, detail[1])
        elif not line.startswith(" "):
            loc = () if _TITLE.search(line[:400]) else _loc(line)


def _loc(line: str) -> Path:
    return parse.path_from_steps([match[1] or match[2] for match in _STEP.finditer(line[:400])])


def _from_json(text: str) -> list[Error]:
    """Read error objects. FastAPI puts the part of the request first in `loc`, which a tool call does not have."""
    errors = [
        Error(str(record["type"]), parse.path_from_steps(record["loc"]), str(record["msg"]))
        for record in find_records(text, "type", "loc", "msg")[:_MOST]
    ]
    parts = _REQUEST_PARTS if '"detail"' in text else _REQUEST_PARTS[:1]
    if all(len(error.loc) > 1 and error.loc[0] in parts for error in errors):
        return [error._replace(loc=error.loc[1:]) for error in errors]
    return errors


def _from_repr(text: str) -> list[Error]:
    return [
        Error(match[1], parse.path_from_steps(parse.choices(match[2])[0]), match[3] or match[4] or "")
        for match in islice(_REPR.finditer(text), _MOST)
    ]


def _violations(errors: Sequence[Error]) -> list[Violation]:
    at = next((at for error in errors for at in _prefixes(error) if _is_union(at, errors)), None)
    if at is None:
        return [found for error in errors if (found := to_violation(error))]
    inside = [error for error in errors if error.loc[: len(at)] == at and len(error.loc) > len(at)]
    labels = dict.fromkeys(error.loc[len(at)] for error in inside)
    branches = [_violations([_without_label(e, at) for e in inside if e.loc[len(at)] == label]) for label in labels]
    return [*_violations([error for error in errors if error not in inside]), *choose_nearest(branches, at)]


def _prefixes(error: Error) -> list[Path]:
    return [error.loc[:length] for length in range(1, len(error.loc))]


def _without_label(error: Error, at: Path) -> Error:
    return error._replace(loc=at + error.loc[len(at) + 1 :])


def _is_union(at: Path, errors: Sequence[Error]) -> bool:
    """Whether the steps after `at` are labels: several, in pydantic's notation or all names of models."""
    inside = [error for error in errors if error.loc[: len(at)] == at and len(error.loc) > len(at)]
    labels = {label for error in inside if isinstance(label := error.loc[len(at)], str)}
    if len(labels) < 2:
        return False
    return any(_is_label(error, len(at)) for error in inside) or all(label[:1].isupper() for label in labels)


def _is_label(error: Error, at: int) -> bool:
    label = str(error.loc[at])
    is_leaf = len(error.loc) == at + 1
    return "[" in label or (is_leaf and error.kind.startswith(_SCALAR_LABELS.get(label, "\n")))
