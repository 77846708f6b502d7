"""Undo `wrap_server` for one entry. What the user has changed since then stays."""

from __future__ import annotations

import json

from fingerpost.client_config.jsonc import (
    Edit,
    Element,
    JsonSyntaxError,
    Value,
    remove_elements,
    replace_member,
    to_json,
)
from fingerpost.client_config.servers import SkipServer, members_by_name, proxy_arguments_start
from fingerpost.client_config.wrap_server import (
    HEADERS_VARIABLE,
    KNOWN_KEYS,
    NO_ARGS,
    UNDO_KEY,
    encode_headers,
    is_json_object,
    is_url,
    usual_url_key,
)


def unwrap_server(text: str, entry: Value, *, is_gemini: bool = False) -> list[Edit]:
    """Return the edits that restore a wrapped entry. Raises `SkipServer`."""
    members = members_by_name(entry, KNOWN_KEYS)
    args = members["args"].value.elements
    strings = [item.value.string for item in args]
    if "--" in strings:
        return _restore_command(text, entry, members, strings.index("--") + 1)
    url = find_url(args[proxy_arguments_start(entry) :])
    return _restore_url(text, entry, members, url, is_gemini=is_gemini)


def _restore_command(text: str, entry: Value, members: dict[str, Element], index: int) -> list[Edit]:
    command, args = members["command"].value, members["args"]
    items = args.value.elements
    if index == len(items) or items[index].value.kind != "string":
        raise SkipServer("there is no command after '--'")
    edits = [Edit(command.start, command.end, items[index].value.source(text))]
    undo_member = _undo_member(members)
    if len(items) == index + 1 and "args" in _undo_info(members):
        return [*edits, *remove_elements(text, entry, [args, *undo_member])]
    if len(items) == index + 1 and text.startswith(f" {NO_ARGS}", args.end):
        return [*edits, *remove_elements(text, entry, [args]), Edit(args.end, args.end + 1 + len(NO_ARGS))]
    return [
        *edits,
        *remove_elements(text, args.value, items[: index + 1]),
        *remove_elements(text, entry, undo_member),
    ]


def find_url(args: tuple[Element, ...]) -> Value:
    """Find the URL among the arguments of the proxy. The user may have added options after it."""
    for item in reversed(args):
        if item.value.kind == "string" and is_url(item.value.string):
            return item.value
    raise SkipServer("there is neither a command nor a URL after 'proxy'")


def _restore_url(text: str, entry: Value, members: dict[str, Element], url: Value, *, is_gemini: bool) -> list[Edit]:
    command, undo = members["command"], _undo_info(members)
    url_key = usual_url_key("type" in members, is_gemini=is_gemini)
    edits = replace_member(command, undo.get("url") or url_key, url.source(text))
    if "type" in members and not (is_gemini and members["type"].value.string != "stdio"):
        kind = members["type"].value
        edits.append(Edit(kind.start, kind.end, to_json(undo.get("type") or "http")))
    header_edits, replaced = _restore_headers(text, members, undo)
    removed = [members["args"], *(member for member in _undo_member(members) if member is not replaced)]
    return [*edits, *header_edits, *remove_elements(text, entry, removed)]


def _restore_headers(text: str, members: dict[str, Element], undo: dict[str, str]) -> tuple[list[Edit], Element | None]:
    """Return the edits that turn the variable into headers again, and the member that the headers replace."""
    env = members.get("env")
    variable = next((one for one in env.value.elements if one.name == HEADERS_VARIABLE), None) if env else None
    if env is None or variable is None:
        return [], None
    headers = _headers_source(variable.value.string, undo)
    if "place" in undo:
        place = members[UNDO_KEY]
        return [*replace_member(place, "headers", headers), *remove_elements(text, env.value, [variable])], place
    if len(env.value.elements) == 1:
        return replace_member(env, "headers", headers), env
    inserted = Edit(env.start, env.start, f"{to_json('headers')}: {headers}, ")
    return [inserted, *remove_elements(text, env.value, [variable])], None


def _headers_source(variable: str, undo: dict[str, str]) -> str:
    """The original text of the headers, or the variable's if the user has changed it."""
    if not is_json_object(variable):
        raise SkipServer(f"{HEADERS_VARIABLE} is not a JSON object")
    try:
        is_same = json.loads(encode_headers(undo.get("headers", ""))) == json.loads(variable)
    except JsonSyntaxError:
        is_same = False  # no text was stored, or the user has edited it
    return undo["headers"] if is_same else variable


def _undo_member(members: dict[str, Element]) -> list[Element]:
    return [members[UNDO_KEY]] if UNDO_KEY in members else []


def _undo_info(members: dict[str, Element]) -> dict[str, str]:
    return {one.name: one.value.string for member in _undo_member(members) for one in member.value.elements}
