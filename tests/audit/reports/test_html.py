"""The HTML page: its contents, its escaping, and how it looks and works in a real browser."""

from __future__ import annotations

import fcntl
import html
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from fingerpost.audit.events import AuditEnded, AuditStarted, Note
from fingerpost.audit.judge.checklist import ADOPTION, CHECKLIST, ITEMS
from fingerpost.audit.report import Report, fold_events
from fingerpost.audit.reports.code_page import page_of_code
from fingerpost.audit.reports.html import render
from fingerpost.audit.reports.html_blocks import csp_hash
from tests.support.audit_page_events import HOSTILE, compared, files, hostile, large, subject, tried
from tests.support.paths import DATA, SUPPORT
from tests.support.published import NODE

PICTURES = ("report-head", "report-findings", "report-narrow")
MOST_UNLIKE = 0.0005


class Page(HTMLParser):
    """A parsed page: elements with their attributes, and the text."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"a stray </{tag}>"

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    @property
    def words(self) -> str:
        """All visible text, with white space collapsed."""
        return " ".join(" ".join(text for tag, text in self.texts if tag not in ("style", "script")).split())

    def inside(self, tag: str) -> str:
        return "".join(text for one, text in self.texts if one == tag)

    def count(self, tag: str, **attributes: str) -> int:
        return sum(tag == one and attributes.items() <= has.items() for one, has in self.elements)


def words(source: str) -> str:
    return Page(source).words


# contents


def test_the_page_starts_with_the_grade_and_the_server() -> None:
    text = words(render(files()))
    assert text.startswith(
        "files 1.4.2: grade F · Fingerpost audit Skip to the findings Fingerpost audit files 1.4.2: grade F"
        " Grade F 35 of 100 16 % repair rate Replies to 1 of 6 mistakes led to the correct call in one retry;"
        " 5 did not. Target npx -y files /srv/data Server files 1.4.2 Protocol 2025-11-25 Transport stdio Tools 3"
        " Calls 7 Seed 7 Checklist No argument is dropped in silence Weight 3 · 1 finding 0 % 0 of 3"
    )
    assert "incomplete" not in text


def test_every_item_that_was_tried_has_a_bar() -> None:
    report = files()
    page = Page(render(report))
    widths = [has["width"] for tag, has in page.elements if tag == "rect" and has["class"] == "fill"]
    assert widths == [f"{100 * tally.share:.1f}" for tally in report.items]
    assert "Not tried, so not in the grade: An unknown tool is answered" in page.words


def test_a_finding_shows_the_call_the_correct_call_the_reply_and_the_advice() -> None:
    text = words(render(files()))
    start = text.index("list_files 'pth' was dropped")
    assert text[start:].startswith(
        "list_files 'pth' was dropped without a word parameter.misspelt, 3 calls Call sent"
        ' {"name": "list_files", "arguments": {"pth": "/srv/data"}} Correct call'
        ' {"name": "list_files", "arguments": {"path": "/srv/data"}} Reply notes.txt photos'
        f" Where pth , incldue_hidden , oder What to do {ITEMS['not_dropped'].advice} Or adopt Fingerpost in one line ."
        " Good reply See the page of UNKNOWN_PARAM"
    )
    assert all(line in text and where in text for line, where in ADOPTION)
    assert "Reply gave no answer within 10 s" in text


def test_a_reply_without_text_says_so() -> None:
    report = fold_events(
        [AuditStarted(subject(), 1, 1), tried(0, "a", "type.wrong", {"x": 1}, {}, "", {"wrong_type": "says nothing"})]
    )
    assert "Reply (no text)" in words(render(report))


def test_the_page_of_a_code_appears_once_for_all_findings() -> None:
    page = Page(render(files()))
    assert page.count("a", href="#page-UNKNOWN_PARAM") == 2
    assert page.count("div", id="page-UNKNOWN_PARAM") == 1
    targets = {has["id"] for _, has in page.elements if "id" in has}
    links = [has["href"] for tag, has in page.elements if tag == "a"]
    assert all(link and link[1:] in targets for link in links)


@pytest.mark.parametrize("code", sorted({item.code for item in CHECKLIST}))
def test_the_html_of_a_code_page_has_all_of_its_text(code: str) -> None:
    markdown = (Path(sys.modules["fingerpost"].__file__ or "").parent / "codes" / f"{code}.md").read_text(
        encoding="utf-8"
    )
    page = page_of_code(code)
    text = html.unescape(re.sub(r"<[^>]+>", "", page))
    fenced = "\n".join(re.findall(r"^```.+?\n(.*?)^```$", markdown, re.MULTILINE | re.DOTALL))
    words = re.sub(r"^```.+?\n.*?^```$|^#+ |`", "", markdown, flags=re.MULTILINE | re.DOTALL).split()
    assert [word for word in (*words, *fenced.split()) if word not in text] == []
    assert page_of_code(code).count("<pre>") == len(re.findall(r"^```.", markdown, re.MULTILINE))
    assert page_of_code(code).count("<h3>") == len(re.findall(r"^## ", markdown, re.MULTILINE))
    assert "`" not in re.sub(r"<pre>.*?</pre>", "", page, flags=re.DOTALL)


def test_skipped_calls_notes_known_and_stale_findings_are_on_the_page() -> None:
    text = words(render(compared()))
    assert (
        "Not tried calls that could be carried out : the tool is not declared read-only write_file, move_file"
        " Notes read_file The right call failed: no such file."
        " Stale baseline entries These findings are in the baseline but no longer occur. Remove them from it."
        " stale brief/list_files/range.below Good replies"
    ) in text
    assert "type.wrong, 2 calls known gone behind Fingerpost" in text


def test_a_comparison_has_both_columns_everywhere() -> None:
    report = compared()
    text = words(render(report))
    assert "files 1.4.2: grade F, and B behind Fingerpost Bare F 35 of 100" in text
    assert "Behind Fingerpost B 82 of 100 100 % repair rate" in text
    assert (
        "No argument is dropped in silence Weight 3 · 1 finding Bare 0 % 0 of 3 Behind Fingerpost 100 % 3 of 3" in text
    )
    assert "Reply, bare notes.txt photos Reply, behind Fingerpost No finding here." in text
    remains = text[text.index("range.above remains behind Fingerpost") :]
    assert "Reply, behind Fingerpost gave no answer within 10 s" in remains[:400]


def test_findings_that_only_occur_behind_fingerpost_are_shown() -> None:
    report = fold_events([AuditStarted(subject(), 1, 1), Note("", "Started twice."), AuditEnded()])
    report.behind = files(is_behind=True)
    report.behind.notes.append(Note("", "Started twice."))
    report.behind.ended = AuditEnded("the proxy ended.")
    text = words(render(report))
    assert "files 1.4.2 could not be graded" in text
    assert "range.above only behind Fingerpost" in text
    assert "Reply, bare No finding here. Reply, behind Fingerpost gave no answer" in text
    assert "This report is incomplete (behind Fingerpost). 7 of about 9 calls ended: the proxy ended." in text
    assert "Notes Started twice. Behind Fingerpost: read_file The right call failed" in text
    assert "Bare 0 of 0 Behind Fingerpost 100 % 3 of 3" in text


def test_an_incomplete_comparison_calls_no_finding_gone() -> None:
    report = compared()
    assert report.behind is not None
    report.behind.ended = None
    assert "gone behind" not in render(report)


def test_an_incomplete_report_says_so_and_why() -> None:
    begun = AuditStarted(subject(), 1, 20)
    one = tried(0, "a", "type.wrong", {"x": 1}, {}, "no", {"wrong_type": "says nothing"})
    stopped = words(render(fold_events([begun, one])))
    assert "This report is incomplete. 1 of about 20 calls ended: it was stopped. Target" in stopped
    assert "Calls 1 of about 20" in stopped
    ended = words(render(fold_events([begun, one, AuditEnded("the server ended")])))
    assert "This report is incomplete. 1 of about 20 calls ended: the server ended. Target" in ended


def test_a_server_that_never_started_gets_no_grade() -> None:
    page = Page(render(fold_events([AuditEnded("the command was not found")])))
    assert "The server could not be graded" in page.words
    assert "No call was tried: the command was not found." in page.words
    assert "No call was tried, so there are no findings." in page.words
    assert page.count("form") == page.count("details") == page.count("dl") == page.count("ol") == 0
    assert Page(render(Report())).count("h1") == 1


def test_a_report_without_findings_has_no_advice() -> None:
    passed = tried(0, "a", "tool.invented", {}, {}, "no", {item.id: "" for item in CHECKLIST}, is_repaired=None)
    page = Page(render(fold_events([AuditStarted(subject("", ""), 1, 1), passed, AuditEnded()])))
    assert "The server: grade A" in page.words
    assert "No findings: every reply passed." in page.words
    assert "No repair rate No call was tried that could be repaired" in page.words
    assert "Not tried" not in page.words
    assert page.count("a") == 1


# escaping, and no requests


def test_hostile_text_is_escaped() -> None:
    source = render(hostile())
    page = Page(source)
    assert page.count("script") == page.count("style") == page.count("title") == 1
    assert page.count("img") == 0
    assert not [has for _, has in page.elements if any(name.startswith("on") or name == "style" for name in has)]
    assert {(has["href"] or "")[0] for tag, has in page.elements if tag == "a"} == {"#"}
    assert all(page.words.count(" ".join(text.split())) >= 4 for text in HOSTILE[:4])
    assert not [char for char in source if not char.isprintable() and char not in "\n\N{NO-BREAK SPACE}"]
    source.encode()


def test_the_security_policy_allows_only_its_own_style_and_script() -> None:
    page = Page(render(compared()))
    style, script = csp_hash(page.inside("style")), csp_hash(page.inside("script"))
    policy = next(has["content"] for tag, has in page.elements if tag == "meta" and "http-equiv" in has)
    assert policy == (
        f"default-src 'none'; style-src '{style}'; script-src '{script}'; base-uri 'none'; form-action 'none'"
    )


@pytest.mark.parametrize("report", [compared(), hostile(), Report()], ids=["compared", "hostile", "empty"])
def test_the_page_loads_nothing(report: Report) -> None:
    source = render(report)
    page = Page(source)
    assert not [
        tag for tag, has in page.elements if "src" in has or tag in ("link", "iframe", "object", "base", "image")
    ]
    code = page.inside("style") + page.inside("script")
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest|https?://", code)


def test_a_page_of_three_thousand_findings_stays_small_enough_to_open(monkeypatch: pytest.MonkeyPatch) -> None:
    source = render(large())
    listed = source.count('<details class="finding"')
    assert 1_400 < listed <= 1_500
    hidden = sum(
        int(count.replace(",", "")) for count in re.findall(r"([\d,]+) more findings? not shown here; the JSON", source)
    )
    assert listed + hidden == 3_000
    assert len(source.encode()) < 6_000_000
    assert "(cut here)" not in render(large(20))
    monkeypatch.setattr("fingerpost.audit.reports.html_findings._MOST_EVIDENCE", 100_000)
    assert "(cut here)" in render(large(20))


def test_rendering_is_deterministic() -> None:
    assert render(compared()) == render(compared())


# in a real browser


@pytest.fixture(scope="session")
def looked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the reports, their pictures and the observations of one browser for the whole run."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        pytest.skip("the browser is made for Linux on x86-64")
    root = tmp_path_factory.getbasetemp()
    folder = (root.parent if "PYTEST_XDIST_WORKER" in os.environ else root) / "report-in-browser"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "seen.json").exists():
            _look(folder)
    return folder


def _look(folder: Path) -> None:
    pages = {
        name: render(report)
        for name, report in (("compared", compared()), ("hostile", hostile()), ("large", large(60)))
    }
    forbidden = "<script>window.ran = 1</script><img src='http://127.0.0.1:9/x.png' onerror='window.ran = 2'>"
    pages["tampered"] = pages["compared"].replace("<main>", f"<main>{forbidden}")
    for name, source in pages.items():
        (folder / f"{name}.html").write_text(source, encoding="utf-8")
    command = [NODE, str(SUPPORT / "browser" / "look.mjs"), str(folder), str(DATA)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]
    (folder / "seen.json").write_text(done.stdout)


@pytest.fixture(scope="session")
def seen(looked: Path) -> dict[str, Any]:
    return json.loads((looked / "seen.json").read_text())


def test_no_page_makes_a_request_or_logs_an_error(seen: dict[str, Any]) -> None:
    looked_at: dict[str, Any] = {**seen, **seen["narrow"]}
    looks: dict[str, list[str]] = {name: look["trouble"] for name, look in looked_at.items() if "trouble" in look}
    tampered = looks.pop("forbidden")
    assert len(looks) == 9
    assert not any(looks.values()), looks
    assert any("inline script violates" in text for text in tampered)
    assert any("Loading the image" in text for text in tampered)
    assert seen["forbidden"]["ran"] is None


def test_filters_hide_and_show(seen: dict[str, Any]) -> None:
    look = seen["filtered"]
    every = [
        ["not_dropped", "list_files"],
        ["auto_correction", "list_files"],
        ["alive", "list_files"],
        ["wrong_type", "read_file"],
    ]
    assert look["start"] == look["linked"] == look["cleared"] == {"shown": every, "said": "4 findings", "none": False}
    assert look["tool"] == {"shown": [["wrong_type", "read_file"]], "said": "1 of 4 findings", "none": False}
    assert (
        look["item"] == look["text"] == {"shown": [["alive", "list_files"]], "said": "1 of 4 findings", "none": False}
    )
    assert look["neither"] == look["ours"] == {"shown": [], "said": "0 of 4 findings", "none": True}
    assert [label.split("\n")[0] for label in look["labels"]] == ["Tool", "Checklist item", "Text"]


def test_hundreds_of_findings_can_be_filtered(seen: dict[str, Any]) -> None:
    assert seen["many"]["shown"] == [["schema_hint", "tool_number_059_of_very_many"]]


def test_a_finding_opens_by_keyboard_and_links_to_the_page_of_its_code(seen: dict[str, Any]) -> None:
    look = seen["read"]
    assert "Call sent" not in look["before"]
    assert '"path": 5' in look["after"]
    assert '"code": "invalid_type"' in look["after"]
    assert ITEMS["wrong_type"].advice in look["after"]
    assert look["closed"] is False
    assert "A word instead of a number is refused with an example" in look["page"]


def test_light_and_dark_schemes_differ_and_have_enough_contrast(seen: dict[str, Any]) -> None:
    look = seen["coloured"]
    assert len({look[scheme]["ground"] for scheme in ("light", "dark", "print")}) == 3
    assert look["print"]["ground"] == "rgb(255, 255, 255)"
    for scheme in ("light", "dark", "print"):
        assert look[scheme]["contrast"] >= 4.5, look[scheme]


def test_printing_opens_the_findings_and_hides_the_filters(seen: dict[str, Any]) -> None:
    look = seen["printed"]
    every = look["onScreen"]["all"]
    assert look["onScreen"] == look["done"] == {"all": every, "visible": 0}
    assert look["onPaper"] == look["asked"] == {"all": every, "visible": every}
    assert look["filtersOnScreen"] is True
    assert look["filtersOnPaper"] is False
    assert look["overflow"] == {"edge": 700, "width": 700, "clipped": []}


@pytest.mark.parametrize("name", ["compared", "hostile"])
def test_nothing_overflows_a_narrow_screen(seen: dict[str, Any], name: str) -> None:
    assert seen["narrow"][name] == {"edge": 380, "width": 380, "clipped": [], "trouble": []}


def test_scripts_of_a_hostile_server_do_not_run(seen: dict[str, Any]) -> None:
    look = seen["attacked"]
    assert (look["ran"], look["scripts"], look["strangers"], look["findings"]) == (None, 1, 0, len(HOSTILE))


def test_without_javascript_only_the_filters_are_missing(seen: dict[str, Any]) -> None:
    look = seen["scriptless"]
    assert look["filters"] is False
    assert len(look["shown"]) == 4
    assert "notes.txt" in look["opened"]
    assert look["pages"] == ["page-UNKNOWN_PARAM"]


@pytest.mark.parametrize("name", PICTURES)
def test_the_page_looks_like_the_reference_picture(
    seen: dict[str, Any], looked: Path, name: str, pytestconfig: pytest.Config
) -> None:
    reference, actual = DATA / f"{name}.png", DATA / f"{name}.actual.png"
    if pytestconfig.getoption("--bless"):
        shutil.copy(looked / f"{name}.png", reference)
        return
    look = seen["pictured"][name]
    if look["same"] > MOST_UNLIKE:
        shutil.copy(looked / f"{name}.png", actual)
        pytest.fail(
            f"{look['same']:.2%} of the picture differ from the reference: look at {actual.name}; --bless renews"
        )
    assert look["changed"] > MOST_UNLIKE, "the comparison would not notice a missing detail"
