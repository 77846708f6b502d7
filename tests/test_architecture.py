"""ARCHITECTURE.md is short, and the way of a wrong call that it shows is the way a wrong call takes."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from bench.walk import Walk, walk_sdk, walk_stdio_proxy
from tests.support.paths import ROOT

PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def modules_on_page(heading: str) -> list[str]:
    """Return the modules under a heading, in order."""
    section = PAGE.split(f"### {heading}\n", 1)[1].split("\n#", 1)[0]
    return re.findall(r"`([\w/]+\.py)`", section)


def test_the_page_fits_on_eighty_lines() -> None:
    assert len(PAGE.splitlines()) <= 80


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("heading", "walk", "most_hops"),
    [("Through the SDK middleware", walk_sdk, 30), ("Through the stdio proxy", walk_stdio_proxy, 45)],
)
def test_a_wrong_call_takes_the_way_that_the_page_shows(heading: str, walk: Callable[[], Walk], most_hops: int) -> None:
    trace = walk()
    assert modules_on_page(heading) == trace.modules
    assert trace.hops <= most_hops
