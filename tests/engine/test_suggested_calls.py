"""Every call that an answer suggests is one that the server's tools can take."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fingerpost import KEY, Call, Catalog, Policy, admit, enrich, render
from tests.support.pages import PAGES, page_cases

DATA = Path(__file__).resolve().parents[1] / "data"
LISTS: dict[str, list[Any]] = {
    one["name"]: one["tools"]
    for lines in (
        gzip.decompress((DATA / "tool_lists.jsonl.gz").read_bytes()).decode().splitlines(),
        (DATA / "rich_tool_lists.jsonl").read_text(encoding="utf-8").splitlines(),
    )
    for one in map(json.loads, lines)
}
PAGE_CASES = [case for page in sorted(PAGES.glob("*.md")) for case in page_cases(page.read_text(encoding="utf-8"))]

_CALL = re.compile(r"(?<![\w.\-/])([\w.\-/]+)\(((?:\"(?:[^\"\\]|\\.)*\"|<[^>]*>|[^()\"<]|\([^()]*\))*)\)")
_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*\"|<[^>]*>")
_NESTED = re.compile(r"\{[^{}]*\}|\[[^\[\]]*\]")
_KEY = re.compile(r"(?:^|, )([\w.\-$]+): ?")
_ONE_OF = re.compile(r"must be (?:one of )?(.*?), got (\S.*)$", re.MULTILINE)


def calls_in(text: str, catalog: Catalog) -> Iterator[tuple[str, list[str]]]:
    """Yield the tool and the parameters of each call that is written in a text."""
    for name, arguments in _CALL.findall(text):
        if catalog.get(name) is not None:
            plain = _STRING.sub("0", arguments)
            while (shorter := _NESTED.sub("0", plain)) != plain:
                plain = shorter
            yield name, _KEY.findall(plain)


def wrong_parameters(text: str, catalog: Catalog) -> list[str]:
    """Return the parameters in suggested calls that the tool does not have."""
    wrong: list[str] = []
    for name, keys in calls_in(text, catalog):
        tool = catalog.get(name)
        assert tool is not None
        wrong += [f"{name}({key})" for key in keys if key not in tool.params]
    return wrong


def contradictions(text: str) -> list[str]:
    """Return the lines that reject one of the values that they ask for."""
    return [found[0] for found in _ONE_OF.finditer(text) if found[2].strip(" .") in found[1].split(", ")]


def test_a_wrong_suggestion_would_be_found() -> None:
    schema = {"type": "object", "properties": {"label": {"type": "string"}}}
    catalog = Catalog.listed([{"name": "namespaces_list", "inputSchema": schema}])
    assert wrong_parameters('Try: namespaces_list(namespace: "a, b: c")', catalog) == ["namespaces_list(namespace)"]
    assert wrong_parameters('Try: namespaces_list(label: "a, b: (c)")', catalog) == []
    assert contradictions('stage must be one of "staging", "prod", got "staging".')
    assert not contradictions('stage must be one of "staging", "prod", got "stagin"')


@pytest.mark.parametrize("case", PAGE_CASES, ids=lambda case: case.heading)
def test_the_calls_on_the_pages_are_valid(case: Any) -> None:
    catalog = Catalog.listed(case.given.tools)
    text = f"{case.rendered[1]}\n{json.dumps(case.structured, ensure_ascii=False)}"
    assert wrong_parameters(text.replace('\\"', '"'), catalog) == []
    assert contradictions(text) == []


NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
NAMESPACE = {"type": "object", "properties": {"namespace": {"type": "string"}}, "required": ["namespace"]}
CLUSTER: list[Any] = [
    {"name": "namespaces_list", "inputSchema": NOTHING, "annotations": {"readOnlyHint": True}},
    {"name": "pods_list", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}},
    {"name": "pods_list_in_namespace", "inputSchema": NAMESPACE, "annotations": {"readOnlyHint": True}},
]


@pytest.mark.parametrize("name", ["list_namespaces", "get_namespaces", "namespace_list", "list_pods", "get_pods"])
def test_a_tool_without_parameters_is_not_offered_with_arguments(name: str) -> None:
    catalog = Catalog.listed(CLUSTER)
    text = render(admit(Call(name, {"namespace": "prod"}), catalog).report).text
    assert wrong_parameters(text, catalog) == []
    assert "Similar tools: " in text


def test_a_tool_that_takes_anything_is_offered_with_its_arguments() -> None:
    catalog = Catalog.listed([{"name": "events_send", "inputSchema": {"type": "object", "additionalProperties": True}}])
    assert 'events_send(a: "b")' in render(admit(Call("send_events", {"a": "b"}), catalog).report).text


@pytest.mark.parametrize(
    "text",
    [
        'Invalid stage: must be one of "staging", got "staging"', "stage must be at least 3 characters",
        "stage must be at most 20 characters", "tags must contain at least 1 items", "stage: Invalid enum value",
    ],
)  # fmt: skip
def test_what_the_call_already_keeps_to_is_not_asked_for(text: str) -> None:
    properties = {"stage": {"type": "string"}, "tags": {"type": "array"}}
    catalog = Catalog.listed([{"name": "deploy", "inputSchema": {"type": "object", "properties": properties}}])
    reply = {"isError": True, "content": [{"type": "text", "text": text}]}
    guided = enrich(Call("deploy", {"stage": "staging", "tags": ["a"]}), reply, catalog)
    assert guided["content"] == reply["content"]
    assert guided["_meta"][KEY]["error"]["code"] == "INTERNAL_ERROR"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("stage must be at least 3 characters", "INVALID_LENGTH"),
        ("stage must be at most 1 characters", "INVALID_LENGTH"),
        ('stage must be one of "staging", "prod"', "INVALID_CHOICE"),
    ],
)
def test_what_the_call_breaks_is_explained(text: str, code: str) -> None:
    properties = {"stage": {"type": "string"}}
    catalog = Catalog.listed([{"name": "deploy", "inputSchema": {"type": "object", "properties": properties}}])
    reply = {"isError": True, "content": [{"type": "text", "text": text}]}
    error = enrich(Call("deploy", {"stage": "st"}), reply, catalog)["_meta"][KEY]["error"]
    assert error["code"] == code


def wrong_calls(tools: list[Any]) -> Iterator[Call]:
    """Yield wrong calls to each tool of a list: nothing, another name, another parameter, a value of another type."""
    for tool in tools:
        name, properties = tool["name"], list(tool.get("inputSchema", {}).get("properties", {}))
        filled: dict[str, Any] = dict.fromkeys(properties, "staging")
        yield Call(name, {})
        yield Call(name, filled)
        yield Call(f"{name[:-1]}", filled)
        yield Call(f"get_{name}s", {})
        yield Call(name.replace("list", "get").replace("get", "fetch"), filled)
        yield Call(name, {f"{one}_x": 1 for one in properties})
        yield Call(name, {"id": "7", "namespace": "prod", "query": "x", "path": "a"})


@pytest.mark.parametrize("name", sorted(LISTS))
def test_the_calls_that_answers_suggest_are_valid(name: str) -> None:
    tools = LISTS[name]
    catalog = Catalog.listed(tools)
    for call in wrong_calls(tools):
        verdict = admit(call, catalog, policy=Policy(auto_correct="off"))
        envelope = render(verdict.report)
        text = f"{envelope.text}\n{json.dumps(envelope.structured, ensure_ascii=False)}".replace('\\"', '"')
        assert wrong_parameters(text, catalog) == [], call
        assert contradictions(text) == [], call
