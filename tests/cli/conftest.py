"""Fixtures of the command-line tests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.code_tools import code_tools


@pytest.fixture
def catalog(tmp_path: Path) -> str:
    path = tmp_path / "tools.json"
    path.write_text(json.dumps({"tools": code_tools()}), encoding="utf-8")
    return str(path)
