"""Read names in calls: prefixes of clients and servers, and the calls that a text shows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bench.field.case import Case, words
from bench.field.schema_check import is_open
from fingerpost.engine.safety.json_input import as_object

_NEUTRAL = ("functions.", "default_api.", "tools.")
_GENERIC = frozenset({"mcp", "server"})
_CALL = re.compile(r"([\w.\-/:]+)\(([^()]*)\)")
_PARAMETER = re.compile(r"(?:^|, )([\w.\-$]+): ")


def drop_prefix(name: str, server: str) -> set[str]:
    """A name without a prefix that names no server, and without one that names this server."""
    for prefix in _NEUTRAL:
        name = name.removeprefix(prefix)
    found = re.fullmatch(r"(?:mcp__)?(.+?)(?:__|[./:])(.+)", name)
    own = set(words(server)) - _GENERIC
    return {name, found[2]} if found and own and set(words(found[1])) - _GENERIC == own else {name}


def find_calls(text: str) -> Iterator[tuple[str, list[str]]]:
    """The calls in a text: the tool, and the names of its parameters."""
    for found in _CALL.finditer(_outermost(text)):
        yield found[1], _PARAMETER.findall(found[2])


def _outermost(text: str) -> str:
    """A call without the texts, objects and lists in it, so that only the names of its parameters are left."""
    text = re.sub(r'"(?:[^"\\]|\\.)*"', "0", text)
    while (shorter := re.sub(r"\{[^{}\[\]]*\}|\[[^{}\[\]]*\]", "0", text)) != text:
        text = shorter
    return text


def find_unknown_name(name: str, names: list[str], case: Case) -> str:
    """What a call names that does not exist: its tool, or a parameter that the tool does not declare."""
    if name not in listed_names(case):
        return f"{name} is not listed"
    tool = case.tool(name)
    declared = as_object(as_object((tool or {}).get("inputSchema")).get("properties"))
    unknown = [one for one in names if tool is not None and one not in declared and not is_open(tool)]
    return f"{unknown[0]} is not declared" if unknown else ""


def listed_names(case: Case) -> set[str]:
    """The tools that a client sees behind the proxy, which adds one."""
    return {str(one.get("name")) for one in case.tools} | {"info"}
