"""How well a hit answers a search, from 0 to 1.

    0.98         the definition whose name is the pattern, plain or qualified
    0.95         a definition whose whole name is matched (another case, or by a regular expression)
    0.70 - 0.90  a definition whose name is matched in part: 0.70 + 0.20 x the share of the name
    0.50         a mention, as a whole word
    0.40         a mention, as a part of a word
    0.10 less    where the line is a comment
    0.10         nothing at all is matched there (a pattern such as `x*`)

A line can be judged by its words alone, which is quick and mostly right, or by the definitions of its file, which is
right. Both speak the same scale.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from fingerpost.servers.code.languages import comment_marks, language_of
from fingerpost.servers.code.outline import Definition
from fingerpost.servers.code.ripgrep import Hit

_EXACT, _WHOLE, _PART, _SHARE, _WORD, _IN_WORD, _EMPTY, _COMMENT = 0.98, 0.95, 0.7, 0.2, 0.5, 0.4, 0.1, 0.1
_KEYWORD = re.compile(
    rb"(?:^|[\s(;{}])(?:def|class|func|function|fun|fn|struct|enum|trait|interface|type|module|namespace|object|record"
    rb"|union|protocol|macro_rules!|mod|sub|message|service|rpc|typedef|data|\#define|const|let|var|val|static)"
    rb"\s+(?:\([^)]*\)\s*)?(?:[\w]+(?:\.|::))*\w*$"
)
_TYPED = re.compile(rb"^\s*(?:[\w<>\[\],.*&:@?]+\s+[*&]*)*(?:\w+(?:\.|::))*\w*$")
_NO_TYPE = re.compile(rb"\b(?:return|new|await|else|throw|yield|case|in|not|and|or|if|while|import|from|goto|delete)\b")
_CALLED = re.compile(rb"\w*\s*(?:<[^<>]*>)?\(.*[{),(]\s*$")
_WORD_BYTES = re.compile(rb"[\w\x80-\xff]*")
_WORD_BEFORE = re.compile(rb"[\w\x80-\xff]*$")
_FARTHEST = 400


def guessed(hit: Hit, pattern: str) -> float:
    """By the words of the line alone."""
    line = hit.text.encode("utf-8", "replace")
    return max((_guessed(line, span, hit, pattern) for span in hit.spans), default=_EMPTY)


def judged(hit: Hit, defined: Definition | None, pattern: str) -> float:
    """By the definition that the line makes, if it makes one."""
    line = hit.text.encode("utf-8", "replace")
    if defined is None:
        return max((_mentioned(line, span, hit) for span in hit.spans), default=_EMPTY)
    if defined.is_called(pattern.split(".")):
        return _EXACT
    return max((_named(line, span, defined.span, pattern) or _mentioned(line, span, hit)) for span in hit.spans)


def by_line(definitions: Iterable[Definition]) -> dict[int, list[Definition]]:
    """Definitions by the line that their name stands in."""
    lines = dict[int, list[Definition]]()
    for one in definitions:
        lines.setdefault(one.line, []).append(one)
    return lines


def defined_by(hit: Hit, lines: Mapping[int, list[Definition]]) -> Definition | None:
    """The definition whose name is matched in the line; the one that is matched best, where there are more."""
    here = [one for one in lines.get(hit.line, ()) if any(_overlap(span, one.span) for span in hit.spans)]
    return max(here, key=lambda one: max(_share(span, one.span) for span in hit.spans), default=None)


def _guessed(line: bytes, span: tuple[int, int], hit: Hit, pattern: str) -> float:
    before, after = line[max(span[0] - _FARTHEST, 0) : span[0]], line[span[0] : span[0] + _FARTHEST]
    if span[0] == span[1] or _is_comment(hit) or not _looks_defined(before, after):
        return _mentioned(line, span, hit)
    return _named(line, span, _word(line, span), pattern) or _WORD


def _looks_defined(before: bytes, after: bytes) -> bool:
    if _KEYWORD.search(before):
        return True
    return bool(_CALLED.match(after) and _TYPED.match(before) and before.strip() and not _NO_TYPE.search(before))


def _word(line: bytes, span: tuple[int, int]) -> tuple[int, int]:
    """The word in which a match begins."""
    before, behind = _WORD_BEFORE.search(line, max(span[0] - _FARTHEST, 0), span[0]), _WORD_BYTES.match(line, span[0])
    return before.start() if before else span[0], behind.end() if behind else span[1]


def _named(line: bytes, span: tuple[int, int], name: tuple[int, int], pattern: str) -> float:
    if not _overlap(span, name):
        return 0.0
    if span == name:
        return _EXACT if line[slice(*span)] == pattern.encode("utf-8", "replace") else _WHOLE
    return round(_PART + _SHARE * _share(span, name), 2)


def _share(span: tuple[int, int], name: tuple[int, int]) -> float:
    """How much of both is common to both."""
    return _overlap(span, name) / (max(span[1], name[1]) - min(span[0], name[0]))


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> int:
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


def _mentioned(line: bytes, span: tuple[int, int], hit: Hit) -> float:
    if span[0] == span[1]:
        return _EMPTY
    score = _WORD if _is_whole_word(line, span) else _IN_WORD
    return round(score - _COMMENT, 2) if _is_comment(hit) else score


def _is_whole_word(line: bytes, span: tuple[int, int]) -> bool:
    start, end = span
    before, behind = line[max(start - 1, 0) : start], line[end : end + 1]
    return not (_in_word(before) and _in_word(line[start : start + 1])) and not (
        _in_word(behind) and _in_word(line[end - 1 : end])
    )


def _in_word(char: bytes) -> bool:
    return char.isalnum() or char == b"_" or char >= b"\x80"


def _is_comment(hit: Hit) -> bool:
    return hit.text.lstrip().startswith(comment_marks(language_of(hit.path)))
