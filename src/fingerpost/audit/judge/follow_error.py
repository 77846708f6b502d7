"""A reader without a mind of its own: it does what an error says, and nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from fingerpost.audit.judge.wording import clipped
from fingerpost.engine.model import Call, value_at
from fingerpost.engine.replies.enrich import KEY
from fingerpost.engine.safety.json_input import as_list, as_object

_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
_WRITTEN = re.compile(r"(?:Corrected call|Try|Send instead): ([\w.\-/:]+)\((.*)\)\s*$", re.MULTILINE)
_KEY = re.compile(r"\s*(?:\"((?:[^\"\\]|\\.)*)\"|([^\s\":,(){}]+))\s*:\s*")


def corrected_call_in(reply: Mapping[str, Any], sent: Call) -> Call | None:
    """The call that a reply says to send instead; none where it leaves something open."""
    guidance = as_object(as_object(reply.get("_meta")).get(KEY))
    said = as_object(as_object(guidance.get("error", guidance)).get("corrected_call"))
    if not said:
        return _in_words(reply)
    if said.get("when_filled", said.get("applicability")) == "has_placeholders" or "arguments" not in said:
        return None
    try:
        arguments = json.loads(json.dumps(said["arguments"]))
        for at, origin in as_object(said.get("as_sent")).items():
            _put(arguments, _path(at), value_at(sent.arguments, _path(str(origin))))
    except (LookupError, RecursionError, TypeError, ValueError):  # it names a place that is not there
        return None
    return Call(str(said.get("name")), arguments)


def _in_words(reply: Mapping[str, Any]) -> Call | None:
    """The call that stands in the text, where every value in it is JSON."""
    for block in as_list(reply.get("content")):
        if found := _WRITTEN.search(clipped(str(as_object(block).get("text")))):
            arguments = _arguments(found[2])
            return Call(found[1], arguments) if arguments is not None else None
    return None


def _arguments(text: str) -> dict[str, Any] | None:
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


def _path(place: str) -> tuple[str | int, ...]:
    return tuple(int(index) if index else name for name, index in _STEP.findall(place))


def _put(arguments: Any, at: tuple[str | int, ...], value: Any) -> None:
    for step in at[:-1]:
        arguments = arguments[step]
    arguments[at[-1]] = value
