"""Find the tools that a name asks for in other words: with a word more, only by its verb, or by initials.

The name alone decides nothing here. Whoever offers such a tool must check that the arguments of the call fit it, and
that exactly one tool is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from itertools import islice
from typing import NamedTuple

from fingerpost.engine.matching.actions import (
    PARTICLES,
    in_section,
    is_action,
    may_be_noun,
    read_action,
)
from fingerpost.engine.matching.entities import are_same_entity
from fingerpost.engine.matching.index import Names
from fingerpost.engine.matching.lexicon import NEGATIONS, are_opposite, is_known_word, is_modifier
from fingerpost.engine.matching.replacing import have_other_particles
from fingerpost.engine.matching.spelling import split_words, stem

_MAX_NAMES = 256
"""Names with one word that are looked at. If more have it, it says too little."""
_MAX_WORDS = 8
_SWITCHES = frozenset({"turn", "switch", "power"})
_STATES = frozenset({"on", "off"})
_SWITCHING = {"enable": "on", "activate": "on", "disable": "off", "deactivate": "off"}
_ASPECTS = frozenset({
    "attribute", "definition", "description", "id", "information", "metadata", "property", "schema", "structure",
})  # fmt: skip
"""What a tool that describes a thing returns: `get_table_schema` and `get_table_info` are the same."""

_IRREGULAR_PLURALS = frozenset({"children", "criteria", "men", "mice", "people", "women"})
_ALWAYS_PLURAL = frozenset({"content", "credential", "detail", "setting", "stat", "statistic"})
_LISTING = frozenset({"browse", "enumerate", "list", "ls"})
_SEARCHING = frozenset({"discover", "find", "locate", "lookup", "query", "search", "seek"})
_VIEWS = frozenset({
    "detail", "info", "information", "overview", "profile", "report", "state", "status", "summary",
})  # fmt: skip
"""What a tool without a verb returns about a thing. A log or a history is something else than the thing."""
_CONTENTS = frozenset({
    "article", "attachment", "audio", "body", "book", "code", "config", "configuration", "content", "dataset",
    "document", "email", "file", "image", "letter", "log", "mail", "message", "note", "object", "page", "photo",
    "picture", "query", "script", "setting", "song", "table", "text", "transcript", "url", "video",
})  # fmt: skip
"""Things that are read for what is in them: the status of a file is not the file."""
_VIEWS_OF_SEVERAL = frozenset({"overview", "report", "summary"})


class Reason(Enum):
    """Why a tool may be meant."""

    EXTRA_WORD = "extra word"
    """The name of the tool and one word more: `redis_get`, `disarm_motors`."""
    VERB = "verb"
    """Only the verb: `lock` for `lock_device`."""
    NOUN = "noun"
    """Only what the tool returns: `query` for `execute_query`."""
    LOOKUP = "lookup"
    """Another verb that returns the same thing: `list_teams` for `find_teams`."""
    INITIALS = "initials"
    """`create_mr` for `create_merge_request`."""
    SWITCH = "switch"
    """On or off: `fan_off` for `stop_fan`."""
    AGAIN = "again"
    """The same once more: `reopen_index` for `open_index`."""
    VIEW = "view"
    """A thing, or a view of it: `check_hive` for `hive_status`."""
    PHRASE = "phrase"
    """Only a verb of two words: `checkout` for `check_out_guest`."""
    READER = "reader"
    """A verb that looks something up, without saying what: `lookup`."""


class Guess(NamedTuple):
    """A tool that may be meant, and why."""

    name: str
    reason: Reason
    word: str = ""
    """The word more."""
    is_in_front: bool = False
    is_at_end: bool = False
    is_name: bool = True
    """Whether the word can be nothing else. `order` is a verb too, and `vm` has a meaning of its own."""


def guess_tools(asked: str, known: Names) -> Iterator[Guess]:
    """Yield the tools that a name may ask for in other words."""
    words = split_words(asked)
    if not 0 < len(words) <= _MAX_WORDS:
        return
    stems = tuple(map(stem, words))
    yield from _by_phrasal_verb(words, known)
    if len(words) == 1:
        yield from _by_single_word(stems[0], known)
    else:
        yield from _without_one_word(words, known)
        yield from _by_lookup(asked, known)
        yield from _by_view(asked, known)
        yield from _by_initials(words, stems, known)
        yield from _by_switch(words, stems, known)
    yield from _by_repetition(words, known)


def _by_single_word(word: str, known: Names) -> Iterator[Guess]:
    """Yield the only tool with this verb, or else with this word."""
    places = known.by_stem.get(word, ())
    if len(places) > _MAX_NAMES:
        return
    names = [name for place in places if not have_other_particles(word, name := known.names[place])]
    same_verb = [name for name in names if (read_action(name).verb or stem(split_words(name)[0])) == word]
    if len(same_verb) == 1:
        yield Guess(same_verb[0], Reason.VERB)
    elif len(names) == 1 and (in_section("light", verb := read_action(names[0]).verb) or in_section("lookup", verb)):
        yield Guess(names[0], Reason.NOUN)
    elif not is_action(word):
        views = ((name, _read_view(name)) for name in names)
        yield from (Guess(name, Reason.NOUN) for name, view in views if view and view.things == (word,))


def _without_one_word(words: Sequence[str], known: Names) -> Iterator[Guess]:
    """Yield the tools whose name is left without one word that is no verb, no modifier and no opposite.

    The last noun says what is meant, so it stays unless only a verb is left: `get_flag_history` is not `get_flag`.
    """
    for place, word in enumerate(words if len(words) == 2 else words[:-1]):
        rest = (*words[:place], *words[place + 1 :])
        found = known.by_key.get("".join(rest), ())
        if len(found) == 1 and _changes_nothing(word, rest):
            yield Guess(
                known.names[found[0]],
                Reason.EXTRA_WORD,
                stem(word),
                is_in_front=place == 0,
                is_at_end=place == len(words) - 1,
                is_name=not is_action(stem(word)),
            )


def _changes_nothing(word: str, rest: Sequence[str]) -> bool:
    """Whether a word does not change what the others say: it is no number, no modifier and no opposite."""
    single = stem(word)
    if len(word) < 2 or word.isdigit() or word in NEGATIONS or word in _STATES:
        return False
    if is_modifier(word) or is_modifier(single):
        return False
    return not any(are_opposite(single, stem(other)) for other in rest)


def _by_lookup(asked: str, known: Names) -> Iterator[Guess]:
    """Yield the tools that look up the same thing with another verb, and as many of it."""
    verb, things = read_action(asked).verb, _things(asked)
    if not in_section("lookup", verb) or not things:
        return
    for name in _names_with(things[-1], known):
        if not in_section("lookup", read_action(name).verb) or not may_be_as_many(asked, name):
            continue
        if _are_same(things, _things(name)):
            yield Guess(name, Reason.LOOKUP)


def _things(name: str) -> tuple[str, ...]:
    """Return the stems of what a name looks up, without words for what is said about it."""
    action = read_action(name)
    # a noun that says little is one all the same: `list_objects`
    nouns = (*action.prefix, *action.nouns) or tuple(
        [one for one in map(stem, split_words(name)) if one != action.verb]
    )
    return tuple([noun for noun in nouns if noun not in _ASPECTS]) or nouns


def may_be_as_many(one: str, other: str) -> bool:
    """Whether two names look up one thing or several alike; a search may find either."""
    return {_asks_for_several(one), _asks_for_several(other)} != {True, False}


def looks_up(name: str, *, several: bool) -> bool:
    """Whether a tool returns a thing, or several of a kind, or searches them, by its name."""
    verb = read_action(name).verb
    if not verb:
        return not several and not _VIEWS.isdisjoint(map(stem, split_words(name)[-1:]))
    return in_section("lookup", verb) and (verb in _SEARCHING or _asks_for_several(name) is several)


def _asks_for_several(name: str) -> bool | None:
    verb = read_action(name).verb
    if is_plural(name) or verb in _LISTING:
        return True
    return None if verb in _SEARCHING else False


def is_plural(name: str) -> bool:
    """Whether a name has a thing in the plural. The contents of a file are one thing."""
    return any(_is_plural(word) and stem(word) not in _ALWAYS_PLURAL for word in split_words(name))


def _is_plural(word: str) -> bool:
    return word in _IRREGULAR_PLURALS or (word.endswith("s") and stem(word) != word)


def _are_same(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    return len(ours) == len(theirs) and all(map(are_same_entity, ours, theirs))


def _names_with(word: str, known: Names) -> list[str]:
    """Return the names with a word, or with another form of it: `mic` for `microphone`."""
    words = [word] if word in known.by_stem else known.similar_words(word, "tool")
    places = [place for one in words if are_same_entity(word, one) for place in known.by_stem[one]]
    return [known.names[place] for place in places] if len(places) <= _MAX_NAMES else []


class _View(NamedTuple):
    """What a name looks at, as stems, and the word for the view of it, if it has one."""

    things: tuple[str, ...]
    word: str


def _read_view(name: str) -> _View | None:
    """Return what a name looks at: it has a verb for that (`get_hive`), or only a view of the thing (`hive_status`)."""
    verb, stems = read_action(name).verb, [stem(word) for word in split_words(name)]
    word = stems[-1] if stems[-1] in _VIEWS else ""
    if in_section("lookup", verb):
        return _View(tuple([one for one in stems if one not in (verb, word)]), word)
    return _View(tuple(stems[:-1]), word) if word and may_be_noun(verb) else None


def _is_view_of(ours: _View, theirs: _View) -> bool:
    """Whether one name says which view of the thing of the other. Of what has contents, a view is not the contents."""
    if bool(ours.word) is bool(theirs.word) or not _are_same(ours.things, theirs.things):
        return False
    return _CONTENTS.isdisjoint(ours.things)


def _by_view(asked: str, known: Names) -> Iterator[Guess]:
    """Yield the tools that return a view of the asked thing, or the thing of which a view is asked for.

    Of two names that each say which view, each means its own: the status of a thing is not a report about it.
    """
    ours = _read_view(asked)
    if ours is None or not ours.things:
        return
    for name in _names_with(ours.things[-1], known):
        theirs = _read_view(name)
        if theirs is None or not _is_view_of(ours, theirs):
            continue
        if theirs.word in _VIEWS_OF_SEVERAL or may_be_as_many(asked, name):
            yield Guess(name, Reason.VIEW)


def _by_phrasal_verb(words: Sequence[str], known: Names) -> Iterator[Guess]:
    """Yield the tools that do what a verb of two words says, whether it is written as one or not, to a thing."""
    verb = "".join(words)
    if len(words) > 2 or not words[-1].endswith(tuple(PARTICLES)):
        return
    for name, parts in islice(zip(known.names, known.words, strict=True), _MAX_NAMES):
        first = parts[:-1]
        is_split = bool(PARTICLES.intersection(first[1:]))
        if "".join(first) == verb and (is_split if len(words) == 1 else words[1] in PARTICLES):
            yield Guess(name, Reason.PHRASE)


def _by_initials(words: Sequence[str], stems: Sequence[str], known: Names) -> Iterator[Guess]:
    """Yield the tools that spell out a word of which only the initials were sent."""
    for at, word in enumerate(words):
        if not 1 < len(word) < 6 or stems[at] in known.by_stem or is_action(stems[at]) or is_modifier(word):
            continue
        others = (*stems[:at], *stems[at + 1 :])
        rarest = min((known.by_stem.get(other, ()) for other in others), key=len)
        for place in rarest if len(rarest) <= _limit(known) else ():
            if full := _spell_out(known.stems[place], stems, at, word):
                is_name = are_same_entity(word, full) or not is_known_word(word)
                yield Guess(known.names[place], Reason.INITIALS, word, is_name=is_name)


def _limit(known: Names) -> int:
    """Return how many names are compared word by word."""
    return max(_MAX_NAMES, len(known.names) // 8)


def _spell_out(theirs: Sequence[str], ours: Sequence[str], at: int, word: str) -> str:
    """Return the words with these initials that a name has in the place of one word; a plural has an `s` more."""
    count = len(theirs) - len(ours) + 1
    if count < 2 or count not in (len(word), len(word) - 1):
        return ""
    initials = "".join([each[0] for each in theirs[at : at + count]])
    is_same_around = tuple(theirs[:at]) == tuple(ours[:at]) and tuple(theirs[at + count :]) == tuple(ours[at + 1 :])
    return "".join(theirs[at : at + count]) if is_same_around and word in (initials, f"{initials}s") else ""


def _by_switch(words: Sequence[str], stems: tuple[str, ...], known: Names) -> Iterator[Guess]:
    """Yield the tools that switch the same thing to the same side."""
    state = _read_state(words)
    if state is None:
        return
    is_verb = words[0] in _SWITCHING
    nouns = stems[1:] if is_verb else tuple([one for one in stems if one not in _STATES and one not in _SWITCHES])
    for name in _names_with(nouns[-1], known) if nouns else ():
        theirs = split_words(name)
        # what is enabled need not be started, but to enable a light is to turn it on
        if _switches(theirs, state, nouns) and (state in theirs or not is_verb):
            yield Guess(name, Reason.SWITCH)


def _read_state(words: Sequence[str]) -> str | None:
    """Return `on` or `off` if a name says so: `fan_on`, `turn_on_fan`, `turn_fan_off`."""
    if words[0] in _SWITCHING:
        return _SWITCHING[words[0]]
    states = [word for word in words if word in _STATES]
    is_said = words[-1] in _STATES or (words[0] in _SWITCHES and words[1] in _STATES)
    return states[0] if is_said and len(states) == 1 else None


def _switches(theirs: Sequence[str], state: str, nouns: Sequence[str]) -> bool:
    """Whether a tool does nothing but switch this thing to this side."""
    stems = [stem(word) for word in theirs]
    rest = [one for one in stems if one not in nouns]
    return len(rest) + len(nouns) == len(stems) and in_section(state, "".join(rest))


def _by_repetition(words: Sequence[str], known: Names) -> Iterator[Guess]:
    """Yield the tool that does once what the name asks to do again."""
    first = words[0]
    if first.startswith("re") and in_section("again", first[2:]):
        for place in known.by_key.get("".join((first[2:], *words[1:])), ()):
            yield Guess(known.names[place], Reason.AGAIN)


def leaves_side_open(asked: str, name: str, others: Iterable[str]) -> bool:
    """Whether another tool does the opposite and the asked name says neither: `mark`, `mark_read`, `mark_unread`."""
    sent, ours = ({stem(word) for word in split_words(one)} for one in (asked, name))
    for other in others:
        theirs = {stem(word) for word in split_words(other)}
        one, two = ours - theirs, theirs - ours
        if len(one) == len(two) == 1 and sent <= ours & theirs and are_opposite(*one, *two):
            return True
    return False


def has_opposite_word(one: str, other: str) -> bool:
    """Whether the words in which two names differ have opposites among them."""
    ours, theirs = ({stem(word) for word in split_words(name)} for name in (one, other))
    return any(are_opposite(a, b) for a in ours - theirs for b in theirs - ours)
