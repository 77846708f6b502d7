"""The info tool: an overview of the tools by category, or one tool at a chosen level of detail.

It answers only from the caller's own tool list, in short text for the model.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast, get_args

from fingerpost.engine.catalog import Catalog
from fingerpost.engine.matching import Match, closest
from fingerpost.engine.model import Applicability, Call, Diagnosis, Fix, Replace
from fingerpost.engine.phrases import count_noun, encode_json, is_name, parameter_label, quote
from fingerpost.engine.safety.json_input import as_object
from fingerpost.engine.safety.redact import clean, is_harmless, safe_value
from fingerpost.engine.schema import excerpt as disclosure
from fingerpost.engine.schema.excerpt import Level
from fingerpost.engine.tool import Tool

_LONGEST_OVERVIEW = 780
"""In characters: under 400 tokens, since names take more tokens than prose."""

_LONGEST_LIST = 2_000
_LONGEST_SUMMARY = 160
_MOST_ALONE = 40


def is_ours(tool: Any, key: str) -> bool:
    """Whether an entry of a tool list is this tool, returned to us from a cache."""
    return as_object(as_object(as_object(tool).get("_meta")).get(key)).get("explains") is True


def describe_info_tool(name: str, key: str = "") -> dict[str, Any]:
    """Return the tool's entry for a tool list; `key` is the key in `_meta` that marks it as ours."""
    levels = list(get_args(Level))
    return {
        "name": name,
        "title": "About these tools",
        "description": "Explains the tools of this server. Without arguments: all of them by category.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "tool": {"type": "string", "description": "A tool to explain, or a category to list"},
                "detail": {"type": "string", "enum": levels, "default": "typed"},
            },
        },
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
        **({"_meta": {key: {"explains": True}}} if key else {}),
    }


def answer(call: Call, catalog: Catalog) -> str | None:
    """Answer a call of the info tool; None if it asks about an unknown tool."""
    arguments = as_object(call.arguments)
    name, level = arguments.get("tool"), arguments.get("detail", "typed")
    if name is None or name == "":
        return "\n".join(_overview(call.tool, catalog))
    if (tool := catalog.get(str(name))) is not None:
        return "\n".join(_explain_tool(tool, cast("Level", level)))
    members = [catalog.get(one) for one in _by_category(catalog, call.tool).get(str(name).lower(), [])]
    return "\n".join(_fit_lines([_summarize(one) for one in members if one], _LONGEST_LIST)) or None


def diagnose_unknown(call: Call, catalog: Catalog) -> Diagnosis:
    """Diagnose a call that asks about an unknown tool."""
    name = str(as_object(call.arguments).get("tool"))
    subject = f"Tool {quote(name)}" if is_harmless(name) else "A tool by that name"
    return Diagnosis(
        code="NOT_FOUND",
        message=f"{subject} was not found",
        at=("tool",),
        category="not_found",
        details={"parameter": "tool", "got": safe_value(name), "expected": "a listed tool, or a category"},
        fixes=tuple(_fix(match) for match in closest(name, catalog.names_near(name), "tool")[:3]),
        hint=f"Use {call.tool}() to list all available tools",
    )


def _fix(match: Match) -> Fix:
    applicability = Applicability.MACHINE_APPLICABLE if match.is_clear else Applicability.MAYBE_INCORRECT
    edit = Replace(("tool",), match.name)
    return Fix(edit, applicability, confidence=match.confidence, value=match.name, label=clean(match.name))


def _by_category(catalog: Catalog, info: str) -> dict[str, list[str]]:
    """Group the tools by their first word, without the info tool."""
    found: dict[str, list[str]] = {}
    for name, words in zip(catalog.names.names, catalog.names.words, strict=True):
        if name != info:
            found.setdefault(words[0] if words else "", []).append(name)
    return found


def _overview(info: str, catalog: Catalog) -> Iterator[str]:
    """List every tool by category; if that is too long, fewer names of each, and finally only the counts."""
    groups = _by_category(catalog, info)
    views = (list(_category_lines(groups, most)) for most in (64, 8, 3, 1))
    fitting = (view for view in views if sum(map(len, view)) + len(view) <= _LONGEST_OVERVIEW)
    lines = next(fitting, None) or list(_category_lines(groups, 0))
    yield f"{count_noun(sum(map(len, groups.values())), 'tool')}:"
    yield from _fit_lines(lines, _LONGEST_OVERVIEW)
    yield f"More on one, or on a category: {info}(tool: <name>)."


def _category_lines(groups: dict[str, list[str]], most: int) -> Iterator[str]:
    """Yield a line for each category, and one for all tools that are alone in theirs."""
    alone = [clean(names[0]) for names in groups.values() if len(names) == 1]
    for word, names in groups.items():
        if len(names) > 1:
            yield f"{clean(word)} ({len(names)}){_list_names(names, most)}"
    if alone:
        yield ", ".join(alone[:_MOST_ALONE]) + (f" and {len(alone) - _MOST_ALONE:,} more" * (len(alone) > _MOST_ALONE))


def _list_names(names: list[str], most: int) -> str:
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return f": {', '.join(map(clean, names[:most]))}{more}" if most else ""


def _fit_lines(lines: list[str], room: int) -> Iterator[str]:
    for index, line in enumerate(lines):
        room -= len(line) + 1
        if room < 0:
            yield f"And {len(lines) - index:,} more."
            return
        yield line


def _summarize(tool: Tool) -> str:
    summary = tool.description.strip().partition("\n")[0]
    return f"{_signature(tool)}{f' - {clean(summary, _LONGEST_SUMMARY)}' if summary else ''}"


def _signature(tool: Tool) -> str:
    """`search(pattern, filter?, max?)`"""
    names = [parameter_label((name,)) + ("" if name in tool.required else "?") for name in list(tool.params)[:12]]
    more = ["…"] if len(tool.params) > 12 else []
    return f"{tool.name if is_name(tool.name) else quote(tool.name)}({', '.join([*names, *more])})"


def _explain_tool(tool: Tool, level: Level) -> Iterator[str]:
    yield _summarize(tool)
    if level == "minimal":
        return
    if level == "full":
        for name, one in disclosure.outline(tool.schema, tool.schema).items():
            yield f"{name}: {encode_json(one)}"
        return
    for name, schema in list(tool.params.items())[:20]:
        presence = "required" if name in tool.required else "optional"
        words = disclosure.describe_schema(tool.schema, schema, shows_fields=True)
        yield f"{parameter_label((name,))}: {presence}, {words}"
