"""Whether two replies say the same, for servers whose answers tell the time as well as for those that do not."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from fingerpost.untrusted import as_list, as_object

_CHANGING = re.compile(r"\b[0-9a-f]{8}[-0-9a-f]*\b|\d+")
"""What differs from one moment to the next: numbers, ids."""
_MOST_LINES = 40


@dataclass(frozen=True, slots=True)
class Print:
    """A reply, small enough to be kept: of each block what it says, and what it says but for what changes by itself."""

    is_error: bool
    blocks: tuple[str, ...]
    masked: tuple[str, ...]
    lines: frozenset[str]
    """Of an error the lines of the first block: what else is said may depend on how often it was made."""

    @classmethod
    def of(cls, reply: Mapping[str, Any]) -> Print:
        blocks = [_said(block) for block in as_list(reply.get("content"))]
        is_error = reply.get("isError") is True
        first = str(as_object(as_list(reply.get("content"))[0]).get("text")) if is_error and blocks else ""
        return cls(
            is_error=is_error,
            blocks=tuple(_digest(block) for block in blocks),
            masked=tuple(_masked(block) for block in blocks),
            lines=frozenset(_masked(line) for line in first.splitlines()[:_MOST_LINES]),
        )


@dataclass(frozen=True, slots=True)
class Expected:
    """What a right call is answered with: twice, for answers that are never the same prove nothing."""

    first: Print
    second: Print

    @property
    def is_error(self) -> bool:
        return self.second.is_error

    def is_met_by(self, reply: Mapping[str, Any]) -> bool:
        """Whether a reply says all that one of these says; it may say more."""
        one = Print.of(reply)
        alike = [said for said in (self.first, self.second) if said.is_error == one.is_error]
        if one.is_error:
            return any(said.lines <= one.lines for said in alike)
        if any(_begins(one.blocks, said.blocks) for said in alike):
            return True
        if self.first.blocks == self.second.blocks:
            return False
        if any(_begins(one.masked, said.masked) for said in alike):
            return True
        return len(alike) == 2 and not _begins(self.second.masked, self.first.masked)


def _begins(blocks: tuple[str, ...], said: tuple[str, ...]) -> bool:
    return blocks[: len(said)] == said


def added(reply: Mapping[str, Any], *known: Expected | None) -> list[str]:
    """The text blocks of a reply that are not among those of replies to right calls."""
    usual = {block for one in known if one is not None for said in (one.first, one.second) for block in said.masked}
    blocks = [as_object(block) for block in as_list(reply.get("content"))]
    new = [block for block in blocks if _masked(_said(block)) not in usual]
    return [block["text"] for block in new if isinstance(block.get("text"), str)]


def _said(block: Any) -> str:
    return json.dumps(block, sort_keys=True)


def _masked(text: str) -> str:
    return _digest(_CHANGING.sub("#", text))


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=12).hexdigest()
