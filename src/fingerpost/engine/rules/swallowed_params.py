"""One argument holds the text of several: `"a.txt</path><content>hello"`, `"x, \\"limit\\": 5"`, `"octocat/hello"`.

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
from typing import Any, NamedTuple

from fingerpost.engine.case import Case
from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.spelling import normal_form, split_words
from fingerpost.engine.model import Applicability, Diagnosis, Fix, Replace
from fingerpost.engine.phrases import encode_json, join_names, quote, quote_parameter
from fingerpost.engine.rules.shapes.diagnosis import CODE
from fingerpost.engine.safety.json_input import as_object
from fingerpost.engine.schema.short_text import strip_end_tags, takes_long_text, takes_no_tags, takes_short_text
from fingerpost.engine.values.containers import parse_decorated

_NAME = r"[\w.:-]{1,64}"
_BOUNDARY = lazy_pattern(
    rf"<(?:(?:{_NAME}:)?parameter(?:\s{{1,9}}name\s?=\s?|=)[\"']?(?P<marked>[\w.-]{{1,64}})[\"']?\s?>"
    rf"|/(?P<closed>{_NAME})>\s{{0,200}}<(?P<opened>{_NAME})>)"
)
"""The end of one parameter and the start of the next."""
_MAX_BOUNDARIES = 200
_CLOSING = lazy_pattern(rf"\s*</(?:{_NAME}:)?({_NAME})>$")
_CLOSING_WORDS = frozenset({"parameter", "invoke", "function", "function_calls", "tool_call", "arguments", "args"})
_NEXT_KEY = lazy_pattern(r"[\"']?,\s{0,20}([\"'])([\w.-]{1,64})\1\s{0,9}:")
_QUOTES_OR_BRACKETS = lazy_pattern(r"[\"{}\[\]]")
_PAIR = lazy_pattern(r"(?:https?://[^\s/]{1,100}/)?([\w.-]{1,100})/([\w.-]{1,100}?)(?:\.git)?/?", re.ASCII)
_OWNERS = frozenset({"owner", "org", "organization", "organisation", "user", "username", "namespace", "account"})
_REPOSITORIES = frozenset({"repo", "repository", "project"})
_FULL_NAMES = frozenset({"fullname", "fullreponame", "githubrepo", "namewithowner", "ownerrepo", "slug"})
_MAX_ARGUMENTS = 64


class _Split(NamedTuple):
    """What a text holds: a value for each name, and whether every name may be set."""

    values: dict[str, Any]
    is_usable: bool = True


def diagnose(case: Case) -> Iterator[Diagnosis]:
    unset = {name for name in case.tool.params if name not in case.arguments}
    for name, text in case.arguments.items():
        if unset and name in case.tool.params and isinstance(text, str):
            split = _split_tags(name, text, unset) or _split_json(name, text, unset) or _split_pair(case, name, text)
            if split and _is_mistake(case, name, text, split):
                yield _diagnosis(case, name, split)
                return
    for name, text in islice(case.arguments.items(), _MAX_ARGUMENTS):
        if (
            name not in case.tool.params
            and isinstance(text, str)
            and (split := _split_undeclared_pair(case, name, text))
        ):
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
    """Split a text where it goes on with the next name of an object: `x", "limit": 5`, with or without the quote."""
    found = _NEXT_KEY.search(text)
    if not found or found[2] not in unset:
        return None
    is_quoted = found.group().startswith('"')
    if not is_quoted and _QUOTES_OR_BRACKETS.search(text, 0, found.start()):
        return None  # JSON in front of the name would contain it
    first = f'"{text[: found.start()]}"' if is_quoted else encode_json(text[: found.start()].rstrip("'"))
    for end in ("}", "", '"}'):
        parsed = parse_decorated(f"{{{encode_json(name)}: {first}, {text[found.start(1) :]}{end}")
        values = as_object(parsed.value) if parsed else {}
        if len(values) > 1 and values.keys() - {name} <= unset:
            return _Split(values)
    return None


def _split_pair(case: Case, name: str, text: str) -> _Split | None:
    """Split `owner/repo` if it was sent as one of the two and the other is missing."""
    if len(text) > 300 or not (found := _PAIR.fullmatch(text.strip())):
        return None
    for group, words, others in ((1, _OWNERS, _REPOSITORIES), (2, _REPOSITORIES, _OWNERS)):
        rivals = _find_absent(case, others)
        if split_words(name)[:1] and split_words(name)[0] in words and len(rivals) == 1:
            return _Split({name: found[group], rivals[0]: found[3 - group]})
    return None


def _split_undeclared_pair(case: Case, name: str, text: str) -> _Split | None:
    """Split `owner/repo` if it was sent under another name for the repository, and both parameters are missing."""
    is_repository = split_words(name)[:1] and split_words(name)[0] in _REPOSITORIES
    if len(text) > 300 or not (is_repository or normal_form(name) in _FULL_NAMES):
        return None
    found = _PAIR.fullmatch(text.strip())
    owners, repositories = (_find_absent(case, words) for words in (_OWNERS, _REPOSITORIES))
    if not found or len(owners) != 1 or len(repositories) != 1:
        return None
    return _Split({owners[0]: found[1], repositories[0]: found[2]})


def _find_absent(case: Case, words: frozenset[str]) -> list[str]:
    """Return the required parameters without a value whose names begin with one of these words."""
    absent = [name for name in case.tool.required if name not in case.arguments]
    return [name for name in absent if split_words(name)[:1] and split_words(name)[0] in words]


def _diagnosis(case: Case, name: str, split: _Split) -> Diagnosis:
    others = [other for other in split.values if other != name]
    fixes: list[Fix] = []
    if split.is_usable:
        kept = {key: value for key, value in case.arguments.items() if key in case.tool.params or key != name}
        edit = Replace((), {**kept, **split.values})
        fixes.append(Fix(edit, Applicability.MAYBE_INCORRECT, confidence=0.85))
    return case.make_diagnosis(
        CODE,
        f"{quote_parameter((name,))} contains {join_names(others, limit=4)}{' too' if name in split.values else ''}",
        (name,),
        details={"expected": f"only {quote(name)}", "got": "several parameters in one text"},
        fixes=fixes,
        hint="Send each parameter by itself",
    )
