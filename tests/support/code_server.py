"""A small project to search, and ways to call the code server on it."""

# pyright: basic
from __future__ import annotations

import asyncio
import base64
import json
import stat
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mcp.client import Client

from fingerpost.errors import ToolOperationError
from fingerpost.servers.answer import Answer
from fingerpost.servers.code import create_server
from fingerpost.servers.code.ripgrep import Ripgrep
from tests.support.adopted_servers import Said, called

FRAMEWORKS = ("on_sdk", "on_fastmcp")
PROJECT = {
    "src/auth.py": '''"""Who may come in."""


class User:
    """Somebody with a password."""

    def __init__(self, name):
        self.name = name

    def authenticate(self, password):
        """Whether the password is right."""
        return check(self.name, password)


class Auth:
    def validate(self, token):
        return bool(token)


# Compares with what is stored.
def check(name, password):
    return password == "open sesame"
''',
    "src/app.py": """from auth import User


def login(name, password):
    user = User(name)
    return user.authenticate(password)
""",
    "web/user.ts": """export class UserView {
  render(user: User): string {
    return `<b>${user.name}</b>`;
  }
}
""",
    "docs/users.md": "# Users\nHow a User logs in.\n",
}


def write_files(root: Path, files: Mapping[str, str | bytes] = PROJECT) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


class CodeServer:
    """The tools of the code server as plain functions."""

    def __init__(self, root: Path, **ripgrep: Any) -> None:
        server = create_server(root, ripgrep=Ripgrep(root, **ripgrep) if ripgrep else None)
        self._tools: dict[str, Callable[..., Any]] = {tool.__name__: tool for tool in server.tools}

    def search(self, pattern: str, **more: Any) -> dict[str, Any]:
        return self._call("search", pattern=pattern, **more).data

    def definition(self, id: str) -> dict[str, Any]:
        return self._call("get_definition", id=id).data

    def files(self, **more: Any) -> dict[str, Any]:
        return self._call("list_files", **more).data

    def ids(self, pattern: str, **more: Any) -> list[str]:
        return [one["id"] for one in self.search(pattern, **more)["results"]]

    def text(self, tool: str, **arguments: Any) -> str:
        return self._call(tool, **arguments).text

    def error(self, tool: str, **arguments: Any) -> Any:
        try:
            answer = self._call(tool, **arguments)
        except ToolOperationError as error:
            return error
        raise AssertionError(f"no error but {answer.text}")

    def _call(self, tool: str, **arguments: Any) -> Answer:
        return self._tools[tool](**arguments)


def call_server(
    root: Path,
    name: str,
    arguments: dict[str, Any] | None = None,
    *,
    framework: str = "on_sdk",
    era: str = "2026-07-28",
    **options: Any,
) -> Said:
    """Call a tool through a real client."""

    async def main() -> Said:
        server = getattr(create_server(root), framework)(**options)
        async with Client(
            getattr(server, "_mcp_server", server), mode="legacy" if era == "2025-11-25" else "auto"
        ) as client:
            return await called(client, name, arguments)

    return asyncio.run(main())


def write_fake_ripgrep(root: Path, script: str) -> str:
    """Write a Python script that replaces ripgrep, and return its path."""
    path = root / ".fake-rg"
    path.write_text(f"#!{sys.executable}\n{script}", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def ripgrep_output(path: str, text: str) -> str:
    """The JSON output of ripgrep for one match."""
    encoded = base64.b64encode(text.encode()).decode()
    where = {"path": {"text": f"./{path}"}}
    found = {**where, "lines": {"bytes": encoded}, "line_number": 1, "submatches": [{"start": 0, "end": 1}]}
    lines = [("begin", where), ("match", found), ("end", {**where, "binary_offset": None})]
    return "".join(json.dumps({"type": kind, "data": data}) + "\n" for kind, data in lines)
