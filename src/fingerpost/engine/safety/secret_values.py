"""Find where the value of a secret begins and ends in a text."""

from __future__ import annotations

import re

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.safety.secret_names import classify_name, names_secret, split_humps
from fingerpost.engine.safety.secret_places import HAS_A_NAME, NAMES_A_THING, NEXT_SETTING
from fingerpost.engine.safety.secret_sentences import (
    SCHEME,
    continues_option,
    continues_sentence,
    is_about_something_else,
    is_sentence,
)

_LONGEST_CONTAINER = 8_192
_HEADERS = ("authorization", "authorisation", "cookie")
"""Headers, whose value is the rest of the line."""

_DIRECTORIES, _PATH = ("pwd", "oldpwd"), lazy_pattern(r"[\"']?(?:~?/|[A-Za-z]:\\)[\w.\-/\\]*+(?!\S)")
"""`PWD=/home/me`"""
PAIR = lazy_pattern(
    r"(?<![\w.\-])([\w.\-]++)(\\*(?:[\"'`]|%22)?\]?[ \t]{0,3}"
    r"(?:(?:=>|->|:=|==?|[:\uff1a\uff1d])[ \t]{0,3}|%(?:25){0,2}3[ADad](?:%22|%27)?)|[ \t]+is[ \t]+)"
)
FLAG = lazy_pattern(r"(?<![\w\-])--?([A-Za-z][\w\-]*+)([ \t]+)(?!-)")
_QUOTE = lazy_pattern(r"\\{0,7}[\"'`]")
_TYPOGRAPHIC = {"\u201c": "\u201d", "\u201e": "\u201c", "\u2018": "\u2019", "\u201a": "\u2018", "\u00ab": "\u00bb"}
"""Opening and closing quotes as word processors write them."""
_SCHEMA = lazy_pattern(r"\\*[\"']?(?:type|\$ref|anyOf|required)\\*[\"']?\s*[:=]")
_NEXT_SETTING = lazy_pattern(NEXT_SETTING, re.IGNORECASE)
_VALUE = lazy_pattern(r"[^\s;]*+")
_QUOTE_OR_LINE_END = lazy_pattern(r"(\\*+)([\"'`])|[\r\n]")
_LAST_QUOTE = lazy_pattern(r"\\{0,7}[\"'`]\Z")
_LINE_END = lazy_pattern(r"[\r\n]")
_HEADER_END = lazy_pattern(r"[\r\n\"']")
_QUERY_END = lazy_pattern(r"[&#\s\"'<>]")
_ENCODED_END = lazy_pattern(r"[&#\s\"'<>]|%(?:25){0,2}(?:0[ADad]|2[0267Cc]|3[Bb]|7[Dd])")
_NAMES_A_THING = lazy_pattern(NAMES_A_THING, re.IGNORECASE)
_HAS_A_NAME = lazy_pattern(HAS_A_NAME, re.IGNORECASE)
_DIGIT = lazy_pattern(r"\d")


def find_value_after_pair(text: str, pair: re.Match[str]) -> tuple[int, int]:
    """Return where the value after a name begins and ends; the same place twice if it is no secret."""
    name, start = pair[1], pair.end()
    nothing = start, start
    if not names_secret(text, *pair.span(1)) or _is_place(text, pair):
        return nothing
    plain_name = split_humps(name)
    if continues_sentence(text, start, separator=pair[2]) or is_about_something_else(text, start, plain_name, pair[2]):
        return nothing
    is_header = ":" in pair[2] and plain_name.endswith(_HEADERS)
    if "%" in pair[2]:
        return start, _find(_ENCODED_END, text, start)
    start, end = _span(text, start, is_header=is_header, is_query=_is_query(text, pair))
    is_number = text[start:end].isdigit() and (classify_name(name)[1] or plain_name.endswith("tokens"))
    is_quoted = start > pair.end()
    return nothing if is_number or (is_quoted and is_sentence(text[start:end])) else (start, end)


def find_value_in_place(text: str, found: re.Match[str]) -> tuple[int, int]:
    """Return where the value is that a pattern of `secret_places` found; the same place twice if it is no secret."""
    start, end = found.span("value")
    if start == end:
        start, end = _span(text, start)
    value, is_number = text[start:end], classify_name(found["name"])[1]
    is_kept = is_sentence(value) or (is_number and value.isdigit()) or not names_secret(text, *found.span("name"))
    return (start, start) if is_kept else (start, end)


def find_likely_value(text: str, found: re.Match[str]) -> tuple[int, int]:
    """The same for places where a word that is no secret may follow a name: `token 'if'`."""
    name, value = found["name"], found["value"]
    is_any_word = not _NAMES_A_THING.search(name)
    is_likely = len(value) >= 6 and _DIGIT.search(value) is not None and not _HAS_A_NAME.fullmatch(name)
    return find_value_in_place(text, found) if is_any_word or is_likely else (found.end(), found.end())


def find_value_after_flag(text: str, flag: re.Match[str]) -> tuple[int, int]:
    """Return where the value of a command-line option is: `--password hunter2`."""
    start = flag.end()
    is_option = classify_name(flag[1])[0] and not continues_option(text, start)
    if not is_option or continues_sentence(text, start, separator=flag[2]):
        return start, start
    return _span(text, start)


def _is_place(text: str, pair: re.Match[str]) -> bool:
    """Whether a name is a host with a port (`//token-service:8080`), the scheme of a URL, or the current directory."""
    if pair[1].lower() in _DIRECTORIES and _PATH.match(text, pair.end()) and text[max(0, pair.start() - 1)] != ";":
        return True
    before, after = text[max(0, pair.start() - 2) : pair.start()], text[pair.end() : pair.end() + 2]
    return pair[2] == ":" and (before == "//" or after == "//")


def _is_query(text: str, pair: re.Match[str]) -> bool:
    return text[max(0, pair.start() - 1) : pair.start()] in ("?", "&")


def _span(text: str, start: int, *, is_header: bool = False, is_query: bool = False) -> tuple[int, int]:
    """Return where a value begins and ends, without its quotes."""
    if quote := _QUOTE.match(text, start):
        return quote.end(), _find_closing_quote(text, quote.end(), quote.group())
    if closing := _TYPOGRAPHIC.get(text[start : start + 1]):
        end = text.find(closing, start + 1, start + 1 + _LONGEST_CONTAINER)
        return start + 1, end if end >= 0 else _find(_LINE_END, text, start)
    if text[start : start + 1] in ("{", "["):
        end = _find_closing_bracket(text, start)
        return (start, start) if _SCHEMA.match(text, start + 1, end) else (start, end)
    if is_header:
        return start, _find(_HEADER_END, text, start)
    if is_query:
        return start, _find(_QUERY_END, text, start)
    return start, _find_end(text, start)


def _find_closing_quote(text: str, start: int, quote: str) -> int:
    """Find the same quote with as many backslashes; without one, the value goes on to the end of the line.

    A quote that is written twice is part of the value, as in SQL.
    """
    doubled = -1
    for found in _QUOTE_OR_LINE_END.finditer(text, start):
        if not found[2]:
            return found.start()
        if found[2] == quote[-1] and len(found[1]) == len(quote) - 1 and found.start() != doubled:
            if found.start() == start or text[found.end() : found.end() + 1] != quote:
                return found.start()
            doubled = found.end()
    return len(text)


def _find_closing_bracket(text: str, start: int) -> int:
    depth = 0
    for found in re.finditer(r"[{\[\]}]", text[start : start + _LONGEST_CONTAINER]):
        depth += 1 if found.group() in "{[" else -1
        if depth == 0:
            return start + found.end()
    return min(len(text), start + _LONGEST_CONTAINER)


def _find_end(text: str, start: int) -> int:
    """Find the end of a value without quotes: white space or the next setting, less closing punctuation."""
    if scheme := SCHEME.match(text, start):
        start = scheme.end()
    end = _VALUE.match(text, start).end()  # pyright: ignore[reportOptionalMemberAccess]
    while text[end : end + 1] == ";" and not _NEXT_SETTING.match(text, end):
        end = _VALUE.match(text, end + 1).end()  # pyright: ignore[reportOptionalMemberAccess]
    last = max(start, end - 16)
    return end - len(text[last:end]) + len(text[last:end].rstrip(")]}>\"'`.,;:!?"))


def _find(characters: re.Pattern[str], text: str, start: int) -> int:
    found = characters.search(text, start)
    return found.start() if found else len(text)


def find_rest(text: str, start: int, before: str) -> int:
    """Find the end of a value that began after `before` and goes on at `start`: its quote, else the end of the line."""
    quote = _LAST_QUOTE.search(before, max(0, len(before) - 8))
    return _find_closing_quote(text, start, quote.group()) if quote else _find(_LINE_END, text, start)
