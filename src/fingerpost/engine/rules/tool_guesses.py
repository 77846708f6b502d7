"""Choose the tool that an unknown name asks for in other words, if the tool and the arguments of the call agree.

A name says little here, so everything else must fit: the arguments, what the tool may do, and that no second tool
is as plausible. A tool that destroys something is chosen only if the name says so and the arguments name the thing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice, takewhile
from typing import Any

from fingerpost.engine.catalog import Catalog
from fingerpost.engine.matching import Names
from fingerpost.engine.matching.actions import Danger, danger_of, read_action
from fingerpost.engine.matching.entities import are_same_entity, is_entity, is_head
from fingerpost.engine.matching.lexicon import NEGATIONS, is_known_word, is_technical_term
from fingerpost.engine.matching.other_words import Guess, Reason, guess_tools, is_plural, looks_up
from fingerpost.engine.matching.spelling import split_words, stem
from fingerpost.engine.rules.tool_arguments import takes_exactly
from fingerpost.engine.rules.tool_danger import danger_of_tool
from fingerpost.engine.tool import Tool

_MOST_TRIED = 6
_MOST_EQUAL = 2
"""Tools that are offered side by side if nothing decides between them."""
_MOST_DESCRIBED = 64
_MOST_READ = 256
"""Characters of a description that are read."""
_LONGEST_OBJECT = 5
"""Words of a description that can be its verb and its object."""
_PREPOSITIONS = frozenset({
    "and", "as", "at", "but", "by", "except", "for", "from", "in", "into", "not", "of", "on", "onto", "or", "out",
    "to", "using", "via", "with", "without",
})  # fmt: skip
_ARTICLES = frozenset({"a", "an", "the", "one", "this", "your"})
_NUMBERS = frozenset({"one", "first", "single", "many", "multiple"})
_ONLY_READERS = frozenset({Reason.NOUN, Reason.LOOKUP, Reason.VIEW})
_FOR_ONE = frozenset({"fetch", "find", "get", "lookup", "read", "retrieve", "show", "view"})
_FOR_SEVERAL = frozenset({"browse", "grep", "list", "query", "scan", "search"})
"""Verbs that look something up without saying what: one thing that is known, or all that match."""


def choose_tools(
    asked: str, known: Names, arguments: Mapping[str, Any], catalog: Catalog, fits: Callable[[Tool], bool]
) -> list[Guess]:
    """Return the only tool that the name may ask for and that the arguments fit, and why; or two that only read."""
    guesses = {guess.name: guess for guess in islice(guess_tools(asked, known), _MOST_DESCRIBED)}
    tools = [(guess, tool) for guess in guesses.values() if (tool := catalog.get(guess.name))]
    allowed = [(guess, tool) for guess, tool in tools if _is_allowed(asked, guess, tool, known, arguments, catalog)]
    if len(allowed) > _MOST_TRIED:
        return []
    fitting = [guess for guess, tool in allowed if fits(tool)]
    if not fitting and (reader := _choose_reader(asked, arguments, catalog, fits)):
        return [Guess(reader.name, Reason.READER)]
    return fitting if len(fitting) == 1 else _choose_by_number(asked, fitting)


def _choose_by_number(asked: str, guesses: Sequence[Guess]) -> list[Guess]:
    """Of several tools that look up the same, choose the only one that has the noun in the same number, or two."""
    if any(guess.reason not in _ONLY_READERS for guess in guesses):
        return []
    same = [guess for guess in guesses if is_plural(guess.name) == is_plural(asked)]
    return same if len(same) == 1 else [*guesses] if len(guesses) == _MOST_EQUAL else []


def _choose_reader(
    asked: str, arguments: Mapping[str, Any], catalog: Catalog, fits: Callable[[Tool], bool]
) -> Tool | None:
    """Return the only tool that looks things up by exactly these arguments, for a verb that does not say what."""
    verb = stem(asked.lower())
    several = verb in _FOR_SEVERAL
    if not arguments or not (several or verb in _FOR_ONE):
        return None
    readers = [tool for tool in islice(catalog, _MOST_DESCRIBED) if tool.is_read_only]
    found = [tool for tool in readers if takes_exactly(tool, arguments)]
    if several and not found:
        found = [tool for tool in readers if looks_up(tool.name, several=True)]
    fitting = [tool for tool in found if fits(tool)] if len(found) <= _MOST_TRIED else []
    return fitting[0] if len(fitting) == 1 and looks_up(fitting[0].name, several=several) else None


def _is_allowed(
    asked: str, guess: Guess, tool: Tool, known: Names, arguments: Mapping[str, Any], catalog: Catalog
) -> bool:
    danger = danger_of_tool(tool)
    if guess.reason in _ONLY_READERS:
        return danger is Danger.READS
    if guess.reason is Reason.EXTRA_WORD:
        return _is_own_word(guess, tool, danger, known, catalog)
    if guess.reason is Reason.VERB:
        return danger <= danger_of(stem(asked.lower())) and _names_the_thing(tool, danger, known, arguments)
    return danger <= Danger.WRITES or (guess.reason is Reason.INITIALS and guess.is_name)


def _is_own_word(guess: Guess, tool: Tool, danger: Danger, known: Names, catalog: Catalog) -> bool:
    """Whether the word beside the name of a tool says only what the tool is about, or which product it belongs to."""
    if _is_object(guess.word, tool, danger):
        return True
    if not guess.is_name or any(known.names[place] != tool.name for place in known.by_stem.get(guess.word, ())):
        return False  # an action, or the thing of another tool
    if guess.word in map(stem, split_words(catalog.server)):
        return True
    is_product = not guess.is_at_end and (is_technical_term(guess.word) or not is_known_word(guess.word))
    if danger is Danger.READS:
        return is_product or guess.word in _NUMBERS or _describes(tool, guess.word)
    around = islice(catalog, _MOST_DESCRIBED) if danger is Danger.WRITES else [tool]
    return is_product and any(_describes(other, guess.word) for other in around)


def _is_object(word: str, tool: Tool, danger: Danger) -> bool:
    """Whether a tool acts on such a thing: it requires `order` or `order_id`, or begins with "Refund an order".

    For a tool that destroys something, that must be all it says: "Delete the keys of a user" is not for users.
    """
    phrase = _read_object(tool.description)
    is_required = any(are_same_entity(word, entity) for entity in _entities(tool.required))
    if danger is Danger.DESTROYS and not (is_technical_term(word) and word in tool.required):
        return any(are_same_entity(word, each) for each in phrase[-1:]) and (is_required or len(phrase) == 1)
    return is_required or any(are_same_entity(word, each) for each in phrase)


def _read_object(description: str) -> list[str]:
    """Return the stems of what a description says its verb is done to: "Refund an order of a customer" gives order."""
    sentence = description[:_MOST_READ].partition(".")[0]
    words = split_words(sentence)[1:_LONGEST_OBJECT]
    return [stem(word) for word in takewhile(lambda each: each not in _PREPOSITIONS, words) if word not in _ARTICLES]


def _describes(tool: Tool, word: str) -> bool:
    """Whether the description of a tool has a word, and nothing that it is not for."""
    words = split_words(tool.description[:_MOST_READ])
    return any(are_same_entity(word, stem(each)) for each in words) and NEGATIONS.isdisjoint(words)


def _entities(params: Iterable[str]) -> list[str]:
    """Return the things that parameters identify: `room` for `room_id` and for `room`."""
    found: list[str] = []
    for name in params:
        stems = [stem(word) for word in split_words(name)]
        of = stems[:-1] if len(stems) > 1 and is_head(stems[-1]) else stems
        if len(of) == 1:
            found.append(of[0])
    return found


def _names_the_thing(tool: Tool, danger: Danger, known: Names, arguments: Mapping[str, Any]) -> bool:
    """Whether the arguments leave no doubt about the thing, if the name says only what to do with it."""
    if not arguments:
        return not tool.params and danger < Danger.DESTROYS
    action, entities = read_action(tool.name), _entities(arguments)
    if any(are_same_entity(noun, entity) for noun in action.nouns[-1:] for entity in entities):
        return True
    if not action.verb or danger is Danger.DESTROYS:
        return False
    is_about_other = any(is_entity(entity) and entity in known.by_stem for entity in entities)
    is_vague = danger is Danger.WRITES and len(arguments) == 1 and is_about_other
    return not is_vague
