"""Words for no limit: for a filter, and for a date that never comes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.values.readings import BOOLEAN, INTEGER, LEFT_OUT, offered, readings, text

STATUS = {"type": "string", "enum": ["draft", "published"]}
DATE = {"type": "string", "format": "date"}
DATE_OR_NULL = {"type": ["string", "null"], "format": "date"}
RATED = {"type": "boolean"}


@pytest.mark.parametrize("sent", ["all", "any", "Both", "*", "everything"])
@pytest.mark.parametrize("schema", [STATUS, RATED, {**STATUS, "description": "If omitted, all. Default: all."}])
def test_a_word_for_everything_is_offered_to_be_left_out_of_a_filter(sent: str, schema: dict[str, Any]) -> None:
    assert readings(sent, schema, name="status", read_only=True) == offered(LEFT_OUT)
    assert "status is optional, so it can be left out." in text(sent, schema, name="status", read_only=True)


@pytest.mark.parametrize("schema", [STATUS, RATED, DATE])
def test_it_stays_in_a_call_that_may_write_which_says_that_it_is_optional(schema: dict[str, Any]) -> None:
    assert readings("all", schema, name="status") == []
    assert "status: <" in text("all", schema, name="status")
    assert "status is optional." in text("all", schema, name="status")
    assert "optional" not in text("all", schema, name="status", required=True)


@pytest.mark.parametrize(
    "schema", [{**STATUS, "default": "draft"}, {**STATUS, "description": "Defaults to draft."}, BOOLEAN, INTEGER]
)
def test_a_filter_with_a_default_cannot_be_left_out_for_everything(schema: dict[str, Any]) -> None:
    assert readings("all", schema, name="status", read_only=True) == []
    assert "optional" not in text("all", schema, name="status", read_only=True)


@pytest.mark.parametrize("name", ["unit", "sort_order", "format"])
def test_what_says_how_a_result_looks_is_no_filter(name: str) -> None:
    assert readings("both", STATUS, name=name, read_only=True) == []


def test_a_choice_for_everything_is_the_better_answer() -> None:
    assert readings("all", {"enum": ["any", "draft"]}, read_only=True) == offered("any")


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize("sent", ["never", "Forever", "no expiry", "unlimited"])
def test_a_date_that_never_comes_is_null(sent: str, read_only: bool) -> None:
    assert readings(sent, DATE_OR_NULL, name="expires", read_only=read_only) == offered(None)
    assert "expires is optional." in text(sent, DATE, name="expires", read_only=read_only)
    assert "uses may be null." in text(sent, {"type": ["integer", "null"]}, name="uses", read_only=read_only)


@pytest.mark.parametrize("required", [True, False])
def test_a_blank_for_a_date_that_may_be_null_is_null(required: bool) -> None:
    assert readings("", DATE_OR_NULL, required=required) == readings(" ", DATE_OR_NULL, required=required)
    assert readings("", DATE_OR_NULL, required=required) == offered(None)
    assert readings([], {**DATE_OR_NULL, "type": "null"}, required=True) == []


@pytest.mark.parametrize(
    "schema", [INTEGER, STATUS, {**DATE, "default": "2026-01-31"}, {**DATE, "description": "Default: 1 day"}]
)
def test_never_is_no_reason_to_leave_out_what_the_tool_then_chooses(schema: dict[str, Any]) -> None:
    assert "optional" not in text("never", schema)
