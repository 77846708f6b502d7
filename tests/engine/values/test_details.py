"""Small details of a text, and texts that swallowed other parameters."""

from __future__ import annotations

from typing import Any

import pytest

from fingerpost import Call, Catalog, Verdict, admit, render
from tests.engine.values.readings import INTEGER, offered, readings, text

KEY = {"type": "string", "pattern": "^[A-Z]+-[0-9]+$"}
PATH = {"type": "string", "pattern": "^/"}


@pytest.mark.parametrize(
    ("sent", "schema", "value"),
    [
        (" AB-1 ", KEY, "AB-1"), ('"AB-1"', KEY, "AB-1"), ("<AB-1>", KEY, "AB-1"), ("#AB-1", KEY, "AB-1"),
        ("https://x.com/browse/AB-1?a=b", KEY, "AB-1"), ("@bob", {"type": "string", "pattern": "^[a-z]+$"}, "bob"),
        ("file:///a/my%20file", PATH, "/a/my file"), ("file://localhost/a", PATH, "/a"),
        ("Bob <bob@x.com>", {"type": "string", "format": "email"}, "bob@x.com"),
        ("'abc'", {"type": "string", "maxLength": 3}, "abc"),
        ("https://github.com/o/r/issues/12", INTEGER, 12),
    ],
)  # fmt: skip
def test_a_detail_that_the_schema_rejects_is_offered_without_it(sent: str, schema: dict[str, Any], value: Any) -> None:
    assert readings(sent, schema) == offered(value)


@pytest.mark.parametrize("sent", ["#AB-1", "~/notes", "file:///a", '"quoted"', " spaces "])
def test_a_detail_that_the_schema_accepts_stays(sent: str) -> None:
    assert readings(sent, {"type": "string"}) == []


def test_a_url_is_wanted_where_the_format_says_so() -> None:
    assert readings("see https://x.com/a", {"type": "string", "format": "uri", "maxLength": 8}) == []


@pytest.mark.parametrize("sent", ["https://x.com/AB-1/AB-2", "https://x.com", "https://x.com/", "#", '""', "x" * 5000])
def test_a_text_without_one_such_detail_is_left_alone(sent: str) -> None:
    assert readings(sent, KEY, required=True) == []


def test_a_home_directory_is_not_guessed() -> None:
    assert readings("~/notes", PATH, name="file_path") == []
    assert "Write file_path out: ~ is not expanded" in text("~/notes", PATH, name="file_path")
    assert "expanded" not in text("~/notes", PATH, name="title")


def judge_call(arguments: Any, properties: dict[str, Any], required: list[str] | None = None) -> Verdict:
    schema = {"type": "object", "properties": properties, "required": [*properties] if required is None else required}
    return admit(Call("t", arguments), Catalog.listed([{"name": "t", "inputSchema": schema}]))


TEXT = {"type": "string"}
FILE = {"path": TEXT, "content": TEXT, "limit": INTEGER}


@pytest.mark.parametrize(
    ("sent", "split"),
    [
        ("a</path><limit>5</limit><content>b <i>c</i>", {"path": "a", "limit": 5, "content": "b <i>c</i>"}),
        ("a</path>\n<content>b</content>\n<limit>5</limit>\n</invoke>", {"path": "a", "content": "b", "limit": 5}),
        ('a\n<parameter name="content">b</parameter>\n<parameter name="limit">5',
         {"path": "a", "content": "b", "limit": 5}),
        ("a</parameter><parameter=content>b</parameter><parameter=limit>5", {"path": "a", "content": "b", "limit": 5}),
        ("a</path><limit>5</limit><content>b</content></parameter></invoke></function_calls>",
         {"path": "a", "content": "b", "limit": 5}),
        ('a", "content": "b", "limit": 5', {"path": "a", "content": "b", "limit": 5}),
        ('a", "limit": 5, "content": "b', {"path": "a", "content": "b", "limit": 5}),
        ('a", "limit": 5, "content": "b"}', {"path": "a", "content": "b", "limit": 5}),
    ],
)  # fmt: skip
def test_later_parameters_in_a_text_are_offered_as_a_split(sent: str, split: dict[str, Any]) -> None:
    found = judge_call({"path": sent}, FILE)
    assert found.action == "refuse"
    assert found.report.corrected
    assert found.report.corrected.arguments == split
    assert "Parameter 'path' contains" in render(found.report).text


def test_a_split_with_an_undeclared_name_is_explained_but_not_offered() -> None:
    found = judge_call({"path": 'a\n<parameter name="mode">w</parameter><parameter name="content">b'}, FILE)
    assert found.report.corrected is None
    assert "Parameter 'path' contains 'mode' and 'content' too" in render(found.report).text


@pytest.mark.parametrize(
    "arguments",
    [
        {"path": "<p>a</p><b>c</b>"}, {"path": "<content>a</content>"}, {"path": "a</path> and <content>"},
        {"path": '{"content": "b", "limit": 5}'}, {"path": 'a", "other": 5'}, {"path": 'a", "content": b'},
        {"path": "the parameter name is content"}, {"path": "a</path>"}, {"path": "a</path><b>c</b>"},
        {"path": '<parameter name="other">'}, {"other": "a</path><content>b"}, {"path": 5},
    ],
)  # fmt: skip
def test_markup_and_json_in_a_text_are_left_alone(arguments: dict[str, Any]) -> None:
    assert all(one.code != "WRONG_SHAPE" for one in judge_call(arguments, FILE).report.diagnoses)


@pytest.mark.parametrize("name", ["path", "event_id", "userName", "table"])
@pytest.mark.parametrize(
    "sent", ["a</{0}><force>true</force>", "a</{0}>\n<force>true", 'a</parameter><parameter name="force">true']
)
def test_an_optional_parameter_in_a_path_or_id_is_found_in_a_valid_call(name: str, sent: str) -> None:
    found = judge_call({name: sent.format(name)}, {name: TEXT, "force": {"type": "boolean"}}, required=[name])
    assert found.action in ("ask", "refuse")
    assert found.report.corrected == Call("t", {name: "a", "force": True})


@pytest.mark.parametrize(
    "arguments",
    [
        {"content": "b</content><limit>5</limit>", "path": "a"}, {"path": "a</b>"}, {"path": "<limit>"},
        {"path": "</title><limit>5"}, {"path": "a</path><other>"}, {"path": "a</path><limit>5", "limit": 5},
        {"path": 'a<parameter name="limit">5'},
    ],
)  # fmt: skip
def test_a_valid_call_with_other_tags_is_sent(arguments: dict[str, Any]) -> None:
    assert judge_call(arguments, FILE, required=["path"]).action == "forward"


def test_long_text_with_tags_is_split_only_if_a_required_parameter_is_missing() -> None:
    sent = {"content": "b</content><path>a</path>"}
    assert judge_call({**sent, "limit": "x"}, FILE, required=["content"]).report.diagnoses[0].code == "INVALID_TYPE"
    found = judge_call(sent, FILE, required=["path", "content"])
    assert found.report.corrected == Call("t", {"content": "b", "path": "a"})


@pytest.mark.parametrize("mark", ["#", "@", "!"])
def test_a_mark_before_an_id_is_removed(mark: str) -> None:
    assert readings(f"{mark}OPS-12", {"type": "string", "pattern": "^[A-Z]+-[0-9]+$"}) == offered("OPS-12")


def test_an_exclamation_mark_before_a_word_is_kept() -> None:
    assert readings("!open", {"type": "string", "pattern": "^[a-z]+$"}) == []


@pytest.mark.parametrize(
    ("arguments", "split"),
    [
        ({"repo": "octocat/hello"}, {"owner": "octocat", "repo": "hello"}),
        ({"owner": "octocat/hello"}, {"owner": "octocat", "repo": "hello"}),
        ({"repo": "https://github.com/octocat/hello.git"}, {"owner": "octocat", "repo": "hello"}),
    ],
)
def test_owner_and_repository_in_one_text_are_offered_apart(arguments: Any, split: Any) -> None:
    found = judge_call(arguments, {"owner": TEXT, "repo": TEXT})
    assert found.report.corrected
    assert found.report.corrected.arguments == split


@pytest.mark.parametrize(
    ("arguments", "properties"),
    [
        ({"path": "src/main"}, {"owner": TEXT, "repo": TEXT, "path": TEXT}),
        ({"repo": "a/b"}, {"branch": TEXT, "repo": TEXT}),
        ({"repo": "a/b/c"}, {"owner": TEXT, "repo": TEXT}),
        ({"repo": "a" * 400}, {"owner": TEXT, "repo": TEXT}),
    ],
)
def test_a_slash_in_other_parameters_is_left_alone(arguments: Any, properties: Any) -> None:
    assert all(one.code != "WRONG_SHAPE" for one in judge_call(arguments, properties).report.diagnoses)
