"""Every fence of the README and of the docs runs, and prints what it says it prints."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fingerpost.audit.judge.checklist import CHECKLIST
from tests.audit.generate.test_mistakes import RIGHT, kinds
from tests.support.code_tools import code_tools
from tests.support.paths import ROOT, SOURCE

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_fences_run_and_print_the_text_that_follows(page: Path) -> None:
    names: dict[str, Any] = {}
    printed = ""
    for language, body in _FENCE.findall(page.read_text(encoding="utf-8")):
        if language == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(body, names)
            printed = out.getvalue()
        elif language == "text":
            assert printed == body


def test_console_fences_print_what_they_show(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text(json.dumps({"tools": code_tools()}), encoding="utf-8")
    (tmp_path / "call.json").write_text(json.dumps({"name": "search", "arguments": {}}), encoding="utf-8")
    shown = [body for language, body in _FENCE.findall(PAGES[0].read_text(encoding="utf-8")) if language == "console"]
    commands = [step for body in shown for step in re.split(r"^\$ ", body, flags=re.MULTILINE) if step]
    for step in commands:
        command, _, expected = step.partition("\n")
        if command.startswith("fingerpost "):
            assert _printed_by(command, tmp_path) == expected


@pytest.mark.parametrize("page", ["README.md", "docs/proxy.md"])
def test_the_configs_shown_are_what_wrapping_makes_of_them_without_us(page: str, tmp_path: Path) -> None:
    configs = [body for language, body in _FENCE.findall((ROOT / page).read_text("utf-8")) if language == "json"]
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
    line = re.sub(r"(^|-- )fingerpost\b", rf"\1{shlex.quote(sys.executable)} -m fingerpost", command)
    return subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, text=True, check=False).stdout


def test_the_commands_of_the_readme_are_targets_of_the_makefile() -> None:
    readme, makefile = PAGES[0].read_text(encoding="utf-8"), (ROOT / "Makefile").read_text(encoding="utf-8")
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
