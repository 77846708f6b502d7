"""An undeclared flag that says what a declared one says, or its opposite."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost.engine.rules.flags import read_flag


@pytest.mark.parametrize(
    ("sent", "value", "known", "meant"),
    [
        ("private", True, "public", False),
        ("private", False, "public", True),
        ("public", True, "internal", False),
        ("private", True, "internal", True),
        ("external", True, "internal", False),
        ("excludeArchived", True, "includeArchived", False),
        ("include_archived", True, "exclude_archived", False),
        ("archived", False, "exclude_archived", True),
        ("exclude_archived", True, "archived", False),
        ("cache", True, "noCache", False),
        ("useCache", False, "noCache", True),
        ("enabled", True, "disabled", False),
        ("enable", True, "enabled", True),
        ("off", True, "enabled", False),
        ("runTests", True, "skipTests", False),
        ("unprotected", True, "protected", False),
        ("preventDowngrade", True, "allowDowngrade", False),
        ("offline", True, "online", False),
        ("inactive", True, "active", False),
        ("no_header", True, "include_header", False),
        ("doNotNotifyCustomer", True, "notifyCustomer", False),
        ("ineligibleForRehire", True, "eligibleForRehire", False),
        ("temporary", True, "permanent", False),
        ("not_disabled", True, "enabled", True),
    ],
)
def test_the_value_is_turned_around_if_one_flag_asks_and_the_other_declines(
    sent: str, value: bool, known: str, meant: bool
) -> None:
    assert read_flag(sent, value, ["verbose", known]) == (known, meant)


@pytest.mark.parametrize(
    ("sent", "value", "known"),
    [
        ("archived", True, ["exclude_archived"]),
        ("exclude_archived", False, ["archived"]),
        ("readOnly", True, ["unreadOnly"]),
        ("dry_run", True, ["restart_identity"]),
        ("apply", True, ["dry_run"]),
        ("stall", True, ["install"]),
        ("cache", True, ["noCache", "cache_enabled"]),
        ("private", "true", ["public"]),
        ("private", None, ["public"]),
        ("keep", True, ["delete"]),
    ],
)
def test_a_flag_about_something_else_or_without_a_clear_value_is_not_read(
    sent: str, value: Any, known: list[str]
) -> None:
    assert read_flag(sent, value, known) is None
