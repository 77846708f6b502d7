"""Test which values and texts are shown, and in what form."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost.engine.phrases import count_noun, format_path, join_names, literal, quote
from fingerpost.engine.safety.redact import clean, is_clean, is_harmless, looks_random, safe_value, scrub


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("  two  words ", "two words"),
        ("a\nb\tc", "a b c"),
        ("a\x00\x1b[31mb", "a[31mb"),
        ("\u202eevil\u200b\ufeff", "evil"),
        ("tag\U000e0041\ufe0f", "tag"),
        ("日本語 ok", "日本語 ok"),
        ("\ud800x", "x"),
        ("x" * 65, "x" * 63 + "…"),
        ("\u200b" * 300 + "tail", "…"),
    ],
)
def test_text_is_cleaned_to_one_visible_line(text: str, expected: str) -> None:
    assert clean(text) == expected
    assert is_clean(expected) or expected.endswith("…")


@pytest.mark.parametrize(
    ("value", "key", "expected"),
    [
        ("User", "pattern", "User"),
        ("hunter2", "password", "a string of 7 characters"),
        ("hunter2", "login.dbPassword", "a string of 7 characters"),
        (1234, "pin", "a hidden value"),
        (100, "max_tokens", 100),
        ("abc", "max_tokens", "a string of 3 characters"),
        (True, "dry_run", True),
        (10**30, "n", "an integer of more than 20 digits"),
        ([1, "a"], "tags", [1, "a"]),
        (["x" * 40], "tags", "an array of 1 item"),
        ({"a": {"b": 1}}, "o", "an object with 1 key"),
        ({"token": "x"}, "o", "an object with 1 key"),
        ({"a": 1}, "o", {"a": 1}),
    ],
)
def test_a_value_is_shown_only_where_it_is_short_and_harmless(value: Any, key: str, expected: Any) -> None:
    assert safe_value(value, key) == expected


@pytest.mark.parametrize(
    "text",
    [
        "550e8400-e29b-41d4-a716-446655440000", "ghp_abcdefghijkl", "eyJhbGciOiJIUzI1NiJ9", "Bearer abcdefgh",
        "d41d8cd98f00b204e9800998ecf8427e", "xK9pQ2mZ7vL4nR8t", "JNZxhjgkFjtFKdLMOc-l2b_e7ns",
    ],
)  # fmt: skip
def test_keys_and_hashes_look_random(text: str) -> None:
    assert looks_random(text)
    assert not is_harmless(text)


@pytest.mark.parametrize(
    "text",
    [
        "getUserByIdFromDatabase", "src/components/UserProfile.tsx", "2026-01-31T09:30:00Z", "a sentence with words",
        "SELECT name FROM users", "https://example.com/a/b?c=1", "^function.*authenticate", "v1.2.3-beta",
    ],
)  # fmt: skip
def test_text_that_people_write_does_not_look_random(text: str) -> None:
    assert not looks_random(text)


def test_names_paths_and_counts_are_formatted() -> None:
    assert quote("search") == "'search'"
    assert quote("two words") == '"two words"'
    assert quote("") == '""'
    assert format_path(("factors", 1, "numerator")) == "factors[1].numerator"
    assert join_names(["a"]) == "'a'"
    assert join_names(["a", "b", "c"], last="or") == "'a', 'b' or 'c'"
    assert join_names([str(n) for n in range(10)], limit=2) == "'0', '1' and 8 more"
    assert (count_noun(1, "item"), count_noun(1200, "item")) == ("1 item", "1,200 items")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", '"a"'),
        (None, "null"),
        (float("nan"), "<as sent>"),
        (10**30, "<as sent>"),
        ({"a": [1, {"password": "x"}]}, '{"a": [1, {"password": <as sent>}]}'),
        ([[[[[[[[[1]]]]]]]]], "[[[[[[[[<as sent>]]]]]]]]"),
        ("x" * 65, "<as sent>"),
    ],
)
def test_a_literal_can_be_copied_or_is_written_as_sent(value: Any, text: str) -> None:
    assert literal(value) == text


@pytest.mark.parametrize("text", ["src/auth.py:42: unexpected indent", 'see "lib/token.ts:Token.parse"', "pin.rs:7"])
def test_a_position_in_a_source_file_is_no_secret(text: str) -> None:
    assert scrub(text, 200) == text


@pytest.mark.parametrize("text", ["auth.key:hunter2", "config.token: hunter2", "password.value=hunter2"])
def test_text_after_the_name_of_a_secret_is_hidden(text: str) -> None:
    assert "hunter2" not in scrub(text, 200)
