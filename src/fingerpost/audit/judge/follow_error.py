"""Read the corrected call that a reply gives, in our guidance or in its text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from fingerpost.audit.judge.wording import clip
from fingerpost.engine.model import KEY, Call, value_at
from fingerpost.engine.safety.json_input import as_list, as_object

_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
_CALL_LINE = re.compile(r"(?:Corrected call|Try|Send instead): ([\w.\-/:]+)\((.*)\)\s*$", re.MULTILINE)
_KEY = re.compile(r"\s*(?:\"((?:[^\"\\]|\\.)*)\"|([^\s\":,(){}]+))\s*:\s*")


def read_corrected_call(reply: Mapping[str, Any], sent: Call) -> Call | None:
    """The call that a reply says to send instead; none if it has placeholders or is incomplete."""
    guidance = as_object(as_object(reply.get("_meta")).get(KEY))
    corrected = as_object(as_object(guidance.get("error", guidance)).get("corrected_call"))
    if not corrected:
        return _call_in_text(reply)
    if (
        corrected.get("when_filled", corrected.get("applicability")) == "has_placeholders"
        or "arguments" not in corrected
    ):
        return None
    try:
        arguments = json.loads(json.dumps(corrected["arguments"]))
        for at, origin in as_object(corrected.get("as_sent")).items():
            _set_at(arguments, _parse_path(at), value_at(sent.arguments, _parse_path(str(origin))))
    except (LookupError, RecursionError, TypeError, ValueError):  # it refers to a place that does not exist
        return None
    return Call(str(corrected.get("name")), arguments)


def _call_in_text(reply: Mapping[str, Any]) -> Call | None:
    """The call in the text, if every value in it is JSON."""
    for block in as_list(reply.get("content")):
        if found := _CALL_LINE.search(clip(str(as_object(block).get("text")))):
            arguments = _parse_arguments(found[2])
            return Call(found[1], arguments) if arguments is not None else None
    return None


def _parse_arguments(text: str) -> dict[str, Any] | None:
    arguments, decoder = dict[str, Any](), json.JSONDecoder()
    while text:
        key = _KEY.match(text)
        if key is None:
            return None
        try:
            value, end = decoder.raw_decode(text, key.end())
        except (ValueError, RecursionError):
            return None
        arguments[key[1] or key[2]] = value
        text = text[end:].lstrip().removeprefix(",").strip()
    return arguments


def _parse_path(place: str) -> tuple[str | int, ...]:
    return tuple(int(index) if index else name for name, index in _STEP.findall(place))


def _set_at(arguments: Any, at: tuple[str | int, ...], value: Any) -> None:
    for step in at[:-1]:
        arguments = arguments[step]
    arguments[at[-1]] = value
