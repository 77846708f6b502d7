"""`fingerpost demo`: wrong calls with and without guidance."""

from __future__ import annotations

import io
import shlex
import subprocess
import sys

import pytest

from fingerpost.cli.demonstration import demonstrate
from fingerpost.cli.main import main


def test_demo_shows_every_wrong_call_with_and_without_guidance(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo"]) == 0
    out = capsys.readouterr().out
    assert out.count("│ with Fingerpost") == 10
    assert "Bare             8 stuck, 1 wrong and unnoticed, 1 refused" in out
    assert "With Fingerpost  4 right after one retry, 3 right at once, 2 told what to fill in, 1 refused" in out
    assert "\x1b[" not in out
    assert max(map(len, out.splitlines())) <= 100


class Narrow(io.StringIO):
    """A terminal of sixty columns that can print only ASCII."""

    encoding = "ascii"

    def isatty(self) -> bool:
        return True


def test_demo_fits_a_narrow_ascii_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("NO_COLOR", "1")
    demonstrate(out := Narrow())
    text = out.getvalue()
    assert text.isascii()
    assert max(len(line) for line in text.splitlines() if " | " in line) <= 60


def test_demo_exits_silently_when_its_reader_closes_the_pipe() -> None:
    line = f"{shlex.quote(sys.executable)} -m fingerpost demo | head -1"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout[:21], done.stderr) == (" 1 a misspelled tool:", "")


def test_demo_names_the_missing_extra(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name in [name for name in sys.modules if name.startswith("fingerpost.servers.code")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "tree_sitter_language_pack", None)
    assert main(["demo"]) == 2
    assert "Install it with: pip install 'fingerpost[code]'" in capsys.readouterr().err
