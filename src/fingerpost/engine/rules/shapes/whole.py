"""The arguments as a whole are not an object: a string of JSON, a list with the object in it, or a bare value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from fingerpost.engine.case import Case
from fingerpost.engine.lazy_pattern import lazy_pattern
from fingerpost.engine.model import Diagnosis, Fix, Replace
from fingerpost.engine.rules.empty_arguments import placeholder_call
from fingerpost.engine.rules.shapes.diagnosis import lossless_arguments, offered, shape_diagnosis
from fingerpost.engine.safety.json_input import as_list, parse_json
from fingerpost.engine.schema import walk as schemas

_MAX_LENGTH = 2048
_PAIR = lazy_pattern(r"(?:--)?([A-Za-z_][\w.-]{0,63})=(\"[^\"]*\"|'[^']*'|[^\s,;&\"']+)")
_PAIRS = lazy_pattern(rf"{_PAIR.pattern}(?:(?:\s*[,;&]\s*|\s+){_PAIR.pattern})*")


def diagnose(case: Case) -> Iterator[Diagnosis]:
    sent = case.call.arguments
    if isinstance(sent, dict):
        return
    fixes = tuple(_find_fixes(case, sent))
    if not fixes and (blank := placeholder_call(case)):
        fixes = (blank,)
    kind = "parameters in one text" if _split_pairs(sent, case) is not None else schemas.type_name(sent)
    yield shape_diagnosis(case, f"The arguments must be an object, got {kind}", fixes, kind)


def _find_fixes(case: Case, sent: Any) -> Iterator[Fix]:
    whole = parse_json(sent) if isinstance(sent, str) else sent
    if isinstance(whole, dict):
        yield lossless_arguments(cast("dict[str, Any]", whole), "The arguments were read from a string of JSON")
    elif len(items := as_list(whole)) == 1 and isinstance(items[0], dict):
        yield lossless_arguments(cast("dict[str, Any]", items[0]), "The arguments were taken out of a list")
    elif isinstance(sent, str) and (pairs := _split_pairs(sent, case)) is not None:
        if pairs and pairs.keys() <= case.tool.params.keys():
            yield offered(Replace((), pairs), 0.8)
    elif len(names := case.tool.required or tuple(case.tool.params)) == 1:
        edit = Replace((), {names[0]: sent})
        if case.tool.accepts(edit.value):
            yield offered(edit, 0.8)


def _split_pairs(sent: Any, case: Case) -> dict[str, Any] | None:
    """Split `path=/a dry_run=true`. Empty if a name repeats; None if the text is something else.

    One pair with an undeclared name may be a value: `status=open` for a query.
    """
    if not isinstance(sent, str) or len(sent) > _MAX_LENGTH or not _PAIRS.fullmatch(sent.strip()):
        return None
    found = _PAIR.findall(sent.strip())
    if len(found) < 2 and found[0][0] not in case.tool.params:
        return None
    values = {name: text.strip("\"'") for name, text in found}
    return values if len(values) == len(found) else {}
