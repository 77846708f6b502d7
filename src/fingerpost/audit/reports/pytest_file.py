"""A pytest file that reproduces each finding: its test fails until the server is fixed.

Text from a server or a caller appears in it only as Python literals.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, cast

from fingerpost.audit.report import Finding, Report
from fingerpost.audit.reports.common import fingerpost_version, parse_call, strip_controls_deep
from fingerpost.audit.reports.format import Context, ReportFormat
from fingerpost.engine.safety.redact import HIDDEN

_WIDTH = 100

_HEAD = '''\
"""Findings of an audit of an MCP server, one test each. A test passes once the server is fixed.

Written by `fingerpost audit` {version} with seed {seed}. Requires pytest and fingerpost.
Secret and very long values are replaced by {hidden}. Tests with such values are skipped until you fill them in.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from fingerpost.audit.replay import Replay

TARGET: Any = {target}

FINDINGS: list[Any] = [
'''

_TAIL = """\
]


@pytest.fixture(scope="module")
def replay() -> Iterator[Replay]:
    with Replay(TARGET, allow_writes={allow_writes}) as replay:
        yield replay


@pytest.mark.parametrize("finding", FINDINGS)
def test_the_server_guides(finding: dict[str, Any], replay: Replay) -> None:
    if {hidden!r} in repr((TARGET, finding)):
        pytest.skip({reason!r})
    why = replay.why_unmet(**finding)
    assert not why, why
"""

_REASON = f"fill in the values that are {HIDDEN}"


class Format(ReportFormat):
    def on_end(self, report: Report, context: Context) -> str:
        return render(report, context)


def render(report: Report, context: Context) -> str:
    target = context.target if isinstance(context.target, str) else list(context.target)
    head = _HEAD.format(version=fingerpost_version(), seed=report.seed, hidden=HIDDEN, target="".join(_literal(target)))
    tail = _TAIL.format(hidden=HIDDEN, reason=_REASON, allow_writes=context.allow_writes)
    return head + "".join(_cases(report.findings)) + tail


def _cases(findings: Iterable[Finding]) -> Iterator[str]:
    for number, finding in enumerate(findings, 1):
        yield f"    pytest.param(\n        {''.join(_literal(_arguments(finding), 2))},\n"
        if finding.is_known:
            yield '        marks=pytest.mark.xfail(raises=AssertionError, reason="in the baseline", strict=True),\n'
        yield f"        id={_name(finding, number)!r},\n    ),\n"


def _arguments(finding: Finding) -> dict[str, Any]:
    arguments = {
        "item": finding.item.id,
        "kind": finding.kind,
        "call": _hide_cut(parse_call(finding.call)),
        "right": _hide_cut(parse_call(finding.right)),
        "culprit": finding.culprits[0],
        "is_repairable": finding.is_repairable,
    }
    return strip_controls_deep(arguments)


def _hide_cut(value: Any) -> Any:
    """Replace values that were cut, since a call with other values reproduces nothing."""
    if isinstance(value, dict):
        return {
            key: _hide_cut(one) if _hide_cut(key) == key else HIDDEN
            for key, one in cast("dict[str, Any]", value).items()
        }
    if isinstance(value, list):
        return [_hide_cut(one) for one in cast("list[Any]", value)]
    return HIDDEN if isinstance(value, str) and value.endswith("…") else value


def _name(finding: Finding, number: int) -> str:
    """The test id. It starts with a number, since two shortened names can be equal."""
    plain = (re.sub(r"\W+", "_", part, flags=re.ASCII)[:60] for part in (finding.item.id, finding.tool, finding.kind))
    return f"{number}-{'-'.join(plain)}"


def _literal(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield a JSON value as Python source, on several lines if it is long."""
    short = repr(value)
    if not isinstance(value, dict | list) or not value or len(short) + 4 * depth <= _WIDTH:
        yield short
        return
    indent = "    " * (depth + 1)
    yield "{\n" if isinstance(value, dict) else "[\n"
    for one in cast("dict[str, Any] | list[Any]", value):
        yield indent
        if isinstance(value, dict):
            yield f"{one!r}: "
            yield from _literal(cast("dict[str, Any]", value)[one], depth + 1)
        else:
            yield from _literal(one, depth + 1)
        yield ",\n"
    yield "    " * depth + ("}" if isinstance(value, dict) else "]")
