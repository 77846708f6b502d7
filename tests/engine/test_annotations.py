"""What an author declares about the effects of tools."""

# pyright: basic
from __future__ import annotations

from typing import Any

import pytest

from fingerpost.engine.annotations import Effects


@pytest.mark.parametrize("declared", ["no", None, 1, lambda: True, lambda one, two: True])
def test_a_declaration_that_is_no_bool_and_no_function_of_the_arguments_is_an_error(declared: Any) -> None:
    with pytest.raises(TypeError, match=r"write\['save'\] must be true, false, or a function that takes the arguments"):
        Effects({"save": declared})


@pytest.mark.parametrize("declared", [True, False, bool, max, lambda arguments: False])
def test_any_function_of_the_arguments_is_accepted(declared: Any) -> None:
    assert Effects({"save": declared})
