"""The tool list of a code search server, with one tool that writes, as in a `tools/list` result."""

from __future__ import annotations

import json
from typing import Any

from tests.support.paths import DATA


def code_tools() -> list[dict[str, Any]]:
    return json.loads((DATA / "code_tools.json").read_text(encoding="utf-8"))
