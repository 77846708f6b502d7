"""Find the parts of a long text that may contain a secret, fast.

The patterns that hide secrets are slow, and most of a text is harmless. So the text is first searched for signs: pieces
of the names of secrets and of other forms that a secret has. One search finds them all. Only what surrounds a sign is
then searched thoroughly. A sign proves nothing, but there is no secret without one.

The work is limited: a text is looked at up to a length, and searched thoroughly up to a smaller one. What is beyond
that is left out of the text, because it was not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from fingerpost.engine.lazy_pattern import lazy_pattern

LONGEST = 128 * 1024
"""The longest text that is looked at."""
MOST_SEARCHED = 24 * 1024
"""How much of it is searched thoroughly."""

_SHORT = 2_048
"""A text up to this length is searched as a whole if it may contain a secret."""
_TINY = 64
"""A text up to this length is always looked at, so that `"type": "text"` stays."""
_LEAST_SEARCHED = 32
"""A short text takes as long to search as one of this length."""
_SIGN_COST = 8
"""A sign may be that of a value to hide, which takes as long as searching this many characters more."""
_BEFORE, _AFTER = 512, 1_024
"""How far the patterns reach around a sign. A value that is longer is hidden as a whole, too."""
_LONGEST_WORD = 256
_ENDS = (" ", "\n", "\t", '"', "'", "<", ">")
"""What ends the login in a URL, so that none is cut into two."""

_NAME_SIGNS = (
    "pass", "pwd", "secret", "token", "credential", r"auth(?!ors?[^a-z])", "bearer", "cookie",
    r"k(?<=[a-z._ \-]k)ey", "connection[ _-]?string", "otp", r"pin(?!gs?[^a-z])", "ssn", "cv[vc]", "jwt",
    "verification", "security[ _-]?code", "one[ _-]?time", "login[ _-]?code", "sign[ _-]?in[ _-]?code", "2fa", "mfa",
    "tfa", "sms", "recovery[ _-]?code", "backup[ _-]?code", "access[ _-]?code", "activation",
    "kennw", "losungsw", "zugangsdaten", "mdp", "contrase", "clave", "senha", "parola", "palavra", "wachtw", "losen",
    "adgangs", "kodeord", "salasana", "haslo", "heslo", "jelsz", "sifre", "mat kh", "kata sandi",
)  # fmt: skip
_FOREIGN_NAME_SIGNS = (
    "parolă", "lösen", "hasło", "şifre", "парол", "секрет", "токен", "κωδικ", "סיסמה", "密", "口令", "パスワード",
    "暗証番号", "비밀번호", "암호", "mật kh", "كلمة", "رمز", "รหัสผ่าน", "पासवर्ड",
)  # fmt: skip
"""Pieces of every name that means a secret, in lower case."""
_LOGIN = r"(?: for| of| as| with)?[ \t]{1,3}[\"'`(]?[\w.@+\-]{1,64}:"
_OTHER_SIGNS = (
    "input_value=", "response=", "sig=", "signature=", "sig%3d", "hmac=", r"\?key=", "&key=", r"\?code=",
    "&code=", "hook", r"api\.telegram", "ifttt", "net use", "basic",
    "-----begin",
    r"-(?<=\s-)(?:[pwau]|-user|-proxy-user)", r"@(?:(?<=[^\s\"'<>]@)|//)",
    "identified",
    r"code(?:\W{1,4}|\W{1,4}(?:is|was)\W{1,4})(?:[a-z]-)?\d{4}", r"your (?:[\w\-]{1,16} ){0,3}(?:code|otp|pin)",
    rf"user(?:s|name| name)?{_LOGIN}",
    rf"log(?:in| in as|ged in as){_LOGIN}",
    r"s(?<![a-z\d]s)k-", "sk_(?:live|test)_", "rk_(?:live|test)_", "pk_(?:live|test)_", r"g(?<![a-z\d]g)h[opsur]_",
    "github_pat", "glpat-", "xox[abeoprs]-", r"a[ks]ia[a-z\d]{12}", "aiza", r"ya29\.", "eyj", "npm_", "hf_", "pypi-",
    "whsec_", r"sg\.\w{8}", "shpat_", "dop_v1", "atatt", "lin_api", "dckr_pat", r"hvs\.",
    r"\$(?:2[aby]|argon2|[156y])",
)  # fmt: skip


def _any_of(signs: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern for any of the signs, by their first letter: so the search skips what no sign begins with."""
    ends: dict[str, list[str]] = {}
    for sign in signs:
        first = sign[:2] if sign.startswith("\\") else sign[0]
        ends.setdefault(first, []).append(sign[len(first) :])
    return lazy_pattern("|".join(f"{first}(?:{'|'.join(rest)})" for first, rest in ends.items()))


_NAME_SIGN, _ANY_NAME_SIGN = _any_of(_NAME_SIGNS), _any_of(_NAME_SIGNS + _FOREIGN_NAME_SIGNS)
_SIGN, _ANY_SIGN = _any_of(_NAME_SIGNS + _OTHER_SIGNS), _any_of(_NAME_SIGNS + _FOREIGN_NAME_SIGNS + _OTHER_SIGNS)
_SPACE = lazy_pattern(r"\s")


@dataclass(slots=True)
class SearchLimit:
    """How much may still be looked at in the texts of one reply."""

    characters: int = LONGEST
    searched: int = MOST_SEARCHED

    def take(self, text: str) -> str:
        """Return the beginning of a text that may be looked at."""
        if len(text) <= _TINY:
            return text
        end = cut_between_words(text, max(0, self.characters))
        self.characters -= len(text)
        return text[:end]


class Parts(NamedTuple):
    """The parts of a text that may contain a secret, and how much of the text was looked at."""

    places: list[tuple[int, int]]
    end: int


def lower(text: str) -> str:
    """Return a text in lower case, with every letter at the same place."""
    return text.lower() if text.isascii() else text.replace("\u0130", "i").lower()


def _sign_for(lowered: str) -> re.Pattern[str]:
    return _SIGN if lowered.isascii() else _ANY_SIGN


def has_name_sign(lowered: str) -> bool:
    """Whether a text may contain the name of a secret."""
    return (_NAME_SIGN if lowered.isascii() else _ANY_NAME_SIGN).search(lowered) is not None


def find_parts(lowered: str, limit: SearchLimit) -> Parts:
    """Return which parts of a text may contain a secret; the text is in lower case."""
    if len(lowered) <= _SHORT:
        return _take_whole(lowered, limit)
    spans = list[list[int]]()
    for sign in _sign_for(lowered).finditer(lowered):
        start, end = sign.start() - _BEFORE, sign.end() + _AFTER
        if not spans or start > spans[-1][1]:
            spans.append([start, start])
        limit.searched -= end - spans[-1][1] + _SIGN_COST
        spans[-1][1] = end
        if limit.searched < 0:
            return Parts(_snap(lowered, spans), cut_between_words(lowered, sign.end()))
    return Parts(_snap(lowered, spans), len(lowered))


def _take_whole(lowered: str, limit: SearchLimit) -> Parts:
    if not _sign_for(lowered).search(lowered):
        return Parts([], len(lowered))
    limit.searched -= max(len(lowered), _LEAST_SEARCHED)
    return Parts([(0, len(lowered))], len(lowered)) if limit.searched >= 0 else Parts([], 0)


def cut_between_words(text: str, end: int) -> int:
    """Return the last place up to `end` where a text can be cut without cutting a secret into two."""
    return end if end >= len(text) else max(text.rfind(char, 0, end) for char in _ENDS) + 1


def _snap(text: str, spans: list[list[int]]) -> list[tuple[int, int]]:
    """Let each part begin and end between words, unless the word is very long."""
    return [(_find_word_start(text, max(0, start)), _find_word_end(text, end)) for start, end in spans]


def _find_word_start(text: str, at: int) -> int:
    return max(text.rfind(space, max(0, at - _LONGEST_WORD), at) for space in " \n\t") + 1 or at


def _find_word_end(text: str, at: int) -> int:
    found = _SPACE.search(text, at, at + _LONGEST_WORD)
    return min(len(text), found.start() if found else at)
