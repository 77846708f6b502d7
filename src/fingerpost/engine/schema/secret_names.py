"""Find the parameters that a schema declares secret: `writeOnly`, `format: password`."""

from __future__ import annotations

from typing import Any

from fingerpost.engine.safety.json_input import as_list, as_object
from fingerpost.engine.schema.walk import MAX_NODES, Schema, layers


def find_secret_names(root: Schema) -> frozenset[str]:
    """Return the properties, at any depth, that the schema declares secret."""
    found, seen = set[str](), set[int]()
    pending: list[Any] = [root]
    while pending and len(seen) < MAX_NODES:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        found |= {
            name for name, schema in as_object(as_object(node).get("properties")).items() if _is_secret(root, schema)
        }
        pending += [inner for inner in (*as_object(node).values(), *as_list(node)) if isinstance(inner, dict | list)]
    return frozenset(found)


def _is_secret(root: Schema, node: Any) -> bool:
    return any(layer.get("writeOnly") is True or layer.get("format") == "password" for layer in layers(root, node))
