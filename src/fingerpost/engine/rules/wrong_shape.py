"""The arguments are right, their container is not.

Agents wrap a call in one object too many (`{"input": {…}}`), send it as a string of JSON, or spread
the fields of the tool's one object parameter over the top level.

Fix grading: lossless where the values stay the same and only the container changes. A bare value for a
tool with one parameter is offered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

from fingerpost.engine.case import Case
from fingerpost.engine.matching import OFFER_THRESHOLD, closest
from fingerpost.engine.matching.spelling import normal_form
from fingerpost.engine.model import Applicability, Call, Diagnosis, Fix, Grade, Replace
from fingerpost.engine.phrases import join_names, quote
from fingerpost.engine.rules.empty_arguments import to_fill_in
from fingerpost.engine.safety.json_input import parse_json
from fingerpost.engine.schema import walk as schemas

CODE = "WRONG_SHAPE"

_WRAPPERS = frozenset({
    "args", "argument", "arguments", "body", "data", "functionargs", "input", "inputdata", "inputs", "json", "kwargs",
    "options", "params", "parameters", "payload", "properties", "request", "toolargs", "toolarguments", "toolinput",
    "toolparameters",
})  # fmt: skip
_CALL_NAMES = frozenset({"name", "tool", "toolname", "function", "tool_name"})


def diagnose(case: Case) -> Iterator[Diagnosis]:
    if isinstance(case.call.arguments, dict):
        yield from _wrapped(case)
        yield from _flattened(case)
    else:
        yield from _not_an_object(case)


def _not_an_object(case: Case) -> Iterator[Diagnosis]:
    sent = case.call.arguments
    whole = parse_json(sent) if isinstance(sent, str) else sent
    fixes: tuple[Fix, ...] = ()
    if isinstance(whole, dict):
        fixes = (_lossless(cast("dict[str, Any]", whole), "The arguments were read from a string of JSON"),)
    elif len(names := case.tool.required or tuple(case.tool.params)) == 1:
        edit = Replace((), {names[0]: sent})
        fits = case.tool.accepts(edit.value)
        fixes = (Fix(edit, Applicability.MAYBE_INCORRECT, confidence=0.8),) if fits else ()
    if not fixes and (blank := to_fill_in(case)):
        fixes = (blank,)
    yield _found(
        case, f"The arguments must be an object, got {schemas.type_name(sent)}", fixes, schemas.type_name(sent)
    )


def _wrapped(case: Case) -> Iterator[Diagnosis]:
    if case.tool.accepts(case.arguments) or (inner := _inside(case.call, case)) is None:
        return
    wrapper, held = inner
    if case.tool.accepts(held) or any(_is_nearly_declared(key, case) for key in list(held)[:20]):
        fix = _lossless(held, f"The arguments were taken out of {quote(wrapper)}")
        yield _found(case, f"The arguments are wrapped in {quote(wrapper)}", (fix,), "wrapped object")


def _inside(call: Call, case: Case) -> tuple[str, dict[str, Any]] | None:
    """The one object that everything else is packed in, when its name is no parameter of the tool."""
    strays = {key: value for key, value in case.arguments.items() if key not in case.tool.params}
    rest = {key: value for key, value in strays.items() if not _repeats_tool(key, value, call.tool)}
    if len(rest) != 1 or len(strays) != len(case.arguments):
        return None
    wrapper, held = next(iter(rest.items()))
    held = parse_json(held) if isinstance(held, str) else held
    if not isinstance(held, dict) or normal_form(wrapper) not in _WRAPPERS | {normal_form(call.tool)}:
        return None
    return wrapper, cast("dict[str, Any]", held)


def _is_nearly_declared(key: str, case: Case) -> bool:
    near = closest(key, case.tool.params, "parameter")
    return bool(near) and near[0].confidence > OFFER_THRESHOLD


def _repeats_tool(key: str, value: Any, tool: str) -> bool:
    return key in _CALL_NAMES and value == tool


def _flattened(case: Case) -> Iterator[Diagnosis]:
    """Fields of the one object parameter, or of its one item, sent beside each other instead of inside it."""
    absent = [name for name in case.tool.required if name not in case.arguments]
    if len(absent) != 1 or (form := _form(case, absent[0])) is None:
        return
    name, (inner, is_list) = absent[0], form
    moved = {key: value for key, value in case.arguments.items() if key in inner and key not in case.tool.params}
    if not moved:
        return
    kept = {key: value for key, value in case.arguments.items() if key not in moved}
    done = f"{join_names(moved, limit=4)} went inside {quote(name)}"
    fix = _lossless({**kept, name: [moved] if is_list else moved}, done)
    verb = "belongs" if len(moved) == 1 else "belong"
    message = f"{join_names(moved, limit=4)} {verb} inside {quote(name)}"
    yield _found(case, message, (replace(fix, grade=Grade.OFFERED) if is_list else fix,), "flattened object")


def _form(case: Case, name: str) -> tuple[Mapping[str, Any], bool] | None:
    """The fields that a parameter holds, and whether it holds a list of such."""
    root, schema = case.tool.schema, case.schema((name,))
    kinds = schemas.types(root, schema)
    if kinds in (("array",), ("array", "null")):
        return schemas.properties(root, schemas.child(root, schema, 0)), True
    return (schemas.properties(root, schema), False) if kinds in (("object",), ("object", "null")) else None


def _lossless(arguments: dict[str, Any], done: str) -> Fix:
    return Fix(Replace((), arguments), Applicability.MACHINE_APPLICABLE, Grade.LOSSLESS, applied_note=done)


def _found(case: Case, message: str, fixes: tuple[Fix, ...], got: str) -> Diagnosis:
    return case.make_diagnosis(CODE, message, (), fixes=fixes, details={"expected": "object", "got": got})
