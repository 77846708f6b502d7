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
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from fingerpost.engine.matching.alignment import Query
from fingerpost.engine.matching.evidence import Evidence, Guard, Tier
from fingerpost.engine.matching.lexicon import is_distinctive
from fingerpost.engine.matching.spelling import split_words, stem
from fingerpost.engine.safety.json_input import as_object

_NUMBERS = frozenset({"integer", "number", "float"})
_CONTAINERS = frozenset({"array", "object"})
_ANY = "any"
_MIN_STRENGTH = 0.2
"""Weaker evidence is noise. The context does not change it."""


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
        self._distinctive = [word for word in query.stems if is_distinctive(word)]

    def weigh(self, found: list[tuple[Evidence, str]], names: Sequence[str]) -> list[tuple[Evidence, str]]:
        """Strengthen or weaken the evidence for each name, and add the only open slot if there is one."""
        weighed = [(self._weigh_one(evidence, name), name) for evidence, name in found]
        slot = self._open_slot()
        if slot is None or slot not in names or any(name == slot and each.is_whole for each, name in weighed):
            return weighed
        others = [(evidence, name) for evidence, name in weighed if name != slot]
        strength = max([each.strength for each, name in weighed if name == slot], default=0.0)
        return [*others, (Evidence(Tier.SLOT, strength, (Guard.PARTIAL,)), slot)]

    def _weigh_one(self, evidence: Evidence, name: str) -> Evidence:
        if evidence.strength <= _MIN_STRENGTH or (evidence.tier is Tier.LETTERS and name not in self._given):
            return evidence
        if not evidence.is_whole:
            evidence = replace(evidence, strength=evidence.strength + 0.05 * self._share_in_description(name))
        return self._weigh_tool(evidence, name) if self._kind == "tool" else self._weigh_parameter(evidence, name)

    def _share_in_description(self, name: str) -> float:
        """Return the share of the distinctive words of the query that the description of this name contains."""
        description = self._descriptions.get(name)
        if not isinstance(description, str) or not self._distinctive:
            return 0.0
        stems = {stem(word) for word in split_words(description)}
        return sum([word in stems for word in self._distinctive]) / len(self._distinctive)

    def _open_slot(self) -> str | None:
        """Return the only required parameter not yet given, if one argument is unknown and its type fits."""
        if self._kind != "parameter" or not self._types:
            return None
        slots = [name for name in self._required if name not in self._given and name not in self._arguments]
        unknown = [name for name in self._arguments if name not in self._types]
        is_only = len(slots) == 1 == len(unknown)
        return slots[0] if is_only and self._types.get(slots[0]) == self._value_type else None

    def _weigh_tool(self, evidence: Evidence, name: str) -> Evidence:
        """Prefer tools that take the arguments of the call."""
        parameters = _parameters(self._schemas.get(name)) if self._arguments else None
        if parameters is None or (evidence.is_whole and not evidence.guards):
            return evidence
        share = sum([argument in parameters for argument in self._arguments]) / len(self._arguments)
        return replace(evidence, strength=evidence.strength * (0.9 + 0.15 * share))

    def _weigh_parameter(self, evidence: Evidence, name: str) -> Evidence:
        """Prefer required parameters and those that can hold the value; those already given are hardly intended."""
        if name in self._given:
            return replace(evidence, strength=evidence.strength * 0.5, guards=(*evidence.guards, Guard.GIVEN))
        factor, bonus, guards = self._compare_types(name)
        guards = (*evidence.guards, *guards)
        bonus += 0.03 if name in self._required else 0.0
        if evidence.is_whole and not guards:
            return evidence
        return replace(evidence, strength=evidence.strength * factor + bonus, guards=guards)

    def _compare_types(self, name: str) -> tuple[float, float, tuple[Guard, ...]]:
        """Return factor, bonus and guards for the declared type of a parameter and the type of the value."""
        types = {str(self._types.get(name) or _ANY), self._value_type}
        if _ANY in types:
            return 1.0, 0.0, ()
        if len(types) == 1 or types <= _NUMBERS:
            return 1.0, 0.03, ()
        if types & _CONTAINERS:
            return (0.6 if "object" in types else 0.7), 0.0, (Guard.TYPE,)
        return 0.7, 0.0, ()


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
