"""The checklist: its items, their weights, and what to do about an item that is not met."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fingerpost.engine.phrases import count_noun
from fingerpost.middleware.frameworks import FRAMEWORKS


@dataclass(frozen=True, slots=True)
class Item:
    """One item of the checklist."""

    id: str
    title: str
    """What is true of a server that meets it."""
    noun: str
    """What is counted when it is not met: calls, errors, results."""
    failure: str
    """What is wrong with them, as a clause after the noun."""
    weight: int
    code: str
    """The error code whose page shows a good reply."""
    advice: str
    """What the author of the server should do."""

    def describe_failure(self) -> str:
        """The failure in general: `Errors did not say what to do next`."""
        return f"{self.noun.capitalize()}s {self.failure}"

    def count_failures(self, count: int) -> str:
        """The failure, counted: `12 errors did not say what to do next`."""
        return f"{count_noun(count, self.noun)} {self.failure}"


CHECKLIST = (
    Item(
        "unknown_tool",
        "An unknown tool is answered with the one that was probably meant",
        "call",
        "to an unknown tool got no suggestion of the right tool",
        2,
        "UNKNOWN_TOOL",
        "Compare the name with the names of your tools, and suggest the closest.",
    ),
    Item(
        "unknown_param",
        "An unknown parameter is answered with the one that was probably meant",
        "call",
        "with an unknown parameter got no suggestion of the right one",
        2,
        "UNKNOWN_PARAM",
        "Compare the name with those that the tool takes, and name both.",
    ),
    Item(
        "not_dropped",
        "No argument is dropped in silence",
        "call",
        "lost an argument without notice",
        3,
        "UNKNOWN_PARAM",
        "Refuse arguments that the tool does not take (additionalProperties: false), or say that they were ignored.",
    ),
    Item(
        "missing_required",
        "A missing parameter is named, with what it takes",
        "call",
        "without a required parameter got no error that names it and what it takes",
        2,
        "MISSING_REQUIRED",
        "Name every missing parameter at once, each with its type.",
    ),
    Item(
        "wrong_type",
        "A wrong type is answered with the parameter, the expected type and the received one",
        "call",
        "with a wrong type got no error that names the parameter and both types",
        2,
        "INVALID_TYPE",
        "Name the parameter, the type that it takes and the type that was received.",
    ),
    Item(
        "out_of_range",
        "A value out of range is answered with the range",
        "call",
        "with a value out of range got no error that states the range",
        1,
        "OUT_OF_RANGE",
        "Check the limits that the schema declares, and state them.",
    ),
    Item(
        "choices",
        "A value that is not among the choices is answered with the choices",
        "call",
        "with an invalid choice got no error that lists the choices",
        1,
        "INVALID_CHOICE",
        "Name the parameter and the values that it takes, the closest first.",
    ),
    Item(
        "next_steps",
        "Every error says what to do next",
        "error",
        "did not say what to do next",
        2,
        "INVALID_INPUT",
        "End each error with what to send, or where to look.",
    ),
    Item(
        "auto_correction",
        "A correctable call is repaired, or the corrected call is given",
        "repairable call",
        "got neither a repair nor a corrected call",
        3,
        "UNKNOWN_PARAM",
        "Give the whole corrected call, so that one retry is enough.",
    ),
    Item(
        "schema_hint",
        "An empty call is answered with what the tool requires",
        "call",
        "with nothing right got no description of the parameters",
        1,
        "EMPTY_ARGUMENTS",
        "Answer an empty call with the required parameters and their types.",
    ),
    Item(
        "tips",
        "A truncated result says that there is more",
        "result",
        "left something out without saying so",
        1,
        "OUT_OF_RANGE",
        "Say that there is more, and how to get it, whenever a limit was reached.",
    ),
    Item(
        "actionable",
        "A warning says what to send instead",
        "warning",
        "did not say what to send instead",
        1,
        "UNKNOWN_PARAM",
        "Name what was left out or changed, and what to send instead.",
    ),
    Item(
        "honest",
        "A failure is marked as one",
        "failure",
        "did not set isError: true",
        1,
        "INVALID_INPUT",
        "Set isError: true on a result that reports a failure.",
    ),
    Item(
        "brief",
        "An error is short enough to be read",
        "error",
        "cost too many tokens",
        1,
        "INVALID_INPUT",
        "Show the part of the schema that matters, not all of it.",
    ),
    Item(
        "discreet",
        "No reply contains a traceback or a secret",
        "answer",
        "contained a traceback or a secret",
        2,
        "INTERNAL_ERROR",
        "Catch exceptions and describe them in your own words; name a secret parameter, never repeat its value.",
    ),
    Item(
        "stable",
        "A repeated mistake is answered as well as the first time",
        "repeated call",
        "got a worse reply than the first time",
        1,
        "REPEATED_CALL",
        "A refused call must not change the state of the server.",
    ),
    Item(
        "alive",
        "Every call is answered, and the server goes on",
        "call",
        "got no reply, or ended the server",
        3,
        "TIMEOUT",
        "Answer every request within seconds, and never end because of one.",
    ),
)

ITEMS = {item.id: item for item in CHECKLIST}

ADOPTION = (
    *((framework.adoption, framework.import_line) for framework in FRAMEWORKS),
    ("fingerpost proxy -- COMMAND", "in front of a server in any language"),
)
"""The line that fixes most findings, for each integration."""


class Check(NamedTuple):
    """The verdict on one item for one reply."""

    item: str
    passed: bool
    why: str = ""
    """What is wrong with the reply, as a clause; empty if it passed."""
