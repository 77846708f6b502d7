"""What words mean: short forms, synonyms, opposites, units, and which strings are words at all.

The tables are curated text in `data/*.txt`. They are read when a name is first found wrong.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache

from fingerpost.engine.matching.spelling import split_words, stem


@cache
def _ordinary_words() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return English words in three groups: most common, common (with the technical terms), and rare."""
    commonest, common, rest = zlib.decompress(read_table("words.z")).decode().split("\n")
    return frozenset(commonest.split()), _technical_terms().union(common.split()), frozenset(rest.split())


@cache
def _technical_terms() -> frozenset[str]:
    return frozenset(word for line in table_lines("terms.txt") for word in line.split())


def is_technical_term(word: str) -> bool:
    """Whether a word names a format, a protocol or a product."""
    return word in _technical_terms()


def is_known_word(word: str) -> bool:
    """Whether a string is a known word or short form, however rare."""
    return word in short_forms() or any(word in tier for tier in _ordinary_words())


def is_common_word(word: str) -> bool:
    """Whether a string is an ordinary word that everybody uses."""
    commonest, common, _ = _ordinary_words()
    return word in commonest or word in common


def is_word_in_own_right(word: str, other: str) -> bool:
    """Whether `word` is a word itself, so no misspelling of `other`; a rare word may be one of a very common one."""
    commonest, common, rest = _ordinary_words()
    if word in commonest or word in common or word in short_forms():
        return True
    return word in rest and other not in commonest


@cache
def short_forms() -> Mapping[str, tuple[str, ...]]:
    """Return the stems that each short form may stand for."""
    lines = (line.split(":") for line in table_lines("abbreviations.txt"))
    return {short: tuple(dict.fromkeys(map(stem, full.split()))) for short, full in lines}


@lru_cache(maxsize=16384)
def full_forms(word: str) -> tuple[str, ...]:
    """Return the stems a word may stand for: its own, and those it is short for."""
    single = stem(word)
    full = short_forms().get(word) or short_forms().get(single, ())
    return (single, *[one for one in full if one != single])


@cache
def _groups() -> Mapping[str, Mapping[str, frozenset[int]]]:
    """Return, by section, the groups of synonyms that each word or whole name belongs to."""
    sections: dict[str, defaultdict[str, set[int]]] = {}
    section = ""
    for number, line in enumerate(table_lines("synonyms.txt")):
        if line.startswith("["):
            section = line.strip("[]")
            sections[section] = defaultdict(set)
            continue
        for name in line.split():
            sections[section]["".join(map(stem, name.split("_")))].add(number)
    return {section: {name: frozenset(ids) for name, ids in names.items()} for section, names in sections.items()}


_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_SECTIONS = {"tool": ("verbs", "nouns"), "parameter": ("parameters", "nouns"), "value": ("values", "nouns", "verbs")}
_NO_GROUPS: frozenset[int] = frozenset()


@lru_cache(maxsize=16384)
def synonym_groups(name: str, kind: str) -> frozenset[int]:
    """Return the groups of synonyms that a word (or a whole name, its stems joined) belongs to."""
    groups = _groups()
    return _NO_GROUPS.union(*[groups[section].get(name, _NO_GROUPS) for section in _SECTIONS[kind]])


def share_group(section: str, one: str, other: str) -> bool:
    """Whether two stems are synonyms in one section of the table: verbs, nouns, parameters or values."""
    groups = _groups()[section]
    return not groups.get(one, _NO_GROUPS).isdisjoint(groups.get(other, _NO_GROUPS))


@lru_cache(maxsize=16384)
def is_verb(word: str) -> bool:
    """Whether a word, with or without a prefix such as un- or re-, is a verb that tool names begin with."""
    verbs = _groups()["verbs"]
    return word in verbs or any(
        word.startswith(prefix) and word[len(prefix) :] in verbs for prefix in ("un", "re", "de", "dis")
    )


_SMALL_WORDS = frozenset({
    "a", "all", "an", "and", "any", "as", "at", "by", "do", "for", "from", "in", "is", "it", "me", "my", "of", "on",
    "or", "that", "the", "this", "to", "up", "with",
})  # fmt: skip
_FILLERS = frozenset({
    "async", "content", "data", "detail", "info", "item", "list", "name", "new", "object", "param", "result", "str",
    "string", "tool", "value",
})  # fmt: skip
_COMMON_VERBS = frozenset({
    "add", "check", "create", "delete", "describe", "execute", "fetch", "find", "generate", "get", "list", "make",
    "manage", "query", "read", "remove", "retrieve", "run", "search", "send", "set", "show", "update", "view",
    "write",
})  # fmt: skip
_WEIGHTS = {**dict.fromkeys(_COMMON_VERBS, 0.5), **dict.fromkeys(_FILLERS, 0.6), **dict.fromkeys(_SMALL_WORDS, 0.3)}
"""How much a word says about what a name stands for; 1 for all others."""


def plain_weight(word: str) -> float:
    """Return how much a word says, whatever names it is in."""
    return _WEIGHTS.get(word, 1.0)


def is_distinctive(word: str) -> bool:
    """Whether a word says what a name is about: no verb, filler, small word, letter or number."""
    return len(word) > 1 and word not in _WEIGHTS and not word.isdigit()


@cache
def _modifiers() -> frozenset[str]:
    return frozenset(word for line in table_lines("modifiers.txt") for word in line.split())


def is_modifier(word: str) -> bool:
    """Whether a word in front of a name says how, when or for whom. Such a word is no namespace."""
    return word in _modifiers()


@cache
def _opposites() -> Mapping[str, frozenset[str]]:
    pairs: defaultdict[str, set[str]] = defaultdict(set)
    for line in table_lines("opposites.txt"):
        one, other = ({stem(word) for word in side.split()} for side in line.split("/"))
        for word in one:
            pairs[word] |= other
        for word in other:
            pairs[word] |= one
    return {word: frozenset(others - {word}) for word, others in pairs.items()}


_PREFIXES = (
    "un", "dis", "de", "in", "non", "anti", "im", "ir", "il", "mis", "no", "re", "pre", "post", "sub", "super",
    "semi", "co", "rein", "over", "under", "counter", "half", "vice", "quarter", "demi", "quasi", "pseudo", "auto",
)  # fmt: skip
"""Prefixes that turn a word into a different one."""
_OPPOSITE_PREFIXES = {
    (one, other)
    for pair in (
        "un/re", "de/re", "dis/re", "un/de", "en/de", "en/dis", "on/off", "in/out", "over/under", "up/down",
        "hyper/hypo", "endo/exo", "inter/intra", "im/em", "in/ex", "in/de", "pre/post", "pre/re", "ante/post",
        "macro/micro", "mono/multi", "uni/multi", "get/set", "im/ex", "em/ex", "af/ef",
    )
    for one, other in (pair.split("/"), pair.split("/")[::-1])
}  # fmt: skip
"""Prefixes that make two words with the same rest opposites: unpublish, republish."""
_ROLE_ENDINGS = ("er", "or", "ee")
NEGATIONS = frozenset({"no", "not", "non", "never", "without", "except"})
"""Words that turn a name into its opposite."""


@lru_cache(maxsize=16384)
def are_opposite(one: str, other: str) -> bool:
    """Whether two different stems undo or exclude each other, by the table, their prefixes or their endings."""
    if other in _opposites().get(one, ()):
        return True
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    if len(shorter) > 2 and any(longer == prefix + shorter for prefix in _PREFIXES):
        return True
    if one[-3:] == other[-3:] and any(
        one.startswith(a) and other.startswith(b) and len(one) > len(a) + 2 and one[len(a) :] == other[len(b) :]
        for a, b in _OPPOSITE_PREFIXES
    ):
        return True
    ends = {one[-2:], other[-2:]}
    return "ee" in ends and ends <= {*_ROLE_ENDINGS} and one[:-2] == other[:-2]


_SIDES = frozenset("xyzlrudshvnew")
_SHORT_WORDS = frozenset({"on", "off", "in", "out", "up", "to", "by", "id", "ip", "no", "min", "max", "col", "row"})


@lru_cache(maxsize=16384)
def differ_by_compound_part(one: str, other: str) -> bool:
    """Whether both are compounds with one word in common and one that differs: `minprice`, `maxprice`."""
    for size in range(4, min(len(one), len(other))):
        if one[-size:] == other[-size:] and _are_compounds(one[-size:], one[:-size], other[:-size]):
            return True
        if one[:size] == other[:size] and _are_compounds(one[:size], one[size:], other[size:]):
            return True
    return False


def _are_compounds(shared: str, one: str, other: str) -> bool:
    """Letters for sides and axes count as words: `xlabel` and `ylabel` differ like `minprice` and `maxprice`."""
    if not is_common(shared):
        return False
    if len(one) == len(other) == 1:
        return len(shared) > 3 and {one, other} <= _SIDES
    return all(part in _SHORT_WORDS or (len(part) > 2 and is_common(part)) for part in (one, other))


def is_common(word: str) -> bool:
    commonest, common, _ = _ordinary_words()
    return word in commonest or word in common


def is_commonest(word: str) -> bool:
    return word in _ordinary_words()[0]


def is_near_common_word(text: str) -> bool:
    """Whether one edit turns the text into a common word."""
    commonest, common, _ = _ordinary_words()
    halves = [(text[:at], text[at:]) for at in range(len(text) + 1)]
    return any(
        near in commonest or near in common
        for head, tail in halves
        for near in (
            head + tail[1:],
            head + tail[1:2] + tail[:1] + tail[2:],
            *[head + letter + tail[1:] for letter in _LETTERS],
            *[head + letter + tail for letter in _LETTERS],
        )
    )


def table_lines(table: str) -> Iterator[str]:
    """Read a table of the package without its comments and empty lines."""
    text = read_table(table).decode()
    return (line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))


def read_table(table: str) -> bytes:
    """Read a table of the package."""
    from importlib.resources import files  # slow to load, and needed only when a name is wrong

    return files("fingerpost").joinpath(f"data/{table}").read_bytes()


@cache
def _commentary() -> Mapping[str, frozenset[str]]:
    """Return the sections of the list of commentary words, as stems; names of several words are joined."""
    sections: dict[str, set[str]] = {}
    section: set[str] = set()
    for line in table_lines("commentary.txt"):
        if line.startswith("["):
            section = sections.setdefault(line.strip("[]"), set())
            continue
        section.update("".join(map(stem, name.split("_"))) for name in line.split())
    return {name: frozenset(words) for name, words in sections.items()}


_IDENTIFIER_WORDS = frozenset({"id", "key", "uuid", "guid", "identifier", "token"})


def is_remark(stems: Sequence[str]) -> bool:
    """Whether a name may be a remark about the call as well as a text for the tool."""
    return "".join(stems) in _commentary()["remarks"]


@lru_cache(maxsize=4096)
def is_commentary(name: str) -> bool:
    """Whether an argument of this name explains a call, or belongs to the agent's harness, whatever the tool."""
    words = [stem(word) for word in split_words(name)]
    table = _commentary()
    if "".join(words) in table["words"] or ("i" in words and len(words) > 2):
        return True  # `what_i_am_doing`: the agent speaks of itself
    if words and words[-1] in _IDENTIFIER_WORDS:
        return len(words) > 1 and table["identifiers"].issuperset(words[:-1])
    if len(words) > 1 and words[0] in table["subjects"] and table["texts"].issuperset(words[1:]):
        return True
    has_reason = not table["words"].isdisjoint(words)
    return has_reason and all(word in table["words"] or word in table["fillers"] for word in words)


def find_commentary_head(words: tuple[str, ...]) -> str | None:
    """Return the last word of a name if it stands for commentary: `commit_reason` is a reason, not a commit."""
    return words[-1] if len(words) > 1 and stem(words[-1]) in _commentary()["words"] else None


def commentary_words(words: Iterable[str]) -> list[str]:
    """Return the stems among these that make a name commentary. If a tool is about them, they do not."""
    table = _commentary()
    return [word for word in words if word in table["words"] or word in table["identifiers"]]


@cache
def _generic_names() -> frozenset[str]:
    return frozenset(name.replace("_", "") for line in table_lines("generic_names.txt") for name in line.split())


_AROUND_GENERIC_NAMES = frozenset({"the", "my", "tool", "function"})


def is_generic(words: tuple[str, ...]) -> bool:
    """Whether a name, given by its words, says nothing about its value: `input`, `__arg1`."""
    rest = [word for word in words if not word.isdigit() and word not in _AROUND_GENERIC_NAMES]
    return "".join(rest) in _generic_names()
