"""Where an alias stands in a call, and where the parameter that it means belongs.

Names are written with dots: `options.filter` is the field `filter` of the object `options`. Lists are not supported.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from fingerpost.engine.matching.spelling import normal_form
from fingerpost.engine.model import Path
from fingerpost.engine.safety.json_input import as_object
from fingerpost.engine.schema import walk as schemas

if TYPE_CHECKING:
    from fingerpost.engine.tool import Tool

_MOST_ARGUMENTS, _MOST_SEPARATORS = 64, 8


def find_declared(tool: Tool, name: str) -> Path | None:
    """Return the path of the parameter with this name; None if the tool does not declare it."""
    if name in tool.params:
        return (name,)
    path = tuple(name.split("."))
    if len(path) == 1 or len(path) > schemas.MAX_DEPTH:
        return None
    holder = schemas.schema_at(tool.schema, path[:-1])
    return path if path[-1] in schemas.properties(tool.schema, holder) else None


def find_sent(name: str, arguments: Mapping[str, Any]) -> Path | None:
    """Return the path of the argument with this name, as one key or nested; None if it was not sent."""
    if name in arguments:
        return (name,)
    if "." not in name and (spelling := _other_spelling(name, arguments)):
        return (spelling,)
    *outer, last = name.split(".")
    for step in outer:
        arguments = as_object(arguments.get(step))
    return (*outer, last) if outer and last in arguments else None


def _other_spelling(name: str, arguments: Mapping[str, Any]) -> str:
    """Return the only argument that differs from a name in case and separators alone; empty if there is none."""
    form = normal_form(name)
    some = islice(arguments, _MOST_ARGUMENTS)
    same = [key for key in some if len(key) <= len(name) + _MOST_SEPARATORS and normal_form(key) == form]
    return same[0] if len(same) == 1 else ""


def uses_any(names: Iterable[str], arguments: Any) -> bool:
    """Whether the arguments contain one of these names."""
    return any(find_sent(name, as_object(arguments)) for name in names)
