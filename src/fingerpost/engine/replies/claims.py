"""Decide what may be claimed about a failure that is known only by the server's words.

Words alone prove little: "not found" may be about the browser that the server needs, or about its own session. So a
kind that is about the call needs a subject in the call: the value of an argument, or the noun of the tool or of a
parameter. And a text that says what to do next gets no other advice beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from itertools import islice
from typing import Any, NamedTuple

from fingerpost.engine.failure_kinds import FailureKind
from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.spelling import split_words, stem
from fingerpost.engine.model import Call
from fingerpost.engine.safety.json_input import as_list, as_object, parse_json
from fingerpost.engine.tool import Tool

_STEPS = (
    r"(?:run|install|use|set|try|see|check|call|provide|specify|verify|ensure|configure|(?:re)?start|enable|visit|create"
    r"|consider|select|pass|add|upgrade|contact|learn more|retry(?!.?after)|find your|re-?authenticate|log ?in|sign in"
    r"|choose|increase|reduce|remove|update|take|capture|navigate|refresh|reload|reconnect|ask|repeat|confirm"
    r"|approve)\b(?!\W{0,3}$)"
)
_PROGRAMS = r"(?:npx|npm|pnpm|yarn|uvx?|pipx?|brew|apt|apt-get|docker|playwright|export|sudo) "
_NEXT_STEP = lazy_pattern(
    # A sentence that begins with what to do, or says that somebody must, should or can do it.
    rf"(?:^|[.!?:]\s+|\n\s*)(?:\d\) ?)?(?=(?-i:[A-Z])){_STEPS}|(?:[;,(]\s+|\b(?:or|and|then|but) ){_STEPS}"
    r"|\bplease\b|\bmake sure\b|\bdid you (?:mean|specify|forget)\b|\bperhaps you\b|\bmust\b|\bshould\b"
    r"|\b(?:you|user) (?:can|could|may|might|need)\b|\btry(?:ing)? (?:again|with|to|manually|simplifying|a )"
    r"|\buse --\w|(?<!outside )\b(?:available|valid|known|allowed|supported) [\w ]{1,30}(?::|are )"
    r"|\bcandidates:|\bclosest match\b"
    rf"|[\"`']{_PROGRAMS}|\n\W*{_PROGRAMS}"
    r"|\b(?:see|visit|docs|documentation|more|information|guide|help|open|go to)\b[^\n]{0,40}https?://",
    re.IGNORECASE,
)
_BOUNDARY = lazy_pattern(r"[.!?;]\s+|\n+|(?<=\)) (?=[A-Z])")
_QUOTED = lazy_pattern(r"'([^'\n]{1,120})'|\"([^\"\n]{1,120})\"|`([^`\n]{1,120})`|\[([^\]\n]{1,120})\]")
_TOKEN = lazy_pattern(r"[^\s'\"`,()\[\]]{2,120}")
_WORD = lazy_pattern(r"[^\W\d_]{2,40}")
_PATH = lazy_pattern(r"(?:[A-Za-z]:)?[\w.\-~]{0,60}[/\\][\w.\-/\\~]{1,200}")
_ADDRESS = lazy_pattern(r"\w://|^(?:\d{1,3}\.){3}\d{1,3}\b|^localhost\b", re.IGNORECASE)
_PLACE = lazy_pattern(r"\s*(?:in|on|at|from|within)\b")
"""What follows is where something was looked for, not what."""
_LABELS = frozenset(
    {
        "name",
        "named",
        "called",
        "id",
        "ids",
        "uid",
        "uuid",
        "key",
        "slug",
        "path",
        "number",
        "with",
        "the",
        "of",
        "for",
        "a",
    }
)
_ENVIRONMENT = frozenset(
    {
        "authentication", "binary", "browser", "cache", "chrome", "chromium", "command", "config", "configuration",
        "connection", "credential", "dependency", "distribution", "driver", "environment", "executable", "host",
        "hostname", "interpreter", "kubeconfig", "module", "package", "plugin", "program", "session", "shell", "token",
        "variable", "websocket",
    }
)  # fmt: skip
"""What a server needs around it. If it is missing, no other call helps, unless the tool is about such things."""
_PHRASES = {
    FailureKind.NOT_FOUND: lazy_pattern(
        r"(?:\b(?:is|was|are|were)\s+|\bcould |\bcan)?not (?:be )?found|\bnot_found\b"
        r"|\bdo(?:es)?(?: not|n't) exists?|\bno such (?P<noun>\w+)|\bunknown (?P<other>\w+)|\bno (?P<third>\w+) found\b"
        r"|\bno (?:results?|matches|match)\b",
        re.IGNORECASE,
    ),
    FailureKind.CONFLICT: lazy_pattern(
        r"\balready exists|\bconflict(?:s|ing)? with|\b(?:edit|merge|version) conflict\b",
        re.IGNORECASE,
    ),
}
_STATUS = lazy_pattern(
    r"\b(?:404|409)\b|^\W*(?:not found|already exists)\W*$"
    r"|\b(?:error|fail\w*|request|response)\b[^\n:]{0,60}: not found\b",
    re.IGNORECASE,
)
_EMPTY_SEARCH = lazy_pattern(r"\bno (?:results?|matches|match)\b", re.IGNORECASE)
_CONSTRAINT = lazy_pattern(
    r"duplicate (?:key|entry)|unique constraint|\bversion mismatch|\bhas been modified", re.IGNORECASE
)
"""What only a call that writes can run into."""
_SYSTEM_CALL = lazy_pattern(r"\beacces\b|\beperm\b|permission denied", re.IGNORECASE)
_NOT_STARTED = lazy_pattern(r"\bspawn(?:Sync)? \S+ ENOENT", re.IGNORECASE)
_ON_A_PAGE = lazy_pattern(
    r"\bwaiting for (?:locator|selector|element|function|the element)\b|\bselector\b", re.IGNORECASE
)
_BARE = lazy_pattern(
    r"\W*(?:(?:mcp )?error(?: -?\d{1,6})?: )*(?:an? )?(?:internal(?: server)? error|unexpected error(?: occurred)?"
    r"|unhandled exception|panic|error (?:executing|calling) tool \S+)\W*",
    re.IGNORECASE,
)
_MAX_DEPTH, _MAX_VALUES = 6, 64
_FILES = frozenset({"file", "directory", "folder", "dir", "path", "document", "note"})


class Claim(NamedTuple):
    """That a failure is of some kind."""

    is_quiet: bool = False
    """Whether it may be named, but not explained or advised about."""
    nouns: frozenset[str] = frozenset()
    """What is missing, if it was looked for."""


def gives_next_step(text: str) -> bool:
    """Whether a text says what to do next: then no other advice may stand beside it."""
    return _NEXT_STEP.search(text) is not None


def says_search_is_empty(text: str) -> bool:
    """Whether a text says that a search has found nothing."""
    return _EMPTY_SEARCH.search(text) is not None


def check_claim(kind: FailureKind, text: str, call: Call, tool: Tool) -> Claim | None:
    """Return what may be claimed if a text sounds like this kind of failure; None if it may not be named at all."""
    if kind in (FailureKind.NOT_FOUND, FailureKind.CONFLICT):
        return Claim() if says_search_is_empty(text) else _check_subject(kind, text, call, tool)
    if kind in (FailureKind.FILE_NOT_FOUND, FailureKind.IS_A_DIRECTORY):
        return _check_file(text, call, tool)
    if kind is FailureKind.PERMISSION_DENIED:
        return Claim(is_quiet=_SYSTEM_CALL.search(text) is not None and _names_other_path(text, call))
    if kind is FailureKind.TIMEOUT:
        return Claim(is_quiet=_ON_A_PAGE.search(text) is not None)
    is_true = {
        FailureKind.INTERRUPTED: lambda: not any(map(_ADDRESS.search, strings_of(call))),
        FailureKind.UNREACHABLE: lambda: not any(map(_ADDRESS.search, strings_of(call))),
        FailureKind.INVALID_JSON: lambda: any(map(_is_broken_json, strings_of(call))),
        FailureKind.INTERNAL: lambda: _BARE.fullmatch(text) is not None,
    }.get(kind)
    return Claim() if is_true is None or is_true() else None


def strings_of(call: Call) -> list[str]:
    """Return the values of a call as text, to a limited depth and number."""
    found: list[str] = []
    level: list[Any] = [call.arguments]
    for _ in range(_MAX_DEPTH):
        level = [item for node in level for item in (*as_list(node), *as_object(node).values())][:_MAX_VALUES]
        found += [str(leaf) for leaf in level if isinstance(leaf, str | int) and not isinstance(leaf, bool)]
    return found


def _is_broken_json(text: str) -> bool:
    return text.lstrip()[:1] in ("{", "[") and isinstance(parse_json(text), str)


def _check_file(text: str, call: Call, tool: Tool) -> Claim | None:
    if _NOT_STARTED.search(text) or _names_other_path(text, call):
        return None
    is_about_files = not _FILES.isdisjoint(_words_of(tool))
    return Claim(nouns=_FILES) if is_about_files or _PATH.search(text) or _values_in(text, strings_of(call)) else None


def _names_other_path(text: str, call: Call) -> bool:
    """Whether a text names paths, and none of them is in the call."""
    tails = [re.split(r"[/\\]", path.rstrip("/\\."))[-1] for path in _PATH.findall(text)]
    values = strings_of(call)
    return bool(tails) and not any(tail and tail in value for tail in tails for value in values)


def _check_subject(kind: FailureKind, text: str, call: Call, tool: Tool) -> Claim | None:
    values = strings_of(call)
    for found in _PHRASES[kind].finditer(text):
        before, after = _clause_around(text, found)
        if (claim := _read_clause(before, found, after, values, tool)) is not None:
            return claim
    if kind is FailureKind.CONFLICT and _CONSTRAINT.search(text) and not tool.is_read_only:
        return Claim()
    if found := _STATUS.search(text):
        before, after = _clause_around(text, found)
        is_named = _values_in(f"{before}{found[0]}{after}", values) or bool(_nouns_of(tool) & set(_stems(found[0])))
        return Claim(is_quiet=not is_named, nouns=_object_of(tool))
    return None


def _clause_around(text: str, found: re.Match[str]) -> tuple[str, str]:
    """Return what stands before and after a match in the same clause."""
    start = max((one.end() for one in _BOUNDARY.finditer(text, 0, found.start())), default=0)
    return text[start : found.start()], _BOUNDARY.split(text[found.end() :], maxsplit=1)[0]


def _read_clause(before: str, found: re.Match[str], after: str, values: list[str], tool: Tool) -> Claim | None:
    """Return the claim of one clause that says that something is missing or there already."""
    named = next(filter(None, found.groupdict().values()), "") or _noun_before(before, values)
    noun = stem(named.casefold())
    subject = f"{before} {'' if _PLACE.match(after) else after}"
    names = list(_names_near(before, after))
    is_in_call = _values_in(subject, values) or _is_part_of(names, values)
    is_about_tool = noun in _nouns_of(tool)
    if noun in _ENVIRONMENT and not (is_about_tool and is_in_call):
        return None
    if is_in_call or (is_about_tool and not any(map(_is_name, names))):
        return Claim(nouns=frozenset({noun}) if noun else _object_of(tool))
    return None


def _noun_before(before: str, values: Iterable[str]) -> str:
    """Return the word for what is missing: the last one that is neither a value, nor quoted, nor a label."""
    plain = _QUOTED.sub(" ", before)
    for value in values:
        plain = plain.replace(value, " ") if len(value) > 1 or value.isdigit() else plain
    if plain.rstrip().endswith(":"):
        return ""
    words = [word for word in _WORD.findall(plain) if word.casefold() not in _LABELS]
    return words[-1] if words else ""


def _values_in(text: str, values: Iterable[str]) -> bool:
    """Whether a text names a value of the call. A plain word has to stand in quotes, or it may be any word."""
    quoted = {part for groups in _QUOTED.findall(text) for part in groups if part}
    return any(value in quoted if _is_plain(value) else _has_word(text, value) for value in values)


def _is_plain(value: str) -> bool:
    return value.islower() and value.isalpha()


def _has_word(text: str, value: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(value[:200])}(?!\w)", text) is not None


def _names_near(before: str, after: str) -> Iterator[str]:
    """Yield what stands next to the words that say that something is missing, and what stands in quotes before them."""
    yield from _TOKEN.findall(before)[-1:]
    if not _PLACE.match(after):
        yield from _TOKEN.findall(after.lstrip(": "))[:1]
    yield from (part for groups in _QUOTED.findall(before) for part in groups if part)


def _is_name(token: str) -> bool:
    """Whether a token is the name of one thing rather than a word for such things."""
    return not token.strip(":.,").isalpha()


def _is_part_of(tokens: Iterable[str], values: list[str]) -> bool:
    """Whether one of these names, or its last part, is a word of a value: of a query, or of a path."""
    for token in tokens:
        parts = {token.strip(":.,"), re.split(r"[./\\]", token.strip(":.,"))[-1]}
        if any(len(part) > 1 and _has_word(value, part) for part in parts for value in values):
            return True
    return False


def _nouns_of(tool: Tool) -> Set[str]:
    """Return the words of a tool's name and of its parameters, without those that only label a name."""
    return _words_of(tool) - _LABELS


def _words_of(tool: Tool) -> set[str]:
    return {stem(word) for name in (tool.name, *islice(tool.params, 64)) for word in split_words(name)}


def _object_of(tool: Tool) -> frozenset[str]:
    return frozenset(stem(word) for word in split_words(tool.name)[1:])


def _stems(text: str) -> Iterator[str]:
    return (stem(word.casefold()) for word in _WORD.findall(text[-200:]))
