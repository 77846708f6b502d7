"""Options and profiles for every test: reproducible Hypothesis, `--bless`, and tests without coverage."""

from __future__ import annotations

import importlib
import os
import pkgutil
from collections.abc import Generator
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, Phase, settings

import fingerpost

for _module in pkgutil.walk_packages(fingerpost.__path__, "fingerpost."):
    # Hypothesis draws constants from the modules imported so far. Those that tests import later, in an order that
    # depends on the load of the machine, would change the examples of a derandomised law.
    if not _module.name.endswith("__main__"):
        with suppress(ImportError):
            importlib.import_module(_module.name)

settings.register_profile(
    "steady", max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("soak", deadline=None, max_examples=500, suppress_health_check=list(HealthCheck))
settings.register_profile("hasty", parent=settings.get_profile("steady"), phases=[Phase.explicit, Phase.generate])
settings.register_profile("quick", parent=settings.get_profile("steady"), max_examples=15)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--bless", action="store_true", help="rewrite the pages with what is rendered today")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """What a test starts is traced as the test itself is: not at all where it is marked so."""
    marks = [key for key in os.environ if key.startswith("COVERAGE_PROCESS") and item.get_closest_marker("no_cover")]
    kept = {key: os.environ.pop(key) for key in marks}
    try:
        return (yield)
    finally:
        os.environ.update(kept)
