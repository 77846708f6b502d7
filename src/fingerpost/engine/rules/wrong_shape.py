"""The arguments are valid but in the wrong container.

Agents wrap a call in an extra object (`{"input": {…}}`), send it as a string of JSON, or put the fields of the tool's
only object parameter at the top level.

Fix grading: lossless if only the container changes and the values stay the same. A bare value for a tool with one
parameter is offered.
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
from fingerpost.engine.rules.empty_arguments import placeholder_call
from fingerpost.engine.safety.json_input import parse_json
from fingerpost.engine.schema import walk as schemas

CODE = "WRONG_SHAPE"

_WRAPPERS = frozenset({
    "args", "argument", "arguments", "body", "data", "functionargs", "input", "inputdata", "inputs", "json", "kwargs",
    "options", "params", "parameters", "payload", "properties", "request", "toolargs", "toolarguments", "toolinput",
    "toolparameters",
})  # fmt: skip
_TOOL_NAME_KEYS = frozenset({"name", "tool", "toolname", "function", "tool_name"})


def diagnose(case: Case) -> Iterator[Diagnosis]:
    if isinstance(case.call.arguments, dict):
        yield from _diagnose_wrapper(case)
        yield from _diagnose_flattening(case)
    else:
        yield from _diagnose_container(case)


def _diagnose_container(case: Case) -> Iterator[Diagnosis]:
    sent = case.call.arguments
    whole = parse_json(sent) if isinstance(sent, str) else sent
    fixes: tuple[Fix, ...] = ()
    if isinstance(whole, dict):
        fixes = (_lossless_fix(cast("dict[str, Any]", whole), "The arguments were read from a string of JSON"),)
    elif len(names := case.tool.required or tuple(case.tool.params)) == 1:
        edit = Replace((), {names[0]: sent})
        fits = case.tool.accepts(edit.value)
        fixes = (Fix(edit, Applicability.MAYBE_INCORRECT, confidence=0.8),) if fits else ()
    if not fixes and (blank := placeholder_call(case)):
        fixes = (blank,)
    yield _diagnosis(
        case, f"The arguments must be an object, got {schemas.type_name(sent)}", fixes, schemas.type_name(sent)
    )


def _diagnose_wrapper(case: Case) -> Iterator[Diagnosis]:
    if case.tool.accepts(case.arguments) or (inner := _unwrap(case.call, case)) is None:
        return
    wrapper, contents = inner
    if case.tool.accepts(contents) or any(_is_nearly_declared(key, case) for key in list(contents)[:20]):
        fix = _lossless_fix(contents, f"The arguments were taken out of {quote(wrapper)}")
        yield _diagnosis(case, f"The arguments are wrapped in {quote(wrapper)}", (fix,), "wrapped object")


def _unwrap(call: Call, case: Case) -> tuple[str, dict[str, Any]] | None:
    """Return the wrapper's name and contents, if all arguments are inside one undeclared object."""
    undeclared = {key: value for key, value in case.arguments.items() if key not in case.tool.params}
    rest = {key: value for key, value in undeclared.items() if not _repeats_tool(key, value, call.tool)}
    if len(rest) != 1 or len(undeclared) != len(case.arguments):
        return None
    wrapper, contents = next(iter(rest.items()))
    contents = parse_json(contents) if isinstance(contents, str) else contents
    if not isinstance(contents, dict) or normal_form(wrapper) not in _WRAPPERS | {normal_form(call.tool)}:
        return None
    return wrapper, cast("dict[str, Any]", contents)


def _is_nearly_declared(key: str, case: Case) -> bool:
    near = closest(key, case.tool.params, "parameter")
    return bool(near) and near[0].confidence > OFFER_THRESHOLD


def _repeats_tool(key: str, value: Any, tool: str) -> bool:
    return key in _TOOL_NAME_KEYS and value == tool


def _diagnose_flattening(case: Case) -> Iterator[Diagnosis]:
    """Diagnose fields of the only object parameter, or of its only item, that were sent at the top level."""
    absent = [name for name in case.tool.required if name not in case.arguments]
    if len(absent) != 1 or (fields := _inner_fields(case, absent[0])) is None:
        return
    name, (inner, is_list) = absent[0], fields
    moved = {key: value for key, value in case.arguments.items() if key in inner and key not in case.tool.params}
    if not moved:
        return
    rest = {key: value for key, value in case.arguments.items() if key not in moved}
    done = f"{join_names(moved, limit=4)} went inside {quote(name)}"
    fix = _lossless_fix({**rest, name: [moved] if is_list else moved}, done)
    verb = "belongs" if len(moved) == 1 else "belong"
    message = f"{join_names(moved, limit=4)} {verb} inside {quote(name)}"
    yield _diagnosis(case, message, (replace(fix, grade=Grade.OFFERED) if is_list else fix,), "flattened object")


def _inner_fields(case: Case, name: str) -> tuple[Mapping[str, Any], bool] | None:
    """Return the fields of an object parameter, and whether the parameter is a list of such objects."""
    root, schema = case.tool.schema, case.schema((name,))
    kinds = schemas.types(root, schema)
    if kinds in (("array",), ("array", "null")):
        return schemas.properties(root, schemas.child(root, schema, 0)), True
    return (schemas.properties(root, schema), False) if kinds in (("object",), ("object", "null")) else None


def _lossless_fix(arguments: dict[str, Any], done: str) -> Fix:
    return Fix(Replace((), arguments), Applicability.MACHINE_APPLICABLE, Grade.LOSSLESS, applied_note=done)


def _diagnosis(case: Case, message: str, fixes: tuple[Fix, ...], got: str) -> Diagnosis:
    return case.make_diagnosis(CODE, message, (), fixes=fixes, details={"expected": "object", "got": got})
