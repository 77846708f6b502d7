"""Weigh the evidence by what is known of the call around the mistaken name.

`context` is what the caller happens to know; every key is optional:

    kind          tool, parameter or value (or param, enum); it overrides the `kind` argument
    server        the name of the server: as a prefix of a tool it is no mistake
    args          the arguments of the call (or their names)
    schemas       for tools, the input schema of each
    given         for parameters, the declared ones that the call sets already
    required      for parameters, those that must be set
    types         for parameters, the declared type of each
    value_type    for parameters, the JSON type of the value sent under the mistaken name
    descriptions  the description of each candidate
    tool          for parameters, the name of the tool: says whose `id` or `name` a parameter is
    read_only     for parameters, whether the tool only reads (absent: it may write)
    destructive   for parameters, whether the tool may destroy something (absent: it may, unless it only reads)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from fingerpost.engine.matching.actions import Danger, read_action
from fingerpost.engine.matching.alignment import Query
from fingerpost.engine.matching.descriptions import is_described_by, is_person, mentions
from fingerpost.engine.matching.entities import entities_of, is_about, is_entity, is_identity, is_of_person
from fingerpost.engine.matching.evidence import SAME_WORD, Evidence, Guard, Tier
from fingerpost.engine.matching.lexicon import (
    are_opposite,
    is_commentary,
    is_distinctive,
    is_generic,
    is_remark,
    share_group,
)
from fingerpost.engine.matching.qualifiers import is_restricting
from fingerpost.engine.matching.spelling import split_words, stem
from fingerpost.engine.matching.units import have_other_units
from fingerpost.engine.safety.json_input import as_object

_NUMBERS = frozenset({"integer", "number", "float"})
_CONTAINERS = frozenset({"array", "object"})
_ANY = "any"
_BY_MEANING = frozenset({Tier.MEANING, Tier.SIDE})
_MIN_STRENGTH = 0.2
"""Weaker evidence is noise. The context does not change it."""
_TRIAL = "dryrun"
_MAX_DESCRIBED = 64
"""Parameters whose descriptions are read."""
_LABELS = frozenset({"keyword", "keywords", "label", "name", "phrase", "text", "title"})
_SEARCH_TEXTS = frozenset({"q", "query", "search", "search_query", "search_term", "searchQuery", "searchTerm"})
_SEARCHES = frozenset({"find", "lookup", "search"})
"""Verbs of tools that look for a text. A tool that executes a query does not."""


class CallContext:
    """The context of one query, read once."""

    def __init__(self, query: Query, context: Mapping[str, Any]) -> None:
        self._kind = query.kind
        self._given = frozenset(_names(context.get("given")))
        self._required = _names(context.get("required"))
        self._types = as_object(context.get("types"))
        self._value_type = str(context.get("value_type") or _ANY)
        self._arguments = _names(context.get("args"))
        self._schemas = as_object(context.get("schemas"))
        self._descriptions = as_object(context.get("descriptions"))
        self._query = query
        self._distinctive = [word for word in query.stems if is_distinctive(word)]
        self._tool_words = [stem(word) for word in split_words(str(context.get("tool") or ""))]
        self._searches = read_action(str(context.get("tool") or "")).verb in _SEARCHES
        self._reads_only = context.get("read_only") is True
        self._may_destroy = not self._reads_only and _is_destructive(context)
        self._spares_data = self._reads_only or context.get("destructive") is False

    def weigh(self, found: list[tuple[Evidence, str]], names: Sequence[str]) -> list[tuple[Evidence, str]]:
        """Strengthen or weaken the evidence for each name, and add names that only the context leads to."""
        weighed = [(self._weigh_one(evidence, name), name) for evidence, name in found]
        if self._kind == "parameter" and not self._reads_only:
            weighed = [(self._doubt(evidence, name), name) for evidence, name in weighed]
        if self._kind != "parameter" or any(each.is_strong for each, _ in weighed) or is_commentary(self._query.text):
            return weighed
        added = self._find_by_description(names) or self._find_missing(names)
        return [*[each for each in weighed if each[1] != added[1]], added] if added else weighed

    def _weigh_one(self, evidence: Evidence, name: str) -> Evidence:
        if evidence.strength <= _MIN_STRENGTH or (evidence.tier is Tier.LETTERS and name not in self._given):
            return evidence
        if not evidence.is_whole:
            evidence = evidence._replace(strength=evidence.strength + 0.05 * self._share_in_description(name))
        return self._weigh_tool(evidence, name) if self._kind == "tool" else self._weigh_parameter(evidence, name)

    def _doubt(self, evidence: Evidence, name: str) -> Evidence:
        """Doubt a synonym if the description of a missing parameter has the word itself: `commit`, "Commit message"."""
        if evidence.tier not in _BY_MEANING:
            return evidence
        missing = [one for one in self._required if one != name and one not in self._given]
        if not any(mentions(self._descriptions.get(one), self._distinctive) for one in missing):
            return evidence
        return evidence._replace(guards=(*evidence.guards, Guard.SYNONYM))

    def _share_in_description(self, name: str) -> float:
        """Return the share of the distinctive words of the query that the description of this name contains."""
        description = self._descriptions.get(name)
        if not isinstance(description, str) or not self._distinctive:
            return 0.0
        stems = {stem(word) for word in split_words(description)}
        return sum([word in stems for word in self._distinctive]) / len(self._distinctive)

    def _find_missing(self, names: Sequence[str]) -> tuple[Evidence, str] | None:
        """Return the only missing parameter of a tool that only reads, for a generic name whose type fits.

        What a thing is called is what a search for it looks for.
        """
        is_label = "".join(self._query.words) in _LABELS and self._searches
        if not (self._reads_only and self._types and (is_label or is_generic(self._query.words))):
            return None
        slots = [name for name in self._required if name not in self._given and name not in self._arguments]
        unknown = [name for name in self._arguments if name not in self._types]
        is_only = len(slots) == 1 == len(unknown) and slots[0] in names
        if not is_only or not self._fits(slots[0]) or (is_label and slots[0] not in _SEARCH_TEXTS):
            return None
        return Evidence(Tier.GENERIC, 0.0, (Guard.PARTIAL,)), slots[0]

    def _find_by_description(self, names: Sequence[str]) -> tuple[Evidence, str] | None:
        """Return the only parameter whose description begins with the words of the query, if its type fits."""
        words = self._query.stems
        if not (self._spares_data and self._descriptions) or any(map(is_person, words)):
            return None
        free = [name for name in names[:_MAX_DESCRIBED] if name not in self._given]
        fitting = [name for name in free if is_described_by(self._descriptions.get(name), words)]
        if len(fitting) != 1 or not self._fits(fitting[0]) or self._value_type == "boolean":
            return None
        if any(are_opposite(stem(one), other) for one in split_words(fitting[0]) for other in words):
            return None
        if any(mentions(self._descriptions.get(name), words) for name in free if name != fitting[0]):
            return None
        return Evidence(Tier.DESCRIPTION, 0.0, (Guard.PARTIAL,)), fitting[0]

    def _fits(self, name: str) -> bool:
        """Whether the declared type of a parameter is known and is that of the value, and no unit is guessed."""
        if have_other_units(self._query.words, split_words(name)):
            return False
        types = {str(self._types.get(name) or _ANY), self._value_type}
        return _ANY not in types and (len(types) == 1 or types <= _NUMBERS)

    def _weigh_tool(self, evidence: Evidence, name: str) -> Evidence:
        """Prefer tools that take the arguments of the call."""
        parameters = _parameters(self._schemas.get(name)) if self._arguments else None
        if parameters is None or (evidence.is_whole and not evidence.guards):
            return evidence
        share = sum([argument in parameters for argument in self._arguments]) / len(self._arguments)
        return evidence._replace(strength=evidence.strength * (0.9 + 0.15 * share))

    def _weigh_parameter(self, evidence: Evidence, name: str) -> Evidence:
        """Prefer required parameters and those that can hold the value; those already given are hardly intended."""
        if name in self._given:
            return evidence._replace(strength=evidence.strength * 0.5, guards=(*evidence.guards, Guard.GIVEN))
        factor, bonus, guards = self._compare_types(name)
        if self._may_destroy and evidence.tier in _BY_MEANING and not self._may_be_synonym(evidence, name):
            guards = (*guards, Guard.SYNONYM)
        if not self._reads_only and evidence.tier in _BY_MEANING and (self._is_remark() or self._is_other_flag(name)):
            guards = (*guards, Guard.SYNONYM)
        guards = (*evidence.guards, *guards, *self._compare_entities(evidence, name))
        bonus += 0.03 if name in self._required else 0.0
        if evidence.is_whole and not guards:
            return evidence
        return evidence._replace(strength=evidence.strength * factor + bonus, guards=guards)

    def _is_other_flag(self, name: str) -> bool:
        """Whether a parameter is a flag that no synonym stands for: `force` is no `confirm`. A trial run is one."""
        known = "".join(map(stem, split_words(name)))
        return self._types.get(name) == "boolean" and not share_group("parameters", _TRIAL, known)

    def _is_remark(self) -> bool:
        """Whether the mistake may be a remark of the agent, on a tool that is not about remarks."""
        return is_remark(self._query.stems) and not is_about(self._tool_words, self._query.stems)

    def _may_be_synonym(self, evidence: Evidence, name: str) -> bool:
        """Whether a synonym is believed on a tool that destroys.

        It adds nothing to the name, or the whole names are synonyms and a mistake does no harm: only this parameter
        is missing (`delete(file)` means the `path`), it asks not to destroy anything (`preview` for `dry_run`), or it
        says what to spare (`where` for `filter`).
        """
        if self._has_same_words(evidence, name):
            return True
        missing = [one for one in self._required if one not in self._given and one not in self._arguments]
        sent, known = ("".join(map(stem, split_words(one))) for one in (self._query.text, name))
        if not share_group("parameters", sent, known):
            return False
        is_condition = is_restricting(name) and self._fits(name)
        return missing == [name] or share_group("parameters", _TRIAL, known) or is_condition

    def _has_same_words(self, evidence: Evidence, name: str) -> bool:
        """Whether all words of one name are in the other, so that their meaning adds nothing: `table_name`, `table`."""
        fewest = min(len(self._query.words), len(split_words(name)))
        return len([relation for *_, relation in evidence.pairs if relation in SAME_WORD]) == fewest

    def _compare_entities(self, evidence: Evidence, name: str) -> tuple[Guard, ...]:
        """Return a guard if the mistake is the id of another thing than the tool is about: `get_comment(cardId)`."""
        if self._is_title_of_person(name):
            return (Guard.ENTITY,)
        if evidence.is_whole or not all(map(is_identity, map(stem, split_words(name)))):
            return ()
        asked = [word for word in self._query.stems if is_entity(word)]
        about = entities_of(self._tool_words)
        return (Guard.ENTITY,) if asked and about and not is_about(self._tool_words, asked) else ()

    def _is_title_of_person(self, name: str) -> bool:
        """Whether one name is that of a person and the other a title: `search_employees(name)` asks for no `title`."""
        sent, known = self._query.stems, [stem(word) for word in split_words(name)]
        for one, other in ((sent, known), (known, sent)):
            if "name" in one and "title" in other:
                return is_of_person(self._tool_words) or is_of_person(one)
        return False

    def _compare_types(self, name: str) -> tuple[float, float, tuple[Guard, ...]]:
        """Return factor, bonus and guards for the declared type of a parameter and the type of the value."""
        types = {str(self._types.get(name) or _ANY), self._value_type}
        if _ANY in types:
            return 1.0, 0.0, ()
        if len(types) == 1 or types <= _NUMBERS:
            return 1.0, 0.03, ()
        if types & _CONTAINERS:
            is_item = self._types.get(name) == "array" and self._value_type not in _CONTAINERS
            return (0.6 if "object" in types else 0.9 if is_item else 0.7), 0.0, (Guard.TYPE,)
        return 0.7, 0.0, ()


def _is_destructive(context: Mapping[str, Any]) -> bool:
    """Whether the tool is declared or named as one that destroys something."""
    return context.get("destructive") is True or read_action(str(context.get("tool") or "")).danger is Danger.DESTROYS


def _names(value: Any) -> list[str]:
    """Return the names in a list of names, or the keys of an object."""
    if not isinstance(value, list | tuple | dict | set | frozenset):
        return []
    return [item for item in cast("Iterable[Any]", value) if isinstance(item, str)]


def _parameters(schema: Any) -> frozenset[str] | None:
    """Return the names a tool takes, if its schema lists them."""
    shape = as_object(schema)
    names = shape.get("properties", shape.get("p"))  # `p` is short for it in collections of tool definitions
    return frozenset(_names(names)) if names is not None else None
