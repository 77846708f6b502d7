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
from string import ascii_lowercase

LONGEST = 128
"""Letters of a name that are taken apart; what follows counts as one more word."""

_MOST_WORDS = 24
_WORD = re.compile(r"[^\W\d_]+|\d+")
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
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
_SIBILANT = re.compile(r"(?:ss|ch|sh|x|zz|[^aeofm]us)es$")
_SECURED = frozenset({"amqps", "ftps", "https", "imaps", "ircs", "ldaps", "mqtts", "rtmps", "sips", "smtps"})
"""The protocol and its encrypted twin are not one thing and many."""
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
    if word in _SECURED:
        return word
    return word[:-2] if _SIBILANT.search(word) else word[:-1]


@cache
def _ordinary_words() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Words of English, the commonest, the common and the rest; words of the trade are among the common."""
    commonest, common, rest = zlib.decompress(read("words.z")).decode().split("\n")
    return frozenset(commonest.split()), _terms().union(common.split()), frozenset(rest.split())


@cache
def _terms() -> frozenset[str]:
    return frozenset(word for line in _lines("terms.txt") for word in line.split())


def is_term(word: str) -> bool:
    """Whether a word is one of the trade: a format, a protocol, a product."""
    return word in _terms()


def is_ordinary(word: str) -> bool:
    """Whether a string is a word, if a rare one."""
    return word in short_forms() or any(word in tier for tier in _ordinary_words())


def is_word_against(word: str, other: str) -> bool:
    """Whether `word` is a word of its own, so no misspelling of `other`. A rare one may be, of one of the commonest."""
    commonest, common, rest = _ordinary_words()
    if word in commonest or word in common or word in short_forms():
        return True
    return word in rest and other not in commonest


@cache
def short_forms() -> Mapping[str, tuple[str, ...]]:
    """Each short form with the stems of what it may stand for."""
    lines = (line.split(":") for line in _lines("abbreviations.txt"))
    return {short: tuple(dict.fromkeys(map(stem, full.split()))) for short, full in lines}


@lru_cache(maxsize=16384)
def full_forms(word: str) -> tuple[str, ...]:
    """The stems a word may stand for: itself, and what it is short for."""
    single = stem(word)
    full = short_forms().get(word) or short_forms().get(single, ())
    return (single, *[one for one in full if one != single])


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
def _modifiers() -> frozenset[str]:
    return frozenset(word for line in _lines("modifiers.txt") for word in line.split())


def is_modifier(word: str) -> bool:
    """Whether a word in front of a name says how, when or for whom, rather than where it belongs."""
    return word in _modifiers()


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


_UNITS = {
    form: unit
    for unit in (
        "s sec second", "ms msec millisecond", "us usec microsecond", "ns nanosecond", "minute min", "h hr hour", "day",
        "week", "month", "year", "b byte", "kb kilobyte", "mb megabyte", "gb gigabyte", "tb terabyte", "kib", "mib",
        "gib", "tib", "bit", "kbit", "mbit", "gbit", "px pixel", "pt", "em", "rem", "mm", "cm", "m meter", "km", "inch",
        "ft foot", "yd yard", "mi mile", "nm", "g gram", "mg", "kg", "lb pound", "oz ounce", "ton", "ml", "l liter",
        "gal", "c celsius", "f fahrenheit", "k kelvin", "hz", "khz", "mhz", "ghz", "w watt", "kw", "mw", "wh", "kwh",
        "mwh", "v volt", "kv", "mv", "a amp", "ma", "j joule", "kj", "ev", "kev", "mev", "pa", "kpa", "bar", "psi",
        "mol", "mmol", "usd", "eur", "gbp", "jpy", "cent", "percent", "bps", "kbps", "mbps", "gbps", "mps", "kmh",
        "mph", "deg degree", "rad radian",
    )
    for form in unit.split()
}  # fmt: skip
_SCALED = re.compile(
    r"(?:quecto|femto|pico|nano|micro|milli|centi|deci|kilo|mega|giga|tera|peta|kibi|mebi|gibi|tebi)"
    r"(?:meter|metre|liter|litre|gram|byte|bit|watt|volt|hertz|second|pascal|joule|ampere|mole|newton|ohm)s?$"
)


def unit_of(word: str) -> str | None:
    """In what a number counts, where a word says it: `timeout_ms` is not `timeout_s`, and `secs` are `seconds`."""
    return word if _SCALED.match(word) else _UNITS.get(word) or _UNITS.get(stem(word))


_PREFIXES = (
    "un", "dis", "de", "in", "non", "anti", "im", "ir", "il", "mis", "no", "re", "pre", "post", "sub", "super",
)  # fmt: skip
"""Beginnings that make another word of a word."""
_RIVALS = {
    (one, other)
    for pair in (
        "un/re", "de/re", "dis/re", "un/de", "en/de", "en/dis", "on/off", "in/out", "over/under", "up/down",
        "hyper/hypo", "endo/exo", "inter/intra", "im/em", "in/ex", "in/de", "pre/post", "pre/re", "ante/post",
        "macro/micro", "mono/multi", "uni/multi", "get/set", "im/ex", "em/ex", "af/ef",
    )
    for one, other in (pair.split("/"), pair.split("/")[::-1])
}  # fmt: skip
"""Beginnings that set two words against each other: unpublish, republish."""
_ROLES = ("er", "or", "ee")
NO = frozenset({"no", "not", "non", "never", "without", "except"})
"""Words that turn a name into its opposite."""


@lru_cache(maxsize=16384)
def are_opposite(one: str, other: str) -> bool:
    """Whether two different stems undo or exclude each other, by the table or by what stands before or behind."""
    if other in _opposites().get(one, ()):
        return True
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    if len(shorter) > 2 and any(longer == no + shorter for no in _PREFIXES):
        return True
    if one[-3:] == other[-3:] and any(
        one.startswith(a) and other.startswith(b) and len(one) > len(a) + 2 and one[len(a) :] == other[len(b) :]
        for a, b in _RIVALS
    ):
        return True
    ends = {one[-2:], other[-2:]}
    return "ee" in ends and ends <= {*_ROLES} and one[:-2] == other[:-2]


@lru_cache(maxsize=16384)
def are_glued_apart(one: str, other: str) -> bool:
    """Whether they are a word they share and, before or behind it, two different words: `minprice`, `maxprice`."""
    for size in range(4, min(len(one), len(other))):
        if one[-size:] == other[-size:] and _are_words(one[-size:], one[:-size], other[:-size]):
            return True
        if one[:size] == other[:size] and _are_words(one[:size], one[size:], other[size:]):
            return True
    return False


def _are_words(shared: str, one: str, other: str) -> bool:
    """Sides and axes count as words: `xlabel` and `ylabel` are as far apart as `minprice` and `maxprice`."""
    if not is_common(shared):
        return False
    if len(one) == len(other) == 1:
        return len(shared) > 3 and {one, other} <= _SIDES
    return all(part in _SHORT_WORDS or (len(part) > 2 and is_common(part)) for part in (one, other))


_SIDES = frozenset("xyzlrudshvnew")
_SHORT_WORDS = frozenset({"on", "off", "in", "out", "up", "to", "by", "id", "ip", "no", "min", "max", "col", "row"})


def is_common(word: str) -> bool:
    commonest, common, _ = _ordinary_words()
    return word in commonest or word in common


def is_near_a_word(string: str) -> bool:
    """Whether one slip makes a common word of it."""
    commonest, common, _ = _ordinary_words()
    halves = [(string[:at], string[at:]) for at in range(len(string) + 1)]
    return any(
        near in commonest or near in common
        for head, tail in halves
        for near in (
            head + tail[1:],
            head + tail[1:2] + tail[:1] + tail[2:],
            *[head + letter + tail[1:] for letter in ascii_lowercase],
            *[head + letter + tail for letter in ascii_lowercase],
        )
    )


def _lines(table: str) -> Iterator[str]:
    text = read(table).decode()
    return (line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))


def read(table: str) -> bytes:
    """A table of the package."""
    from importlib.resources import files  # slow to load, and not needed while every name is right

    return files("fingerpost").joinpath(f"data/{table}").read_bytes()
