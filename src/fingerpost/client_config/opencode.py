"""Wrap and unwrap one entry of opencode, whose command is an array.

opencode rejects unknown members, so nothing can be stored in an entry: everything is derived from it.
"""

from __future__ import annotations

from fingerpost.client_config.jsonc import (
    Edit,
    Element,
    Value,
    insert_first,
    remove_elements,
    replace_member,
    to_json,
)
from fingerpost.client_config.servers import SkipServer, find_proxy, members_by_name
from fingerpost.client_config.unwrap_server import find_url
from fingerpost.client_config.wrap_server import (
    HEADERS_VARIABLE,
    Proxy,
    is_json_object,
    require_no_escapes,
    require_no_sse_url,
    require_plain_url,
    require_sendable_headers,
)
from fingerpost.engine.phrases import quote

_KNOWN_KEYS = ("type", "command", "environment", "url", "headers", "oauth")


def is_wrapped(entry: Value) -> bool:
    """Whether an entry runs `fingerpost proxy`."""
    return _proxy_start(entry) > 0


def _proxy_start(entry: Value) -> int:
    commands = [member.value.elements for member in entry.elements if member.name == "command"]
    words = [item.value.string for item in commands[0]] if commands else []
    return find_proxy(words[0], words[1:]) if words else 0


def wrap_entry(text: str, entry: Value, proxy: Proxy) -> list[Edit]:
    """Return the edits that put an entry behind the proxy. Raises `SkipServer`."""
    members = members_by_name(entry, _KNOWN_KEYS)
    front = ", ".join(map(to_json, (proxy.command, "proxy", *proxy.options)))
    if "command" in members:
        command = members["command"].value
        if not command.elements or any(item.value.kind != "string" for item in command.elements):
            raise SkipServer("'command' must be an array of strings that is not empty")
        return [insert_first(command, f'{front}, "--"')]
    return _wrap_url(text, members, front)


def unwrap_entry(text: str, entry: Value) -> list[Edit]:
    """Return the edits that restore a wrapped entry. Raises `SkipServer`."""
    members = members_by_name(entry, _KNOWN_KEYS)
    command = members["command"]
    items = command.value.elements
    words = [item.value.string for item in items]
    if "--" in words:
        end = words.index("--") + 1
        if end == len(items):
            raise SkipServer("there is no command after '--'")
        return remove_elements(text, command.value, items[:end])
    url = find_url(items[1 + _proxy_start(entry) :])
    return [
        *replace_member(command, "url", url.source(text)),
        *_replace_type(members, "remote"),
        *_restore_headers(members),
    ]


def _wrap_url(text: str, members: dict[str, Element], front: str) -> list[Edit]:
    for name in ("oauth", "environment"):
        if name in members:
            raise SkipServer(f"the proxy does not support its {quote(name)}")
    if "url" not in members:
        raise SkipServer("it has neither 'command' nor 'url'")
    url = members["url"]
    require_plain_url("url", url.value.string)
    require_no_sse_url(url.value.string)
    require_no_escapes(text, members, url)
    return [
        *replace_member(url, "command", f"[{front}, {url.value.source(text)}]"),
        *_replace_type(members, "local"),
        *_move_headers(text, members),
    ]


def _replace_type(members: dict[str, Element], kind: str) -> list[Edit]:
    if "type" not in members:
        return []
    value = members["type"].value
    return [Edit(value.start, value.end, to_json(kind))]


def _move_headers(text: str, members: dict[str, Element]) -> list[Edit]:
    if "headers" not in members:
        return []
    headers = members["headers"].value
    require_sendable_headers(headers)
    source = headers.source(text)
    if not is_json_object(source):
        raise SkipServer("its headers contain comments, which could not be restored; write them without comments")
    return replace_member(members["headers"], "environment", to_json({HEADERS_VARIABLE: source}))


def _restore_headers(members: dict[str, Element]) -> list[Edit]:
    if "environment" not in members:
        return []
    environment = members["environment"].value
    if [variable.name for variable in environment.elements] != [HEADERS_VARIABLE]:
        raise SkipServer("its 'environment' has variables that an entry with a URL cannot have")
    headers = environment.elements[0].value.string
    if not is_json_object(headers):
        raise SkipServer(f"{HEADERS_VARIABLE} is not a JSON object")
    return replace_member(members["environment"], "headers", headers)
