"""Parse unit expressions: `kg·m/s²`, `W/(m²·K)`, `meters per second`, `sq ft`, `s-1`.

The parser keeps a stack of open parentheses instead of recursing, and limits the length of a text and its powers, so
any input is answered quickly. It collects all unknown words of a text with their positions. Operators bind from left
to right; units side by side after a `/` are ambiguous and refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fingerpost.servers.units.dimensions import DIMENSIONLESS, Dimension, format_quotient
from fingerpost.servers.units.tokens import MAX_LENGTH, ParseError, Token, tokenize
from fingerpost.servers.units.vocabulary import Unit, vocabulary

MAX_POWER = 30
_MAX_PHRASE_WORDS = 6
_POWERS_BEFORE = {"square": 2, "sq": 2, "cubic": 3, "cu": 3}
_POWERS_AFTER = {"squared": 2, "cubed": 3}
_KEYWORDS = frozenset({"per", *_POWERS_BEFORE, *_POWERS_AFTER})


@dataclass(frozen=True, slots=True)
class Compound:
    """Units and their powers, in the order in which they were written."""

    terms: tuple[tuple[Unit, int], ...] = ()

    @property
    def dimension(self) -> Dimension:
        product = DIMENSIONLESS
        for unit, power in self.terms:
            product *= unit.dimension**power
        return product

    @property
    def single(self) -> Unit | None:
        """The unit, if it is just one unit to the first power."""
        return self.terms[0][0] if len(self.terms) == 1 and self.terms[0][1] == 1 else None

    @property
    def symbol(self) -> str:
        return format_quotient({unit.short: power for unit, power in self.terms}) or "1"

    @property
    def label(self) -> str:
        return self.single.label if self.single else self.symbol


@dataclass(frozen=True, slots=True)
class Unknown:
    """A word that is not a unit, and the adjacent words with which it may be one."""

    word: Token
    phrase: Token


def parse_expression(text: str) -> tuple[Compound, list[Unknown]]:
    """The units in a text, and the words in it that are not units."""
    return _parse_label(text) or _Parser(text).parse()


def _parse_label(text: str) -> tuple[Compound, list[Unknown]] | None:
    """Read a label of ours, `kilogram (kg)`, which would otherwise be a product."""
    name, _, symbol = text[:MAX_LENGTH].strip().removesuffix(")").partition(" (")
    unit = vocabulary().find(name) if symbol else None
    return (Compound(((unit, 1),)), []) if unit and unit == vocabulary().find(symbol) else None


@dataclass(slots=True)
class _Group:
    """The units read since a parenthesis was opened, or since the beginning."""

    opening: Token | None = None
    powers: dict[Unit, int] = field(default_factory=dict[Unit, int])
    sign: int = 1
    needs_unit: bool = True


class _Parser:
    """Parser state for one text, read from left to right."""

    def __init__(self, text: str) -> None:
        self.tokens = tokenize(text)
        self.at = 0
        self.groups = [_Group()]
        self.pending_power = 0
        """The power that a word such as `square` gives to the next unit."""
        self.unknown: list[Unknown] = []

    def parse(self) -> tuple[Compound, list[Unknown]]:
        if not self.tokens:
            raise ParseError("there is no unit in it")
        handlers = {
            "number": self._read_number, "word": self._read_word, "(": self._open_group, ")": self._close_group,
        }  # fmt: skip
        while (token := self._peek()) is not None:
            self.at += 1
            handlers.get(token.kind, self._read_operator)(token)
        if len(self.groups) > 1:
            opening = self.groups[-1].opening
            raise ParseError("unbalanced parentheses", opening, "is never closed", expected="a closing parenthesis")
        self._check_complete(self.tokens[-1])
        powers = self.groups[0].powers
        return Compound(tuple((unit, power) for unit, power in powers.items() if power)), self.unknown

    def _peek(self, ahead: int = 0) -> Token | None:
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else None

    def _check_complete(self, token: Token) -> None:
        if self.groups[-1].needs_unit or self.pending_power:
            raise ParseError("a unit is missing", token, "has no unit after it")

    def _read_operator(self, token: Token) -> None:
        group = self.groups[-1]
        if token.kind not in ("*", "/", "-"):
            raise ParseError("a power must follow a unit", token)
        if group.needs_unit or self.pending_power:
            raise ParseError("a unit is missing", token, "has no unit before it")
        group.sign, group.needs_unit = (-1 if token.kind == "/" else 1), True

    def _read_number(self, token: Token) -> None:
        """Accept a `1` that is divided, or alone. Any other number belongs in the value."""
        after = self._peek()
        is_one = token.text == "1" and self.groups[-1].needs_unit and not self.pending_power
        if not is_one or (after is not None and not _is_division(after) and after.kind != ")"):
            raise ParseError("a number stands in it", token, "belongs into the value")
        self.groups[-1].needs_unit = False

    def _open_group(self, token: Token) -> None:
        if self.pending_power:
            raise ParseError("a unit is missing", token, "stands where a unit is wanted")
        self._check_unambiguous(token)
        self.groups.append(_Group(token))

    def _close_group(self, token: Token) -> None:
        if len(self.groups) == 1:
            raise ParseError("unbalanced parentheses", token, "was never opened", expected="an opening parenthesis")
        self._check_complete(token)
        inner, power = self.groups.pop(), self._read_power()
        for unit, one in inner.powers.items():
            self._add(unit, one * power, token)
        self.groups[-1].needs_unit = False

    def _read_word(self, token: Token) -> None:
        unit, length = self._longest_unit(token)
        if unit is None and (word := token.text.casefold()) in _KEYWORDS:
            return self._read_keyword(token, word)
        self._check_unambiguous(token)
        self.at += length - 1
        self.groups[-1].needs_unit = False
        power = self._read_power() * (self.pending_power or 1)
        self.pending_power = 0
        if unit is None:
            self.unknown.append(self._read_unknown(token))
        else:
            self._add(unit, power, token)
        return None

    def _read_keyword(self, token: Token, word: str) -> None:
        if word == "per":
            return self._read_operator(Token("/", token.text, token.start, token.end))
        if word in _POWERS_AFTER:
            raise ParseError("a power must follow a unit", token)
        if self.pending_power:
            raise ParseError("a unit is missing", token, "stands where a unit is wanted")
        self.pending_power = _POWERS_BEFORE[word]
        return None

    def _check_unambiguous(self, token: Token) -> None:
        """Refuse a unit or parenthesis that follows a divisor without an operator: it could belong to either side."""
        group = self.groups[-1]
        if not group.needs_unit and group.sign < 0:
            raise ParseError("it can be read in two ways", token, "needs * or parentheses, as in J/(kg*K)")

    def _longest_unit(self, token: Token) -> tuple[Unit | None, int]:
        """The unit that the longest run of next words names, and the number of tokens in that run."""
        for length in range(min(_MAX_PHRASE_WORDS * 2, len(self.tokens) - self.at + 1), 1, -1):
            tokens = self.tokens[self.at - 1 : self.at - 1 + length]
            if _is_phrase(tokens) and not self._has_per_operator(tokens):
                words = " ".join(one.text for one in tokens if one.kind == "word")
                if (unit := vocabulary().find(words)) is not None:
                    return unit, length
        return vocabulary().find(token.text), 1

    def _has_per_operator(self, tokens: list[Token]) -> bool:
        """Whether a `per` inside a phrase is an operator: the phrase is a divisor, or only its end has a power."""
        after = self._peek(len(tokens) - 1)
        has_power = after is not None and (after.kind in ("number", "^") or after.text in _POWERS_AFTER)
        has_per = any(one.text == "per" for one in tokens[1:])
        return has_per and (has_power or self.groups[-1].sign < 0)

    def _read_unknown(self, token: Token) -> Unknown:
        """Record an unknown word. In a divisor, skip the words after it: together they may be one unit."""
        phrase = self._adjacent_words(token)
        while self.groups[-1].sign < 0 and (after := self._peek()) is not None and after.end <= phrase.end:
            self.at += 1
        return Unknown(token, phrase)

    def _adjacent_words(self, token: Token) -> Token:
        """A word and the words directly before and after it, as one token."""
        first = last = self.tokens.index(token)
        while first and _is_name(self.tokens[first - 1]):
            first -= 1
        while last + 1 < len(self.tokens) and _is_name(self.tokens[last + 1]):
            last += 1
        start, end = self.tokens[first].start, self.tokens[last].end
        return Token("word", " ".join(one.text for one in self.tokens[first : last + 1]), start, end)

    def _read_power(self) -> int:
        """Read the power after a unit in any notation; 1 if there is none."""
        token = self._peek()
        if token is None:
            return 1
        if token.text.casefold() in _POWERS_AFTER:
            self.at += 1
            return _POWERS_AFTER[token.text.casefold()]
        if token.kind == "^":
            self.at += 1
            return self._read_exponent(token)
        is_close = token.start <= self.tokens[self.at - 1].end
        number = self._peek(1) if token.kind == "-" else token
        if not is_close or number is None or number.kind != "number" or number.start - token.start > 1:
            return 1
        return self._read_exponent(token)

    def _read_exponent(self, before: Token) -> int:
        tokens = list[Token]()
        has_parentheses = (opening := self._peek()) is not None and opening.kind == "("
        for kind in ("(", "-", "number", ")") if has_parentheses else ("-", "number"):
            token = self._peek()
            if token is not None and token.kind == kind:
                self.at += 1
                tokens.append(token)
            elif kind != "-":
                raise ParseError("a power must be a whole number", token or before)
        digits = "".join("-" if one.kind == "-" else one.text for one in tokens if one.kind in ("-", "number"))
        after = self._peek()
        if not digits.removeprefix("-").isdecimal() or (after is not None and after.kind == "^"):
            raise ParseError("a power must be a whole number", tokens[0])
        if len(digits) > 4 or abs(int(digits)) > MAX_POWER:
            raise ParseError(f"a power is higher than {MAX_POWER}", tokens[0])
        return int(digits)

    def _add(self, unit: Unit, power: int, token: Token) -> None:
        group = self.groups[-1]
        group.powers[unit] = group.powers.get(unit, 0) + power * group.sign
        if abs(group.powers[unit]) > MAX_POWER:
            raise ParseError(f"a power is higher than {MAX_POWER}", token)


def _is_division(token: Token) -> bool:
    return token.kind == "/" or token.text == "per"


def _is_name(token: Token) -> bool:
    return token.kind == "word" and token.text.casefold() not in _KEYWORDS


def _is_phrase(tokens: list[Token]) -> bool:
    """Whether these are words with only a space, or one hyphen, between them."""
    return all(one.kind == ("word" if at % 2 == 0 else one.kind) for at, one in enumerate(tokens)) and (
        all(one.kind == "word" for one in tokens)
        or (len(tokens) % 2 == 1 and all(one.kind == "-" for one in tokens[1::2]))
    )
