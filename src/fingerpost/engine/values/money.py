"""Words for money and for rates behind a number: `5 EUR`, `500 ct`, `50 yen`, `50 per month`.

Which currency an amount is in, whether it counts cents, and how often it is due make it another quantity. So the number
alone is right only where the parameter, or an argument beside it, says the same.
"""

from __future__ import annotations

import re

from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.matching.spelling import split_words, stem

MONEY_SIGNS = "$\u20ac\u00a3\u00a5\u20b9\u20a9\u20bd\u20ba\u20bf\u20ab\u20b1"
MINOR_UNIT = lazy_pattern(
    r"(?:cent|ct|c\u00e9ntimo|centavo|centime|penny|pennies|pence|sat|satoshi|wei|gwei|lamport|[o\u00f6\u00f8]re"
    r"|kopek|kopeck|paise|paisa|piast(?:er|re)|fils|rappen|grosz|groszy|mill|subunit)s?"
)
_SIGN = lazy_pattern(rf"[A-Z]{{0,3}}[{MONEY_SIGNS}\u00a2]")
_CODES = frozenset({
    "aed", "ars", "aud", "bgn", "brl", "cad", "chf", "clp", "cny", "cop", "czk", "dkk", "egp", "eur", "gbp", "hkd",
    "huf", "idr", "ils", "inr", "isk", "jpy", "kes", "krw", "kwd", "mad", "mxn", "myr", "ngn", "nok", "nzd", "pen",
    "php", "pkr", "pln", "qar", "ron", "rsd", "rub", "sar", "sek", "sgd", "thb", "try", "twd", "uah", "usd", "vnd",
    "zar", "btc", "eth", "sol", "usdc", "usdt", "xrp",
})  # fmt: skip
_CURRENCIES = frozenset({
    "baht", "bitcoin", "buck", "dinar", "dirham", "dollar", "ether", "euro", "forint", "franc", "koruna", "krona",
    "krone", "lira", "peso", "quid", "renminbi", "ringgit", "riyal", "rouble", "ruble", "rupee", "rupiah", "shekel",
    "yen", "yuan", "zloty",
})  # fmt: skip
_UNCLEAR = frozenset({"crown", "mark", "pound", "rand", "real", "won"})
"""Currencies whose names mean something else unless they are about money."""
_SUMS = frozenset({
    "amount", "balance", "bid", "bonus", "budget", "charge", "cost", "credit", "deposit", "donation", "fee", "fine",
    "income", "pay", "payment", "price", "refund", "rent", "salary", "sum", "tax", "tip", "total", "value", "wage",
})  # fmt: skip
_LETTERS = frozenset({"c", "p", "\u00a2"})
_RATES = frozenset({
    "a", "an", "annually", "apiece", "biweekly", "daily", "each", "every", "hourly", "monthly", "pa", "per",
    "quarterly", "weekly", "yearly",
})  # fmt: skip


def is_currency(unit: str, name: str) -> bool:
    """Whether a word or sign behind a number is a currency, for a parameter of this name."""
    word = _first_word(unit)
    if _SIGN.fullmatch(unit.split()[0]) or word in _CURRENCIES or (word in _CODES and not _is_small_word(unit)):
        return True
    return word in _UNCLEAR and _is_sum(name)


def is_minor_unit(unit: str, name: str = "") -> bool:
    """Whether a word is a part of a currency. A letter is one only for a sum of money: `50c`, `50p`."""
    word = unit.split()[0].lower()
    return MINOR_UNIT.fullmatch(word) is not None or (word in _LETTERS and _is_sum(name))


def _is_sum(name: str) -> bool:
    return not _SUMS.isdisjoint(map(stem, split_words(name)))


def is_rate(unit: str) -> bool:
    """Whether words behind a number say how often or for which of several things it counts."""
    return not _RATES.isdisjoint(unit.lower().split())


def says_unit(unit: str, name: str, description: str) -> bool:
    """Whether a parameter names exactly this unit, in its name or its description."""
    words = {stem(word.lower()) for word in unit.split()}
    if words <= {*map(stem, split_words(name))}:
        return True
    return re.search(rf"(?<!\w){re.escape(unit)}(?!\w)", description[:500], re.IGNORECASE) is not None


def _first_word(unit: str) -> str:
    return stem(unit.split()[0].split("/")[0].lower())


def _is_small_word(unit: str) -> bool:
    """Whether a code is written like a word: `10 try` and `3 pens` are no money."""
    return unit.split()[0].islower() and _first_word(unit) in ("mad", "pen", "php", "sol", "try", "ron", "cad", "sat")
