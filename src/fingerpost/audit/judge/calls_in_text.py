"""Calls that stand in a text, however they are written: as JSON, as in Python, as in JavaScript, in a fence or not.

A call is only taken where it is written out in full and is another than the one that was sent: an echo is no advice,
and nor is a line of usage with places to fill in. Where different calls are offered, nothing is clear, and none is
taken.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from fingerpost.audit.judge.literals import Unread, fields_at, object_at
from fingerpost.engine.model import Call
from fingerpost.engine.safety.json_input import as_list, as_object

_MOST_PLACES, _NEAR = 500, 60
_PLACE = re.compile(r"(?<!\w)(\w[\w.\-/:]{0,127})\(|\{")
_CUE = (
    "use|using|call|send|try|retry|pass|provide|instead|correct|corrected|(?:should|must) (?:be|read|look)|meant"
    "|sende|senden|nutze|verwende|verwenden|versuche|stattdessen|utilisez|essayez|envoyez|utilice|intente|envíe"
)
_CAME = r"got|received|gave|given|sent|was|were|not|found|input|input_value|instead of|rather than"
_LED_TO = re.compile(rf"\b(?:({_CAME})|(?:{_CUE}))\b", re.IGNORECASE)
_FOLLOWED_BY = re.compile(
    r"\W{0,8}(?:instead|(?:please )?(?:use|call|send|try|retry|pass)|is (?:correct|right)|stattdessen)\b", re.IGNORECASE
)
_NO_ADVICE = re.compile(
    r"(?:\b(?:examples?|usage|syntax|signature|such as|exemple|beispiel|got|received|you (?:sent|gave|called)"
    r"|instead of|rather than|not)|e\.g\.|z\. ?b\.)\W{0,4}(?:(?:call|use|send)\s+)?$",
    re.IGNORECASE,
)
_TO_FILL = re.compile(
    r"<.*>|\$?\{.*\}|.*…|\.{2,}|string|str|text|integer|int|number|float|boolean|bool|array|list|object|value|x{3,}"
    r"|your[ _-].*",
    re.IGNORECASE | re.DOTALL,
)
_TOOL_KEYS, _ARGUMENT_KEYS = ("name", "tool", "tool_name"), ("arguments", "args", "params", "parameters", "input")


def offered(text: str, sent: Call) -> Call | None:
    """The one call with arguments that a text offers in the place of the one that was sent."""
    return _only(call for call in _calls(text, sent) if call.arguments)


def bare(text: str, sent: Call) -> Call | None:
    """The same without arguments, which a text may also name in passing: to be asked last."""
    return _only(call for call in _calls(text, sent) if not call.arguments)


def is_same(one: Call, other: Call) -> bool:
    """Whether two calls are the same in JSON, where `true` is not `1`."""
    return one == other and _written(one.arguments) == _written(other.arguments)


def _only(calls: Iterable[Call]) -> Call | None:
    different = {(call.tool, _written(call.arguments)): call for call in calls}
    return next(iter(different.values())) if len(different) == 1 else None


def _calls(text: str, sent: Call) -> Iterator[Call]:
    at = 0
    for _ in range(_MOST_PLACES):
        place = _PLACE.search(text, at)
        if place is None:
            return
        try:
            call, at = _call_at(text, place, sent)
        except Unread:
            at = place.end() + text.startswith("{", place.end())  # what stands in brackets is no object by itself
            continue
        if call is not None and _is_meant_for(call, sent) and not is_same(call, sent) and not _has_gaps(call, sent):
            yield call


def _call_at(text: str, place: re.Match[str], sent: Call) -> tuple[Call | None, int]:
    """The call at a place, where the words around it offer one, and where it ends."""
    before = text[max(0, place.start() - _NEAR) : place.start()]
    if tool := place[1]:
        arguments, end = _in_brackets(text, place.end())
        is_advice = not _NO_ADVICE.search(before) and (bool(arguments) or _is_led_to(before) is True)
        return (Call(tool, arguments) if is_advice else None), end
    said, end = object_at(text, place.start())
    if _NO_ADVICE.search(before):
        return None, end
    said = as_object(said.get("params")) if said.get("method") == "tools/call" else said
    named, inner = _either(said, _TOOL_KEYS, str), _either(said, _ARGUMENT_KEYS, dict)
    if named and inner is not None and not said.keys() & as_object(sent.arguments).keys():
        return Call(named, inner), end
    is_led_to = _is_led_to(before)
    if is_led_to is None:
        is_led_to = before.rstrip(" `'\":").endswith(sent.tool) or _FOLLOWED_BY.match(text, end) is not None
    if not is_led_to:
        return None, end
    return Call(sent.tool, inner if inner is not None and len(said) == 1 else said), end


def _in_brackets(text: str, at: int) -> tuple[dict[str, Any], int]:
    if text[at : at + 1] != "{":
        return fields_at(text, at, ")")
    arguments, end = object_at(text, at)
    rest = text[end : end + 8].lstrip()
    if not rest.startswith(")"):
        raise Unread
    return arguments, text.index(")", end) + 1


def _is_led_to(before: str) -> bool | None:
    """Whether the last word before a call says to send it, or that it came; none where there is no such word."""
    words = list(_LED_TO.finditer(before))
    return not words[-1][1] if words else None


def _either(said: dict[str, Any], keys: Iterable[str], kind: type) -> Any:
    return next((said[key] for key in keys if isinstance(said.get(key), kind)), None)


def _is_meant_for(call: Call, sent: Call) -> bool:
    """Whether it is the same tool with other arguments or the reverse, and not something else to do."""
    return call.tool == sent.tool or (bool(call.arguments) and call.arguments == sent.arguments)


def _has_gaps(call: Call, sent: Call) -> bool:
    """Whether a value is a place to fill in, unless it was sent so."""
    known = _written(sent.arguments)
    return any(_TO_FILL.fullmatch(text) and text not in known for text in _strings(call.arguments))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for one in (*as_list(value), *as_object(value).values()):
        yield from _strings(one)


def _written(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
