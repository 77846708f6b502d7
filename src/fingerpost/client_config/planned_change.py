"""One config and what would change in it: make the change, write it, print it.

The backup contains the config without the proxy. `wrap` writes it only if no server is wrapped yet, or if there is no
backup, and replaces no other file by it. `unwrap` deletes it after restoring the same bytes.
"""

from __future__ import annotations

import difflib
import io
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from fingerpost.client_config import (
    SHAPES,
    Change,
    ConfigSyntaxError,
    Format,
    NoServersError,
    Outcome,
    Proxy,
    format_of,
    unwrap,
    wrap,
)
from fingerpost.client_config.config_file import ConfigFile
from fingerpost.client_config.url_secrets import hide_url_keys
from fingerpost.engine.matching import closest
from fingerpost.engine.phrases import join_names, parameter_label, quote
from fingerpost.engine.safety.secrets import HIDDEN, hide_secrets
from fingerpost.terminal.command_error import CommandError
from fingerpost.terminal.style import Style

_MakeChange: TypeAlias = Callable[[str, Sequence[str] | None, Format], Change]

_OTHER_SHAPES: Mapping[Format, str] = {
    "toml": "Looked for tables [mcp_servers.NAME].",
    "yaml": "Looked for 'mcpServers' (Continue) or 'extensions' (Goose).",
}


@dataclass(frozen=True, slots=True)
class PlannedChange:
    """A config and its change, before it is written."""

    config: ConfigFile
    change: Change
    is_wrap: bool
    """Whether servers are wrapped, or else unwrapped."""

    @property
    def is_empty(self) -> bool:
        return self.change.text == self.config.text

    def write(self) -> str:
        """Write the change, if there is one, and keep the backup right. Returns what the user should know."""
        if self.is_empty:
            return ""
        backup = _back_up(self.config) if self.is_wrap else None
        self.config.write(self.change.text)
        if backup is None:
            self.config.drop_backup_of(self.change.text)
            return ""
        return f"The config without the proxy is saved in {backup.name}."


def plan_wrap(config: ConfigFile, proxy: Proxy, only: Sequence[str] | None = None) -> PlannedChange:
    """Plan to put servers behind the proxy."""
    change = _make_change(config, lambda text, names, form: wrap(text, proxy, names, form), only)
    return PlannedChange(config, change, True)


def plan_unwrap(config: ConfigFile, only: Sequence[str] | None = None) -> PlannedChange:
    """Plan to remove the proxy."""
    return PlannedChange(config, _make_change(config, unwrap, only), False)


class NoServersInConfig(CommandError):
    """The config is valid and has no MCP servers."""


def _make_change(config: ConfigFile, change: _MakeChange, only: Sequence[str] | None) -> Change:
    form = format_of(os.path.abspath(config.name))
    try:
        whole = change(config.text, None, form)
        if not only:
            return whole
        _require_known(config, only, [outcome.server.name for outcome in whole.outcomes])
        return change(config.text, only, form)
    except ConfigSyntaxError as error:
        by_hand = ["Write by hand, for each server:", *error.by_hand] if error.by_hand else []
        raise CommandError(f"{config.name} {error}", "\n    ".join(by_hand)) from error
    except NoServersError as error:
        shapes = join_names(dict.fromkeys(".".join(shape) for shape in SHAPES), last="or")
        looked = _OTHER_SHAPES.get(form, f"Looked for an object at {shapes}.")
        raise NoServersInConfig(f"{config.name} has no MCP servers", looked) from error


def _require_known(config: ConfigFile, names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            matches = closest(name, known, "value")
            suggestion = f"Did you mean {quote(matches[0].name)}? " if matches else ""
            servers = f"Its servers are {join_names(dict.fromkeys(known))}." if known else "It has none."
            raise CommandError(f"{config.name} has no server {quote(name)}", f"{suggestion}{servers}")


def _back_up(config: ConfigFile) -> Path:
    form = format_of(os.path.abspath(config.name))
    has_wrapped_server = any(outcome.state != "not wrapped" for outcome in unwrap(config.text, None, form).outcomes)
    return (config.backup if has_wrapped_server else None) or config.back_up()


# printing


def print_outcomes(planned: PlannedChange, *, indent: str = "", words: Mapping[str, str] | None = None) -> None:
    """Print one line per server; `words` replace the name of a state."""
    style = Style.of(sys.stdout)
    for outcome in planned.change.outcomes:
        print(indent + _outcome_line(outcome, style, words or {}))
        for line in outcome.by_hand:
            print(f"{indent}    {printable(line)}")
    if any(HIDDEN in line for outcome in planned.change.outcomes for line in outcome.by_hand):
        print(f"{indent}Write your own values in place of {HIDDEN}.")
    if not planned.change.outcomes:
        print(f"{indent}{planned.config.name} lists no servers.")


def _outcome_line(outcome: Outcome, style: Style, words: Mapping[str, str]) -> str:
    colours = {"wrapped": style.good, "unwrapped": style.good, "skipped": style.notice}
    colour = colours.get(outcome.state, style.faint)
    project = f" in {parameter_label((outcome.server.project,))}" if outcome.server.project else ""
    remark = f" ({outcome.remark})" if outcome.remark else ""
    state = words.get(outcome.state, outcome.state)
    return f"{style.strong(parameter_label((outcome.server.name,)))}{project}: {colour(state)}{remark}"


def print_diff(planned: PlannedChange) -> None:
    """Print what would change. Secrets are hidden: people paste such output."""
    style = Style.of(sys.stdout)
    colours = {"+": style.good, "-": style.bad, "@": style.faint}
    name = planned.config.name
    before, after = (io.StringIO(side, newline="\n").readlines() for side in (planned.config.text, planned.change.text))
    lines = [hide_url_keys(hide_secrets(line)) for line in difflib.unified_diff(before, after, name, name, lineterm="")]
    for line in lines:
        print(colours.get(line[0], str)(printable(line)))
    if any(HIDDEN in line for line in lines):
        print(f"Secrets are shown as {HIDDEN}.")


def printable(line: str) -> str:
    """Escape control characters: a config may come from an untrusted project."""
    line = line.removesuffix("\n").removesuffix("\r")
    return "".join(char if char.isprintable() or char == "\t" else ascii(char)[1:-1] for char in line)
