"""The words and signs of a unit expression, each with its place in the text as it was sent."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

LONGEST = 200
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
_JOINED = re.compile(r"(?<![^\W_])(?:square|sq|cubic|cu)_|_per_|_(?:squared|cubed)(?![^\W_])", re.IGNORECASE)
"""Words of the grammar with an underscore for a space: `square_meter`, `miles_per_hour`."""
_RAISED = re.compile(r"[⁰¹²³⁴-⁹]+(?=[0-9])")


@dataclass(frozen=True, slots=True)
class Token:
    kind: str
    text: str
    start: int
    end: int


class Unparsable(Exception):
    """A text that is no unit expression: why, because of which sign of it, and what is the matter with that."""

    def __init__(self, reason: str, culprit: Token | None = None, matter: str = "", *, expected: str = "") -> None:
        super().__init__(reason)
        self.reason, self.culprit, self.matter, self.expected = reason, culprit, matter, expected


def tokens_of(text: str) -> list[Token]:
    """What a text is made of; `Unparsable` for one that is too long, and for characters that no unit has."""
    if len(text) > LONGEST:
        raise Unparsable(f"it has {len(text):,} characters, and at most {LONGEST} are read")
    if raised := _RAISED.search(text):
        raise Unparsable("a digit follows a raised one", Token("number", raised[0], raised.start(), raised.end()))
    plain, origins = _plain(text)
    found, at = list[Token](), 0
    while at < len(plain):
        match = _TOKEN.match(plain, at)
        start = origins[at]
        if match is None:
            raise Unparsable("it has an invalid character", Token("", text[start], start, start + 1))
        at = match.end()
        if (kind := match.lastgroup or "") != "space":
            said = match[0].replace(" ", "") if match[0][0] == "°" else match[0]
            found.append(Token(_KINDS.get(kind, kind), said, start, origins[at - 1] + 1))
    return found


def _plain(text: str) -> tuple[str, list[int]]:
    """A text in plain characters (wide, raised and lookalike ones replaced), and where each of them comes from."""
    pairs = [
        (plain, at)
        for at, character in enumerate(text)
        for plain in unicodedata.normalize("NFKC", _LOOKALIKES.get(character, character))
    ]
    plain = _JOINED.sub(lambda joined: joined[0].replace("_", " "), "".join(plain for plain, _ in pairs))
    return plain, [at for _, at in pairs]
