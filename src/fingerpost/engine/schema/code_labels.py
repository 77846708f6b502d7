"""What numbers that stand for choices mean: `0: Owner, 1: Admin`, `Owner (0)`, `oneOf` with `const` and `title`.

Authors write the meaning of a code into the description, beside the choices (`enumNames`), or into the alternatives.
A text is read only where it assigns a word to a number in one of the usual forms. A number with two meanings, and a
meaning with two numbers, count as unknown. Schemas are untrusted: only the beginning of a text is read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.spelling import normal_form, split_words, stem
from fingerpost.engine.safety.json_input import as_list, is_number
from fingerpost.engine.safety.redact import is_clean, is_harmless, is_secret
from fingerpost.engine.schema.walk import Schema, layers

NAMES_KEYWORD = "enumNames"
"""The keyword of form generators for a list of titles, one for each choice."""

_NAME_LISTS = (NAMES_KEYWORD, "x-enumNames", "x-enum-varnames")
_MOST_READ = 2000
_MOST_CODES = 64
_LONGEST, _MOST_WORDS = 40, 5
_CODE = r"[`'\"*]{0,2}(-?[0-9]{1,6})[`'\"*]{0,2}"
_LABEL = r"[`'\"*]{0,2}([^\W\d_][^,;|\n()\[\]{}<>=`\"*]{0,60}?)[`'\"*]{0,2}"
_END = rf"(?=\s?(?:[,;|\n()\[\]{{}}<>]|\.(?:\s|$)|$)|\s(?:or|and)\s{_CODE}|\s?/\s?{_CODE}|\s{_CODE}\s?[:=])"
_CODE_FIRST = lazy_pattern(
    rf"(?<![\w.:=-]){_CODE}\s?(?::|=>?|->|\u2192|\u2013|\u2014|-(?=\s)|\bmeans\b)\s?{_LABEL}{_END}"
)
_CODE_BEFORE_BRACKETS = lazy_pattern(rf"(?<![\w.:=-]){_CODE}\s?\(\s?{_LABEL}\s?\)")
_LABEL_FIRST = lazy_pattern(
    rf"(?:^|[,;|\n(:.]|\b(?:or|and)\b)\s?(?:[-*\u2022]\s?)?{_LABEL.replace('[^,', '[^:,')}\s?"
    rf"(?:\(\s?{_CODE}\s?\)|=\s?{_CODE}(?![\w.]))"
)
_SPACES = lazy_pattern(r"\s+")
_DIGIT = lazy_pattern(r"[0-9]")
_DETAIL = lazy_pattern(r"\s[-\u2013\u2014]\s|:\s")
_NO_LABELS = frozenset({
    "about", "at", "between", "count", "day", "default", "e", "eg", "example", "from", "hour", "least", "length",
    "limit", "max", "maximum", "min", "minimum", "minute", "most", "page", "range", "second", "size", "than", "to",
    "up", "version",
})  # fmt: skip
"""Words in front of a number that is an amount or a limit, not a code."""


def find_labels(root: Schema, node: Any) -> Mapping[str, str]:
    """Return the meaning of each code that the schema of a value explains, by the code as a text."""
    every = list(layers(root, node))
    if any(is_secret("", layer) for layer in every):
        return {}
    choices = [choice for layer in every for choice in _choices(layer)]
    codes = {str(choice) for choice in choices if _is_code(choice)}
    if len(codes) < len({str(choice) for choice in choices}):
        return {}  # words among the choices say themselves what they mean
    texts = [text[:_MOST_READ] for layer in every if isinstance(text := layer.get("description"), str)]
    pairs = [pair for layer in every for pair in _read_layer(layer)]
    pairs += [pair for text in texts if _DIGIT.search(text) for pair in _read_text(text, has_choices=bool(codes))]
    return _select([(code, label) for code, label in pairs if not codes or code in codes])


def add_label(text: str, code: Any, labels: Mapping[str, str]) -> str:
    """Write the meaning of a code behind it, if it has one: `2 (User)`."""
    label = labels.get(str(code)) if _is_code(code) else None
    return f"{text} ({label})" if label else text


def _choices(layer: Schema) -> list[Any]:
    return [*as_list(layer.get("enum")), *([layer["const"]] if "const" in layer else [])]


def _is_code(choice: Any) -> bool:
    """Whether a choice is a number, or the digits of one, and so says nothing by itself."""
    is_digits = isinstance(choice, str) and choice.isascii() and choice.isdigit()
    return is_digits or (is_number(choice) and abs(choice) < 10**6 and choice == int(choice))


def _read_layer(layer: Schema) -> Iterator[tuple[str, str]]:
    """Yield what the keywords beside codes say about them."""
    choices = as_list(layer.get("enum"))[:_MOST_CODES]
    for keyword in _NAME_LISTS:
        names = as_list(layer.get(keyword))
        if len(names) == len(choices):
            yield from ((str(choice), name) for choice, name in zip(choices, names, strict=True) if _is_label(name))
    name = next((text for word in ("title", "description") if _is_label(text := layer.get(word))), None)
    if "const" in layer and name:
        yield str(layer["const"]), name


def _is_label(name: Any) -> bool:
    return isinstance(name, str) and 0 < len(name) <= _LONGEST and is_clean(name) and is_harmless(name)


@lru_cache(maxsize=256)
def _read_text(text: str, *, has_choices: bool) -> tuple[tuple[str, str], ...]:
    """Return the codes that a description explains. A word in front of a number is often no label."""
    start = _SPACES.sub(_shorten_space, text)
    bracketed = [(code, label) for code, label in _find_pairs(_CODE_BEFORE_BRACKETS, start) if _may_be_label(label)]
    first = [*_find_pairs(_CODE_FIRST, start), *bracketed]
    if len(first) > 1 or (first and not has_choices):
        return tuple(first)
    behind = [(found[2] or found[3], _shorten(found[1])) for found in _LABEL_FIRST.finditer(start)]
    labels = [(code, label) for code, label in behind if label and _may_be_label(label)]
    return tuple(labels if len(labels) > 1 and len(labels) == len(behind) else first)


def _shorten_space(found: re.Match[str]) -> str:
    """Return one blank or line break for several, so that a pattern has one way to read them."""
    return "\n" if "\n" in found.group() else " "


def _may_be_label(text: str) -> bool:
    return _NO_LABELS.isdisjoint(map(stem, split_words(text)))


def _find_pairs(pattern: re.Pattern[str], text: str) -> list[tuple[str, str]]:
    return [(found[1], label) for found in pattern.finditer(text) if (label := _shorten(found[2]))]


def _shorten(text: str) -> str:
    """Return a label without the explanation behind it; empty if it is none."""
    label = _DETAIL.split(text, 1)[0].strip(" .'\"`*")
    return label if _is_label(label) and len(label.split()) <= _MOST_WORDS else ""


def _select(pairs: list[tuple[str, str]]) -> Mapping[str, str]:
    """Keep the codes with one meaning that no other code has."""
    pairs = pairs[:_MOST_CODES]
    known = {code: {normal_form(label) for other, label in pairs if other == code} for code, _ in pairs}
    uses = Counter(meaning for meanings in known.values() for meaning in meanings)
    labels = dict(reversed(pairs))
    return {
        code: labels[code] for code in known if len(known[code]) == 1 and all(uses[word] == 1 for word in known[code])
    }
