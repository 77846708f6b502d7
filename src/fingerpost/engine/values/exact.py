"""Numbers that a text spells without decoration, and that no reader changes."""

from __future__ import annotations

from fingerpost.engine.lazy_pattern import lazy_pattern

LARGEST_EXACT = 2**53
"""Beyond this, servers that use floats read a neighbouring number."""

INTEGER = lazy_pattern(r"-?(?:0|[1-9][0-9]{0,15})")
NUMBER = lazy_pattern(r"-?(?=[0-9.]{1,16}$)(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
"""At most fifteen digits, which a float preserves."""
_EXPONENT = lazy_pattern(r"[eE]([+-]?[0-9]{1,2})$")

_THOUSANDS = lazy_pattern(r"-?[1-9][0-9]{0,2}\.[0-9]{2}0")


def parse_thousands(text: str) -> int | None:
    """Return the other number of a text whose point may group thousands: `1.500`. Few people end a fraction with 0."""
    return int(text.replace(".", "")) if _THOUSANDS.fullmatch(text) else None


def parse_exact(text: str, kinds: tuple[str, ...]) -> int | float | None:
    """Return the number of a text without any decoration, if no digit is lost."""
    if "integer" in kinds and INTEGER.fullmatch(text) and abs(int(text)) <= LARGEST_EXACT:
        return int(text)
    if "number" in kinds and NUMBER.fullmatch(text):
        return int(text) if INTEGER.fullmatch(text) else float(text)
    return None


def parse_exponent(text: str) -> float | None:
    """Return the number of a text such as `1.5e3`, if no digit is lost."""
    found = _EXPONENT.search(text)
    return float(text) if found and NUMBER.fullmatch(text[: found.start()]) else None
