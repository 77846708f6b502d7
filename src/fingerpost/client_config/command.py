"""`fingerpost wrap` and `fingerpost unwrap`: put the servers of a client's config behind the proxy, and undo it.

The backup contains the config without the proxy. `wrap` writes it only if no server is wrapped yet, or if there is no
backup. `unwrap` deletes it after restoring the same bytes.
"""

from __future__ import annotations

import argparse
import difflib
import io
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from fingerpost.client_config import (
    SHAPES,
    Change,
    JsonSyntaxError,
    NoServersError,
    Outcome,
    Proxy,
    is_fingerpost,
    unwrap,
    wrap,
)
from fingerpost.client_config.config_file import ConfigFile
from fingerpost.engine.matching import closest
from fingerpost.engine.phrases import join_names, parameter_label, quote
from fingerpost.proxy.command import check_options
from fingerpost.terminal.command_error import CommandError
from fingerpost.terminal.style import Style

_MakeChange: TypeAlias = Callable[[str, Sequence[str] | None], Change]

_EXIT_CODES = "Exit code: 0 if it is done or there is nothing to do, 2 if the command could not run."


def add_to(commands: Any) -> None:
    """Register both commands."""
    wrap_command = commands.add_parser(
        "wrap",
        help="put the servers of a client's config behind the proxy",
        description="Put every MCP server of a client's config behind 'fingerpost proxy'. Undo it with 'unwrap'.",
        usage="%(prog)s [-h] [--server NAME] [--command PATH] [--dry-run] FILE [-- PROXY OPTIONS]",
        epilog=_EXIT_CODES,
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
        epilog=_EXIT_CODES,
    )
    _add_common_options(unwrap_command)
    unwrap_command.set_defaults(run=_run_unwrap)


def _add_common_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE", help="the client's config, such as claude_desktop_config.json")
    command.add_argument("--server", action="append", metavar="NAME", help="change only this server (repeatable)")
    command.add_argument("--dry-run", action="store_true", help="print the changes and write nothing")


def _run_wrap(options: argparse.Namespace) -> int:
    proxy_options: list[str] = options.options or []
    if proxy_options and not proxy_options[0].startswith("-"):
        raise CommandError(f"unexpected argument {quote(proxy_options[0])}", "Put -- before options for the proxy.")
    check_options(proxy_options)
    proxy = Proxy(_find_executable(options.command), tuple(proxy_options))
    config = ConfigFile.read(options.file)
    change = _make_change(config, lambda text, only: wrap(text, proxy, only), options.server)
    is_written = change.text != config.text and not options.dry_run
    if is_written:
        _back_up(config)
        config.write(change.text)
    _report(config, change, options)
    if is_written:
        print(f"The config without the proxy is saved in {config.backup.name}.")
    return 0


def _run_unwrap(options: argparse.Namespace) -> int:
    config = ConfigFile.read(options.file)
    change = _make_change(config, unwrap, options.server)
    if change.text != config.text and not options.dry_run:
        config.write(change.text)
        config.drop_backup_of(change.text)
    _report(config, change, options)
    if not options.server and all(outcome.state == "not wrapped" for outcome in change.outcomes):
        print("No server is wrapped, so there is nothing to undo.")
    return 0


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


def _back_up(config: ConfigFile) -> None:
    has_wrapped_server = any(outcome.state != "not wrapped" for outcome in unwrap(config.text).outcomes)
    if not (has_wrapped_server and config.backup.exists()):
        config.back_up()


def _make_change(config: ConfigFile, change: _MakeChange, only: Sequence[str] | None) -> Change:
    try:
        whole = change(config.text, None)
        if not only:
            return whole
        _require_known(config, only, [outcome.server.name for outcome in whole.outcomes])
        return change(config.text, only)
    except JsonSyntaxError as error:
        raise CommandError(f"{config.name} is not JSON: {error}") from error
    except NoServersError as error:
        shapes = join_names(dict.fromkeys(".".join(shape) for shape in SHAPES), last="or")
        raise CommandError(f"{config.name} has no MCP servers", f"Looked for an object at {shapes}.") from error


def _require_known(config: ConfigFile, names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            matches = closest(name, known, "value")
            suggestion = f"Did you mean {quote(matches[0].name)}? " if matches else ""
            servers = f"Its servers are {join_names(dict.fromkeys(known))}." if known else "It has none."
            raise CommandError(f"{config.name} has no server {quote(name)}", f"{suggestion}{servers}")


def _report(config: ConfigFile, change: Change, options: argparse.Namespace) -> None:
    style = Style.of(sys.stdout)
    for outcome in change.outcomes:
        print(_outcome_line(outcome, style))
    if not change.outcomes:
        print(f"{config.name} lists no servers.")
    if options.dry_run:
        _print_diff(config, change.text, style)
        print("Nothing was written.")


def _outcome_line(outcome: Outcome, style: Style) -> str:
    colours = {"wrapped": style.good, "unwrapped": style.good, "skipped": style.notice}
    colour = colours.get(outcome.state, style.faint)
    project = f" in {parameter_label((outcome.server.project,))}" if outcome.server.project else ""
    remark = f" ({outcome.remark})" if outcome.remark else ""
    return f"{style.strong(parameter_label((outcome.server.name,)))}{project}: {colour(outcome.state)}{remark}"


def _print_diff(config: ConfigFile, text: str, style: Style) -> None:
    colours = {"+": style.good, "-": style.bad, "@": style.faint}
    before, after = (io.StringIO(side, newline="\n").readlines() for side in (config.text, text))
    for line in difflib.unified_diff(before, after, config.name, config.name, lineterm=""):
        print(colours.get(line[0], str)(_printable(line)))


def _printable(line: str) -> str:
    """Escape control characters: a config may come from an untrusted project."""
    line = line.removesuffix("\n").removesuffix("\r")
    return "".join(char if char.isprintable() or char == "\t" else ascii(char)[1:-1] for char in line)
