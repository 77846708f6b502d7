"""The entry point of the command line: parse the words, run one command, return its exit code.

Every command has its own module with `add_to(commands)`, which registers its options. Exit code 2 means that the
command could not run; the other codes belong to each command.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn, cast

from fingerpost.engine.matching import closest
from fingerpost.terminal.command_error import CommandError

_MODULES = {
    "check": "cli.check",
    "explain": "cli.explain",
    "closest": "cli.closest",
    "proxy": "proxy.command",
    "wrap": "client_config.command",
    "unwrap": "client_config.command",
    "audit": "audit.options",
    "serve": "servers.command",
    "demo": "cli.demo",
}
"""The module of each command. Only that of the command that is run is imported, because a proxy runs for long."""
_START_A_SERVER = ("proxy", "audit")
"""The commands that take the command of a server, after `--`."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return the exit code."""
    try:
        options = _parse(list(sys.argv[1:] if argv is None else argv))
        code = options.run(options)
        sys.stdout.flush()
        return code
    except CommandError as error:
        _print_error(error)
        return 2
    except BrokenPipeError:  # the reader closed the pipe; keep the interpreter from flushing into it at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


def _print_error(error: CommandError) -> None:
    """Print why the command could not run. What the user typed may be a URL with a password in it."""
    from fingerpost.engine.safety.public_urls import hide_in_urls

    print(f"fingerpost: {hide_in_urls(str(error))}", file=sys.stderr)
    if error.way_out:
        print(hide_in_urls(error.way_out), file=sys.stderr)


def _parse(words: list[str]) -> argparse.Namespace:
    """Parse the words. What follows `--` is the command of a server, and is not parsed."""
    parser = _build_parser(words[:1])
    if not _starts_a_server(words) or "--" not in words:
        return parser.parse_args(words)
    options = parser.parse_args(words[: words.index("--")])
    options.command = words[words.index("--") + 1 :]
    return options


def _starts_a_server(words: Sequence[str]) -> bool:
    return bool(words) and words[0] in _START_A_SERVER


def _build_parser(first: Sequence[str]) -> argparse.ArgumentParser:
    """Build the parser of the command that the first word names, or of all commands."""
    parser = _Parser(prog="fingerpost", description="Guidance for wrong MCP tool calls.")
    parser.add_argument("--version", action=_ShowVersion, nargs=0, help="show program's version number and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_Parser)
    for module in dict.fromkeys(_MODULES[word] for word in first if word in _MODULES) or dict.fromkeys(
        _MODULES.values()
    ):
        import_module(f"fingerpost.{module}").add_to(commands)
    return parser


class _ShowVersion(argparse.Action):
    """Print the version; argparse wants it in advance, and it is slow to find."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        from importlib.metadata import version

        print(f"fingerpost {version('fingerpost')}")
        parser.exit()


class _Parser(argparse.ArgumentParser):
    """An `ArgumentParser` whose errors suggest the closest command or option."""

    def error(self, message: str) -> NoReturn:
        raise CommandError(message, f"{self._suggestion()}Run '{self.prog} --help' for usage.")

    def _suggestion(self) -> str:
        words = sys.argv[1:]
        if "--" in words:
            words = words[: words.index("--")]
        elif _starts_a_server(words) and any(word[:1] != "-" for word in words[2:]):
            options = [word for word in words if word[:2] == "--"]
            return self._did_you_mean(options) or (
                f"Put -- before a server's command: fingerpost {words[0]} -- python server.py. "
            )
        return self._did_you_mean(words)

    def _did_you_mean(self, words: Sequence[str]) -> str:
        actions = self._known_actions()
        names = [str(name) for action in actions for name in (*action.option_strings, *(action.choices or ()))]
        for word in words:
            matches = closest(word, names) if word not in names else ()
            if matches and matches[0].is_clear:
                return f"Did you mean '{matches[0].name}'? "
        return ""

    def _known_actions(self) -> list[argparse.Action]:
        """The options of this parser and of the command that was named."""
        parsers = (cast("dict[str, _Parser]", one.choices or {}) for one in self._actions if not one.option_strings)
        chosen = next((known[word] for known in parsers for word in sys.argv[1:2] if word in known), None)
        return [*self._actions, *(chosen._actions if chosen else ())]


if __name__ == "__main__":
    sys.exit(main())
