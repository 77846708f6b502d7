"""Error texts of other servers are read as the violations beside each recording, and other texts give none.

`data/dialects.jsonl` holds what real servers and validators answered, one recording per line. A `source` that starts
with "documented" or "written" was not recorded: the first is a format that its project documents, the second is ours.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.engine.dialects import DIALECTS, MAX_TEXT, MAX_VIOLATIONS, read
from fingerpost.engine.dialects.alternatives import choose_nearest, merge_violations
from fingerpost.engine.model import Violation
from tests.support.paths import DATA
from tests.support.waiting import cpu_seconds

RECORDINGS: list[dict[str, Any]] = [
    json.loads(line) for line in (DATA / "dialects.jsonl").read_text("utf-8").splitlines()
]
WITH_VIOLATIONS = [recording for recording in RECORDINGS if recording["violations"]]
WITHOUT_VIOLATIONS = [recording for recording in RECORDINGS if not recording["violations"]]
TEXTS = [recording["text"] for recording in RECORDINGS]

SECRET = "hunter2-Xq9"


def violations_in(text: str) -> list[list[Any]]:
    return [[list(violation.at), violation.keyword, violation.expected] for violation in read(text)]


def label(recording: dict[str, Any]) -> str:
    return f"{recording['dialect']} {RECORDINGS.index(recording)}: {recording['source']}"


# Recordings


@pytest.mark.parametrize("recording", WITH_VIOLATIONS, ids=label)
def test_a_recording_gives_the_recorded_violations(recording: dict[str, Any]) -> None:
    assert violations_in(recording["text"]) == recording["violations"]


@pytest.mark.parametrize("recording", WITHOUT_VIOLATIONS, ids=label)
def test_a_text_that_is_not_about_the_call_gives_no_violations(recording: dict[str, Any]) -> None:
    assert read(recording["text"]) == ()


def test_there_are_recordings_of_every_dialect_and_of_unrelated_texts() -> None:
    real = [recording for recording in WITH_VIOLATIONS if not recording["source"].startswith(("documented", "written"))]
    assert len(real) >= 60
    assert len([recording for recording in WITHOUT_VIOLATIONS if recording["dialect"] == "silence"]) >= 25
    assert {recording["dialect"] for recording in WITH_VIOLATIONS} == set(DIALECTS)


def test_violations_carry_no_schema() -> None:
    assert not any(violation.schema for text in TEXTS for violation in read(text))


@pytest.mark.parametrize(
    "text",
    [
        "1 validation error for X\n  Field required [type=missing]",
        "1 validation error for X\n  Extra inputs are not permitted [type=extra_forbidden]",
        "1 validation error for X\n0\n  Missing required positional only argument [type=missing]",
        '[{"keyword": "type", "params": {"type": "date"}, "schemaPath": "#/type", "instancePath": "/when"}]',
        '[{"keyword": "odd", "params": {"": 0, "limit": 2}, "schemaPath": "#/odd", "instancePath": 3}]',
        '[{"keyword": "maximum", "params": {"limit": null}, "schemaPath": "#/maximum", "instancePath": "/n"}]',
        '[{"code": "invalid_format", "format": "cuid", "path": ["id"], "message": "Invalid cuid"}]',
        'validating root: type: x has type "string", want "date"',
        "Missing required parameter: ''",
        "data must be <= 1e999",
    ],
)
def test_an_incomplete_statement_gives_no_violations(text: str) -> None:
    assert read(text) == ()


# Laws


TYPES = {"string", "integer", "number", "boolean", "array", "object", "null"}
LIMIT_KEYWORDS = {
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("minLength", "maxLength", "minItems", "maxItems"),
}


def assert_valid_violations(found: tuple[Violation, ...]) -> None:
    """Check that there are at most twenty, each with an expectation of the type its keyword needs."""
    assert len(found) <= MAX_VIOLATIONS
    for violation in found:
        match violation.keyword:
            case "type":
                assert violation.expected and set(violation.expected) <= TYPES
            case "enum" | "additionalProperties":
                assert isinstance(violation.expected, list)
            case "required" | "format" | "pattern":
                assert isinstance(violation.expected, str)
            case _:
                assert violation.keyword in LIMIT_KEYWORDS and isinstance(violation.expected, (int, float))


@given(st.text(st.characters(codec=None), max_size=400))
def test_any_text_can_be_read(text: str) -> None:
    assert_valid_violations(read(text))


@given(st.sampled_from(TEXTS), st.text(max_size=60), st.text(max_size=60), st.integers(0, 2000), st.integers(0, 2000))
def test_any_part_of_a_recording_in_any_context_can_be_read(
    text: str, before: str, after: str, start: int, stop: int
) -> None:
    assert_valid_violations(read(before + text[start:] + after))
    assert_valid_violations(read(before + text[:stop] + after))


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
ISSUE_KEYS = {
    "zod": ("code", "path", "message", "expected", "received", "errors", "unionErrors", "keys", "options", "minimum"),
    "pydantic": ("type", "loc", "msg"),
    "ajv": ("keyword", "params", "schemaPath", "instancePath"),
}
CODES = (
    "invalid_type",
    "invalid_union",
    "too_small",
    "unrecognized_keys",
    "invalid_format",
    "not_multiple_of",
    "anyOf",
)
KINDS = ("missing", "extra_forbidden", "literal_error", "too_short", "union_tag_invalid", "required", "type", "format")


@given(st.sampled_from(sorted(ISSUE_KEYS)), st.data())
def test_issues_with_any_values_can_be_read(dialect: str, data: st.DataObject) -> None:
    values = JSON_VALUES | st.sampled_from((*CODES, *KINDS)) | st.just([["a", 0]])
    issue = st.fixed_dictionaries(dict.fromkeys(ISSUE_KEYS[dialect], values))
    issues = data.draw(st.lists(issue, min_size=1, max_size=3))
    assert_valid_violations(read(f"Error: {json.dumps(issues)}"))


def test_a_text_with_a_thousand_errors_gives_twenty_violations() -> None:
    lines = "".join(f"field{n}\n  Field required [type=missing, input_value=1, input_type=int]\n" for n in range(1000))
    assert len(read("1000 validation errors for X\n" + lines)) == MAX_VIOLATIONS


def test_text_beyond_the_limit_is_not_read() -> None:
    assert read(" " * MAX_TEXT + "\npattern is required") == ()


HOSTILE = (
    *("\n", "[", "[{", '{"a":', "'", "\\'", "a: ", "data must be string, ", "must be one of ", "validating root: "),
    *(
        "a is required\n",
        "missing field `a`",
        "invalid type: ",
        "✖ Required\n",
        "  m [type=missing]\n",
        "'x' is not one of [",
    ),
)


@pytest.mark.parametrize("unit", HOSTILE)
def test_reading_takes_linear_time(unit: str) -> None:
    """A text of eight times the length takes eight times the CPU time, with slack; quadratic reading takes 64 times."""
    short, long = ((unit * (size // len(unit) + 1))[:size] for size in (MAX_TEXT // 8, MAX_TEXT))
    assert cpu_seconds(lambda: read(long)) <= 8 * 4 * cpu_seconds(lambda: read(short)) + 0.05


def test_deeply_nested_json_gives_no_violations() -> None:
    assert read("[" * 60_000) == ()
    assert read('{"a":' * 10_000) == ()
    issue = '{"code": "invalid_union", "path": [], "errors": [['
    assert read("[" + issue * 100 + "]]}" * 100 + "]") == ()


# Secrets


PYDANTIC = "1 validation error for X\n{}\n  {} [type={}, input_value='" + SECRET + "', input_type=str]"
ECHOES = (
    PYDANTIC.format("max", "Input should be a valid integer", "int_type"),
    PYDANTIC.format("sort", "Input should be 'asc' or 'desc'", "literal_error"),
    PYDANTIC.format(
        "pet",
        f"Input tag '{SECRET}' found using 'kind' does not match any of the expected tags: 'a'",
        "union_tag_invalid",
    ),
    json.dumps([{"type": "int_type", "loc": ["max"], "msg": "Input should be a valid integer", "input": SECRET}]),
    json.dumps(
        [{"code": "invalid_enum_value", "options": ["a"], "received": SECRET, "path": ["sort"], "message": SECRET}]
    ),
    f"Invalid arguments for tool x: Invalid enum value. Expected 'a' | 'b', received '{SECRET}' at sort",
    f"Input validation error: '{SECRET}' is not of type 'integer'",
    f"'{SECRET}' is not one of ['a', 'b']",
    f"'{SECRET} is not one of [1]' is not one of ['a', 'b']",
    f"'x' is too short\n\nFailed validating 'minLength' in schema:\n{{'minLength': 2}}\n\nOn instance:\n'{SECRET}'",
    f'validating root: validating /properties/max: type: {SECRET} has type "string", want "integer"',
    f"validating root: validating /properties/sort: enum: {SECRET} does not equal any of: [asc desc]",
    f'invalid type: string "{SECRET}", expected u32',
    f"unknown variant `{SECRET}`, expected one of `a`, `b`",
    f"invalid value '{SECRET}' for parameter 'sort', expected one of: a, b",
    f"Invalid sort '{SECRET}'. Must be one of: asc, desc",
    f"max must be an integer, got '{SECRET}'",
)


@pytest.mark.parametrize("text", ECHOES)
def test_received_values_are_never_kept(text: str) -> None:
    found = read(text)
    assert found
    assert SECRET not in repr(found)


# Alternatives


def test_the_nearest_alternative_accepts_the_type_and_rejects_something_inside() -> None:
    far = [Violation(("u",), "type", ["string"])]
    near = [Violation(("u", "a"), "type", ["integer"]), Violation(("u",), "required", "b")]
    assert [(found.at, found.branches) for found in choose_nearest([far, near], ("u",))] == [
        (("u", "a"), 2),
        (("u",), 2),
    ]


def test_among_near_alternatives_the_one_with_the_fewest_violations_is_chosen() -> None:
    two = [Violation(("u",), "required", "a"), Violation(("u",), "required", "b")]
    one = [Violation(("u",), "required", "c")]
    assert choose_nearest([two, one], ("u",)) == [Violation(("u",), "required", "c", branches=2)]


def test_alternatives_of_other_types_are_merged_into_one_choice_of_types() -> None:
    kinds = [[Violation(("u",), "type", [kind])] for kind in ("string", "null", "array")]
    assert choose_nearest(kinds, ("u",)) == [Violation(("u",), "type", ["string", "array"], branches=3)]


def test_a_violation_inside_a_value_replaces_the_violation_of_its_type() -> None:
    violations = [Violation(("u",), "type", ["string"]), Violation(("u", 0), "type", ["integer"])]
    assert merge_violations(violations) == violations[1:]


def test_violations_without_a_path_are_not_merged() -> None:
    violations = [Violation((), "type", ["string"]), Violation((), "type", ["integer"]), Violation((), "required", "a")]
    assert merge_violations([*violations, violations[0]]) == violations


@pytest.mark.parametrize(
    ("text", "branches"),
    [
        ("2 validation errors for X\nu.str\n  No [type=string_type]\nu.list[int]\n  No [type=list_type]", [2]),
        ("2 validation errors for X\npq.Cat.x\n  No [type=missing]\npq.Dog.y\n  No [type=missing]", [2]),
        ("2 validation errors for X\nat.date\n  No [type=date_parsing]\nat.time\n  No [type=time_parsing]", [0, 0]),
        ("1 validation error for X\nu.int\n  No [type=int_parsing]", [0]),
        ("data/u must be string, data/u must be object, data/u must match a schema in anyOf", [2]),
    ],
)
def test_labels_of_a_union_are_distinguished_from_fields(text: str, branches: list[int]) -> None:
    assert [violation.branches for violation in read(text)] == branches
