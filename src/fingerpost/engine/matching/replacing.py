"""Whether a tool may be offered in place of the one that was asked for.

A tool that does the opposite, concerns another thing, or is more dangerous than what was asked for is never the call
to send, however similar its name is.
"""

from __future__ import annotations

from fingerpost.engine.matching.actions import (
    PARTICLES,
    PLAIN_VERBS,
    Action,
    Danger,
    are_like_verbs,
    danger_of,
    in_section,
    read_action,
)
from fingerpost.engine.matching.entities import are_other_objects, are_same_entity, is_head
from fingerpost.engine.matching.evidence import OTHER_THING, Evidence, Guard, Tier
from fingerpost.engine.matching.lexicon import full_forms, is_known_word, is_modifier, share_group
from fingerpost.engine.matching.spelling import split_words, stem


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
    return any(other in PLAIN_VERBS or in_section("destructive", other) for other in others)


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
