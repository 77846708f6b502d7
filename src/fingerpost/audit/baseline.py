"""The findings that are known already: a file beside the server's code, so that only what is new fails.

    {
      "version": 1,
      "findings": {
        "brief/search/parameter.misspelt": {},
        "tips/list_files/range.above": {"reason": "the listing is never cut"}
      }
    }

Ids are sorted, so that a change is one line of a diff. A `reason` is for people; it stays when the file is rewritten.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from fingerpost.audit.judge.checklist import ITEMS
from fingerpost.audit.report import Report
from fingerpost.audit.reports.common import strip_controls, strip_controls_deep
from fingerpost.engine.phrases import encode_json
from fingerpost.engine.safety.redact import clean
from fingerpost.terminal.command_error import CommandError

_VERSION = 1
_ANEW = "Correct it, or delete it and have it written anew"


@dataclass(frozen=True, slots=True)
class Baseline:
    """What is known: each finding's id, with what people noted on it."""

    entries: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])


NOTHING_KNOWN = Baseline()


def read(text: str) -> Baseline:
    """The baseline that a file holds."""
    try:
        file = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CommandError(f"The baseline is not JSON: {clean(str(error), 200)}", _ANEW) from error
    if not isinstance(file, dict):
        raise CommandError("The baseline is not a JSON object", _ANEW)
    given = cast("dict[str, Any]", file)
    if (version := given.get("version")) != _VERSION:
        raise CommandError(
            f"The baseline is of version {clean(encode_json(version))}; this Fingerpost reads version {_VERSION}",
            "Update Fingerpost, or delete the file and have it written anew",
        )
    return Baseline(_entries(given.get("findings")))


def _entries(given: Any) -> dict[str, Mapping[str, Any]]:
    if not isinstance(given, dict):
        raise CommandError('The baseline has no object "findings"', _ANEW)
    entries: dict[str, Mapping[str, Any]] = {}
    for known, entry in cast("dict[str, Any]", given).items():
        if known.count("/") < 2:
            raise CommandError(f"{encode_json(clean(known))} in the baseline is no id: item/tool/kind", _ANEW)
        if not isinstance(entry, dict):
            raise CommandError(
                f"{encode_json(clean(known))} in the baseline is not an object",
                'Write {}, or {"reason": "why it is there"}',
            )
        entries[known] = cast("dict[str, Any]", entry)
    return entries


def applied(report: Report, baseline: Baseline) -> Report:
    """Mark what is known, and what the baseline has in vain; the report is changed, and given back.

    What was not tried is not stale: another seed, or --most, makes other mistakes, and a tool may be skipped in part.
    So an entry is stale where its kind of mistake was made with its tool and not found, where its tool or its item is
    there no more, and never where the audit ended early.
    """
    found = {finding.id: finding for finding in report.findings}
    for known in baseline.entries:
        if known in found:
            found[known].is_known = True
    absent = sorted(known for known in baseline.entries if known not in found)
    report.stale = [known for known in absent if _is_stale(known, report)]
    return report


def _is_stale(absent: str, report: Report) -> bool:
    item, _, rest = absent.partition("/")
    tool = rest.rpartition("/")[0]
    is_there = tool in {tried.rpartition("/")[0] for tried in report.tried_kinds} | {one.tool for one in report.skipped}
    return report.is_whole and (item not in ITEMS or rest in report.tried_kinds or not is_there)


def failing(report: Report) -> list[str]:
    """What is to fail a run that has a baseline, a line for each: findings that are new, and entries that are stale."""
    new = [f"new: {finding.summary}" for finding in report.findings if not finding.is_known]
    return new + [f"stale: {known} is in the baseline, but no longer found" for known in report.stale]


def written(report: Report, baseline: Baseline = NOTHING_KNOWN) -> str:
    """The baseline that knows all of this report, with what people noted in the former one, which has been applied.

    What the former one has and what was not tried this time stays; what is stale goes.
    """
    ids = {finding.id for finding in report.findings} | set(baseline.entries).difference(report.stale)
    return _file({known: baseline.entries.get(known, {}) for known in sorted(ids)})


def _file(entries: Mapping[str, Mapping[str, Any]]) -> str:
    lines = [
        f"    {encode_json(strip_controls(known))}: {encode_json(strip_controls_deep(entry))}"
        for known, entry in entries.items()
    ]
    body = "{\n" + ",\n".join(lines) + "\n  }" if lines else "{}"
    return f'{{\n  "version": {_VERSION},\n  "findings": {body}\n}}\n'
