"""Build hook: the README and the URLs in the metadata of the package.

PyPI shows the README without the repository, so relative links in it lead nowhere. The one setting `repository` in
pyproject.toml makes them absolute. While it is empty, links become plain text and images are left out.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, cast

from hatchling.metadata.plugin.interface import MetadataHookInterface

_FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]\n]*)\]\((?!https?://|#)(?P<path>[^)\s]+)\)")


class ReadmeHook(MetadataHookInterface):
    """Fill in the dynamic fields `readme` and `urls`."""

    def update(self, metadata: dict[str, Any]) -> None:
        settings = cast("dict[str, str]", self.config)  # pyright: ignore[reportUnknownMemberType]
        repository = settings["repository"]
        readme = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": resolve_links(readme, repository)}
        metadata["urls"] = {"Repository": repository} if repository else {}


def resolve_links(markdown: str, repository: str) -> str:
    """Make relative links absolute, or plain text if there is no repository. Fences stay as they are.

    The addresses are GitHub's: `/blob/HEAD/` shows a page, `/raw/HEAD/` gives the bytes of an image.
    """

    def resolve(link: re.Match[str]) -> str:
        if not repository:
            return "" if link["image"] else link["text"]
        kind = "raw" if link["image"] else "blob"
        return f"{link['image']}[{link['text']}]({repository.rstrip('/')}/{kind}/HEAD/{link['path']})"

    parts = _FENCE.split(markdown)
    return "".join(part if part.startswith("```") else _LINK.sub(resolve, part) for part in parts)
