"""A field to sort by and a direction in one value."""

from __future__ import annotations

import pytest

from tests.engine.values.readings import likely, offered, readings

ORDERS = ["name_asc", "name_desc", "price_asc", "price_desc", "newest", "oldest"]
SORT = {"enum": ORDERS}


@pytest.mark.parametrize(
    "sent",
    ["name:desc", "name/desc", "desc:name", "name,desc", "name|desc", "name(desc)", "name.descending", "by name: desc",
     "name-descending", "descending name", "NAME:DESC"],
)  # fmt: skip
def test_words_in_another_order_or_between_other_separators_are_the_same_choice(sent: str) -> None:
    assert readings(sent, SORT, name="sort") == likely("name_desc")


@pytest.mark.parametrize(("sent", "choice"), [("-name", "name_desc"), ("+price", "price_asc"), ("- name", "name_desc")])
def test_a_sign_is_offered_as_the_direction(sent: str, choice: str) -> None:
    assert readings(sent, SORT, name="sort") == offered(choice)


def test_beside_a_choice_with_a_sign_the_other_is_ascending() -> None:
    signed = {"enum": ["name", "-name", "size"]}
    assert readings("name:asc", signed) == likely("name")
    assert readings("name desc", signed) == likely("-name")


@pytest.mark.parametrize(
    "sent", ["size:desc", "size desc", "-size", "name:asc:desc", "-name:asc", "created:ascending", "price:" + "x" * 80]
)
def test_a_choice_with_another_field_is_never_offered(sent: str) -> None:
    assert readings(sent, SORT, name="sort") == readings(sent, {"enum": ORDERS[:2]}, name="sort") == []


@pytest.mark.parametrize("sent", ["price high to low", "price-high", "latest price"])
def test_a_choice_without_the_word_that_others_have_is_never_offered(sent: str) -> None:
    assert not {"newest", "oldest"} & {value for value, _ in readings(sent, SORT, name="sort")}


@pytest.mark.parametrize(
    ("sent", "choices", "choice"),
    [
        ("nmae:desc", ORDERS, "name_desc"), ("created:desc", ["created_at_asc", "created_at_desc"], "created_at_desc"),
    ],
)  # fmt: skip
def test_a_misspelt_or_shorter_field_is_still_found(sent: str, choices: list[str], choice: str) -> None:
    assert readings(sent, {"enum": choices}, name="sort") == offered(choice)
