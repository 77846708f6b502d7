"""Estimate how many tokens a text costs a model.

Tokenizers fetch their vocabulary from the network; this estimate needs none. It splits like them (words with their
leading space, numbers by three digits, punctuation runs) and counts a long word as several tokens.
"""

from __future__ import annotations

import re

_PIECE = re.compile(r" ?[^\W\d_]+|\d{1,3}| ?[^\w\s]+|_+|\s+")
_LETTERS_PER_TOKEN = 6


def estimate_tokens(text: str) -> int:
    return sum(
        1 + (len(piece) - 1) // _LETTERS_PER_TOKEN if piece.strip().isalpha() else 1 for piece in _PIECE.findall(text)
    )
