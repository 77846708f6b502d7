"""Arguments that some clients add to every call, whatever the tool.

They are not the caller's mistake, so they are dropped without a word where the tool does not want
them, and left alone where it does. Words that could be meant (`action`, `sessionId`) count as noise
only beside a mark that no caller would write.
"""

from __future__ import annotations

from typing import Any

from fingerpost.engine.catalog import Tool
from fingerpost.engine.matching.spelling import spelling

_MARKS = frozenset(
    {"toolCallId", "tool_call_id", "toolUseId", "tool_use_id", "chatInput", "__intent", "_meta", "random_string"}
)
_COMPANIONS = frozenset({"action", "sessionId", "session_id", "tool", "toolName", "metadata", "userId"})


def without_noise(arguments: dict[str, Any], tool: Tool) -> dict[str, Any]:
    """The arguments the caller itself chose; the same object when there is no noise in it."""
    strays = [key for key in arguments if key not in tool.params]
    if tool.is_open or not any(key in _MARKS for key in strays):
        return arguments
    meant = {spelling(name) for name in tool.params}
    noise = {key for key in strays if (key in _MARKS or key in _COMPANIONS) and spelling(key) not in meant}
    return {key: value for key, value in arguments.items() if key not in noise}
