"""Wrap and unwrap the servers of Codex: tables `[mcp_servers.NAME]` in TOML.

Codex rejects keys of a URL next to a command, and unknown keys if it runs with `--strict-config`. So everything is
derived from the entry, and from one comment after `args` that were absent. An entry is changed only if the change can
be undone to the same bytes; otherwise the user gets the lines to write.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from fingerpost.client_config.codex_values import HOLDER, bearer_template, inline_table, lines_by_hand, to_value
from fingerpost.client_config.editable import ConfigSyntaxError, Editable
from fingerpost.client_config.jsonc import Edit, apply_edits
from fingerpost.client_config.servers import NoServersError, Server, SkipServer, find_proxy
from fingerpost.client_config.toml_text import (
    Statement,
    Table,
    end_of_line,
    line_break,
    line_break_before,
    split_tables,
    to_key,
    to_toml,
)
from fingerpost.client_config.wrap_server import (
    HEADERS_VARIABLE,
    SIGN_IN_WARNING,
    TEMPLATES_VARIABLE,
    Proxy,
    is_json_object,
    is_url,
    require_plain_url,
    require_strings,
)
from fingerpost.engine.phrases import quote

_ADDED = "# added by fingerpost"
_UNSUPPORTED = (
    "oauth",
    "oauth_resource",
    "scopes",
    "env_http_headers",
    "bearer_token",
    "args",
    "env",
    "env_vars",
    "cwd",
)
_EDITED = ("command", "args", "url", "http_headers", "bearer_token_env_var", "env", "env_vars")
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Entry:
    """One server: what `tomllib` reads, and where it is in the text."""

    text: str
    name: str
    data: dict[str, Any]
    table: Table
    fields: dict[str, Statement]
    subtables: dict[str, Table]


def find_servers(text: str) -> list[Editable]:
    """Return every server. Raises `ConfigSyntaxError` and `NoServersError`."""
    try:
        document = tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigSyntaxError(f"is not TOML: {error}") from error
    servers = document.get(HOLDER)
    if not isinstance(servers, dict):
        raise NoServersError
    tables = split_tables(text)
    return [_editable(text, name, data, tables) for name, data in cast("dict[str, Any]", servers).items()]


def _editable(text: str, name: str, data: Any, tables: list[Table]) -> Editable:
    fields: dict[str, Any] = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    has_secrets = "http_headers" in fields or "bearer_token_env_var" in fields
    return Editable(
        Server(name),
        _proxy_start(fields) > 0,
        SIGN_IN_WARNING if "url" in fields and not has_secrets else "",
        partial(_wrap_exactly, text, name, fields, tables),
        lambda: _unwrap(_locate(text, name, fields, tables, ())),
    )


def _proxy_start(data: dict[str, Any]) -> int:
    args = data.get("args")
    return find_proxy(str(data.get("command")), cast("list[str]", args)) if isinstance(args, list) else 0


def _wrap_exactly(text: str, name: str, data: dict[str, Any], tables: list[Table], proxy: Proxy) -> list[Edit]:
    """Return the edits that wrap a server, if `unwrap` restores the same bytes."""
    by_hand = lines_by_hand(name, data, proxy)
    edits = _wrap(_locate(text, name, data, tables, by_hand), proxy)
    wrapped = apply_edits(text, edits)
    try:
        again = next(one for one in find_servers(wrapped) if one.server.name == name)
        is_exact = again.is_wrapped and apply_edits(wrapped, again.unwrap()) == text
    except (ConfigSyntaxError, SkipServer):
        is_exact = False
    if not is_exact:
        raise SkipServer("it is written in a way that could not be restored exactly; write by hand:", by_hand)
    return edits


def _locate(text: str, name: str, data: dict[str, Any], tables: list[Table], by_hand: tuple[str, ...]) -> _Entry:
    """Find a server's statements. Raises `SkipServer` if it is not written as a table of its own."""
    own = [table for table in tables if table.path[:2] == (HOLDER, name)]
    main = [table for table in own if len(table.path) == 2 and not table.is_array]
    subtables = {table.path[2]: table for table in own if len(table.path) == 3 and not table.is_array}
    if len(main) == 1:
        fields = {statement.key[0]: statement for statement in main[0].statements if len(statement.key) == 1}
        if all(key in fields or key in subtables for key in _EDITED if key in data):
            return _Entry(text, name, data, main[0], fields, subtables)
    raise SkipServer(f"it is not written as a table [{HOLDER}.{to_key(name)}]; write by hand:", by_hand)


# wrap


def _wrap(entry: _Entry, proxy: Proxy) -> list[Edit]:
    keys = [key for key in ("command", "url") if key in entry.data]
    if len(keys) != 1:
        raise SkipServer("it has both 'command' and 'url'" if keys else "it has neither 'command' nor 'url'")
    target = entry.data[keys[0]]
    if not isinstance(target, str) or not target:
        raise SkipServer(f"{quote(keys[0])} must be a string that is not empty")
    return _wrap_command(entry, proxy) if keys[0] == "command" else _wrap_url(entry, proxy)


def _wrap_command(entry: _Entry, proxy: Proxy) -> list[Edit]:
    command = entry.fields["command"]
    replaced = Edit(command.value_start, command.value_end, to_toml(proxy.command))
    front = ", ".join([*map(to_toml, ("proxy", *proxy.options, "--")), command.source(entry.text)])
    if "args" not in entry.data:
        return [replaced, _add_line(entry, command, f"args = [{front}] {_ADDED}")]
    args = entry.fields["args"]
    require_strings("args", entry.data["args"])
    if args.strings:
        return [replaced, Edit(args.strings[0][0], args.strings[0][0], f"{front}, ")]
    return [replaced, Edit(args.value_start + 1, args.value_start + 1, front)]


def _wrap_url(entry: _Entry, proxy: Proxy) -> list[Edit]:
    for name in _UNSUPPORTED:
        if name in entry.data:
            raise SkipServer(f"the proxy does not support its {quote(name)}")
    require_plain_url("url", entry.data["url"])
    url = entry.fields["url"]
    front = ", ".join([*map(to_toml, ("proxy", *proxy.options)), url.source(entry.text)])
    return [
        Edit(url.start, url.key_end, "command"),
        Edit(url.value_start, url.value_end, to_toml(proxy.command)),
        _add_line(entry, url, f"args = [{front}]"),
        *_move_headers(entry),
    ]


def _add_line(entry: _Entry, after: Statement, line: str) -> Edit:
    """Add a line after a statement, with the same indentation."""
    text = entry.text
    indent = text[text.rfind("\n", 0, after.start) + 1 : after.start].lstrip("\ufeff")
    end = end_of_line(text, after.value_end)
    return Edit(end, end, f"{line_break(text)}{indent}{line}")


def _move_headers(entry: _Entry) -> list[Edit]:
    """Return the edits that turn headers into variables."""
    headers = entry.data.get("http_headers")
    variables: dict[str, str] = {}
    if headers is not None:
        variables[HEADERS_VARIABLE] = json.dumps(require_strings("http_headers", headers), ensure_ascii=False)
    if "bearer_token_env_var" not in entry.data:
        return _replace_headers(entry, variables) if variables else []
    name, bearer = entry.data["bearer_token_env_var"], entry.fields["bearer_token_env_var"]
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise SkipServer("'bearer_token_env_var' is not the name of a variable")
    variables[TEMPLATES_VARIABLE] = bearer_template(name)
    edits = [
        Edit(bearer.start, bearer.key_end, "env_vars"),
        Edit(bearer.value_start, bearer.value_end, f"[{bearer.source(entry.text)}]"),
    ]
    if headers is not None:
        return [*edits, *_replace_headers(entry, variables)]
    return [*edits, _add_line(entry, bearer, f"env = {inline_table(variables, ' ', is_quoted=False)}")]


def _replace_headers(entry: _Entry, variables: dict[str, str]) -> list[Edit]:
    if "http_headers" in entry.fields:
        field = entry.fields["http_headers"]
        table = inline_table(variables, *_style_of(field.source(entry.text)))
        return [Edit(field.start, field.key_end, "env"), Edit(field.value_start, field.value_end, table)]
    return _replace_subtable(entry, entry.subtables["http_headers"], "env", variables)


def _style_of(source: str) -> tuple[str, bool]:
    """The padding of an inline table, and whether its keys are quoted."""
    padding = " " if source.startswith("{ ") else ""
    return padding, source.lstrip("{ ").startswith('"')


def _replace_subtable(entry: _Entry, table: Table, key: str, values: dict[str, str]) -> list[Edit]:
    """Rename a subtable and replace its statements, each of which is on a line of its own."""
    if not table.statements:
        raise SkipServer(f"its table {quote(table.path[2])} is empty")
    lines = [f"{to_key(name)} = {to_value(value)}" for name, value in values.items()]
    path = entry.text[table.path_start : table.path_end]
    return [
        Edit(table.path_start, table.path_end, f"{path.removesuffix(table.path[2])}{key}"),
        Edit(table.statements[0].start, table.statements[-1].value_end, line_break(entry.text).join(lines)),
    ]


# unwrap


def _unwrap(entry: _Entry) -> list[Edit]:
    args = entry.data["args"]
    require_strings("args", args)
    if "--" in args:
        return _restore_command(entry, args.index("--") + 1)
    urls = [i for i, word in enumerate(args) if i >= _proxy_start(entry.data) and is_url(word)]
    if not urls:
        raise SkipServer("there is neither a command nor a URL after 'proxy'")
    return _restore_url(entry, urls[-1])


def _restore_command(entry: _Entry, index: int) -> list[Edit]:
    command, args, text = entry.fields["command"], entry.fields["args"], entry.text
    if index == len(args.strings):
        raise SkipServer("there is no command after '--'")
    start, end = args.strings[index]
    edits = [Edit(command.value_start, command.value_end, text[start:end])]
    if index + 1 < len(args.strings):
        return [*edits, Edit(args.strings[0][0], args.strings[index + 1][0])]
    if text[args.value_end : end_of_line(text, args.value_end)].strip() == _ADDED:
        return [*edits, _remove_line(text, args)]
    return [*edits, Edit(args.strings[0][0], end)]


def _remove_line(text: str, statement: Statement) -> Edit:
    return Edit(line_break_before(text, statement.start), end_of_line(text, statement.value_end))


def _restore_url(entry: _Entry, index: int) -> list[Edit]:
    command, args, text = entry.fields["command"], entry.fields["args"], entry.text
    start, end = args.strings[index]
    return [
        Edit(command.start, command.key_end, "url"),
        Edit(command.value_start, command.value_end, text[start:end]),
        _remove_line(text, args),
        *_restore_headers(entry),
    ]


def _restore_headers(entry: _Entry) -> list[Edit]:
    variables: dict[str, Any] = entry.data.get("env", {})
    names = entry.data.get("env_vars", [])
    if not set(variables) <= {HEADERS_VARIABLE, TEMPLATES_VARIABLE}:
        raise SkipServer("its 'env' has variables that an entry with a URL cannot have")
    has_bearer = len(names) == 1 and variables.get(TEMPLATES_VARIABLE) == bearer_template(names[0])
    if bool(names or TEMPLATES_VARIABLE in variables) != has_bearer:
        raise SkipServer(f"its {TEMPLATES_VARIABLE} and 'env_vars' are not what 'wrap' writes")
    edits: list[Edit] = []
    if has_bearer:
        field = entry.fields["env_vars"]
        start, end = field.strings[0]
        edits = [
            Edit(field.start, field.key_end, "bearer_token_env_var"),
            Edit(field.value_start, field.value_end, entry.text[start:end]),
        ]
    if HEADERS_VARIABLE in variables:
        return [*edits, *_restore_http_headers(entry, variables[HEADERS_VARIABLE])]
    return [*edits, _remove_line(entry.text, entry.fields["env"])] if "env" in entry.fields else edits


def _restore_http_headers(entry: _Entry, variable: str) -> list[Edit]:
    if not is_json_object(variable):
        raise SkipServer(f"{HEADERS_VARIABLE} is not a JSON object")
    headers = {name: str(value) for name, value in json.loads(variable).items()}
    if "env" in entry.fields:
        field = entry.fields["env"]
        table = inline_table(headers, *_style_of(field.source(entry.text)))
        return [Edit(field.start, field.key_end, "http_headers"), Edit(field.value_start, field.value_end, table)]
    return _replace_subtable(entry, entry.subtables["env"], "http_headers", headers)
