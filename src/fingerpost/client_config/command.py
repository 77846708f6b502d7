"""`fingerpost wrap` and `fingerpost unwrap`: put the servers of a client's config behind the proxy, and undo it."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from typing import Any

from fingerpost.client_config import Proxy, is_fingerpost
from fingerpost.client_config.all_configs import change_all
from fingerpost.client_config.config_file import ConfigFile
from fingerpost.client_config.planned_change import (
    PlannedChange,
    plan_unwrap,
    plan_wrap,
    print_diff,
    print_outcomes,
)
from fingerpost.engine.phrases import quote
from fingerpost.proxy.command import check_options
from fingerpost.terminal.command_error import CommandError

_EPILOG = (
    "Clients: Claude Desktop, Claude Code, Codex, Continue, Cursor, Gemini CLI, Goose, LM Studio, opencode, VS Code, "
    "Windsurf, Zed; other clients with the same format too. Exit code: 0 if it is done or there is nothing to do, "
    "1 if --all has left servers unchanged, 2 if the command could not run."
)


def add_to(commands: Any) -> None:
    """Register both commands."""
    wrap_command = commands.add_parser(
        "wrap",
        help="put the servers of a client's config behind the proxy",
        description="Put every MCP server of a client's config behind 'fingerpost proxy'. Undo it with 'unwrap'.",
        usage="%(prog)s [-h] [--server NAME] [--command PATH] [--dry-run] FILE [-- PROXY OPTIONS]\n"
        "       %(prog)s [-h] [--command PATH] [--dry-run] [--yes] --all [-- PROXY OPTIONS]",
        epilog=_EPILOG,
    )
    _add_common_options(wrap_command)
    wrap_command.add_argument(
        "--command", metavar="PATH", help="the fingerpost executable to write (default: the running one)"
    )
    options = wrap_command.add_argument(
        "options", nargs="+", metavar="PROXY OPTIONS", help="options for each proxy, such as -- --auto-correct off"
    )
    options.required = False  # with nargs="*", argparse takes none as soon as an option follows FILE
    wrap_command.set_defaults(run=_run_wrap)
    unwrap_command = commands.add_parser(
        "unwrap",
        help="undo 'wrap' exactly",
        description="Remove 'fingerpost proxy' from the MCP servers of a client's config.",
        usage="%(prog)s [-h] [--server NAME] [--dry-run] FILE\n       %(prog)s [-h] [--dry-run] [--yes] --all",
        epilog=_EPILOG,
    )
    _add_common_options(unwrap_command)
    unwrap_command.set_defaults(run=_run_unwrap, options=None)


def _add_common_options(command: argparse.ArgumentParser) -> None:
    file = command.add_argument("file", metavar="FILE", help="the client's config: JSON, TOML (Codex) or YAML")
    file.required = False  # --all needs none
    command.add_argument("--all", action="store_true", help="find the configs of the known clients, and ask for each")
    command.add_argument("--yes", action="store_true", help="with --all: do not ask")
    command.add_argument("--server", action="append", metavar="NAME", help="change only this server (repeatable)")
    command.add_argument("--dry-run", action="store_true", help="print the changes and write nothing")


def _run_wrap(options: argparse.Namespace) -> int:
    proxy_options = _check_words(options)
    check_options(proxy_options)
    proxy = Proxy(_find_executable(options.command), tuple(proxy_options))
    if options.all:
        return change_all(lambda config: plan_wrap(config, proxy), is_yes=options.yes, is_dry_run=options.dry_run)
    planned = plan_wrap(ConfigFile.read(options.file), proxy, options.server)
    saved = "" if options.dry_run else planned.write()
    _report(planned, options)
    if saved:
        print(saved)
    return 0


def _run_unwrap(options: argparse.Namespace) -> int:
    _check_words(options)
    if options.all:
        return change_all(plan_unwrap, is_yes=options.yes, is_dry_run=options.dry_run)
    planned = plan_unwrap(ConfigFile.read(options.file), options.server)
    if not options.dry_run:
        planned.write()
    _report(planned, options)
    if not options.server and all(outcome.state == "not wrapped" for outcome in planned.change.outcomes):
        print("No server is wrapped, so there is nothing to undo.")
    return 0


def _check_words(options: argparse.Namespace) -> list[str]:
    """Check that the words fit each other, and return the options for the proxy."""
    words: list[str] = options.options or []
    if options.all:  # argparse takes the first option for the proxy as FILE
        words = [options.file, *words] if options.file else words
        if options.server:
            raise CommandError("--server needs a FILE", "Without --all: fingerpost wrap FILE --server NAME.")
    elif not options.file:
        raise CommandError("the client's config is missing", "Give its FILE, or --all to find the known ones.")
    elif options.yes:
        raise CommandError("--yes needs --all", "For one FILE nothing is asked.")
    if words and not words[0].startswith("-"):
        way_out = "--all finds the configs itself." if options.all else "Put -- before options for the proxy."
        raise CommandError(f"unexpected argument {quote(words[0])}", way_out)
    return words


def _find_executable(path: str | None) -> str:
    """Return the fingerpost to write: by default an absolute path, because desktop clients have a short PATH."""
    if path is not None:
        if not is_fingerpost(path):
            raise CommandError(
                f"{quote(path)} is not named fingerpost", "'unwrap' recognizes wrapped servers by that name."
            )
        return path
    beside_python = os.path.join(os.path.dirname(sys.executable), "fingerpost")
    for candidate in (sys.argv[0], beside_python, "fingerpost"):
        if is_fingerpost(candidate) and (found := shutil.which(candidate)):
            return os.path.abspath(found)
    raise CommandError("the fingerpost executable was not found", "Give its path: --command PATH.")


def _report(planned: PlannedChange, options: argparse.Namespace) -> None:
    print_outcomes(planned)
    if options.dry_run:
        print_diff(planned)
        print("Nothing was written.")
