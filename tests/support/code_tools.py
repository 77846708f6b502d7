"""The tools of the first seed's code server, and one that writes, as a `tools/list` gives them."""

from __future__ import annotations

import json
from typing import Any

from tests.support.paths import DATA


def code_tools() -> list[dict[str, Any]]:
    return json.loads((DATA / "code_tools.json").read_text(encoding="utf-8"))
