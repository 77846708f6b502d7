"""A reply to a call, with its text and its fingerprint computed once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fingerpost.audit.judge.fingerprint import Fingerprint
from fingerpost.audit.redact import texts
from fingerpost.engine.replies.classify import sounds_like_failure


@dataclass(frozen=True)
class Reply:
    """The result of a call and what the audit reads from it."""

    result: Mapping[str, Any]

    @property
    def is_error(self) -> bool:
        return self.result.get("isError") is True

    @cached_property
    def text(self) -> str:
        """All text blocks, which is what a model sees."""
        return "\n".join(texts(self.result))

    @cached_property
    def sounds_like_failure(self) -> bool:
        """Whether the text reports a failure, marked as an error or not."""
        return sounds_like_failure(self.text)

    @cached_property
    def fingerprint(self) -> Fingerprint:
        return Fingerprint.of(self.result)
