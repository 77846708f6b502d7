"""Score how well a hit answers a search, from 0 to 1.

    0.98         the definition whose name is the pattern, qualified or not
    0.95         a definition whose whole name matches (in another case, or by a regular expression)
    0.70 - 0.90  a definition whose name matches in part: 0.70 + 0.20 x the share of the name
    0.50         a mention, as a whole word
    0.40         a mention, as a part of a word
    0.10 less    if the line is a comment
    0.10         an empty match (a pattern such as `x*`)

A line is scored either by its words alone, which is fast and mostly correct, or by the definitions of its file, which
is correct. Both use the same scale.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from fingerpost.servers.code.languages import comment_marks, language_of
from fingerpost.servers.code.outline import Definition
from fingerpost.servers.code.ripgrep import Hit

_EXACT, _WHOLE, _PARTIAL, _SHARE_WEIGHT = 0.98, 0.95, 0.7, 0.2
_WORD, _IN_WORD, _EMPTY, _COMMENT_PENALTY = 0.5, 0.4, 0.1, 0.1
_KEYWORD = re.compile(
    rb"(?:^|[\s(;{}])(?:def|class|func|function|fun|fn|struct|enum|trait|interface|type|module|namespace|object|record"
    rb"|union|protocol|macro_rules!|mod|sub|message|service|rpc|typedef|data|\#define|const|let|var|val|static)"
    rb"\s+(?:\([^)]*\)\s*)?(?:[\w]+(?:\.|::))*\w*$"
)
_TYPE_BEFORE = re.compile(rb"^\s*(?:[\w<>\[\],.*&:@?]+\s+[*&]*)*(?:\w+(?:\.|::))*\w*$")
_NOT_A_TYPE = re.compile(
    rb"\b(?:return|new|await|else|throw|yield|case|in|not|and|or|if|while|import|from|goto|delete)\b"
)
_PARAMETER_LIST = re.compile(rb"\w*\s*(?:<[^<>]*>)?\(.*[{),(]\s*$")
_WORD_BYTES = re.compile(rb"[\w\x80-\xff]*")
_WORD_BEFORE = re.compile(rb"[\w\x80-\xff]*$")
_WINDOW = 400


def score_by_words(hit: Hit, pattern: str) -> float:
    """Score a hit by the words of its line alone."""
    line = hit.text.encode("utf-8", "replace")
    return max((_score_span_by_words(line, span, hit, pattern) for span in hit.spans), default=_EMPTY)


def score_by_definition(hit: Hit, definition: Definition | None, pattern: str) -> float:
    """Score a hit by the definition on its line, if there is one."""
    line = hit.text.encode("utf-8", "replace")
    if definition is None:
        return max((_score_mention(line, span, hit) for span in hit.spans), default=_EMPTY)
    if definition.has_name(pattern.split(".")):
        return _EXACT
    return max(
        (_score_name(line, span, definition.span, pattern) or _score_mention(line, span, hit)) for span in hit.spans
    )


def group_by_line(definitions: Iterable[Definition]) -> dict[int, list[Definition]]:
    """Definitions by the line of their name."""
    lines = dict[int, list[Definition]]()
    for one in definitions:
        lines.setdefault(one.line, []).append(one)
    return lines


def matching_definition(hit: Hit, lines: Mapping[int, list[Definition]]) -> Definition | None:
    """The definition whose name matches on the line of a hit; if there are several, the best match."""
    here = [one for one in lines.get(hit.line, ()) if any(_overlap(span, one.span) for span in hit.spans)]
    return max(here, key=lambda one: max(_share(span, one.span) for span in hit.spans), default=None)


def _score_span_by_words(line: bytes, span: tuple[int, int], hit: Hit, pattern: str) -> float:
    before, after = line[max(span[0] - _WINDOW, 0) : span[0]], line[span[0] : span[0] + _WINDOW]
    if span[0] == span[1] or _is_comment(hit) or not _looks_like_definition(before, after):
        return _score_mention(line, span, hit)
    return _score_name(line, span, _word_span(line, span), pattern) or _WORD


def _looks_like_definition(before: bytes, after: bytes) -> bool:
    if _KEYWORD.search(before):
        return True
    has_type = _TYPE_BEFORE.match(before) and before.strip() and not _NOT_A_TYPE.search(before)
    return bool(_PARAMETER_LIST.match(after) and has_type)


def _word_span(line: bytes, span: tuple[int, int]) -> tuple[int, int]:
    """The span of the word in which a match begins."""
    before, after = _WORD_BEFORE.search(line, max(span[0] - _WINDOW, 0), span[0]), _WORD_BYTES.match(line, span[0])
    return before.start() if before else span[0], after.end() if after else span[1]


def _score_name(line: bytes, span: tuple[int, int], name: tuple[int, int], pattern: str) -> float:
    if not _overlap(span, name):
        return 0.0
    if span == name:
        return _EXACT if line[slice(*span)] == pattern.encode("utf-8", "replace") else _WHOLE
    return round(_PARTIAL + _SHARE_WEIGHT * _share(span, name), 2)


def _share(span: tuple[int, int], name: tuple[int, int]) -> float:
    """The overlap of two spans, as a share of their union."""
    return _overlap(span, name) / (max(span[1], name[1]) - min(span[0], name[0]))


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> int:
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


def _score_mention(line: bytes, span: tuple[int, int], hit: Hit) -> float:
    if span[0] == span[1]:
        return _EMPTY
    score = _WORD if _is_whole_word(line, span) else _IN_WORD
    return round(score - _COMMENT_PENALTY, 2) if _is_comment(hit) else score


def _is_whole_word(line: bytes, span: tuple[int, int]) -> bool:
    start, end = span
    before, after = line[max(start - 1, 0) : start], line[end : end + 1]
    return not (_is_word_byte(before) and _is_word_byte(line[start : start + 1])) and not (
        _is_word_byte(after) and _is_word_byte(line[end - 1 : end])
    )


def _is_word_byte(char: bytes) -> bool:
    return char.isalnum() or char == b"_" or char >= b"\x80"


def _is_comment(hit: Hit) -> bool:
    return hit.text.lstrip().startswith(comment_marks(language_of(hit.path)))
