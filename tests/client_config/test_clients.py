"""Where the configs of the known clients are, on each system."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from fingerpost.client_config.clients import find_configs, known_configs
from tests.support.paths import ROOT

HOME = Path("/home/me")


def paths_of(platform: str, **environ: str) -> dict[str, str]:
    return {known.client: known.path.as_posix() for known in reversed(list(known_configs(HOME, environ, platform)))}


def test_linux() -> None:
    assert paths_of("linux") == {
        "Claude Desktop": "/home/me/.config/Claude/claude_desktop_config.json",
        "Claude Code": "/home/me/.claude.json",
        "Codex": "/home/me/.codex/config.toml",
        "Continue": "/home/me/.continue/config.yaml",
        "Cursor": "/home/me/.cursor/mcp.json",
        "Gemini CLI": "/home/me/.gemini/settings.json",
        "Goose": "/home/me/.config/goose/config.yaml",
        "LM Studio": "/home/me/.lmstudio/mcp.json",
        "opencode": "/home/me/.config/opencode/opencode.json",
        "VS Code": "/home/me/.config/Code/User/mcp.json",
        "Windsurf": "/home/me/.codeium/windsurf/mcp_config.json",
        "Zed": "/home/me/.config/zed/settings.json",
    }


def test_macos_has_a_folder_for_applications() -> None:
    linux, macos = paths_of("linux"), paths_of("darwin")
    support = "/home/me/Library/Application Support"
    assert {client: path for client, path in macos.items() if path != linux[client]} == {
        "Claude Desktop": f"{support}/Claude/claude_desktop_config.json",
        "VS Code": f"{support}/Code/User/mcp.json",
    }


def test_windows_has_a_folder_for_application_data() -> None:
    linux, windows = paths_of("linux"), paths_of("win32", APPDATA="/data")
    assert {client: path for client, path in windows.items() if path != linux[client]} == {
        "Claude Desktop": "/data/Claude/claude_desktop_config.json",
        "Goose": "/data/Block/goose/config/config.yaml",
        "VS Code": "/data/Code/User/mcp.json",
        "Zed": "/data/Zed/settings.json",
    }
    assert paths_of("win32")["Zed"] == "/home/me/AppData/Roaming/Zed/settings.json"


def test_variables_move_the_folders() -> None:
    moved = paths_of("linux", XDG_CONFIG_HOME="/xdg", CODEX_HOME="/codex")
    assert {moved["Goose"], moved["Zed"], moved["opencode"]} == {
        "/xdg/goose/config.yaml",
        "/xdg/zed/settings.json",
        "/xdg/opencode/opencode.json",
    }
    assert moved["Codex"] == "/codex/config.toml"


def test_only_existing_files_are_found_and_each_file_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("XDG_CONFIG_HOME", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find_configs() == []
    for folder in (".cursor", ".lmstudio", ".cache/lm-studio"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / ".cursor" / "mcp.json").write_text("{}", encoding="utf-8")
    (tmp_path / ".lmstudio" / "mcp.json").write_text("{}", encoding="utf-8")
    (tmp_path / ".cache" / "lm-studio" / "mcp.json").symlink_to(tmp_path / ".lmstudio" / "mcp.json")
    assert [(known.client, known.path.relative_to(tmp_path).as_posix()) for known in find_configs()] == [
        ("Cursor", ".cursor/mcp.json"),
        ("LM Studio", ".lmstudio/mcp.json"),
    ]


def test_the_guide_lists_every_client() -> None:
    page = (ROOT / "docs" / "wrap.md").read_text(encoding="utf-8")
    for known in known_configs(HOME, {}, "linux"):
        assert f"| {known.client} |" in page
        assert known.path.name in page
