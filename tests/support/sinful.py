"""A server of known sins, on standard streams: for each item of the checklist one tool that breaks it, and one that
does not. `python tests/sinful.py` has the sins, `python tests/sinful.py perfect` has none.

What it would say without sins is what guidance says, with nothing repaired and every stray refused; a sin spoils that.
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
"""What becomes of a reply to a call that is wrong by that code; none where there is no reply."""

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
SINS = {item.id: f"sin_{item.id}" for item in CHECKLIST}
VIRTUES = {item.id: f"keeps_{item.id}" for item in CHECKLIST}
TOOLS: list[Json] = [
    {"name": name, "inputSchema": SCHEMA, "annotations": {"readOnlyHint": True}}
    for names in (SINS, VIRTUES)
    for name in names.values()
]
CATALOG = Catalog.listed(TOOLS)
POLICY = Policy(auto_correct="off", unknown_params="reject", unfit_values="reject", info_tool=None)


def said(reply: Json, text: str) -> Json:
    """The same reply in other words; what programs read stays."""
    return {**reply, "content": [{"type": "text", "text": text}]}


def text_of(reply: Json) -> str:
    return reply["content"][0]["text"]


def result(call: Call, *more: str) -> Json:
    """What a search finds: as many as are wanted, and a word that there are more."""
    arguments = as_object(call.arguments)
    count = min(arguments.get("max_results", 20), 12)
    lines = [f"{arguments.get('order')} {number} {arguments.get('deep')}" for number in range(count)]
    lines += [f"{12 - count} more"] if count < 12 else []
    return {"content": [{"type": "text", "text": "\n".join(lines)}, *({"type": "text", "text": one} for one in more)]}


def _vague(code: str, text: str) -> Spoil:
    return lambda call, found, reply: said(reply, text) if found == code else reply


def _dropped(call: Call, code: str, reply: Json) -> Json:
    return result(call) if _is_stray(call) else reply


def _odd(call: Call, code: str, reply: Json) -> Json:
    stray = next((name for name in as_object(call.arguments) if name not in SCHEMA["properties"]), "")
    return result(call, f"'{stray}' is odd.") if _is_stray(call) else reply


def _is_stray(call: Call) -> bool:
    """Whether there is an argument that resembles nothing: made of consonants alone."""
    arguments = as_object(call.arguments)
    is_odd = any(not set(name) & set("aeiouy_") and name not in SCHEMA["properties"] for name in arguments)
    return is_odd and {"pattern", "order"} <= set(arguments)


def _without_steps(call: Call, code: str, reply: Json) -> Json:
    kept = [line for line in text_of(reply).splitlines() if not line.startswith(("Help:", "Use "))]
    text = "\n".join(kept)
    for step in ("Corrected call: ", "Try: ", "Fill in: ", "did you mean"):
        text = text.replace(step, "")
    return said(reply, text.replace("Use a", "a"))


def _without_call(call: Call, code: str, reply: Json) -> Json:
    told = [line for line in text_of(reply).splitlines() if "(" not in line and "did you mean" not in line]
    tools = f"There is {', '.join(one.name for one in closest(call.tool, list(SINS.values())))}."
    schema = "pattern is a string, order ascending or descending, max_results an integer from 1 to 100, deep a boolean."
    names = f"{', '.join(as_object(call.arguments))} came." if code == "UNKNOWN_PARAM" else ""
    words = " ".join([*told, names, tools if code == "UNKNOWN_TOOL" else schema, "Check the names and the values."])
    return {"isError": True, "content": [{"type": "text", "text": words}]}


def _without_types(call: Call, code: str, reply: Json) -> Json:
    return said(reply, "Give pattern and order, which are missing.") if call.arguments == {} else reply


def _longer(call: Call, code: str, reply: Json) -> Json:
    return said(reply, text_of(reply) + "\n" + json.dumps(SCHEMA, indent=4) * 4)


def _traced(call: Call, code: str, reply: Json) -> Json:
    return said(reply, text_of(reply) + '\nTraceback (most recent call last):\n  File "/srv/app.py", line 3, in run')


def _not_marked(call: Call, code: str, reply: Json) -> Json:
    return {**said(reply, f"Error: {text_of(reply)}"), "isError": False}


_SEEN = Counter[str]()


def _only_once(call: Call, code: str, reply: Json) -> Json:
    _SEEN[repr(call)] += 1
    return reply if _SEEN[repr(call)] == 1 else {"isError": True, "content": [{"type": "text", "text": "No."}]}


def _silent(call: Call, code: str, reply: Json) -> Json | None:
    return None if code == "OUT_OF_RANGE" else reply


_SPOILS: dict[str, Spoil] = {
    "unknown_tool": _vague("UNKNOWN_TOOL", "There is no such tool. Use another."),
    "unknown_param": _vague("UNKNOWN_PARAM", "There is an argument too many. Use another."),
    "not_dropped": _dropped,
    "missing_required": _vague("MISSING_REQUIRED", "Something is missing. Give each string."),
    "wrong_type": _vague("INVALID_TYPE", "Something is wrong. Use another value."),
    "out_of_range": _vague("OUT_OF_RANGE", "Something is out of range. Use another value."),
    "choices": _vague("INVALID_CHOICE", "Something is no choice. Use another value."),
    "next_steps": _without_steps,
    "auto_correction": _without_call,
    "schema_hint": _without_types,
    "actionable": _odd,
    "honest": _not_marked,
    "brief": _longer,
    "discreet": _traced,
    "stable": _only_once,
    "alive": _silent,
}


def called(call: Call, *, is_perfect: bool) -> Json | None:
    verdict = admit(call, CATALOG, policy=POLICY)
    near = [one.name for one in closest(call.tool, [tool["name"] for tool in TOOLS])]
    meant = call.tool if CATALOG.get(call.tool) else near[0] if near else ""
    sin = meant.removeprefix("sin_") if meant.startswith("sin_") and not is_perfect else ""
    if verdict.action == "forward":
        reply = result(call)
        return said(reply, text_of(reply).rpartition("\n")[0]) if sin == "tips" and "more" in text_of(reply) else reply
    reply = refusal(verdict, CATALOG, policy=POLICY)
    spoil = _SPOILS.get(sin)
    return spoil(call, verdict.report.diagnoses[0].code, reply) if spoil else reply


def answer(message: Json, *, is_perfect: bool) -> Json | None:
    """What is answered to a request of the older revisions."""
    params = as_object(message.get("params"))
    match message.get("method"):
        case "initialize":
            about: Json = {"serverInfo": {"name": "sinful", "version": "1"}, "capabilities": {"tools": {}}}
            return {"protocolVersion": "2025-11-25", **about}
        case "tools/list":
            return {"tools": TOOLS}
        case "tools/call":
            return called(Call(str(params.get("name")), params.get("arguments", {})), is_perfect=is_perfect)
        case _:
            return {}


def main() -> None:
    is_perfect = sys.argv[1:] == ["perfect"]
    for line in sys.stdin:
        message = json.loads(line)
        said = answer(message, is_perfect=is_perfect) if "id" in message else None
        if said is not None:
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": said}), flush=True)


if __name__ == "__main__":
    main()
