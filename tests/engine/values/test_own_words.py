"""Booleans in the words of the parameter's own name."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.values.readings import likely, offered, readings, text

FLAG = {"type": "boolean"}


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("dry_run", "run"), ("dry_run", "not dry"), ("dry_run", "not run"), ("soft_delete", "delete"),
        ("exclude_archived", "archived"), ("exclude_archived", "not archived"), ("hide_deleted", "undeleted"),
        ("include_archived", "not archived"), ("skip_tests", "tests"), ("not_seen", "seen"), ("no_cache", "cache"),
        ("pre_approved", "not approved"), ("public", "not private"), ("disabled", "enabled"),
        ("is_disabled", "disable"),
        ("disable_cache", "enabled"), ("final", "false positive"), ("final", "unknown"), ("final", "maybe"),
        ("final", "not"), ("final", "not entirely final"), ("archived", "active"), ("paid", "free"), ("is", "not is"),
        ("final", "x" * 40), ("b_c_d_e_f", "not b_c_d_e_f"), ("queen_seen", "not queen"),
    ],
)  # fmt: skip
def test_a_word_that_may_mean_the_opposite_gets_no_value(name: str, sent: str) -> None:
    assert readings(sent, FLAG, name=name, read_only=True) == []
    displayed = text(sent, FLAG, name=name, required=True)
    assert f"{name}: true" not in displayed
    assert f"{name}: false" not in displayed


@pytest.mark.parametrize(
    ("name", "sent", "meaning"),
    [
        ("queen_seen", "not seen", False), ("queen_seen", "unseen", False), ("queen_seen", "queen seen", True),
        ("public", "private", False), ("public", "Public", True), ("active", "inactive", False),
        ("is_admin", "not an admin", False), ("urgent", "non-urgent", False), ("invoice_paid", "unpaid", False),
        ("final", "not yet", False), ("confirmed", "isn't confirmed", False),
    ],
)  # fmt: skip
def test_the_name_of_the_flag_and_its_negation_are_offered(name: str, sent: str, meaning: bool) -> None:
    assert readings(sent, FLAG, name=name, read_only=True) == offered(meaning)


@pytest.mark.parametrize(("sent", "meaning"), [("nope", False), ("Nah", False), ("yep", True), ("yeah", True)])
def test_other_words_for_yes_and_no_are_likely(sent: Any, meaning: bool) -> None:
    assert readings(sent, FLAG, read_only=True) == likely(meaning)


def test_on_and_off_stay_values_of_a_switch() -> None:
    assert readings("on", FLAG, name="disabled") == likely(value=True)
    assert readings("disabled", FLAG, name="enabled") == likely(value=False)


@pytest.mark.parametrize("name", ["force", "confirm", "overwrite", "recursive"])
def test_the_name_alone_says_nothing_on_a_tool_that_may_write(name: str) -> None:
    assert readings(name, FLAG, name=name) == []
    assert readings(f"not {name}", FLAG, name=name) == offered(*[False])
