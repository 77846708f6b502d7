"""Other servers' error text, read as violations: where a text says the call is wrong, in the words of JSON Schema.

A server that refuses a call names the culprit in its validator's own dialect. Each module here knows one; `read`
asks them in order, from the most explicit shape to plain prose, and the first that recognises anything answers.

Three habits hold for all of them. Received values are never kept, for they can be secrets. A list the text leaves
out (`must be equal to one of the allowed values`) is an empty list. A place the text leaves out is the empty path:
`'fifty' is not of type 'integer'` gives `type` at `()`, which no arguments object could break itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeAlias

from fingerpost.engine.dialects import ajv, golang, jsonschema, plain, pydantic, serde, zod, zod_text
from fingerpost.engine.dialects.alternatives import settled
from fingerpost.engine.dialects.embedded import messages
from fingerpost.engine.model import Violation

Dialect: TypeAlias = Callable[[str], Iterable[Violation]]

MAX_TEXT = 64_000
"""How much of a text is read; a validator says what matters first."""

MAX_VIOLATIONS = 20
"""How many violations one text may give: a caller mends a few at a time."""

DIALECTS: dict[str, Dialect] = {
    "pydantic": pydantic.read,
    "zod": zod.read,
    "zod_text": zod_text.read,
    "ajv": ajv.read,
    "golang": golang.read,
    "jsonschema": jsonschema.read,
    "serde": serde.read,
    "plain": plain.read,
}


def read(text: str) -> tuple[Violation, ...]:
    """What an error text says is wrong with the call; empty when no dialect recognises it. Total, linear, pure."""
    return next((found for found in _readings(text[:MAX_TEXT]) if found), ())


def _readings(text: str) -> Iterator[tuple[Violation, ...]]:
    """Each dialect's reading of the text, then of the message inside a JSON envelope such as `{"error": "…"}`."""
    for said in (text, *messages(text)):
        for dialect in DIALECTS.values():
            yield tuple(settled(islice(dialect(said), 3 * MAX_VIOLATIONS)))[:MAX_VIOLATIONS]
