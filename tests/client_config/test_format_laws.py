"""Laws of wrapping TOML and YAML, for generated configs: exact or untouched, and the same server runs."""

from __future__ import annotations

import contextlib
import json
import tomllib
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.client_config import Change, ConfigSyntaxError, Format, NoServersError, unwrap, wrap
from tests.support.client_configs import PROXY, STRICT

WORDS = st.one_of(
    st.sampled_from(
        [
            "npx",
            "-y",
            "--",
            "proxy",
            "a b",
            "é漢",
            "#x",
            "x #y",
            "a: b",
            "'",
            '"',
            "\\",
            "null",
            "8080",
            "@s/p",
            "",
            "-",
        ]
    ),
    st.text(st.characters(min_codepoint=32, max_codepoint=0x17F, exclude_categories=["Cc"]), max_size=6),
)
URLS = st.sampled_from(["https://a/mcp", "http://localhost:1/mcp?page=1", "https://a/sse", "ftp://a"])
VALUES = st.sampled_from(["Bearer t", "k", "a: b", "8080", "it's", 'say "x"', "${TOKEN}", "$x"])
BREAKS = st.sampled_from(["\n", "\n", "\r\n"])
COMMENTS = st.sampled_from(["", "", " # note", '  # it\'s "quoted"'])
GAPS = st.sampled_from(["", "", "\n", "# between\n"])


@st.composite
def toml_strings(draw: st.DrawFn, words: st.SearchStrategy[str] = WORDS) -> str:
    word = draw(words)
    if "'" not in word and draw(st.booleans()):
        return draw(st.sampled_from([f"'{word}'", f"'''{word}'''"]))
    return json.dumps(word, ensure_ascii=draw(st.booleans()))


@st.composite
def toml_arrays(draw: st.DrawFn) -> str:
    gap = st.sampled_from(["", " ", "\n  ", " # c\n "])
    items = draw(st.lists(toml_strings(), max_size=3))
    source = ",".join(f"{draw(gap)}{item}{draw(gap)}" for item in items)
    return f"[{source}{',' if items and draw(st.booleans()) else ''}{draw(gap)}]"


@st.composite
def toml_headers(draw: st.DrawFn) -> str:
    names = draw(st.lists(st.sampled_from(["X-Key", '"X-Org"', "A"]), unique=True, max_size=2))
    members = [f"{name} = {draw(toml_strings(VALUES))}" for name in names]
    pad = draw(st.sampled_from(["", " "]))
    return f"{{{pad}{', '.join(members)}{pad}}}"


@st.composite
def toml_entries(draw: st.DrawFn, name: str) -> str:
    fields: list[str] = []
    tables: list[str] = []
    if draw(st.booleans()):
        fields.append(f"command = {draw(toml_strings())}")
        if draw(st.booleans()):
            fields.append(f"args = {draw(toml_arrays())}")
        if draw(st.booleans()):
            tables.append(f"[mcp_servers.{name}.env]\nA = 1\n")
    else:
        fields.append(f"url = {draw(toml_strings(URLS))}")
        if draw(st.booleans()):
            fields.append('bearer_token_env_var = "TOKEN"')
        kind = draw(st.integers(0, 3))
        if kind == 0:
            fields.append(f"http_headers = {draw(toml_headers())}")
        elif kind == 1:
            tables.append(f"[mcp_servers.{name}.http_headers]\nX-Key = {draw(toml_strings(VALUES))}\nA = 'b'\n")
    if draw(st.booleans()):
        fields.append("enabled = true")
    indent = draw(st.sampled_from(["", "  "]))
    lines = [f"{indent}{field}{draw(COMMENTS)}\n{draw(GAPS)}" for field in draw(st.permutations(fields))]
    return f"[mcp_servers.{name}]{draw(COMMENTS)}\n{''.join(lines)}{''.join(tables)}"


@st.composite
def toml_configs(draw: st.DrawFn) -> str:
    names = draw(st.lists(st.sampled_from(["a", '"b c"', "d-e"]), unique=True, min_size=1, max_size=3))
    text = 'model = "x" # y\n' + draw(GAPS) + "".join(draw(toml_entries(name)) + draw(GAPS) for name in names)
    text = text.removesuffix("\n") if draw(st.booleans()) else text + "[tools]\nx = 1\n"
    return draw(st.sampled_from(["", "\ufeff"])) + text.replace("\n", draw(BREAKS))


@st.composite
def yaml_scalars(draw: st.DrawFn, words: st.SearchStrategy[str] = WORDS) -> str:
    word = draw(words)
    kinds = [json.dumps(word, ensure_ascii=False), "'" + word.replace("'", "''") + "'"]
    if word and word[0].isalnum() and not set(word) & set("#:'\"\\") and word == word.strip():
        kinds += [word, word]
    return draw(st.sampled_from(kinds))


@st.composite
def yaml_flow_lists(draw: st.DrawFn) -> str:
    items = draw(st.lists(yaml_scalars().filter(lambda item: not set(item) & set(",[]{}\\")), min_size=1, max_size=3))
    gap = draw(st.sampled_from(["", " ", "\n      ", "\n      # c\n      "]))
    return f"[{gap}{f',{gap or chr(32)}'.join(items)}{gap}]"


@st.composite
def yaml_entries(draw: st.DrawFn, is_goose: bool) -> list[str]:
    fields: list[list[str]] = []
    pad = draw(st.sampled_from(["  ", "  ", ""]))
    if draw(st.booleans()):
        fields.append([f"{'cmd' if is_goose else 'command'}: {draw(yaml_scalars())}{draw(COMMENTS)}"])
        kind = draw(st.integers(0, 3))
        if kind == 3:
            fields.append([f"args: {draw(yaml_flow_lists())}{draw(COMMENTS)}"])
        elif kind == 1 or (is_goose and kind == 0):
            fields.append([f"args: []{draw(COMMENTS)}"])
        elif kind == 2:
            items = draw(st.lists(yaml_scalars(), min_size=1, max_size=3))
            fields.append([f"args:{draw(COMMENTS)}", *(f"{pad}- {item}{draw(COMMENTS)}" for item in items)])
        types = ["stdio"]
    else:
        fields.append([f"{'uri' if is_goose else 'url'}: {draw(yaml_scalars(URLS))}{draw(COMMENTS)}"])
        headers = [
            f"{name}: {draw(yaml_scalars(VALUES))}" for name in ("Authorization", "X-Key") if draw(st.booleans())
        ]
        if headers and is_goose:
            fields.append(["headers:", *(f"  {line}" for line in headers)])
        elif headers:
            fields.append(["requestOptions:", "  headers:", *(f"    {line}" for line in headers)])
        types = ["streamable_http" if is_goose else "streamable-http", "sse"]
    if is_goose or draw(st.booleans()):
        fields.append([f"type: {draw(st.sampled_from(types))}{draw(COMMENTS)}"])
    if is_goose and draw(st.booleans()):
        fields.append(draw(st.sampled_from([["envs: {}"], ["envs:", "  A: b"], ["envs:", "  A: b", "  C: d"]])))
    if draw(st.booleans()):
        fields.append(["description: |", "  text: here", "", "  # no comment"])
    return [line for field in draw(st.permutations(fields)) for line in field]


@st.composite
def yaml_configs(draw: st.DrawFn) -> str:
    is_goose = draw(st.booleans())
    lines = ["version: 1", f"{'extensions' if is_goose else 'mcpServers'}:{draw(COMMENTS)}"]
    outer = "  " if is_goose else draw(st.sampled_from(["", "  "]))
    for name in draw(st.lists(st.sampled_from(["a", "b c", "d-e"]), unique=True, min_size=1, max_size=3)):
        entry = draw(yaml_entries(is_goose))
        if is_goose:
            lines += [f"{outer}{name}:", *(f"{outer}  {line}".rstrip() for line in [f"name: {name}", *entry])]
        else:
            entry.insert(draw(st.sampled_from([0, len(entry)])), f"name: {name}")
            lines += [f"{outer}- {entry[0]}", *(f"{outer}  {line}".rstrip() for line in entry[1:])]
        lines += draw(st.sampled_from([[], [], [""], ["    # between"]]))
    lines += draw(st.sampled_from([[], ["last: [1, 2]"]]))
    text = "\n".join(lines) + draw(st.sampled_from(["", "\n"]))
    return text.replace("\n", draw(BREAKS))


def check_laws(text: str, form: Format) -> Change:
    wrapped = wrap(text, PROXY, None, form)
    assert wrap(wrapped.text, STRICT, None, form).text == wrapped.text
    assert unwrap(wrapped.text, None, form).text == text
    if not any(outcome.state == "wrapped" for outcome in wrapped.outcomes):
        assert wrapped.text == text
    return wrapped


@given(toml_configs())
def test_toml_is_restored_exactly_and_runs_the_same_server(text: str) -> None:
    wrapped = check_laws(text, "toml")
    before, after = (tomllib.loads(side.removeprefix("\ufeff")) for side in (text, wrapped.text))
    for outcome in wrapped.outcomes:
        was, now = (document["mcp_servers"].pop(outcome.server.name) for document in (before, after))
        if outcome.state == "wrapped":
            was = expected_codex(was, outcome.server.name)
        assert now == was
    assert before == after


def expected_codex(was: dict[str, Any], name: str) -> dict[str, Any]:
    front = ["proxy", f"--name={name}"]
    if "command" in was:
        return {**was, "command": PROXY.command, "args": [*front, "--", was["command"], *was.get("args", [])]}
    now = {"command": PROXY.command, "args": [*front, was.pop("url")]}
    env: dict[str, str] = {}
    if (headers := was.pop("http_headers", None)) is not None:
        env["FINGERPOST_HEADERS"] = json.dumps(headers, ensure_ascii=False)
    if token := was.pop("bearer_token_env_var", None):
        now["env_vars"] = [token]
        env["FINGERPOST_HEADER_TEMPLATES"] = json.dumps({"Authorization": f"Bearer ${{{token}}}"})
    return {**was, **now, **({"env": env} if env else {})}


@given(yaml_configs())
def test_yaml_is_restored_exactly_and_runs_the_same_server(text: str) -> None:
    wrapped = check_laws(text, "yaml")
    before, after = (yaml.safe_load(side) for side in (text, wrapped.text))
    for outcome in wrapped.outcomes:
        was, now = (pop_server(document, outcome.server.name) for document in (before, after))
        if outcome.state == "wrapped":
            was = expected_goose(was) if "extensions" in before else expected_continue(was)
        assert now == was
    assert before == after


def pop_server(document: dict[str, Any], name: str) -> dict[str, Any]:
    if "extensions" in document:
        return document["extensions"].pop(name)
    servers = document["mcpServers"]
    return servers.pop([server["name"] for server in servers].index(name))


def expected_continue(was: dict[str, Any]) -> dict[str, Any]:
    front = ["proxy", f"--name={was['name']}"]
    if "command" in was:
        return {**was, "command": PROXY.command, "args": [*front, "--", was["command"], *was.get("args", [])]}
    now: dict[str, Any] = {"command": PROXY.command, "args": [*front, was.pop("url")]}
    if options := was.pop("requestOptions", None):
        now["env"] = {"FINGERPOST_HEADERS": json.dumps(options["headers"], ensure_ascii=False)}
    return {**was, **now, **({"type": "stdio"} if "type" in was else {})}


def expected_goose(was: dict[str, Any]) -> dict[str, Any]:
    front = ["proxy", f"--name={was['name']}"]
    if "cmd" in was:
        return {**was, "cmd": PROXY.command, "args": [*front, "--", was["cmd"], *was.get("args", [])]}
    now: dict[str, Any] = {"cmd": PROXY.command, "args": [*front, was.pop("uri")], "type": "stdio"}
    if headers := was.get("headers"):
        encoded = json.dumps(headers, ensure_ascii=False)
        variable = "FINGERPOST_HEADER_TEMPLATES" if "$" in encoded else "FINGERPOST_HEADERS"
        now |= {"headers": {}, "envs": {**was.get("envs", {}), variable: encoded}}
    return {**was, **now}


@given(st.text(st.sampled_from("mcpServers:extensions[]{}&*!|>-#'\"\\ \n\r\t=.abc01"), max_size=60), st.booleans())
def test_any_text_is_edited_exactly_or_refused(text: str, is_toml: bool) -> None:
    prefix = "[mcp_servers.x]\n" if is_toml else "mcpServers:\n"
    with contextlib.suppress(ConfigSyntaxError, NoServersError):
        check_laws(prefix + text, "toml" if is_toml else "yaml")
