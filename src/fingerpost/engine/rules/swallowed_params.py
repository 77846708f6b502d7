"""One argument holds the text of several: `"a.txt</path><content>hello"`, `"x\\", \\"limit\\": 5"`, `"octocat/hello"`.

An agent's harness splits a call into arguments by tags or quotes. If it misses one, the rest of the call ends up in
the value before it. Text that merely looks like tags or JSON is common, so this rule looks only for names that the tool
declares and the call does not give. In a valid call it looks only at paths and ids, for the end tag of the parameter
before the start tag of the next; in long text (`content`, `html`) only if a required parameter is missing. Tags that
only end the call (`"l1</parameter>\\n</invoke>"`) are recognised at the end of a short text.

Fix grading: the split is offered, if every name in the text is declared and absent, and so is the text without the tags
at its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from fingerpost.engine.case import Case
from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.spelling import split_words
from fingerpost.engine.model import Applicability, Diagnosis, Fix, Replace
from fingerpost.engine.phrases import join_names, quote, quote_parameter
from fingerpost.engine.rules.shapes.diagnosis import CODE
from fingerpost.engine.safety.json_input import as_object, parse_json
from fingerpost.engine.schema.short_text import strip_end_tags, takes_long_text, takes_no_tags, takes_short_text

_NAME = r"[\w.:-]{1,64}"
_BOUNDARY = lazy_pattern(
    rf"<(?:(?:{_NAME}:)?parameter(?:\s{{1,9}}name\s?=\s?|=)[\"']?(?P<marked>[\w.-]{{1,64}})[\"']?\s?>"
    rf"|/(?P<closed>{_NAME})>\s{{0,200}}<(?P<opened>{_NAME})>)"
)
"""The end of one parameter and the start of the next."""
_MAX_BOUNDARIES = 200
_CLOSING = lazy_pattern(rf"\s*</(?:{_NAME}:)?({_NAME})>$")
_CLOSING_WORDS = frozenset({"parameter", "invoke", "function", "function_calls", "tool_call", "arguments", "args"})
_NEXT_KEY = lazy_pattern(r"\",\s*\"([\w.-]{1,64})\"\s*:")
_PAIR = lazy_pattern(r"(?:https?://[^\s/]{1,100}/)?([\w.-]{1,100})/([\w.-]{1,100}?)(?:\.git)?/?", re.ASCII)
_OWNERS = frozenset({"owner", "org", "organization", "organisation", "user", "username", "namespace", "account"})
_REPOSITORIES = frozenset({"repo", "repository", "project"})


class _Split(NamedTuple):
    """What a text holds: a value for each name, and whether every name may be set."""

    values: dict[str, str]
    is_usable: bool = True


def diagnose(case: Case) -> Iterator[Diagnosis]:
    unset = {name for name in case.tool.params if name not in case.arguments}
    for name, text in case.arguments.items():
        if unset and name in case.tool.params and isinstance(text, str):
            split = _split_tags(name, text, unset) or _split_json(name, text, unset) or _split_pair(case, name, text)
            if split and _is_mistake(case, name, text, split):
                yield _diagnosis(case, name, split)
                return
    yield from _find_end_tags(case)


def _find_end_tags(case: Case) -> Iterator[Diagnosis]:
    """Yield the texts that end with the tags of the call."""
    for name, text in case.arguments.items():
        if isinstance(text, str) and "<" in text and name in case.tool.params and takes_no_tags(name):
            bare = strip_end_tags(text, name)
            if bare != text:
                yield _end_tag_diagnosis(case, name, bare)


def _end_tag_diagnosis(case: Case, name: str, bare: str) -> Diagnosis:
    fix = Fix(Replace((name,), bare), Applicability.MACHINE_APPLICABLE, confidence=0.95)
    return case.make_diagnosis(
        CODE,
        f"{quote_parameter((name,))} ends with a tag that belongs to the call",
        (name,),
        details={"expected": f"only {quote(name)}", "got": "a text with a tag behind it"},
        fixes=[fix],
    )


def _is_mistake(case: Case, name: str, text: str, split: _Split) -> bool:
    """Whether the tags in a text belong to the call, not to the text."""
    if takes_long_text(name):
        return any(other in case.tool.required for other in split.values if other != name)
    return not case.tool.accepts(case.arguments) or (takes_short_text(name) and _ends_parameter(name, text))


def _ends_parameter(name: str, text: str) -> bool:
    """Whether the end tag of this parameter stands before the start tag of another one."""
    found = _BOUNDARY.search(text)
    if found and found["opened"]:
        return found["closed"] in (name, "parameter")
    return found is not None and _CLOSING.search(text[: found.start()].rstrip()[-200:]) is not None


def _split_tags(name: str, text: str, unset: set[str]) -> _Split | None:
    """Split a text at the tags of declared parameters that are not given."""
    if f"</{name}>" not in text and "parameter name" not in text and "parameter=" not in text:
        return None
    current, start, values, is_usable = name, 0, dict[str, str](), True
    for found in islice(_BOUNDARY.finditer(text), _MAX_BOUNDARIES):
        follower = found["marked"] or found["opened"]
        is_expected = found["marked"] is not None or found["closed"] in (current, "parameter")
        if not is_expected or (found["marked"] is None and follower not in unset):
            continue
        values[current] = _strip_closing_tags(text[start : found.start()], current)
        is_usable &= follower in unset and follower not in values
        current, start = follower, found.end()
    values[current] = _strip_closing_tags(text[start:], current)
    if len(values) == 1 or unset.isdisjoint(values):
        return None
    return _Split({key: value.strip("\n") if key != current else value for key, value in values.items()}, is_usable)


def _strip_closing_tags(text: str, name: str) -> str:
    """Remove the tags that close the last parameter and the call."""
    bare = text
    for _ in range(4):
        found = _CLOSING.search(bare[-200:].rstrip())
        if not found or found[1] not in {name, *_CLOSING_WORDS}:
            break
        bare = bare.rstrip()[: -len(found.group())]
    return bare


def _split_json(name: str, text: str, unset: set[str]) -> _Split | None:
    """Split a text that becomes an object once the quotes that are missing around it are added."""
    found = _NEXT_KEY.search(text)
    if not found or found[1] not in unset:
        return None
    for end in ("}", '"}', ""):
        values = as_object(parse_json(f'{{"{name}": "{text}{end}'))
        if values.keys() - {name} <= unset and len(values) > 1:
            return _Split(values)
    return None


def _split_pair(case: Case, name: str, text: str) -> _Split | None:
    """Split `owner/repo` if it was sent as one of the two and the other is missing."""
    if len(text) > 300 or not (found := _PAIR.fullmatch(text.strip())):
        return None
    absent = [other for other in case.tool.required if other not in case.arguments]
    for group, words, others in ((1, _OWNERS, _REPOSITORIES), (2, _REPOSITORIES, _OWNERS)):
        rivals = [other for other in absent if split_words(other)[-1:] and split_words(other)[0] in others]
        if split_words(name)[:1] and split_words(name)[0] in words and len(rivals) == 1:
            return _Split({name: found[group], rivals[0]: found[3 - group]})
    return None


def _diagnosis(case: Case, name: str, split: _Split) -> Diagnosis:
    others = [other for other in split.values if other != name]
    fixes: list[Fix] = []
    if split.is_usable:
        edit = Replace((), {**case.arguments, **split.values})
        fixes.append(Fix(edit, Applicability.MAYBE_INCORRECT, confidence=0.85))
    return case.make_diagnosis(
        CODE,
        f"{quote_parameter((name,))} contains {join_names(others, limit=4)} too",
        (name,),
        details={"expected": f"only {quote(name)}", "got": "several parameters in one text"},
        fixes=fixes,
        hint="Send each parameter by itself",
    )
