"""ripgrep as a subprocess: time limit, unreadable paths, unusual output, and a missing folder or program."""

# pyright: basic
from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from fingerpost.servers.code.ripgrep import find_ripgrep
from fingerpost.terminal.command_error import CommandError
from tests.support.code_server import (
    CodeServer,
    ripgrep_output,
    write_fake_ripgrep,
    write_files,
)


def test_binary_and_very_large_files_are_skipped(tmp_path: Path) -> None:
    late = b"needle\n" * 20_000 + b"\0" + b"needle\n"
    huge = b"needle " * (3 * 1024 * 1024)
    files = {"a.bin": b"\0needle\n", "late.dat": late, "huge.txt": huge, "ok.txt": b"needle\n"}
    assert CodeServer(write_files(tmp_path, files)).ids("needle") == ["ok.txt:L1"]


def test_a_line_with_very_many_matches_is_one_hit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.servers.code.ripgrep._MAX_EVENT_SIZE", 300_000)
    code = CodeServer(write_files(tmp_path, {"a.txt": "ab" * 50_000 + "\n", "b.txt": "b\n"}))
    page = code.search("b")
    assert [one["id"] for one in page["results"]] == ["b.txt:L1", "a.txt:L1"]


def test_an_incomplete_line_of_output_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = f"import sys; sys.stdout.write({ripgrep_output('a.txt', 'x y')!r}); sys.stdout.write('{{' * 5_000)"
    monkeypatch.setattr("fingerpost.servers.code.ripgrep._MAX_EVENT_SIZE", 1_000)
    write_files(tmp_path, {"a.txt": "x y\n"})
    assert CodeServer(tmp_path, binary=write_fake_ripgrep(tmp_path, script)).ids("x") == ["a.txt:L1"]


def test_a_search_that_times_out_suggests_a_filter(tmp_path: Path) -> None:
    code = CodeServer(tmp_path, binary=write_fake_ripgrep(tmp_path, "import time; time.sleep(60)"), seconds=0.3)
    error = code.error("search", pattern="x")
    assert (error.code, error.category) == ("TIMEOUT", "timeout")
    assert error.hint == 'Narrow it with a filter such as: search(pattern: "x", filter: "src/**")'


def test_hits_found_before_a_timeout_are_a_partial_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Timer:
        """Goes off as soon as something was written, however long that takes."""

        daemon = False

        def __init__(self, _seconds: float, end: Any, of: Any) -> None:
            self._thread = Thread(target=self._wait, args=(end, of))

        def start(self) -> None:
            self._thread.start()

        def _wait(self, end: Any, of: Any) -> None:
            while not (tmp_path / ".written").exists():
                time.sleep(0.01)
            end(*of)

        def cancel(self) -> None:
            self._thread.join()

    monkeypatch.setattr("fingerpost.servers.code.ripgrep.threading.Timer", Timer)
    script = f"import sys, time; sys.stdout.write({ripgrep_output('a.txt', 'x y')!r}); sys.stdout.flush()\n"
    script += "open('.written', 'w').close(); time.sleep(60)"
    write_files(tmp_path, {"a.txt": "x y\n"})
    page = CodeServer(tmp_path, binary=write_fake_ripgrep(tmp_path, script)).search("x")
    assert (page["partial"], page["returned"]) == (True, 1)
    assert page["warnings"] == ["The search was stopped for taking too long: there may be more"]
    assert page["next_steps"]["retry_failed"] == 'search(pattern: "x", filter: "src/**")'


def test_unreadable_paths_make_a_partial_result(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        f"sys.stdout.write({ripgrep_output('a.txt', 'x y')!r})\n"
        "sys.stderr.write('rg: ./private: Permission denied (os error 13)\\n')\n"
        "sys.exit(2)"
    )
    write_files(tmp_path, {"a.txt": "x y\n"})
    page = CodeServer(tmp_path, binary=write_fake_ripgrep(tmp_path, script)).search("x")
    assert (page["partial"], page["failed"]) == (True, ["private"])
    assert page["warnings"] == ["1 path could not be read: private"]
    assert page["next_steps"] == {
        "get_details": 'get_definition(id: "a.txt:L1")',
        "retry_failed": 'search(pattern: "x")',
        "check_permissions": "Ask the user whether the server may read private",
        "proceed_anyway": "Results shown are valid, continue with get_definition(id)",
    }


def test_unreadable_paths_are_listed_with_the_files(tmp_path: Path) -> None:
    script = (
        "import sys\nsys.stdout.write('./a.py\\0')\n"
        "sys.stderr.write('rg: ./private: Permission denied (os error 13)\\n'); sys.exit(2)"
    )
    page = CodeServer(tmp_path, binary=write_fake_ripgrep(tmp_path, script)).files()
    assert (page["files"], page["partial"], page["failed"]) == (["a.py"], True, ["private"])
    assert page["warnings"] == ["1 path could not be read: private"]


def test_an_error_without_hits_mentions_unreadable_paths(tmp_path: Path) -> None:
    script = "import sys; sys.stderr.write('rg: ./p: Permission denied (os error 13)\\n'); sys.exit(2)"
    error = CodeServer(tmp_path, binary=write_fake_ripgrep(tmp_path, script)).error("search", pattern="xyz")
    assert str(error) == "No results found for pattern 'xyz'; 1 path could not be read: p"


def test_a_folder_without_permission_makes_a_partial_result() -> None:
    """Nothing is unreadable to root: there the real ripgrep is run as nobody, from a place that nobody can reach."""
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder)
        top.chmod(0o755)
        root = write_files(top / "root", {"a.py": "needle\n", "private/b.py": "needle\n"})
        own = shutil.copy(find_ripgrep(), top / "rg")
        as_nobody = f"import os, sys\nif os.geteuid() == 0: os.setuid(65534)\nos.execv({str(own)!r}, sys.argv)"
        (root / "private").chmod(0)
        try:
            assert CodeServer(root, binary=write_fake_ripgrep(top, as_nobody)).search("needle")["failed"] == ["private"]
        finally:
            (root / "private").chmod(0o755)


def test_a_missing_served_folder_is_reported(tmp_path: Path) -> None:
    root = write_files(tmp_path / "root", {"a.py": "x\n"})
    code = CodeServer(root)
    (root / "a.py").unlink()
    root.rmdir()
    for tool, arguments in (("search", {"pattern": "x"}), ("list_files", {}), ("get_definition", {"id": "a.py:x"})):
        assert code.error(tool, **arguments).code == "UPSTREAM_ERROR"


def test_a_missing_ripgrep_is_reported_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    with pytest.raises(CommandError) as raised:
        find_ripgrep()
    assert "pip install 'fingerpost[code]'" in raised.value.way_out
