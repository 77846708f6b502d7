"""The command line as a user runs it: arguments in, text and exit code out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fingerpost.cli.main import main


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "nowhere.json", "-"], "cannot read nowhere.json: No such file or directory"),
        (["check", "-", "-"], "only one of the files can be standard input"),
        (["check", "TOOLS", "BROKEN"], "is not JSON"),
        (["check", "TOOLS", "LIST"], "names no tool"),
        (["check", "NUMBER", "LIST"], "has no tools"),
        (["explain", "UNKNOWN_PARM"], "there is no code UNKNOWN_PARM\nDid you mean UNKNOWN_PARAM?"),
        (["explain", "xyzzy"], "there is no code xyzzy\nRun 'fingerpost explain' to list them."),
        (["chekc", "a", "b"], "Did you mean 'check'?"),
        (["check", "--jsno", "a", "b"], "unrecognized arguments: --jsno"),
        ([], "the following arguments are required: COMMAND"),
    ],
)
def test_an_error_is_one_line_with_a_way_out_and_exit_code_2(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    catalog: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files = {"BROKEN": "{", "LIST": "[]", "NUMBER": "1"}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    paths = {"TOOLS": catalog, **{name: str(tmp_path / name) for name in files}}
    actual = [paths.get(word, word) for word in arguments]
    monkeypatch.setattr(sys, "argv", ["fingerpost", *actual])
    assert main(actual) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert "Traceback" not in captured.err


@pytest.mark.parametrize(
    "url", ["ftp://bob:hunter2@h/", "http://bob:hunter2@[::1/mcp", "http://h:99999/?token=hunter2"]
)
@pytest.mark.parametrize(
    "words", [["proxy"], ["proxy", "http://h/"], ["audit"], ["proxy", "http://h", "--listen"], ["explain"],
              ["proxy", "http://h/", "--allow-origin"], ["wrap", "x", "--"], ["check", "--tools"]],
)  # fmt: skip
def test_an_error_does_not_repeat_a_secret_in_a_url(
    capsys: pytest.CaptureFixture[str], words: list[str], url: str
) -> None:
    assert main([*words, url]) == 2
    printed = "".join(capsys.readouterr())
    assert "hunter2" not in printed and printed.startswith("fingerpost: ")


def test_a_closed_pipe_is_no_error() -> None:
    """As in `fingerpost explain | head -1`, but the pipe is surely closed."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "fingerpost", "explain"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_interrupt_exits_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("fingerpost.cli.demonstration.demonstrate", interrupted)
    assert main(["demo"]) == 130


def test_the_version_is_the_version_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out.startswith("fingerpost 0.")


def test_a_proxy_imports_no_other_command_and_nothing_of_openssl() -> None:
    code = (
        "import sys; from fingerpost.cli.main import main; main(['proxy', '--', 'true'])\n"
        "print(*sorted({'importlib.metadata', '_hashlib', 'ssl', 'asyncio', 'fingerpost.client_config',"
        " 'fingerpost.cli.check', 'fingerpost.audit.options'} & sys.modules.keys()))"
    )
    env = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}  # it imports hashlib
    done = subprocess.run(
        [sys.executable, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, text=True, env=env
    )
    assert done.stdout.strip() == "", done
