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


@dataclass(frozen=True, slots=True)
class Print:
    """A reply, small enough to be kept: of each block what it says, and what it says but for what changes by itself."""

    is_error: bool
    blocks: tuple[str, ...]
    masked: tuple[str, ...]

    @classmethod
    def of(cls, reply: Mapping[str, Any]) -> Print:
        blocks = [_said(block) for block in as_list(reply.get("content"))]
        return cls(
            is_error=reply.get("isError") is True,
            blocks=tuple(_digest(block) for block in blocks),
            masked=tuple(_digest(_CHANGING.sub("#", block)) for block in blocks),
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
        if any(said.is_error == one.is_error and _begins(one.blocks, said.blocks, said) for said in self._both):
            return True
        if self.first.blocks == self.second.blocks and not self.is_error:
            return False
        if any(said.is_error == one.is_error and _begins(one.masked, said.masked, said) for said in self._both):
            return True
        never_the_same = not _begins(self.second.masked, self.first.masked, self.first)
        return never_the_same and one.is_error == self.first.is_error == self.second.is_error

    @property
    def _both(self) -> tuple[Print, Print]:
        return self.first, self.second


def _begins(blocks: tuple[str, ...], said: tuple[str, ...], one: Print) -> bool:
    """Of an error only what stands first counts: how it goes on depends on how often it was made."""
    count = 1 if one.is_error else len(said)
    return blocks[:count] == said[:count]


def added(reply: Mapping[str, Any], *known: Expected | None) -> list[str]:
    """The text blocks of a reply that are not among those of replies to right calls."""
    usual = {block for one in known if one is not None for said in (one.first, one.second) for block in said.masked}
    blocks = [as_object(block) for block in as_list(reply.get("content"))]
    new = [block for block in blocks if _digest(_CHANGING.sub("#", _said(block))) not in usual]
    return [block["text"] for block in new if isinstance(block.get("text"), str)]


def _said(block: Any) -> str:
    return json.dumps(block, sort_keys=True)


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=12).hexdigest()
