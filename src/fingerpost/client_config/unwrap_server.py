"""One entry taken out from behind the proxy: what the user has changed since stays, the rest is as it was."""

from __future__ import annotations

import json

from fingerpost.client_config.jsonc import Edit, Malformed, Part, Value, literal, renamed, without
from fingerpost.client_config.servers import LeftAlone, members_of, proxied_from
from fingerpost.client_config.wrap_server import HEADERS, KNOWN, MEMORY, as_variable, is_object, is_url


def taken_from_behind(text: str, entry: Value) -> list[Edit]:
    """The edits that undo a wrapped entry. Raises `LeftAlone`."""
    members = members_of(entry, KNOWN)
    words = members["args"].value.parts
    said = [part.value.string for part in words]
    if "--" in said:
        return _command_back(text, entry, members, said.index("--") + 1)
    return _url_back(text, entry, members, _url_among(words[proxied_from(entry) :]))


def _command_back(text: str, entry: Value, members: dict[str, Part], at: int) -> list[Edit]:
    command, args = members["command"].value, members["args"]
    words = args.value.parts
    if at == len(words) or words[at].value.kind != "string":
        raise LeftAlone("no command stands behind '--'")
    edits = [Edit(command.start, command.end, words[at].value.spelled(text))]
    gone = _memory_part(members)
    if len(words) == at + 1 and "args" in _remembered(members):
        return [*edits, *without(text, entry, [args, *gone])]
    return [*edits, *without(text, args.value, words[: at + 1]), *without(text, entry, gone)]


def _url_among(words: tuple[Part, ...]) -> Value:
    """The address among the proxy's arguments: the last one, unless the user has written options behind it."""
    for part in reversed(words):
        if part.value.kind == "string" and is_url(part.value.string):
            return part.value
    raise LeftAlone("neither a command nor an address stands behind 'proxy'")


def _url_back(text: str, entry: Value, members: dict[str, Part], url: Value) -> list[Edit]:
    command, memory = members["command"], _remembered(members)
    edits = renamed(command, memory.get("url") or "url", url.spelled(text))
    if "type" in members:
        kind = members["type"].value
        edits.append(Edit(kind.start, kind.end, literal(memory.get("type") or "http")))
    restored, used = _headers_back(text, members, memory)
    gone = [members["args"], *(part for part in _memory_part(members) if part is not used)]
    return [*edits, *restored, *without(text, entry, gone)]


def _headers_back(text: str, members: dict[str, Part], memory: dict[str, str]) -> tuple[list[Edit], Part | None]:
    """The edits that make the variable headers again, and the member whose place they take."""
    env = members.get("env")
    variable = next((part for part in env.value.parts if part.name == HEADERS), None) if env else None
    if env is None or variable is None:
        return [], None
    said = _headers_said(variable.value.string, memory)
    if "place" in memory:
        place = members[MEMORY]
        return [*renamed(place, "headers", said), *without(text, env.value, [variable])], place
    if len(env.value.parts) == 1:
        return renamed(env, "headers", said), env
    added = Edit(env.start, env.start, f"{literal('headers')}: {said}, ")
    return [added, *without(text, env.value, [variable])], None


def _headers_said(variable: str, memory: dict[str, str]) -> str:
    """The text of the headers: as it was written, unless they were changed since."""
    if not is_object(variable):
        raise LeftAlone(f"{HEADERS} does not hold a JSON object")
    try:
        is_same = json.loads(as_variable(memory.get("headers", ""))) == json.loads(variable)
    except Malformed:
        is_same = False  # nothing is remembered, or somebody has edited it
    return memory["headers"] if is_same else variable


def _memory_part(members: dict[str, Part]) -> list[Part]:
    return [members[MEMORY]] if MEMORY in members else []


def _remembered(members: dict[str, Part]) -> dict[str, str]:
    return {fact.name: fact.value.string for part in _memory_part(members) for fact in part.value.parts}
