"""The benefit of the doubt: what a reader makes of an error that gives no call to send, only what is wrong.

It still has no mind of its own. It takes a name that the error proposes, a type that it asks for and a choice that it
lists, where these leave one thing to do; it never sees the schema.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, cast

from fingerpost.audit.judge.calls_in_text import bare, is_same, offered
from fingerpost.audit.judge.follow_error import corrected_call_in
from fingerpost.audit.judge.wording import clipped
from fingerpost.audit.redact import texts
from fingerpost.engine.dialects import read
from fingerpost.engine.matching import closest
from fingerpost.engine.model import Call, Violation
from fingerpost.engine.safety.json_input import as_list, as_object, as_strings

_QUOTES = "'\"`\u2018\u2019\u201c\u201d\u00ab\u00bb"
_NAME = rf"(?<!\w)[{_QUOTES}]?([\w$][\w.\-/$]{{0,127}})[{_QUOTES}]?"
_CAME = r"(?:got|received|found|not|but|you|which|for)\b"
_NOUN = (
    r"(?:tool|param(?:eter)?|argument|field|name|option|value|property|key|function|command|choice|match|spelling)s?"
)
_LIKE = re.compile(
    r"(?:\b(?:did|do) you (?:perhaps |maybe )?mean\b|\b(?:perhaps|maybe|probably) (?:you )?(?:meant?|want(?:ed)?)\b"
    r"|\byou (?:probably |perhaps |may have |might have )?(?:meant|wanted)\b"
    rf"|\b(?:nearest|closest|(?:most )?similar)(?: (?:known|valid))?(?: {_NOUN})?(?: (?:is|are|would be)\b)?"
    rf"|(?<!not )\b(?:known|valid|allowed|accepted|permitted|available|supported)(?: {_NOUN})?(?: (?:is|are)\b|(?=:))"
    rf"|\bexpected(?=:? [{_QUOTES}]))"
    r"\s{0,3}:?\s{0,3}(?:to (?:use|call|send|pass|say|write) )?(?:(?:one|any) of\b:?\s{0,3})?(?:the )?"
    rf"(?:{_NOUN}:? )?"
    rf"(?P<names>\[?{_NAME}(?:(?:\s?[,|]|,? (?:or|and))\s{{0,3}}(?!{_CAME}){_NAME}){{0,20}})",
    re.IGNORECASE,
)
"""Words of likeness, and the names that they offer."""
_EACH = re.compile(rf"(?!(?:or|and)\b){_NAME}", re.IGNORECASE)
_SWAPS = (
    re.compile(rf"\b(?:rename|change|replace|correct) (?:the )?(?:{_NOUN} )?{_NAME} (?:to|with|by|into) {_NAME}", re.I),
    re.compile(rf"{_NAME} (?:was|is|has been) (?:re)?named (?:to )?{_NAME}", re.I),
    re.compile(rf"{_NAME} ?(?:→|->|=>) ?{_NAME}"),
)
"""What is wrong, then what is right."""
_INSTEAD_OF = re.compile(rf"{_NAME} (?:instead|in place) of (?:the )?(?:{_NOUN} )?{_NAME}", re.I)
_INSTEAD = re.compile(rf"\b(?:use|try|call|pass|send) (?:the )?(?:{_NOUN} )?{_NAME} instead\b(?! of)", re.I)
_WANTS_OBJECT = re.compile(r"\b(?:object|dict|dictionary|mapping)\b", re.I)
_NO_NAMES = re.compile(
    r"an?|the|this|that|it|them|one|each|(?:an)?other|something|else|of|to|instead|string|integer|number|boolean|array"
    r"|object|list|int|str|bool|float|null|none|undefined|value",
    re.IGNORECASE,
)


def followed(reply: Mapping[str, Any], sent: Call) -> Call | None:
    """The call that a reply leads to: the one that it gives, or the one that was sent with what it names put right."""
    given = corrected_call_in(reply, sent)
    if given is not None or reply.get("isError") is not True:
        return given
    text = clipped("\n".join(texts(reply)))
    return next((call for call in _readings(text, sent) if call is not None and not is_same(call, sent)), None)


def _readings(text: str, sent: Call) -> Iterator[Call | None]:
    """What a text may lead to, the plainest first."""
    yield offered(text, sent)
    yield from _swapped(text, sent)
    yield from _meant(text, sent)
    yield from _mended(text, sent)
    yield bare(text, sent)


def _swapped(text: str, sent: Call) -> Iterator[Call]:
    """`rename 'patern' to 'pattern'`: both are named."""
    pairs = [(found[1], found[2]) for swap in _SWAPS for found in _first(swap, text)]
    pairs += [(found[2], found[1]) for found in _first(_INSTEAD_OF, text)]
    for wrong, right in pairs:
        yield from _exchanged(sent, wrong.rstrip("."), right.rstrip("."), wrong)


def _meant(text: str, sent: Call) -> Iterator[Call]:
    """`Did you mean 'pattern'?` beside a name that was sent: one that resembles it, or the last one before."""
    for found in _first(_LIKE, text):
        names = {name.rstrip(".") for name in _EACH.findall(found["names"])}
        if len(names) == 1:
            came = text[found.end() : found.end() + 60] if found[0].lower().startswith("expected") else ""
            yield from _exchanged(sent, None, names.pop(), text[: found.start()] + came)
    for found in _first(_INSTEAD, text):
        yield from _exchanged(sent, None, found[1].rstrip("."), text[: found.start()])


def _first(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The first few places: a text that offers more than these offers nothing."""
    return islice(pattern.finditer(text), 20)


def _exchanged(sent: Call, wrong: str | None, right: str, before: str) -> Iterator[Call]:
    """The call with one name in the place of another: of a parameter, of a choice, of the tool."""
    if _NO_NAMES.fullmatch(right):
        return
    fields = as_object(sent.arguments)
    ways = [(_last(before, sent.tool), sent.tool, Call(right, sent.arguments))]
    for name, value in fields.items():
        if right not in fields:
            renamed = {right if key == name else key: one for key, one in fields.items()}
            ways.append((_last(before, name), name, Call(sent.tool, renamed)))
        if isinstance(value, str):
            ways.append((_last(before, value), value, Call(sent.tool, {**fields, name: right})))
    named = [way for way in ways if way[0] >= 0 and wrong in (None, way[1])]
    alike = {match.name for match in closest(right, [way[1] for way in named])[:1]}
    if named:
        yield max(named, key=lambda way: (way[1] in alike, way[0]))[2]


def _last(text: str, name: str) -> int:
    """Where a name stands last in a text; -1 where it does not."""
    if not name or len(name) > 200 or name not in text:
        return -1
    return max((found.start() for found in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text)), default=-1)


def _mended(text: str, sent: Call) -> Iterator[Call]:
    """A value of another type or case than the error asks for, and names that it says are too many."""
    arguments = json.loads(json.dumps(sent.arguments))
    if isinstance(arguments, str) and _WANTS_OBJECT.search(text):
        arguments = _spelt_out(arguments)
    if not isinstance(arguments, dict):
        return
    fields = cast("dict[str, Any]", arguments)
    for violation in read(text):
        _put_right(fields, violation)
    yield Call(sent.tool, fields)


def _put_right(fields: dict[str, Any], violation: Violation) -> None:
    name = violation.at[0] if len(violation.at) == 1 else None
    match violation.keyword:
        case "additionalProperties" | "unevaluatedProperties":
            for stray in as_strings(violation.expected) or [str(violation.expected)]:
                fields.pop(stray, None)
        case "type" if isinstance(name, str) and name in fields:
            if fields[name] is None:
                del fields[name]
            else:
                fields[name] = _as_type(fields[name], violation.expected)
        case "enum" if isinstance(name, str) and isinstance(fields.get(name), str):
            alike = [one for one in as_list(violation.expected) if str(one).lower() == fields[name].lower()]
            fields[name] = alike[0] if len(alike) == 1 else fields[name]
        case _:
            pass


def _as_type(value: Any, expected: Any) -> Any:
    """The same value as another type, where that is only another way to write it."""
    kinds = [expected] if isinstance(expected, str) else as_strings(list(cast("Any", expected or ())))
    said: Any = _spelt_out(value) if isinstance(value, str) and "string" not in kinds else value
    if "array" in kinds and type(said) not in (list, dict):
        return [said]
    items = as_list(said)
    return items[0] if "string" in kinds and len(items) == 1 and isinstance(items[0], str) else said


def _spelt_out(text: str) -> Any:
    """What a text is the JSON of; itself where it is of nothing."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
