"""`wrap --all` and `unwrap --all`: list the configs of the known clients on this machine, and ask for each."""

from __future__ import annotations

import sys
from collections.abc import Callable

from fingerpost.client_config.clients import KnownConfig, find_configs
from fingerpost.client_config.config_file import ConfigFile
from fingerpost.client_config.planned_change import (
    NoServersInConfig,
    PlannedChange,
    print_diff,
    print_outcomes,
    printable,
)
from fingerpost.terminal.command_error import CommandError

_PLANNED = {"wrapped": "can be wrapped", "unwrapped": "can be unwrapped"}


def change_all(plan: Callable[[ConfigFile], PlannedChange], *, is_yes: bool, is_dry_run: bool) -> int:
    """Change every config that the user agrees to. Return the exit code."""
    codes = [_change_one(known, plan, is_yes=is_yes, is_dry_run=is_dry_run) for known in find_configs()]
    if all(code is None for code in codes):
        print("No config of a known client with MCP servers was found.")
    if 1 in codes and not is_yes and not sys.stdin.isatty():
        print("Nothing was written: this is no terminal. Add --yes to change them all.")
    return max((code for code in codes if code is not None), default=0)


def _change_one(
    known: KnownConfig, plan: Callable[[ConfigFile], PlannedChange], *, is_yes: bool, is_dry_run: bool
) -> int | None:
    """Return 0 if nothing is left to do, 1 if something is, 2 if it failed, None if it has no servers."""
    try:
        planned = plan(ConfigFile.read(str(known.path)))
        print(f"{known.client}: {printable(str(known.path))}")
        print_outcomes(planned, indent="  ", words=_PLANNED)
        if is_dry_run:
            print_diff(planned)
        if planned.is_empty or is_dry_run:
            return 0
        if not (is_yes or _is_agreed("Wrap these servers?" if planned.is_wrap else "Unwrap these servers?")):
            return 1
        saved = planned.write()
    except NoServersInConfig:
        return None  # many clients keep other settings in the same file
    except CommandError as error:
        print("\n".join(line for line in (f"fingerpost: {error}", error.way_out) if line), file=sys.stderr)
        return 2
    print(f"  Done. {saved}".rstrip())
    return 0


def _is_agreed(question: str) -> bool:
    """Ask on a terminal; the answer is no anywhere else."""
    if not sys.stdin.isatty():
        return False
    try:
        return input(f"  {question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False
