"""The negation of one of two choices is the other one: `not formal` where the choices are `formal` and `informal`.

One choice has to deny the other. Choices that merely differ leave more than two possibilities open (`not north`), and
so do three choices.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fingerpost.engine.rules.flags import read_flag

_MAX_LENGTH = 64
_WORDS = ("not ", "not_", "not-", "non-", "non_", "non ")


def find_denied_choice(value: Any, choices: Sequence[Any]) -> str:
    """Return the choice that says the same as the negation of the other one; empty if there is none."""
    if not isinstance(value, str) or len(value) > _MAX_LENGTH or len(choices) != 2:
        return ""
    text = value.strip().lower()
    text = f"not {text[1:]}" if text.startswith("!") else text
    if not text.startswith(_WORDS) or not all(isinstance(choice, str) for choice in choices):
        return ""
    readings = {choice: read_flag(text, value=True, flags=[choice]) for choice in choices}
    asked = [choice for choice, reading in readings.items() if reading and reading.value]
    denied = [choice for choice, reading in readings.items() if reading and not reading.value]
    return asked[0] if len(asked) == len(denied) == 1 else ""
