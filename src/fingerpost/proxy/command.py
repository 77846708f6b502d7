"""`fingerpost proxy`: the options, what a configuration file may say of them, and which way messages travel."""

from __future__ import annotations

import argparse
import gc
import select
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

from fingerpost.matching import closest
from fingerpost.policy import AutoCorrect, Policy, UnknownParams, UnknownTool, UnsafeInput
from fingerpost.proxy.journal import Journal
from fingerpost.trouble import Trouble

_MB = 1024 * 1024

DEFAULTS: dict[str, Any] = {
    "guidance": "on",
    "auto_correct": "safe",
    "unknown_params": "auto",
    "unknown_tool": "result",
    "unsafe_input": "refuse",
    "budget": 800,
    "info_tool": True,
    "tips": False,
    "timeout": 0.0,
    "max_message": 64.0,
}
"""What holds where neither the command line nor the configuration file says anything."""


def add_to(commands: Any) -> None:
    """Register the command."""
    proxy = commands.add_parser(
        "proxy",
        help="put guidance in front of any server",
        usage="fingerpost proxy [options] -- CMD ARGS…\n       fingerpost proxy [options] URL",
        description="Relay MCP messages to a server, byte for byte, and guide the calls that are wrong.",
        epilog="Exit code: 0 when the client has closed its side, the server's own where it had ended by then, "
        "2 when the proxy could not be started.",
    )
    proxy.add_argument("url", nargs="?", metavar="URL", help="a streamable HTTP server; or put '-- CMD ARGS…' last")
    proxy.add_argument("--listen", metavar="HOST:PORT", help="serve streamable HTTP at /mcp instead of standard input")
    proxy.add_argument("--allow-host", action="append", default=[], metavar="NAME", help="a name it is reached by")
    proxy.add_argument("--guidance", choices=("off", "on"), help="off relays everything as it is (default: on)")
    proxy.add_argument("--auto-correct", choices=get_args(AutoCorrect), help="what is repaired unasked (default: safe)")
    proxy.add_argument("--unknown-params", choices=get_args(UnknownParams), help="what strays earn (default: auto)")
    proxy.add_argument("--unknown-tool", choices=get_args(UnknownTool), help="how it is answered (default: result)")
    proxy.add_argument("--unsafe-input", choices=get_args(UnsafeInput), help="what attacks earn (default: refuse)")
    proxy.add_argument("--budget", type=int, metavar="N", help="most characters of text added (default: 800)")
    proxy.add_argument("--no-info-tool", dest="info_tool", action="store_false", default=None, help="add no info tool")
    proxy.add_argument("--tips", action="store_true", default=None, help="add tips to successes too")
    proxy.add_argument("--timeout", type=float, metavar="S", help="seconds a server has to answer (default: no end)")
    proxy.add_argument("--max-message", type=float, metavar="MB", help="longest message relayed (default: 64)")
    proxy.add_argument("--config", metavar="FILE", help="a TOML file with these options; the command line wins")
    proxy.add_argument("-v", "--verbose", action="store_true", help="a line on standard error for each guided call")
    proxy.add_argument("--log-json", action="store_true", help="the same as JSON, for machines")
    proxy.set_defaults(run=run, command=[])


def run(options: argparse.Namespace) -> int:
    settings = _settings(options)
    command: Sequence[str] = options.command
    if bool(command) == bool(options.url):
        raise Trouble("say either a command or a URL", "fingerpost proxy -- python server.py, or fingerpost proxy URL")
    journal = Journal(is_verbose=options.verbose, is_json=options.log_json)
    if not options.listen and command:
        return _stdio(command, settings, journal)
    return _http(options, settings, journal)


def _http(options: argparse.Namespace, settings: dict[str, Any], journal: Journal) -> int:
    """Every way that has HTTP in it."""
    import asyncio

    return asyncio.run(_over_http(options, settings, journal))


async def _over_http(options: argparse.Namespace, settings: dict[str, Any], journal: Journal) -> int:
    from fingerpost.proxy.front import serve
    from fingerpost.proxy.incoming import Limits
    from fingerpost.proxy.session import Session
    from fingerpost.proxy.upstream import Upstream

    limit, timeout, guide = int(settings["max_message"] * _MB), settings["timeout"], relay(settings, journal)
    if not options.listen:
        from fingerpost.proxy.outbound import Outbound

        session = Session(guide, timeout=timeout, note=journal.note)
        return await Outbound(
            Upstream(_url(options.url)), session, limit=limit, headers=own_headers(), say=journal.say
        ).run()
    host, port = _address(options.listen)
    if options.command:
        app = _hosted(options.command, settings, journal)
    else:
        from fingerpost.proxy.reverse import Reverse

        app = Reverse(Upstream(_url(options.url)), guide, limit=limit, timeout=timeout, headers=own_headers())
    try:
        return await serve(app, host, port, names=options.allow_host, limits=Limits(body=limit), ready=_ready)
    except OSError as error:
        raise Trouble(
            f"cannot listen on {options.listen}: {error.strerror}", "Port 0 picks one that is free."
        ) from error


def _hosted(command: Sequence[str], settings: dict[str, Any], journal: Journal) -> Any:
    import shutil

    from fingerpost.proxy.hosted import Hosted
    from fingerpost.proxy.session import Session
    from fingerpost.proxy.supervised import Supervised

    if shutil.which(command[0]) is None:
        raise _no_command(command[0])
    limit = int(settings["max_message"] * _MB)

    def make() -> tuple[Supervised, Session]:
        session = Session(relay(settings, journal), timeout=settings["timeout"], note=journal.note)
        return Supervised(command, session, limit=limit, say=journal.say), session

    return Hosted(make)


def _ready(url: str) -> None:
    print(f"listening on {url}", file=sys.stderr, flush=True)


def _url(text: str) -> str:
    from urllib.parse import urlsplit

    url = urlsplit(text)
    if url.scheme not in ("http", "https") or not url.hostname:
        raise Trouble(f"{text} is not a URL", "For a command, put -- before it: fingerpost proxy -- python server.py")
    return text


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not port.isdigit() or int(port) > 65_535:
        raise Trouble(f"{text} is not an address to listen on", "For example --listen 127.0.0.1:8080")
    return host.strip("[]") or "127.0.0.1", int(port)


def own_headers() -> list[tuple[bytes, bytes]]:
    """What is sent to a server besides: from the environment, for a command line can be read by others."""
    import json
    import os

    said = os.environ.get("FINGERPOST_HEADERS")
    if not said:
        return []
    try:
        headers = json.loads(said)
        return [(str(key).lower().encode("ascii"), str(value).encode("latin-1")) for key, value in headers.items()]
    except (ValueError, AttributeError) as error:
        raise Trouble("FINGERPOST_HEADERS is not a JSON object of names and values") from error


def _no_command(name: str) -> Trouble:
    return Trouble(f"there is no command {name}", "Is it installed, and on the PATH?")


def _stdio(command: Sequence[str], settings: dict[str, Any], journal: Journal) -> int:
    from fingerpost.proxy.session import Session
    from fingerpost.proxy.stdio import StdioProxy
    from fingerpost.proxy.supervised import Supervised

    if not hasattr(select, "poll"):
        raise Trouble("this system has no poll(2)", "Run the proxy on Linux, macOS or WSL.")
    session = Session(relay(settings, journal), timeout=settings["timeout"], note=journal.note)
    limit = int(settings["max_message"] * _MB)
    gc.freeze()  # what is there now stays, and need not be looked through again and again
    try:
        return StdioProxy(Supervised(command, session, limit=limit, say=journal.say), session, limit=limit).run()
    except FileNotFoundError as error:
        raise _no_command(command[0]) from error
    except OSError as error:
        raise Trouble(f"{command[0]} cannot be started: {error.strerror}") from error


def relay(settings: dict[str, Any], journal: Journal) -> Any:
    """The guidance that the settings ask for, if any."""
    if settings["guidance"] == "off":
        return None
    from fingerpost.proxy.relay import Relay

    try:
        policy = Policy(
            auto_correct=settings["auto_correct"],
            unknown_params=settings["unknown_params"],
            unknown_tool=settings["unknown_tool"],
            unsafe_input=settings["unsafe_input"],
            budget=settings["budget"],
            info_tool="info" if settings["info_tool"] else None,
            tips=settings["tips"],
        )
    except ValueError as error:
        raise Trouble(str(error)) from error
    return Relay(policy, journal)


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    """The options: those of the command line, then those of the file, then the defaults."""
    said = {key: getattr(options, key) for key in DEFAULTS if getattr(options, key) is not None}
    return {**DEFAULTS, **(_file(options.config) if options.config else {}), **said}


def _file(name: str) -> dict[str, Any]:
    try:
        said = tomllib.loads(Path(name).read_text(encoding="utf-8"))
    except OSError as error:
        raise Trouble(f"cannot read {name}: {error.strerror}") from error
    except ValueError as error:
        raise Trouble(f"{name} is not TOML: {error}") from error
    settings = {key.replace("-", "_"): value for key, value in said.items()}
    for key, value in settings.items():
        if key not in DEFAULTS:
            near = closest(key, list(DEFAULTS))
            raise Trouble(f"{name}: there is no option {key}", f"Did you mean {near[0].name}?" if near else "")
        wanted = type(DEFAULTS[key]).__name__
        if (got := type(value).__name__) != wanted and (got, wanted) != ("int", "float"):
            raise Trouble(f"{name}: {key} must be {wanted}, got {got}")
    return settings
