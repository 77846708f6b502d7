"""Recognize words around a name that belong to the client or the server: wrapping and namespaces."""

from __future__ import annotations

from collections.abc import Sequence

from fingerpost.engine.matching.alignment import PREFIX, Alignment, Query, count_leading, strip_server_words
from fingerpost.engine.matching.lexicon import is_known_word, is_modifier, is_verb
from fingerpost.engine.matching.spelling import MAX_NAME_LENGTH, count_edits, split_words

_CLIENT_WORDS = {
    "tool": frozenset({"mcp", "mmcp", "call", "invoke", "default", "api"}),
    "parameter": frozenset({"params", "param", "args", "arg", "kwargs"}),
}
"""Words that clients put in front of a name with any separator."""
_DOTTED_CLIENT_WORDS = {
    "tool": frozenset({
        "functions", "function", "tools", "tool", "server", "plugin", "skill", "client", "self", "agent",
    }),
    "parameter": frozenset({
        "parameters", "parameter", "arguments", "argument", "input", "inputs", "body", "payload", "request", "options",
        "opts", "data", "json", "properties", "root", "query", "config", "self",
    }),
}  # fmt: skip
"""Words that count only in front of a dot, a colon or a slash."""
_NO_WORDS: frozenset[str] = frozenset()
_TOOL_SUFFIXES = frozenset({"tool", "tools", "function"})


def is_wrapping(side: Alignment) -> bool:
    """Whether the words of the mistake without a counterpart are what clients put around a name."""
    query, left = side.query, side.left
    head = count_leading(left)
    tail, matches = left[head:], len(query.words) - len(left)
    if tail and not (matches > 1 and _is_tool_suffix(query, tail)):
        return False
    lead = query.words[:head]
    prefix = PREFIX.match(query.text)
    is_dotted = bool(prefix) and len(split_words(prefix[1])) >= head
    rest = [word for word in lead if not _is_client_word(word, query.kind, is_dotted=is_dotted)]
    if not rest:
        return query.kind != "tool" or is_dotted or matches > 1
    return query.kind == "tool" and _is_server_prefix(query, lead, rest)


def _is_tool_suffix(query: Query, tail: Sequence[int]) -> bool:
    """Whether these words end the name of a tool and say only that it is one."""
    is_at_end = query.kind == "tool" and tail[-1] == len(query.words) - 1
    return is_at_end and all(query.words[i] in _TOOL_SUFFIXES for i in tail)


def _is_client_word(word: str, kind: str, *, is_dotted: bool) -> bool:
    if word in _CLIENT_WORDS.get(kind, _NO_WORDS):
        return True
    return is_dotted and word in _DOTTED_CLIENT_WORDS.get(kind, _NO_WORDS)


def _is_server_prefix(query: Query, lead: Sequence[str], rest: Sequence[str]) -> bool:
    """Whether a prefix is the name of this server, or looks like one where the name is not known."""
    if query.server:
        return any(_is_server(query.server, strip_server_words("".join(words))) for words in (rest, lead))
    return lead[0] in ("mcp", "mmcp") and not any(is_verb(word) for word in lead[1:])


def _is_server(server: str, lead: str) -> bool:
    """Whether a prefix is this server's name, the end of it, or a misspelling of it."""
    return server == lead or (len(lead) > 3 and (server.endswith(lead) or count_edits(server, lead, 2) < 3))


def is_namespace(side: Alignment) -> bool:
    """Whether the words of the known name without a counterpart are a prefix that other names share, and no verb."""
    theirs, right = side.theirs, side.right
    head = count_leading(right)
    tail = right[head:]
    if side.query.kind != "tool":
        return False
    if tail and (len(theirs) - len(right) < 2 or any(theirs[j] not in _TOOL_SUFFIXES for j in tail)):
        return False
    return _is_dotted_prefix(side, head) or _is_shared_prefix(side, theirs[:head]) if head else True


def _is_dotted_prefix(side: Alignment, head: int) -> bool:
    """Whether these words of the known name end with a dot, colon, slash or double underscore: a namespace."""
    prefix = PREFIX.match(side.known.names[side.place][:MAX_NAME_LENGTH])
    return bool(prefix) and len(split_words(prefix[1])) == head


def _is_shared_prefix(side: Alignment, lead: tuple[str, ...]) -> bool:
    """Whether enough known names begin with these words; more are needed for ordinary words."""
    query = side.query
    if any(is_verb(word) or is_modifier(word) for word in lead):
        return False
    is_own_server = bool(query.server) and all(word in query.server for word in lead)
    if is_own_server or not all(is_known_word(word) for word in lead):
        return side.known.prefixes[lead] > 1
    return len(query.words) > 1 and side.known.prefixes[lead] > 3
