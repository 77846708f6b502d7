"""A stdio server with known flaws: for each item of the checklist one tool that fails it and one that meets it.

`python tests/support/flawed_server.py` has the flaws, `python tests/support/flawed_server.py perfect` has none. Its
replies are those of our guidance, with nothing repaired and every unknown parameter refused; a flaw spoils them.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any, TypeAlias

from fingerpost import Call, Catalog, Policy, admit, closest, refusal
from fingerpost.audit.judge.checklist import CHECKLIST
from fingerpost.engine.safety.json_input import as_object

Json: TypeAlias = "dict[str, Any]"
Spoil: TypeAlias = "Callable[[Call, str, Json], Json | None]"
"""Spoils the reply to a wrong call with that error code; none means no reply."""

SCHEMA: Json = {
    "type": "object",
    "properties": {
        "pattern": {"type": "string", "examples": ["User"]},
        "order": {"type": "string", "enum": ["ascending", "descending"]},
        "max_results": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
        "deep": {"type": "boolean", "default": False},
    },
    "required": ["pattern", "order"],
}
FLAWED_TOOLS = {item.id: f"fails_{item.id}" for item in CHECKLIST}
SOUND_TOOLS = {item.id: f"meets_{item.id}" for item in CHECKLIST}
TOOLS: list[Json] = [
    {"name": name, "inputSchema": SCHEMA, "annotations": {"readOnlyHint": True}}
    for names in (FLAWED_TOOLS, SOUND_TOOLS)
    for name in names.values()
]
CATALOG = Catalog.listed(TOOLS)
POLICY = Policy(auto_correct="off", unknown_params="reject", unfit_values="reject", info_tool=None)


def with_text(reply: Json, text: str) -> Json:
    """The same reply with another text; `_meta` stays."""
    return {**reply, "content": [{"type": "text", "text": text}]}


def text_of(reply: Json) -> str:
    return reply["content"][0]["text"]


def result(call: Call, *more: str) -> Json:
    """A search result with as many lines as requested, and a line that says how many more there are."""
    arguments = as_object(call.arguments)
    count = min(arguments.get("max_results", 20), 12)
    lines = [f"{arguments.get('order')} {number} {arguments.get('deep')}" for number in range(count)]
    lines += [f"{12 - count} more"] if count < 12 else []
    return {"content": [{"type": "text", "text": "\n".join(lines)}, *({"type": "text", "text": one} for one in more)]}


def _replace_text(code: str, text: str) -> Spoil:
    return lambda call, found, reply: with_text(reply, text) if found == code else reply


def _drop_argument(call: Call, code: str, reply: Json) -> Json:
    return result(call) if _has_stray_argument(call) else reply


def _warn_vaguely(call: Call, code: str, reply: Json) -> Json:
    stray = next((name for name in as_object(call.arguments) if name not in SCHEMA["properties"]), "")
    return result(call, f"'{stray}' is odd.") if _has_stray_argument(call) else reply


def _has_stray_argument(call: Call) -> bool:
    """Whether there is an argument that resembles nothing: it consists of consonants."""
    arguments = as_object(call.arguments)
    is_odd = any(not set(name) & set("aeiouy_") and name not in SCHEMA["properties"] for name in arguments)
    return is_odd and {"pattern", "order"} <= set(arguments)


def _remove_steps(call: Call, code: str, reply: Json) -> Json:
    kept = [line for line in text_of(reply).splitlines() if not line.startswith(("Help:", "Use "))]
    text = "\n".join(kept)
    for step in ("Corrected call: ", "Try: ", "Fill in: ", "did you mean"):
        text = text.replace(step, "")
    return with_text(reply, text.replace("Use a", "a"))


def _remove_call(call: Call, code: str, reply: Json) -> Json:
    lines = [line for line in text_of(reply).splitlines() if "(" not in line and "did you mean" not in line]
    tools = f"There is {', '.join(one.name for one in closest(call.tool, list(FLAWED_TOOLS.values())))}."
    schema = "pattern is a string, order ascending or descending, max_results an integer from 1 to 100, deep a boolean."
    names = f"{', '.join(as_object(call.arguments))} came." if code == "UNKNOWN_PARAM" else ""
    words = " ".join([*lines, names, tools if code == "UNKNOWN_TOOL" else schema, "Check the names and the values."])
    return {"isError": True, "content": [{"type": "text", "text": words}]}


def _remove_types(call: Call, code: str, reply: Json) -> Json:
    return with_text(reply, "Give pattern and order, which are missing.") if call.arguments == {} else reply


def _lengthen(call: Call, code: str, reply: Json) -> Json:
    return with_text(reply, text_of(reply) + "\n" + json.dumps(SCHEMA, indent=4) * 4)


def _add_traceback(call: Call, code: str, reply: Json) -> Json:
    return with_text(
        reply, text_of(reply) + '\nTraceback (most recent call last):\n  File "/srv/app.py", line 3, in run'
    )


def _unmark_error(call: Call, code: str, reply: Json) -> Json:
    return {**with_text(reply, f"Error: {text_of(reply)}"), "isError": False}


_SEEN = Counter[str]()


def _answer_only_once(call: Call, code: str, reply: Json) -> Json:
    _SEEN[repr(call)] += 1
    return reply if _SEEN[repr(call)] == 1 else {"isError": True, "content": [{"type": "text", "text": "No."}]}


def _do_not_answer(call: Call, code: str, reply: Json) -> Json | None:
    return None if code == "OUT_OF_RANGE" else reply


_SPOILS: dict[str, Spoil] = {
    "unknown_tool": _replace_text("UNKNOWN_TOOL", "There is no such tool. Use another."),
    "unknown_param": _replace_text("UNKNOWN_PARAM", "There is an argument too many. Use another."),
    "not_dropped": _drop_argument,
    "missing_required": _replace_text("MISSING_REQUIRED", "Something is missing. Give each string."),
    "wrong_type": _replace_text("INVALID_TYPE", "Something is wrong. Use another value."),
    "out_of_range": _replace_text("OUT_OF_RANGE", "Something is out of range. Use another value."),
    "choices": _replace_text("INVALID_CHOICE", "Something is no choice. Use another value."),
    "next_steps": _remove_steps,
    "auto_correction": _remove_call,
    "schema_hint": _remove_types,
    "actionable": _warn_vaguely,
    "honest": _unmark_error,
    "brief": _lengthen,
    "discreet": _add_traceback,
    "stable": _answer_only_once,
    "alive": _do_not_answer,
}


def call_tool(call: Call, *, is_perfect: bool) -> Json | None:
    verdict = admit(call, CATALOG, policy=POLICY)
    near = [match.name for match in closest(call.tool, [one["name"] for one in TOOLS])]
    tool = call.tool if CATALOG.get(call.tool) else near[0] if near else ""
    flaw = tool.removeprefix("fails_") if tool.startswith("fails_") and not is_perfect else ""
    if verdict.action == "forward":
        reply = result(call)
        return (
            with_text(reply, text_of(reply).rpartition("\n")[0])
            if flaw == "tips" and "more" in text_of(reply)
            else reply
        )
    reply = refusal(verdict, CATALOG, policy=POLICY)
    spoil = _SPOILS.get(flaw)
    return spoil(call, verdict.report.diagnoses[0].code, reply) if spoil else reply


def answer(message: Json, *, is_perfect: bool) -> Json | None:
    """Answer a request of the older MCP revisions."""
    params = as_object(message.get("params"))
    match message.get("method"):
        case "initialize":
            about: Json = {"serverInfo": {"name": "flawed", "version": "1"}, "capabilities": {"tools": {}}}
            return {"protocolVersion": "2025-11-25", **about}
        case "tools/list":
            return {"tools": TOOLS}
        case "tools/call":
            return call_tool(Call(str(params.get("name")), params.get("arguments", {})), is_perfect=is_perfect)
        case _:
            return {}


def main() -> None:
    is_perfect = sys.argv[1:] == ["perfect"]
    for line in sys.stdin:
        message = json.loads(line)
        reply = answer(message, is_perfect=is_perfect) if "id" in message else None
        if reply is not None:
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": reply}), flush=True)


if __name__ == "__main__":
    main()
