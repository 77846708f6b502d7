"""The tools of the first seed's code server, and one that writes, as a `tools/list` gives them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def code_tools() -> list[dict[str, Any]]:
    return json.loads((Path(__file__).parent / "data" / "code_tools.json").read_text(encoding="utf-8"))
