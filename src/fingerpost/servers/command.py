"""`fingerpost serve`: run a reference server on standard input and output or over HTTP."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fingerpost.terminal.command_error import CommandError, parse_address

if TYPE_CHECKING:
    from fingerpost.servers.tool_server import ToolServer

_KINDS = {
    "code": "search code and read definitions",
    "units": "convert and check units",
    "workspace": "read and change the files of one folder",
}
_WITH_FOLDER = ("code", "workspace")


def add_to(commands: Any) -> None:
    """Register the command."""
    serve = commands.add_parser("serve", help="run a reference server", description="Run a reference server.")
    kinds = serve.add_subparsers(title="servers", metavar="SERVER", required=True)
    for kind, purpose in _KINDS.items():
        server = kinds.add_parser(kind, help=purpose, description=f"An MCP server to {purpose}.")
        if kind in _WITH_FOLDER:
            server.add_argument("folder", metavar="DIR", help="the folder to serve; nothing outside it is accessible")
        if kind == "workspace":
            server.add_argument("--allow-exec", action="store_true", help="let patches make files executable")
        _add_http_options(server)
        server.add_argument(
            "--guidance", choices=("off", "on"), default="on", help="off runs it without guidance (default: on)"
        )
        server.set_defaults(run=run, kind=kind)


def _add_http_options(server: argparse.ArgumentParser) -> None:
    add = server.add_argument
    add("--http", metavar="HOST:PORT", help="serve streamable HTTP at /mcp instead of standard input and output")
    add("--allow-host", action="append", default=[], metavar="NAME", help="accept requests to this host name too")
    add(
        "--allow-origin",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="accept web pages of this origin (http://HOST:PORT)",
    )
    add("--insecure", action="store_true", help="let other machines in without the token in FINGERPOST_TOKEN")


def run(options: argparse.Namespace) -> int:
    address = parse_address(options.http, "--http") if options.http else None
    settings = {"allow_exec": options.allow_exec} if options.kind == "workspace" else {}
    tools = create_server(options.kind, getattr(options, "folder", None), **settings)
    server = tools.on_sdk(is_guided=options.guidance == "on")
    if address is None:
        server.run("stdio")
    else:
        _serve_http(server, options, *address)
    return 0


def create_server(kind: str, folder: str | None = None, **settings: Any) -> ToolServer:
    """Create a reference server. Raises `CommandError` if its folder or a dependency is missing."""
    if folder is not None and not Path(folder).is_dir():
        problem = "is not a folder" if Path(folder).exists() else "does not exist"
        raise CommandError(f"{folder} {problem}", f"For example: fingerpost serve {kind} .")
    try:
        module = importlib.import_module(f"fingerpost.servers.{kind}")
        return module.create_server(*([] if folder is None else [Path(folder).resolve()]), **settings)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("fingerpost"):
            raise
        raise CommandError(
            f"the {kind} server needs {error.name}, which is not installed",
            f"Install it with: pip install 'fingerpost[{kind}]'",
        ) from error


def _serve_http(server: Any, options: argparse.Namespace, host: str, port: int) -> None:
    from mcp.server.transport_security import TransportSecuritySettings

    from fingerpost.proxy.http.senders import AllowedSenders
    from fingerpost.proxy.http.web_pages import check_origins
    from fingerpost.servers.http_gate import Gate
    from fingerpost.servers.web import check_reach, listen, serve

    check_origins(options.allow_origin)
    token = os.environ.get("FINGERPOST_TOKEN", "").strip()
    with listen(host, port) as listener:
        warning = check_reach(listener, token, is_insecure=options.insecure)
        # The gate checks more than the SDK, which lets in pages of any port of localhost.
        app = server.streamable_http_app(
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False)
        )
        gate = Gate(app, AllowedSenders([host, *options.allow_host], options.allow_origin), token)
        name, bound = f"[{host}]" if ":" in host else host, listener.getsockname()[1]
        print(f"listening on http://{name}:{bound}/mcp{warning}", file=sys.stderr, flush=True)
        serve(gate, listener)
