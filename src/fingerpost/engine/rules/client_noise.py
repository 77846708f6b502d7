"""Remove arguments that some clients add to every call, whatever the tool.

They are not the caller's mistake, so they are dropped silently where the tool does not declare them. Names that a
caller may use deliberately (`action`, `sessionId`) count as noise only beside a name that no caller would use.
"""

from __future__ import annotations

from typing import Any

from fingerpost.engine.matching.spelling import spelling
from fingerpost.engine.tool import Tool

_CLIENT_NAMES = frozenset(
    {"toolCallId", "tool_call_id", "toolUseId", "tool_use_id", "chatInput", "__intent", "_meta", "random_string"}
)
_AMBIGUOUS_NAMES = frozenset({"action", "sessionId", "session_id", "tool", "toolName", "metadata", "userId"})


def remove_client_noise(arguments: dict[str, Any], tool: Tool) -> dict[str, Any]:
    """Return the arguments without client noise; the same object if there is none."""
    undeclared = [key for key in arguments if key not in tool.params and key not in tool.aliases]
    if tool.is_open or not any(key in _CLIENT_NAMES for key in undeclared):
        return arguments
    declared = {spelling(name) for name in tool.params}
    noise = {
        key for key in undeclared if (key in _CLIENT_NAMES or key in _AMBIGUOUS_NAMES) and spelling(key) not in declared
    }
    return {key: value for key, value in arguments.items() if key not in noise}
