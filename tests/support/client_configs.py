"""Configs of real clients, and helpers to wrap and unwrap one entry."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from fingerpost.client_config import Format, Proxy, unwrap, wrap

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


LM_STUDIO = """\
{
  "mcpServers": {
    "hf-mcp-server": {
      "url": "https://huggingface.co/mcp",
      "headers": {
        "Authorization": "Bearer <YOUR_HF_TOKEN>"
      }
    }
  }
}
"""
"""LM Studio 0.3.17 and later follow the notation of Cursor."""


GEMINI = """\
{
  // user settings
  "mcp": {"allowed": ["git", "github"]},
  "mcpServers": {
    "git": {"command": "uvx", "args": ["mcp-server-git"], "timeout": 30000, "trust": false},
    "clock": {"command": "mcp-clock", "cwd": "./clock"},
    "github": {
      "httpUrl": "https://api.githubcopilot.com/mcp/",
      "headers": {"Authorization": "Bearer $GITHUB_TOKEN"},
      "timeout": 5000
    },
    "typed": {"url": "https://example.com/mcp", "type": "http"},
    "old": {"url": "https://example.com/events"}
  }
}
"""
"""Gemini CLI 0.2x, `schemas/settings.schema.json`: `httpUrl` is streamable HTTP, `url` needs a type to be it."""


ZED = """\
{
  "theme": "One Dark",
  "context_servers": {
    "local": {
      "enabled": true,
      "source": "custom",
      "command": "uv",
      // "command": "/home/me/.local/bin/uv",
      "args": ["run", "main.py"],
      "env": {},
    },
    "remote": {"url": "https://example.com/mcp", "headers": {"Authorization": "Bearer t"}},
    "github": {"source": "extension", "settings": {}},
    "older": {"command": {"path": "npx", "args": ["x"]}, "settings": {}},
  },
}
"""
"""Zed of 2026, `ContextServerSettingsContent`: stdio, HTTP or extension; unknown members are ignored."""


OPENCODE_1 = """\
{
  "$schema": "https://opencode.ai/config.json",
  "mcp": {
    "everything": {
      "type": "local",
      "command": ["npx", "-y", "@modelcontextprotocol/server-everything"],
      "environment": {"A": "b"},
      "enabled": true,
    },
    "context7": {
      "type": "remote",
      "url": "https://mcp.context7.com/mcp",
      "headers": {"CONTEXT7_API_KEY": "{env:CONTEXT7_API_KEY}"},
    },
    "jira": {"type": "remote", "url": "https://jira.example.com/mcp", "enabled": true}
  },
}
"""
"""opencode 1, `config.json` schema: no unknown members."""


OPENCODE_2 = """\
{
  "mcp": {
    "timeout": 5000,
    "servers": {
      "my-server": {"type": "local", "command": ["npx", "-y", "example-mcp-server"], "disabled": true},
      "remote": {"type": "remote", "url": "https://example.com/mcp"},
    },
  },
}
"""
"""opencode 2: the servers are below `mcp.servers`."""


CODEX = """\
model = "gpt-5" # the model

[mcp_servers.files]
command = "npx" # node
args = [
  "-y", # yes
  '@modelcontextprotocol/server-filesystem',
]
startup_timeout_sec = 20

[mcp_servers.files.env]
DEBUG = "1"

[mcp_servers."the clock"]
command = 'mcp-clock'

[mcp_servers.empty]
command = "a"
args = []

[mcp_servers.figma]
url = "https://mcp.figma.com/mcp"
bearer_token_env_var = "FIGMA_TOKEN"
http_headers = { "X-Figma-Region" = "us-east-1" }

[mcp_servers.github]
  url = "https://api.githubcopilot.com/mcp/"
  bearer_token_env_var = "GITHUB_TOKEN"
  enabled = true

[mcp_servers.table]
url = "https://example.com/mcp"

[mcp_servers.table.http_headers]
X-Key = "k"
X-Other = "o"

[mcp_servers.plain]
url = "https://example.com/mcp"

[profiles.deep]
model = "o3"
"""
"""Codex of 2026, `RawMcpServerConfig` in `codex-rs/config/src/mcp_types.rs`."""


CONTINUE = """\
name: Local Assistant
version: 1.0.0
schema: v1
models:
  - name: x
    rules: |
      mcpServers:
        not this
mcpServers:
  # the files
  - name: Files
    command: npx
    args:
      - "-y"
      - "@modelcontextprotocol/server-filesystem" # theirs
      - /home/me
    env:
      DEBUG: "1"
  - name: "the clock"
    command: mcp-clock
    connectionTimeout: 500

  - name: remote
    type: streamable-http
    url: https://example.com/mcp
    requestOptions:
      headers:
        Authorization: Bearer ${{ secrets.TOKEN }}
        X-Org: me
  - name: quoted
    url: "https://example.com/mcp"
    requestOptions:
      headers:
        Authorization: "Bearer t"
  - name: old
    type: sse
    url: https://example.com/sse
docs: []
"""
"""Continue 1.x, `packages/config-yaml/src/schemas/mcp`: a list; headers are in `requestOptions`."""


GOOSE = """\
GOOSE_PROVIDER: anthropic
extensions:
  developer:
    bundled: true
    enabled: true
    name: developer
    timeout: 300
    type: builtin
  fetch:
    enabled: true
    type: stdio
    name: fetch
    description: ''
    cmd: uvx
    args:
    - mcp-server-fetch
    envs: {}
    env_keys: []
    timeout: 300
    bundled: null
    available_tools: []
  none:
    type: stdio
    name: none
    cmd: mcp-clock
    args: []
  kiwi:
    enabled: true
    type: streamable_http
    name: kiwi
    description: flights
    uri: https://mcp.kiwi.com
    envs: {}
    env_keys: []
    headers: {}
    timeout: 300
  keyed:
    type: streamable_http
    name: keyed
    uri: https://example.com/mcp
    envs: {}
    env_keys:
    - TOKEN
    headers:
      Authorization: Bearer ${TOKEN}
  more:
    type: streamable_http
    name: more
    uri: https://example.com/mcp
    envs:
      A: b
    headers:
      X-Key: k
  short:
    type: streamable_http
    uri: https://example.com/mcp
    headers:
      X-Key: "k"
      X-Other: "o: p"
GOOSE_MODEL: claude
"""
"""Goose 1.x, `ExtensionConfig` in `crates/goose/src/agents/extension.rs`, as it writes it."""


FIXTURES = {
    "claude desktop": CLAUDE_DESKTOP,
    "claude code": CLAUDE_CODE,
    "windsurf": WINDSURF,
    "vs code": VS_CODE,
    "vs code settings": VS_CODE_SETTINGS,
    "cursor": CURSOR,
    "lm studio": LM_STUDIO,
    "zed": ZED,
    "opencode 1": OPENCODE_1,
    "opencode 2": OPENCODE_2,
}
"""Configs in JSON."""

OTHERS: dict[str, tuple[Format, str]] = {
    "gemini": ("gemini", GEMINI),
    "codex": ("toml", CODEX),
    "continue": ("yaml", CONTINUE),
    "goose": ("yaml", GOOSE),
}
"""Configs in other formats."""


def plain(text: str) -> Any:
    """Parse JSON with comments by other means than the code under test."""
    string = r'("(?:\\.|[^"\\])*")'
    bare = re.sub(rf"{string}|//[^\r\n]*|/\*.*?\*/", r"\1", text.removeprefix("\ufeff"), flags=re.DOTALL)
    return json.loads(re.sub(rf"{string}|,(?=\s*[}}\]])", r"\1", bare))


def states(text: str, change: Callable[[str], Any] = lambda text: wrap(text, PROXY)) -> dict[str, tuple[str, str]]:
    """The state and the remark of each server."""
    return {outcome.server.name: (outcome.state, outcome.remark) for outcome in change(text).outcomes}


def entry(source: str) -> str:
    return f'{{"mcpServers": {{"x": {source}}}}}'


def wrap_entry(source: str, proxy: Proxy = PROXY) -> str:
    text = wrap(entry(source), proxy).text
    return text.removeprefix('{"mcpServers": {"x": ').removesuffix("}}")


def unwrap_entry(source: str) -> str:
    return unwrap(entry(source)).text.removeprefix('{"mcpServers": {"x": ').removesuffix("}}")
