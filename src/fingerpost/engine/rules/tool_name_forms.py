"""The bare name of a tool within what clients and models put around it.

Clients add prefixes (`functions.`, `mcp__server__`). The output formats of models leave marks (`<|channel|>commentary`,
`to=functions.search`), call syntax (`search()`, `search:3`) and suffixes (`search__eq`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.spelling import spelling
from fingerpost.engine.model import Grade

_CLIENT_PREFIX = lazy_pattern(r"mcp__(?P<mcp>[^.:/]{1,64}?)__|(?:functions?|default_api|tools?|mcp|server)(?:[.:/]|__)")
_SERVER_PREFIX = lazy_pattern(r"(?P<server>[\w\- ]{1,64}?)(?:__|[.:/])")
_RECIPIENT = lazy_pattern(r"\bto=([\w.\-/:]{1,128})")
_MARK = lazy_pattern(r"<\|[^<>|]{0,32}\|?>?")
_MARK_WITH_WORD = lazy_pattern(r"<\|\w{1,16}\|>\s*(?:(?:commentary|analysis|final|json|assistant|system|user)\b\s*)?")
_CALL_SYNTAX = lazy_pattern(r"\s*(?:\((?P<arguments>[^\n]{0,256}?)\)|\(|:\d{1,6}|#\d{1,6})$")
_LOOKUP_SUFFIX = lazy_pattern(
    r"__(?:eq|ne|gte?|lte?|in|not|i?exact|i?contains|i?startswith|i?endswith|isnull|range|like)$", re.IGNORECASE
)
_AROUND = " \t\r\n'\"`\u2018\u2019\u201c\u201d\ufeff\u200b"
_BEHIND = _AROUND + ".,;:!?*\\"
_MAX_LENGTH = 256


def find_bare_names(name: str, server: str) -> Iterator[tuple[str, Grade]]:
    """Yield the name, then ever barer forms of it, each with the grade of a fix that uses it."""
    text = name[:_MAX_LENGTH]
    yield text, Grade.LOSSLESS
    bare, grade = _strip_marks(text)
    for form in (bare, _LOOKUP_SUFFIX.sub("", bare)):
        if form and form != text:
            yield form, grade
            text = form
    yield from _strip_prefixes(text, server, grade)


def _strip_marks(text: str) -> tuple[str, Grade]:
    """Remove what output formats of models and call syntax leave around a name. Arguments in it would be lost."""
    if recipient := _RECIPIENT.search(text):
        text = recipient[1]
    elif "<|" in text:
        text = text[: text.index("<|")].strip() or _MARK.sub("", _MARK_WITH_WORD.sub("", text))
    text = text.strip(_AROUND).rstrip(_BEHIND)
    syntax = _CALL_SYNTAX.search(text)
    if syntax is None:
        return text, Grade.LOSSLESS
    return text[: syntax.start()].rstrip(_BEHIND), Grade.LIKELY if syntax["arguments"] else Grade.LOSSLESS


def _strip_prefixes(bare: str, server: str, grade: Grade) -> Iterator[tuple[str, Grade]]:
    """Yield the name without each prefix that clients add.

    The name of this server is removed as a prefix. If our own name is unknown, that reading is only likely. If the
    prefix is another server's name, the call is not for us.
    """
    while prefix := _CLIENT_PREFIX.match(bare) or _SERVER_PREFIX.match(bare):
        other = prefix.groupdict().get("server") or prefix.groupdict().get("mcp")
        if prefix.end() == len(bare) or (other and server and spelling(other) != spelling(server)):
            return
        if "server" in prefix.groupdict() and not server:
            grade = Grade.LIKELY
        bare = bare[prefix.end() :]
        yield bare, grade
