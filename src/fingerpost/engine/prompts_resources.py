"""Diagnose requests for unknown prompts and resources, and prompts with wrong arguments.

A prompt is judged like a read-only tool whose arguments are strings, some of them required. Neither is ever refused:
the server answers, and the likely name is added to its error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fingerpost.engine.catalog import Catalog
from fingerpost.engine.judge import judge
from fingerpost.engine.matching import OFFER_THRESHOLD, Match, closest
from fingerpost.engine.matching.spelling import normal_form
from fingerpost.engine.model import Call, Diagnosis, Report, Severity, Verdict
from fingerpost.engine.phrases import join_names, quote
from fingerpost.engine.policy import Policy
from fingerpost.engine.safety.json_input import as_list, as_object, as_strings
from fingerpost.engine.safety.redact import clean

UNKNOWN_PROMPT, UNKNOWN_RESOURCE = "UNKNOWN_PROMPT", "UNKNOWN_RESOURCE"

_MOST_SIMILAR = 5
_LONGEST_URI = 512
_SLOT = re.compile(r"\{[^{}]{1,128}\}")
_PART = re.compile(r":?/+")


def prompt_catalog(prompts: object) -> Catalog:
    """Build a catalog of read-only tools from the `prompts` array of a `prompts/list` result; never raises."""
    return Catalog.listed([_as_tool(as_object(prompt)) for prompt in as_list(prompts)])


def _as_tool(prompt: dict[str, Any]) -> dict[str, Any]:
    arguments = [one for one in map(as_object, as_list(prompt.get("arguments"))) if isinstance(one.get("name"), str)]
    properties = {one["name"]: {"type": "string", **_description(one)} for one in arguments}
    schema = {
        "type": "object",
        "properties": properties,
        "required": [one["name"] for one in arguments if one.get("required") is True],
    }
    return {"name": prompt.get("name"), "inputSchema": schema, "annotations": {"readOnlyHint": True}}


def _description(argument: dict[str, Any]) -> dict[str, Any]:
    return {"description": argument["description"]} if isinstance(argument.get("description"), str) else {}


def admit_prompt(call: Call, prompts: Catalog, policy: Policy) -> Verdict:
    """Judge a `prompts/get`. Only its arguments are repaired, and it is never refused."""
    verdict = judge(call, prompts, replace(policy, info_tool=None))
    if prompts.get(call.tool) is None and prompts.is_complete:
        return Verdict("forward", call, Report(call=call, diagnoses=(_unknown_prompt(call, prompts),), is_refusal=True))
    if verdict.action == "repair" and verdict.call.tool == call.tool:
        return verdict
    return Verdict("forward", call, verdict.report)


def _unknown_prompt(call: Call, prompts: Catalog) -> Diagnosis:
    matches = closest(call.tool, prompts.names, "tool")[:_MOST_SIMILAR]
    return Diagnosis(
        code=UNKNOWN_PROMPT,
        message=f"Prompt {quote(call.tool)} not found",
        severity=Severity.HIGH,
        category="not_found",
        details={"got": clean(call.tool), "expected": "a listed prompt"},
        suggestions=_suggestions(matches, "similar_prompts"),
        hint=_hint(matches) or "List the prompts to see what is available",
        next_steps={"list": "prompts/list"},
    )


@dataclass(frozen=True, slots=True)
class Resources:
    """The resources that one caller sees: URIs, and templates of URIs."""

    uris: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()

    @classmethod
    def from_lists(cls, resources: object, templates: object) -> Resources:
        """Read the arrays of a `resources/list` and a `resources/templates/list` result; never raises."""
        return cls(tuple(_strings_under(resources, "uri")), tuple(_strings_under(templates, "uriTemplate")))

    def explain_unknown(self, uri: str) -> Report:
        """Report on a request for a resource; the report is empty if the resource is listed."""
        found = () if uri in self.uris else (self._diagnosis(uri),)
        return Report(call=Call(uri), diagnoses=found, is_refusal=bool(found))

    def _diagnosis(self, uri: str) -> Diagnosis:
        fitting = [template for template in self.templates if _fits(uri, template)]
        matches = () if fitting else self._near(uri)
        return Diagnosis(
            code=UNKNOWN_RESOURCE,
            message=f"Resource {quote(uri)} not found",
            severity=Severity.HIGH,
            category="not_found",
            details={"got": clean(uri), "expected": "a listed resource or one that fits a template"},
            suggestions=_suggestions(matches, "similar_resources"),
            hint=self._hint(fitting, matches),
            next_steps=self._next_steps(),
        )

    def _near(self, uri: str) -> Sequence[Match]:
        """Find URIs that resemble this one, among those listed and the templates filled in from it."""
        expanded = [one for template in self.templates for one in _fill_template(uri, template)]
        candidates = [*self.uris, *(one for one in expanded if one not in self.uris)]
        same = [one for one in candidates if normal_form(one) == normal_form(uri[:_LONGEST_URI])]
        if len(same) == 1:
            return (Match(same[0], 1.0, is_clear=True),)
        return closest(uri[:_LONGEST_URI], candidates, "value")[:_MOST_SIMILAR]

    def _hint(self, fitting: list[str], matches: Sequence[Match]) -> str:
        if fitting:
            return (
                f"It fits the template {quote(fitting[0])}, and there is nothing under that name: list or search first"
            )
        if hint := _hint(matches):
            return hint
        if self.templates:
            return f"Templates: {join_names(self.templates, limit=4)}"
        return "List the resources to see what is available"

    def _next_steps(self) -> dict[str, Any]:
        templates = [clean(template, 96) for template in self.templates[:4]]
        return {"list": "resources/list", **({"templates": templates} if templates else {})}


def _strings_under(entries: object, key: str) -> Iterable[str]:
    return as_strings([as_object(entry).get(key) for entry in as_list(entries)])


def _suggestions(matches: Sequence[Match], key: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if matches and matches[0].confidence > OFFER_THRESHOLD:
        found["did_you_mean"] = clean(matches[0].name, 128)
    return {**found, key: [clean(match.name, 128) for match in matches]} if matches else {}


def _hint(matches: Sequence[Match]) -> str:
    if matches and matches[0].confidence > OFFER_THRESHOLD:
        return f"Did you mean {quote(matches[0].name)}?"
    return f"Nearest: {join_names(match.name for match in matches[:3])}" if matches else ""


def _fits(uri: str, template: str) -> bool:
    """Whether a URI matches a template: its fixed parts in order, and something in every slot."""
    head, *parts = _SLOT.split(template)
    if not parts or not uri.startswith(head):
        return False
    at = len(head)
    for part in parts[:-1]:
        if (found := uri.find(part, at + 1)) < 0:
            return False
        at = found + len(part)
    return len(uri) - len(parts[-1]) > at and uri.endswith(parts[-1])


def _fill_template(uri: str, template: str) -> Iterable[str]:
    """Fill a template from a URI that has as many parts and resembles it in the fixed ones."""
    parts, given = _PART.split(template), _PART.split(uri[:_LONGEST_URI])
    if len(parts) != len(given) or not _SLOT.search(template):
        return
    pairs = list(zip(parts, given, strict=True))
    if all(own and (_SLOT.fullmatch(part) or _is_near(own, part)) for part, own in pairs):
        values = iter([own for part, own in pairs if _SLOT.fullmatch(part)])
        yield _SLOT.sub(lambda slot: next(values, slot.group()), template)


def _is_near(given: str, part: str) -> bool:
    near = closest(given, [part], "value")
    return bool(near) and near[0].confidence > OFFER_THRESHOLD
