"""Find calls in a text, written as JSON, Python or JavaScript, in a code fence or not.

A call counts only if it is complete and differs from the one that was sent: an echo is no advice, and neither is a
usage line with placeholders. If a text offers different calls, none counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from fingerpost.audit.judge.literals import NotALiteral, read_fields, read_object
from fingerpost.engine.model import Call
from fingerpost.engine.safety.json_input import as_list, as_object

_MAX_PLACES, _CONTEXT = 500, 60
_PLACE = re.compile(r"(?<!\w)(\w[\w.\-/:]{0,127})\(|\{")
_ADVICE_WORDS = (
    "use|using|call|send|try|retry|pass|provide|instead|correct|corrected|(?:should|must) (?:be|read|look)|meant"
    "|sende|senden|nutze|verwende|verwenden|versuche|stattdessen|utilisez|essayez|envoyez|utilice|intente|envíe"
)
_ECHO_WORDS = r"got|received|gave|given|sent|was|were|not|found|input|input_value|instead of|rather than"
_CUE = re.compile(rf"\b(?:({_ECHO_WORDS})|(?:{_ADVICE_WORDS}))\b", re.IGNORECASE)
_ADVICE_AFTER = re.compile(
    r"\W{0,8}(?:instead|(?:please )?(?:use|call|send|try|retry|pass)|is (?:correct|right)|stattdessen)\b", re.IGNORECASE
)
_NO_ADVICE = re.compile(
    r"(?:\b(?:examples?|usage|syntax|signature|such as|exemple|beispiel|got|received|you (?:sent|gave|called)"
    r"|instead of|rather than|not)|e\.g\.|z\. ?b\.)\W{0,4}(?:(?:call|use|send)\s+)?$",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"<.*>|\$?\{.*\}|.*…|\.{2,}|string|str|text|integer|int|number|float|boolean|bool|array|list|object|value|x{3,}"
    r"|your[ _-].*",
    re.IGNORECASE | re.DOTALL,
)
_TOOL_KEYS, _ARGUMENT_KEYS = ("name", "tool", "tool_name"), ("arguments", "args", "params", "parameters", "input")


def find_offered_call(text: str, sent: Call) -> Call | None:
    """The one call with arguments that a text offers in place of the one that was sent."""
    return _single_call(call for call in _find_calls(text, sent) if call.arguments)


def find_bare_call(text: str, sent: Call) -> Call | None:
    """The same without arguments; weaker evidence, since a text may mention such a call in passing."""
    return _single_call(call for call in _find_calls(text, sent) if not call.arguments)


def is_same_call(one: Call, other: Call) -> bool:
    """Whether two calls are equal as JSON, where `true` is not `1`."""
    return one == other and _canonical_json(one.arguments) == _canonical_json(other.arguments)


def _single_call(calls: Iterable[Call]) -> Call | None:
    different = {(call.tool, _canonical_json(call.arguments)): call for call in calls}
    return next(iter(different.values())) if len(different) == 1 else None


def _find_calls(text: str, sent: Call) -> Iterator[Call]:
    at = 0
    for _ in range(_MAX_PLACES):
        place = _PLACE.search(text, at)
        if place is None:
            return
        try:
            call, at = _read_call(text, place, sent)
        except NotALiteral:
            at = place.end() + text.startswith("{", place.end())  # an object in brackets is the arguments of a call
            continue
        if (
            call is not None
            and _is_correction_of(call, sent)
            and not is_same_call(call, sent)
            and not _has_placeholders(call, sent)
        ):
            yield call


def _read_call(text: str, place: re.Match[str], sent: Call) -> tuple[Call | None, int]:
    """Read the call at a place, if the words around it recommend it, and return where it ends."""
    before = text[max(0, place.start() - _CONTEXT) : place.start()]
    if tool := place[1]:
        arguments, end = _read_arguments(text, place.end())
        is_advice = not _NO_ADVICE.search(before) and (bool(arguments) or _is_recommended(before) is True)
        return (Call(tool, arguments) if is_advice else None), end
    fields, end = read_object(text, place.start())
    if _NO_ADVICE.search(before):
        return None, end
    fields = as_object(fields.get("params")) if fields.get("method") == "tools/call" else fields
    tool, inner = _first_field(fields, _TOOL_KEYS, str), _first_field(fields, _ARGUMENT_KEYS, dict)
    if tool and inner is not None and not fields.keys() & as_object(sent.arguments).keys():
        return Call(tool, inner), end
    if not _recommends_arguments(text, before, end, sent.tool):
        return None, end
    return Call(sent.tool, inner if inner is not None and len(fields) == 1 else fields), end


def _recommends_arguments(text: str, before: str, end: int, tool: str) -> bool:
    """Whether the words around an object recommend it as the arguments of the tool."""
    is_recommended = _is_recommended(before)
    if is_recommended is not None:
        return is_recommended
    return before.rstrip(" `'\":").endswith(tool) or _ADVICE_AFTER.match(text, end) is not None


def _read_arguments(text: str, at: int) -> tuple[dict[str, Any], int]:
    if text[at : at + 1] != "{":
        return read_fields(text, at, ")")
    arguments, end = read_object(text, at)
    rest = text[end : end + 8].lstrip()
    if not rest.startswith(")"):
        raise NotALiteral
    return arguments, text.index(")", end) + 1


def _is_recommended(before: str) -> bool | None:
    """Whether the last cue before a call says to send it, or that it was received; none if there is no cue."""
    words = list(_CUE.finditer(before))
    return not words[-1][1] if words else None


def _first_field(fields: dict[str, Any], keys: Iterable[str], kind: type) -> Any:
    return next((fields[key] for key in keys if isinstance(fields.get(key), kind)), None)


def _is_correction_of(call: Call, sent: Call) -> bool:
    """Whether either the tool or the arguments are those that were sent; other calls are other advice."""
    return call.tool == sent.tool or (bool(call.arguments) and call.arguments == sent.arguments)


def _has_placeholders(call: Call, sent: Call) -> bool:
    """Whether a value is a placeholder that was not sent."""
    known = _canonical_json(sent.arguments)
    return any(_PLACEHOLDER.fullmatch(text) and text not in known for text in _strings(call.arguments))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for one in (*as_list(value), *as_object(value).values()):
        yield from _strings(one)


def _canonical_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
