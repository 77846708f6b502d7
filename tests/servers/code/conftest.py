"""Fixtures for the tests of the code server."""

# pyright: basic
from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.code_server import (
    CodeServer,
    write_files,
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_files(tmp_path_factory.mktemp("project"))


@pytest.fixture
def code(project: Path) -> CodeServer:
    return CodeServer(project)
