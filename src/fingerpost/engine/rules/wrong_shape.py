"""The arguments are valid but in the wrong container.

Agents wrap a call in an extra object (`{"input": {…}}`), send it as a string of JSON, spell a path in a key
(`options.limit`), put the fields of an object parameter at the top level or on another level, or parameters into an
object (`guest: {email}` for `guest_email`, `position: {lat, lon}`).

Fix grading: lossless if only the container changes, the values stay the same, and no other reading is possible. A bare
value for a tool with one parameter, the fields of a list's only item, fields on another level or with another name
there, and the fields of an optional object of a tool that may write are offered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fingerpost.engine.case import Case
from fingerpost.engine.model import Diagnosis
from fingerpost.engine.rules.shapes import (
    boxed_value,
    flattened,
    grouped,
    misplaced,
    path_keys,
    unfolded,
    whole,
    wrapped_in_parameter,
    wrapper,
)
from fingerpost.engine.rules.shapes.diagnosis import CODE as CODE


def _unpack(case: Case) -> Iterable[Diagnosis]:
    """An object around the whole call, or else around a group of parameters."""
    return list(wrapper.diagnose(case)) or grouped.diagnose(case)


_SHAPES_OF_DECLARED = (wrapped_in_parameter.diagnose, boxed_value.diagnose, misplaced.diagnose)
_SHAPES = (
    whole.diagnose, unfolded.diagnose, _unpack, path_keys.diagnose, flattened.diagnose, *_SHAPES_OF_DECLARED,
)  # fmt: skip


def diagnose(case: Case) -> Iterator[Diagnosis]:
    """Try each kind of container on what the certain fixes of the kinds before it leave."""
    for find in _SHAPES if _has_undeclared_part(case) else _SHAPES_OF_DECLARED:
        found = list(find(case))
        yield from found
        case = case.after(fix.edit for one in found if (fix := one.certain_fix))


def _has_undeclared_part(case: Case) -> bool:
    """Whether the arguments are no object, or have a name that the tool does not declare."""
    arguments = case.call.arguments
    return not isinstance(arguments, dict) or not case.tool.params.keys() >= case.arguments.keys()
