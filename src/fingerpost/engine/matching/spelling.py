"""How names are spelled: split a name into words, reduce a word to its singular, compare two names letter by letter.

Needs no word lists and nothing else of the matcher, so every module can use it.
"""

from __future__ import annotations

import unicodedata
import zlib
from collections.abc import Callable
from functools import cache, lru_cache

from fingerpost.engine.lazy_pattern import lazy_pattern

MAX_NAME_LENGTH = 128
"""Characters of a name that are split into words. The rest counts as one more word."""

_MAX_SPELLING_LENGTH = 1024
_MAX_DIGESTED = 16_384
_MAX_WORDS = 24
_WORD = lazy_pattern(r"[^\W\d_]+|\d+")
_HUMPS = lazy_pattern(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BETWEEN_WORDS = lazy_pattern(r"(?<=[^\W\d_])[_\-\s.]+(?=[^\W_])|(?<=\d)[_\-\s.]+(?=[^\W\d_])")
_IRREGULAR = {
    "aliases": "alias", "analyses": "analysis", "axes": "axis", "bios": "bios", "caches": "cache",
    "calories": "calorie", "canvases": "canvas", "children": "child", "cookies": "cookie", "cpus": "cpu",
    "criteria": "criterion", "customs": "customs", "dbs": "db", "diagnoses": "diagnosis", "gases": "gas",
    "goods": "goods", "gpus": "gpu", "heroes": "hero", "hrs": "hour", "ids": "id", "indice": "index",
    "indices": "index", "ips": "ip", "lens": "lens", "lenses": "lens", "logistics": "logistics", "mars": "mars",
    "matrices": "matrix", "means": "means", "men": "man", "menus": "menu", "mice": "mouse", "mins": "minute",
    "movies": "movie", "news": "news", "pandas": "pandas", "people": "person", "prs": "pr", "quizzes": "quiz",
    "secs": "second", "securities": "securities", "series": "series", "shelves": "shelf", "species": "species",
    "tvs": "tv", "txs": "tx", "vertices": "vertex", "vms": "vm", "windows": "windows", "women": "woman",
}  # fmt: skip
_SIBILANT = lazy_pattern(r"(?:ss|ch|sh|x|zz|[^aeofm]us)es$")
_ENCRYPTED_PROTOCOLS = frozenset({
    "amqps", "ftps", "https", "imaps", "ircs", "ldaps", "mqtts", "rtmps", "sips", "smtps",
})  # fmt: skip
"""Not plurals: `https` is not several of `http`."""
_BRITISH = lazy_pattern(
    r"^(.*(?:anal|catal|paral))ys(?=e|ing)|"
    r"^(.*(?:organ|summar|optim|normal|author|initial|serial|synchron|visual|custom|categor|recogn|final|token|local|"
    r"standard|minim|maxim|priorit|util|real|general|special|random|capital|character|central|digit|anonym|container|"
    r"parameter|memor|equal|vector|modern|personal|digital))is(?=e|ing|ation)|"
    r"^(.*(?:col|fav|behavi|neighb|lab|hon|flav|harb|hum))our|"
    r"^(cent|met|lit|fib|theat|.*met|.*lit)re(?=s?$)|"
    r"^(.*(?:def|off|lic))ence(?=s?$)|^(.*(?:catal|dial|anal))ogue|"
    r"^(?!.*(?:[vw]|[chkn]r|[^u]pr|[enrx]c|advert|chast|dem|desp|expert|franch|merchand|parad|prem|prom|treat)is)"
    r"(.{2,}[bcdfghjklmnpqrstvwxz])is(?=ed?$|ing$|ation$)"
)
_AMERICAN = ("yz", "iz", "or", "er", "ense", "og", "iz")
"""The replacement for each group of `_BRITISH`."""


def spelling(name: str) -> str:
    """Return a name without case and without separators between its words; everything else stays."""
    if len(name) > _MAX_SPELLING_LENGTH:
        return name
    return _BETWEEN_WORDS.sub("", unicodedata.normalize("NFKC", name)).casefold()


def normal_form(name: str) -> str:
    """Return the letters and digits of a name, in one case."""
    return "".join(split_words(name))


def split_words(name: str) -> tuple[str, ...]:
    """Split a name: `searchFiles`, `search-files` and `SEARCH_FILES` all give (search, files)."""
    if len(name) <= MAX_NAME_LENGTH:
        return _split_words(name)
    rest, length = name[MAX_NAME_LENGTH:], len(name) - MAX_NAME_LENGTH
    if length > _MAX_DIGESTED:
        rest = rest[: _MAX_DIGESTED // 2] + rest[-_MAX_DIGESTED // 2 :]
    digest = f"{zlib.crc32(rest.casefold().encode(errors='replace')):x}x{length:x}"
    return (*_split_words(name[:MAX_NAME_LENGTH]), digest)


@lru_cache(maxsize=16384)
def _split_words(name: str) -> tuple[str, ...]:
    normalized = unicodedata.normalize("NFKC", name)
    found = [word.casefold() for word in _WORD.findall(_HUMPS.sub("_", normalized))]
    return (*found[:_MAX_WORDS], "".join(found[_MAX_WORDS:])) if len(found) > _MAX_WORDS else tuple(found)


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """Return the singular of a word in American spelling."""
    word = _IRREGULAR.get(word) or _singular(word)
    british = _BRITISH.match(word)
    if british and british.lastindex:
        word = british[british.lastindex] + _AMERICAN[british.lastindex - 1] + word[british.end() :]
    return word


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word in _ENCRYPTED_PROTOCOLS:
        return word
    return word[:-2] if _SIBILANT.search(word) else word[:-1]


def count_edits(one: str, other: str, limit: int) -> int:
    """Count the letters to change, add, drop or swap; any number above `limit` if there are more."""
    return edit_distance()(one, other, score_cutoff=limit)


@cache
def edit_distance() -> Callable[..., int]:
    """Load the edit distance, which counts a swap as one edit. Loaded only when a name is wrong."""
    from rapidfuzz.distance import OSA

    return OSA.distance
