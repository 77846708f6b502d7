"""The configuration file of the proxy: options at the top, then tables for single tools.

auto-correct = "lossless"

[tools.search]                  # a policy for one tool
unknown-params = "warn"

[aliases.search]                # other names of its parameters
query = "pattern"

[[hints]]                       # what to do about a known failure
tool = "read_file"
match = "Access denied"
hint = "Only /srv/notes is shared."
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, cast

from fingerpost.engine import model
from fingerpost.engine.overrides import Overrides
from fingerpost.engine.overrides.read import OverridesError, read_overrides, suggest_name
from fingerpost.engine.phrases import format_path
from fingerpost.engine.policy import CHOICES, Policy
from fingerpost.terminal.command_error import CommandError

_TABLES = ("tools", "aliases", "hints")

DEFAULTS: dict[str, Any] = {
    "name": "",
    "allow_host": [],
    "allow_origin": [],
    "guidance": "on",
    "auto_correct": "safe",
    "unknown_params": "auto",
    "unfit_values": "auto",
    "unknown_tool": "result",
    "unsafe_input": "refuse",
    "redact": "own",
    "budget": 800,
    "info_tool": True,
    "tips": False,
    "timeout": 0.0,
    "max_message": 64.0,
    "max_stream": 0.0,
}
"""The settings that neither the command line nor the configuration file sets."""


_POLICY_FIELDS = frozenset(one.name for one in fields(Policy)) & DEFAULTS.keys() - {"info_tool"}


def policy_of(settings: Mapping[str, Any]) -> Policy:
    """Return the policy that settings describe, for tools without a policy of their own."""
    try:
        return Policy(
            auto_correct=settings["auto_correct"],
            unknown_params=settings["unknown_params"],
            unfit_values=settings["unfit_values"],
            unknown_tool=settings["unknown_tool"],
            unsafe_input=settings["unsafe_input"],
            redact=settings["redact"],
            budget=settings["budget"],
            info_tool="info" if settings["info_tool"] else None,
            tips=settings["tips"],
        )
    except ValueError as error:
        raise CommandError(str(error)) from error


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """What a configuration file says. An empty one says nothing."""

    name: str = ""
    text: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    tables: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @classmethod
    def read(cls, name: str) -> ConfigFile:
        try:
            text = Path(name).read_text(encoding="utf-8-sig")
            content = tomllib.loads(text)
        except OSError as error:
            raise CommandError(f"cannot read {name}: {error.strerror}") from error
        except ValueError as error:
            raise CommandError(f"{name} is not TOML: {error}") from error
        tables = {key: content.pop(key) for key in _TABLES if key in content}
        file = cls(name, text, {key.replace("-", "_"): value for key, value in content.items()}, tables)
        for key, value in content.items():
            file._check_setting(key, value)
            file._check_choice(key, value)
        return file

    def read_overrides(self, policy: Policy) -> Overrides:
        """Read the tables for single tools; `policy` is the policy of all other tools."""
        try:
            return read_overrides(policy, **self.tables)
        except OverridesError as error:
            place = format_path(error.path)
            raise CommandError(f"{self._locate(error.path)}: {place}: {error.fact}", error.way_out) from error

    def _check_setting(self, key: str, value: Any) -> None:
        name = key.replace("-", "_")
        if name not in DEFAULTS:
            options = [one.replace("_", "-") for one in DEFAULTS]
            allowed = f"Options: {', '.join(options)}; tables: {', '.join(_TABLES)}"
            near = suggest_name(key, [*options, *_TABLES])
            raise CommandError(f"{self._locate((key,))}: there is no option {key}", near or allowed)
        expected, got = type(DEFAULTS[name]).__name__, type(value).__name__
        if got != expected and (got, expected) != ("int", "float"):
            raise CommandError(f"{self._locate((key,))}: {key} must be {expected}, got {got}")
        if isinstance(value, list) and not all(isinstance(one, str) for one in cast("list[Any]", value)):
            raise CommandError(f"{self._locate((key,))}: {key} must be a list of strings")

    def _check_choice(self, key: str, value: Any) -> None:
        """Check a value as the policy does, so that the error names the line and the key as it is written."""
        name = key.replace("-", "_")
        if name not in _POLICY_FIELDS:
            return
        try:
            Policy(**{name: value})
        except ValueError as error:
            fact = str(error).removeprefix(name).strip()
            near = suggest_name(str(value), CHOICES.get(name, ()))
            raise CommandError(f"{self._locate((key,))}: {key} {fact}", near) from error

    def _locate(self, path: model.Path) -> str:
        """Return the name of the file, and the line that declares what is at `path`, or what contains it."""
        best, line = 0, 0
        for number, place in _declared_places(self.text):
            length = min(len(place), len(path))
            if length > best and place[:length] == path[:length]:
                best, line = length, number
        return f"{self.name}:{line}" if line else self.name


def _declared_places(text: str) -> Iterator[tuple[int, model.Path]]:
    """Yield each line that opens a table or sets a key, and its path. A line inside a long value may look like one."""
    table: model.Path = ()
    counts: dict[model.Path, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if line.startswith("["):
            if not (opened := _path_in(line)):
                continue
            table = opened
            if line.startswith("[["):
                counts[table] = counts.get(table, -1) + 1
                table = (*table, counts[table])
            yield number, table
        elif "=" in line and (key := _path_in(f"{line.partition('=')[0]} = 0")):
            yield number, (*table, *key)


def _path_in(line: str) -> model.Path:
    """Return the path that one line of TOML declares."""
    try:
        node: Any = tomllib.loads(line)
    except ValueError:
        return ()
    path: list[str] = []
    while isinstance(node, dict | list) and node:
        if isinstance(node, dict):
            [(name, node)] = cast("dict[str, Any]", node).items()
            path.append(name)
        else:
            node = cast("list[Any]", node)[0]
    return tuple(path)
