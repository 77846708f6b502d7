"""Annotate tools with the effects that the server author declares.

`readOnlyHint` is true unless the tool writes, and `openWorldHint` is true; annotations in the tool list take
precedence. A tool that has written once stays marked as writing. Annotations are for display and permit or forbid
nothing. For its own decisions, Fingerpost counts a tool that may write as one that writes.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from inspect import signature
from typing import Any, TypeAlias

from fingerpost.engine.safety.json_input import as_object

Write: TypeAlias = bool | Callable[[Mapping[str, Any]], bool]
"""Whether a tool writes: always, never, or depending on the arguments of a call."""


class Effects:
    """The declared effects of a server's tools, and which tools have written so far."""

    def __init__(self, write: Mapping[str, Write] | None = None, *, auto_approve: bool = False) -> None:
        self._write = dict(write or {})
        for name, one in self._write.items():
            _check_declaration(name, one)
        self._has_written: set[str] = {name for name, one in self._write.items() if _writes(one, {})}
        self.auto_approve = auto_approve
        """Whether to suppress UI hints by setting both to false. The READ or WRITE tag stays."""

    def __bool__(self) -> bool:
        return bool(self._write)

    def observe(self, name: str, arguments: Any) -> bool:
        """Record what a call is about to do; true if that changes the annotations of the tool."""
        if name in self._has_written or name not in self._write or not _writes(self._write[name], as_object(arguments)):
            return False
        self._has_written.add(name)
        return True

    def find_unknown(self, names: Container[str]) -> list[str]:
        """Return the declared tools that are not in a list: they are probably misspelled."""
        return [name for name in self._write if name not in names]

    def annotate(self, tool: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        """Return an entry of the tool list for clients; `key` is the key of the tag in its `_meta`."""
        name = tool.get("name")
        if name not in self._write:
            return tool
        writes = name in self._has_written
        given = as_object(tool.get("annotations"))
        usual = {"readOnlyHint": not writes, "openWorldHint": True}
        annotations = {**usual, **given} if not self.auto_approve else {**given, **dict.fromkeys(usual, False)}
        meta = as_object(tool.get("_meta"))
        tag = {**as_object(meta.get(key)), "effect": "WRITE" if writes else "READ"}
        if callable(self._write[name]):
            tag["may_write"] = True  # whatever `readOnlyHint` says, for a proxy in front of this server
        if self.auto_approve:
            tag["annotations"] = dict(given)
        return {**tool, "annotations": annotations, "_meta": {**meta, key: tag}}

    def mark_possible_writes(self, tool: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        """Return an entry of the tool list for our own decisions: read-only only if the tool never writes."""
        declared = self._write.get(str(tool.get("name")))
        if declared is None:
            return tool
        suppressed = as_object(as_object(tool.get("_meta")).get(key)).get("annotations")
        given = as_object(tool.get("annotations")) if suppressed is None else as_object(suppressed)
        is_read_only = declared is False and given.get("readOnlyHint", True)
        return {**tool, "annotations": {**given, "readOnlyHint": is_read_only}}


def _check_declaration(name: str, declared: Any) -> None:
    """Raise if a declaration is neither a bool nor a function of the arguments: it would count as writing."""
    if isinstance(declared, bool):
        return
    try:
        signature(declared).bind({})
    except ValueError:  # a builtin without a signature
        return
    except TypeError as error:
        wanted = "true, false, or a function that takes the arguments"
        raise TypeError(f"write[{name!r}] must be {wanted}, got {type(declared).__name__} ({error})") from None


def _writes(declared: Write, arguments: Mapping[str, Any]) -> bool:
    """Whether a call writes, as declared. A declaration that raises counts as writing."""
    if isinstance(declared, bool):
        return declared
    try:
        return bool(declared(arguments))
    except Exception:
        return True
