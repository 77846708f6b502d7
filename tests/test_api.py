"""The public names, what importing them costs, and how they look to a type checker."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module, resources
from typing import Any, assert_type

import pytest

import fingerpost
from fingerpost import Call, Catalog, Envelope, Match, Policy, Report, Verdict, admit, closest, enrich, render
from fingerpost.engine.model import Action
from tests.support.paths import ROOT

PROMISED = {"Call", "Catalog", "Policy", "admit", "closest", "enrich", "render"}


def test_the_promised_names_are_exported_and_sorted() -> None:
    assert not PROMISED - set(fingerpost.__all__)
    assert fingerpost.__all__ == sorted(
        fingerpost.__all__, key=lambda name: (not name.isupper(), name[0].islower(), name)
    )
    assert all(hasattr(fingerpost, name) for name in fingerpost.__all__)


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("fingerpost.sdk", "Guidance"),
        ("fingerpost.fastmcp", "Guidance"),
        ("fingerpost.errors", "ToolOperationError"),
        ("fingerpost.errors", "UnknownValue"),
        ("fingerpost.audit.replay", "Replay"),
        ("fingerpost.servers.units.suggestions", "resolve_unit"),
    ],
)
def test_the_paths_that_the_changelog_promises_are_importable(module: str, name: str) -> None:
    assert hasattr(import_module(module), name)
    assert f"`{module}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_package_says_that_it_is_typed_and_ships_its_pages_and_data() -> None:
    files = resources.files("fingerpost")
    shipped = [
        files / "py.typed",
        files / "servers" / "units" / "data" / "units.txt",
        files / "codes" / "UNKNOWN_PARAM.md",
    ]
    assert all(path.is_file() for path in shipped)


def run_alone(program: str) -> str:
    bare = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    return subprocess.check_output([sys.executable, "-c", program], text=True, env=bare).strip()


def test_importing_the_core_pulls_in_nothing_heavy() -> None:
    heavy = {"mcp", "fastmcp", "pydantic", "asyncio", "logging", "sqlite3"}
    assert run_alone(f"import sys, fingerpost; print(*sorted({heavy} & set(sys.modules)))") == ""


@pytest.mark.parametrize(("argument", "loaded"), [("pattern", ""), ("patern", "fingerpost.engine.rules")])
def test_the_rules_are_loaded_for_the_first_wrong_call(argument: str, loaded: str) -> None:
    program = f"""if True:
        import sys
        from fingerpost import Call, Catalog, admit
        schema = {{"type": "object", "properties": {{"pattern": {{"type": "string"}}}}, "additionalProperties": False}}
        admit(Call("search", {{"{argument}": "User"}}), Catalog.listed([{{"name": "search", "inputSchema": schema}}]))
        print(*{{"fingerpost.engine.rules", "fingerpost.engine.render"}} & set(sys.modules))
    """
    assert run_alone(program) == loaded


def test_the_documented_example_reads_as_documented() -> None:
    tools = [
        {
            "name": "search",
            "annotations": {"readOnlyHint": True},
            "inputSchema": {"type": "object", "properties": {"pattern": {"type": "string"}}, "required": ["pattern"]},
        }
    ]
    catalog = assert_type(Catalog.listed(tools), Catalog)
    verdict = assert_type(admit(Call("search", {"patern": "User"}), catalog, policy=Policy()), Verdict)
    assert assert_type(verdict.action, Action) == "repair"
    assert assert_type(verdict.call, Call) == Call("search", {"pattern": "User"})
    envelope = assert_type(render(assert_type(verdict.report, Report), shape="nested", budget=800), Envelope)
    assert assert_type(envelope.text, str) == "Parameter 'patern' was auto-corrected to 'pattern'."
    assert envelope.structured["corrections"][0]["from"] == "patern"
    assert enrich(Call("search", {"pattern": "x"}), {"content": []}, catalog) == {"content": []}
    matches = assert_type(closest("patern", ["pattern", "filter"], kind="parameter", context=None), tuple[Match, ...])
    assert [(match.name, match.is_clear) for match in matches] == [("pattern", True)]


@pytest.mark.parametrize("name", ["auto_correct", "unknown_params", "unfit_values", "unsafe_input"])
def test_a_policy_refuses_a_word_it_does_not_know(name: str) -> None:
    """A misspelt safety switch must not be read as the most permissive one."""
    with pytest.raises(ValueError, match=f"{name} must be one of .*, got 'safee'"):
        Policy(**dict[str, Any]({name: "safee"}))
