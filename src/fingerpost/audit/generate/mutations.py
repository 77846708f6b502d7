"""Mutate names and values: typos, other naming styles, other types."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from random import Random
from string import ascii_lowercase
from typing import Any

from rapidfuzz.distance import OSA

from fingerpost.engine.matching.lexicon import is_known_word
from fingerpost.engine.matching.spelling import split_words
from fingerpost.engine.safety.json_input import as_list, is_number

_FAR_OUT = 10**6
_CONSONANTS = "bcdfghjklmnpqrstvwxz"
_TYPOS_TRIED = 8


# names


def misspell(name: str, random: Random) -> str:
    """Put one typo into a name: letters swapped, one lost, doubled or replaced. Short names stay as they are.

    A typo that makes another word (`vale` for `value`) is avoided: nobody could tell that it is one.
    """
    if len(name) < 4:
        return name
    wrong = _put_typo(name, random)
    for _ in range(_TYPOS_TRIED):
        if not _has_other_word(wrong, name):
            break
        wrong = _put_typo(name, random)
    return wrong


def _put_typo(name: str, random: Random) -> str:
    at = random.randrange(1, len(name) - 1)
    wrong = random.choice(
        (
            name[:at] + name[at + 1] + name[at] + name[at + 2 :],
            name[:at] + name[at + 1 :],
            name[:at] + name[at] + name[at:],
            name[:at] + random.choice(ascii_lowercase) + name[at + 1 :],
        )
    )
    return wrong if wrong != name else name[:at] + name[at + 1 :]


def _has_other_word(wrong: str, name: str) -> bool:
    """Whether a misspelled name has a word that the name does not have."""
    return any(is_known_word(word) for word in set(split_words(wrong)) - set(split_words(name)))


def is_nearest(right: str, wrong: str, known: Iterable[str]) -> bool:
    """Whether a misspelled name is closer to the right one than to any other, so that it can be corrected."""
    distance = OSA.distance(right.lower(), wrong.lower())
    return all(OSA.distance(one.lower(), wrong.lower()) > distance for one in known if one != right)


def restyle(name: str) -> str:
    """Switch between snake case and camel case; capitalize a name of one word."""
    if "_" in name or "-" in name:
        first, *rest = re.split("[_-]", name)
        return first + "".join(word.capitalize() for word in rest)
    snake = re.sub(r"(?<=[a-z0-9])([A-Z])", lambda found: f"_{found[1].lower()}", name)
    return snake if snake != name else name.capitalize()


def reorder(name: str) -> str:
    """Swap the two words of a name; any other name stays as it is."""
    words = re.split("([_-])", name)
    return "".join(reversed(words)) if len(words) == 3 and all(words) else name


def invent_name(random: Random, length: int) -> str:
    """Make up a name that resembles nothing."""
    return "".join(random.choices(_CONSONANTS, k=length))


# values


def corrupt_value(value: Any, schema: Mapping[str, Any], random: Random) -> Iterator[tuple[str, Any, bool]]:
    """Yield every kind of wrong value for a right one, and whether the right one can be recovered from it."""
    if isinstance(value, bool):
        yield "type.flag_as_text", str(value).lower(), True
        yield "type.wrong", {"value": random.randrange(10)}, False
    elif is_number(value):
        yield "type.number_as_text", json.dumps(value), True
        yield "type.word_for_number", random.choice(("fifty", "many", "a few")), False
        yield from _out_of_range(schema)
    elif isinstance(value, list):
        yield "type.json_as_text", json.dumps(value), True
        if len(as_list(value)) == 1 and not isinstance(as_list(value)[0], dict):
            yield "type.item_for_list", as_list(value)[0], True
        yield "type.wrong", random.randrange(1, 100), False
    elif isinstance(value, dict):
        yield "type.json_as_text", json.dumps(value), True
        yield "type.wrong", random.randrange(1, 100), False
    elif isinstance(value, str):
        yield "type.list_for_item", [value], True
        yield "type.wrong", {"value": random.randrange(10)}, False
        yield from _corrupt_text(value, schema, random)


def _out_of_range(schema: Mapping[str, Any]) -> Iterator[tuple[str, Any, bool]]:
    if is_number(most := schema.get("maximum", schema.get("exclusiveMaximum"))):
        yield "range.above", most + _FAR_OUT, False
    if is_number(least := schema.get("minimum", schema.get("exclusiveMinimum"))):
        yield "range.below", least - _FAR_OUT, False


def _corrupt_text(value: str, schema: Mapping[str, Any], random: Random) -> Iterator[tuple[str, Any, bool]]:
    choices = [one for one in as_list(schema.get("enum")) if isinstance(one, str)]
    if value in choices:
        wrong = misspell(value, random)
        yield "choice.misspelt", wrong, is_nearest(value, wrong, choices)
        yield "choice.restyled", value.swapcase(), True
        yield "choice.unknown", invent_name(random, 8), False
        return
    if isinstance(least := schema.get("minLength"), int) and least > 1:
        yield "length.short", value[:1], False
    if isinstance(most := schema.get("maxLength"), int) and most < 10_000:
        yield "length.long", (value or "x") * (most + 1), False
    if isinstance(schema.get("format"), str):
        yield "format.wrong", "the day after tomorrow", False
