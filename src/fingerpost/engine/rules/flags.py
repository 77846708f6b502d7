"""An undeclared flag says what a declared one says, or its opposite: `private: true` is `public: false`.

A flag is read as what it is about and whether it asks for it: `no_header`, `skip_header` and `exclude_header` are about
the header and do not ask for it. Two flags about the same thing can be exchanged, with the value turned around if one
of them asks and the other does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from fingerpost.engine.matching.lexicon import is_common_word
from fingerpost.engine.matching.spelling import count_edits, spelling, split_words

_ASKING = frozenset({
    "include", "including", "with", "show", "allow", "allowed", "permit", "enable", "enabled", "use", "run", "is",
    "has", "should", "do", "want", "on",
})  # fmt: skip
_DECLINING = frozenset({
    "no", "not", "non", "never", "dont", "disable", "disabled", "disallow", "forbid", "prevent", "deny", "skip", "off",
    "suppress",
})  # fmt: skip
_SELECTING = frozenset({"exclude", "excluding", "without", "hide", "omit", "ignore"})
"""Words that decline a part of a result. Asking for that part alone is something else: `archived: true`."""
_OPPOSITES = {
    "private": "public", "internal": "public", "offline": "online", "inactive": "active",
    "hidden": "visible", "temporary": "permanent", "async": "sync", "quiet": "verbose", "silent": "verbose",
    "nsfw": "sfw", "invalid": "valid", "informal": "formal", "disconnected": "connected", "lowercase": "uppercase",
    "descending": "ascending", "desc": "ascending", "preliminary": "final", "provisional": "final", "readonly": "edit",
}  # fmt: skip
"""Adjectives that deny something, and what they deny."""
_SYNONYMS = {
    "external": "public", "asc": "ascending", "editable": "edit", "writable": "edit", "writeable": "edit",
    "clobber": "overwrite", "reminder": "remind", "notification": "notify", "validation": "validate",
    "encryption": "encrypt", "compression": "compress", "caching": "cache",
}  # fmt: skip
"""Words that mean the same in a flag, and nouns for what a verb does."""
_PHRASES: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("ignore", "case"): ("no", "casesensitive"),
    ("case", "insensitive"): ("no", "casesensitive"),
    ("case", "sensitive"): ("casesensitive",),
    ("match", "case"): ("casesensitive",),
    ("respect", "case"): ("casesensitive",),
    ("read", "only"): ("readonly",),
    ("can", "edit"): ("edit",),
    ("may", "edit"): ("edit",),
    ("keep", "existing"): ("no", "overwrite"),
    ("preserve", "existing"): ("no", "overwrite"),
    ("overwrite", "existing"): ("overwrite",),
    ("replace", "existing"): ("overwrite",),
    **{(verb, noun): (noun,) for verb in ("keep", "make", "create", "take") for noun in ("backup", "snapshot")},
}
"""Two words that together say what neither says by itself."""
_NEGATIVE_PREFIXES = {
    "un": ("ed", "ive", "ble", "al", "ic", "ary", "ent", "ant", "en"),
    "in": ("ive", "ble", "ete", "ent", "ant"),
    "non": ("ed", "ive", "ble", "al", "ic", "ary", "ent", "ant", "final"),
}
"""Prefixes that deny, and the endings of adjectives that have them: `insured` and `installed` deny nothing."""
_DENIED_WITH_DIS = frozenset({
    "abled", "advantaged", "allowed", "approved", "armed", "connected", "continued", "engaged", "honest", "honored",
    "integrated", "joint", "mounted", "obeyed", "orderly", "owned", "proven", "qualified", "satisfied", "similar",
})  # fmt: skip
"""`discharged` and `displayed` are words of their own."""
_DIRECTIONS = ({"asc": True, "desc": False}, {"ascending": True, "descending": False})
_DIRECTION_WORDS = {word: ascends for words in _DIRECTIONS for word, ascends in words.items()}
_ORDER_WORDS = frozenset({"sort", "order", "sorted", "ordered", "sorting", "ordering", "direction", "dir", "by"})
_CONDITIONS = frozenset({"if", "unless", "when", "whenever", "until", "while"})
"""Words of a condition. Its opposite is another condition, not the same one with `false`."""
_ONLY = frozenset({"only", "just", "exclusively", "solely"})
"""Words that leave out the rest. `public_only: false` lets everything in, and not only what is private."""
_MIN_ROOT = 4
_SLIPS = 2
_MAX_FLAGS = 64
_ABOUT_ITSELF = {
    **dict.fromkeys(("on", "off", "enable", "enabled", "disable", "disabled"), "enabled"),
    **dict.fromkeys(("allow", "allowed", "permit", "deny", "disallow", "forbid"), "allowed"),
}
"""What a flag is about that has nothing but such words: to deny is not to disable."""
_AUXILIARIES = frozenset({"is", "has", "should", "do", "no", "not", "non", "never", "dont"})


class FlagReading(NamedTuple):
    """A declared flag, and the value with which it says what the undeclared one says."""

    name: str
    value: bool


class _Flag(NamedTuple):
    about: frozenset[str]
    asks: bool
    selects: bool
    is_plain: bool
    """Whether no word says that it asks or declines."""


def read_flag(stray: str, value: object, flags: Iterable[str]) -> FlagReading | None:
    """Return the only one of the declared flags that is about the same thing as an undeclared one."""
    if not isinstance(value, bool):
        return None
    if not _CONDITIONS.isdisjoint(split_words(stray)):
        return None
    names = [name for name in islice(flags, _MAX_FLAGS) if _CONDITIONS.isdisjoint(split_words(name))]
    found = _find_same(stray, names, reads_prefixes=False) or _find_same(stray, names)
    if found is None:
        return None
    name, known, sent = found
    words = {*_join_phrases(split_words(stray)), *_join_phrases(split_words(name))}
    if sent.asks is not known.asks and not _ONLY.isdisjoint(words):
        return None
    asks_for_it = value is sent.asks
    if asks_for_it and ((sent.is_plain and known.selects) or (known.is_plain and sent.selects)):
        return None
    return FlagReading(name, asks_for_it is known.asks)


def says_opposite(stray: str, name: str) -> bool:
    """Whether one of two flags asks for what the other declines: `true` for one is not `true` for the other."""
    return _parse(stray).asks is not _parse(name).asks and not _misspells_negation(stray, name)


def _misspells_negation(stray: str, name: str) -> bool:
    """Whether a flag has the word that declines in the other one, misspelled: `disabel_cache`."""
    declining = [word for word in split_words(name) if word in _DECLINING or word in _SELECTING]
    unknown = [word for word in split_words(stray) if not is_common_word(word)]
    return any(
        len(word) >= _MIN_ROOT and count_edits(own, word, _SLIPS) <= _SLIPS for own in unknown for word in declining
    )


def read_direction(stray: str, value: object, choices: Mapping[str, Sequence[Any]]) -> tuple[str, str] | None:
    """Return the only parameter that takes a direction of sorting, and the choice that an undeclared flag stands for.

    `choices` are the choices of each parameter: `descending: true` is `order: "desc"`.
    """
    sent = _parse(stray)
    if not isinstance(value, bool) or not _is_about_direction(sent):
        return None
    found = [(name, one) for name, given in islice(choices.items(), _MAX_FLAGS) if (one := _as_directions(given))]
    if len(found) != 1:
        return None
    name, directions = found[0]
    return name, directions[value is sent.asks]


def read_order(stray: str, value: object, flags: Iterable[str]) -> FlagReading | None:
    """Return the only declared flag about the direction of sorting: `order: "desc"` is `descending: true`."""
    direction = read_direction_word(value)
    if direction is None or not _ORDER_WORDS.issuperset(split_words(stray)):
        return None
    found = [(name, one.asks) for name in islice(flags, _MAX_FLAGS) if _is_about_direction(one := _parse(name))]
    if len(found) != 1:
        return None
    name, ascends = found[0]
    return FlagReading(name, direction is ascends)


def read_direction_word(value: object) -> bool | None:
    """Return whether a word asks for ascending order; None if it is about no direction."""
    return _DIRECTION_WORDS.get(value.strip().lower()) if isinstance(value, str) else None


def _is_about_direction(flag: _Flag) -> bool:
    return flag.about - _ORDER_WORDS == frozenset({"ascending"})


def read_choice(stray: str, value: object, choices: Mapping[str, Sequence[Any]]) -> tuple[str, str] | None:
    """Return the only parameter with a choice of this name, and the choice that an undeclared flag stands for.

    `private: true` is `visibility: "private"`; if there are two choices, `private: false` is the other one.
    """
    words = split_words(stray)
    sent = spelling("".join(words[1:] if words[:1] == ("is",) else words))
    texts = {
        name: [one for one in given if isinstance(one, str)] for name, given in islice(choices.items(), _MAX_FLAGS)
    }
    found = [(name, one) for name, given in texts.items() for one in given if spelling(one) == sent]
    if not isinstance(value, bool) or len(found) != 1:
        return None
    name, choice = found[0]
    others = [one for one in choices[name] if one != choice]
    if value:
        return name, choice
    return (name, others[0]) if len(others) == 1 and isinstance(others[0], str) else None


def _as_directions(choices: Sequence[Any]) -> Mapping[bool, str] | None:
    """Return the choice for each direction, if the choices are just the two."""
    names = {one.lower(): one for one in choices if isinstance(one, str)}
    known = next((known for known in _DIRECTIONS if names.keys() == known.keys()), None)
    return {known[name]: one for name, one in names.items()} if known and len(choices) == len(known) else None


def _find_same(stray: str, names: list[str], *, reads_prefixes: bool = True) -> tuple[str, _Flag, _Flag] | None:
    """Return the only declared flag about the same thing, and both flags as they are read.

    Without prefixes, `displayed` is a form of `display`, and not the opposite of `played`.
    """
    sent = _parse(stray, reads_prefixes=reads_prefixes)
    flags = [(name, _parse(name, reads_prefixes=reads_prefixes)) for name in names]
    found = [(name, flag, sent) for name, flag in flags if flag.about == sent.about]
    return found[0] if len(found) == 1 else None


def _parse(name: str, *, reads_prefixes: bool = True) -> _Flag:
    asks, is_plain, selects = True, True, False
    about: set[str] = set()
    for word in _join_phrases(split_words(name)):
        if word in _DECLINING or word in _SELECTING:
            asks, is_plain, selects = not asks, False, selects or word in _SELECTING
        elif word in _ASKING:
            is_plain = False
        else:
            word = _SYNONYMS.get(word, word)
            root = _positive(word) if reads_prefixes else word
            asks = asks is (root == word)
            about.add(_without_ending(root))
    return _Flag(frozenset(about) or _read_bare(split_words(name)), asks, selects, is_plain)


def _read_bare(words: Sequence[str]) -> frozenset[str]:
    """Return what a flag is about that only asks or declines: `off` is about being enabled, `skip` about skipping."""
    return frozenset([_ABOUT_ITSELF.get(word, word) for word in words if word not in _AUXILIARIES])


def _join_phrases(words: Sequence[str]) -> Iterator[str]:
    """Yield the words of a name, with those of the first phrase in it replaced by what they say together."""
    for place in range(len(words) - 1):
        if phrase := _PHRASES.get((words[place], words[place + 1])):
            yield from (*words[:place], *phrase, *words[place + 2 :])
            return
    yield from words


def _positive(word: str) -> str:
    """Return the opposite of an adjective that denies something, else the word itself."""
    if word in _OPPOSITES:
        return _OPPOSITES[word]
    if word.removeprefix("dis") in _DENIED_WITH_DIS and word.startswith("dis"):
        return word.removeprefix("dis")
    for prefix, endings in _NEGATIVE_PREFIXES.items():
        root = word.removeprefix(prefix)
        if root != word and len(root) >= _MIN_ROOT and root.endswith(endings):
            return root
    return word


def _without_ending(word: str) -> str:
    """Return a word without the ending of an inflection: `archived` and `archive`, `tests` and `test`."""
    for ending in ("ed", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_ROOT - 1:
            return word.removesuffix(ending)
    return word
