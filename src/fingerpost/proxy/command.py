"""`fingerpost proxy`: the options, what a configuration file may say of them, and which way messages travel."""

from __future__ import annotations

import argparse
import errno
import gc
import json
import math
import os
import select
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn, cast, get_args

from fingerpost.engine.matching import closest
from fingerpost.engine.policy import AutoCorrect, Policy, UnfitValues, UnknownParams, UnknownTool, UnsafeInput
from fingerpost.proxy.http.sendable import is_header, is_sendable
from fingerpost.proxy.log import Journal
from fingerpost.terminal.command_error import CommandError, parse_address

_MB = 1024 * 1024
_MOST_MB = 2_048

DEFAULTS: dict[str, Any] = {
    "guidance": "on",
    "auto_correct": "safe",
    "unknown_params": "auto",
    "unfit_values": "auto",
    "unknown_tool": "result",
    "unsafe_input": "refuse",
    "budget": 800,
    "info_tool": True,
    "tips": False,
    "timeout": 0.0,
    "max_message": 64.0,
}
"""What holds where neither the command line nor the configuration file says anything."""


def check_options(words: Sequence[str]) -> None:
    """See whether words are options of the proxy before they are written where nobody sees them fail."""

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:
            raise CommandError(
                f"the proxy does not take this: {message}", "Run 'fingerpost proxy --help' to see its options."
            )

    parser = Parser(add_help=False)
    _add_options(parser)
    options = parser.parse_args(list(words))
    if options.url or options.listen:
        raise CommandError("only options of the proxy can be given here, neither a URL nor --listen")
    options.config = None  # which is read where the proxy is started
    _settings(options)


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
    _add_options(proxy)
    proxy.set_defaults(run=run, command=[])


def _add_options(proxy: argparse.ArgumentParser) -> None:
    proxy.add_argument("url", nargs="?", metavar="URL", help="a streamable HTTP server; or put '-- CMD ARGS…' last")
    proxy.add_argument("--listen", metavar="HOST:PORT", help="serve streamable HTTP at /mcp instead of standard input")
    proxy.add_argument("--allow-host", action="append", default=[], metavar="NAME", help="a name it is reached by")
    proxy.add_argument("--guidance", choices=("off", "on"), help="off relays everything as it is (default: on)")
    proxy.add_argument("--auto-correct", choices=get_args(AutoCorrect), help="what is repaired unasked (default: safe)")
    proxy.add_argument("--unknown-params", choices=get_args(UnknownParams), help="what strays earn (default: auto)")
    proxy.add_argument("--unfit-values", choices=get_args(UnfitValues), help="range and length (default: auto)")
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


def run(options: argparse.Namespace) -> int:
    _open_standard_streams()
    settings = _settings(options)
    command: Sequence[str] = options.command
    if bool(command) == bool(options.url):
        raise CommandError(
            "say either a command or a URL", "fingerpost proxy -- python server.py, or fingerpost proxy URL"
        )
    journal = Journal(is_verbose=options.verbose, is_json=options.log_json)
    if not options.listen and command:
        return _stdio(command, settings, journal)
    return _http(options, settings, journal)


def _http(options: argparse.Namespace, settings: dict[str, Any], journal: Journal) -> int:
    """Every way that has HTTP in it."""
    import asyncio

    return asyncio.run(_over_http(options, settings, journal))


async def _over_http(options: argparse.Namespace, settings: dict[str, Any], journal: Journal) -> int:
    from fingerpost.proxy.http.client import Upstream
    from fingerpost.proxy.http.listener import serve
    from fingerpost.proxy.http.server import Limits
    from fingerpost.proxy.protocol.session import Session

    limit, timeout, guide = int(settings["max_message"] * _MB), settings["timeout"], relay(settings, journal)
    if not options.listen:
        from fingerpost.proxy.stdio_to_http import Outbound

        session = Session(guide, timeout=timeout, note=journal.note)
        return await Outbound(
            Upstream(_url(options.url)), session, limit=limit, headers=own_headers(), say=journal.say
        ).run()
    host, port = parse_address(options.listen, "--listen")
    if options.command:
        app = _hosted(options.command, settings, journal)
    else:
        from fingerpost.proxy.http_to_http import Reverse

        app = Reverse(Upstream(_url(options.url)), guide, limit=limit, timeout=timeout, headers=own_headers())
    try:
        return await serve(app, host, port, names=options.allow_host, limits=Limits(body=limit), ready=_ready)
    except OSError as error:
        hint = "Port 0 picks one that is free." if error.errno == errno.EADDRINUSE else ""
        raise CommandError(f"cannot listen on {options.listen}: {error.strerror}", hint) from error


def _hosted(command: Sequence[str], settings: dict[str, Any], journal: Journal) -> Any:
    import shutil

    from fingerpost.proxy.http_to_stdio import Hosted
    from fingerpost.proxy.process.supervisor import Supervised
    from fingerpost.proxy.protocol.session import Session

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
    if not is_url(text):
        raise CommandError(
            f"{text} is not a URL", "For a command, put -- before it: fingerpost proxy -- python server.py"
        )
    return text


def is_url(text: str) -> bool:
    """Whether a text is an address that requests can be sent to."""
    from urllib.parse import urlsplit

    try:
        url = urlsplit(text)
        return url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0 and is_sendable(text)
    except ValueError:
        return False


_NOT_THEIRS = ("host", "content-length", "transfer-encoding", "connection")
_OURS = ("content-type", "accept")
"""Headers that clients set as we do: what they say of them is of no consequence."""


def own_headers() -> list[tuple[bytes, bytes]]:
    """What is sent to a server besides: from the environment, for a command line can be read by others."""
    try:
        said: Any = json.loads(os.environ.get("FINGERPOST_HEADERS") or "{}")
    except ValueError:
        said = None
    if not isinstance(said, dict):
        raise CommandError("FINGERPOST_HEADERS is not a JSON object of names and values")
    headers = [(str(name).strip(), value) for name, value in cast("dict[str, Any]", said).items()]
    for name, value in headers:
        if not isinstance(value, str) or not is_header(name, value):
            raise CommandError(
                f"FINGERPOST_HEADERS: {name!r} cannot be sent as a header", "Names and values are plain text."
            )
        if name.lower() in _NOT_THEIRS:
            raise CommandError(f"FINGERPOST_HEADERS: {name} is not yours to set", "It is made for each request.")
    sent = [(name.lower(), value.strip()) for name, value in headers if name.lower() not in _OURS]
    return [(name.encode(), value.encode("latin-1")) for name, value in sent]


def _no_command(name: str) -> CommandError:
    return CommandError(f"there is no command {name}", "Is it installed, and on the PATH?")


def _open_standard_streams() -> None:
    """A standard stream that is closed would be the next thing we open, and that would be read and written as it."""
    for fd in (0, 1, 2):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _stdio(command: Sequence[str], settings: dict[str, Any], journal: Journal) -> int:
    from fingerpost.proxy.process.supervisor import Supervised
    from fingerpost.proxy.protocol.session import Session
    from fingerpost.proxy.stdio_to_stdio import StdioProxy

    if not hasattr(select, "poll"):
        raise CommandError("this system has no poll(2)", "Run the proxy on Linux, macOS or WSL.")
    session = Session(relay(settings, journal), timeout=settings["timeout"], note=journal.note)
    limit = int(settings["max_message"] * _MB)
    gc.freeze()  # what is there now stays, and need not be looked through again and again
    try:
        return StdioProxy(Supervised(command, session, limit=limit, say=journal.say), session, limit=limit).run()
    except FileNotFoundError as error:
        raise _no_command(command[0]) from error
    except OSError as error:
        raise CommandError(f"{command[0]} cannot be started: {error.strerror}") from error


def relay(settings: dict[str, Any], journal: Journal) -> Any:
    """The guidance that the settings ask for, if any."""
    if settings["guidance"] == "off":
        return None
    from fingerpost.proxy.protocol.relay import Relay

    try:
        policy = Policy(
            auto_correct=settings["auto_correct"],
            unknown_params=settings["unknown_params"],
            unfit_values=settings["unfit_values"],
            unknown_tool=settings["unknown_tool"],
            unsafe_input=settings["unsafe_input"],
            budget=settings["budget"],
            info_tool="info" if settings["info_tool"] else None,
            tips=settings["tips"],
        )
    except ValueError as error:
        raise CommandError(str(error)) from error
    return Relay(policy, journal)


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    """The options: those of the command line, then those of the file, then the defaults."""
    said = {key: getattr(options, key) for key in DEFAULTS if getattr(options, key) is not None}
    settings = {**DEFAULTS, **(_file(options.config) if options.config else {}), **said}
    if not (0 <= settings["timeout"] < math.inf):
        raise CommandError(f"timeout must be a number of seconds, got {settings['timeout']:g}", "0 means no end.")
    if not (0 < settings["max_message"] <= _MOST_MB):
        raise CommandError(f"max-message must be between 0 and {_MOST_MB} (MB), got {settings['max_message']:g}")
    if settings["guidance"] not in ("on", "off"):
        raise CommandError(f"guidance must be on or off, got {settings['guidance']!r}")
    return settings


def _file(name: str) -> dict[str, Any]:
    try:
        said = tomllib.loads(Path(name).read_text(encoding="utf-8"))
    except OSError as error:
        raise CommandError(f"cannot read {name}: {error.strerror}") from error
    except ValueError as error:
        raise CommandError(f"{name} is not TOML: {error}") from error
    settings = {key.replace("-", "_"): value for key, value in said.items()}
    for key, value in settings.items():
        if key not in DEFAULTS:
            near = closest(key, list(DEFAULTS))
            raise CommandError(f"{name}: there is no option {key}", f"Did you mean {near[0].name}?" if near else "")
        wanted = type(DEFAULTS[key]).__name__
        if (got := type(value).__name__) != wanted and (got, wanted) != ("int", "float"):
            raise CommandError(f"{name}: {key} must be {wanted}, got {got}")
    return settings
