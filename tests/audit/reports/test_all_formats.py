"""Laws that hold for every report format."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given

from fingerpost.audit.events import AuditEnded, Note
from fingerpost.audit.report import Report
from fingerpost.audit.reports import github, junit, markdown, ndjson, plain_json, pytest_file, sarif
from fingerpost.audit.reports.format import Context
from tests.audit.reports.test_github import commands
from tests.audit.reports.test_markdown import ALLOWED, page
from tests.support.audit_events import began, failing, hostile, large, perfect, report, tried
from tests.support.report_checks import (
    IS_AUDIT,
    IS_JUNIT,
    IS_SARIF,
    any_text,
    strictly,
)


@given(any_text)
def test_any_text_fits_into_every_format(text: str) -> None:
    made = report(hostile(text), behind=hostile(text, ended=False), stale=[text])
    IS_AUDIT.validate(strictly(plain_json.render(made)))
    IS_SARIF.validate(strictly(sarif.render(made)))
    IS_JUNIT.validate(junit.render(made))
    assert page(made).tags <= ALLOWED
    assert commands(made)
    compile(pytest_file.render(made, Context(text)).encode(), "test_findings.py", "exec")
    for event in hostile(text):
        assert "\n" not in ndjson.render_event(event)
        strictly(ndjson.render_event(event))


@pytest.mark.parametrize("form", [plain_json.render, junit.render, sarif.render, markdown.render, github.render])
def test_every_format_is_deterministic(form: Callable[[Report], str]) -> None:
    assert form(report(large(3))) == form(report(large(3)))
    assert form(report(perfect())) != form(report(failing()))


@pytest.mark.parametrize("form", [markdown.render, junit.render])
def test_a_printed_report_contains_no_workflow_commands(form: Callable[[Report], str]) -> None:
    orders = "x\n::error::a\n  ::set-output name=b::c\nd ##[add-mask]e"
    made = form(report([began(), tried("brief", why=orders, reply=orders), Note("t", orders), AuditEnded(orders)]))
    assert "set-output" in made and "add-mask" in made
    assert not re.search(r"^\s*::|##\[", made, re.MULTILINE)
