"""An undeclared flag that says what a declared one says, or its opposite."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Call, Catalog, admit, render
from fingerpost.engine.rules.flags import read_choice, read_direction, read_flag, read_order


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
        ("uninsured", True, "insured", False),
        ("insured", False, "uninsured", True),
        ("unverified", True, "verified", False),
        ("non-final", True, "final", False),
        ("nonfinal", True, "final", False),
        ("preliminary", True, "final", False),
        ("disconnected", True, "connected", False),
        ("disapproved", True, "approved", False),
        ("incomplete", True, "complete", False),
        ("ignore_case", True, "case_sensitive", False),
        ("ignoreCase", False, "caseSensitive", True),
        ("case_insensitive", True, "match_case", False),
        ("ascending", True, "descending", False),
        ("sort_desc", False, "sort_ascending", True),
        ("read_only", True, "can_edit", False),
        ("readonly", False, "editable", True),
        ("no_reminder", True, "remind", False),
        ("keep_backup", True, "backup", True),
        ("preserve_existing", True, "overwrite", False),
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
        ("discharged", True, ["charged"]),
        ("displayed", True, ["played"]),
        ("installed", True, ["stalled"]),
        ("informed", True, ["formed"]),
        ("unit", True, ["it"]),
        ("index", True, ["dex"]),
        ("notify", True, ["tify"]),
        ("inactive", True, ["archived"]),
        ("include_case", True, ["case_sensitive"]),
        ("case", True, ["case_sensitive"]),
        ("sensitive", True, ["enabled"]),
        ("sensitive", True, ["case_sensitive"]),
        ("keep_deleted", True, ["deleted"]),
        ("semifinal", True, ["final"]),
        ("can_delete", True, ["delete"]),
        ("may_publish", True, ["publish"]),
        ("read", True, ["can_edit"]),
        ("only", True, ["can_edit"]),
    ],
)
def test_a_flag_about_something_else_or_without_a_clear_value_is_not_read(
    sent: str, value: Any, known: list[str]
) -> None:
    assert read_flag(sent, value, known) is None


@pytest.mark.parametrize(
    ("sent", "value", "choices", "meant"),
    [
        ("ascending", False, ["asc", "desc"], "desc"),
        ("descending", True, ["ASC", "DESC"], "DESC"),
        ("sort_desc", False, ["descending", "ascending"], "ascending"),
        ("order_asc", True, ["asc", "desc"], "asc"),
    ],
)
def test_a_flag_for_a_direction_is_the_choice_of_the_only_parameter_for_directions(
    sent: str, value: bool, choices: list[Any], meant: str
) -> None:
    assert read_direction(sent, value, {"format": ["csv", "json"], "sort": choices}) == ("sort", meant)


@pytest.mark.parametrize(
    ("sent", "value", "choices"),
    [
        ("ascending", "no", {"sort": ["asc", "desc"]}),
        ("ascending", False, {"sort": ["asc", "desc", "none"]}),
        ("ascending", False, {"sort": ["asc", "desc", 1]}),
        ("ascending", False, {"sort": ["up", "down"]}),
        ("ascending", False, {"sort": ["asc", "desc"], "order": ["asc", "desc"]}),
        ("price_ascending", True, {"sort": ["asc", "desc"]}),
        ("reverse", True, {"sort": ["asc", "desc"]}),
        ("sorted", True, {"sort": ["asc", "desc"]}),
    ],
)
def test_a_flag_is_no_direction_if_it_says_more_or_no_single_parameter_takes_one(
    sent: str, value: Any, choices: dict[str, list[Any]]
) -> None:
    assert read_direction(sent, value, choices) is None


PUBLISH: dict[str, Any] = {
    "name": "publish_results",
    "inputSchema": {
        "type": "object",
        "properties": {
            "district": {"type": "string"},
            "final": {"type": "boolean"},
            "order": {"type": "string", "enum": ["asc", "desc"]},
        },
        "required": ["district"],
        "additionalProperties": False,
    },
}


@pytest.mark.parametrize(
    ("sent", "corrected"),
    [
        ({"non-final": "true"}, {"final": False}),
        ({"preliminary": False}, {"final": True}),
        ({"descending": True}, {"order": "desc"}),
        ({"non-final": "soon"}, None),
        ({"non-final": 1}, None),
    ],
)
def test_what_a_flag_says_is_only_offered(sent: dict[str, Any], corrected: dict[str, Any] | None) -> None:
    found = admit(Call("publish_results", {"district": "N", **sent}), Catalog.listed([PUBLISH]))
    assert found.action == "refuse"
    assert not any(fix.label for one in found.report.diagnoses for fix in one.fixes)
    assert (found.report.corrected and found.report.corrected.arguments) == (
        corrected and {"district": "N", **corrected}
    )


@pytest.mark.parametrize(
    ("sent", "known"),
    [
        ("if_not_exists", "if_exists"), ("unless_exists", "exists"), ("not_exists", "if_exists"),
        ("when_idle", "not_when_idle"), ("if_exists", "if_not_exists"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("value", [True, False])
def test_a_condition_is_not_turned_around(sent: str, known: str, *, value: bool) -> None:
    assert read_flag(sent, value, [known]) is None


@pytest.mark.parametrize("sent", ["deny", "allow", "skip", "prevent", "show", "use", "run", "include", "suppress"])
@pytest.mark.parametrize("value", [True, False])
def test_only_on_and_off_are_about_being_enabled(sent: str, *, value: bool) -> None:
    assert read_flag(sent, value, ["enabled"]) is None
    assert read_flag(sent, value, ["disabled"]) is None


def test_to_deny_is_not_to_allow() -> None:
    assert read_flag("deny", True, ["allow", "enabled"]) == ("allow", False)
    assert read_flag("is_on", False, ["allow", "enabled"]) == ("enabled", False)


CHOICES: dict[str, list[Any]] = {"visibility": ["public", "private"], "state": ["draft", "open", "closed"], "n": [1, 2]}


@pytest.mark.parametrize(
    ("sent", "value", "reading"),
    [
        ("private", True, ("visibility", "private")),
        ("is_private", True, ("visibility", "private")),
        ("private", False, ("visibility", "public")),
        ("draft", True, ("state", "draft")),
        ("draft", False, None),
        ("private", "yes", None),
        ("secret", True, None),
    ],
)
def test_a_flag_with_the_name_of_a_choice_is_that_choice(sent: str, value: Any, reading: Any) -> None:
    assert read_choice(sent, value, CHOICES) == reading


def test_a_flag_for_two_parameters_is_for_neither() -> None:
    assert read_choice("private", True, {"visibility": ["private"], "network": ["private"]}) is None


def test_the_only_other_choice_must_be_a_text() -> None:
    assert read_choice("auto", False, {"size": ["auto", 1]}) is None


@pytest.mark.parametrize(
    ("sent", "value", "flags", "meant"),
    [
        ("order", "desc", ["descending", "overdue"], ("descending", True)),
        ("sort_dir", "Ascending", ["descending"], ("descending", False)),
        ("direction", "asc", ["sort_ascending"], ("sort_ascending", True)),
        ("order", "desc", ["ascending", "descending"], None),
        ("order", "title", ["descending"], None),
        ("order", True, ["descending"], None),
        ("status", "desc", ["descending"], None),
    ],
)
def test_a_direction_in_words_is_read_as_the_only_flag_about_it(
    sent: str, value: Any, flags: list[str], meant: tuple[str, bool] | None
) -> None:
    assert read_order(sent, value, flags) == meant


def test_a_direction_does_not_become_the_field_to_sort_by() -> None:
    choices = {"sort_by": {"enum": ["due_on", "title"]}, "descending": {"type": "boolean"}}
    schema = {"type": "object", "properties": {"reader": {"type": "string"}, **choices}, "required": ["reader"]}
    catalog = Catalog.listed([{"name": "list_loans", "inputSchema": schema, "annotations": {"readOnlyHint": True}}])
    error = render(admit(Call("list_loans", {"reader": "R", "order": "desc"}), catalog).report).structured["error"]
    assert error["corrected_call"]["arguments"] == {"reader": "R", "descending": True}
