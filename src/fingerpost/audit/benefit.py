"""The benefit of the doubt: what a reader makes of an error that gives no call to send, only what is wrong.

It still has no mind of its own. It takes a name that the error proposes, a type that it asks for and a choice that it
lists, where these leave one thing to do; it never sees the schema.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from fingerpost.audit.reader import corrected
from fingerpost.audit.shown import texts
from fingerpost.diagnosis import Call, Violation
from fingerpost.dialects import read
from fingerpost.untrusted import as_list, as_object, as_strings

_MEANT = re.compile(r"(?:did|do) you mean:?\s+(?:the\s+)?(?:\w+\s+)?[^\w\s]?([\w.\-/]+)", re.IGNORECASE)


def followed(reply: Mapping[str, Any], sent: Call) -> Call | None:
    """The call that a reply leads to: the one that it gives, or the one that was sent with what it names put right."""
    given = corrected(reply, sent)
    if given is not None or reply.get("isError") is not True:
        return given
    text = "\n".join(texts(reply))
    return next((call for call in (*_meant(text, sent), *_mended(text, sent)) if call != sent), None)


def _meant(text: str, sent: Call) -> Iterator[Call]:
    """`Did you mean 'pattern'?` beside a name that was sent."""
    found = _MEANT.search(text)
    if found is None:
        return
    meant, before = found[1].rstrip("."), text[: found.start()]
    fields = as_object(sent.arguments)
    for name, value in fields.items():
        if _stands(before, name):
            yield Call(sent.tool, {meant if key == name else key: one for key, one in fields.items()})
        elif isinstance(value, str) and _stands(before, value):
            yield Call(sent.tool, {**fields, name: meant})
    if _stands(before, sent.tool):
        yield Call(meant, sent.arguments)


def _stands(text: str, name: str) -> bool:
    return bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _mended(text: str, sent: Call) -> Iterator[Call]:
    """A value of another type or case than the error asks for, and names that it says are too many."""
    arguments = json.loads(json.dumps(sent.arguments))
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
    kinds = [expected] if isinstance(expected, str) else as_strings(list(expected) if expected else [])
    said: Any = _spelt_out(value) if isinstance(value, str) and "string" not in kinds else value
    if "array" in kinds and type(said) not in (list, dict):
        return [said]
    items = as_list(said)
    return items[0] if "string" in kinds and len(items) == 1 and isinstance(items[0], str) else said


def _spelt_out(text: str) -> Any:
    """What a text is the JSON of; itself where it is of nothing."""
    try:
        return json.loads(text)
    except ValueError:
        return text
