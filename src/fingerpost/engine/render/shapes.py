"""Convert an error between three shapes with the same content: `nested`, `envelope` and `flat`.

`nested` is the canonical one. `envelope` puts the outcome first (`status`, `ok`). `flat` moves what a simple client
branches on (`error_type`, `parameter`, `got`, `expected`, `likely_fix`) to the top level.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

Shape: TypeAlias = Literal["nested", "envelope", "flat"]

_TOP_LEVEL = ("parameter", "step", "got", "expected")


def reshape(structured: dict[str, Any], shape: Shape) -> dict[str, Any]:
    """Convert a structure from any of the three shapes to `shape`."""
    nested = as_nested(structured)
    if shape == "envelope":
        return _as_envelope(nested)
    return _as_flat(nested) if shape == "flat" else nested


def as_nested(structured: dict[str, Any]) -> dict[str, Any]:
    """Convert a structure from any of the three shapes to the nested one."""
    if "error_detail" in structured or "ok" in structured:
        return _from_envelope(structured)
    if isinstance(structured.get("error"), str):
        return _from_flat(structured)
    return structured


def _as_envelope(nested: dict[str, Any]) -> dict[str, Any]:
    if "error" not in nested:
        return {"status": "ok", "ok": True, **nested}
    detail = dict(nested["error"])
    routing = {"routing_hint": detail.pop("routing_hint")} if "routing_hint" in detail else {}
    beside = {key: value for key, value in nested.items() if key != "error"}
    return {
        "status": "error",
        "ok": False,
        "error": detail.get("message", ""),
        "error_detail": detail,
        **routing,
        **beside,
    }


def _from_envelope(envelope: dict[str, Any]) -> dict[str, Any]:
    beside = {k: v for k, v in envelope.items() if k not in ("status", "ok", "error", "error_detail", "routing_hint")}
    if envelope.get("ok") is True:
        return beside
    routing = {"routing_hint": envelope["routing_hint"]} if "routing_hint" in envelope else {}
    return {"error": {**envelope["error_detail"], **routing}, **beside}


def _as_flat(nested: dict[str, Any]) -> dict[str, Any]:
    if "error" not in nested:
        return nested
    error = dict(nested["error"])
    details, suggestions = dict(error.pop("details", {})), dict(error.pop("suggestions", {}))
    code = error.pop("code", "")
    flat = {"error": error.pop("message", ""), "error_type": code.lower()}
    flat |= {key: details.pop(key) for key in _TOP_LEVEL if key in details}
    flat |= {key: suggestions.pop(key) for key in ("likely_fix",) if key in suggestions}
    flat |= {"code": code} if code.lower().upper() != code else {}
    flat |= {"details": details} if details else {}
    flat["suggestions"] = suggestions
    return {**flat, **error, **{key: value for key, value in nested.items() if key != "error"}}


def _from_flat(flat: dict[str, Any]) -> dict[str, Any]:
    rest = dict(flat)
    error: dict[str, Any] = {"code": rest.pop("error_type", "").upper(), "message": rest.pop("error")}
    lifted = {key: rest.pop(key) for key in _TOP_LEVEL if key in rest}
    likely = {key: rest.pop(key) for key in ("likely_fix",) if key in rest}
    details, suggestions = {**lifted, **rest.pop("details", {})}, {**rest.pop("suggestions", {}), **likely}
    beside = {key: rest.pop(key) for key in ("warnings",) if key in rest}
    return {
        "error": {**error, **rest, **({"details": details} if details else {}), "suggestions": suggestions},
        **beside,
    }
