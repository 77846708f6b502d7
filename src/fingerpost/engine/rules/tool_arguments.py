"""Which tools the arguments of a call speak for: those that declare all of them and require no other.

`delete_objects(bucket, prefix)` may be near `delete_object(bucket, key)` by name, but it is what
`delete_objects_by_prefix(bucket, prefix)` takes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from fingerpost.engine.catalog import Catalog
from fingerpost.engine.matching.actions import Danger, are_like_verbs, are_opposite_verbs, find_things, read_action
from fingerpost.engine.matching.entities import are_same_entity, is_entity, is_head
from fingerpost.engine.matching.lexicon import is_generic, share_group
from fingerpost.engine.matching.other_words import has_opposite_word
from fingerpost.engine.matching.spelling import normal_form, split_words, stem
from fingerpost.engine.rules.tool_danger import danger_of_tool
from fingerpost.engine.safety.json_input import as_object
from fingerpost.engine.schema import walk as schemas
from fingerpost.engine.tool import Tool

_MOST_READ = 512
_MOST_DECLARING = 48
"""If more tools declare the arguments, they say nothing."""
_COMPOSING = frozenset({"$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"})
"""Keywords beside which a schema may declare parameters elsewhere."""
_MOST_UNRELATED = 2
"""If more tools take the arguments, they say too little about tools with other names."""
_MOST_CHECKED = 6
"""Tools whose schemas the values of the arguments are checked against."""
_MOST_ARGUMENTS = 32


class Fitting(NamedTuple):
    """A tool that takes exactly the arguments of a call, and what its name has in common with the asked one."""

    tool: Tool
    danger: Danger
    has_verb: bool
    """Whether the verb is the same, or a synonym."""
    has_noun: bool
    """Whether it concerns the same thing: by its name, or if that has no noun of its own, by its parameters."""
    has_more: bool
    """Whether its name has another thing, which was not asked for."""
    has_other: bool
    """Whether its name has only such things, which no argument names either: `columns_list` for `show_tables`."""
    is_opposite: bool

    @property
    def is_related(self) -> bool:
        return self.has_verb or self.has_noun


def takes_exactly(tool: Tool, arguments: Mapping[str, Any]) -> bool:
    """Whether a tool declares every argument, in whatever case, also inside of objects, and requires no other."""
    given, declared = (dict(zip(map(normal_form, names), names, strict=True)) for names in (arguments, tool.params))
    if not (given.keys() <= declared.keys() and given.keys() >= set(map(normal_form, tool.required))):
        return False
    return all(_takes_fields(tool, declared[key], arguments[name]) for key, name in given.items())


def _takes_fields(tool: Tool, param: str, value: Any) -> bool:
    schema, fields = tool.params[param], as_object(value)
    declared = schemas.properties(tool.schema, schema) if fields else {}
    return not declared or set(schemas.find_required(tool.schema, schema)) <= fields.keys() <= declared.keys()


def find_fitting(asked: str, arguments: Mapping[str, Any], catalog: Catalog) -> list[Fitting]:
    """Return the tools that take exactly these arguments, those with the most in common with the name first.

    Whoever asks to read is shown readers if there are any; whoever asks to write, tools that write.
    """
    if not 0 < len(arguments) <= _MOST_ARGUMENTS:
        return []
    declaring = (tool for tool in islice(catalog, _MOST_READ) if _declares(tool, arguments))
    tools = list(islice(declaring, _MOST_DECLARING + 1))
    if len(tools) > _MOST_DECLARING:
        return []
    found = [_compare(asked, arguments, tool) for tool in tools if takes_exactly(tool, arguments)]
    related = [one for one in found if one.is_related]
    others = [one for one in found if not one.is_related]
    if _MOST_UNRELATED < len(others) <= _MOST_CHECKED:
        others = [one for one in others if one.tool.is_valid(arguments)]
    if len(others) > _MOST_UNRELATED or not _are_distinctive(arguments, tools):
        others = []
    chosen = _as_dangerous(asked, [*related, *others])
    return sorted(chosen, key=lambda one: (-one.has_verb - one.has_noun, len(one.tool.params)))


def _declares(tool: Tool, arguments: Mapping[str, Any]) -> bool:
    """Whether a tool declares all arguments, in this spelling. Most do not, and a look at the raw schema says so."""
    schema = as_object(tool.raw_schema)
    if not _COMPOSING.isdisjoint(schema) or arguments.keys() <= as_object(schema.get("properties")).keys():
        return arguments.keys() <= tool.params.keys()
    return False


def _as_dangerous(asked: str, found: Sequence[Fitting]) -> list[Fitting]:
    """Keep the tools that do as much as was asked for, else those that only do less or more."""
    reads = read_action(asked).danger is Danger.READS
    harmless = [one for one in found if one.danger < Danger.DESTROYS and not one.is_opposite]
    same = [one for one in harmless if (one.danger is Danger.READS) is reads]
    return same or harmless or ([] if reads else [*found])


def _are_distinctive(arguments: Mapping[str, Any], tools: Sequence[Tool]) -> bool:
    """Whether arguments say which tool is meant: there are several, or one that few tools have."""
    if len(arguments) > 1:
        return True
    words = next(split_words(name) for name in arguments)
    is_vague = len(words) == 1 and (is_head(stem(words[0])) or is_generic(words))
    return not is_vague and len(tools) <= _MOST_UNRELATED


def _compare(asked: str, arguments: Mapping[str, Any], tool: Tool) -> Fitting:
    ours, theirs = read_action(asked), read_action(tool.name)
    has_verb = are_like_verbs(ours.verb, theirs.verb)
    things = find_things(tool.name)
    known = things if things and not has_verb else [*things, *_entities_of_params(tool)]
    asked_things = find_things(asked)
    has_noun = any(_is_same_thing(one, other) for one in asked_things for other in known)
    is_opposite = has_opposite_word(asked, tool.name) or are_opposite_verbs(ours.verb, theirs.verb)
    others = [one for one in things if not any(_is_same_thing(one, other) for other in asked_things)]
    sent = [stem(word) for name in arguments for word in split_words(name)]
    unnamed = [one for one in others if not any(are_same_entity(one, other) for other in sent)]
    has_other = bool(things and asked_things) and len(unnamed) == len(things)
    return Fitting(tool, danger_of_tool(tool), has_verb, has_noun, bool(others), has_other, is_opposite)


def _is_same_thing(one: str, other: str) -> bool:
    return are_same_entity(one, other) or share_group("nouns", one, other)


def _entities_of_params(tool: Tool) -> list[str]:
    names = [*tool.params, *[str(path[-1]) for path in tool.nested_fields]]
    return [one for name in names for one in map(stem, split_words(name)) if is_entity(one)]
