"""`fingerpost closest`: the closest names and their evidence."""

from __future__ import annotations

import io
import json
import sys

import pytest

from fingerpost.cli.main import main


def test_closest_prints_each_match_with_its_evidence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["closest", "filtr", "filter", "file_filter", "--kind", "parameter"]) == 0
    assert capsys.readouterr().out == (
        "filter  0.99  a fix\n"
        "  for: the same except for a misspelling (strength 0.86)\n"
        "  filtr spelled like filter\n"
        "file_filter  0.73  listed\n"
        "  for: all the words of one are in the other (strength 0.44)\n"
        "  filtr spelled like filter\n"
        "  against: a word of one name has no counterpart in the other, or only a synonym\n"
    )


def test_closest_exits_with_1_without_a_clear_match(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["closest", "q", "query", "--kind", "parameter"]) == 1
    assert "q means query" in capsys.readouterr().out
    assert main(["closest", "xyzzy", "query"]) == 1
    assert capsys.readouterr().out == "No name is close to 'xyzzy'.\n"


def test_closest_reads_names_from_standard_input_and_prints_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("pattern\n\nfilter\n"))
    assert main(["closest", "patern", "-", "--kind", "parameter", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["name"], found["confidence"], found["is_clear"]) == ("pattern", 0.99, True)
    assert found["evidence"][1] == "  patern spelled like pattern"
