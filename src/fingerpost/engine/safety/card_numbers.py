"""Recognise the numbers of payment cards by their form and their check digit (Luhn)."""

from __future__ import annotations

from fingerpost.engine.lazy_pattern import lazy_pattern

_LONGEST = 16
PRINTED_CARD_NUMBER = lazy_pattern(
    r"[2-6](?<![\w\-.].)(?:\d{3}([ \-])\d{4}\1\d{4}\1\d{4}|(?<=3)[47]\d\d([ \-])\d{6}\2\d{5})(?![\w\-]|\.\d)"
)
"""As cards show it, in groups. Without groups it looks random, and is hidden for that where it is no id."""


def is_card_number(digits: str) -> bool:
    """Whether a number has the length and the check digit of a payment card."""
    doubled = [sum(divmod(int(digit) * 2, 10)) for digit in digits[-2::-2]]
    return 13 <= len(digits) <= _LONGEST and (sum(doubled) + sum(int(digit) for digit in digits[::-2])) % 10 == 0
