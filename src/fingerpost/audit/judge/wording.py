"""Detect what a text says with regular expressions: names, types, limits, next steps. No model is involved."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from fingerpost.audit.judge.instructions import STEP
from fingerpost.engine.safety.json_input import as_list, as_object, is_number
from fingerpost.engine.safety.redact import is_secret
from fingerpost.engine.schema.walk import types

_RANGE = r"(?:must be|between|from|in the range) -?\d+"
_TYPES = {
    "integer": r"integers?|int|whole numbers?|numbers?|numeric",
    "number": r"numbers?|numeric|floats?|double|decimal|integers?",
    "string": r"strings?|str|text",
    "boolean": r"booleans?|bool|true\W{0,3}(?: or |[|/,])\W{0,3}false",
    "array": r"arrays?|lists?|sequence|tuple|items",
    "object": r"objects?|dict|dictionary|mapping|maps?|record|struct|fields|class",
    "null": r"null|none|nonetype|nil|undefined|nothing",
}
_FORMATS = {
    "date": r"date|YYYY-MM-DD|ISO[ -]?8601",
    "date-time": r"date-?time|timestamp|YYYY-MM-DD|ISO[ -]?8601|RFC ?3339",
    "time": r"time|HH:MM",
    "uri": r"ur[il]s?|links?",
    "url": r"ur[il]s?|links?",
    "email": r"e-?mails?",
    "uuid": r"[ug]uids?",
    "ipv4": r"ipv4|ip address",
    "ipv6": r"ipv6|ip address",
}
_MORE = re.compile(
    r"\bmore\b|truncated|cut (?:off|short)|next_?cursor|next_?page|has_?more|\btotal\b|limit_?reached|\bof \d+\b"
    r"|\bfirst \d+\b|remaining|\boffset\b|\bpage \d+",
    re.IGNORECASE,
)
_LEFT_OUT = re.compile(
    r"ignored|left (?:out|off)|dropped|removed|omitted|skipped|discarded|unknown|unexpected|unrecogni[sz]ed|unsupported"
    r"|not (?:a parameter|taken|used|known|declared|recogni[sz]ed|supported|sent)|corrected|no (?:such )?param",
    re.IGNORECASE,
)
_TRACE = re.compile(
    r"Traceback \(most recent call last\)|^[ \t]*File \"[^\"\n]{1,400}\", line \d"
    r"|^[ \t]+at \S.{0,300}[:(]\S{1,300}:\d{1,7}:\d{1,7}\)?$|^goroutine \d+ \["
    r"|^[ \t]*at [\w.$]{1,300}\([\w.]{1,300}:\d+\)|thread '[^'\n]{1,100}' panicked|stack backtrace:",
    re.MULTILINE,
)
_KEY = re.compile(
    r"\b(?:sk-[\w-]{20}|gh[opsur]_\w{30}|github_pat_\w{20}|glpat-[\w-]{16}|xox[abeoprs]-[\w-]{10}|AKIA[0-9A-Z]{16}\b"
    r"|AIza[\w-]{30}|eyJ[\w-]{10,400}\.[\w-]{10,4000}\.)|-----BEGIN [A-Z ]*PRIVATE KEY"
)
_REFERENCE = (
    r"(?<![\w.\-/:$@#])(?:[#$]?[./]|(?:data|params?|arguments?|args|input|body|request|payload|instance|root|properties)[./]"
    r"|\#/properties/|--)?"
)
"""How a text may refer to a parameter: `data/limit`, `#/limit`, `$.limit`, `params.limit`, `--limit`."""
_ABOUT_VALUE = (
    r"(?: must\b| should\b| needs?\b| takes?\b| expects?\b| exceeds\b| can(?:not)? be\b| has to\b| out of\b| required\b"
    r"| is (?:required|missing|needed|too|out of|invalid|an?)\b)"
)
"""What follows a parameter name at the start of a sentence; `Pattern is not known` may repeat a wrong name."""
_SIMILARITY = re.compile(
    r"you (?:meant?|want(?:ed)?)\b|\b(?:similar|nearest|closest|perhaps|maybe|resembles?)\b", re.IGNORECASE
)
_NEAR = 80
_HEAD, _TAIL, _MAX_CHOICES = 20_000, 5_000, 1_000


def clip(text: str) -> str:
    """The beginning and the end of a long text; the important part is there."""
    return text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]}\n{text[-_TAIL:]}"


def mentions(text: str, name: str) -> bool:
    """Whether a text mentions a parameter or a choice, and not only a longer name that contains it."""
    text = clip(text)
    if not name:
        return False
    if name in text and re.search(rf"{_REFERENCE}{re.escape(name)}(?![\w\-])", text):
        return True
    first = name[:1].upper() + name[1:]
    return (
        first in text and re.search(rf"(?:^|[.!?:]\s){re.escape(first)}{_ABOUT_VALUE}", text, re.MULTILINE) is not None
    )


def suggests_tool(text: str, tool: str, known: Iterable[str], wrong: str = "") -> bool:
    """Whether a tool is among the first five that a text mentions.

    A list of all tools is no suggestion, unless it begins with the right one or has words of similarity beside it.
    The wrong name does not count as a mention of a right name that it contains.
    """
    text, known = clip(text), list(known)
    if wrong and wrong not in known:
        text = re.sub(rf"(?<!\w){re.escape(wrong)}(?![\w\-])", " ", text)
    places = {name: found.start() for name in known if name in text and (found := _find_tool(text, name))}
    first = sorted(places, key=lambda name: places[name])[:5]
    if len(places) == len(known) > 2 and first[0] != tool:
        return any(_first_named(text[at : at + _NEAR], known) == tool for at in _ends_of_similarity_words(text))
    return tool in first


def _find_tool(text: str, name: str) -> re.Match[str] | None:
    return re.search(rf"(?<![\w.\-/:$@]){re.escape(name)}(?![\w\-])", text)


def _first_named(text: str, known: Iterable[str]) -> str:
    places = {found.start(): name for name in known if name in text and (found := _find_tool(text, name))}
    return places[min(places)] if places else ""


def _ends_of_similarity_words(text: str) -> list[int]:
    return [found.end() for found in islice(_SIMILARITY.finditer(text), 20)]


def says_type(text: str, root: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
    """Whether a text says what a parameter takes: its type, format or choices."""
    text = clip(text)
    words = [_TYPES[kind] for kind in types(root, schema) if kind in _TYPES]
    if not words or says_choices(text, as_list(schema.get("enum"))):
        return True
    if {"integer", "number"} & set(types(root, schema)):
        words.append(_RANGE)
    if isinstance(form := schema.get("format"), str):
        words.append(_FORMATS.get(form.lower(), re.escape(form)))
    return re.search(rf"\b(?:{'|'.join(words)})\b", text, re.IGNORECASE) is not None


def says_received(text: str, value: Any) -> bool:
    """Whether a text says what was received: the type or the value itself."""
    text = clip(text)
    kind = r"strings?|text|empty|blank" if value == "" else _TYPES[_json_type(value)]
    return (
        any(one in text for one in _value_forms(value))
        or re.search(rf"\b(?:{kind})\b", text, re.IGNORECASE) is not None
    )


def _value_forms(value: Any) -> set[str]:
    """The ways to write a value; none for a number of thousands of digits."""
    try:
        return {json.dumps(value, ensure_ascii=False), repr(value), str(value)} - {""}
    except (ValueError, TypeError, RecursionError):
        return set()


def _json_type(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if is_number(value):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object" if isinstance(value, dict) else "null"


def says_limit(text: str, schema: Mapping[str, Any]) -> bool:
    """Whether a text says one of the limits that a schema declares."""
    keywords = (
        "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems",
    )  # fmt: skip
    limits = [schema[word] for word in keywords if is_number(schema.get(word))]
    text = clip(text)
    written = {form for limit in limits for form in _number_forms(limit)}
    return any(re.search(rf"(?<![\d.]){re.escape(one)}(?![\d])", text) for one in written)


def _number_forms(number: float) -> Iterator[str]:
    for form in ("", ",", "g"):
        with suppress(ValueError, OverflowError):
            yield format(number, form)


def says_choices(text: str, choices: Sequence[Any]) -> bool:
    """Whether a text lists the choices; five are enough."""
    text, choices = clip(text), [one for one in choices if one != ""]
    listed = [one for one in choices[:_MAX_CHOICES] if any(_contains_word(text, form) for form in _value_forms(one))]
    return bool(choices) and len(listed) >= min(len(choices), 5)


def _contains_word(text: str, word: str) -> bool:
    return word in text and re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def says_next(text: str) -> bool:
    """Whether a text says what to do next."""
    return STEP.search(clip(text)) is not None


def says_left_out(text: str, name: str) -> bool:
    """Whether a text says that an argument was ignored or corrected."""
    return mentions(text, name) and _LEFT_OUT.search(clip(text)) is not None


def says_more(reply: Mapping[str, Any]) -> bool:
    """Whether a result says that there is more, in words or in a field such as `nextCursor`."""
    for part in ("content", "structuredContent", "_meta"):
        with suppress(RecursionError):
            if _MORE.search(clip(json.dumps(reply.get(part)))):
                return True
    return False


def find_leak(text: str, arguments: Any) -> str:
    """Find a traceback or a secret in a text, as a clause; empty if there is none."""
    clipped = clip(text)
    if _TRACE.search(clipped):
        return "contains a traceback"
    if _KEY.search(clipped):
        return "contains what looks like an API key"
    for name, value in as_object(arguments).items():
        if isinstance(value, str) and len(value) > 5 and is_secret(name) and value in text:
            return f"repeats the value of the secret parameter {name}"
    return ""
