"""The metadata of the wheel: what PyPI shows has no link or image that leads nowhere."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator
from email import message_from_bytes
from email.message import Message

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from hatch_build import resolve_links
from tests.support.paths import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def metadata(tmp_path_factory: pytest.TempPathFactory) -> Message:
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return message_from_bytes(archive.read(name))


def targets(markdown: str) -> list[str]:
    """Where the links and images of a page lead."""
    return list(_targets(MarkdownIt().enable("table").parse(markdown)))


def _targets(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        yield from (str(token.attrs[name]) for name in ("href", "src") if name in token.attrs)
        yield from _targets(token.children or ())


def test_every_link_of_the_built_readme_is_absolute(metadata: Message) -> None:
    payload = metadata.get_payload(decode=True)
    assert isinstance(payload, bytes)
    description = payload.decode()
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert [target for target in targets(description) if not target.startswith("https://")] == []
    assert description.splitlines()[0] == README.splitlines()[0]


def test_the_metadata_names_licence_types_and_the_python_versions_that_were_tested(metadata: Message) -> None:
    assert metadata["License-Expression"] == "Apache-2.0"
    assert {"Typing :: Typed", "Programming Language :: Python :: 3.11"} <= set(metadata.get_all("Classifier", []))


def test_the_repository_setting_makes_links_absolute_and_keeps_their_paths() -> None:
    base = "https://example.org/owner/name"
    assert all((ROOT / target).is_file() for target in targets(README))
    expected = [f"{base}/{'raw' if target.endswith('.svg') else 'blob'}/HEAD/{target}" for target in targets(README)]
    assert targets(resolve_links(README, f"{base}/")) == expected


def test_links_without_a_repository_become_text_and_images_disappear() -> None:
    page = "See [the docs](docs/a.md) and [PyPI](https://pypi.org).\n\n![a picture](b.svg)\n\n```text\n[x](y)\n```\n"
    expected = "See the docs and [PyPI](https://pypi.org).\n\n\n\n```text\n[x](y)\n```\n"
    assert resolve_links(page, "") == expected


def test_the_links_of_the_pages_at_the_top_lead_to_files() -> None:
    for page in ROOT.glob("*.md"):
        links = [target for target in targets(page.read_text("utf-8")) if not target.startswith("https://")]
        assert [link for link in links if not (ROOT / link).exists()] == []
