"""Which parameters take a short text: a path, an id or a name. An end tag in one of them is the end of a parameter.

At the very end of any text that is neither long nor searched for, the tags of a call (`</parameter>`, `<|im_end|>`)
belong to the call too.
"""

from __future__ import annotations

from typing import Any

from fingerpost.engine.lazy_pattern import lazy_pattern
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
_SEARCHES = frozenset({
    "command", "data", "filter", "find", "glob", "keyword", "needle", "new", "old", "pattern", "payload", "q", "regex",
    "regexp", "replace", "replacement", "search", "selector", "string", "term", "value", "xpath",
})  # fmt: skip
"""Words for what may well be a tag, or a piece of any text."""
_MAX_LENGTH = 300
_END = lazy_pattern(
    r"(?:(?<=\S)|\s*\n\s*)(?:</(?:[\w.-]{1,32}:)?(?:parameter|invoke|function|function_calls?|tool|tool_calls?|tool_use"
    r"|call|args?|arguments?|arg_(?:value|key))>|<[|\uff5c][\w\u2581 ]{2,40}[|\uff5c]>|<end_of_turn>|<eos>)\s*$"
)
"""A tag of a call at the end of a text. Behind a space it would be a word of a sentence."""
_MAX_TAGS = 6


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
    """Whether a text has an end tag, so that later parameters may be in it, or the end of the call."""
    return isinstance(value, str) and "<" in value and _has_tag(value)


def takes_no_tags(name: str) -> bool:
    """Whether a tag at the end of a parameter of this name belongs to the call, not to the text."""
    is_searched_for = not _SEARCHES.isdisjoint(map(stem, split_words(name)))
    return not takes_long_text(name) and (takes_short_text(name) or not is_searched_for)


def strip_end_tags(text: str, name: str) -> str:
    """Remove the tags of a call, and that of this parameter in front of them, from the end of a short text.

    Return the text itself if there are none, or if nothing or other markup would be left.
    """
    if len(text) > _MAX_LENGTH or not _has_tag(text):
        return text
    bare = text
    for _ in range(_MAX_TAGS):
        if found := _END.search(bare):
            bare = bare[: found.start()]
    bare = bare.removesuffix(f"</{name}>") if bare != text else bare
    return bare if bare and "\n" not in bare and "<" not in bare else text


def _has_tag(text: str) -> bool:
    return "</" in text or (len(text) <= _MAX_LENGTH and _END.search(text) is not None)
