"""The table of report formats: adding one takes a module and a line, and unused formats are not imported."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from fingerpost.audit.events import Event
from fingerpost.audit.report import Report
from fingerpost.audit.reports.format import Context, ReportFormat
from fingerpost.audit.reports.registry import FORMATS, Registration, Selection
from fingerpost.cli.main import main
from tests.support.audited_servers import NEAR, command


class Counting(ReportFormat):
    """Counts calls while the audit runs, and writes the grade at its end."""

    is_live = True

    def on_event(self, event: Event, *, is_behind: bool) -> str:
        return f"{type(event).__name__}\n"

    def on_end(self, report: Report, context: Context) -> str:
        return f"{report.done} calls to {context.target[-1]}, writes: {context.allow_writes}\n"


@pytest.mark.parametrize("selection", [Selection.FILE, Selection.FLAG, Selection.DEFAULT])
def test_a_module_and_a_registration_add_a_format(
    selection: Selection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = ModuleType("fingerpost.audit.reports.counting")
    module.__dict__["Format"] = Counting
    monkeypatch.setitem(sys.modules, module.__name__, module)
    table = (*FORMATS, Registration("counting", "counting", selection, "count the calls"))
    monkeypatch.setattr("fingerpost.audit.options.FORMATS", table)
    monkeypatch.setattr("fingerpost.audit.reports.registry.FORMATS", table)
    file = tmp_path / "counted"
    options = {Selection.FILE: ["--counting", str(file)], Selection.FLAG: ["--counting"], Selection.DEFAULT: []}
    server = command(tools=[NEAR])
    assert main(["audit", "--most", "2", *options[selection], "--", *server]) == 0
    printed = capsys.readouterr().out
    text = file.read_text() if selection is Selection.FILE else printed
    assert text.startswith("AuditStarted\n")
    assert "CallJudged\nCallJudged\nAuditEnded\n" in text
    assert text.endswith(f"2 calls to {server[-1]}, writes: False\n") or selection is Selection.FILE
    assert "Grade: " in printed


def test_building_the_command_line_imports_no_format() -> None:
    probe = (
        "import sys; from fingerpost.cli.main import main\n"
        "try: main(['audit', '--help'])\n"
        "except SystemExit: pass\n"
        "print(sorted(name for name in sys.modules if name.startswith('fingerpost.audit.')), file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert all(f"--{one.name}" in ran.stdout for one in FORMATS if one.selection is not Selection.DEFAULT)
    assert (
        ran.stderr == "['fingerpost.audit.options', 'fingerpost.audit.reports', 'fingerpost.audit.reports.registry']\n"
    )


def test_the_documentation_has_a_row_for_every_format() -> None:
    rows = re.findall(r"^\| `--(\w+)[ `]", Path("docs/audit.md").read_text(), re.MULTILINE)
    assert sorted(rows) == sorted(one.name for one in FORMATS if one.selection is not Selection.DEFAULT)
