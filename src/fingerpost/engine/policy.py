"""What the operator decides: severity and effect of the tool → what to do with a call.

Annotations only ever narrow what Fingerpost does by itself: a tool that does not declare itself
read-only counts as one that writes.
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

_CHOICES: dict[str, tuple[str, ...]] = {
    "auto_correct": get_args(AutoCorrect),
    "unknown_params": get_args(UnknownParams),
    "unfit_values": get_args(UnfitValues),
    "unsafe_input": get_args(UnsafeInput),
    "unknown_tool": get_args(UnknownTool),
}


@dataclass(frozen=True, slots=True)
class Policy:
    """The operator's choices; the defaults never let an unsure argument reach a tool that may write."""

    auto_correct: AutoCorrect = "safe"
    """`safe`: lossless repairs on every tool, likely ones on read-only tools."""

    unknown_params: UnknownParams = "auto"
    """`auto`: warn and continue on read-only tools, refuse on all others."""

    unfit_values: UnfitValues = "auto"
    """`auto`: a value out of range, or of the wrong length, goes on to a read-only tool, which may put up with it.
    `reject` is for servers that are known to enforce their schemas."""

    unsafe_input: UnsafeInput = "refuse"
    """`allow` leaves path traversal and injection to the server."""

    unknown_tool: UnknownTool = "result"
    """Whether an unknown tool is answered by a tool result, or by the protocol error of the specification."""

    ask: bool = False
    """Whether the caller's user can be asked; then an ambiguous call is `ask` rather than `refuse`."""

    info_tool: str | None = "info"
    """The tool that lists and explains tools; `None` when there is none to point to."""

    tips: bool = True
    """Whether a successful reply may gain tips on paging and limits."""

    budget: int = 800
    """The most characters of text added to one reply."""

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}, got {getattr(self, name)!r}")
        if self.info_tool is not None and not (isinstance(self.info_tool, str) and self.info_tool):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ValueError(f"info_tool must be a name or None, got {self.info_tool!r}")
        if self.budget < 1:
            raise ValueError(f"budget must be at least 1, got {self.budget}")

    def allows(self, fix: Fix, *, read_only: bool) -> bool:
        """Whether this fix may be applied without asking anyone."""
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
        """Whether a call with this mistake goes on with a warning."""
        if diagnosis.code == "UNKNOWN_PARAM" and self.unknown_params != "auto":
            return self.unknown_params == "warn"
        if diagnosis.code != "UNKNOWN_PARAM" and self.unfit_values == "reject":
            return diagnosis.severity is Severity.LOW
        return diagnosis.severity is Severity.LOW or (diagnosis.severity is Severity.MEDIUM and read_only)


DEFAULT_POLICY = Policy()
