"""Put one entry behind the proxy, or give the reason why it is skipped."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any, cast

from fingerpost.client_config.jsonc import Edit, Element, Value, insert_first, parse, replace_member, to_json
from fingerpost.client_config.servers import SkipServer, members_by_name
from fingerpost.client_config.url_secrets import WAY_OUT, find_url_secret
from fingerpost.engine.phrases import join_names, quote
from fingerpost.proxy.http.sendable import is_header, is_sendable

HEADERS_VARIABLE = "FINGERPOST_HEADERS"
"""The environment variable from which the proxy reads the headers to send: a JSON object."""
TEMPLATES_VARIABLE = "FINGERPOST_HEADER_TEMPLATES"
"""The same, where the proxy replaces `${NAME}` in a value by the variable of that name."""
UNDO_KEY = "fingerpost"
"""The member that stores what `unwrap` cannot derive from the rest of a wrapped entry."""
NO_ARGS = "/* fingerpost: it had no args */"
"""Stands after added `args` where the client accepts comments and no unknown members."""
URL_KEYS = ("url", "serverUrl", "httpUrl")
KNOWN_KEYS = ("type", "command", "args", "env", *URL_KEYS, "headers", UNDO_KEY)

_STDIO_TYPES = ("stdio", "local")
_HTTP_TYPES = ("http", "streamable-http", "streamableHttp", "streamable_http")
_TRANSPORT_KEYS = ("transport", "transportType")
_SIGN_IN_KEYS = ("oauth", "auth", "authorization", "authProviderType", "headersHelper")
_URL = re.compile(r"https?://|\$\{", re.IGNORECASE)
_MAY_CONTAIN_KEY = re.compile(r"[?@]|\$\{")
_SSE_URL = re.compile(r"/sse/?([?#]|$)", re.IGNORECASE)


SIGN_IN_WARNING = "the proxy cannot sign in; if the client signs in to this server, unwrap it"


@dataclass(frozen=True, slots=True)
class Proxy:
    """The executable to put in front of a server, and its options."""

    command: str
    options: tuple[str, ...] = ()

    def for_server(self, name: str) -> Proxy:
        """Return the proxy for one server: it has to know what the client calls the server."""
        is_named = any(option.split("=")[0] == "--name" for option in self.options)
        return self if is_named or not name else replace(self, options=(f"--name={name}", *self.options))


def is_url(text: str) -> bool:
    """Whether the proxy accepts a text as a URL. The client may fill in a `${variable}` at its beginning."""
    return _URL.match(text) is not None


def wrap_server(text: str, entry: Value, proxy: Proxy, *, is_gemini: bool = False) -> list[Edit]:
    """Return the edits that put an entry behind the proxy. Raises `SkipServer`."""
    if entry.kind != "object":
        raise SkipServer("it is not an object")
    members = members_by_name(entry, KNOWN_KEYS)
    if UNDO_KEY in members:
        raise SkipServer(f"it has a member {quote(UNDO_KEY)} but does not run the proxy")
    keys = [name for name in ("command", *URL_KEYS) if name in members]
    if len(keys) != 1:
        raise SkipServer(f"it has both {join_names(keys)}" if keys else "it has neither 'command' nor 'url'")
    target = members[keys[0]]
    if target.name == "command" and target.value.kind == "object":
        raise SkipServer("its 'command' is an object, the old form of Zed; let Zed update its settings first")
    if target.value.kind != "string" or not target.value.string:
        raise SkipServer(f"{quote(target.name)} must be a string that is not empty")
    if target.name == "command":
        return _wrap_command(text, members, proxy, is_gemini=is_gemini)
    if is_gemini:
        _require_gemini_url(members, target)
    return _wrap_url(text, members, target, proxy, is_gemini=is_gemini)


def warn_about(entry: Value) -> str:
    """Return what the user should know about an entry that was wrapped; empty if nothing."""
    members = {member.name: member.value for member in entry.elements}
    warnings: list[str] = []
    for key in URL_KEYS:
        if key in members and _MAY_CONTAIN_KEY.search(members[key].string):
            warnings.append("its whole URL is now visible in the process list")
        if key in members and "headers" not in members:
            warnings.append(SIGN_IN_WARNING)
    return "; ".join(warnings)


def _wrap_command(text: str, members: dict[str, Element], proxy: Proxy, *, is_gemini: bool) -> list[Edit]:
    _require_type(members, _STDIO_TYPES)
    command = members["command"].value
    first_args = _first_args(proxy, to_json("--"), command.source(text))
    if "args" not in members:
        undo = f" {NO_ARGS}" if is_gemini else f", {_member_source(UNDO_KEY, {'args': None})}"
        inserted = f', "args": [{first_args}]{undo}'
        return [Edit(command.start, command.end, to_json(proxy.command) + inserted)]
    args = members["args"].value
    if args.kind != "array":
        raise SkipServer("'args' is not an array")
    return [Edit(command.start, command.end, to_json(proxy.command)), insert_first(args, first_args)]


def _require_gemini_url(members: dict[str, Element], url: Element) -> None:
    if url.name == "url" and "type" not in members:
        raise SkipServer(
            "in Gemini CLI, 'url' without a type may be the old transport 'sse'; if the server speaks "
            "streamable HTTP, rename it to 'httpUrl'"
        )


def _wrap_url(text: str, members: dict[str, Element], url: Element, proxy: Proxy, *, is_gemini: bool) -> list[Edit]:
    _require_supported_url_entry(text, members, url)
    edits, undo = _move_headers(text, members)
    if url.name != usual_url_key("type" in members, is_gemini=is_gemini):
        undo["url"] = url.name
    if "type" in members and not is_gemini:  # Gemini CLI ignores the type of a command, and may reject 'stdio'
        kind = members["type"].value
        edits.append(Edit(kind.start, kind.end, to_json("stdio")))
        if kind.string != "http":
            undo["type"] = kind.string
    inserted = f', "args": [{_first_args(proxy, url.value.source(text))}]'
    if undo and is_gemini:  # Gemini CLI rejects unknown members
        raise SkipServer("its headers, URL or type could not be restored exactly; write its headers without comments")
    if "place" in undo:
        edits += replace_member(members["headers"], UNDO_KEY, to_json(undo))
    elif undo:
        inserted += f", {_member_source(UNDO_KEY, undo)}"
    return [*edits, *replace_member(url, "command", to_json(proxy.command) + inserted)]


def usual_url_key(has_type: bool, *, is_gemini: bool) -> str:
    """The key of a URL that `unwrap` restores unless the entry says otherwise."""
    return "httpUrl" if is_gemini and not has_type else "url"


def _move_headers(text: str, members: dict[str, Element]) -> tuple[list[Edit], dict[str, Any]]:
    """Return the edits that move the headers into a variable, and what must be stored to undo that."""
    if "headers" not in members:
        return [], {}
    source = members["headers"].value.source(text)
    encoded = encode_headers(source)
    undo: dict[str, Any] = {} if encoded == source else {"headers": source}
    variable = _member_source(HEADERS_VARIABLE, encoded)
    if "env" in members:
        return [insert_first(members["env"].value, variable)], undo | {"place": "headers"}
    return replace_member(members["headers"], "env", f"{{{variable}}}"), undo


def encode_headers(source: str) -> str:
    """Return headers in strict JSON, for the proxy: their own text, unless it has comments."""
    if is_json_object(source):
        return source
    return json.dumps({header.name: header.value.string for header in parse(source).elements})


def is_json_object(text: str) -> bool:
    """Whether a text is an object in strict JSON."""
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _require_type(members: dict[str, Element], allowed: tuple[str, ...]) -> None:
    if "type" not in members:
        return
    kind = members["type"].value
    if kind.string == "sse":
        raise SkipServer("the proxy does not support 'sse', the old transport")
    if kind.string not in allowed:
        raise SkipServer(f"its type is {quote(kind.string) if kind.kind == 'string' else 'not a string'}")


def _require_supported_url_entry(text: str, members: dict[str, Element], url: Element) -> None:
    """Skip an entry that the client reaches in a way that the proxy does not support."""
    _require_type(members, _HTTP_TYPES)
    for name in (*_TRANSPORT_KEYS, *_SIGN_IN_KEYS, "args"):
        if name in members:
            raise SkipServer(f"the proxy does not support its {quote(name)}")
    require_plain_url(url.name, url.value.string)
    if "type" not in members:
        require_no_sse_url(url.value.string, '; if it is not, set "type": "http"')
    require_no_escapes(text, members, url)
    _require_plain_headers(members)


def require_plain_url(key: str, url: str) -> None:
    """Skip a URL that the proxy cannot use, or that no process list may show."""
    if not is_url(url):
        raise SkipServer(f"{quote(key)} is not an http URL")
    if "${" not in url and not is_sendable(url):
        raise SkipServer(f"{quote(key)} contains characters that must be escaped")
    if secret := find_url_secret(url):
        raise SkipServer(f"its URL {secret}; {WAY_OUT}")


def require_no_sse_url(url: str, way_out: str = "") -> None:
    """Skip a URL of the old transport, if the entry does not say which transport it is."""
    if _SSE_URL.search(url):
        raise SkipServer(f"its URL ends in /sse, the old transport{way_out}")


def require_no_escapes(text: str, members: dict[str, Element], url: Element) -> None:
    """Skip escaped keys and types: `unwrap` writes them anew, without escapes."""
    sources = [
        text[member.start : member.key_end] for member in members.values() if member.name in (url.name, "headers")
    ]
    if "type" in members:
        sources.append(members["type"].value.source(text))
    if any("\\" in source for source in sources):
        raise SkipServer("one of its keys or its type contains escapes")


def _require_plain_headers(members: dict[str, Element]) -> None:
    env = members["env"].value if "env" in members else None
    if env and any(variable.name == HEADERS_VARIABLE for variable in env.elements):
        raise SkipServer(f"its 'env' already has {HEADERS_VARIABLE}")
    if "headers" not in members:
        return
    require_sendable_headers(members["headers"].value)
    if env and env.kind != "object":
        raise SkipServer("'env' is not an object")


def require_sendable_headers(headers: Value) -> None:
    """Skip headers that the proxy cannot send."""
    if headers.kind != "object" or any(header.value.kind != "string" for header in headers.elements):
        raise SkipServer("'headers' is not an object of strings")
    if invalid := [header.name for header in headers.elements if not is_header(header.name, header.value.string)]:
        raise SkipServer(f"the header {quote(invalid[0])} cannot be sent")


def require_strings(key: str, value: Any) -> Any:
    """Skip a list or an object that has other values than strings, or headers that cannot be sent."""
    if isinstance(value, dict):
        headers = cast("dict[str, Any]", value)
        if all(isinstance(text, str) and is_header(name, text) for name, text in headers.items()):
            return headers
        raise SkipServer(f"{quote(key)} has values that cannot be sent as headers")
    if not isinstance(value, list) or not all(isinstance(item, str) for item in cast("list[Any]", value)):
        raise SkipServer(f"{quote(key)} is not a list of strings")
    return cast("list[str]", value)


def _first_args(proxy: Proxy, *sources: str) -> str:
    """The first items of `args`, as JSON."""
    return ", ".join([*map(to_json, ("proxy", *proxy.options)), *sources])


def _member_source(name: str, value: Any) -> str:
    return f"{to_json(name)}: {to_json(value)}"
