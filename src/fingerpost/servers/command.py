"""`fingerpost serve`: one of the reference servers, on standard streams or over HTTP."""

from __future__ import annotations

import argparse
import importlib
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fingerpost.terminal.command_error import CommandError, address

if TYPE_CHECKING:
    from fingerpost.servers.served import Served

_KINDS = {
    "code": "search a code base, and read definitions in it",
    "units": "convert units, and check them",
    "workspace": "read and change the files of one folder",
}
_WITH_FOLDER = ("code", "workspace")


def add_to(commands: Any) -> None:
    """Register the command."""
    serve = commands.add_parser("serve", help="run one of the reference servers", description="Run a reference server.")
    kinds = serve.add_subparsers(title="servers", metavar="SERVER", required=True)
    for kind, about in _KINDS.items():
        one = kinds.add_parser(kind, help=about, description=f"An MCP server to {about}.")
        if kind in _WITH_FOLDER:
            one.add_argument("folder", metavar="DIR", help="the folder that is served; nothing outside it is reached")
        one.add_argument("--http", metavar="HOST:PORT", help="serve streamable HTTP at /mcp instead of standard input")
        one.add_argument("--guidance", choices=("off", "on"), default="on", help="off serves it bare, to compare")
        one.set_defaults(run=run, kind=kind)


def run(options: argparse.Namespace) -> int:
    where = address(options.http, "--http") if options.http else None
    server = served(options.kind, getattr(options, "folder", None)).on_sdk(is_guided=options.guidance == "on")
    if where is None:
        server.run("stdio")
    else:
        _over_http(server, *where)
    return 0


def served(kind: str, folder: str | None = None) -> Served:
    """One of the servers; `Trouble` where it cannot be had."""
    if folder is not None and not Path(folder).is_dir():
        what = "is not a folder" if Path(folder).exists() else "does not exist"
        raise CommandError(f"{folder} {what}", f"For example: fingerpost serve {kind} .")
    try:
        module = importlib.import_module(f"fingerpost.servers.{kind}")
        return module.served(*([] if folder is None else [Path(folder).resolve()]))
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("fingerpost"):
            raise
        raise CommandError(
            f"the {kind} server needs {error.name}, which is not installed",
            f"Install it with: pip install 'fingerpost[{kind}]'",
        ) from error


def _over_http(server: Any, host: str, port: int) -> None:
    import asyncio

    import uvicorn

    try:
        listener = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise CommandError(f"cannot listen on {host}:{port}: {error.strerror}", "Port 0 picks a free one.") from error
    with listener:
        app = server.streamable_http_app(host=host)
        name, bound = f"[{host}]" if ":" in host else host, listener.getsockname()[1]
        print(f"listening on http://{name}:{bound}/mcp", file=sys.stderr, flush=True)
        web = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="on"))
        asyncio.run(web.serve(sockets=[listener]))
