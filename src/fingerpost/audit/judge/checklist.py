"""What a server is held against: the checklist, what each item weighs, and what to do where it is not met."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Item:
    """One line of the checklist."""

    id: str
    title: str
    """What is true of a server that meets it."""
    weight: int
    code: str
    """The code whose page says what a good reply looks like."""
    advice: str
    """What an author does about it in the server itself."""


CHECKLIST = (
    Item(
        "unknown_tool",
        "An unknown tool is answered with the one that was probably meant",
        2,
        "UNKNOWN_TOOL",
        "Compare the name with those of your tools, and name the nearest.",
    ),
    Item(
        "unknown_param",
        "An unknown parameter is answered with the one that was probably meant",
        2,
        "UNKNOWN_PARAM",
        "Compare the name with those that the tool takes, and name both.",
    ),
    Item(
        "not_dropped",
        "No argument is dropped in silence",
        3,
        "UNKNOWN_PARAM",
        "Refuse arguments that the tool does not take (additionalProperties: false), or say that they were ignored.",
    ),
    Item(
        "missing_required",
        "A missing parameter is named, with what it takes",
        2,
        "MISSING_REQUIRED",
        "Name every missing parameter at once, each with its type.",
    ),
    Item(
        "wrong_type",
        "A wrong type is answered with the parameter, what is expected and what was received",
        2,
        "INVALID_TYPE",
        "Name the parameter, the type that it takes and the one that came.",
    ),
    Item(
        "out_of_range",
        "A value out of range is answered with the range",
        1,
        "OUT_OF_RANGE",
        "Check the limits that the schema declares, and say them.",
    ),
    Item(
        "choices",
        "A value that is none of the choices is answered with the choices",
        1,
        "INVALID_CHOICE",
        "Name the parameter and the values that it takes, the nearest first.",
    ),
    Item(
        "next_steps",
        "Every error says what to do next",
        2,
        "INVALID_INPUT",
        "End each error with what to send, or where to look.",
    ),
    Item(
        "auto_correction",
        "A slip is put right, or the corrected call is given",
        3,
        "UNKNOWN_PARAM",
        "Give the whole corrected call, so that one retry is enough.",
    ),
    Item(
        "schema_hint",
        "A call with nothing right shows what the tool asks for",
        1,
        "EMPTY_ARGUMENTS",
        "Answer an empty call with the required parameters and their types.",
    ),
    Item(
        "tips",
        "A result that was cut short says that there is more",
        1,
        "OUT_OF_RANGE",
        "Say that there is more, and how to get it, wherever a limit was reached.",
    ),
    Item(
        "actionable",
        "A warning says what to send instead",
        1,
        "UNKNOWN_PARAM",
        "Name what was left out or changed, and what to send instead.",
    ),
    Item(
        "honest",
        "A failure is marked as one",
        1,
        "INVALID_INPUT",
        "Set isError: true on a result that tells of a failure.",
    ),
    Item(
        "brief",
        "An error is short enough to be read",
        1,
        "INVALID_INPUT",
        "Show the part of the schema that matters, not all of it.",
    ),
    Item(
        "discreet",
        "No traceback and no secret stands in a reply",
        2,
        "INTERNAL_ERROR",
        "Catch what is raised and say it in a sentence of your own; name a secret parameter, never repeat its value.",
    ),
    Item(
        "stable",
        "The same mistake again is answered as well as before",
        1,
        "REPEATED_CALL",
        "Let a refused call leave nothing behind.",
    ),
    Item(
        "alive",
        "Every call is answered, and the server goes on",
        3,
        "TIMEOUT",
        "Answer every request within seconds, and never end because of one.",
    ),
)

ITEMS = {item.id: item for item in CHECKLIST}

ADOPT = (
    ('MCPServer("name", middleware=[Guidance()])', "from fingerpost.sdk import Guidance"),
    ("mcp.add_middleware(Guidance())", "from fingerpost.fastmcp import Guidance"),
    ("fingerpost proxy -- COMMAND", "in front of a server in any language"),
)
"""The one line that sees to most of it, for each door."""


class Check(NamedTuple):
    """One item held against one reply."""

    item: str
    passed: bool
    why: str = ""
    """What is wrong with the reply, as a clause; empty where it passed."""
