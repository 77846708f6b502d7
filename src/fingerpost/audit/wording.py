"""What the words of a reply say, read as plainly as a machine can: names, types, limits, steps. No model is asked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fingerpost.redact import is_secret_place
from fingerpost.schema import types
from fingerpost.untrusted import as_list, as_object, is_number

_TYPES = {
    "integer": r"integers?|int|whole numbers?|numbers?|numeric",
    "number": r"numbers?|numeric|floats?|double|decimal|integers?",
    "string": r"strings?|str|text",
    "boolean": r"booleans?|bool|true or false|true/false",
    "array": r"arrays?|lists?|sequence|tuple|items",
    "object": r"objects?|dict|dictionary|mapping|maps?|record|struct|fields|class",
    "null": r"null|none|nonetype|nil|undefined|nothing",
}
_VERBS = (
    "Add|Ask|Choose|Correct|Fill|Give|Include|Omit|Pass|Pick|Provide|Put|Remove|Rename|Replace|Retry|See|Send|Specify"
    "|Supply|Tell|Try|Use|Wait"
)
_NOUNS_TOO = "Call|Check|Leave|List|Look|Make|Name|Read|Run|Search|Set|Start|Write"
"""Verbs only before what one does it to: `Call failed` is no advice, and `Call info()` is."""
_STEP = re.compile(
    rf"(?:^|[.!?;:,]\s+|\b(?:then|or|and)\s+)(?:{_VERBS})\b"
    rf"|(?:^|[.!?;:,]\s+|\b(?:then|or|and)\s+)(?:{_NOUNS_TOO})\s+"
    r"(?:(?:an?|the|one|each|all|every|your|its?|again|at|for|whether|with|out|first)\b|[\w.]+\(|['\"`])"
    rf"|(?i:please (?:{_VERBS}|{_NOUNS_TOO})\b|\bd(?:id|o) you mean|corrected call|\binstead\b|\byou (?:can|may)\b"
    r"|\bavailable (?:tools|commands|options)\b|\b(?:help|usage|example|hint): )",
    re.MULTILINE,
)
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
    r"Traceback \(most recent call last\)|^\s*File \"[^\"\n]+\", line \d+|^\s+at \S.*[:(]\S+:\d+:\d+\)?$"
    r"|^goroutine \d+ \[|^\s*at [\w.$]+\([\w.]+:\d+\)|thread '[^']+' panicked|stack backtrace:",
    re.MULTILINE,
)
_KEY = re.compile(
    r"\b(?:sk-[\w-]{20,}|gh[opsur]_\w{30,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}\b"
    r"|AIza[\w-]{30,}|eyJ[\w-]{10,}\.[\w-]{10,}\.)|-----BEGIN [A-Z ]*PRIVATE KEY"
)


_READ_FIRST, _READ_LAST = 20_000, 5_000


def clipped(text: str) -> str:
    """As much of a text as is read: what matters stands at the beginning or at the end."""
    return text if len(text) <= _READ_FIRST + _READ_LAST else f"{text[:_READ_FIRST]}\n{text[-_READ_LAST:]}"


def names(text: str, name: str) -> bool:
    """Whether a name stands in a text by itself, and not as a part of another."""
    return _found(text, name) is not None


def suggests(text: str, tool: str, known: Iterable[str]) -> bool:
    """Whether a tool is among the first five that a text names. A list of all of them is no suggestion."""
    places = {name: found.start() for name in known if name in text and (found := _found(text, name))}
    return tool in sorted(places, key=lambda name: places[name])[:5]


def _found(text: str, name: str) -> re.Match[str] | None:
    return re.search(rf"(?<![\w.\-/:$@]){re.escape(name)}(?![\w\-])", text)


def says_type(text: str, root: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
    """Whether a text says what a parameter takes: its type, its form, its choices."""
    words = [_TYPES[kind] for kind in types(root, schema) if kind in _TYPES]
    if not words or says_choices(text, as_list(schema.get("enum"))):
        return True
    if isinstance(form := schema.get("format"), str) and form.lower() in text.lower():
        return True
    return re.search(rf"\b(?:{'|'.join(words)})\b", text, re.IGNORECASE) is not None


def says_received(text: str, value: Any) -> bool:
    """Whether a text says what came: its type, or the value itself."""
    kind = _TYPES[_kind(value)]
    written = {json.dumps(value, ensure_ascii=False), repr(value), str(value)}
    return any(one in text for one in written) or re.search(rf"\b(?:{kind})\b", text, re.IGNORECASE) is not None


def _kind(value: Any) -> str:
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
    written = {form for limit in limits for form in (f"{limit}", f"{limit:,}", f"{limit:g}")}
    return any(re.search(rf"(?<![\d.]){re.escape(one)}(?![\d])", text) for one in written)


def says_choices(text: str, choices: Sequence[Any]) -> bool:
    """Whether a text lists the choices; of very many, some will do."""
    said = [one for one in choices if str(one) in text]
    return bool(choices) and len(said) >= min(len(choices), 5)


def says_next(text: str) -> bool:
    """Whether a text says what to do."""
    return _STEP.search(text) is not None


def says_left_out(text: str, name: str) -> bool:
    """Whether a text says what has become of an argument that a tool does not take."""
    return names(text, name) and _LEFT_OUT.search(text) is not None


def says_more(reply: Mapping[str, Any]) -> bool:
    """Whether a result says that there is more, in words or in a field that is made for it."""
    said = json.dumps([reply.get("content"), reply.get("structuredContent"), reply.get("_meta")])
    return _MORE.search(said) is not None


def leak(text: str, arguments: Any) -> str:
    """What stands in a text that should not, as a clause; empty where nothing does."""
    if _TRACE.search(text):
        return "shows a traceback"
    if _KEY.search(text):
        return "shows what looks like a key"
    for name, value in as_object(arguments).items():
        if isinstance(value, str) and len(value) > 5 and is_secret_place(name) and value in text:
            return f"repeats the value of {name}, which is secret"
    return ""
