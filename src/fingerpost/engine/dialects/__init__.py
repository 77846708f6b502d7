"""Read other servers' error texts as violations of JSON Schema.

A server that refuses a call describes the mistake in the words of its validator. Each module here knows one such
dialect. `read` tries them in order, from the most structured to plain prose, and the first that recognizes anything
wins.

Three conventions hold for all of them. Received values are never kept, because they may be secrets. If the text omits
a list (`must be equal to one of the allowed values`), the list is empty. If the text omits the path, the path is
empty: `'fifty' is not of type 'integer'` gives `type` at `()`, which an arguments object itself cannot violate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeAlias

from fingerpost.engine.dialects import ajv, golang, jsonschema, plain, pydantic, serde, zod, zod_text
from fingerpost.engine.dialects.alternatives import merge_violations
from fingerpost.engine.dialects.embedded import find_messages
from fingerpost.engine.model import Violation

Dialect: TypeAlias = Callable[[str], Iterable[Violation]]

MAX_TEXT = 64_000
"""How many characters of a text are read; validators put what matters first."""

MAX_VIOLATIONS = 20
"""How many violations are read from one text; a caller corrects only a few at a time."""

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
    """Return the violations that an error text describes; empty if no dialect recognizes it. Never raises."""
    return next((found for found in _try_dialects(text[:MAX_TEXT]) if found), ())


def _try_dialects(text: str) -> Iterator[tuple[Violation, ...]]:
    """Yield each dialect's reading of the text, then of the messages in a JSON object such as `{"error": "…"}`."""
    for message in (text, *find_messages(text)):
        for dialect in DIALECTS.values():
            yield tuple(merge_violations(islice(dialect(message), 3 * MAX_VIOLATIONS)))[:MAX_VIOLATIONS]
