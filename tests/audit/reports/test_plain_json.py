"""The JSON report is valid against its schema and has every field."""

from __future__ import annotations

import json

import jsonschema_rs

from fingerpost.audit.reports import plain_json
from tests.support.report_checks import (
    AUDIT,
    IS_AUDIT,
    REPORTS,
    every_report,
    strictly,
)


@every_report
def test_the_json_is_valid_against_its_schema(name: str) -> None:
    jsonschema_rs.meta.validate(AUDIT)
    IS_AUDIT.validate(strictly(plain_json.render(REPORTS[name])))


def test_the_json_schema_rejects_invalid_reports() -> None:
    made = strictly(plain_json.render(REPORTS["compared"]))
    for path in (["grade"], ["items"], ["findings", 0, "call"], ["behind", "letter"], ["server", "tools"]):
        for wrong in ("?", -1):
            spoilt = json.loads(json.dumps(made))
            at = spoilt
            for step in path[:-1]:
                at = at[step]
            at[path[-1]] = wrong
            assert not IS_AUDIT.is_valid(spoilt), path
    assert not IS_AUDIT.is_valid({**made, "extra": 1})


def test_the_json_has_every_field() -> None:
    made = strictly(plain_json.render(REPORTS["known"]))
    assert {name: value for name, value in made.items() if name not in ("items", "findings", "server")} == {
        "fingerpost": made["fingerpost"],
        "grade": 10,
        "letter": "F",
        "repair_rate": 0.25,
        "repaired": 1,
        "repairable": 4,
        "seed": 7,
        "calls": 6,
        "complete": True,
        "ended": "",
        "stale": ["tips/list/range.above"],
        "skipped": [{"tool": "buy", "what": "calls that could execute", "why": "it is not declared read-only"}],
        "notes": [{"tool": "buy", "text": "had to be started again"}],
    }
    assert made["server"]["name"] == "shop"
    assert made["items"][2] == {
        "id": "not_dropped",
        "title": "No argument is dropped in silence",
        "weight": 3,
        "passed": 0,
        "tried": 2,
    }
    assert made["findings"][0] == {
        "id": "not_dropped/search/parameter.misspelt",
        "item": "not_dropped",
        "tool": "search",
        "kind": "parameter.misspelt",
        "why": "drops 'patern' silently",
        "call": {"name": "search", "arguments": {"patern": "User"}},
        "right": {"name": "search", "arguments": {"pattern": "User"}},
        "reply": "Error: bad input",
        "culprits": ["pattern", "limit"],
        "count": 2,
        "known": True,
        "advice": made["findings"][0]["advice"],
        "code": "UNKNOWN_PARAM",
    }


def test_the_json_says_why_an_audit_ended_early() -> None:
    assert strictly(plain_json.render(REPORTS["interrupted"]))["ended"] == "it was interrupted"
    made = strictly(plain_json.render(REPORTS["never started"]))
    assert (made["complete"], made["ended"], made["server"]) == (False, "the server did not start: exit code 1", None)
