"""The audit as a pytest file: each finding is a test that fails until it is put right, and needs nothing of the audit.

Whatever a server or a caller wrote stands in it as a Python literal and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

from fingerpost.audit.report import Finding, Report
from fingerpost.audit.reports.common import all_legible, call_of, fingerpost_version
from fingerpost.engine.safety.redact import HIDDEN

_WIDTH = 100

_HEAD = '''\
"""What an audit found in an MCP server, each finding a test of its own: it passes as soon as it is put right.

Made by `fingerpost audit`, version {version}, with seed {seed}. It needs pytest and fingerpost and nothing else.
Values that were secret or too long stand as {hidden}: put them in, until then their tests are skipped.
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

_REASON = f"put in the values that stand as {HIDDEN}"


def written(report: Report, target: Sequence[str] | str, *, allow_writes: bool = False) -> str:
    aim = target if isinstance(target, str) else list(target)
    head = _HEAD.format(version=fingerpost_version(), seed=report.seed, hidden=HIDDEN, target="".join(_literal(aim)))
    return (
        head + "".join(_cases(report.findings)) + _TAIL.format(hidden=HIDDEN, reason=_REASON, allow_writes=allow_writes)
    )


def _cases(findings: Iterable[Finding]) -> Iterator[str]:
    for number, finding in enumerate(findings, 1):
        yield f"    pytest.param(\n        {''.join(_literal(_arguments(finding), 2))},\n"
        if finding.is_known:
            yield '        marks=pytest.mark.xfail(raises=AssertionError, reason="in the baseline", strict=True),\n'
        yield f"        id={_name(finding, number)!r},\n    ),\n"


def _arguments(finding: Finding) -> dict[str, Any]:
    given = {
        "item": finding.item.id,
        "kind": finding.kind,
        "call": _whole(call_of(finding.call)),
        "right": _whole(call_of(finding.right)),
        "culprit": finding.culprits[0],
        "is_repairable": finding.is_repairable,
    }
    return all_legible(given)


def _whole(value: Any) -> Any:
    """The value with what was cut marked as missing, since a call that is nearly the same proves nothing."""
    if isinstance(value, dict):
        return {
            key: _whole(one) if _whole(key) == key else HIDDEN for key, one in cast("dict[str, Any]", value).items()
        }
    if isinstance(value, list):
        return [_whole(one) for one in cast("list[Any]", value)]
    return HIDDEN if isinstance(value, str) and value.endswith("…") else value


def _name(finding: Finding, number: int) -> str:
    """What pytest calls it: with its number, since two names can come to the same."""
    plain = (re.sub(r"\W+", "_", part, flags=re.ASCII)[:60] for part in (finding.item.id, finding.tool, finding.kind))
    return f"{number}-{'-'.join(plain)}"


def _literal(value: Any, depth: int = 0) -> Iterator[str]:
    """A JSON value as Python, broken over lines where it is long."""
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
