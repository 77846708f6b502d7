"""URLs that somebody typed are shown without what may be secret in them."""

from __future__ import annotations

import pytest

from fingerpost.engine.safety.public_urls import hide_in_url, hide_in_urls


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("ftp://bob:hunter2@h/", "ftp://<hidden>@h/"),
        ("http://bob:hunter2@[::1/mcp", "http://<hidden>@[::1/mcp"),
        ("http://bob:hun/ter2@h/mcp", "http://<hidden>@h/mcp"),
        ("http://bob:hunter?2@h/mcp", "http://<hidden>@h/mcp"),
        ("http://hunter2@h", "http://<hidden>@h"),
        ("//bob:hunter2@h/x", "//<hidden>@h/x"),
        ("bob:hunter2@h/x", "<hidden>@h/x"),
        ("http://127.0.0.1:99999/mcp?token=hunter2", "http://127.0.0.1:99999/mcp?<hidden>"),
        ("http://h/mcp?token=hun ter\n2", "http://h/mcp?<hidden>"),
        ("http://h:0/mcp#hunter2", "http://h:0/mcp#<hidden>"),
        ("http://h:0/mcp;token=hunter2/x", "http://h:0/mcp;<hidden>"),
        ("http://h:0/NzQ2YzRkZTktMmE1/mcp", "http://h:0/<hidden>/mcp"),
    ],
)
def test_a_url_is_shown_without_its_secrets(url: str, shown: str) -> None:
    assert hide_in_url(url) == shown == hide_in_url(shown)


@pytest.mark.parametrize(
    "text", ["http://h:99999/mcp", "http://[::1/mcp", "python", "@scope/server", "server@1.0", "a:b", "me@example.com"]
)
def test_other_words_are_shown_as_they_are(text: str) -> None:
    assert hide_in_url(text) == hide_in_urls(text) == text


def test_every_url_in_a_text_is_shown_without_its_secrets() -> None:
    text = "unrecognized arguments: 'http://a:hunter2@h/x?b=hunter2' a:hunter2@h https://h/a, --b"
    assert hide_in_urls(text) == "unrecognized arguments: 'http://<hidden>@h/x?<hidden>' <hidden>@h https://h/a, --b"
