"""What stands around a name and belongs to the client or the server: wrapping, and namespaces."""

from __future__ import annotations

import re

from fingerpost.engine.matching.alignment import Alignment, core, edits_between, leading
from fingerpost.engine.matching.lexicon import is_modifier, is_ordinary, is_verb, words

_WRAPPING = {
    "tool": frozenset({"mcp", "mmcp", "call", "invoke", "default", "api"}),
    "parameter": frozenset({"params", "param", "args", "arg", "kwargs"}),
}
"""Words that clients put in front of a name with any separator; others count only before a dot, a colon or a slash."""
_DOTTED = {
    "tool": frozenset({
        "functions", "function", "tools", "tool", "server", "plugin", "skill", "client", "self", "agent",
    }),
    "parameter": frozenset({
        "parameters", "parameter", "arguments", "argument", "input", "inputs", "body", "payload", "request", "options",
        "opts", "data", "json", "properties", "root", "query", "config", "self",
    }),
}  # fmt: skip
LEAD = re.compile(r"^[\s'\"`({\[]*((?:\w+?(?:\.|::?|/|__))+)")
"""Everything up to the last dot, colon, slash or double underscore."""
_NOTHING: frozenset[str] = frozenset()
_TAIL = frozenset({"tool", "tools", "function"})


def is_wrapping(side: Alignment) -> bool:
    """Whether the words of the mistake that nothing answers are what clients put around a name."""
    asked, left = side.asked, side.left
    head = leading(left)
    tail, matched = left[head:], len(asked.words) - len(left)
    if tail and (asked.kind != "tool" or tail[-1] != len(asked.words) - 1 or matched < 2):
        return False
    if any(asked.words[i] not in _TAIL for i in tail):
        return False
    lead = asked.words[:head]
    dotted = LEAD.match(asked.text)
    is_dotted = bool(dotted) and len(words(dotted[1])) >= head
    noise = _WRAPPING.get(asked.kind, _NOTHING) | (_DOTTED.get(asked.kind, _NOTHING) if is_dotted else _NOTHING)
    rest = [word for word in lead if word not in noise]
    if not rest:
        return asked.kind != "tool" or is_dotted or matched > 1
    if asked.kind != "tool":
        return False
    if asked.server:
        return any(_is_server(asked.server, core("".join(part))) for part in (rest, lead))
    return lead[0] in ("mcp", "mmcp") and not any(is_verb(word) for word in lead[1:])


def _is_server(server: str, lead: str) -> bool:
    """Whether what stands in front is this server's name, or the end of it, or a slip for it."""
    return server == lead or (len(lead) > 3 and (server.endswith(lead) or edits_between(server, lead, 2) < 3))


def is_namespace(side: Alignment) -> bool:
    """Whether the words of the known name that answer nothing are a prefix that other names share, and no verb."""
    asked, theirs, right = side.asked, side.theirs, side.right
    head = leading(right)
    tail = right[head:]
    if asked.kind != "tool" or (tail and (len(theirs) - len(right) < 2 or any(theirs[j] not in _TAIL for j in tail))):
        return False
    lead = theirs[:head]
    if not lead:
        return True
    if any(is_verb(word) or is_modifier(word) for word in lead):
        return False
    is_ours = bool(asked.server) and all(word in asked.server for word in lead)
    if is_ours or not all(is_ordinary(word) for word in lead):
        return side.known.prefixes[lead] > 1
    return len(asked.words) > 1 and side.known.prefixes[lead] > 3
