"""The words that the forms use. `--words FILE.json` replaces any of the lists."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Words:
    """Word lists by what they are used for."""

    commentary: tuple[str, ...] = (
        "explanation", "reason", "thought", "intent", "task_progress", "justification", "rationale", "reasoning",
        "chain_of_thought", "thoughtProcess", "why", "userIntent", "security_risk", "expected_outcome", "toolSummary",
        "plan_for_next_step", "motivation", "thinking", "self_reflection", "purpose_of_call", "toolAction",
        "decision_basis", "what_i_am_doing",
    )  # fmt: skip
    remarks: tuple[str, ...] = (
        "obsolete", "the user asked for it", "Checking the state first", "cleanup", "needed for the report",
        "low", "step 2 of 5", "Let me look at this before I go on", "because it failed before",
    )  # fmt: skip
    harness: tuple[str, ...] = (
        "sessionId", "conversation_id", "trace_id", "toolCallId", "request_id", "agent_id", "runId", "turn_id",
        "correlationId", "invocation_id",
    )  # fmt: skip
    entities: tuple[str, ...] = (
        "card", "comment", "folder", "invoice", "playlist", "passenger", "recipe", "warranty", "tenant", "shipment",
        "sensor", "lesson", "booking", "campaign", "asset", "vendor", "voucher", "patient",
    )  # fmt: skip
    generic: tuple[str, ...] = ("input", "value", "arg", "__arg1", "argument", "param", "arg0")
    true: tuple[Any, ...] = ("yes", "on", 1, "1", "True", "TRUE", "enabled", "y")
    false: tuple[Any, ...] = ("no", "off", 0, "0", "False", "FALSE", "disabled", "n")
    unclear: tuple[str, ...] = ("maybe", "auto", "sometimes", "partial", "unknown", "later", "depends")
    absent: tuple[str, ...] = ("null", "None", "undefined", "N/A", "", "nil", "none", "NULL")
    wrappers: tuple[str, ...] = ("requestBody", "body", "data", "payload", "params", "arguments", "input", "args")
    counted: tuple[str, ...] = (" items", "px", " minutes", " results", "%", " rows", "ms", " MB")
    prefixes: tuple[str, ...] = (
        "to=functions.{}", "functions.{}", "{}<|channel|>commentary", "{}<|constrain|>json", "{}:3", "{}()", "{}__eq",
        "functions.{}:0", "<|channel|>commentary to=functions.{}", "{}<|channel|>json", "default_api.{}", "{}:12",
    )  # fmt: skip
    opposites: tuple[tuple[str, str], ...] = (
        ("create", "delete"), ("add", "remove"), ("lock", "unlock"), ("start", "stop"), ("enable", "disable"),
        ("open", "close"), ("approve", "reject"), ("subscribe", "unsubscribe"), ("archive", "unarchive"),
        ("follow", "unfollow"), ("upload", "download"), ("import", "export"), ("connect", "disconnect"),
        ("install", "uninstall"), ("mute", "unmute"), ("grant", "revoke"), ("encrypt", "decrypt"),
        ("assign", "unassign"),
        ("pin", "unpin"), ("push", "pull"), ("mount", "unmount"), ("attach", "detach"), ("pause", "resume"),
        ("publish", "unpublish"), ("link", "unlink"), ("star", "unstar"), ("register", "unregister"),
    )  # fmt: skip
    destructive: tuple[str, ...] = (
        "delete", "remove", "drop", "purge", "destroy", "ban", "kill", "clear", "reset", "wipe", "revoke", "cancel",
        "terminate", "truncate", "erase", "overwrite", "write", "block", "refund", "disable", "suspend",
    )  # fmt: skip
    harmless: tuple[str, ...] = ("find", "get", "view", "show", "check", "inspect", "count")
    units: tuple[tuple[str, str, float], ...] = (
        ("ms", "seconds", 1000), ("milliseconds", "seconds", 1000), ("millis", "seconds", 1000),
        ("seconds", "ms", 0.001), ("secs", "minutes", 60), ("sec", "ms", 0.001), ("minutes", "hours", 60),
        ("mins", "seconds", 1 / 60), ("hours", "minutes", 1 / 60), ("days", "hours", 1 / 24), ("bytes", "kb", 1024),
        ("kb", "bytes", 1 / 1024), ("mb", "bytes", 1 / 1048576), ("gb", "mb", 1 / 1024), ("px", "cm", 37.8),
        ("usd", "eur", 1.1), ("eur", "usd", 0.9), ("cents", "usd", 100), ("km", "miles", 1.6), ("miles", "km", 0.6),
        ("meters", "feet", 0.3), ("celsius", "fahrenheit", 0.5), ("kg", "lb", 0.45), ("utc", "local", 1),
    )  # fmt: skip
    """A unit, another unit for the same quantity, and how many of the first one of the other is."""
    shell: tuple[tuple[str, str], ...] = (
        ("cat", r"^(?:read|get|view|open)_?(?:text_?)?(?:file|files|content|contents|file_contents)$"),
        ("ls", r"^(?:list|get)_?(?:dir|directory|directories|files|paths|directory_contents|folder)$"),
        ("grep", r"^(?:search|find|grep)_?(?:code|content|contents|text|in_files|code_advanced|files?)?$"),
        ("bash", r"^(?:run|execute|exec)_?(?:command|shell|bash|terminal|cmd|shell_command|terminal_command)$"),
        ("exec", r"^(?:run|execute)_?(?:command|shell|bash|terminal|cmd|shell_command|terminal_command)$"),
        ("mkdir", r"^(?:create|make)_?(?:dir|directory|folder)$"),
        ("mv", r"^(?:move|rename)(?:_?(?:file|path|files))?$"),
        ("find", r"^(?:search|find|list)_?files?$"),
    )  # fmt: skip
    """A habit from the shell, and the names of tools that do it."""


def load_words(file: Path | None) -> Words:
    """Read replacements for word lists from a JSON object of lists."""
    if file is None:
        return Words()
    given: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    known = {field.name for field in fields(Words)}
    if unknown := sorted(set(given) - known):
        raise SystemExit(f"{file.name}: unknown list {unknown[0]!r}; the lists are {', '.join(sorted(known))}")
    return replace(Words(), **{name: tuple(_freeze(item) for item in items) for name, items in given.items()})


def _freeze(item: Any) -> Any:
    return tuple(item) if isinstance(item, list) else item  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
