"""Reading what callers write for units: `kg·m/s²`, `W/(m²·K)`, `meters per second`, `sq ft`, `s-1`.

Nothing is evaluated, and no function calls itself: there is a stack of open parentheses, and a limit to the length and
to powers, so whatever is sent is answered in a moment. Words that are no unit are told with their place, all at once.
Operators bind from left to right; what stands side by side after a `/` could be meant two ways and is refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fingerpost.servers.units.dimensions import NONE, Dimension, quotient
from fingerpost.servers.units.tokens import LONGEST, Token, Unparsable, tokens_of
from fingerpost.servers.units.vocabulary import Unit, vocabulary

HIGHEST = 30
_MOST_WORDS = 6
_BEFORE = {"square": 2, "sq": 2, "cubic": 3, "cu": 3}
_AFTER = {"squared": 2, "cubed": 3}


@dataclass(frozen=True, slots=True)
class Compound:
    """Units and their powers, in the order in which they were written."""

    terms: tuple[tuple[Unit, int], ...] = ()

    @property
    def dimension(self) -> Dimension:
        made = NONE
        for unit, power in self.terms:
            made *= unit.dimension**power
        return made

    @property
    def single(self) -> Unit | None:
        """The one unit that it is, if it is one."""
        return self.terms[0][0] if len(self.terms) == 1 and self.terms[0][1] == 1 else None

    @property
    def symbol(self) -> str:
        return quotient({unit.short: power for unit, power in self.terms}) or "1"

    @property
    def label(self) -> str:
        return self.single.label if self.single else self.symbol


@dataclass(frozen=True, slots=True)
class Unknown:
    """A word that is no unit, and the words around it that it may be one with."""

    word: Token
    phrase: Token


def parsed(text: str) -> tuple[Compound, list[Unknown]]:
    """The units that a text names, and the words in it that are none."""
    return _labelled(text) or _Reader(text).read()


def _labelled(text: str) -> tuple[Compound, list[Unknown]] | None:
    """A unit as we show it, `kilogram (kg)`, which would else be read as a product."""
    name, _, symbol = text[:LONGEST].strip().removesuffix(")").partition(" (")
    unit = vocabulary().find(name) if symbol else None
    return (Compound(((unit, 1),)), []) if unit and unit == vocabulary().find(symbol) else None


@dataclass(slots=True)
class _Open:
    """What has been read since a parenthesis was opened, or from the beginning."""

    token: Token | None = None
    powers: dict[Unit, int] = field(default_factory=dict[Unit, int])
    sign: int = 1
    is_wanting: bool = True
    """Whether a unit must come next."""


class _Reader:
    """One text, read from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens_of(text)
        self.at = 0
        self.open = [_Open()]
        self.before = 0
        """The power that a word such as `square` gives to the unit after it."""
        self.unknown: list[Unknown] = []

    def read(self) -> tuple[Compound, list[Unknown]]:
        if not self.tokens:
            raise Unparsable("there is no unit in it")
        handlers = {"number": self._number, "word": self._word, "(": self._opened, ")": self._closed}
        while (token := self._peek()) is not None:
            self.at += 1
            handlers.get(token.kind, self._operator)(token)
        if len(self.open) > 1:
            opened = self.open[-1].token
            raise Unparsable("unbalanced parentheses", opened, "is never closed", expected="a closing parenthesis")
        self._finished(self.tokens[-1])
        powers = self.open[0].powers
        return Compound(tuple((unit, power) for unit, power in powers.items() if power)), self.unknown

    def _peek(self, ahead: int = 0) -> Token | None:
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else None

    def _finished(self, token: Token) -> None:
        if self.open[-1].is_wanting or self.before:
            raise Unparsable("a unit is missing", token, "has no unit after it")

    def _operator(self, token: Token) -> None:
        level = self.open[-1]
        if token.kind not in ("*", "/", "-"):
            raise Unparsable("a power must follow a unit", token)
        if level.is_wanting or self.before:
            raise Unparsable("a unit is missing", token, "has no unit before it")
        level.sign, level.is_wanting = (-1 if token.kind == "/" else 1), True

    def _number(self, token: Token) -> None:
        """A `1` that is divided stands for no unit; every other number belongs into the value."""
        after = self._peek()
        is_one = token.text == "1" and self.open[-1].is_wanting and not self.before
        if not is_one or (after is not None and not _is_division(after) and after.kind != ")"):
            raise Unparsable("a number stands in it", token, "belongs into the value")
        self.open[-1].is_wanting = False

    def _opened(self, token: Token) -> None:
        if self.before:
            raise Unparsable("a unit is missing", token, "stands where a unit is wanted")
        self._begin(token)
        self.open.append(_Open(token))

    def _closed(self, token: Token) -> None:
        if len(self.open) == 1:
            raise Unparsable("unbalanced parentheses", token, "was never opened", expected="an opening parenthesis")
        self._finished(token)
        inner, power = self.open.pop(), self._power()
        for unit, one in inner.powers.items():
            self._add(unit, one * power, token)
        self.open[-1].is_wanting = False

    def _word(self, token: Token) -> None:
        unit, length = self._phrase(token)
        if unit is None and (word := token.text.casefold()) in {"per", *_BEFORE, *_AFTER}:
            return self._keyword(token, word)
        self._begin(token)
        self.at += length - 1
        self.open[-1].is_wanting = False
        power = self._power() * (self.before or 1)
        self.before = 0
        if unit is None:
            self.unknown.append(self._unheard(token))
        else:
            self._add(unit, power, token)
        return None

    def _keyword(self, token: Token, word: str) -> None:
        if word == "per":
            return self._operator(Token("/", token.text, token.start, token.end))
        if word in _AFTER:
            raise Unparsable("a power must follow a unit", token)
        if self.before:
            raise Unparsable("a unit is missing", token, "stands where a unit is wanted")
        self.before = _BEFORE[word]
        return None

    def _begin(self, token: Token) -> None:
        """A unit or a parenthesis: after another one, and no operator between, it is a factor more."""
        level = self.open[-1]
        if not level.is_wanting and level.sign < 0:
            raise Unparsable("it can be read in two ways", token, "needs * or parentheses, as in J/(kg*K)")

    def _phrase(self, token: Token) -> tuple[Unit | None, int]:
        """The unit that most of the next words name together, and how many tokens that takes."""
        for length in range(min(_MOST_WORDS * 2, len(self.tokens) - self.at + 1), 1, -1):
            tokens = self.tokens[self.at - 1 : self.at - 1 + length]
            if _is_phrase(tokens) and not self._is_grammar(tokens):
                words = " ".join(one.text for one in tokens if one.kind == "word")
                if (unit := vocabulary().find(words)) is not None:
                    return unit, length
        return vocabulary().find(token.text), 1

    def _is_grammar(self, tokens: list[Token]) -> bool:
        """Whether a phrase with a `per` in it would swallow what belongs to more, or to less, than the phrase."""
        after = self._peek(len(tokens) - 1)
        is_raised = after is not None and (after.kind in ("number", "^") or after.text in _AFTER)
        has_per = any(one.text == "per" for one in tokens[1:])
        return has_per and (is_raised or self.open[-1].sign < 0)

    def _unheard(self, token: Token) -> Unknown:
        """A word that is no unit. Below a `/` the words after it are passed over: with it, they may be one unit."""
        run = self._run(token)
        while self.open[-1].sign < 0 and (after := self._peek()) is not None and after.end <= run.end:
            self.at += 1
        return Unknown(token, run)

    def _run(self, token: Token) -> Token:
        """The words side by side that a word stands among, as one."""
        first = last = self.tokens.index(token)
        while first and _is_name(self.tokens[first - 1]):
            first -= 1
        while last + 1 < len(self.tokens) and _is_name(self.tokens[last + 1]):
            last += 1
        start, end = self.tokens[first].start, self.tokens[last].end
        return Token("word", " ".join(one.text for one in self.tokens[first : last + 1]), start, end)

    def _power(self) -> int:
        """The power written after a unit, however it is written; 1 where there is none."""
        token = self._peek()
        if token is None:
            return 1
        if token.text.casefold() in _AFTER:
            self.at += 1
            return _AFTER[token.text.casefold()]
        if token.kind == "^":
            self.at += 1
            return self._written_power(token)
        is_close = token.start <= self.tokens[self.at - 1].end
        number = self._peek(1) if token.kind == "-" else token
        if not is_close or number is None or number.kind != "number" or number.start - token.start > 1:
            return 1
        return self._written_power(token)

    def _written_power(self, before: Token) -> int:
        written = list[Token]()
        is_bracketed = (opened := self._peek()) is not None and opened.kind == "("
        for kind in ("(", "-", "number", ")") if is_bracketed else ("-", "number"):
            token = self._peek()
            if token is not None and token.kind == kind:
                self.at += 1
                written.append(token)
            elif kind != "-":
                raise Unparsable("a power must be a whole number", token or before)
        digits = "".join("-" if one.kind == "-" else one.text for one in written if one.kind in ("-", "number"))
        after = self._peek()
        if not digits.removeprefix("-").isdecimal() or (after is not None and after.kind == "^"):
            raise Unparsable("a power must be a whole number", written[0])
        if len(digits) > 4 or abs(int(digits)) > HIGHEST:
            raise Unparsable(f"a power is higher than {HIGHEST}", written[0])
        return int(digits)

    def _add(self, unit: Unit, power: int, token: Token) -> None:
        level = self.open[-1]
        level.powers[unit] = level.powers.get(unit, 0) + power * level.sign
        if abs(level.powers[unit]) > HIGHEST:
            raise Unparsable(f"a power is higher than {HIGHEST}", token)


def _is_division(token: Token) -> bool:
    return token.kind == "/" or token.text == "per"


def _is_name(token: Token) -> bool:
    return token.kind == "word" and token.text.casefold() not in {"per", *_BEFORE, *_AFTER}


def _is_phrase(tokens: list[Token]) -> bool:
    """Words with nothing but space, or one hyphen, between them."""
    return all(one.kind == ("word" if at % 2 == 0 else one.kind) for at, one in enumerate(tokens)) and (
        all(one.kind == "word" for one in tokens)
        or (len(tokens) % 2 == 1 and all(one.kind == "-" for one in tokens[1::2]))
    )
