"""What a tool may do to things: only read them, change them, or destroy them."""

from __future__ import annotations

from fingerpost.engine.matching.actions import Danger, read_action
from fingerpost.engine.safety.json_input import as_object
from fingerpost.engine.tool import Tool


def danger_of_tool(tool: Tool) -> Danger:
    """Return what a tool may do, by its annotations, the verb in its name, and what its description begins with."""
    if tool.is_read_only:
        return Danger.READS
    by_name = read_action(tool.name).danger
    if tool.is_destructive or by_name is Danger.DESTROYS or _says_it_replaces(tool.description):
        return Danger.DESTROYS
    if as_object(tool.entry.get("annotations")).get("readOnlyHint") is False:
        return Danger.WRITES
    return by_name if by_name is not None else _danger_by_description(tool.description)


def _danger_by_description(description: str) -> Danger:
    """A description that begins with a verb says what the tool does: "Gets the weather"."""
    first = description[:64].split(maxsplit=1)[:1]
    verb = read_action(first[0]).verb if first else ""
    return Danger.READS if verb and read_action(verb).danger is Danger.READS else Danger.WRITES


def _says_it_replaces(description: str) -> bool:
    text = description[:512].lower()
    return "overwrit" in text or "irreversibl" in text or "permanently" in text or "cannot be undone" in text
