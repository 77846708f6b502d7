"""Which parameters take a short text: a path, an id or a name. An end tag in one of them is the end of a parameter."""

from __future__ import annotations

from typing import Any

from fingerpost.engine.matching.spelling import split_words, stem
from fingerpost.engine.safety.hazards import is_identifier_name

_NAMES = frozenset({
    "account", "branch", "bucket", "channel", "collection", "column", "commit", "database", "destination", "device",
    "index", "key", "label", "name", "number", "owner", "project", "ref", "region", "repo", "repository", "room",
    "service", "table", "tag", "uri", "url", "user", "version",
})  # fmt: skip
_TEXTS = frozenset({
    "body", "code", "comment", "content", "css", "description", "document", "expression", "html", "input",
    "instruction", "markdown", "markup", "message", "note", "prompt", "query", "script", "snippet", "sql", "svg",
    "template", "text", "xml", "yaml",
})  # fmt: skip


def takes_short_text(name: str) -> bool:
    """Whether a parameter of this name takes a path, an id or a name."""
    if is_identifier_name(name):
        return True
    words = split_words(name)
    return bool(words) and stem(words[-1]) in _NAMES


def takes_long_text(name: str) -> bool:
    """Whether a parameter of this name takes text that may well contain tags."""
    return not _TEXTS.isdisjoint(map(stem, split_words(name)))


def may_end_parameter(value: Any) -> bool:
    """Whether a text has an end tag, so that later parameters may be in it."""
    return isinstance(value, str) and "</" in value
