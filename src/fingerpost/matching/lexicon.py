"""What the words of a name are and what they mean: splitting, singulars, short forms, synonyms, opposites.

The tables are curated text beside the package (`data/*.txt`), read when a name is first found wrong.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache

LONGEST = 128
"""Letters of a name that are taken apart; what follows counts as one more word."""

_MOST_WORDS = 24
_WORD = re.compile(r"[^\W\d_]+|\d+")
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_IRREGULAR = {
    "analyses": "analysis", "axes": "axis", "caches": "cache", "children": "child", "criteria": "criterion",
    "customs": "customs", "dbs": "db", "goods": "goods", "ids": "id", "https": "https", "indice": "index",
    "indices": "index", "ips": "ip", "matrices": "matrix", "means": "means", "men": "man", "movies": "movie",
    "news": "news", "people": "person",
    "prs": "pr", "series": "series", "species": "species", "txs": "tx", "vertices": "vertex", "vms": "vm",
    "women": "woman",
}  # fmt: skip
_BRITISH = re.compile(
    r"^(.*(?:anal|catal|paral))ys(?=e|ing)|"
    r"^(.*(?:organ|summar|optim|normal|author|initial|serial|synchron|visual|custom|categor|recogn|final|token|local|"
    r"standard|minim|maxim|priorit|util|real|general|special|random|capital|character|central|digit|anonym|container|"
    r"parameter|memor|equal|vector|modern|personal|digital))is(?=e|ing|ation)|"
    r"^(.*(?:col|fav|behavi|neighb|lab|hon|flav|harb|hum))our|"
    r"^(cent|met|lit|fib|theat|.*met|.*lit)re(?=s?$)|"
    r"^(.*(?:def|off|lic))ence(?=s?$)|^(.*(?:catal|dial|anal))ogue"
)
_AMERICAN = ("yz", "iz", "or", "er", "ense", "og")


def words(name: str) -> tuple[str, ...]:
    """`searchFiles`, `search-files` and `SEARCH_FILES` share the words (search, files)."""
    if len(name) <= LONGEST:
        return _words(name)
    rest = name[LONGEST:]
    return (*_words(name[:LONGEST]), f"{zlib.crc32(rest.casefold().encode(errors='replace')):x}x{len(rest):x}")


@lru_cache(maxsize=16384)
def _words(name: str) -> tuple[str, ...]:
    folded = unicodedata.normalize("NFKC", name)
    found = [word.casefold() for word in _WORD.findall(_HUMPS.sub("_", folded))]
    return (*found[:_MOST_WORDS], "".join(found[_MOST_WORDS:])) if len(found) > _MOST_WORDS else tuple(found)


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """The singular in one spelling, near enough to see that two words differ by number or country only."""
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
    return word[:-2] if word.endswith(("sses", "ches", "shes", "xes", "zzes", "uses")) else word[:-1]


@cache
def ordinary_words() -> frozenset[str]:
    """The commoner words of English and of the trade: such a string may be a slip of meaning, but is no misspelling."""
    of_the_trade = [word for line in _lines("terms.txt") for word in line.split()]
    return frozenset([*zlib.decompress(read("words.z")).decode().split(), *of_the_trade])


def is_ordinary(word: str) -> bool:
    return word in ordinary_words() or word in short_forms()


@cache
def short_forms() -> Mapping[str, tuple[str, ...]]:
    """Each short form with the stems of what it may stand for."""
    lines = (line.split(":") for line in _lines("abbreviations.txt"))
    return {short: tuple(dict.fromkeys(map(stem, full.split()))) for short, full in lines}


@lru_cache(maxsize=16384)
def full_forms(word: str) -> tuple[str, ...]:
    """The stems a word may stand for: itself, and what it is short for."""
    single = stem(word)
    return (single, *(full for full in short_forms().get(single, ()) if full != single))


@cache
def _groups() -> Mapping[str, Mapping[str, frozenset[int]]]:
    """By section, which groups of synonyms a word or a whole name belongs to."""
    sections: dict[str, defaultdict[str, set[int]]] = {}
    section = ""
    for number, line in enumerate(_lines("synonyms.txt")):
        if line.startswith("["):
            section = line.strip("[]")
            sections[section] = defaultdict(set)
            continue
        for name in line.split():
            sections[section]["".join(map(stem, name.split("_")))].add(number)
    return {section: {name: frozenset(ids) for name, ids in names.items()} for section, names in sections.items()}


_SECTIONS = {"tool": ("verbs", "nouns"), "parameter": ("parameters", "nouns"), "value": ("values", "nouns", "verbs")}
_NONE: frozenset[int] = frozenset()


@lru_cache(maxsize=16384)
def senses(name: str, kind: str) -> frozenset[int]:
    """The groups of synonyms that a word (or a whole name, its stems joined) belongs to."""
    groups = _groups()
    return _NONE.union(*[groups[section].get(name, _NONE) for section in _SECTIONS[kind]])


@lru_cache(maxsize=16384)
def is_verb(word: str) -> bool:
    """Whether a word (or what is left without its un- or re-) is one that tools begin with."""
    verbs = _groups()["verbs"]
    return word in verbs or any(word.startswith(no) and word[len(no) :] in verbs for no in ("un", "re", "de", "dis"))


@cache
def _opposites() -> Mapping[str, frozenset[str]]:
    pairs: defaultdict[str, set[str]] = defaultdict(set)
    for line in _lines("opposites.txt"):
        one, other = ({stem(word) for word in side.split()} for side in line.split("/"))
        for word in one:
            pairs[word] |= other
        for word in other:
            pairs[word] |= one
    return {word: frozenset(others - {word}) for word, others in pairs.items()}


_UNITS = frozenset({
    "ms", "s", "sec", "secs", "second", "seconds", "min", "mins", "minute", "minutes", "h", "hour", "hours", "day",
    "days", "b", "kb", "mb", "gb", "tb", "bytes", "px", "pt", "em", "mm", "cm", "m", "km", "in", "ft", "mi", "g", "kg",
    "lb", "c", "f", "k", "usd", "eur", "gbp", "cents",
})  # fmt: skip


def is_unit(word: str) -> bool:
    """Whether a word says in what a number counts: `timeout_ms` is not `timeout_s`."""
    return word in _UNITS


_NEGATIONS = ("un", "dis", "de", "in", "non", "anti", "im", "ir", "mis", "re", "pre", "post", "sub", "super")


@lru_cache(maxsize=16384)
def are_opposite(one: str, other: str) -> bool:
    """Whether two stems undo or exclude each other."""
    if other in _opposites().get(one, ()):
        return True
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    return len(shorter) > 2 and any(longer == no + shorter for no in _NEGATIONS)


def _lines(table: str) -> Iterator[str]:
    text = read(table).decode()
    return (line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))


def read(table: str) -> bytes:
    """A table of the package."""
    from importlib.resources import files  # slow to load, and not needed while every name is right

    return files("fingerpost").joinpath(f"data/{table}").read_bytes()
