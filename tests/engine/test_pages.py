"""Every code is documented and shown firing on its own page, and every page renders as written."""

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
from tests.support.pages import PAGES, blessed, page_cases

RULES = {
    module.CODE: module
    for found in pkgutil.iter_modules(rules.__path__)
    if hasattr(module := importlib.import_module(f"fingerpost.engine.rules.{found.name}"), "CODE")
}
CODES = {*RULES, *(symptom.code for symptom in SYMPTOMS), repeats.CODE, UNKNOWN_PROMPT, UNKNOWN_RESOURCE}


@pytest.mark.parametrize("code", sorted(CODES))
def test_a_page_renders_as_written(code: str, pytestconfig: pytest.Config) -> None:
    path = PAGES / f"{code}.md"
    page = path.read_text(encoding="utf-8")
    if pytestconfig.getoption("--bless"):
        path.write_text(blessed(page), encoding="utf-8")
        return
    cases = list(page_cases(page))
    assert cases
    for case in cases:
        assert case.written == case.rendered, case.heading


@pytest.mark.parametrize("code", sorted(CODES))
def test_a_page_shows_its_own_code_firing_and_a_case_where_it_is_silent(code: str) -> None:
    page = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    told = [case for case in page_cases(page) if _tells(case, code)]
    silent = [case for case in page_cases(page) if not _tells(case, code)]
    assert told
    assert silent


def _tells(case: object, code: str) -> bool:
    report = getattr(case, "report", None)
    if report is not None:
        return any(diagnosis.code == code for diagnosis in report.diagnoses)
    kind, text = getattr(case, "rendered")  # noqa: B009
    return kind == "guidance" and _code_of(text) == code


def _code_of(guidance: str) -> str:
    return json.loads(guidance).get("error", {}).get("code", "")


@pytest.mark.parametrize("code", sorted(RULES))
def test_a_page_and_its_rule_summarise_alike(code: str) -> None:
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


def test_messages_speak_with_one_voice() -> None:
    """A line is a closed sentence, a call to send, or a pointer to help; no line stands twice in one answer."""
    opened = "Try|Corrected call|Fill in|Fill in and send|Send instead|Help|More results|There may be more; narrow it"
    line = re.compile(rf"({opened}): .+|[A-Z'\w\"].*[.?…]")
    for path in sorted(PAGES.glob("*.md")):
        for case in page_cases(path.read_text(encoding="utf-8")):
            kind, text = case.rendered
            if kind != "guidance":
                lines = text.splitlines()
                assert all(line.fullmatch(said) for said in lines), (path.name, case.heading, lines)
                assert len(set(lines)) == len(lines)


def test_no_sentence_stands_twice_in_one_reply() -> None:
    """Hints are additive: neither the server's own words nor ours are said again."""
    for path in sorted(PAGES.glob("*.md")):
        for case in page_cases(path.read_text(encoding="utf-8")):
            if case.rendered[0] in ("guidance", "data", "rendered"):
                continue
            result = case.given.result or {}
            heard = [block.get("text", "") for block in result.get("content", [])] or [result.get("message", "")]
            said = [one for text in (*heard, case.rendered[1]) for one in re.split(r"(?<=[.?!])\s+|\n", text) if one]
            plain = [one.rstrip(".") for one in said]
            assert len(plain) == len(set(plain)), (path.name, case.heading, said)


def test_the_second_answer_to_a_refused_call_is_another_and_shorter() -> None:
    told = 0
    for path in sorted(PAGES.glob("*.md")):
        for case in page_cases(path.read_text(encoding="utf-8")):
            report = case.report
            if report is None or not report.is_refusal or report.attempts > 1 or _is_attack(report):
                continue
            first, second = render(report).text, render(repeats.vary_answer(report, 2)).text
            assert len(second) < len(first), (path.name, case.heading, first, second)
            told += 1
    assert told > 50


def _is_attack(report: Report) -> bool:
    return any(one.severity is Severity.CRITICAL for one in report.diagnoses)


def test_pages_are_shipped() -> None:
    assert Path(PAGES).is_dir()
