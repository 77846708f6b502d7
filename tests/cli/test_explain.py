"""`fingerpost explain`: the pages of the codes."""

from __future__ import annotations

import pytest

from fingerpost.cli.main import main


def test_explain_lists_every_code_with_its_first_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == sorted(lines)
    assert "UNKNOWN_PARAM        The call passes an argument that the tool does not declare." in lines


@pytest.mark.parametrize("spelling", ["UNKNOWN_PARAM", "unknown-param", "unknown_param"])
def test_explain_prints_the_page_of_a_code(spelling: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", spelling]) == 0
    assert capsys.readouterr().out.startswith("# UNKNOWN_PARAM\n")
