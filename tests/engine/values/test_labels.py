"""Words for numbers that stand for choices: the code is offered, and no code is ever an example."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.values.readings import offered, readings, text

ROLE = {"type": "integer", "enum": [0, 1, 2, 4], "description": "Role (0: Owner, 1: Admin, 2: User, 4: Secure Note)"}
ALTERNATIVES = {
    "oneOf": [
        {"type": "integer", "const": 0, "title": "Owner"},
        {"type": "integer", "const": 2, "title": "User"},
        {"type": "integer", "const": 4, "title": "Secure Note"},
    ]
}
POLICY = {"type": "integer", "minimum": 0, "maximum": 15, "default": 3, "description": "0=Two, 2=User, 4=SecureNote"}


@pytest.mark.parametrize("schema", [ROLE, ALTERNATIVES, POLICY])
@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize(
    ("sent", "code"), [("User", 2), ("user", 2), ("secure note", 4), ("SecureNote", 4), ("User role", 2)]
)
def test_the_code_of_a_label_is_offered(schema: dict[str, Any], read_only: bool, sent: str, code: int) -> None:
    assert readings(sent, schema, read_only=read_only) == offered(code)


@pytest.mark.parametrize("schema", [ROLE, ALTERNATIVES, POLICY])
@pytest.mark.parametrize("sent", ["Member", "not user", ["User"], True, {"a": 1}])
def test_another_word_has_no_code(schema: dict[str, Any], sent: Any) -> None:
    assert readings(sent, schema) == []
    words = text(sent, schema)
    assert "Use a number: p" not in words
    assert "2 (User)" in words or "2 = User" in words


def test_codes_in_texts_and_in_lists_are_offered_too() -> None:
    assert readings("on", {"enum": ["0", "1"], "description": "0=Off, 1=On"}) == offered("1")
    assert readings("on", {"enum": ["0", "1"], "description": "0=Enabled, 1=Disabled"}) == offered("0")
    assert readings("on", {"enum": ["0", "1"], "description": "0=Left, 1=Right"}) == []
    items = {"type": "array", "items": {"enum": [3, 5]}, "description": "3: Card, 5: Note"}
    assert "p: [3]" in text(["card"], items)


def test_meanings_stand_in_the_placeholder_or_in_a_line() -> None:
    assert text("x", ROLE) == (
        "Parameter 'p' must be integer, got string.\n"
        "Fill in: t(p: <0 (Owner) or 1 (Admin) or 2 (User) or 4 (Secure Note)>)\nUse a number."
    )
    assert text("x", POLICY).endswith("p: 0 = Two, 2 = User, 4 = SecureNote.")
    assert "got 7" in text(7, ROLE)
    assert "must be one of 0 (Owner), 1 (Admin)" in text(7, ROLE)


def test_a_long_list_of_meanings_is_cut() -> None:
    every = ", ".join(f"{code}: Kind{chr(65 + code)}" for code in range(20))
    assert text("x", {"type": "integer", "description": every}).endswith("15 = KindP and 4 more.")


def test_numbers_without_meanings_are_no_examples_either() -> None:
    assert text("x", {"enum": [0, 1], "type": "integer"}).endswith("Use a number.")
    assert text("x", {"type": "integer", "description": "0 means off", "default": 5}).endswith("Use a number.")
    assert text("x", {"type": "integer", "default": 5}).endswith("Use a number: p: 5.")
