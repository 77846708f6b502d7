"""Whether two replies say the same, for servers whose answers tell the time as well as for those that do not."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from fingerpost.engine.safety.json_input import as_list, as_object

_CHANGING = re.compile(r"\b[0-9a-f]{8}[-0-9a-f]*\b|\d+")
"""What differs from one moment to the next: numbers, ids."""
_MOST_LINES, _LONGEST = 40, 20_000


@dataclass(frozen=True, slots=True)
class Print:
    """A reply, small enough to be kept: what each block and line says, with and without what changes by itself."""

    is_error: bool
    blocks: tuple[int, ...]
    masked: tuple[int, ...]
    lines: frozenset[int]
    """Of an error those of the first block: how it goes on depends on how often it was made."""
    masked_lines: frozenset[int]

    @classmethod
    def of(cls, reply: Mapping[str, Any]) -> Print:
        is_error, content = reply.get("isError") is True, as_list(reply.get("content"))
        blocks, lines = [_said(block) for block in content], _lines(content[:1] if is_error else content)
        return cls(
            is_error=is_error,
            blocks=tuple(_digest(block) for block in blocks),
            masked=tuple(_masked(block) for block in blocks),
            lines=frozenset(map(_digest, lines)),
            masked_lines=frozenset(map(_masked, lines)),
        )


@dataclass(frozen=True, slots=True)
class Expected:
    """What a right call is answered with: twice, for answers that are never the same prove nothing."""

    first: Print
    second: Print

    @property
    def is_error(self) -> bool:
        return self.second.is_error

    @property
    def is_telling(self) -> bool:
        """Whether it can be told from another answer: there is something in it, and the same each time."""
        both = (self.first, self.second)
        return all(one.lines or one.blocks for one in both) and (
            self.first.is_error != self.second.is_error or self.first.masked == self.second.masked or self.is_error
        )

    def is_met_by(self, reply: Mapping[str, Any]) -> bool:
        """Whether a reply says all that one of these says; it may say more."""
        return self.is_said_in(Print.of(reply))

    def is_said_in(self, one: Print) -> bool:
        """The same of a reply of which only this is kept."""
        changes = self.first.lines != self.second.lines
        alike = [said for said in (self.first, self.second) if said.is_error == one.is_error]
        if one.is_error:
            return any(
                bool(said.lines) and (said.lines <= one.lines or (changes and said.masked_lines <= one.masked_lines))
                for said in alike
            )
        return any(
            bool(said.blocks) and (_begins(one.blocks, said.blocks) or (changes and _begins(one.masked, said.masked)))
            for said in alike
        )

    def is_cut_in(self, reply: Mapping[str, Any]) -> bool:
        """Whether a reply is a part of this one, line by line or block by block."""
        one = Print.of(reply)
        return one.lines < self.second.lines or (bool(one.blocks) and _begins(self.second.blocks[:-1], one.blocks))


def _begins(blocks: tuple[int, ...], said: tuple[int, ...]) -> bool:
    return blocks[: len(said)] == said


def added(reply: Mapping[str, Any], *known: Expected | None) -> list[str]:
    """The text blocks of a reply that are not among those of replies to right calls."""
    usual = {block for said in _prints(known) for block in said.masked}
    blocks = [as_object(block) for block in as_list(reply.get("content"))]
    new = [block for block in blocks if _masked(_said(block)) not in usual]
    return [block["text"] for block in new if isinstance(block.get("text"), str)]


def added_lines(reply: Mapping[str, Any], *known: Expected | None) -> str:
    """The lines of a reply that are not among those of replies to right calls."""
    usual = {line for said in _prints(known) for line in said.masked_lines}
    return "\n".join(line for line in _lines(as_list(reply.get("content"))) if _masked(line) not in usual)


def _prints(known: tuple[Expected | None, ...]) -> Iterator[Print]:
    for one in known:
        if one is not None:
            yield from (one.first, one.second)


def _lines(content: list[Any]) -> list[str]:
    """The first lines of all text."""
    said = [as_object(block).get("text") for block in content[:_MOST_LINES]]
    lines = [line for text in said if isinstance(text, str) for line in text[:_LONGEST].splitlines()]
    return [line for line in lines if line.strip()][:_MOST_LINES]


def _said(block: Any) -> str:
    return json.dumps(block, sort_keys=True)


def _masked(text: str) -> int:
    return _digest(_CHANGING.sub("#", text))


def _digest(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest())
