"""Arguments that look like an agent's remark, but that the tool has a parameter for: `reason` for `why`.

A remark is left out of a call. It is not if a parameter has its word or its value: then it is content.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from fingerpost.engine.case import Case
from fingerpost.engine.matching.lexicon import commentary_words, is_commentary
from fingerpost.engine.matching.spelling import split_words, stem
from fingerpost.engine.model import Path
from fingerpost.engine.safety.json_input import as_list, as_object
from fingerpost.engine.schema import walk as schemas

_WHY = frozenset({"because", "cause", "explanation", "justification", "motive", "rationale", "reason", "why"})
_APPROVAL = frozenset({"approval", "approve", "approved", "consent", "confirm", "confirmation", "acknowledge"})
"""What a harness says for the user. A parameter for it takes what the server gave out, such as a token."""
_SHAPED = ("enum", "const", "format", "pattern")
_MAX_DECLARED = 64
_LONGEST = 400
"""How much of a description is read."""


def find_remark_places(case: Case, at: Path, declared: Mapping[str, Any]) -> list[str]:
    """Return the unset parameters that a remark may be for: they have its value as a choice, or are about its word."""
    name, value = str(at[-1]), case.value(at)
    if not (isinstance(value, str) and value.strip() and is_commentary(name)):
        return []
    given, words = case.value(at[:-1]), _senses(commentary_words(map(stem, split_words(name)))) - _APPROVAL
    unset = islice(((other, schema) for other, schema in declared.items() if other not in given), _MAX_DECLARED)
    return [other for other, schema in unset if _is_for(case, other, schema, words, value)]


def _is_for(case: Case, name: str, schema: Any, words: frozenset[str], value: str) -> bool:
    layers = list(schemas.layers(case.tool.schema, schema))
    if any(value in as_list(layer.get("enum")) for layer in layers):
        return True
    if "string" not in schemas.types(case.tool.schema, schema) or any(key in one for one in layers for key in _SHAPED):
        return False
    texts = [name, *(str(as_object(layer).get("description", ""))[:_LONGEST] for layer in layers)]
    return any(not words.isdisjoint(_senses(map(stem, split_words(text)))) for text in texts)


def _senses(stems: Iterable[str]) -> frozenset[str]:
    """Return the stems of longer words, with one word for all that ask for a reason."""
    return frozenset({"why" if word in _WHY else word for word in stems if len(word) > 2})
