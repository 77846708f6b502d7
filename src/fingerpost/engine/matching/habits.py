"""Names that agents use out of habit: of shell commands (`cat`, `grep`), and of tools that other lists have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from fingerpost.engine.matching.actions import read_action
from fingerpost.engine.matching.index import Names
from fingerpost.engine.matching.lexicon import table_lines
from fingerpost.engine.matching.spelling import normal_form, split_words, stem

_ALONE = "-"
_MAX_NAMES = 64
"""Names with one noun that are looked at."""


class Habit(NamedTuple):
    """What a habitual name stands for: verbs and nouns, the likeliest first."""

    verbs: tuple[str, ...]
    nouns: tuple[str, ...]
    is_verb_enough: bool


@cache
def _habits() -> Mapping[str, list[Habit]]:
    found: defaultdict[str, list[Habit]] = defaultdict(list)
    for line in table_lines("habits.txt"):
        names, _, meaning = line.partition(":")
        verbs, nouns = (tuple(map(stem, side.split())) for side in meaning.split("/"))
        habit = Habit(verbs, tuple([noun for noun in nouns if noun != _ALONE]), _ALONE in nouns)
        for name in names.split():
            found[normal_form(name)].append(habit)
    return dict(found)


def find_by_habit(name: str, known: Names) -> list[list[str]]:
    """Return the known names that do what a habitual name stands for, the best first, equally good ones together."""
    ranks: dict[tuple[int, ...], list[str]] = {}
    own_verb = read_action(name).verb
    for number, habit in enumerate(_habits().get(normal_form(name[:64]), ())):
        for candidate in _candidates(habit, known):
            rank = _rank(habit, candidate)
            if rank is not None:
                is_other_verb = read_action(candidate).verb != own_verb
                ranks.setdefault((is_other_verb, number, *rank), []).append(candidate)
    return [ranks[rank] for rank in sorted(ranks)]


def _candidates(habit: Habit, known: Names) -> Iterator[str]:
    words = (*habit.nouns, *(habit.verbs if habit.is_verb_enough else ()))
    places = [place for word in words for place in known.by_stem.get(word, ())[:_MAX_NAMES]]
    return (known.names[place] for place in dict.fromkeys(places))


def _rank(habit: Habit, name: str) -> tuple[int, int, int] | None:
    """Return how well a tool fits, least first: the noun, other nouns beside it, the verb."""
    action = read_action(name)
    if action.verb not in habit.verbs:
        return None
    verb = habit.verbs.index(action.verb)
    # a noun that says little is one all the same: `read_content`
    nouns = action.nouns or tuple([word for word in map(stem, split_words(name)) if word != action.verb])
    if not nouns:
        return (len(habit.nouns), 0, verb) if habit.is_verb_enough else None
    if nouns[-1] not in habit.nouns:
        return None
    return habit.nouns.index(nouns[-1]), len(nouns), verb
