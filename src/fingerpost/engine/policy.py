"""The operator's choices: what to do with a call, given the severity of its mistakes and whether the tool may write.

Annotations only restrict what Fingerpost does by itself: a tool that is not declared read-only counts as one that
writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from fingerpost.engine.model import Diagnosis, Fix, Grade, Severity

AutoCorrect: TypeAlias = Literal["off", "lossless", "safe", "all"]
UnknownParams: TypeAlias = Literal["auto", "reject", "warn"]
UnfitValues: TypeAlias = Literal["auto", "reject"]
UnsafeInput: TypeAlias = Literal["refuse", "allow"]
UnknownTool: TypeAlias = Literal["result", "protocol"]
Redact: TypeAlias = Literal["own", "errors"]

CHOICES: dict[str, tuple[str, ...]] = {
    "auto_correct": get_args(AutoCorrect),
    "unknown_params": get_args(UnknownParams),
    "unfit_values": get_args(UnfitValues),
    "unsafe_input": get_args(UnsafeInput),
    "unknown_tool": get_args(UnknownTool),
    "redact": get_args(Redact),
}
_FLAGS = ("ask", "tips")


@dataclass(frozen=True, slots=True)
class Policy:
    """The operator's choices. The defaults never send an uncertain argument to a tool that may write."""

    auto_correct: AutoCorrect = "safe"
    """`safe`: lossless repairs on every tool, likely ones on read-only tools."""

    unknown_params: UnknownParams = "auto"
    """`auto`: warn and continue on read-only tools, refuse on all others."""

    unfit_values: UnfitValues = "auto"
    """`auto`: send a value out of range, or of the wrong length, to a read-only tool, which may accept it.
    `reject` is for servers that enforce their schemas."""

    unsafe_input: UnsafeInput = "refuse"
    """`allow` leaves path traversal and injection to the server."""

    unknown_tool: UnknownTool = "result"
    """Whether the reply to an unknown tool is a tool result, or the protocol error of the specification."""

    ask: bool = False
    """Whether the caller's user can be asked. Then an ambiguous call gets `ask` instead of `refuse`."""

    info_tool: str | None = "info"
    """The tool that lists and explains tools, or `None` if there is none."""

    tips: bool = True
    """Whether to add tips on paging and limits to successful replies."""

    budget: int = 800
    """The most characters of text added to one reply."""

    redact: Redact = "errors"
    """Where secrets are hidden. `own`: in what Fingerpost writes. `errors`: also in the server's own errors."""

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}, got {getattr(self, name)!r}")
        if self.info_tool is not None and not (isinstance(self.info_tool, str) and self.info_tool):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ValueError(f"info_tool must be a name or None, got {self.info_tool!r}")
        for name in _FLAGS:
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} must be true or false, got {getattr(self, name)!r}")
        if not isinstance(self.budget, int) or isinstance(self.budget, bool) or self.budget < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ValueError(f"budget must be at least 1, got {self.budget!r}")

    def allows(self, fix: Fix, *, read_only: bool) -> bool:
        """Whether this fix may be applied without asking."""
        match self.auto_correct:
            case "off":
                return False
            case "lossless":
                return fix.grade is Grade.LOSSLESS
            case "safe":
                return fix.grade is Grade.LOSSLESS or (fix.grade is Grade.LIKELY and read_only)
            case _:
                return fix.grade is not Grade.OFFERED

    def tolerates(self, diagnosis: Diagnosis, *, read_only: bool) -> bool:
        """Whether a call with this mistake is sent with a warning."""
        if diagnosis.code == "UNKNOWN_PARAM" and self.unknown_params != "auto":
            return self.unknown_params == "warn" and (read_only or not diagnosis.blocks)
        if diagnosis.blocks:
            return False
        if diagnosis.code != "UNKNOWN_PARAM" and self.unfit_values == "reject":
            return diagnosis.severity is Severity.LOW
        return diagnosis.severity is Severity.LOW or (diagnosis.severity is Severity.MEDIUM and read_only)


DEFAULT_POLICY = Policy()
