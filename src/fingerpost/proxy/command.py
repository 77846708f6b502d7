"""`fingerpost proxy`: its options, its configuration file, and the choice of transports."""

from __future__ import annotations

import argparse
import errno
import gc
import math
import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, get_args

from fingerpost.engine.overrides import NO_OVERRIDES, Overrides
from fingerpost.engine.policy import AutoCorrect, Policy, Redact, UnfitValues, UnknownParams, UnknownTool, UnsafeInput
from fingerpost.engine.safety.public_urls import hide_in_url
from fingerpost.proxy.config_file import DEFAULTS, ConfigFile, policy_of
from fingerpost.proxy.http.sendable import is_url
from fingerpost.proxy.http.web_pages import check_origins
from fingerpost.proxy.log import Log
from fingerpost.terminal.command_error import CommandError, parse_address

if TYPE_CHECKING:
    from fingerpost.proxy.http.listener import App
    from fingerpost.proxy.process.guard import Guard
    from fingerpost.proxy.process.supervisor import Supervisor
    from fingerpost.proxy.protocol.relay import Relay
    from fingerpost.proxy.protocol.session import Session

# Transports are imported where they are used: importing asyncio alone would delay the start of a stdio proxy.

_MB = 1024 * 1024
_MAX_MB = 2_048


# options


def add_to(commands: Any) -> None:
    """Register the command."""
    proxy = commands.add_parser(
        "proxy",
        help="put guidance in front of any server",
        usage="fingerpost proxy [options] -- CMD ARGS…\n       fingerpost proxy [options] URL",
        description="Relay MCP messages to a server byte for byte, and guide the calls that are wrong.",
        epilog="Exit code: 0 after the client closes its side, the server's own exit code if the server ended first, "
        "2 if the proxy cannot start.",
    )
    _add_options(proxy)
    proxy.set_defaults(run=run, command=[])


def _add_options(proxy: argparse.ArgumentParser) -> None:
    add = proxy.add_argument
    add("url", nargs="?", metavar="URL", help="the URL of a streamable HTTP server; or end with '-- CMD ARGS…'")
    add("--name", metavar="NAME", help="the name of the server in the client's configuration; a prefix of its tools")
    add("--listen", metavar="HOST:PORT", help="serve streamable HTTP at /mcp instead of standard input")
    add("--allow-host", action="append", metavar="NAME", help="accept requests to this host name too")
    add("--allow-origin", action="append", metavar="ORIGIN", help="accept web pages of this origin (http://HOST:PORT)")
    add("--guidance", choices=("off", "on"), help="off: relay everything unchanged (default: on)")
    add("--auto-correct", choices=get_args(AutoCorrect), help="which mistakes to correct (default: safe)")
    add("--unknown-params", choices=get_args(UnknownParams), help="how to treat unknown parameters (default: auto)")
    add("--unfit-values", choices=get_args(UnfitValues), help="how to treat values out of range (default: auto)")
    add("--unknown-tool", choices=get_args(UnknownTool), help="how to answer an unknown tool (default: result)")
    add("--unsafe-input", choices=get_args(UnsafeInput), help="how to treat suspicious values (default: refuse)")
    add("--redact", choices=get_args(Redact), help="hide secrets in our text, or in errors too (default: own)")
    add("--budget", type=int, metavar="N", help="add at most N characters of text to a reply (default: 800)")
    add("--no-info-tool", dest="info_tool", action="store_false", default=None, help="do not add the info tool")
    add("--tips", action="store_true", default=None, help="add tips to successful replies too")
    add("--timeout", type=float, metavar="S", help="give up on a reply after S seconds (default: never)")
    add("--max-message", type=float, metavar="MB", help="relay messages up to this size (default: 64)")
    add("--max-stream", type=float, metavar="S", help="end an event stream after S seconds (default: never)")
    add(
        "--config",
        metavar="FILE",
        help="read options, and what holds for single tools, from a TOML file; the command line overrides its options",
    )
    add("--mark-lost", action="store_true", help=argparse.SUPPRESS)
    add("-v", "--verbose", action="store_true", help="log each guided call to standard error")
    add("--log-json", action="store_true", help="log the same as JSON")


def check_options(words: Sequence[str]) -> None:
    """Check that words are options of the proxy, before they are written to a config where errors stay unseen."""

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:
            raise CommandError(
                f"the proxy does not accept this: {message}", "Run 'fingerpost proxy --help' to see its options."
            )

    parser = Parser(add_help=False)
    _add_options(parser)
    options = parser.parse_args(list(words))
    if options.url or options.listen:
        raise CommandError("only options of the proxy can be given here, neither a URL nor --listen")
    _settings(options, ConfigFile())


# settings


def _settings(options: argparse.Namespace, config: ConfigFile) -> dict[str, Any]:
    """Merge the command line, the configuration file and the defaults, in this order of precedence."""
    given = {key: getattr(options, key) for key in DEFAULTS if getattr(options, key) is not None}
    settings = {**DEFAULTS, **config.settings, **given}
    if not (0 <= settings["timeout"] < math.inf):
        raise CommandError(f"timeout must be a number of seconds, got {settings['timeout']:g}", "0 means no timeout.")
    if not (0 <= settings["max_stream"] < math.inf):
        raise CommandError(f"max-stream must be a number of seconds, got {settings['max_stream']:g}", "0 means no end.")
    if not (0 < settings["max_message"] <= _MAX_MB):
        raise CommandError(f"max-message must be between 0 and {_MAX_MB} (MB), got {settings['max_message']:g}")
    if settings["guidance"] not in ("on", "off"):
        raise CommandError(f"guidance must be on or off, got {settings['guidance']!r}")
    check_origins(settings["allow_origin"])
    return settings


@dataclass(frozen=True, slots=True)
class Setup:
    """What every transport is made from. Without a policy there is no guidance."""

    policy: Policy | None
    overrides: Overrides
    limit: int
    """Bytes of the longest message."""
    timeout: float
    log: Log
    name: str = ""
    """What the client calls the server."""
    marks_lost: bool = False
    """Whether replies say in a field why they are lost, for the audit."""

    @classmethod
    def from_settings(
        cls, settings: dict[str, Any], log: Log, *, config: ConfigFile | None = None, marks_lost: bool = False
    ) -> Setup:
        policy = policy_of(settings)
        overrides = config.read_overrides(policy) if config else NO_OVERRIDES
        return cls(
            policy if settings["guidance"] == "on" else None,
            overrides,
            int(settings["max_message"] * _MB),
            settings["timeout"],
            log,
            settings["name"],
            marks_lost,
        )

    def make_relay(self) -> Relay | None:
        if self.policy is None:
            return None
        from fingerpost.proxy.protocol.relay import Relay

        return Relay(self.policy, self.log, overrides=self.overrides, name=self.name)

    def make_session(self) -> Session:
        from fingerpost.proxy.protocol.session import Session

        return Session(self.make_relay(), timeout=self.timeout, note=self.log.note, marks_lost=self.marks_lost)

    def make_server(self, command: Sequence[str], guard: Guard) -> tuple[Supervisor, Session]:
        from fingerpost.proxy.process.supervisor import Supervisor

        session = self.make_session()
        return Supervisor(command, session, limit=self.limit, notice=self.log.notice, guard=guard), session


# running


def run(options: argparse.Namespace) -> int:
    _open_standard_streams()
    config = ConfigFile.read(options.config) if options.config else ConfigFile()
    settings = _settings(options, config)
    command: Sequence[str] = options.command
    if bool(command) == bool(options.url):
        raise CommandError(
            "give either a command or a URL", "fingerpost proxy -- python server.py, or fingerpost proxy URL"
        )
    log = Log(is_verbose=options.verbose, is_json=options.log_json)
    setup = Setup.from_settings(settings, log, config=config, marks_lost=options.mark_lost)
    if command and not options.listen:
        return _run_stdio_to_stdio(command, setup)
    import asyncio

    with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:  # the default of Windows has no add_reader
        return runner.run(
            _listen(options, settings, setup) if options.listen else _run_stdio_to_http(options.url, setup)
        )


def _open_standard_streams() -> None:
    """Open closed standard streams on the null device. Otherwise the next file we open would take their place."""
    for fd in (0, 1, 2):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _run_stdio_to_stdio(command: Sequence[str], setup: Setup) -> int:
    from fingerpost.proxy.process.guard import Guard
    from fingerpost.proxy.stdio_to_stdio import StdioToStdio

    try:
        with Guard() as guard:
            server, session = setup.make_server(command, guard)
            gc.freeze()  # what exists now stays, so the garbage collector need not look at it again
            return StdioToStdio(server, session, limit=setup.limit).run()
    except FileNotFoundError as error:
        raise _no_command(command[0]) from error
    except OSError as error:
        raise CommandError(f"{command[0]} cannot be started: {error.strerror}") from error


async def _run_stdio_to_http(url: str, setup: Setup) -> int:
    from fingerpost.proxy.http.client import Upstream
    from fingerpost.proxy.http.environment import headers_from_environment
    from fingerpost.proxy.stdio_to_http import StdioToHttp

    upstream, headers = Upstream(_check_url(url)), headers_from_environment()
    proxy = StdioToHttp(upstream, setup.make_session(), limit=setup.limit, headers=headers, notice=setup.log.notice)
    return await proxy.run()


async def _listen(options: argparse.Namespace, settings: dict[str, Any], setup: Setup) -> int:
    from fingerpost.proxy.http.listener import serve
    from fingerpost.proxy.http.server import Limits

    host, port = parse_address(options.listen, "--listen")
    with ExitStack() as stack:
        if options.command:
            app = _http_to_stdio(options.command, setup, stack, settings["max_stream"])
        else:
            app = _http_to_http(options.url, setup)
        try:
            limits, names, origins = Limits(body=setup.limit), settings["allow_host"], settings["allow_origin"]
            return await serve(app, host, port, names=names, origins=origins, limits=limits, ready=_print_ready)
        except OSError as error:
            hint = "Port 0 picks one that is free." if error.errno == errno.EADDRINUSE else ""
            raise CommandError(f"cannot listen on {options.listen}: {error.strerror}", hint) from error


def _http_to_stdio(command: Sequence[str], setup: Setup, stack: ExitStack, max_stream: float) -> App:
    import shutil

    from fingerpost.proxy.http_to_stdio.app import HttpToStdio
    from fingerpost.proxy.process.guard import Guard

    if shutil.which(command[0]) is None:
        raise _no_command(command[0])
    guard = stack.enter_context(Guard())
    return HttpToStdio(lambda: setup.make_server(command, guard), max_stream)


def _http_to_http(url: str, setup: Setup) -> App:
    from fingerpost.proxy.http.client import Upstream
    from fingerpost.proxy.http.environment import headers_from_environment
    from fingerpost.proxy.http_to_http.app import HttpToHttp

    upstream, headers = Upstream(_check_url(url)), headers_from_environment()
    return HttpToHttp(upstream, setup.make_relay(), limit=setup.limit, timeout=setup.timeout, headers=headers)


def _check_url(text: str) -> str:
    if not is_url(text):
        raise CommandError(
            f"{hide_in_url(text)} is not a URL", "For a command, put -- before it: fingerpost proxy -- python server.py"
        )
    return text


def _no_command(name: str) -> CommandError:
    return CommandError(f"there is no command {name}", "Is it installed, and on the PATH?")


def _print_ready(url: str) -> None:
    print(f"listening on {url}", file=sys.stderr, flush=True)
