"""Conversations with a server as its README shows them: a call on a line that begins with `> `, then what it earns.

    > convert(value: 1, from_unit: "kilgoram", to_unit: "kg")
    Unknown unit "kilgoram".
    Corrected call: convert(value: 1, from_unit: "kilogram", to_unit: "kg")

A line `…` in what is earned stands for any lines, and `…` inside a line for any text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_FENCE = re.compile(r"^```transcript\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"\s*([^\s():,]+)\s*")


def turns(page: Path) -> Iterator[tuple[str, dict[str, Any], str]]:
    """The tool, the arguments and the expected words of each call on a page, in order."""
    for fence in _FENCE.findall(page.read_text(encoding="utf-8")):
        for turn in re.split(r"^> ", fence, flags=re.MULTILINE)[1:]:
            line, _, expected = turn.partition("\n")
            yield *call_in(line), expected.strip()


def call_in(line: str) -> tuple[str, dict[str, Any]]:
    """A call as it is written in one line: `name(key: JSON, …)`."""
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


def is_as_shown(said: str, expected: str) -> bool:
    """Whether words are those of a page, with `…` for whatever may differ."""
    lines = [r"(?:.*\n)*?.*" if line == "…" else re.escape(line).replace("…", ".*") for line in expected.splitlines()]
    return re.fullmatch("\n".join(lines), said.strip()) is not None
