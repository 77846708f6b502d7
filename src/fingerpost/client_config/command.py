"""`fingerpost wrap` and `fingerpost unwrap`: a client's config file put behind the proxy, and back.

A config is somebody's working set-up, often with secrets in it. So it is replaced as a whole or not at all, keeps its
mode, and is left untouched where nothing changes or where somebody else has written to it meanwhile.

The backup beside it is the config without the proxy. It is written anew whenever no server is wrapped yet; as soon as
one is, an older backup knows better than the file and stays. It goes when unwrapping has brought back the same bytes.
"""

from __future__ import annotations

import argparse
import difflib
import io
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from fingerpost.client_config import (
    SHAPES,
    Malformed,
    NoServers,
    Outcome,
    Proxy,
    Rewritten,
    is_proxy,
    unwrapped,
    wrapped,
)
from fingerpost.engine.matching import closest
from fingerpost.engine.phrases import join_names, parameter_label, quote
from fingerpost.proxy.command import check_options
from fingerpost.terminal.command_error import CommandError
from fingerpost.terminal.style import Style

_Change: TypeAlias = Callable[[str, Sequence[str] | None], Rewritten]


def add_to(commands: Any) -> None:
    """Make both commands known to the command line."""
    wrap = commands.add_parser(
        "wrap",
        help="put the servers of a client's config behind the proxy",
        description="Put every MCP server of a client's config behind 'fingerpost proxy'. 'unwrap' exactly undoes it.",
        usage="%(prog)s [-h] [--server NAME] [--command PATH] [--dry-run] FILE [-- PROXY OPTIONS]",
        epilog="Exit code: 0 done, or nothing to do; 2 the command could not be carried out.",
    )
    _add_common(wrap)
    wrap.add_argument(
        "--command", metavar="PATH", help="the fingerpost to write down (default: the one that is running)"
    )
    options = wrap.add_argument(
        "options", nargs="+", metavar="PROXY OPTIONS", help="given to each proxy, such as -- --auto-correct off"
    )
    options.required = False  # with "*" argparse would take none as soon as an option stands behind FILE
    wrap.set_defaults(run=_wrap)
    unwrap = commands.add_parser(
        "unwrap",
        help="exactly undo 'wrap'",
        description="Take the MCP servers of a client's config out from behind 'fingerpost proxy'.",
        epilog="Exit code: 0 done, or nothing to do; 2 the command could not be carried out.",
    )
    _add_common(unwrap)
    unwrap.set_defaults(run=_unwrap)


def _add_common(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE", help="the client's config, such as claude_desktop_config.json")
    command.add_argument("--server", action="append", metavar="NAME", help="this server only; may be repeated")
    command.add_argument("--dry-run", action="store_true", help="show what would change, and write nothing")


def _wrap(options: argparse.Namespace) -> int:
    given: list[str] = options.options or []
    if given and not given[0].startswith("-"):
        raise CommandError(f"unexpected argument {quote(given[0])}", "Options for the proxy stand behind --.")
    check_options(given)
    proxy = Proxy(_command(options.command), tuple(given))
    config = _Config.read(options.file)
    rewritten = _rewritten(config, lambda text, only: wrapped(text, proxy, only), options.server)
    kept = ""
    if rewritten.text != config.text and not options.dry_run:
        kept = _back_up(config)
        config.write(rewritten.text)
    _report(config, rewritten, options)
    if kept:
        print(f"The config without the proxy is kept in {kept}.")
    return 0


def _unwrap(options: argparse.Namespace) -> int:
    config = _Config.read(options.file)
    rewritten = _rewritten(config, unwrapped, options.server)
    if rewritten.text != config.text and not options.dry_run:
        config.write(rewritten.text)
        _drop_backup(config, rewritten.text)
    _report(config, rewritten, options)
    if not options.server and all(outcome.state == "not wrapped" for outcome in rewritten.outcomes):
        print("No server is wrapped, so there is nothing to undo.")
    return 0


def _command(given: str | None) -> str:
    """The executable to write down: by its whole path, because clients with windows know few folders."""
    if given is not None:
        if not is_proxy(given):
            raise CommandError(
                f"{quote(given)} is not named fingerpost", "Under another name no wrapped server is known."
            )
        return given
    beside = os.path.join(os.path.dirname(sys.executable), "fingerpost")
    for candidate in (sys.argv[0], beside, "fingerpost"):
        if is_proxy(candidate) and (found := shutil.which(candidate)):
            return os.path.abspath(found)
    raise CommandError("the fingerpost executable was not found", "Say where it is: --command PATH.")


@dataclass(frozen=True, slots=True)
class _Config:
    """A config file as it was read; `name` is what the user calls it, `path` is where it really is."""

    name: str
    path: Path
    content: bytes
    text: str
    mode: int

    @classmethod
    def read(cls, name: str) -> _Config:
        path = Path(os.path.realpath(name))
        try:
            content = path.read_bytes()
            return cls(name, path, content, content.decode("utf-8"), stat.S_IMODE(path.stat().st_mode))
        except OSError as error:
            raise CommandError(f"cannot read {name}: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise CommandError(f"{name} is not text in UTF-8", "Save it as UTF-8 and try again.") from error

    @property
    def backup(self) -> Path:
        return self.path.with_name(f"{self.path.name}.fingerpost-backup")

    def write(self, text: str) -> None:
        try:
            content = text.encode("utf-8")
            if self.path.read_bytes() != self.content:
                raise CommandError(f"{self.name} was changed by somebody else meanwhile", "Run the command again.")
            _put(self.path, content, self.mode)
        except UnicodeEncodeError as error:
            raise CommandError(f"{self.name} cannot be written in UTF-8") from error
        except OSError as error:
            raise CommandError(f"cannot write {self.name}: {error.strerror}") from error


def _put(path: Path, content: bytes, mode: int) -> None:
    """Write a whole file, or nothing: a client that reads meanwhile sees the old one."""
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(handle, "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _back_up(config: _Config) -> str:
    """Keep the config beside itself; the name of the copy."""
    is_touched = any(outcome.state != "not wrapped" for outcome in unwrapped(config.text).outcomes)
    if not (is_touched and config.backup.exists()):
        try:
            _put(config.backup, config.content, config.mode)
        except OSError as error:
            raise CommandError(f"cannot write {config.backup.name}: {error.strerror}") from error
    return config.backup.name


def _drop_backup(config: _Config, text: str) -> None:
    """A copy of what is there again keeps nothing but its secrets in one more place."""
    try:
        if config.backup.read_bytes() == text.encode("utf-8"):
            config.backup.unlink()
    except OSError:
        pass  # there is none, or it is not ours to read; nothing depends on it


def _rewritten(config: _Config, change: _Change, only: Sequence[str] | None) -> Rewritten:
    try:
        every = change(config.text, None)
        if not only:
            return every
        _require_known(config, only, [outcome.server.name for outcome in every.outcomes])
        return change(config.text, only)
    except Malformed as error:
        raise CommandError(f"{config.name} is not JSON: {error}") from error
    except NoServers as error:
        shapes = join_names(dict.fromkeys(".".join(shape) for shape in SHAPES), last="or")
        raise CommandError(f"{config.name} holds no MCP servers", f"Looked for an object at {shapes}.") from error


def _require_known(config: _Config, asked: Sequence[str], known: Sequence[str]) -> None:
    for name in asked:
        if name not in known:
            near = closest(name, known, "value")
            meant = f"Did you mean {quote(near[0].name)}? " if near else ""
            servers = f"Its servers are {join_names(dict.fromkeys(known))}." if known else "It has none."
            raise CommandError(f"{config.name} has no server {quote(name)}", f"{meant}{servers}")


def _report(config: _Config, rewritten: Rewritten, options: argparse.Namespace) -> None:
    style = Style.of(sys.stdout)
    for outcome in rewritten.outcomes:
        print(_line(outcome, style))
    if not rewritten.outcomes:
        print(f"{config.name} lists no servers.")
    if options.dry_run:
        _print_diff(config, rewritten.text, style)
        print("Nothing was written.")


def _line(outcome: Outcome, style: Style) -> str:
    colour = {"wrapped": style.good, "unwrapped": style.good, "left alone": style.notice}.get(
        outcome.state, style.faint
    )
    project = f" in {parameter_label((outcome.server.project,))}" if outcome.server.project else ""
    remark = f" ({outcome.remark})" if outcome.remark else ""
    return f"{style.strong(parameter_label((outcome.server.name,)))}{project}: {colour(outcome.state)}{remark}"


def _print_diff(config: _Config, text: str, style: Style) -> None:
    colours = {"+": style.good, "-": style.bad, "@": style.faint}
    before, after = (io.StringIO(side, newline="\n").readlines() for side in (config.text, text))
    for line in difflib.unified_diff(before, after, config.name, config.name, lineterm=""):
        print(colours.get(line[0], str)(_visible(line)))


def _visible(line: str) -> str:
    """A line of a config, which may come with somebody's project, without anything that steers the terminal."""
    shown = line.removesuffix("\n").removesuffix("\r")
    return "".join(char if char.isprintable() or char == "\t" else ascii(char)[1:-1] for char in shown)
