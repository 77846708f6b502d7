"""A typing slip in a short word."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Call, Catalog, admit
from fingerpost.engine.rules.slips import is_slip


@pytest.mark.parametrize(
    ("sent", "known", "tool"),
    [
        ("card_id", "cart_id", "get_cart"),
        ("teaId", "teamId", "get_team"),
        ("pan", "plan", "get_plan"),
        ("jab_id", "job_id", "get_patient"),
        ("mob_id", "job_id", "pause_job"),
        ("later", "latter", "get"),
        ("jobs_id", "job_id", "pause_job"),
        ("id", "ids", "get"),
        ("jab", "job_id", "pause_job"),
        ("jab_ix", "job_id", "pause_job"),
        ("jorb_x", "job_x", "swap_jorb_job"),
    ],
)
def test_a_word_that_people_use_is_no_slip(sent: str, known: str, tool: str) -> None:
    assert not is_slip(sent, known, tool)


@pytest.mark.parametrize(("sent", "known", "tool"), [("chanel", "channel", "post"), ("jab_id", "job_id", "pause_job")])
def test_one_letter_may_be_doubled_or_wrong_in_a_word_of_the_tool(sent: str, known: str, tool: str) -> None:
    assert is_slip(sent, known, tool)


INTEGER = {"type": "integer"}
PAUSE: dict[str, Any] = {
    "name": "pause_job",
    "inputSchema": {
        "type": "object",
        "properties": {"job_id": INTEGER, "minutes": INTEGER},
        "required": ["job_id"],
        "additionalProperties": False,
    },
}


@pytest.mark.parametrize(
    ("sent", "corrected"),
    [
        ({"jab_id": 3}, {"job_id": 3}),
        ({"jab_id": 3, "minuts": 5}, {"job_id": 3, "minutes": 5}),
        ({"jab_id": "three"}, None),
        ({"jab_id": 3, "jub_id": 4}, None),
    ],
)
def test_a_slip_is_offered_if_the_value_fits(sent: dict[str, Any], corrected: dict[str, Any] | None) -> None:
    found = admit(Call("pause_job", sent), Catalog.listed([PAUSE]))
    offered: dict[str, Any] = found.report.corrected.arguments if found.report.corrected else {}
    assert found.action == "refuse"
    if corrected:
        assert offered == corrected
    else:
        assert not any(value in sent.values() for value in offered.values())
