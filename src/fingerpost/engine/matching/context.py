"""What the call around a mistaken name says about the names it may have meant.

`context` is what the caller happens to know; every key is optional:

    kind          tool, parameter or value (or param, enum); it wins over the kind given beside the context
    server        the server's name: its own prefix on a tool is no mistake
    args          the call's arguments (or their names)
    schemas       for tools, the input schema of each
    given         for parameters, the declared ones that the call sets already
    required      for parameters, those that must be set
    types         for parameters, the declared type of each
    value_type    for parameters, the JSON type of the value sent under the mistaken name
    descriptions  what each candidate is described as
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from fingerpost.engine.matching.alignment import Asked
from fingerpost.engine.matching.evidence import Evidence, Tier
from fingerpost.engine.matching.index import is_telling
from fingerpost.engine.matching.lexicon import stem, words
from fingerpost.engine.safety.json_input import as_object

_NUMBERS = frozenset({"integer", "number", "float"})
_CONTAINERS = frozenset({"array", "object"})
_ANY = "any"
_DISCERNIBLE = 0.2
"""Weaker evidence is noise, and no context makes it more."""


class Surroundings:
    """The context of one question, read once."""

    def __init__(self, asked: Asked, context: Mapping[str, Any]) -> None:
        self._kind = asked.kind
        self._given = frozenset(_names(context.get("given")))
        self._required = _names(context.get("required"))
        self._types = as_object(context.get("types"))
        self._value = str(context.get("value_type") or _ANY)
        self._arguments = _names(context.get("args"))
        self._schemas = as_object(context.get("schemas"))
        self._descriptions = as_object(context.get("descriptions"))
        self._telling = [word for word in asked.stems if is_telling(word)]

    def heard(self, found: list[tuple[Evidence, str]], names: Sequence[str]) -> list[tuple[Evidence, str]]:
        """The evidence, stronger or weaker for what is known of each name and of this call."""
        weighed = [(self._weighed(evidence, name), name) for evidence, name in found]
        slot = self._open_slot()
        if slot is None or slot not in names or any(name == slot and each.is_whole for each, name in weighed):
            return weighed
        others = [(evidence, name) for evidence, name in weighed if name != slot]
        near = max([each.strength for each, name in weighed if name == slot], default=0.0)
        return [*others, (Evidence(Tier.SLOT, near, ("partial",)), slot)]

    def _weighed(self, evidence: Evidence, name: str) -> Evidence:
        if evidence.strength <= _DISCERNIBLE or (evidence.tier is Tier.LETTERS and name not in self._given):
            return evidence
        if not evidence.is_whole:
            evidence = replace(evidence, strength=evidence.strength + 0.05 * self._told(name))
        return self._as_tool(evidence, name) if self._kind == "tool" else self._as_parameter(evidence, name)

    def _told(self, name: str) -> float:
        """How many of the words that tell what was asked for the description of this name has."""
        told = self._descriptions.get(name)
        if not isinstance(told, str) or not self._telling:
            return 0.0
        stems = {stem(word) for word in words(told)}
        return sum([word in stems for word in self._telling]) / len(self._telling)

    def _open_slot(self) -> str | None:
        """One stray argument and one required parameter still open, of the value's own type: evidence by itself."""
        if self._kind != "parameter" or not self._types:
            return None
        slots = [name for name in self._required if name not in self._given and name not in self._arguments]
        strays = [name for name in self._arguments if name not in self._types]
        is_one = len(slots) == 1 == len(strays)
        return slots[0] if is_one and self._types.get(slots[0]) == self._value else None

    def _as_tool(self, evidence: Evidence, name: str) -> Evidence:
        """A tool that takes the arguments sent is likelier than one that takes none of them."""
        taken = _parameters(self._schemas.get(name)) if self._arguments else None
        if taken is None or (evidence.is_whole and not evidence.guards):
            return evidence
        fits = sum([argument in taken for argument in self._arguments]) / len(self._arguments)
        return replace(evidence, strength=evidence.strength * (0.9 + 0.15 * fits))

    def _as_parameter(self, evidence: Evidence, name: str) -> Evidence:
        """A parameter that is set already, or cannot hold the value, is hardly meant; a required one rather is."""
        if name in self._given:
            return replace(evidence, strength=evidence.strength * 0.5, guards=(*evidence.guards, "given"))
        declared, value = str(self._types.get(name) or _ANY), self._value
        factor, guards = 1.0, evidence.guards
        bonus = 0.03 if name in self._required else 0.0
        if _ANY in (declared, value):
            pass
        elif declared == value or {declared, value} <= _NUMBERS:
            bonus += 0.03
        elif {declared, value} & _CONTAINERS:
            factor, guards = 0.6 if "object" in {declared, value} else 0.7, (*guards, "type")
        else:
            factor = 0.7
        if evidence.is_whole and not guards:
            return evidence
        return replace(evidence, strength=evidence.strength * factor + bonus, guards=guards)


def _names(value: Any) -> list[str]:
    """The names in a list of names, or the keys of an object."""
    if not isinstance(value, list | tuple | dict | set | frozenset):
        return []
    return [item for item in cast("Iterable[Any]", value) if isinstance(item, str)]


def _parameters(schema: Any) -> frozenset[str] | None:
    """The names a tool takes, where its schema says so."""
    shape = as_object(schema)
    names = shape.get("properties", shape.get("p"))  # `p` is short for it in collections of tool definitions
    return frozenset(_names(names)) if names is not None else None
