"""Every fence of the README and of the docs runs, and prints what it says it prints."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp_types import TextContent

from bench.demo_image import IMAGE, draw, run_demo, shorten
from fingerpost.audit.judge.checklist import CHECKLIST
from tests.audit.generate.test_mistakes import RIGHT, kinds
from tests.support.paths import ROOT, SOURCE

README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))]
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def _fences(page: Path) -> list[tuple[str, str]]:
    """The language and the body of each fence."""
    return _FENCE.findall(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_and_shell_fences_run_and_print_the_text_that_follows(page: Path, tmp_path: Path) -> None:
    names: dict[str, Any] = {}
    printed = ""
    for language, body in _fences(page):
        if language == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(body, names)
            printed = out.getvalue()
        elif language == "sh":
            printed = _printed_by(body, tmp_path)
        elif language == "text":
            assert printed == body


def test_console_fences_print_what_they_show(tmp_path: Path) -> None:
    displayed = [body for language, body in _fences(README) if language == "console"]
    commands = [step for body in displayed for step in re.split(r"^\$ ", body, flags=re.MULTILINE) if step]
    for step in commands:
        command, _, expected = step.partition("\n")
        if command.startswith("fingerpost "):
            assert _printed_by(command, tmp_path) == expected
        else:
            assert command.startswith(("make ", "pip install "))  # other tests check these


def test_the_first_table_shows_the_replies_of_the_server_below_it() -> None:
    code = next(body for language, body in _fences(README) if language == "python")
    bare_code = code.replace(", middleware=[Guidance()]", "")
    assert code != bare_code
    rows = re.findall(
        r"^\| `(.+?)` \| (.+?) \| (.+?) \|$", README.read_text("utf-8").split("```python")[0], re.MULTILINE
    )
    assert len(rows) == 4
    for call, without, guided in rows:
        bare_reply = _reply_of(bare_code, call)
        places = [bare_reply.find(part.removesuffix("…")) for part in _code_spans(without)]
        assert -1 not in places
        assert places == sorted(places)
        assert _reply_of(code, call).splitlines() == _code_spans(guided)


def _code_spans(cell: str) -> list[str]:
    """The lines of a cell, all of them code."""
    spans = cell.split("<br>")
    assert all(span[0] == span[-1] == "`" for span in spans)
    return [span[1:-1] for span in spans]


def _reply_of(code: str, call: str) -> str:
    """The text that the server of the code sends for a call like `search(pattern: "User")`."""
    names: dict[str, Any] = {}
    exec(code, names)
    tool, _, arguments = call.removesuffix(")").partition("(")

    async def send() -> str:
        async with Client(names["server"]) as client:
            result = await client.call_tool(tool, json.loads("{" + re.sub(r"(\w+): ", r'"\1": ', arguments) + "}"))
            return "\n".join(block.text for block in result.content if isinstance(block, TextContent))

    return asyncio.run(send())


def test_the_extras_that_the_readme_installs_exist() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = re.findall(r"\b(?:fingerpost|\.)\[(\w+)\]", README.read_text("utf-8"))
    assert {"sdk", "fastmcp"} <= set(named) <= set(project["optional-dependencies"])


def test_the_image_of_the_demo_shows_what_the_demo_prints() -> None:
    """If this fails, run `make demo-image`, and look at the image."""
    assert "](docs/demo.svg)" in README.read_text("utf-8")
    assert _without_counts(draw(shorten(run_demo()))) == _without_counts(IMAGE.read_text("utf-8"))


def _without_counts(image: str) -> str:
    """The demo searches this package, so an edit anywhere in it may change how much is found."""
    return re.sub(r"textLength=\"[\d.]+\"(.*?>)(… |1-3 of )?\d+(?= (?:more line|result))", r"\1\2#", image)


@pytest.mark.parametrize("page", ["README.md", "docs/proxy.md"])
def test_the_configs_shown_are_what_wrapping_makes_of_them_without_us(page: str, tmp_path: Path) -> None:
    configs = [body for language, body in _fences(ROOT / page) if language == "json"]
    assert configs
    for config in configs:
        file = tmp_path / "mcp.json"
        file.write_text(config, encoding="utf-8")
        for command in ("unwrap", "wrap"):
            subprocess.run([sys.executable, "-m", "fingerpost", command, str(file)], check=True, capture_output=True)
            assert ("proxy" in file.read_text("utf-8")) == (command == "wrap")
        assert _without_folder(json.loads(file.read_text("utf-8"))) == json.loads(config)


def _without_folder(config: Any) -> Any:
    """The same with the command by its name alone, as a page shows it."""
    for servers in config.values():
        for server in servers.values():
            server["command"] = Path(server["command"]).name
    return config


def _printed_by(command: str, folder: Path) -> str:
    line = re.sub(
        r"(^|-- )fingerpost\b", rf"\1{shlex.quote(sys.executable)} -m fingerpost", command, flags=re.MULTILINE
    )
    return subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, text=True, check=False).stdout


def test_the_commands_of_the_readme_are_targets_of_the_makefile() -> None:
    readme, makefile = README.read_text(encoding="utf-8"), (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^(\w+):", makefile, re.MULTILINE))
    assert {"demo", "test"} <= set(re.findall(r"^\$ make (\w+)", readme, re.MULTILINE)) <= targets


def test_the_architecture_names_every_folder_of_the_package_and_of_the_engine() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    folders = [path for top in (SOURCE, SOURCE / "engine") for path in top.iterdir() if _has_files(path)]
    assert len(folders) > 10
    assert [folder.name for folder in folders if not re.search(rf"\b{folder.name}/", page)] == []


def _has_files(path: Path) -> bool:
    """Is this a folder that git would keep? Switching branches leaves folders with nothing but caches."""
    return path.is_dir() and path.name != "__pycache__" and any(one.is_file() for one in path.iterdir())


def test_the_page_of_the_audit_has_the_checklist_and_every_kind_of_mistake() -> None:
    page = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")
    for item in CHECKLIST:
        assert f"| `{item.id}` | {item.title} | {item.weight} |" in page
    groups = {kind.partition(".")[0] for kind in kinds(RIGHT)}
    assert all(f"`{group}." in page for group in groups | {"result"})
