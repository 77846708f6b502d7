"""The reply to a right call, and how other replies compare with it, even if every reply contains the time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fingerpost.audit.judge.fingerprint import Fingerprint, stable_block_digest, stable_digest, text_lines
from fingerpost.audit.judge.reply import Reply
from fingerpost.engine.safety.json_input import as_list, as_object


@dataclass(frozen=True, slots=True)
class ExpectedReply:
    """The reply to a right call that was sent twice: replies that are never the same prove nothing."""

    first: Fingerprint
    second: Fingerprint

    @property
    def is_error(self) -> bool:
        return self.second.is_error

    @property
    def is_comparable(self) -> bool:
        """Whether other replies can be compared with it: it is not empty, and the same each time."""
        if self.first.is_empty or self.second.is_empty:
            return False
        is_other_kind = self.first.is_error != self.second.is_error
        return is_other_kind or self.first.masked_blocks == self.second.masked_blocks or self.is_error

    def matches(self, reply: Fingerprint) -> bool:
        """Whether a reply contains everything that one of the two contains; it may contain more."""
        is_volatile = self.first.lines != self.second.lines
        same_kind = [one for one in (self.first, self.second) if one.is_error == reply.is_error]
        contains = _contains_lines if reply.is_error else _starts_with_blocks
        return any(contains(reply, one, is_volatile) for one in same_kind)

    def is_cut_in(self, reply: Fingerprint) -> bool:
        """Whether a reply is only a part of this one, by lines or by blocks."""
        if reply.lines < self.second.lines:
            return True
        return bool(reply.blocks) and _starts_with(self.second.blocks[:-1], reply.blocks)


def _contains_lines(reply: Fingerprint, expected: Fingerprint, is_volatile: bool) -> bool:
    if not expected.lines:
        return False
    return expected.lines <= reply.lines or (is_volatile and expected.masked_lines <= reply.masked_lines)


def _starts_with_blocks(reply: Fingerprint, expected: Fingerprint, is_volatile: bool) -> bool:
    if not expected.blocks:
        return False
    return (
        _starts_with(reply.blocks, expected.blocks)
        or (is_volatile and _starts_with(reply.masked_blocks, expected.masked_blocks))
        or _has_more_in_last_block(reply, expected)
    )


def _has_more_in_last_block(reply: Fingerprint, expected: Fingerprint) -> bool:
    """Whether the last of several blocks has further lines, and all else is the same: notes may share a block."""
    same = expected.blocks[:-1]
    return bool(same) and _starts_with(reply.blocks, same) and expected.lines <= reply.lines


def _starts_with(blocks: tuple[int, ...], start: tuple[int, ...]) -> bool:
    return blocks[: len(start)] == start


def new_text(reply: Reply, *expected: ExpectedReply | None) -> str:
    """The text blocks of a reply that the expected replies do not have."""
    known = {digest for one in _fingerprints(expected) for digest in one.masked_blocks}
    blocks = [as_object(block) for block in as_list(reply.result.get("content"))]
    new = [block for block in blocks if stable_block_digest(block) not in known]
    return "\n".join(block["text"] for block in new if isinstance(block.get("text"), str))


def new_lines(reply: Reply, *expected: ExpectedReply | None) -> str:
    """The lines of a reply that the expected replies do not have."""
    known = {digest for one in _fingerprints(expected) for digest in one.masked_lines}
    lines = text_lines(as_list(reply.result.get("content")))
    return "\n".join(line for line in lines if stable_digest(line) not in known)


def _fingerprints(expected: tuple[ExpectedReply | None, ...]) -> Iterator[Fingerprint]:
    for one in expected:
        if one is not None:
            yield from (one.first, one.second)
