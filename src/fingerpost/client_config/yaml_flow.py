"""Read lists in the flow style of YAML, `[a, "b", 'c']`, with positions; nothing but texts may be in them."""

from __future__ import annotations

import re
from typing import NamedTuple

_INSIDE = r"[^\s,\[\]{}]"
"""What a text without quotes goes on with: here, other than in block style, neither commas nor brackets."""
_ITEM = re.compile(
    r'"(?:[^"\\\n]|\\[^\n])*"' + r"|'(?:[^'\n]|'')*'"
    rf"|(?:[^\s&*!|>%@`\"'\[\]{{}},#?:-]|[-?:](?={_INSIDE}))"
    rf"(?:[^\s,\[\]{{}}#:]|:(?={_INSIDE})|(?<=\S)#|[ ]+(?=[^\s,\[\]{{}}#:]))*"
)
_GAP = re.compile(r"(?:\s|(?<=\s)#[^\n]*)*+")
_END = re.compile(r"\][ ]*(?:[ ]#.*)?\Z")


class FlowList(NamedTuple):
    """Where the items of a list begin and end, and where the list ends."""

    items: tuple[tuple[int, int], ...]
    end: int


def read_flow_list(source: str) -> FlowList | None:
    """Read a list that begins at `[`, on one line or several; none if it has other items than texts of one line."""
    items: list[tuple[int, int]] = []
    position = _skip_gap(source, 1)
    while not (end := _END.match(source, position)):
        item = _ITEM.match(source, position)
        if not item:
            return None
        items.append(item.span())
        position = _skip_gap(source, item.end())
        if source[position : position + 1] == ",":
            position = _skip_gap(source, position + 1)
        elif source[position : position + 1] != "]":
            return None
    return FlowList(tuple(items), end.start() + 1)


def _skip_gap(source: str, position: int) -> int:
    found = _GAP.match(source, position)
    return found.end() if found else position


def is_flow_item(source: str) -> bool:
    """Whether a text that is written in block style means the same in a list in flow style."""
    return _ITEM.fullmatch(source) is not None
