"""Where the known clients keep their configs, on each system."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Folders:
    """The folders of one user that configs are in."""

    home: Path
    config: Path
    """`~/.config`, or what `XDG_CONFIG_HOME` says."""
    app_data: Path
    """`%APPDATA%` on Windows, the folder that clients use in its place elsewhere."""

    @classmethod
    def of(cls, home: Path, environ: Mapping[str, str], platform: str) -> Folders:
        config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
        if platform == "win32":
            return cls(home, config, Path(environ.get("APPDATA") or home / "AppData" / "Roaming"))
        return cls(home, config, home / "Library" / "Application Support" if platform == "darwin" else config)


@dataclass(frozen=True, slots=True)
class KnownConfig:
    """A config file of a client; it may not exist."""

    client: str
    path: Path


def known_configs(home: Path, environ: Mapping[str, str], platform: str) -> Iterator[KnownConfig]:
    """List where the configs of the known clients are on a system (`sys.platform`)."""
    folders = Folders.of(home, environ, platform)
    is_windows = platform == "win32"
    goose = folders.app_data / "Block" / "goose" / "config" if is_windows else folders.config / "goose"
    zed = folders.app_data / "Zed" if is_windows else folders.config / "zed"
    vs_code = folders.app_data / "Code" / "User"
    codex = Path(environ.get("CODEX_HOME") or home / ".codex")
    for client, path in (
        ("Claude Desktop", folders.app_data / "Claude" / "claude_desktop_config.json"),
        ("Claude Code", home / ".claude.json"),
        ("Codex", codex / "config.toml"),
        ("Continue", home / ".continue" / "config.yaml"),
        ("Cursor", home / ".cursor" / "mcp.json"),
        ("Gemini CLI", home / ".gemini" / "settings.json"),
        ("Goose", goose / "config.yaml"),
        ("LM Studio", home / ".lmstudio" / "mcp.json"),
        ("LM Studio", home / ".cache" / "lm-studio" / "mcp.json"),
        ("opencode", folders.config / "opencode" / "opencode.json"),
        ("opencode", folders.config / "opencode" / "opencode.jsonc"),
        ("VS Code", vs_code / "mcp.json"),
        ("VS Code", vs_code / "settings.json"),
        ("Windsurf", home / ".codeium" / "windsurf" / "mcp_config.json"),
        ("Zed", zed / "settings.json"),
    ):
        yield KnownConfig(client, path)


def find_configs() -> list[KnownConfig]:
    """Return the configs that exist on this machine; a file with two names only once."""
    known = known_configs(Path.home(), os.environ, sys.platform)
    existing = [config for config in known if os.path.exists(config.path)]  # false if a folder is closed to us
    return list({os.path.realpath(config.path): config for config in reversed(existing)}.values())[::-1]
