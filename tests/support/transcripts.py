"""Read transcripts of tool calls from a README, to test them: a line `> ` with a call, then the expected reply.

    > convert(value: 1, from_unit: "kilgoram", to_unit: "kg")
    Unknown unit "kilgoram".
    Corrected call: convert(value: 1, from_unit: "kilogram", to_unit: "kg")

In the reply, a line `…` matches any lines, and `…` inside a line matches any text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_FENCE = re.compile(r"^```transcript\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"\s*([^\s():,]+)\s*")


def read_transcripts(page: Path) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Tool, arguments and expected reply of each call on a page, in order."""
    for fence in _FENCE.findall(page.read_text(encoding="utf-8")):
        for turn in re.split(r"^> ", fence, flags=re.MULTILINE)[1:]:
            line, _, expected = turn.partition("\n")
            yield *parse_call(line), expected.strip()


def parse_call(line: str) -> tuple[str, dict[str, Any]]:
    """Parse a call written in one line: `name(key: JSON, …)`."""
    name, _, rest = line.strip().partition("(")
    arguments, decoder = dict[str, Any](), json.JSONDecoder()
    rest = rest.strip().removesuffix(")")
    while rest:
        key = _NAME.match(rest)
        assert key is not None and rest[key.end()] == ":", line
        value = rest[key.end() + 1 :].lstrip()
        arguments[key[1]], end = decoder.raw_decode(value)
        rest = value[end:].lstrip().removeprefix(",")
    return name, arguments


def matches_transcript(reply: str, expected: str) -> bool:
    """Whether a reply matches the expected one, in which `…` matches anything."""
    lines = [r"(?:.*\n)*?.*" if line == "…" else re.escape(line).replace("…", ".*") for line in expected.splitlines()]
    return re.fullmatch("\n".join(lines), reply.strip()) is not None
