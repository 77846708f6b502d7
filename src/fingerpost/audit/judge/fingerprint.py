"""Fingerprints of replies: hashes that are small enough to keep, and that compare with or without volatile parts."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from fingerpost.engine.safety.json_input import as_list, as_object

_VOLATILE = re.compile(r"\b[0-9a-f]{8}[-0-9a-f]*\b|\d+")
"""Numbers and ids, which differ from one moment to the next."""
_MAX_LINES, _MAX_BLOCK = 40, 20_000


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Hashes of the blocks and lines of a reply, plain and with the volatile parts masked."""

    is_error: bool
    blocks: tuple[int, ...]
    masked_blocks: tuple[int, ...]
    lines: frozenset[int]
    """Only those of the first block if it is an error: later blocks may depend on how often it was made."""
    masked_lines: frozenset[int]

    @classmethod
    def of(cls, result: Mapping[str, Any]) -> Fingerprint:
        is_error, content = result.get("isError") is True, as_list(result.get("content"))
        blocks, lines = [_canonical_json(block) for block in content], text_lines(content[:1] if is_error else content)
        return cls(
            is_error=is_error,
            blocks=tuple(map(_digest, blocks)),
            masked_blocks=tuple(map(stable_digest, blocks)),
            lines=frozenset(map(_digest, lines)),
            masked_lines=frozenset(map(stable_digest, lines)),
        )

    @property
    def is_empty(self) -> bool:
        return not self.lines and not self.blocks


def text_lines(content: list[Any]) -> list[str]:
    """The first non-empty lines of all text blocks."""
    blocks = [as_object(block).get("text") for block in content[:_MAX_LINES]]
    lines = [line for text in blocks if isinstance(text, str) for line in text[:_MAX_BLOCK].splitlines()]
    return [line for line in lines if line.strip()][:_MAX_LINES]


def stable_block_digest(block: Any) -> int:
    return stable_digest(_canonical_json(block))


def _canonical_json(block: Any) -> str:
    return json.dumps(block, sort_keys=True)


def stable_digest(text: str) -> int:
    """A hash of a text without its volatile parts."""
    return _digest(_VOLATILE.sub("#", text))


def _digest(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest())
