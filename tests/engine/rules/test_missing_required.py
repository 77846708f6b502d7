"""What the corrected call has in the place of a missing argument."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Call, Catalog, admit, render

BUCKET = {"type": "string", "default": "main"}
MODE = {"enum": ["mirror", "copy"], "default": "mirror"}


def answer(arguments: dict[str, Any], properties: dict[str, Any], **annotations: bool) -> str:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    tool = {"name": "sync", "inputSchema": schema, "annotations": annotations}
    return render(admit(Call("sync", arguments), Catalog.listed([tool])).report).text


@pytest.mark.parametrize("annotations", [{}, {"readOnlyHint": False}, {"destructiveHint": True}])
def test_a_default_is_not_chosen_for_the_caller_of_a_tool_that_may_write(annotations: dict[str, bool]) -> None:
    text = answer({}, {"bucket": BUCKET, "mode": MODE}, **annotations)
    assert 'sync(bucket: <string>, mode: <"mirror" or "copy">)' in text
    assert 'default "main"' in text


def test_a_default_is_offered_for_a_tool_that_only_reads() -> None:
    assert 'sync(bucket: "main")' in answer({}, {"bucket": BUCKET}, readOnlyHint=True)


def test_a_constant_is_offered_for_every_tool() -> None:
    assert "sync(version: 2)" in answer({}, {"version": {"const": 2}}, destructiveHint=True)
