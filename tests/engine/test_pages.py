"""Every code has a page with examples of its own, and every page shows what is rendered today."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
from pathlib import Path

import pytest

from fingerpost import Report, Severity, render
from fingerpost.engine import repeated_calls as repeats
from fingerpost.engine import rules
from fingerpost.engine.prompts_resources import UNKNOWN_PROMPT, UNKNOWN_RESOURCE
from fingerpost.engine.replies.symptoms import SYMPTOMS
from fingerpost.engine.rules import CONTAINER, CONTENT, unknown_tool
from tests.support.pages import PAGES, bless, page_cases

RULES = {
    module.CODE: module
    for found in pkgutil.iter_modules(rules.__path__)
    if hasattr(module := importlib.import_module(f"fingerpost.engine.rules.{found.name}"), "CODE")
}
CODES = {*RULES, *(symptom.code for symptom in SYMPTOMS), repeats.CODE, UNKNOWN_PROMPT, UNKNOWN_RESOURCE}


@pytest.mark.parametrize("code", sorted(CODES))
def test_the_examples_of_a_page_are_what_is_rendered(code: str, pytestconfig: pytest.Config) -> None:
    path = PAGES / f"{code}.md"
    page = path.read_text(encoding="utf-8")
    if pytestconfig.getoption("--bless"):
        path.write_text(bless(page), encoding="utf-8")
        return
    cases = list(page_cases(page))
    assert cases
    for case in cases:
        assert case.written == case.rendered, case.heading


@pytest.mark.parametrize("code", sorted(CODES))
def test_a_page_has_examples_with_and_without_its_code(code: str) -> None:
    page = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    cases = [_shows_code(case, code) for case in page_cases(page)]
    assert any(cases)
    assert not all(cases)


def _shows_code(case: object, code: str) -> bool:
    report = getattr(case, "report", None)
    if report is not None:
        return any(diagnosis.code == code for diagnosis in report.diagnoses)
    kind, text = getattr(case, "rendered")  # noqa: B009
    return kind == "guidance" and _code_of(text) == code


def _code_of(guidance: str) -> str:
    return json.loads(guidance).get("error", {}).get("code", "")


@pytest.mark.parametrize("code", sorted(RULES))
def test_a_page_and_its_rule_have_the_same_summary(code: str) -> None:
    summary = (RULES[code].__doc__ or "").splitlines()[0]
    title, first, *_ = (PAGES / f"{code}.md").read_text(encoding="utf-8").split("\n\n")
    assert title == f"# {code}"
    assert first == summary


def test_every_page_belongs_to_a_code_and_every_rule_is_registered() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} == CODES
    assert {*CONTAINER, *CONTENT, unknown_tool.CODE} == set(RULES)


@pytest.mark.parametrize("code", sorted(RULES))
def test_every_rule_says_how_it_grades_its_fixes(code: str) -> None:
    assert "\nFix grading: " in (RULES[code].__doc__ or "")


def test_every_line_is_a_sentence_a_call_or_a_pointer_to_help() -> None:
    """No line is repeated within one answer."""
    labels = (
        "Try|Corrected call|Fill in|Fill in and send|Send instead|Help|Docs|More results|There may be more; narrow it"
        "|Without filters"
    )
    line = re.compile(rf"({labels}): .+|[A-Z'\w\"].*[.?…]")
    for path in sorted(PAGES.glob("*.md")):
        for case in page_cases(path.read_text(encoding="utf-8")):
            kind, text = case.rendered
            if kind != "guidance":
                lines = text.splitlines()
                assert all(line.fullmatch(one) for one in lines), (path.name, case.heading, lines)
                assert len(set(lines)) == len(lines)


def test_no_sentence_is_repeated_in_one_reply() -> None:
    """The guidance repeats neither the server's text nor itself."""
    for path in sorted(PAGES.glob("*.md")):
        for case in page_cases(path.read_text(encoding="utf-8")):
            if case.rendered[0] in ("guidance", "data", "rendered"):
                continue
            result = case.given.result or {}
            server_texts = [block.get("text", "") for block in result.get("content", [])] or [result.get("message", "")]
            sentences = [
                one for text in (*server_texts, case.rendered[1]) for one in re.split(r"(?<=[.?!])\s+|\n", text) if one
            ]
            plain = [one.rstrip(".") for one in sentences]
            assert len(plain) == len(set(plain)), (path.name, case.heading, sentences)


def test_the_second_answer_to_a_refused_call_is_shorter() -> None:
    compared = 0
    for path in sorted(PAGES.glob("*.md")):
        for case in page_cases(path.read_text(encoding="utf-8")):
            report = case.report
            if report is None or not report.is_refusal or report.attempts > 1 or _is_attack(report):
                continue
            first, second = render(report).text, render(repeats.vary_answer(report, 2)).text
            assert len(second) < len(first), (path.name, case.heading, first, second)
            compared += 1
    assert compared > 50


def _is_attack(report: Report) -> bool:
    return any(one.severity is Severity.CRITICAL for one in report.diagnoses)


def test_pages_are_shipped() -> None:
    assert Path(PAGES).is_dir()
