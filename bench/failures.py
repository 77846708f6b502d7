"""Judge what is said about the failures of published servers: `python -m bench.failures`.

The texts and what may be said about each are in tests/data/failure_texts.txt. They are split by server: the rules may
be improved on the open half, the other half is held out. `--show` prints what is wrong in the open half only.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from fingerpost import KEY, Call, Catalog, enrich
from fingerpost.engine.failure_kinds import CATEGORIES, category_of
from fingerpost.engine.safety.json_input import as_object

FILE = Path(__file__).resolve().parents[1] / "tests" / "data" / "failure_texts.txt"
SEED = 17
"""Which servers are held out."""

_TYPES: dict[type, str] = {
    str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"
}  # fmt: skip
_LISTED = re.compile(r"(\S+?)\((.*)\)$")
_PROTOCOL = re.compile(r"\[(-\d+)\] ")


class Outcome(Enum):
    """What became of one failure."""

    RIGHT = "said right"
    SILENT = "said nothing, rightly"
    MISSED = "said nothing, though allowed"
    WRONG = "wrong or competing"


class Allowed(NamedTuple):
    """One thing that may be said about a failure."""

    kind: str
    """A code, or `nothing`, `call`, `unknown tool`."""
    is_quiet: bool
    lister: str


class Failure(NamedTuple):
    """A failed call, the server's reply, and what may be said about it."""

    server: str
    call: Call
    reply: dict[str, Any]
    catalog: Catalog
    allowed: tuple[Allowed, ...]


class Said(NamedTuple):
    """What was added to a reply."""

    code: str
    text: str
    steps: tuple[str, ...]


@cache
def load() -> tuple[Failure, ...]:
    """Return every failure of the file, in its order."""
    return tuple(failure for section in _sections() for failure in _read_section(section))


def held_out() -> frozenset[str]:
    """Return the servers whose failures are not to be looked at while the rules are improved."""
    servers = sorted({failure.server for failure in load()})
    random.Random(SEED).shuffle(servers)
    return frozenset(servers[: len(servers) // 2])


def judge(failure: Failure) -> Outcome:
    """Compare what is said about a failure with what may be said."""
    said = _what_is_said(failure)
    kinds = {one.kind for one in failure.allowed}
    if said is None:
        return Outcome.SILENT if "nothing" in kinds else Outcome.MISSED
    return Outcome.RIGHT if any(_permits(one, said, failure) for one in failure.allowed) else Outcome.WRONG


def explain(failure: Failure) -> str:
    """Describe a failure and what is said about it, on one line."""
    call = f"{failure.call.tool} {failure.call.arguments}"
    return f"{failure.server}: {call}: {_text_of(failure)!r}\n    -> {_what_is_said(failure)}"


def _text_of(failure: Failure) -> str:
    return failure.reply.get("message") or failure.reply["content"][0]["text"]


def count(failures: Iterable[Failure]) -> Counter[Outcome]:
    """Count the outcomes."""
    return Counter(map(judge, failures))


def _what_is_said(failure: Failure) -> Said | None:
    """Return what is added to the reply; None if that is only the server's own message."""
    reply: dict[str, Any] = enrich(failure.call, failure.reply, failure.catalog)
    is_error = "content" not in reply
    guidance = as_object(as_object(reply.get("data" if is_error else "_meta")).get(KEY))
    error = as_object(guidance.get("error"))
    text: str = guidance.get("text", "") if is_error else "".join(one["text"] for one in reply["content"][1:])
    steps = tuple(str(step) for name, step in as_object(error.get("next_steps")).items() if name != "help")
    code: str = error.get("code", "INTERNAL_ERROR")
    if f'"{code}"' in _text_of(failure):  # the server's own code, in our category
        code = CATEGORIES[error["category"]]
    is_own = error.get("origin") == "call" or error.get("suggestions")
    if not (text or steps or error.get("hint") or is_own) and code in _unexplained_codes(failure.reply):
        return None
    return Said(code, text or error.get("hint", ""), steps)


def _unexplained_codes(reply: dict[str, Any]) -> tuple[str, ...]:
    """Return the codes that claim nothing beyond what the protocol says."""
    return ("INTERNAL_ERROR", "INVALID_INPUT") if reply.get("code") == -32602 else ("INTERNAL_ERROR",)


def _permits(allowed: Allowed, said: Said, failure: Failure) -> bool:
    if allowed.kind == "call":
        return category_of(said.code) == "validation"
    if allowed.kind == "unknown tool":
        return said.code == "UNKNOWN_TOOL"
    if allowed.kind != said.code or (allowed.is_quiet and (said.text or said.steps)):
        return False
    whole = " ".join((said.text, *said.steps))
    named = {tool.name for tool in failure.catalog if re.search(rf"(?<![\w-]){re.escape(tool.name)}(?![\w-])", whole)}
    return named <= {allowed.lister, failure.call.tool}


def _sections() -> Iterator[list[str]]:
    lines: list[str] = []
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("== ") and lines:
            yield lines
            lines = []
        if line and not line.startswith("#"):
            lines.append(line)
    yield lines


def _read_section(lines: list[str]) -> Iterator[Failure]:
    server = lines[0][3:].split(";")[0]
    calls = [_read_call(line) for line in lines if line[:2] in ("R ", "W ")]
    entries = [*(_read_lister(line) for line in lines if line.startswith("? ")), *(entry for _, entry in calls)]
    tools = {str(entry["name"]): entry for entry in entries}
    made = iter(calls)
    call = calls[0][0]
    for line in lines[1:]:
        if line[:2] in ("R ", "W "):
            call = next(made)[0]
        elif not line.startswith("? "):
            text, verdict = line.rsplit(" => ", 1)
            allowed = tuple(map(_read_allowed, verdict.split(" | ")))
            unknown = {call.tool} if any(one.kind == "unknown tool" for one in allowed) else set[str]()
            catalog = Catalog.listed([entry for name, entry in tools.items() if name not in unknown])
            yield Failure(server, call, _read_reply(text), catalog, allowed)


def _read_call(line: str) -> tuple[Call, dict[str, Any]]:
    effect, name, arguments = line.split(" ", 2)
    values: dict[str, Any] = json.loads(arguments)
    properties = {key: {"type": _TYPES[type(value)]} for key, value in values.items()}
    schema = {"type": "object", "properties": properties, "required": list(values)}
    entry = {"name": name, "inputSchema": schema, "annotations": {"readOnlyHint": effect == "R"}}
    return Call(name, values), entry


def _read_lister(line: str) -> dict[str, Any]:
    [(name, parameters)] = _LISTED.findall(line[2:])
    names = [one for one in parameters.split(", ") if one]
    schema = {
        "type": "object",
        "properties": {one.rstrip("?"): {"type": "string"} for one in names},
        "required": [one for one in names if not one.endswith("?")],
    }
    return {"name": name, "inputSchema": schema, "annotations": {"readOnlyHint": True}}


def _read_reply(text: str) -> dict[str, Any]:
    plain = text if text.startswith("{") else text.replace("\\n", "\n").replace("\\t", "\t")
    if found := _PROTOCOL.match(plain):
        return {"code": int(found[1]), "message": plain[found.end() :]}
    return {"isError": True, "content": [{"type": "text", "text": plain}]}


def _read_allowed(text: str) -> Allowed:
    if text in ("nothing", "call", "unknown tool"):
        return Allowed(text, is_quiet=False, lister="")
    kind, _, lister = text.removesuffix(" quietly").partition(" via ")
    kind = {"TOO_LARGE": "INVALID_LENGTH"}.get(kind, kind)
    return Allowed(kind, is_quiet=text.endswith(" quietly"), lister=lister)


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.failures", description=__doc__)
    parser.add_argument("--show", action="store_true", help="print what is wrong or missed in the open half")
    options = parser.parse_args()
    hidden = held_out()
    halves = {
        "open": [one for one in load() if one.server not in hidden],
        "held out": [one for one in load() if one.server in hidden],
    }
    print(f"{len(load())} failures of {len({one.server for one in load()})} servers\n")
    print(f"{'':10}{'failures':>10}" + "".join(f"{outcome.value:>30}" for outcome in Outcome))
    for name, failures in halves.items():
        counts = count(failures)
        cells = (f"{counts[outcome]} ({counts[outcome] / len(failures):.1%})" for outcome in Outcome)
        print(f"{name:10}{len(failures):>10}" + "".join(f"{cell:>30}" for cell in cells))
    if options.show:
        for outcome in (Outcome.WRONG, Outcome.MISSED):
            print(f"\n{outcome.value}:")
            print("\n".join(explain(one) for one in halves["open"] if judge(one) is outcome))


if __name__ == "__main__":
    main()
