"""Measure what large inputs cost: CPU milliseconds to judge a call, explain it and render the answer."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from bench.table import Row
from fingerpost import Call, Catalog, admit, enrich, render

_GOAL = "≤ 20 ms"
_ROUNDS = 3
_ITEM = {
    "type": "object",
    "properties": {"sku": {"type": "string"}, "quantity": {"type": "integer"}, "note": {"type": "string"}},
    "required": ["sku", "quantity"],
}
_ITEMS = {"items": {"type": "array", "items": _ITEM}}
_REFUSAL = {"isError": True, "content": [{"type": "text", "text": "bad input"}]}


def bounds() -> Iterator[Row]:
    for name, (properties, arguments) in _inputs().items():
        schema = {"type": "object", "properties": properties, "required": list(properties)}
        catalog = Catalog.listed([{"name": "t", "annotations": {"readOnlyHint": True}, "inputSchema": schema}])
        admit(Call("t", {}), catalog)  # compiles the schema
        judged, enriched = _measure(Call("t", arguments), catalog)
        yield f"{name}: judge and render", f"{judged * 1e3:.1f} ms", _GOAL
        yield f"{name}: enrich", f"{enriched * 1e3:.1f} ms", _GOAL


def _measure(call: Call, catalog: Catalog) -> tuple[float, float]:
    """Return the least CPU seconds for the judgement and for the guidance on the server's reply."""
    judged, enriched = list[float](), list[float]()
    for _ in range(_ROUNDS):
        start = time.process_time()
        verdict = admit(call, catalog)
        render(verdict.report)
        middle = time.process_time()
        enrich(call, _REFUSAL, catalog, verdict=verdict)
        judged.append(middle - start)
        enriched.append(time.process_time() - middle)
    return min(judged), min(enriched)


def _inputs() -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    number, text = {"type": "integer"}, {"type": "string"}
    choices = [f"choice-{index}-{index * 7919 % 9000}" for index in range(9000)]
    nested = {"type": "array", "items": _alternatives(4)}
    return {
        "right call with 10,000 items": (_ITEMS, {"items": [{"sku": "a", "quantity": 1}] * 10_000}),
        "10,000 misspelled fields": (_ITEMS, {"items": [{"sku": "a", "quantty": 1} for _ in range(10_000)]}),
        "10,000 numbers as text": (_ITEMS, {"items": [{"sku": "a", "quantity": "1"} for _ in range(10_000)]}),
        "10,000 items with two slips": (_ITEMS, {"items": [{"sku": "a", "quantty": "1"} for _ in range(10_000)]}),
        "10,000 items with three slips": (_ITEMS, {"items": [{"skuu": 1, "quantty": "1"} for _ in range(10_000)]}),
        "2,000 items under anyOf 4 x 3": ({"items": nested}, {"items": [_value(4) for _ in range(2_000)]}),
        "anyOf 6 x 3": ({"v": _alternatives(6)}, {"v": _value(6)}),
        "enum of 9,000": ({"v": {"enum": choices}}, {"v": "choce-17-x"}),
        "10,000 unknown arguments": ({"v": text}, {"v": "x", **{f"unknown{one}": one for one in range(10_000)}}),
        "../ x 100,000": ({"path": text, "n": number}, {"path": "../" * 100_000}),
        "name of 1 MB": ({"v": text}, {"v": "x", "y" * 1_000_000: 1}),
        "text of 1 MB": ({"n": number}, {"n": "x" * 1_000_000}),
    }


def _alternatives(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(levels):
        branches = [{"k": schema, f"t{index}": {"type": "string"}} for index in range(3)]
        schema = {"anyOf": [{"type": "object", "properties": one, "required": ["k"]} for one in branches]}
    return schema


def _value(levels: int) -> Any:
    value: Any = "no"
    for _ in range(levels):
        value = {"k": value}
    return value
