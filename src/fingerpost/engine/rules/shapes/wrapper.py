"""The arguments, or a part of them, are inside an extra object: `{"input": {…}}`, `{"id": 5, "requestBody": {…}}`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, cast

from fingerpost.engine.case import Case
from fingerpost.engine.matching import OFFER_THRESHOLD, closest
from fingerpost.engine.matching.entities import is_identity
from fingerpost.engine.matching.lexicon import is_verb
from fingerpost.engine.matching.qualifiers import is_qualified
from fingerpost.engine.matching.spelling import normal_form, spelling, split_words, stem
from fingerpost.engine.model import Diagnosis
from fingerpost.engine.phrases import quote
from fingerpost.engine.rules.shapes.diagnosis import lossless_arguments, offered, shape_diagnosis
from fingerpost.engine.safety.json_input import as_list, parse_json
from fingerpost.engine.tool import Tool

_WRAPPERS = frozenset({
    "args", "argument", "arguments", "body", "callargs", "content", "data", "fields", "functionargs",
    "functionarguments", "input", "inputdata", "inputs", "item", "json", "jsonbody", "kwargs", "object", "options",
    "param", "parameter", "parameters", "params", "payload", "properties", "record", "request", "requestbody",
    "requestdata", "requestparams", "toolargs", "toolarguments", "toolcall", "toolinput", "toolparameters",
    "toolparams", "values",
})  # fmt: skip
_NEUTRAL = frozenset({
    "config", "criteria", "details", "dto", "entity", "filter", "filters", "form", "info", "model", "query", "resource",
    "search", "settings", "spec",
})  # fmt: skip
"""Names for a group of parameters. They say nothing that two parameters inside do not say."""
_TOOL_NAME_KEYS = frozenset({"name", "tool", "toolname", "function", "functionname", "method"})
_MAX_WRAPPERS = 3
_MAX_KEYS = 20


class _Unwrapped(NamedTuple):
    wrapper: str
    arguments: dict[str, Any]
    is_known: bool
    """Whether the name is a usual one for a wrapper. Any other name may say what is special about the call."""


def diagnose(case: Case) -> Iterator[Diagnosis]:
    if not isinstance(case.call.arguments, dict) or case.tool.accepts(case.arguments):
        return
    found: list[_Unwrapped] = []
    arguments = case.arguments
    while len(found) < _MAX_WRAPPERS and (inner := _unwrap(arguments, case.tool)):
        found.append(inner)
        arguments = inner.arguments
    is_known = all(one.is_known for one in found)
    if not found:
        return
    names = " and ".join(quote(one.wrapper) for one in found)
    fix = lossless_arguments(arguments, f"The arguments were taken out of {names}")
    fixes = (fix,) if is_known else (offered(fix.edit, 0.8),)
    yield shape_diagnosis(case, f"The arguments are wrapped in {names}", fixes, "wrapped object")


def _unwrap(arguments: dict[str, Any], tool: Tool) -> _Unwrapped | None:
    """Take the only undeclared object apart, if its contents are arguments of the tool and overwrite nothing."""
    undeclared = {key: value for key, value in arguments.items() if key not in tool.params}
    if len(undeclared) > _MAX_KEYS:
        return None
    rest = {key: value for key, value in undeclared.items() if not _repeats_tool(key, value, tool)}
    if len(rest) != 1:
        return None
    wrapper, contents = next(iter(rest.items()))
    inside = _as_contents(contents)
    beside = {key: value for key, value in arguments.items() if key in tool.params}
    if inside is None or _may_be_parameter(wrapper, inside, tool) or not _may_join(beside, inside, tool):
        return None
    whole = {**beside, **inside}
    if not _is_wrapper_name(wrapper, tool):
        return _Unwrapped(wrapper, whole, is_known=False) if _is_the_call(wrapper, inside, whole, tool) else None
    is_plausible = tool.accepts(whole) or _look_like_arguments(inside, tool)
    return _Unwrapped(wrapper, whole, is_known=True) if is_plausible else None


def _is_the_call(wrapper: str, inside: dict[str, Any], whole: dict[str, Any], tool: Tool) -> bool:
    """Whether an object of any name contains what the tool needs, so that it can be nothing else.

    On a tool that may write, its name must not limit or qualify the call, and it must have two arguments that say
    what they are about: the `id` in a `user` is not the `id` of the task to delete. A neutral name needs any two.
    """
    if not inside or not whole.keys() <= tool.params.keys():
        return False
    if tool.is_read_only:
        return tool.accepts(whole)
    specific = [name for name in inside if not is_identity(stem(name))]
    if not specific or not whole.keys() >= set(tool.required):
        return False
    if normal_form(wrapper) in _NEUTRAL:
        return len(inside) > 1
    return len({*specific} & {*tool.required}) > 1 and not is_qualified(wrapper)


def _may_join(beside: dict[str, Any], inside: dict[str, Any], tool: Tool) -> bool:
    """Whether what is beside a wrapper overwrites nothing in it, and is no parameter that repeats the tool's name."""
    if any(_repeats_tool(key, value, tool) for key, value in beside.items()):
        return False
    return beside.keys().isdisjoint(inside)


def _may_be_parameter(name: str, inside: dict[str, Any], tool: Tool) -> bool:
    """Whether a name is a declared one but for case and separators, or a word of one that takes such an object.

    `Body` is the parameter `body`. It may be `queryBody`, if it contains no declared argument.
    """
    letters, word = spelling(name), normal_form(name)
    if any(spelling(declared) == letters for declared in tool.params):
        return True
    objects = [declared for declared in tool.params if tool.param_types.get(declared) == "object"]
    return any(word in split_words(declared) for declared in objects) and tool.params.keys().isdisjoint(inside)


def _as_contents(value: Any) -> dict[str, Any] | None:
    """Return the object that a wrapper holds, as an object, as JSON in a string, or as the only item of a list."""
    value = parse_json(value) if isinstance(value, str) else value
    value = as_list(value)[0] if len(as_list(value)) == 1 else value
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _is_wrapper_name(name: str, tool: Tool) -> bool:
    """Whether a name is a usual one for a wrapper, the name of the tool, or the thing that the tool is about."""
    plain = normal_form(name)
    if plain in _WRAPPERS or plain == normal_form(tool.name):
        return True
    return "".join(map(stem, split_words(name))) in _find_things(tool)


def _find_things(tool: Tool) -> set[str]:
    """Return what a tool is about: the words at the end of its name, or in front of its last verb (`pods_run`)."""
    words = split_words(tool.name)
    stems = [stem(word) for word in words]
    things = {"".join(stems[start:]) for start in range(1, len(stems))}
    if words and not is_verb(words[0]):
        end = next((at for at in range(len(words) - 1, 0, -1) if is_verb(words[at])), 0)
        things |= {"".join(stems[start:end]) for start in range(end)}
    return things


def _look_like_arguments(contents: dict[str, Any], tool: Tool) -> bool:
    if any(key in tool.params or _wraps(key, contents, tool) for key in contents):
        return True
    return any(_is_nearly_declared(key, tool) for key in list(contents)[:_MAX_KEYS])


def _wraps(key: str, contents: dict[str, Any], tool: Tool) -> bool:
    return len(contents) == 1 and _as_contents(contents[key]) is not None and _is_wrapper_name(key, tool)


def _is_nearly_declared(key: str, tool: Tool) -> bool:
    near = closest(key, tool.params, "parameter")
    return bool(near) and near[0].confidence > OFFER_THRESHOLD


def _repeats_tool(key: str, value: Any, tool: Tool) -> bool:
    is_name = isinstance(value, str) and normal_form(key) in _TOOL_NAME_KEYS
    return is_name and normal_form(value) == normal_form(tool.name)
