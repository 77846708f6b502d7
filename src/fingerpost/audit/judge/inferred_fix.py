"""Infer the corrected call from an error that gives none, as a simple client could.

It applies a name that the error proposes, a type that it asks for or a choice that it lists, if these leave one
possible fix. It never sees the schema.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, cast

from fingerpost.audit.judge.calls_in_text import find_bare_call, find_offered_call, is_same_call
from fingerpost.audit.judge.follow_error import read_corrected_call
from fingerpost.audit.judge.reply import Reply
from fingerpost.audit.judge.wording import clip
from fingerpost.engine.dialects import read
from fingerpost.engine.matching import closest
from fingerpost.engine.model import Call, Violation
from fingerpost.engine.safety.json_input import as_list, as_object, as_strings

_QUOTES = "'\"`\u2018\u2019\u201c\u201d\u00ab\u00bb"
_NAME = rf"(?<!\w)[{_QUOTES}]?([\w$][\w.\-/$]{{0,127}})[{_QUOTES}]?"
_NOT_A_NAME = r"(?:got|received|found|not|but|you|which|for)\b"
_NOUN = (
    r"(?:tool|param(?:eter)?|argument|field|name|option|value|property|key|function|command|choice|match|spelling)s?"
)
_SUGGESTION = re.compile(
    r"(?:\b(?:did|do) you (?:perhaps |maybe )?mean\b|\b(?:perhaps|maybe|probably) (?:you )?(?:meant?|want(?:ed)?)\b"
    r"|\byou (?:probably |perhaps |may have |might have )?(?:meant|wanted)\b"
    rf"|\b(?:nearest|closest|(?:most )?similar)(?: (?:known|valid))?(?: {_NOUN})?(?: (?:is|are|would be)\b)?"
    rf"|(?<!not )\b(?:known|valid|allowed|accepted|permitted|available|supported)(?: {_NOUN})?(?: (?:is|are)\b|(?=:))"
    rf"|\bexpected(?=:? [{_QUOTES}]))"
    r"\s{0,3}:?\s{0,3}(?:to (?:use|call|send|pass|say|write) )?(?:(?:one|any) of\b:?\s{0,3})?(?:the )?"
    rf"(?:{_NOUN}:? )?"
    rf"(?P<names>\[?{_NAME}(?:(?:\s?[,|]|,? (?:or|and))\s{{0,3}}(?!{_NOT_A_NAME}){_NAME}){{0,20}})",
    re.IGNORECASE,
)
"""Words such as `did you mean`, and the names that they offer."""
_EACH_NAME = re.compile(rf"(?!(?:or|and)\b){_NAME}", re.IGNORECASE)
_SWAPS = (
    re.compile(rf"\b(?:rename|change|replace|correct) (?:the )?(?:{_NOUN} )?{_NAME} (?:to|with|by|into) {_NAME}", re.I),
    re.compile(rf"{_NAME} (?:was|is|has been) (?:re)?named (?:to )?{_NAME}", re.I),
    re.compile(rf"{_NAME} ?(?:→|->|=>) ?{_NAME}"),
)
"""The wrong name first, then the right one."""
_INSTEAD_OF = re.compile(rf"{_NAME} (?:instead|in place) of (?:the )?(?:{_NOUN} )?{_NAME}", re.I)
_INSTEAD = re.compile(rf"\b(?:use|try|call|pass|send) (?:the )?(?:{_NOUN} )?{_NAME} instead\b(?! of)", re.I)
_WANTS_OBJECT = re.compile(r"\b(?:object|dict|dictionary|mapping)\b", re.I)
_GENERIC_WORD = re.compile(
    r"an?|the|this|that|it|them|one|each|(?:an)?other|something|else|of|to|instead|string|integer|number|boolean|array"
    r"|object|list|int|str|bool|float|null|none|undefined|value",
    re.IGNORECASE,
)


def infer_fix(reply: Reply, sent: Call) -> Call | None:
    """The call that a reply leads to: the one that it gives, or the sent one with the named fix applied."""
    given = read_corrected_call(reply.result, sent)
    if given is not None or not reply.is_error:
        return given
    text = clip(reply.text)
    return next((call for call in _readings(text, sent) if call is not None and not is_same_call(call, sent)), None)


def _readings(text: str, sent: Call) -> Iterator[Call | None]:
    """The fixes that a text may suggest, the clearest first."""
    yield find_offered_call(text, sent)
    yield from _calls_after_swap(text, sent)
    yield from _calls_after_suggestion(text, sent)
    yield from _calls_after_violations(text, sent)
    yield find_bare_call(text, sent)


def _calls_after_swap(text: str, sent: Call) -> Iterator[Call]:
    """Apply `rename 'patern' to 'pattern'`, which gives both names."""
    pairs = [(found[1], found[2]) for swap in _SWAPS for found in _first_matches(swap, text)]
    pairs += [(found[2], found[1]) for found in _first_matches(_INSTEAD_OF, text)]
    for wrong, right in pairs:
        yield from _replace_name(sent, wrong.rstrip("."), right.rstrip("."), wrong)


def _calls_after_suggestion(text: str, sent: Call) -> Iterator[Call]:
    """Apply `Did you mean 'pattern'?` to the sent name that resembles it, or to the last one mentioned before."""
    for found in _first_matches(_SUGGESTION, text):
        names = {name.rstrip(".") for name in _EACH_NAME.findall(found["names"])}
        if len(names) == 1:
            received = text[found.end() : found.end() + 60] if found[0].lower().startswith("expected") else ""
            yield from _replace_name(sent, None, names.pop(), text[: found.start()] + received)
    for found in _first_matches(_INSTEAD, text):
        yield from _replace_name(sent, None, found[1].rstrip("."), text[: found.start()])


def _first_matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The first 20 matches; a text with more of them offers nothing clear."""
    return islice(pattern.finditer(text), 20)


def _replace_name(sent: Call, wrong: str | None, right: str, before: str) -> Iterator[Call]:
    """Replace the name of the tool, a parameter or a value, whichever the text before mentions."""
    if _GENERIC_WORD.fullmatch(right):
        return
    fields = as_object(sent.arguments)
    options = [(_last_position(before, sent.tool), sent.tool, Call(right, sent.arguments))]
    for name, value in fields.items():
        if right not in fields:
            renamed = {right if key == name else key: one for key, one in fields.items()}
            options.append((_last_position(before, name), name, Call(sent.tool, renamed)))
        if isinstance(value, str):
            options.append((_last_position(before, value), value, Call(sent.tool, {**fields, name: right})))
    mentioned = [option for option in options if option[0] >= 0 and wrong in (None, option[1])]
    similar = {match.name for match in closest(right, [option[1] for option in mentioned])[:1]}
    if mentioned:
        yield max(mentioned, key=lambda option: (option[1] in similar, option[0]))[2]


def _last_position(text: str, name: str) -> int:
    """The last position of a name in a text; -1 if it is not there."""
    if not name or len(name) > 200 or name not in text:
        return -1
    return max((found.start() for found in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text)), default=-1)


def _calls_after_violations(text: str, sent: Call) -> Iterator[Call]:
    """Convert values to the type or choice that the error asks for, and drop the names that it rejects."""
    arguments = json.loads(json.dumps(sent.arguments))
    if isinstance(arguments, str) and _WANTS_OBJECT.search(text):
        arguments = _parse_json_text(arguments)
    if not isinstance(arguments, dict):
        return
    fields = cast("dict[str, Any]", arguments)
    for violation in read(text):
        _fix_violation(fields, violation)
    yield Call(sent.tool, fields)


def _fix_violation(fields: dict[str, Any], violation: Violation) -> None:
    name = violation.at[0] if len(violation.at) == 1 else None
    match violation.keyword:
        case "additionalProperties" | "unevaluatedProperties":
            for stray in as_strings(violation.expected) or [str(violation.expected)]:
                fields.pop(stray, None)
        case "type" if isinstance(name, str) and name in fields:
            if fields[name] is None:
                del fields[name]
            else:
                fields[name] = _convert(fields[name], violation.expected)
        case "enum" if isinstance(name, str) and isinstance(fields.get(name), str):
            same = [one for one in as_list(violation.expected) if str(one).lower() == fields[name].lower()]
            fields[name] = same[0] if len(same) == 1 else fields[name]
        case _:
            pass


def _convert(value: Any, expected: Any) -> Any:
    """Convert a value to the expected type, if that only changes how it is written."""
    kinds = [expected] if isinstance(expected, str) else as_strings(list(cast("Any", expected or ())))
    parsed: Any = _parse_json_text(value) if isinstance(value, str) and "string" not in kinds else value
    if "array" in kinds and type(parsed) not in (list, dict):
        return [parsed]
    items = as_list(parsed)
    return items[0] if "string" in kinds and len(items) == 1 and isinstance(items[0], str) else parsed


def _parse_json_text(text: str) -> Any:
    """Parse a text as JSON; return the text itself if it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
