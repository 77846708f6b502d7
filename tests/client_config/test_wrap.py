"""A client's config put behind the proxy and exactly back: the text, the laws, the files, the commands."""

from __future__ import annotations

import io
import json
import os
import re
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.cli.main import main
from fingerpost.client_config import Malformed, NoServers, Proxy, unwrapped, wrapped
from fingerpost.client_config.jsonc import Value, scanned
from tests.support.paths import ROOT

PROXY = Proxy("/opt/bin/fingerpost")
STRICT = Proxy("/opt/bin/fingerpost", ("--auto-correct", "off"))

CLAUDE_DESKTOP = """\
{
  "mcpServers": {
    "filesystem": {
      "command": "npx",
      "args": [
        "-y",
        "@modelcontextprotocol/server-filesystem",
        "/Users/me/projects"
      ],
      "env": {}
    },
    "clock": { "command": "mcp-clock" }
  },
  "globalShortcut": "Ctrl+Space"
}
"""
CLAUDE_CODE = """\
{
  "numStartups": 12,
  "mcpServers": {"sentry": {"type": "http", "url": "https://mcp.sentry.dev/mcp"}},
  "projects": {
    "/home/me/shop": {
      "allowedTools": [],
      "mcpServers": {
        "db": {"type": "stdio", "command": "uvx", "args": ["mcp-db", "--", "x"], "env": {"DB": "${DB:-local}"}}
      }
    },
    "/home/me/empty": {"mcpServers": {}}
  }
}
"""
WINDSURF = """\
{
  "mcpServers": {
    "remote": {
      "serverUrl": "https://example.com/mcp",
      "headers": {
        "Authorization": "Bearer ${env:TOKEN}"
      }
    }
  }
}
"""
VS_CODE = """\
{
  // asked for once
  "inputs": [{"type": "promptString", "id": "token", "password": true,}],
  "servers": {
    "github": {
      "type": "http",
      "url": "https://api.githubcopilot.com/mcp/", // theirs
      "headers": {"Authorization": "Bearer ${input:token}"},
    },
    "local": {
      "type": "stdio",
      "command": "${workspaceFolder}/run",
      "args": [/* none */],
      "envFile": "${workspaceFolder}/.env",
    },
    "old": {"type": "sse", "url": "https://example.com/sse"},
  },
}
"""
VS_CODE_SETTINGS = """\
{
  "editor.tabSize": 2,
  "mcp": {
    "servers": {"fetch": {"command": "uvx", "args": ["mcp-server-fetch"]}}
  }
}
"""
CURSOR = """\
{"mcpServers": {"x": {"url": "http://localhost:3000/mcp", "env": {"A": "1"}, "headers": {"X-Key": "k", /* ! */ }}}}
"""
FIXTURES = {
    "claude desktop": CLAUDE_DESKTOP,
    "claude code": CLAUDE_CODE,
    "windsurf": WINDSURF,
    "vs code": VS_CODE,
    "vs code settings": VS_CODE_SETTINGS,
    "cursor": CURSOR,
}


def plain(text: str) -> Any:
    """JSON with comments, read in another way than the one under test."""
    string = r'("(?:\\.|[^"\\])*")'
    bare = re.sub(rf"{string}|//[^\r\n]*|/\*.*?\*/", r"\1", text.removeprefix("\ufeff"), flags=re.DOTALL)
    return json.loads(re.sub(rf"{string}|,(?=\s*[}}\]])", r"\1", bare))


def states(text: str, change: Callable[[str], Any] = lambda text: wrapped(text, PROXY)) -> dict[str, tuple[str, str]]:
    return {outcome.server.name: (outcome.state, outcome.remark) for outcome in change(text).outcomes}


def entry(spelled: str) -> str:
    return f'{{"mcpServers": {{"x": {spelled}}}}}'


def wrapped_entry(spelled: str, proxy: Proxy = PROXY) -> str:
    text = wrapped(entry(spelled), proxy).text
    return text.removeprefix('{"mcpServers": {"x": ').removesuffix("}}")


def unwrapped_entry(spelled: str) -> str:
    return unwrapped(entry(spelled)).text.removeprefix('{"mcpServers": {"x": ').removesuffix("}}")


# What is written


@pytest.mark.parametrize("text", FIXTURES.values(), ids=FIXTURES)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_each_clients_config_goes_behind_the_proxy_and_back_to_the_same_bytes(text: str, ends: str, mark: str) -> None:
    config = mark + text.replace("\n", ends)
    there = wrapped(config, STRICT).text
    assert there != config
    assert plain(there)
    assert wrapped(there, PROXY).text == there
    assert unwrapped(there).text == config


def test_a_command_moves_behind_two_dashes_and_all_else_stays() -> None:
    assert wrapped(CLAUDE_DESKTOP, PROXY).text == CLAUDE_DESKTOP.replace(
        '"command": "npx"', '"command": "/opt/bin/fingerpost"'
    ).replace('"-y",', '"proxy", "--", "npx", "-y",').replace(
        '"command": "mcp-clock"',
        '"command": "/opt/bin/fingerpost", "args": ["proxy", "--", "mcp-clock"], "fingerpost": {"args": null}',
    )


def test_options_for_the_proxy_stand_in_front_of_the_command() -> None:
    assert plain(wrapped(VS_CODE_SETTINGS, STRICT).text)["mcp"]["servers"]["fetch"] == {
        "command": "/opt/bin/fingerpost",
        "args": ["proxy", "--auto-correct", "off", "--", "uvx", "mcp-server-fetch"],
    }


def test_a_url_becomes_a_command_of_type_stdio_and_its_headers_a_variable() -> None:
    servers = plain(wrapped(VS_CODE, STRICT).text)["servers"]
    assert servers["github"] == {
        "type": "stdio",
        "command": "/opt/bin/fingerpost",
        "args": ["proxy", "--auto-correct", "off", "https://api.githubcopilot.com/mcp/"],
        "env": {"FINGERPOST_HEADERS": '{"Authorization": "Bearer ${input:token}"}'},
    }
    assert servers["local"]["envFile"] == "${workspaceFolder}/.env"
    assert servers["old"] == {"type": "sse", "url": "https://example.com/sse"}


def test_servers_of_a_project_are_wrapped_too_and_named_with_it() -> None:
    there = wrapped(CLAUDE_CODE, PROXY)
    assert [(outcome.server.name, outcome.server.project) for outcome in there.outcomes] == [
        ("sentry", ""),
        ("db", "/home/me/shop"),
    ]
    assert plain(there.text)["projects"]["/home/me/shop"]["mcpServers"]["db"]["args"] == [
        *["proxy", "--", "uvx", "mcp-db", "--", "x"]
    ]


def test_the_guide_shows_what_is_written_and_what_comes_back() -> None:
    page = (ROOT / "docs" / "wrap.md").read_text(encoding="utf-8")
    fences = re.findall(r"^```json\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(fences) == 6
    for before, after in zip(fences[::2], fences[1::2], strict=True):
        assert wrapped(before, Proxy("/usr/local/bin/fingerpost")).text == after
        assert unwrapped(after).text == before


def test_headers_join_an_env_that_is_there_and_leave_what_is_remembered_in_their_place() -> None:
    assert plain(wrapped(CURSOR, PROXY).text)["mcpServers"]["x"] == {
        "command": "/opt/bin/fingerpost",
        "args": ["proxy", "http://localhost:3000/mcp"],
        "env": {"FINGERPOST_HEADERS": '{"X-Key": "k"}', "A": "1"},
        "fingerpost": {"headers": '{"X-Key": "k", /* ! */ }', "place": "headers"},
    }


@pytest.mark.parametrize(
    "spelled",
    [
        '{"command": "npx", "args": ["a"]}',
        '{"command": "npx", "args": []}',
        '{"url": "https://example.com/mcp"}',
        '{"type": "http", "url": "https://example.com/mcp", "headers": {"A": "b"}}',
    ],
)
def test_the_usual_entries_need_nothing_remembered(spelled: str) -> None:
    assert '"fingerpost":' not in wrapped_entry(spelled)


def test_no_secret_is_written_twice() -> None:
    spelled = '{"url": "https://example.com/mcp", "headers": {"Authorization": "hush"}, "env": {}}'
    assert wrapped_entry(spelled).count("hush") == 1


def test_a_text_is_carried_in_its_own_spelling() -> None:
    spelled = r'{"command": "n\u0070x\/é", "args": ["\u00e9"]}'
    assert r'"--", "n\u0070x\/é", "\u00e9"' in wrapped_entry(spelled)


@pytest.mark.parametrize(
    ("spelled", "why"),
    [
        ('"off"', "it is not an object"),
        ("{}", "it has neither 'command' nor 'url'"),
        ('{"_comment": "todo"}', "it has neither 'command' nor 'url'"),
        ('{"command": "a", "url": "https://b"}', "it has both 'command' and 'url'"),
        ('{"url": "https://a", "serverUrl": "https://b"}', "it has both 'url' and 'serverUrl'"),
        ('{"command": ""}', "'command' is no text"),
        ('{"command": ["npx"]}', "'command' is no text"),
        ('{"command": "a", "command": "b"}', "'command' stands twice"),
        ('{"command": "a", "args": "b"}', "'args' is not an array"),
        ('{"command": "a", "args": {"proxy": 1}}', "'args' is not an array"),
        ('{"command": "a", "type": "http"}', "its type is 'http'"),
        ('{"command": "a", "type": 1}', "its type is no text"),
        ('{"command": "a", "fingerpost": {}}', "it has a member 'fingerpost' and does not run the proxy"),
        ('{"type": "sse", "url": "https://a"}', "the proxy does not speak 'sse', the old transport"),
        ('{"type": "ws", "url": "https://a"}', "its type is 'ws'"),
        ('{"url": "https://a/sse"}', 'its address ends in /sse, the old transport; say "type": "http" if it is not'),
        (
            '{"url": "https://a/sse?k=1"}',
            'its address ends in /sse, the old transport; say "type": "http" if it is not',
        ),
        ('{"url": "ws://a"}', "'url' is not an http address"),
        ('{"url": "https://a/é"}', "'url' is not spelled as an address is: escape what is not plain"),
        ('{"url": "https://a", "headers": {"X A": "1"}}', 'the header "X A" cannot be sent'),
        ('{"url": "https://a", "headers": {"A": "€"}}', "the header 'A' cannot be sent"),
        ('{"url": "https://a", "args": []}', "it has 'args', which means nothing to the proxy"),
        ('{"url": "https://a", "oauth": {}}', "it has 'oauth', which means nothing to the proxy"),
        ('{"url": "https://a", "transport": "sse"}', "it has 'transport', which means nothing to the proxy"),
        ('{"url": "https://a", "headers": null}', "'headers' is not an object of texts"),
        ('{"url": "https://a", "headers": {"A": 1}}', "'headers' is not an object of texts"),
        ('{"url": "https://a", "headers": {"A": "1"}, "env": null}', "'env' is not an object"),
        ('{"url": "https://a", "env": {"FINGERPOST_HEADERS": ""}}', "its 'env' has FINGERPOST_HEADERS already"),
        (r'{"u\u0072l": "https://a"}', "it spells a key or its type with escapes"),
        (r'{"url": "https://a", "he\u0061ders": {}}', "it spells a key or its type with escapes"),
        (r'{"type": "\u0068ttp", "url": "https://a"}', "it spells a key or its type with escapes"),
    ],
)
def test_what_is_not_understood_is_left_alone_with_the_reason(spelled: str, why: str) -> None:
    assert states(entry(spelled)) == {"x": ("left alone", why)}
    assert wrapped_entry(spelled) == spelled


def test_a_type_that_says_http_is_believed_whatever_the_address_ends_in() -> None:
    assert states(entry('{"type": "http", "url": "https://a/sse"}'))["x"][0] == "wrapped"


def test_an_address_that_may_carry_a_key_is_wrapped_with_a_word_about_it() -> None:
    assert states(entry('{"serverUrl": "https://a/mcp?key=k", "headers": {}}')) == {
        "x": ("wrapped", "its whole address now stands in the process list")
    }


def test_a_url_without_headers_is_wrapped_with_a_word_about_signing_in() -> None:
    assert states(entry('{"url": "https://a"}')) == {
        "x": ("wrapped", "if the client signs in to it, unwrap it: the proxy cannot")
    }
    assert states(entry('{"url": "https://a", "headers": {}}')) == {"x": ("wrapped", "")}


@pytest.mark.parametrize(
    ("command", "args"),
    [
        ("fingerpost", ["proxy", "--", "npx"]),
        ("/home/me/.local/bin/fingerpost", ["proxy", "https://a"]),
        ("C:\\Python\\Scripts\\Fingerpost.EXE", ["proxy", "--", "npx"]),
        ("/usr/bin/python3.12", ["-m", "fingerpost", "proxy", "--", "npx"]),
    ],
)
def test_a_wrapped_entry_is_known_wherever_fingerpost_is_installed(command: str, args: list[str]) -> None:
    spelled = json.dumps({"command": command, "args": args})
    assert states(entry(spelled)) == {"x": ("already wrapped", "")}
    undone = plain(unwrapped_entry(spelled))
    assert undone in ({"command": "npx", "args": []}, {"url": "https://a"})


@pytest.mark.parametrize(
    ("command", "args"),
    [
        ("fingerpost", ["serve", "units"]),
        ("fingerpost", []),
        ("fingerposter", ["proxy", "--", "npx"]),
        ("python", ["-m", "http.server", "proxy"]),
    ],
)
def test_what_only_resembles_the_proxy_is_wrapped(command: str, args: list[str]) -> None:
    spelled = json.dumps({"command": command, "args": args})
    assert plain(wrapped_entry(spelled))["args"] == ["proxy", "--", command, *args]
    assert unwrapped_entry(wrapped_entry(spelled)) == spelled


def test_only_the_servers_asked_for_are_touched() -> None:
    some = wrapped(CLAUDE_DESKTOP, PROXY, ["clock"])
    assert [outcome.server.name for outcome in some.outcomes] == ["clock"]
    assert '"command": "npx"' in some.text
    every = wrapped(some.text, PROXY).text
    assert unwrapped(every, ["filesystem"]).text == some.text


# What the user does in between


def test_arguments_that_were_added_since_stay() -> None:
    there = wrapped_entry('{"command": "clock"}').replace('"clock"]', '"clock", "--utc"]')
    assert unwrapped_entry(there) == '{"command": "clock", "args": ["--utc"]}'


def test_an_address_that_was_changed_since_stays_and_so_do_options_behind_it() -> None:
    there = wrapped_entry('{"url": "https://a/mcp"}').replace('"https://a/mcp"', '"https://b/mcp", "--budget", "400"')
    assert unwrapped_entry(there) == '{"url": "https://b/mcp"}'


@pytest.mark.parametrize("headers", ['{"A": "old"}', '{"A": "old", }'])
@pytest.mark.parametrize("env", ["", ', "env": { }'])
def test_headers_that_were_changed_since_stay(headers: str, env: str) -> None:
    there = wrapped_entry(f'{{"url": "https://a", "headers": {headers}{env}}}')
    changed = there.replace(r"\"A\": \"old\"}", r"\"A\": \"new\"}")
    assert unwrapped_entry(changed) == f'{{"url": "https://a", "headers": {{"A": "new"}}{env}}}'


def test_variables_that_were_added_since_stay() -> None:
    there = wrapped_entry('{"url": "https://a", "headers": {"A": "b"}}')
    changed = there.replace('"env": {', '"env": {"B": "c", ')
    assert unwrapped_entry(changed) == '{"url": "https://a", "headers": {"A": "b"}, "env": {"B": "c"}}'


def test_headers_that_were_removed_since_stay_away() -> None:
    there = wrapped_entry('{"url": "https://a", "headers": {"A": "b"}, "env": {"B": "c"}}')
    changed = re.sub(r'"FINGERPOST_HEADERS": ".*?[^\\]", ', "", there)
    assert unwrapped_entry(changed) == '{"url": "https://a", "env": {"B": "c"}}'


def test_a_memory_that_somebody_mangled_does_no_harm() -> None:
    there = wrapped_entry('{"serverUrl": "https://a", "headers": {"A": "b",}}')
    mangled = there.replace(r'"{\"A\": \"b\",}"', '"{"').replace('"serverUrl"', "7")
    assert unwrapped_entry(mangled) == '{"url": "https://a", "headers": {"A": "b"}}'


def test_comments_that_were_added_since_stay() -> None:
    there = wrapped_entry('{"command": "a", "cwd": "/"}').replace(', "args"', ', // mine\n "args"')
    assert unwrapped_entry(there) == '{"command": "a" // mine\n , "cwd": "/"}'


@pytest.mark.parametrize(
    ("args", "why"),
    [
        ('["proxy", "--"]', "no command stands behind '--'"),
        ('["proxy", "--", 1]', "no command stands behind '--'"),
        ('["proxy", "--budget", "400", 1]', "neither a command nor an address stands behind 'proxy'"),
        (
            '["proxy", "https://a"], "env": {"FINGERPOST_HEADERS": "[]"}',
            "FINGERPOST_HEADERS does not hold a JSON object",
        ),
        (
            '["proxy", "https://a"], "env": {"FINGERPOST_HEADERS": "{"}',
            "FINGERPOST_HEADERS does not hold a JSON object",
        ),
        ('["proxy", "https://a"], "env": {}, "env": {}', "'env' stands twice"),
    ],
)
def test_a_wrapped_entry_that_is_not_understood_any_more_is_left_alone(args: str, why: str) -> None:
    spelled = f'{{"command": "fingerpost", "args": {args}}}'
    assert states(entry(spelled), unwrapped) == {"x": ("left alone", why)}
    assert unwrapped_entry(spelled) == spelled


@pytest.mark.parametrize(
    ("wrapped_by_hand", "undone"),
    [
        ('{"args": ["proxy", "--", "npx",], "command": "fingerpost"}', '{"args": [], "command": "npx"}'),
        ('{"args": ["proxy", "https://a"], "command": "fingerpost"}', '{"url": "https://a"}'),
        ('{"args": ["proxy", "https://a"], "fingerpost": {}, "command": "fingerpost",}', '{"url": "https://a",}'),
        ('{"env": [1], "command": "fingerpost", "args": ["proxy", "https://a"]}', '{"env": [1], "url": "https://a"}'),
    ],
)
def test_an_entry_in_any_order_is_undone(wrapped_by_hand: str, undone: str) -> None:
    assert unwrapped_entry(wrapped_by_hand) == undone


# Laws

GAPS = st.sampled_from(["", "", " ", "\n    ", "\t", "\r\n", "/* c */", "// c\n", ' /* " , } */ ', '//,]"\r\n', "/**/"])
MARK = "/*here*/"
EDITED = "EDITED"


@st.composite
def strings(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> str:
    """A text as a JSON string, in one of the ways to spell it."""
    text = draw(texts)
    spelled = json.dumps(text, ensure_ascii=draw(st.booleans()))
    return spelled.replace("/", "\\/") if draw(st.integers(0, 4)) == 0 else spelled


TEXTS = st.one_of(
    st.sampled_from(
        ["npx", "-y", "--", "é漢😀", "a//b", "/*", '"', "\\", "\n", "\u2028", "${input:t}", "proxy", EDITED]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
)
FILLED = TEXTS.filter(bool)
STRINGS = strings(TEXTS)


@st.composite
def listed_between(draw: st.DrawFn, brackets: str, parts: list[str]) -> str:
    """An array or an object with odd spacing, comments, and perhaps a comma too many."""
    spelled = ",".join(draw(GAPS) + part + draw(GAPS) for part in parts)
    last = "," + draw(GAPS) if parts and draw(st.booleans()) else ""
    return f"{brackets[0]}{spelled or draw(GAPS)}{last}{brackets[1]}"


@st.composite
def objects(draw: st.DrawFn, members: dict[str, str], mark: str = "") -> str:
    names = draw(st.permutations(list(members)))
    parts = [f"{json.dumps(name)}{draw(GAPS)}:{draw(GAPS)}{members[name]}" for name in names]
    marked = draw(st.integers(0, len(parts) - 1)) if mark and parts else -1
    return draw(listed_between("{}", [mark + part if i == marked else part for i, part in enumerate(parts)]))


@st.composite
def string_objects(draw: st.DrawFn, names: tuple[str, ...]) -> str:
    return draw(objects({name: draw(STRINGS) for name in names if draw(st.booleans())}))


@st.composite
def entries(draw: st.DrawFn) -> str:
    """One server: by command, by URL, or odd."""
    members: dict[str, str] = {}
    if draw(st.booleans()):
        members["command"] = draw(strings(FILLED))
        if draw(st.booleans()):
            members["args"] = draw(listed_between("[]", draw(st.lists(STRINGS, max_size=3))))
        kinds = ["stdio", "local", "http"]
    else:
        address = st.sampled_from(["https://a/mcp", "http://b", "${input:url}", "https://é/?a=\\"])
        members[draw(st.sampled_from(["url", "serverUrl"]))] = draw(strings(address))
        if draw(st.booleans()):
            members["headers"] = draw(string_objects(("Authorization", "X-É", "b")))
        kinds = ["http", "streamable-http", "streamableHttp", "sse"]
    if draw(st.booleans()):
        members["type"] = json.dumps(draw(st.sampled_from(kinds)))
    if draw(st.booleans()):
        members["env"] = draw(string_objects(("A", "B", "FINGERPOST_BUDGET")))
    others = {"cwd": f'"{EDITED}"', "disabled": "true", "timeout": "1.5e3", "x": '{"fingerpost": []}'}
    members |= {name: spelled for name, spelled in others.items() if draw(st.booleans())}
    return draw(objects(members, MARK))


@st.composite
def configs(draw: st.DrawFn) -> str:
    names = draw(st.lists(st.sampled_from(["a", "b", "é", "//c", "proxy"]), unique=True, max_size=3))
    odd = st.sampled_from(["null", "[]", '"off"', "{}"])
    servers = {name: draw(st.one_of(entries(), entries(), entries(), odd)) for name in names}
    holder = draw(objects(servers, MARK))
    path = draw(st.sampled_from([["mcpServers"], ["projects", "/p q", "mcpServers"], ["servers"], ["mcp", "servers"]]))
    for name in reversed(path):
        holder = draw(objects({name: holder, "other": draw(STRINGS)}, MARK))
    return draw(st.sampled_from(["", "\ufeff"])) + draw(GAPS) + holder + draw(GAPS)


proxies = st.sampled_from([PROXY, STRICT, Proxy("C:\\é\\fingerpost.exe", ("--config", "a b.toml"))])


@given(configs(), proxies)
def test_unwrapping_gives_back_every_byte_and_wrapping_twice_is_wrapping_once(text: str, proxy: Proxy) -> None:
    there = wrapped(text, proxy).text
    assert wrapped(there, STRICT).text == there
    assert unwrapped(there).text == text


@given(configs(), proxies)
def test_edits_of_anything_else_in_between_stay(text: str, proxy: Proxy) -> None:
    def edit(config: str) -> str:
        return config.replace(MARK, ' "added": {"command": 1}, // new\n').replace(EDITED, "changed, 漢")

    assert unwrapped(edit(wrapped(text, proxy).text)).text == edit(text)


@given(configs(), proxies, st.booleans())
def test_a_client_that_writes_the_config_anew_does_no_harm(text: str, proxy: Proxy, is_sorted: bool) -> None:
    anew = json.dumps(plain(wrapped(text, proxy).text), indent=1, sort_keys=is_sorted)
    assert plain(unwrapped(anew).text) == plain(text)


@given(configs(), proxies)
def test_a_wrapped_entry_runs_the_same_server(text: str, proxy: Proxy) -> None:
    there = wrapped(text, proxy)
    before, after = plain(text), plain(there.text)
    for outcome in there.outcomes:
        was, now = (_server(document, outcome.server.name) for document in (before, after))
        assert now == (_expected(was, now, proxy) if outcome.state == "wrapped" else was)


def _server(document: Any, name: str) -> Any:
    for key in ("mcpServers", "servers"):
        if key in document:
            return document[key][name]
    return _server(document.get("mcp") or document.get("projects") or document["/p q"], name)


def _expected(was: dict[str, Any], now: dict[str, Any], proxy: Proxy) -> dict[str, Any]:
    front = ["proxy", *proxy.options]
    same = {
        name: value for name, value in was.items() if name not in ("command", "args", "url", "serverUrl", "headers")
    }
    expected = {**same, "command": proxy.command}
    if "command" in was:
        expected["args"] = [*front, "--", was["command"], *was.get("args", [])]
    else:
        expected["args"] = [*front, was.get("url", was.get("serverUrl"))]
        if "type" in was:
            expected["type"] = "stdio"
    if "headers" in was:
        sent = now["env"]["FINGERPOST_HEADERS"]
        assert json.loads(sent) == was["headers"]
        expected["env"] = {**was.get("env", {}), "FINGERPOST_HEADERS": sent}
    return expected | ({"fingerpost": now["fingerpost"]} if "fingerpost" in now else {})


@given(st.text(st.sampled_from('{}[]",:/*\\ \n\r\tu0a1-.etrufalsn\ufeff\x00'), max_size=30))
def test_any_text_is_read_or_refused_exactly_as_json_with_comments_is(text: str) -> None:
    try:
        scanned(text)
    except Malformed as error:
        assert 1 <= error.line <= text.count("\n") + 1
        with pytest.raises(ValueError):
            json.loads(text.removeprefix("\ufeff"), parse_constant=_refuse)
    else:
        plain(text)


def _refuse(word: str) -> Any:
    raise ValueError(word)


@given(st.recursive(st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(), st.lists))
def test_a_span_is_the_spelling_of_its_value(value: Any) -> None:
    text = json.dumps([value], indent=1)
    (item,) = scanned(text).parts
    assert json.loads(item.value.spelled(text)) == value
    if isinstance(value, list):
        spelled = [part.value.spelled(text) for part in item.value.parts]
        assert [json.loads(one) for one in spelled] == cast("list[Any]", value)


# What is not JSON


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1, column 1: expected a value"),
        ("\ufeff{", "line 1, column 2: expected a key in double quotes"),
        ("{\n  a: 1}", "line 2, column 3: expected a key in double quotes"),
        ('{"a" 1}', "line 1, column 6: expected ':'"),
        ('{"a": 1 "b": 2}', "line 1, column 9: expected ',' or '}'"),
        ("[1 2]", "line 1, column 4: expected ',' or ']'"),
        ("[1", "line 1, column 3: expected ',' or ']'"),
        ("[,]", "line 1, column 2: expected a value"),
        ("[1,,]", "line 1, column 4: expected a value"),
        ("[NaN]", "line 1, column 2: expected a value"),
        ("{} {}", "line 1, column 4: expected the end of the document"),
        ("{} /* x", "line 1, column 4: this comment is not closed"),
        ('["a', "line 1, column 4: this string is not closed"),
        ('["a\n"]', "line 1, column 4: this string is not closed"),
        ('["a\\x"]', "line 1, column 4: JSON has no such escape"),
        ('["\t"]', "line 1, column 3: a control character in a string is written as an escape"),
        ("[" * 1000, "line 1, column 202: nested more than 200 deep"),
    ],
)
def test_a_mistake_in_the_syntax_is_told_with_its_place(text: str, said: str) -> None:
    with pytest.raises(Malformed) as caught:
        scanned(text)
    assert str(caught.value) == said


@pytest.mark.parametrize("text", ["[]", "{}", '{"mcpServers": []}', '{"projects": {"a": 1}}', '{"mcp": "servers"}'])
def test_a_document_without_servers_is_refused(text: str) -> None:
    with pytest.raises(NoServers):
        wrapped(text, PROXY)


def test_a_dotted_key_of_settings_holds_servers_too() -> None:
    assert states('{"mcp.servers": {"x": {"command": "a"}}}')["x"][0] == "wrapped"


def test_a_value_knows_its_kind() -> None:
    kinds = [part.value.kind for part in scanned('[{}, [], "", 1, null]').parts]
    assert kinds == ["object", "array", "string", "other", "other"]
    assert isinstance(scanned("1"), Value)


# The commands and the files


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "client.json"
    path.write_bytes(CLAUDE_DESKTOP.encode())
    return path


def run(*words: str | Path) -> int:
    return main([str(word) for word in words])


def test_wrap_writes_the_file_keeps_a_backup_and_unwrap_leaves_no_trace(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config.chmod(0o640)
    assert run("wrap", config, "--command", PROXY.command) == 0
    assert capsys.readouterr().out == (
        "filesystem: wrapped\nclock: wrapped\nThe config without the proxy is kept in client.json.fingerpost-backup.\n"
    )
    backup = config.with_name("client.json.fingerpost-backup")
    assert config.read_text(encoding="utf-8") == wrapped(CLAUDE_DESKTOP, PROXY).text
    assert backup.read_text(encoding="utf-8") == CLAUDE_DESKTOP
    assert [stat.S_IMODE(path.stat().st_mode) for path in (config, backup)] == [0o640, 0o640]
    assert run("unwrap", config) == 0
    assert capsys.readouterr().out == "filesystem: unwrapped\nclock: unwrapped\n"
    assert config.read_text(encoding="utf-8") == CLAUDE_DESKTOP
    assert [path.name for path in config.parent.iterdir()] == ["client.json"]


def test_wrap_writes_down_the_whole_path_of_the_running_fingerpost(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = config.parent / "bin" / "fingerpost"
    beside.parent.mkdir()
    beside.write_text("#!/bin/sh\n", encoding="utf-8")
    beside.chmod(0o755)
    monkeypatch.chdir(config.parent)
    monkeypatch.setattr(sys, "argv", ["bin/fingerpost", "wrap"])
    assert run("wrap", config) == 0
    assert plain(config.read_text(encoding="utf-8"))["mcpServers"]["clock"]["command"] == str(beside)


def test_wrap_finds_fingerpost_beside_the_interpreter(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["pytest"])
    assert run("wrap", config) == 0
    command = plain(config.read_text(encoding="utf-8"))["mcpServers"]["clock"]["command"]
    assert os.path.dirname(command) == os.path.dirname(sys.executable)


def test_wrap_without_an_executable_asks_for_it(
    config: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["pytest"])
    monkeypatch.setattr(sys, "executable", str(config.parent / "python"))
    monkeypatch.setenv("PATH", str(config.parent))
    assert run("wrap", config) == 2
    assert capsys.readouterr().err == (
        "fingerpost: the fingerpost executable was not found\nSay where it is: --command PATH.\n"
    )


def test_a_command_that_would_not_be_known_again_is_refused(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("wrap", config, "--command", "/opt/fp") == 2
    assert '"/opt/fp" is not named fingerpost' in capsys.readouterr().err
    assert config.read_text(encoding="utf-8") == CLAUDE_DESKTOP


@pytest.mark.parametrize("order", [("--server", "clock", "FILE"), ("FILE", "--server", "clock")])
def test_options_behind_the_dashes_are_given_to_the_proxy(config: Path, order: tuple[str, ...]) -> None:
    words = [str(config) if word == "FILE" else word for word in order]
    assert run("wrap", *words, "--", "--auto-correct", "off") == 0
    servers = plain(config.read_text(encoding="utf-8"))["mcpServers"]
    assert servers["clock"]["args"] == ["proxy", "--auto-correct", "off", "--", "mcp-clock"]
    assert servers["filesystem"]["command"] == "npx"


def test_a_second_file_is_no_option_for_the_proxy(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("wrap", config, "other.json") == 2
    assert capsys.readouterr().err == (
        "fingerpost: unexpected argument 'other.json'\nOptions for the proxy stand behind --.\n"
    )


def test_an_unknown_server_is_told_what_was_meant(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("wrap", config, "--server", "clock", "--server", "filesytem") == 2
    assert capsys.readouterr().err == (
        f"fingerpost: {config} has no server 'filesytem'\n"
        "Did you mean 'filesystem'? Its servers are 'filesystem' and 'clock'.\n"
    )
    assert config.read_text(encoding="utf-8") == CLAUDE_DESKTOP


def test_an_unknown_server_of_an_empty_config_is_told_that_there_are_none(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config.write_text('{"mcpServers": {}}', encoding="utf-8")
    assert run("unwrap", config, "--server", "x") == 2
    assert capsys.readouterr().err.endswith("has no server 'x'\nIt has none.\n")


def test_each_server_gets_a_line_with_what_became_of_it(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_text(VS_CODE, encoding="utf-8")
    assert run("wrap", config, "--server", "local") == 0
    assert run("wrap", config) == 0
    assert capsys.readouterr().out.splitlines()[2:] == [
        "github: wrapped",
        "local: already wrapped",
        "old: left alone (the proxy does not speak 'sse', the old transport)",
        "The config without the proxy is kept in client.json.fingerpost-backup.",
    ]
    config.write_text(CLAUDE_CODE, encoding="utf-8")
    assert run("wrap", config) == 0
    assert 'db in "/home/me/shop": wrapped\n' in capsys.readouterr().out


def test_a_backup_without_the_proxy_is_never_replaced_by_one_with_it(config: Path) -> None:
    backup = config.with_name("client.json.fingerpost-backup")
    assert run("wrap", config, "--server", "clock") == 0
    assert run("wrap", config) == 0
    assert backup.read_text(encoding="utf-8") == CLAUDE_DESKTOP
    backup.unlink()
    assert run("unwrap", config, "--server", "clock") == 0
    half = config.read_text(encoding="utf-8")
    assert run("wrap", config) == 0
    assert backup.read_text(encoding="utf-8") == half


def test_a_backup_is_renewed_when_an_unwrapped_config_is_wrapped_again(config: Path) -> None:
    backup = config.with_name("client.json.fingerpost-backup")
    backup.write_text("older", encoding="utf-8")
    assert run("wrap", config) == 0
    assert backup.read_text(encoding="utf-8") == CLAUDE_DESKTOP


def test_a_backup_of_something_else_outlives_unwrapping(config: Path) -> None:
    assert run("wrap", config) == 0
    changed = config.read_text(encoding="utf-8").replace("Ctrl+Space", "Ctrl+K")
    config.write_text(changed, encoding="utf-8")
    assert run("unwrap", config) == 0
    assert config.read_text(encoding="utf-8") == CLAUDE_DESKTOP.replace("Ctrl+Space", "Ctrl+K")
    assert config.with_name("client.json.fingerpost-backup").read_text(encoding="utf-8") == CLAUDE_DESKTOP


@pytest.mark.parametrize("command", ["wrap", "unwrap"])
def test_nothing_is_written_where_nothing_changes(
    config: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    text = entry('"odd"')
    config.write_text(text, encoding="utf-8")
    before = config.stat()
    assert run(command, config) == 0
    assert (config.stat().st_ino, config.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert [path.name for path in config.parent.iterdir()] == ["client.json"]
    assert (
        capsys.readouterr().out
        == {
            "wrap": "x: left alone (it is not an object)\n",
            "unwrap": "x: not wrapped\nNo server is wrapped, so there is nothing to undo.\n",
        }[command]
    )


def test_unwrap_of_one_server_says_nothing_of_the_others(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("wrap", config, "--server", "clock") == 0
    capsys.readouterr()
    assert run("unwrap", config, "--server", "filesystem") == 0
    assert capsys.readouterr().out == "filesystem: not wrapped\n"


def test_a_config_without_servers_is_no_trouble(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_text('{"mcpServers": {}}', encoding="utf-8")
    assert run("wrap", config) == 0
    assert capsys.readouterr().out == f"{config} lists no servers.\n"


def test_a_dry_run_shows_the_difference_and_writes_nothing(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_bytes(b'{"mcpServers": {\r\n"x": {"command": "a", "args": []} // \x1b[2J\r\n}}\r\n')
    before = config.read_bytes()
    assert run("wrap", "--dry-run", "--command", "fingerpost", config) == 0
    assert capsys.readouterr().out == (
        "x: wrapped\n"
        f"--- {config}\n+++ {config}\n@@ -1,3 +1,3 @@\n"
        ' {"mcpServers": {\n'
        '-"x": {"command": "a", "args": []} // \\x1b[2J\n'
        '+"x": {"command": "fingerpost", "args": ["proxy", "--", "a"]} // \\x1b[2J\n'
        " }}\n"
        "Nothing was written.\n"
    )
    assert config.read_bytes() == before
    assert [path.name for path in config.parent.iterdir()] == ["client.json"]
    assert run("wrap", config) == 0
    there = config.read_bytes()
    assert run("unwrap", "--dry-run", config) == 0
    assert config.read_bytes() == there


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_the_difference_in_colour(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "stdout", out := Terminal())
    assert run("wrap", "--dry-run", config) == 0
    assert '\x1b[31m-    "clock": { "command": "mcp-clock" }\x1b[0m' in out.getvalue()


def test_a_link_stays_a_link_and_its_target_is_rewritten(config: Path) -> None:
    folder = config.parent / "links"
    folder.mkdir()
    link = folder / "mcp.json"
    link.symlink_to(config)
    assert run("wrap", link) == 0
    assert link.is_symlink()
    assert "proxy" in config.read_text(encoding="utf-8")
    assert [path.name for path in folder.iterdir()] == ["mcp.json"]


@pytest.mark.parametrize("command", ["wrap", "unwrap"])
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"mcpServers": {\n  "a" {}}}', " is not JSON: line 2, column 7: expected ':'\n"),
        (b"\xff\xfe{\x00}\x00", " is not text in UTF-8\nSave it as UTF-8 and try again.\n"),
        (
            b'{"context_servers": {}}',
            " holds no MCP servers\nLooked for an object at 'mcpServers', \"projects.*.mcpServers\", 'servers' "
            "or 'mcp.servers'.\n",
        ),
    ],
)
def test_what_cannot_be_read_is_told_and_left(
    config: Path, capsys: pytest.CaptureFixture[str], command: str, content: bytes, said: str
) -> None:
    config.write_bytes(content)
    assert run(command, config) == 2
    assert capsys.readouterr().err == f"fingerpost: {config}{said}"
    assert config.read_bytes() == content


@pytest.mark.parametrize("command", ["wrap", "unwrap"])
def test_a_missing_file_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    missing = tmp_path / "none.json"
    assert run(command, missing) == 2
    assert capsys.readouterr().err == f"fingerpost: cannot read {missing}: No such file or directory\n"


def test_a_file_that_somebody_else_has_written_meanwhile_is_left(
    config: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def overtaken(text: str, proxy: Proxy, only: Any = None) -> Any:
        config.write_text("theirs", encoding="utf-8")
        return wrapped(text, proxy, only)

    monkeypatch.setattr("fingerpost.client_config.command.wrapped", overtaken)
    assert run("wrap", config) == 2
    assert "was changed by somebody else meanwhile\nRun the command again.\n" in capsys.readouterr().err
    assert config.read_text(encoding="utf-8") == "theirs"


def test_a_write_that_fails_leaves_the_old_file_and_no_scraps(
    config: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    assert run("wrap", config) == 0
    there = config.read_bytes()
    monkeypatch.setattr(os, "fsync", full)
    assert run("unwrap", config) == 2
    assert capsys.readouterr().err == f"fingerpost: cannot write {config}: No space left on device\n"
    config.write_bytes(CLAUDE_DESKTOP.encode())
    assert run("wrap", config) == 2
    assert "cannot write client.json.fingerpost-backup: No space left" in capsys.readouterr().err
    assert there != config.read_bytes() == CLAUDE_DESKTOP.encode()
    assert {path.name for path in config.parent.iterdir()} == {"client.json", "client.json.fingerpost-backup"}


def test_a_text_that_no_file_can_hold_is_told(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("wrap", config, "--", "--config", "\udcff") == 2
    assert capsys.readouterr().err == f"fingerpost: {config} cannot be written in UTF-8\n"
    assert config.read_bytes() == CLAUDE_DESKTOP.encode()


@pytest.mark.parametrize(
    "words", [["--bogus", "5"], ["--auto-correct", "perhaps"], ["--timeout", "-1"], ["--listen", "127.0.0.1:0"]]
)
def test_options_that_the_proxy_does_not_take_are_not_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    file = tmp_path / "client.json"
    file.write_text('{"mcpServers": {"a": {"command": "npx"}}}')
    assert main(["wrap", str(file), "--", *words]) == 2
    assert file.read_text() == '{"mcpServers": {"a": {"command": "npx"}}}'
    assert capsys.readouterr().err
