"""What a tool does to what, by its name: whether it may be offered in place of another.

A tool that does the opposite, concerns another thing, or is more dangerous than what was asked for is never the call
to send, however similar its name is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from functools import cache, lru_cache
from itertools import product
from typing import NamedTuple

from fingerpost.engine.matching.entities import are_other_objects, are_same_entity, is_head
from fingerpost.engine.matching.evidence import OTHER_THING, Evidence, Guard, Tier
from fingerpost.engine.matching.lexicon import (
    are_opposite,
    full_forms,
    is_distinctive,
    is_known_word,
    is_modifier,
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
    plain = _PLAIN_VERBS | destructive
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
    return verb not in _PLAIN_VERBS and not any(verb in _sections()[name] for name in _VERB_SECTIONS)


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
    verbs = _sections()["read"] | _sections()["destructive"] | _sections()["changing"] | _PLAIN_VERBS
    near = [verb for verb in verbs if verb[0] == words[0][0] and count_edits(words[0], verb, 1) == 1]
    return "_".join((near[0], *words[1:])) if len(near) == 1 else ""


_PLAIN_VERBS = frozenset({
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


def may_replace(asked: str, name: str, evidence: Evidence, danger: Danger, *, takes_arguments: bool) -> bool:
    """Whether a tool may be offered for the one that was asked for.

    `danger` is what the tool may do, by its annotations, name and description. `takes_arguments` says that the tool
    declares every argument of the call, which makes a looser synonym plausible.
    """
    if not OTHER_THING.isdisjoint(evidence.guards):
        return False
    if evidence.is_whole and Guard.WORD not in evidence.guards:
        return True
    if danger is Danger.READS and _is_unfinished(asked, name):
        return True
    if danger is not Danger.READS and _has_other_modifier(asked, name):
        return False
    ours, theirs = read_action(asked), read_action(name)
    if _has_second_verb(asked, ours.verb, name) or _has_other_noun(asked, ours, name, theirs, danger):
        return False
    is_loose = takes_arguments and danger is Danger.READS
    if is_loose and _is_noun_of(ours, theirs, evidence):
        return True
    return _has_fitting_verb(ours, theirs, danger, evidence) and _concerns_same(
        ours, theirs, evidence, is_loose=is_loose
    )


def _has_other_modifier(asked: str, name: str) -> bool:
    """Whether one name says how or how much, and the other does not: `book_all` is not `book`."""
    if have_other_particles(asked, name):
        return True
    verbs = (read_action(asked).verb, read_action(name).verb)
    others = set(split_words(asked)).symmetric_difference(split_words(name)) - {"new"}
    return any(is_modifier(word) and stem(word) not in verbs for word in others)


def have_other_particles(asked: str, name: str) -> bool:
    """Whether the words behind the first ones make different verbs of them: `turn_on_lamp` is not `turn_lamp`."""
    ours, theirs = (PARTICLES.intersection(split_words(one)[1:2]) for one in (asked, name))
    return ours != theirs


def _is_unfinished(asked: str, name: str) -> bool:
    """Whether the asked name is the beginning of the other, as many words long: `sea` and `search`."""
    ours, theirs = split_words(asked), split_words(name)
    return len(ours) == len(theirs) and "".join(theirs).startswith("".join(ours))


def _has_second_verb(asked: str, verb: str, name: str) -> bool:
    """Whether the asked name has another verb than its first one, which the tool lacks: `get_set` is not `get`."""
    others = {stem(word) for word in split_words(asked)}.difference(map(stem, split_words(name)), {verb})
    return not others.isdisjoint(_PLAIN_VERBS | _sections()["destructive"])


def _has_other_noun(asked: str, ours: Action, name: str, theirs: Action, danger: Danger) -> bool:
    """Whether a tool says what to destroy and the asked name does not, or both say nothing in other words."""
    return (danger is Danger.DESTROYS and _adds_noun(asked, name)) or _have_other_empty_nouns(asked, ours, name, theirs)


def _adds_noun(asked: str, name: str) -> bool:
    """Whether the asked name is only a verb, and the other says what to destroy: `erase` and `erase_data`."""
    return len(split_words(asked)) == 1 < len(split_words(name))


def _have_other_empty_nouns(asked: str, ours: Action, name: str, theirs: Action) -> bool:
    """Whether both names have only nouns that say nothing, and other ones: `export_data` is not `get_info`.

    What looks up such a thing returns what there is: `fetch_details` is `get_info`.
    """
    if ours.nouns or theirs.nouns or (in_section("lookup", ours.verb) and in_section("lookup", theirs.verb)):
        return False
    sent, known = (
        {stem(word) for word in split_words(one)} - {action.verb} for one, action in ((asked, ours), (name, theirs))
    )
    return bool(sent and known) and sent.isdisjoint(known)


def _is_noun_of(ours: Action, theirs: Action, evidence: Evidence) -> bool:
    """Whether the asked name is only a verb, and the tool gets what that verb makes: `add` and `get_sum`."""
    if ours.nouns or ours.danger is Danger.DESTROYS:
        return False
    return any(stem(sent) == ours.verb and stem(word) in theirs.nouns for sent, word, _ in evidence.pairs)


def _has_fitting_verb(ours: Action, theirs: Action, danger: Danger, evidence: Evidence) -> bool:
    """Whether the verb is the same, or a synonym that does no more harm."""
    if not ours.verb:
        return danger is Danger.READS or _is_misspelled(theirs.verb, evidence)
    if not theirs.verb:
        return danger is Danger.READS and ours.danger is Danger.READS
    return is_no_harsher(ours.verb, theirs.verb, danger)


def is_no_harsher(asked: str, verb: str, danger: Danger) -> bool:
    """Whether a verb is the asked one, or a synonym that does no more harm in a tool so dangerous. Both are stems."""
    if asked == verb or not set(full_forms(asked)).isdisjoint(full_forms(verb)):
        return True
    if not are_like_verbs(asked, verb) or (danger_of(asked) is Danger.WRITES and in_section("lookup", verb)):
        return False
    return danger <= danger_of(asked) and not (in_section("changing", asked) and in_section("replacing", verb))


def _is_misspelled(verb: str, evidence: Evidence) -> bool:
    """Whether the verb of the tool stands in the mistake, misspelled, as something that is no word itself."""
    return any(
        stem(word) == verb and relation == "spelling" and not is_known_word(sent)
        for sent, word, relation in evidence.pairs
    )


def _concerns_same(ours: Action, theirs: Action, evidence: Evidence, *, is_loose: bool) -> bool:
    """Whether both names concern the same things: each thing asked for, and the last one of the tool."""
    if are_same_entity("".join(ours.nouns), "".join(theirs.nouns)):
        return True
    if not ours.nouns:
        return danger_is_low(theirs) and evidence.tier <= Tier.PART
    known = (*theirs.nouns, *theirs.prefix, theirs.verb)
    if not all(any(_is_same(one, other, evidence, is_loose=is_loose) for other in known) for one in ours.nouns):
        return False
    heads = [noun for noun in theirs.nouns if not is_head(noun)] or list(theirs.nouns)
    asked = (*ours.nouns, *ours.prefix)
    return not heads or any(_is_same(one, heads[-1], evidence, is_loose=is_loose) for one in asked)


def danger_is_low(action: Action) -> bool:
    """Whether the verb of a tool only reads."""
    return action.danger in (None, Danger.READS)


def _is_same(one: str, other: str, evidence: Evidence, *, is_loose: bool) -> bool:
    if are_same_entity(one, other):
        return True
    if is_loose and share_group("nouns", one, other) and not are_other_objects(one, other):
        return True
    return any(
        (stem(sent), stem(word), relation) == (one, other, "spelling") and not is_known_word(sent)
        for sent, word, relation in evidence.pairs
    )
