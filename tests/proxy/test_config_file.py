"""The configuration file of the proxy: what holds for single tools, in front of a server that knows nothing of it."""

# pyright: basic
from __future__ import annotations

import asyncio
import io
import re
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from fingerpost import KEY, Policy
from fingerpost.proxy.config_file import ConfigFile
from fingerpost.proxy.log import Log
from fingerpost.terminal.command_error import CommandError
from tests.proxy.test_page_corpus import listening
from tests.proxy.test_stdio_to_stdio import Proxy
from tests.support.notes_server import TOOLS
from tests.support.paths import ROOT, SUPPORT
from tests.support.waiting import PATIENCE

SERVER = ["--", sys.executable, "-S", str(SUPPORT / "notes_server.py")]
WAYS = ("stdio to stdio", "stdio to http", "http to stdio", "http to http")


@pytest.fixture
def config(tmp_path: Path) -> str:
    """The example of the documentation."""
    page = (ROOT / "docs" / "proxy.md").read_text(encoding="utf-8")
    [example] = re.findall(r"^cat > notes\.toml <<'END'\n(.*?)^END$", page, re.MULTILINE | re.DOTALL)
    file = tmp_path / "notes.toml"
    file.write_text(example, encoding="utf-8")
    return str(file)


@contextmanager
def proxy(way: str, config: str) -> Generator[Any]:
    front, _, back = way.partition(" to ")
    if back == "http":
        with listening(["--guidance", "off", *SERVER]) as url:
            yield from _front(front, ["--config", config, url])
    else:
        yield from _front(front, ["--config", config, *SERVER])


def _front(front: str, words: list[str]) -> Iterator[Any]:
    if front == "http":
        with listening(words) as url:
            yield url
    else:
        yield StdioServerParameters(command=sys.executable, args=["-m", "fingerpost", "proxy", *words])


@pytest.mark.parametrize("way", WAYS)
def test_the_documented_example_improves_a_foreign_server_on_every_transport(way: str, config: str) -> None:
    async def play(target: Any) -> list[Any]:
        async with Client(target, mode="legacy") as client:
            await client.list_tools()
            calls = [
                ("read_text_file", {"file": "/home/me/notes/a.md"}),
                ("read_text_file", {"path": "/etc/hosts"}),
                ("search_files", {"directory": "/home/me", "query": "x", "verbosity": 3}),
                ("read_text_file", {"path": "/home/me/notes/a.md", "verbosity": 3}),
            ]
            return [await client.call_tool(name, arguments) for name, arguments in calls]

    with proxy(way, config) as target:
        aliased, denied, searched, refused = asyncio.run(asyncio.wait_for(play(target), PATIENCE))
    texts = [[block.text for block in reply.content] for reply in (aliased, denied, searched, refused)]
    assert texts[0] == ["text of /home/me/notes/a.md", "Parameter 'file' was auto-corrected to 'path'."]
    assert texts[1][1].startswith("Only /home/me/notes is shared: use a path below it.\n")
    error = denied.meta[KEY]["error"]
    assert (error["code"], error["next_steps"]["docs"]) == ("OUTSIDE_NOTES", "https://example.com/notes")
    assert texts[2][0] == '{"path": "/home/me", "pattern": "x", "verbosity": 3}'
    assert "offset" in texts[2][1]  # a tip, as only this tool's policy asks for
    assert texts[3][0].startswith("Unknown param 'verbosity'")


def test_what_names_nothing_in_the_list_is_reported_on_standard_error_once(tmp_path: Path) -> None:
    file = tmp_path / "notes.toml"
    file.write_text("[aliases.read_txt_file]\nfile = 'path'\n[aliases.search_files]\nquery = 'patern'\n")
    relay = Proxy("--config", str(file), *SERVER)
    with relay.process:
        relay.send({"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}})
        assert relay.next()["id"] == 0
        for number in (1, 2):
            relay.send({"id": number, "method": "tools/list"})
            listed = [tool["name"] for tool in relay.next()["result"]["tools"]]
            assert listed == [*(tool["name"] for tool in TOOLS), "info"]
        assert "result" in relay.call("search_files", id=3, path="a", pattern="b")
        ended = relay.end()
    assert ended == (
        0,
        "fingerpost: aliases.read_txt_file: the server lists no tool 'read_txt_file'; did you mean 'read_text_file'?\n"
        "fingerpost: aliases.search_files.query: 'search_files' has no parameter 'patern'; did you mean 'pattern'?\n",
    )


def test_several_sessions_report_the_same_problem_once() -> None:
    out = io.StringIO()
    log = Log(out=out)
    for _ in range(2):
        log.notice_once("the server lists no tool 'a'")
    assert out.getvalue() == "fingerpost: the server lists no tool 'a'\n"


@pytest.mark.parametrize(
    ("text", "message", "way_out"),
    [
        (
            "budget = 1\n\n[tools.a]\nbudgt = 5",
            "FILE:4: tools.a.budgt: there is no such field",
            "Did you mean budget? Fi",
        ),
        ("[tools.'a b']\ntips = 1", "FILE:2: tools.a b.tips: must be true or false, got 1", ""),
        ("[tools.a]\ntimeout = 1", "FILE:2: tools.a.timeout: there is no such field", "Fields: auto_correct"),
        ("aliases = {a = {b = 5}}", "FILE:1: aliases.a.b: must name a parameter, got 5", "The alias comes first"),
        ("tools = 5", "FILE:1: tools: must be a table of names, got int", ""),
        ("[hints]\nmatch = 'x'", "FILE:1: hints: must be a list, got dict", "In the configuration file: [[hints]]"),
        (
            "[[hints]]\nmatch = [\n  'y=z',\n]\nhint = '''\n[no table\n'''\n\n[[hints]]\nmatch = 'x'\nhnt = 'y'",
            "FILE:11: hints[1].hnt: there is no such field",
            "Did you mean hint?",
        ),
        ("[tools]\na.b.c = 1", "FILE:2: tools.a.b: there is no such field", "Fields"),
        ("'tools' . a . 'tips' = 'x'", "FILE:1: tools.a.tips: must be true or false, got 'x'", ""),
    ],
)
def test_a_file_that_cannot_be_valid_is_refused_with_the_line_to_fix(
    tmp_path: Path, text: str, message: str, way_out: str
) -> None:
    file = tmp_path / "x.toml"
    file.write_text(text)
    with pytest.raises(CommandError) as error:
        ConfigFile.read(str(file)).read_overrides(Policy())
    assert str(error.value).replace(str(file), "FILE") == message
    assert error.value.way_out.startswith(way_out)


def test_the_proxy_does_not_start_on_such_a_file(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text("[tools.search]\nauto-correct = 'perhaps'")
    command = [sys.executable, "-m", "fingerpost", "proxy", "--config", str(file), *SERVER]
    done = subprocess.run(command, capture_output=True, text=True, check=False, input="")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{file}:2: tools.search.auto-correct: must be one of off, lossless" in done.stderr
