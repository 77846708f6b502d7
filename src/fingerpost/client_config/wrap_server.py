"""One entry put behind the proxy, or the reason why it is left alone."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from fingerpost.client_config.jsonc import Edit, Part, Value, first_in, literal, renamed, scanned
from fingerpost.client_config.servers import LeftAlone, members_of
from fingerpost.engine.phrases import join_names, quote
from fingerpost.proxy.http.sendable import is_header, is_sendable

HEADERS = "FINGERPOST_HEADERS"
"""The variable in which the proxy finds the headers to send: a JSON object."""
MEMORY = "fingerpost"
"""The member that keeps what the rest of a wrapped entry does not tell."""
URL_KEYS = ("url", "serverUrl")
KNOWN = ("type", "command", "args", "env", *URL_KEYS, "headers", MEMORY)

_STDIO = ("stdio", "local")
_HTTP = ("http", "streamable-http", "streamableHttp", "streamable_http")
_TRANSPORTS = ("transport", "transportType")
_SIGN_INS = ("oauth", "auth", "authorization", "authProviderType", "headersHelper")
_URL = re.compile(r"https?://|\$\{", re.IGNORECASE)
_PRIVATE = re.compile(r"[?@]")
"""What an address has in it when it may carry a key."""
_OLD = re.compile(r"/sse/?([?#]|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Proxy:
    """What is written in front of a server: the executable, and the options it is given."""

    command: str
    options: tuple[str, ...] = ()


def is_url(text: str) -> bool:
    """Whether the proxy can be sent there; a client may put in the address, or its beginning, itself."""
    return _URL.match(text) is not None


def placed_behind(text: str, entry: Value, proxy: Proxy) -> list[Edit]:
    """The edits that put an entry behind the proxy. Raises `LeftAlone`."""
    if entry.kind != "object":
        raise LeftAlone("it is not an object")
    members = members_of(entry, KNOWN)
    if MEMORY in members:
        raise LeftAlone(f"it has a member {quote(MEMORY)} and does not run the proxy")
    ways = [name for name in ("command", *URL_KEYS) if name in members]
    if len(ways) != 1:
        raise LeftAlone(f"it has both {join_names(ways)}" if ways else "it has neither 'command' nor 'url'")
    way = members[ways[0]]
    if way.value.kind != "string" or not way.value.string:
        raise LeftAlone(f"{quote(way.name)} is no text")
    return _command_behind(text, members, proxy) if way.name == "command" else _url_behind(text, members, way, proxy)


def remark_on(entry: Value) -> str:
    """What a user should know about an entry that was put behind the proxy."""
    members = {part.name: part.value for part in entry.parts}
    remarks: list[str] = []
    for key in URL_KEYS:
        if key in members and _PRIVATE.search(members[key].string):
            remarks.append("its whole address now stands in the process list")
        if key in members and "headers" not in members:
            remarks.append("if the client signs in to it, unwrap it: the proxy cannot")
    return "; ".join(remarks)


def _command_behind(text: str, members: dict[str, Part], proxy: Proxy) -> list[Edit]:
    _require_type(members, _STDIO)
    command = members["command"].value
    words = _words(proxy, literal("--"), command.spelled(text))
    if "args" not in members:
        added = f', "args": [{words}], {_member(MEMORY, {"args": None})}'
        return [Edit(command.start, command.end, literal(proxy.command) + added)]
    if members["args"].value.kind != "array":
        raise LeftAlone("'args' is not an array")
    return [Edit(command.start, command.end, literal(proxy.command)), first_in(members["args"].value, words)]


def _url_behind(text: str, members: dict[str, Part], url: Part, proxy: Proxy) -> list[Edit]:
    _require_familiar(text, members, url)
    edits, memory = _headers_behind(text, members)
    if url.name != "url":
        memory["url"] = url.name
    if "type" in members:
        kind = members["type"].value
        edits.append(Edit(kind.start, kind.end, literal("stdio")))
        if kind.string != "http":
            memory["type"] = kind.string
    added = f', "args": [{_words(proxy, url.value.spelled(text))}]'
    if "place" in memory:
        edits += renamed(members["headers"], MEMORY, literal(memory))
    elif memory:
        added += f", {_member(MEMORY, memory)}"
    return [*edits, *renamed(url, "command", literal(proxy.command) + added)]


def _headers_behind(text: str, members: dict[str, Part]) -> tuple[list[Edit], dict[str, Any]]:
    """The edits that make headers a variable, and what has to be remembered of them."""
    if "headers" not in members:
        return [], {}
    said = members["headers"].value.spelled(text)
    sent = as_variable(said)
    memory: dict[str, Any] = {} if sent == said else {"headers": said}
    variable = _member(HEADERS, sent)
    if "env" in members:
        return [first_in(members["env"].value, variable)], memory | {"place": "headers"}
    return renamed(members["headers"], "env", f"{{{variable}}}"), memory


def as_variable(headers: str) -> str:
    """Headers as the proxy reads them: their own text, unless there are comments in it."""
    if is_object(headers):
        return headers
    return json.dumps({part.name: part.value.string for part in scanned(headers).parts})


def is_object(text: str) -> bool:
    """Whether a text is an object in strict JSON."""
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _require_type(members: dict[str, Part], allowed: tuple[str, ...]) -> None:
    if "type" not in members:
        return
    kind = members["type"].value
    if kind.string == "sse":
        raise LeftAlone("the proxy does not speak 'sse', the old transport")
    if kind.string not in allowed:
        raise LeftAlone(f"its type is {quote(kind.string) if kind.kind == 'string' else 'no text'}")


def _require_familiar(text: str, members: dict[str, Part], url: Part) -> None:
    """An entry with a URL is rebuilt, so all that decides how the client reaches the server must be understood."""
    _require_type(members, _HTTP)
    for name in (*_TRANSPORTS, *_SIGN_INS, "args"):
        if name in members:
            raise LeftAlone(f"it has {quote(name)}, which means nothing to the proxy")
    if not is_url(url.value.string):
        raise LeftAlone(f"{quote(url.name)} is not an http address")
    if "${" not in url.value.string and not is_sendable(url.value.string):
        raise LeftAlone(f"{quote(url.name)} is not spelled as an address is: escape what is not plain")
    if "type" not in members and _OLD.search(url.value.string):
        raise LeftAlone('its address ends in /sse, the old transport; say "type": "http" if it is not')
    _require_plain_spelling(text, members, url)
    _require_plain_headers(members)


def _require_plain_spelling(text: str, members: dict[str, Part], url: Part) -> None:
    """Keys and types are written anew, and would come back without their escapes."""
    spelled = [text[part.start : part.key_end] for part in members.values() if part.name in (url.name, "headers")]
    if "type" in members:
        spelled.append(members["type"].value.spelled(text))
    if any("\\" in each for each in spelled):
        raise LeftAlone("it spells a key or its type with escapes")


def _require_plain_headers(members: dict[str, Part]) -> None:
    env = members["env"].value if "env" in members else None
    if env and any(part.name == HEADERS for part in env.parts):
        raise LeftAlone(f"its 'env' has {HEADERS} already")
    if "headers" not in members:
        return
    headers = members["headers"].value
    if headers.kind != "object" or any(part.value.kind != "string" for part in headers.parts):
        raise LeftAlone("'headers' is not an object of texts")
    if odd := [part.name for part in headers.parts if not is_header(part.name, part.value.string)]:
        raise LeftAlone(f"the header {quote(odd[0])} cannot be sent")
    if env and env.kind != "object":
        raise LeftAlone("'env' is not an object")


def _words(proxy: Proxy, *spelled: str) -> str:
    """The first items of `args`, as they are written."""
    return ", ".join([*map(literal, ("proxy", *proxy.options)), *spelled])


def _member(name: str, value: Any) -> str:
    return f"{literal(name)}: {literal(value)}"
