"""Every registered framework has a complete integration, and an integration that is not registered is noticed."""

from __future__ import annotations

import inspect
import tomllib
from importlib import import_module

import pytest

from fingerpost.middleware.frameworks import FRAMEWORKS, Framework
from fingerpost.middleware.guidance import ServerGuidance
from tests.support.paths import ROOT, SOURCE


@pytest.mark.parametrize("framework", FRAMEWORKS, ids=lambda one: one.name)
def test_a_registered_framework_has_guidance_with_the_common_options(framework: Framework) -> None:
    guidance = import_module(framework.module).Guidance
    assert issubclass(guidance, ServerGuidance)
    assert inspect.signature(guidance) == inspect.signature(ServerGuidance)


@pytest.mark.parametrize("framework", FRAMEWORKS, ids=lambda one: one.name)
def test_a_registered_framework_has_an_extra_and_is_documented(framework: Framework) -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert framework.name in extras
    assert framework.import_line in (ROOT / "docs" / "adopt.md").read_text("utf-8")


def test_every_integration_is_registered() -> None:
    modules = {
        path.stem for path in (SOURCE / "middleware").glob("*.py") if "class Guidance(" in path.read_text("utf-8")
    }
    assert modules == {framework.name for framework in FRAMEWORKS}
