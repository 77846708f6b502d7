"""All report formats: their options, and the modules that implement them, which are imported when they are used.

To add a format, write a module with a class `Format` (see `format.ReportFormat`) and add a line to `FORMATS`.
"""

from __future__ import annotations

import argparse
from enum import Enum, auto
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fingerpost.audit.reports.format import ReportFormat

STANDARD_OUTPUT = "-"


class Selection(Enum):
    """How a format is selected, and where its text goes."""

    FILE = auto()
    """`--name FILE`; `-` is standard output."""
    FLAG = auto()
    """`--name`; its text goes to standard output."""
    DEFAULT = auto()
    """No option; printed unless --quiet is given or a FILE is standard output."""


class Registration(NamedTuple):
    """A report format, without its implementation."""

    name: str
    module: str
    selection: Selection
    help: str = ""

    def add_option(self, parser: argparse.ArgumentParser) -> None:
        if self.selection is Selection.FILE:
            parser.add_argument(f"--{self.name}", metavar="FILE", help=f"{self.help}; - is standard output")
        elif self.selection is Selection.FLAG:
            parser.add_argument(f"--{self.name}", action="store_true", help=self.help)

    def load(self) -> ReportFormat:
        return import_module(f"fingerpost.audit.reports.{self.module}").Format()


FORMATS = (
    Registration("json", "plain_json", Selection.FILE, "write the complete report as JSON"),
    Registration("ndjson", "ndjson", Selection.FILE, "write each event as a line of JSON while the audit runs"),
    Registration("junit", "junit", Selection.FILE, "write JUnit XML, for CI"),
    Registration("sarif", "sarif", Selection.FILE, "write SARIF 2.1.0, for code scanning"),
    Registration("html", "html", Selection.FILE, "write an HTML page"),
    Registration("md", "markdown", Selection.FILE, "write a Markdown summary, for a pull request"),
    Registration("pytest", "pytest_file", Selection.FILE, "write a pytest file that reproduces each finding"),
    Registration("github", "github", Selection.FLAG, "print annotations for GitHub Actions"),
    Registration("terminal", "terminal", Selection.DEFAULT),
)


class Selected(NamedTuple):
    """A format that was asked for, and where it is written to."""

    registration: Registration
    place: str

    @property
    def claims_place(self) -> bool:
        """Whether no other report may be written to the same place."""
        return self.registration.selection is not Selection.DEFAULT


def select_formats(options: argparse.Namespace) -> list[Selected]:
    """Return the formats that the options ask for, in the order in which they are written."""
    files = [getattr(options, one.name) for one in FORMATS if one.selection is Selection.FILE]
    prints_default = not options.quiet and STANDARD_OUTPUT not in files
    return [Selected(one, place) for one in FORMATS if (place := _place(one, options, prints_default))]


def _place(registration: Registration, options: argparse.Namespace, prints_default: bool) -> str:
    if registration.selection is Selection.FILE:
        return getattr(options, registration.name) or ""
    is_printed = prints_default if registration.selection is Selection.DEFAULT else getattr(options, registration.name)
    return STANDARD_OUTPUT if is_printed else ""
