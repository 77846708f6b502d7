"""What Codex reads in TOML: the variables for the proxy, and the lines that a user can write by hand."""

from __future__ import annotations

import json
from typing import Any, cast

from fingerpost.client_config.by_hand import command_words, headers_without_values, url_word
from fingerpost.client_config.toml_text import to_key, to_literal, to_toml
from fingerpost.client_config.wrap_server import HEADERS_VARIABLE, TEMPLATES_VARIABLE, Proxy, is_json_object

HOLDER = "mcp_servers"
_REPLACED = ("command", "args", "url", "http_headers", "bearer_token_env_var")


def bearer_template(name: str) -> str:
    return json.dumps({"Authorization": f"Bearer ${{{name}}}"})


def inline_table(values: dict[str, str], padding: str, is_quoted: bool) -> str:
    members = [f"{to_toml(key) if is_quoted else to_key(key)} = {to_value(value)}" for key, value in values.items()]
    return f"{{{padding}{', '.join(members)}{padding}}}"


def to_value(value: str) -> str:
    return to_literal(value) if is_json_object(value) else to_toml(value)


def lines_by_hand(name: str, data: dict[str, Any], proxy: Proxy) -> tuple[str, ...]:
    """The lines that the user can write instead. Values that may be secret are left out."""
    target = [url_word(_string_or_none(data["url"]))] if "url" in data else _command_words(data)
    args = ", ".join(map(to_toml, ("proxy", *proxy.options, *target)))
    lines = [f"[{HOLDER}.{to_key(name)}]", f"command = {to_toml(proxy.command)}", f"args = [{args}]"]
    if "url" in data:
        lines += _header_lines(data)
    if others := [key for key in data if key not in _REPLACED]:
        lines.append(f"# and as before: {', '.join(map(to_key, others))}")
    return tuple(lines)


def _string_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _command_words(data: dict[str, Any]) -> list[str]:
    args = data.get("args", [])
    is_known = isinstance(args, list) and all(isinstance(word, str) for word in cast("list[Any]", args))
    return command_words(_string_or_none(data.get("command")), cast("list[str]", args) if is_known else None)


def _header_lines(data: dict[str, Any]) -> list[str]:
    variables, lines = dict[str, str](), list[str]()
    if "http_headers" in data:
        headers = cast("dict[str, Any]", data["http_headers"]) if isinstance(data["http_headers"], dict) else {}
        variables[HEADERS_VARIABLE] = headers_without_values(headers)
    if token := _string_or_none(data.get("bearer_token_env_var")):
        lines.append(f"env_vars = [{to_toml(token)}]")
        variables[TEMPLATES_VARIABLE] = bearer_template(token)
    return [*lines, f"env = {inline_table(variables, ' ', is_quoted=False)}"] if variables else lines
