"""Regular expressions that are compiled when they are first used.

Most of them are for text that few processes ever see: the errors of other validators, secrets, attacks. Compiling them
all would take half the time of importing the package.
"""

from __future__ import annotations

import re
from typing import Any, cast


def lazy_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled on first use."""
    return cast("re.Pattern[str]", _LazyPattern(pattern, flags))


class _LazyPattern:
    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        # stored on the instance, so that later calls do not come here
        method = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, method)
        return method
