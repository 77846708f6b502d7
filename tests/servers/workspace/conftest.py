"""Fixtures of the workspace tests."""

# pyright: basic, reportPrivateUsage=false
from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from fingerpost.servers.workspace.tools import Workspace
from tests.support.server_workspace_lab import (
    APP,
    NOTES,
    write_files,
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_files(tmp_path / "root", {"notes.txt": NOTES, "src/app.py": APP})


@pytest.fixture
def space(root: Path) -> Workspace:
    return Workspace(root)


@pytest.fixture(autouse=True)
def _no_descriptors_left() -> Iterator[None]:
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    yield
    after = len(os.listdir("/proc/self/fd")) if before else 0
    assert after <= before + 40
