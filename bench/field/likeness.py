"""Compare a reply behind the proxy with the replies of two direct runs.

The run behind the proxy lies between the two direct ones: what both saw unchanged, such as a clock, was unchanged in
between. What differs between the direct runs varies by itself and cannot be compared.
"""

from __future__ import annotations

import json
import re
from enum import StrEnum
from typing import Any, cast

from fingerpost import KEY
from fingerpost.engine.safety.json_input import as_list, as_object

_TOKEN = re.compile(rb"[0-9A-Za-z]+|[^0-9A-Za-z]")


class Likeness(StrEnum):
    """How a reply behind the proxy compares with the direct ones."""

    IDENTICAL = "identical"
    """Byte for byte."""
    VARYING = "varying"
    """The direct replies differ too; what they have in common is the same behind the proxy."""
    KEPT = "kept"
    """A failure, with guidance added to it and nothing else changed."""
    DIFFERENT = "different"


def compare(direct: bytes, behind: bytes, again: bytes) -> Likeness:
    """Compare a reply behind the proxy with the one before it and the one after it."""
    if behind in (direct, again):
        return Likeness.IDENTICAL
    if _fits(direct, behind, again):
        return Likeness.VARYING
    first, guided, second = (_parse(reply) for reply in (direct, behind, again))
    if _is_guided_failure(guided):
        bare = _without_guidance(guided, first)
        if _fits(*(json.dumps(one, sort_keys=True).encode() for one in (first, bare, second))):
            return Likeness.KEPT
    return Likeness.DIFFERENT


def _fits(direct: bytes, behind: bytes, again: bytes) -> bool:
    """Whether a text has all that two others have in common."""
    if direct == again:
        return behind == direct
    tokens, others, between = (_TOKEN.findall(text) for text in (direct, again, behind))
    if len(tokens) == len(others):
        return len(between) == len(tokens) and all(
            one == middle for one, other, middle in zip(tokens, others, between, strict=True) if one == other
        )
    shapes = [_shape(_parse(text)) for text in (direct, again, behind)]
    return shapes[0] != shapes[1] or shapes[2] == shapes[0]


def _parse(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _shape(value: Any) -> Any:
    """The names and types in a value, without its texts and numbers."""
    if isinstance(value, dict):
        return {name: _shape(one) for name, one in cast("dict[str, Any]", value).items()}
    return [_shape(one) for one in as_list(value)] if isinstance(value, list) else type(value).__name__


def _is_guided_failure(reply: Any) -> bool:
    frame = as_object(reply)
    guidance = as_object(as_object(frame.get("result")).get("_meta")).get(KEY)
    data = as_object(as_object(frame.get("error")).get("data")).get(KEY)
    return any("error" in as_object(one) for one in (guidance, data))


def _without_guidance(reply: Any, direct: Any) -> Any:
    """A failed reply without what the documentation says the proxy adds: our key, and text blocks at the end."""
    bare: dict[str, Any] = json.loads(json.dumps(reply))
    for part, holder in (("result", "_meta"), ("error", "data")):
        held = as_object(as_object(bare.get(part)).get(holder))
        if KEY in held:
            del held[KEY]
            if not held and holder not in as_object(as_object(direct).get(part)):
                del bare[part][holder]
    count = len(as_list(as_object(as_object(direct).get("result")).get("content")))
    blocks = as_list(as_object(bare.get("result")).get("content"))
    if all(as_object(block).get("type") == "text" for block in blocks[count:]):
        del blocks[count:]
    return bare
