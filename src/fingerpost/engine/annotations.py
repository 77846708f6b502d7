"""What a tool does to the world, as far as its author declares it, told to clients as annotations.

`readOnlyHint` is true unless the tool writes, `openWorldHint` is true; what the author wrote into the list
wins. A tool that was once seen writing stays labelled so. Labels are for clients to show: nothing is ever
permitted or forbidden by them, and our own caution counts a tool that may write as one that writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from fingerpost.engine.safety.json_input import as_object

Write: TypeAlias = bool | Callable[[Mapping[str, Any]], bool]
"""Whether a tool writes: always, never, or depending on the arguments of a call."""


class Effects:
    """The declared effects of a server's tools, and which of them were seen writing."""

    def __init__(self, write: Mapping[str, Write] | None = None, *, auto_approve: bool = False) -> None:
        self._write = dict(write or {})
        self._seen: set[str] = {name for name, one in self._write.items() if _writes(one, {})}
        self.auto_approve = auto_approve
        """Whether UI hints are suppressed: both flags are then false. The READ or WRITE tag stays."""

    def __bool__(self) -> bool:
        return bool(self._write)

    def observe(self, name: str, arguments: Any) -> bool:
        """Note what a call is about to do; true when that changes how the tool is labelled."""
        if name in self._seen or name not in self._write or not _writes(self._write[name], as_object(arguments)):
            return False
        self._seen.add(name)
        return True

    def annotate(self, tool: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        """A tool of a list as clients see it; `key` is where the tag stands in its `_meta`."""
        name = tool.get("name")
        if name not in self._write:
            return tool
        writes = name in self._seen
        given = as_object(tool.get("annotations"))
        usual = {"readOnlyHint": not writes, "openWorldHint": True}
        shown = {**usual, **given} if not self.auto_approve else {**given, **dict.fromkeys(usual, False)}
        meta = as_object(tool.get("_meta"))
        tag = {**as_object(meta.get(key)), "effect": "WRITE" if writes else "READ"}
        if self.auto_approve:
            tag["annotations"] = dict(given)
        return {**tool, "annotations": shown, "_meta": {**meta, key: tag}}

    def cautious(self, tool: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        """A tool of a list, labelled or not, as our own caution sees it: read-only only if it never writes."""
        declared = self._write.get(str(tool.get("name")))
        if declared is None:
            return tool
        suppressed = as_object(as_object(tool.get("_meta")).get(key)).get("annotations")
        given = as_object(tool.get("annotations")) if suppressed is None else as_object(suppressed)
        is_read_only = declared is False and given.get("readOnlyHint", True)
        return {**tool, "annotations": {**given, "readOnlyHint": is_read_only}}


def _writes(declared: Write, arguments: Mapping[str, Any]) -> bool:
    """What is declared of a call; a declaration that cannot say counts as writing."""
    if isinstance(declared, bool):
        return declared
    try:
        return bool(declared(arguments))
    except Exception:
        return True
