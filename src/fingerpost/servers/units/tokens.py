"""Split a unit expression into words and signs, each with its position in the original text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

MAX_LENGTH = 200
_TOKEN = re.compile(
    r"""(?P<space>\s+ | (?<=\w)\.(?!\w))
    | (?P<word>\w*H2O(?!\w) | g0(?!\w) | °\s?(?:Re|[CFRK]|[Cc]elsius|[Ff]ahrenheit)(?![^\W\d])
        | Δ°?[^\W\d]+ | [^\W\d]+ | [°%‰$€£¥'"])
    | (?P<number>\d+(?:\.\d+)?(?:[eE][+\-\u2212]?\d+)?(?!\.\d) | \.\d+)
    | (?P<power>\*\*|\^)
    | (?P<times>[*·⋅\u00d7∙•]|\.(?=[^\W\d]))
    | (?P<over>[/÷\u2215\u2044])
    | (?P<open>\()
    | (?P<close>\))
    | (?P<minus>[\-\u2010\u2011\u2012\u2013\u2212])
    """,
    re.VERBOSE,
)
_KINDS = {"power": "^", "times": "*", "over": "/", "open": "(", "close": ")", "minus": "-"}
_LOOKALIKES = {"º": "°", "˚": "°", "∆": "Δ"}
_UNDERSCORED = re.compile(r"(?<![^\W_])(?:square|sq|cubic|cu)_|_per_|_(?:squared|cubed)(?![^\W_])", re.IGNORECASE)
"""Words of the grammar with an underscore for a space: `square_meter`, `miles_per_hour`."""
_SUPERSCRIPTS = re.compile(r"[⁰¹²³⁴-⁹]+(?=[0-9])")


@dataclass(frozen=True, slots=True)
class Token:
    kind: str
    text: str
    start: int
    end: int


class ParseError(Exception):
    """A text is not a unit expression: the reason, the token at fault, and what is wrong with that token."""

    def __init__(self, reason: str, token: Token | None = None, problem: str = "", *, expected: str = "") -> None:
        super().__init__(reason)
        self.reason, self.token, self.problem, self.expected = reason, token, problem, expected


def tokenize(text: str) -> list[Token]:
    """Split a text into tokens; `ParseError` if it is too long or contains a character that no unit has."""
    if len(text) > MAX_LENGTH:
        raise ParseError(f"it has {len(text):,} characters, and at most {MAX_LENGTH} are read")
    if digits := _SUPERSCRIPTS.search(text):
        raise ParseError("a digit follows a raised one", Token("number", digits[0], digits.start(), digits.end()))
    plain, origins = _to_plain_characters(text)
    tokens, at = list[Token](), 0
    while at < len(plain):
        match = _TOKEN.match(plain, at)
        start = origins[at]
        if match is None:
            raise ParseError("it has an invalid character", Token("", text[start], start, start + 1))
        at = match.end()
        if (kind := match.lastgroup or "") != "space":
            word = match[0].replace(" ", "") if match[0][0] == "°" else match[0]
            tokens.append(Token(_KINDS.get(kind, kind), word, start, origins[at - 1] + 1))
    return tokens


def replace_tokens(text: str, replacements: Mapping[Token, str]) -> str:
    """Replace some tokens of a text and leave everything else as it is."""
    for token, word in sorted(replacements.items(), key=lambda pair: -pair[0].start):
        text = text[: token.start] + word + text[token.end :]
    return text


def _to_plain_characters(text: str) -> tuple[str, list[int]]:
    """Replace wide, superscript and lookalike characters, and return the original position of each character."""
    pairs = [
        (plain, at)
        for at, character in enumerate(text)
        for plain in unicodedata.normalize("NFKC", _LOOKALIKES.get(character, character))
    ]
    plain = _UNDERSCORED.sub(lambda match: match[0].replace("_", " "), "".join(plain for plain, _ in pairs))
    return plain, [at for _, at in pairs]
