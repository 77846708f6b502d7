"""The bare name of a tool within what clients and models put around it.

Clients add prefixes (`functions.`, `mcp__server__`). A prefix that names a server may name another one: the same tool
of `staging-db` is not that of `production-db`, and of several prefixes each has to be for this server. The output
formats of models leave marks (`<|channel|>commentary`, `to=functions.search`), call syntax (`search()`, `search:3`) and
suffixes (`search__eq`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import IntEnum, auto
from typing import NamedTuple

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.spelling import split_words
from fingerpost.engine.model import Grade

_NAMELESS_PREFIX = lazy_pattern(r"(?:functions|default_api|tools)[.:/]")
"""What clients put in front of every tool. Any other word may be what a user calls a server, `server` too."""
_SERVER_PREFIX = lazy_pattern(r"mcp__(?P<mcp>[^.:/]{1,64}?)__|(?P<server>[\w\- ]{1,64}?)(?:__|[.:/])")
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
_ANY_SERVER = frozenset({"mcp", "server", "servers", "the"})
"""Words that say nothing about which server it is, unless there are no others."""


class Prefix(IntEnum):
    """Which server the prefixes of a name stand for, the surest first."""

    NONE = auto()
    """No server: there is no prefix, or it is one that clients put in front of every tool."""
    OWN = auto()
    """The first name of this server: the one in the client's configuration, if that is known."""
    OWN_OTHER = auto()
    """Another name of this server, which may be what the client calls another one: `staging` in front of a tool of the
    server that a client calls `prod`, and that calls itself `mcp-server-staging`."""
    PART = auto()
    """All its words are in the name of this server, which has more: `db` in front of a tool of `production-db`."""
    OTHER = auto()
    """Another server, or perhaps this one if its name is not known."""


class BareName(NamedTuple):
    """A form of the name that was called, the grade of a fix that uses it, and what was in front of it."""

    name: str
    grade: Grade
    prefix: Prefix = Prefix.NONE
    is_decorated: bool = False
    """Whether more than prefixes was around it: quotes, call syntax, blanks, characters that cannot be seen."""


def find_bare_names(name: str, servers: Sequence[str]) -> Iterator[BareName]:
    """Yield the name, then ever barer forms of it. `servers` are the names of this server, the client's first."""
    text = name[:_MAX_LENGTH]
    yield BareName(text, Grade.LOSSLESS)
    bare, grade = _strip_marks(text)
    for form in (bare, _LOOKUP_SUFFIX.sub("", bare)):
        if form and form != text:
            yield BareName(form, grade, is_decorated=True)
            text = form
    for stripped in _strip_prefixes(text, servers, grade):
        yield stripped._replace(is_decorated=text != name)


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


def _strip_prefixes(bare: str, servers: Sequence[str], grade: Grade) -> Iterator[BareName]:
    """Yield the name without each prefix that clients add, and which server the prefixes so far stand for."""
    whose = Prefix.NONE
    while prefix := _NAMELESS_PREFIX.match(bare) or _SERVER_PREFIX.match(bare):
        if prefix.end() == len(bare):
            return
        if server := next(filter(None, prefix.groups()), ""):
            whose = max(whose, _identify(server, servers))
        bare = bare[prefix.end() :]
        yield BareName(bare, grade, whose)


def _identify(prefix: str, servers: Sequence[str]) -> Prefix:
    words = _words(prefix)
    names = [_words(server) for server in servers]
    if words in names and words:
        return Prefix.OWN if words == names[0] else Prefix.OWN_OTHER
    return Prefix.PART if words and any(set(words) <= set(name) for name in names) else Prefix.OTHER


def _words(name: str) -> list[str]:
    words = [word.lower() for word in split_words(name)]
    return [word for word in words if word not in _ANY_SERVER] or words
