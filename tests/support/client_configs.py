"""Configs of real clients, and helpers to wrap and unwrap one entry."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from fingerpost.client_config import Proxy, unwrap, wrap

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
    """Parse JSON with comments by other means than the code under test."""
    string = r'("(?:\\.|[^"\\])*")'
    bare = re.sub(rf"{string}|//[^\r\n]*|/\*.*?\*/", r"\1", text.removeprefix("\ufeff"), flags=re.DOTALL)
    return json.loads(re.sub(rf"{string}|,(?=\s*[}}\]])", r"\1", bare))


def states(text: str, change: Callable[[str], Any] = lambda text: wrap(text, PROXY)) -> dict[str, tuple[str, str]]:
    return {outcome.server.name: (outcome.state, outcome.remark) for outcome in change(text).outcomes}


def entry(source: str) -> str:
    return f'{{"mcpServers": {{"x": {source}}}}}'


def wrap_entry(source: str, proxy: Proxy = PROXY) -> str:
    text = wrap(entry(source), proxy).text
    return text.removeprefix('{"mcpServers": {"x": ').removesuffix("}}")


def unwrap_entry(source: str) -> str:
    return unwrap(entry(source)).text.removeprefix('{"mcpServers": {"x": ').removesuffix("}}")
