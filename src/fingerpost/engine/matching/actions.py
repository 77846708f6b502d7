"""What a tool does to what, by its name: its verb, the things it concerns, and how dangerous it is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from functools import cache, lru_cache
from itertools import pairwise, product
from typing import NamedTuple

from fingerpost.engine.matching.lexicon import (
    are_opposite,
    full_forms,
    is_distinctive,
    is_known_word,
    is_verb,
    plain_weight,
    share_group,
    table_lines,
)
from fingerpost.engine.matching.spelling import count_edits, split_words, stem


class Danger(IntEnum):
    """What a call may do to things, least first."""

    READS = 0
    WRITES = 1
    DESTROYS = 2


class Action(NamedTuple):
    """The name of a tool, read as a verb and the things it concerns. All are stems."""

    verb: str
    nouns: tuple[str, ...]
    """The distinctive words behind or around the verb, in order."""
    prefix: tuple[str, ...]
    """Words in front of the verb, which may be a namespace."""

    @property
    def danger(self) -> Danger | None:
        """What the verb says about danger; None without a verb."""
        return danger_of(self.verb) if self.verb else None


@lru_cache(maxsize=4096)
def read_action(name: str) -> Action:
    """Split the name of a tool into its verb and the things it concerns."""
    words = _join_phrasal_verb([stem(word) for word in split_words(name)])
    at = _find_verb(words)
    if at is None:
        return Action("", _nouns(words), ())
    if at == len(words) - 1 and at > 0:
        return Action(words[at], _nouns(words[:at]), ())
    return Action(words[at], _nouns(words[at + 1 :]), words[:at])


def _join_phrasal_verb(words: Sequence[str]) -> tuple[str, ...]:
    """Make one word of a verb of two at the beginning: `check_in_guest` does not check anything."""
    joined = "".join(words[:2])
    return (joined, *words[2:]) if joined in _sections()["phrasal"] else tuple(words)


@lru_cache(maxsize=4096)
def find_things(name: str) -> tuple[str, ...]:
    """Return the stems of all words of a name that may stand for things, also those that say little: `object`.

    The verb is one if it may be a noun: the tool `logs` does not log.
    """
    verb = read_action(name).verb
    words = _join_phrasal_verb([stem(word) for word in split_words(name)])
    is_thing = may_be_noun(verb)
    return tuple([one for one in words if len(one) > 1 and plain_weight(one) > _SMALL and (one != verb or is_thing)])


_SMALL = 0.3
"""The weight of words such as `to` and `by`."""


def _find_verb(words: Sequence[str]) -> int | None:
    """Return the position of the verb: the first word, else one that is hardly ever a noun, anywhere.

    A first word that may be a thing is one in front of a verb that destroys: `message_delete`.
    """
    destructive = _sections()["destructive"]
    if words and is_action(words[0]):
        return len(words) - 1 if words[-1] in destructive and may_be_noun(words[0]) else 0
    plain = PLAIN_VERBS | destructive
    found = next((place for place, word in enumerate(words) if word in plain), None)
    return len(words) - 1 if found is None and words[-1:] == ("lookup",) else found


def _nouns(words: Sequence[str]) -> tuple[str, ...]:
    return tuple([word for word in words if is_distinctive(word)])


@lru_cache(maxsize=4096)
def is_action(word: str) -> bool:
    """Whether a stem is a verb that names of tools begin with."""
    sections = _sections()
    return is_verb(word) or any(word in sections[name] for name in _VERB_SECTIONS)


PARTICLES = frozenset({"down", "in", "off", "on", "out", "up"})
_VERB_SECTIONS = ("read", "destructive", "replacing", "changing", "phrasal")


def may_be_noun(verb: str) -> bool:
    """Whether a verb, given by its stem, is as often a thing: `order`, but not `update`."""
    return verb not in PLAIN_VERBS and not any(verb in _sections()[name] for name in _VERB_SECTIONS)


@lru_cache(maxsize=4096)
def names_destruction(name: str) -> bool:
    """Whether a name has a word in it for something that destroys, undoes, interrupts or locks out.

    In the name of a tool that looks something up, such a word is a thing (`get_reset_status`), unless it is a second
    verb: `get_and_delete`.
    """
    words = split_words(name)
    pairs = [one + other for one, other in pairwise(words)]
    if read_action(name).danger is Danger.READS:
        return any(_may_destroy(word) for before, word in pairwise(words) if before in ("and", "or", "then"))
    return any(map(_may_destroy, (*words, *pairs)))


def _may_destroy(word: str) -> bool:
    bare = word.removesuffix("ing") if len(word) > _SHORTEST_ING else word
    forms = {word, bare, f"{bare}e", bare[:-1] if bare[-1:] == bare[-2:-1] else bare}
    return any(stem(form) in _sections()[name] for form in forms for name in ("destructive", "careful"))


_SHORTEST_ING = 5
"""The length up to which `ing` belongs to the word: `king`, but `zapping`."""


def in_section(name: str, verb: str) -> bool:
    """Whether a section of `actions.txt` has a verb, given by its stem."""
    return verb in _sections()[name]


@cache
def _sections() -> Mapping[str, frozenset[str]]:
    sections: dict[str, set[str]] = {}
    section: set[str] = set()
    for line in _lines_without_pairs():
        if line.startswith("["):
            section = sections.setdefault(line.strip("[]"), set())
        else:
            section.update(_verb_stem(word) for word in line.split())
    return {name: frozenset(words) for name, words in sections.items()}


def _lines_without_pairs() -> Iterator[str]:
    return (line for line in table_lines("actions.txt") if "/" not in line)


@cache
def _differences() -> Mapping[str, frozenset[str]]:
    """Return, for each verb, the verbs that do something different although they are synonyms elsewhere."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for line in table_lines("actions.txt"):
        ours, slash, theirs = line.partition("/")
        for one, other in product(ours.split(), theirs.split()) if slash else ():
            found[_verb_stem(one)].add(_verb_stem(other))
            found[_verb_stem(other)].add(_verb_stem(one))
    return {verb: frozenset(others) for verb, others in found.items()}


def _verb_stem(word: str) -> str:
    return "".join(map(stem, word.split("_")))


def are_different(one: str, other: str) -> bool:
    """Whether two verbs do different things: a thing that exists is started, not created."""
    differences = _differences()
    return any(b in differences.get(a, ()) for a in full_forms(one) for b in full_forms(other))


def are_like_verbs(one: str, other: str) -> bool:
    """Whether two verbs, given by their stems, are the same or synonyms: `reboot`, `restart`; `stop`, `power_off`."""
    if not one or not other:
        return False
    if not set(full_forms(one)).isdisjoint(full_forms(other)) or _are_switches(
        one, other, ("on", "on"), ("off", "off")
    ):
        return True
    return share_group("verbs", one, other) and not are_different(one, other) and not are_opposite(one, other)


def are_opposite_verbs(one: str, other: str) -> bool:
    """Whether two verbs, given by their stems, undo each other: also `start` and `power_off`."""
    return are_opposite(one, other) or _are_switches(one, other, ("on", "off"), ("off", "on"))


def _are_switches(one: str, other: str, *sides: tuple[str, str]) -> bool:
    """Whether two verbs switch something to these sides, and one of them does nothing else: it has `on` or `off`."""
    return any(
        in_section(ours, one) and in_section(theirs, other) and (one.endswith(ours) or other.endswith(theirs))
        for ours, theirs in sides
    )


def drop_light_verb(name: str) -> str:
    """Return what a name asks for behind a verb that says nothing: `transfer` for `make_transfer`, else nothing."""
    words = split_words(name)
    return "".join(words[1:]) if words and words[0] in _sections()["light"] else ""


@lru_cache(maxsize=1024)
def correct_verb(name: str) -> str:
    """Return a name with its first word corrected, if that is one slip away from exactly one verb; else nothing."""
    words = split_words(name)
    if len(words) < 2 or len(words[0]) < 4 or is_known_word(words[0]):
        return ""
    verbs = _sections()["read"] | _sections()["destructive"] | _sections()["changing"] | PLAIN_VERBS
    near = [verb for verb in verbs if verb[0] == words[0][0] and count_edits(words[0], verb, 1) == 1]
    return "_".join((near[0], *words[1:])) if len(near) == 1 else ""


PLAIN_VERBS = frozenset({
    "add", "append", "cancel", "clear", "create", "delete", "destroy", "disable", "drop", "edit", "enable", "execute",
    "fetch", "find", "get", "insert", "list", "modify", "move", "patch", "purge", "put", "read", "remove", "rename",
    "replace", "reset", "retrieve", "revoke", "run", "save", "search", "send", "set", "start", "stop", "update",
    "upload", "write",
})  # fmt: skip
"""Verbs that are hardly ever nouns, so that they are found anywhere in a name."""


@lru_cache(maxsize=4096)
def danger_of(verb: str) -> Danger:
    """Return what a verb does to things."""
    sections = _sections()
    forms = full_forms(verb)
    if any(form in sections["destructive"] for form in forms):
        return Danger.DESTROYS
    return Danger.READS if any(form in sections["read"] for form in forms) else Danger.WRITES
