"""Pages of tool lists are decoded once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec import Raw

from fingerpost.proxy.protocol import recent_pages
from fingerpost.proxy.protocol.recent_pages import RecentPages


def encoded(*names: str, **more: Any) -> Raw:
    return Raw(json.dumps({"tools": [{"name": name} for name in names], **more}).encode())


def test_an_unchanged_page_is_decoded_once_and_a_changed_one_again() -> None:
    pages = RecentPages()
    first = pages.decode(encoded("search"))
    assert first.fields == {"tools": [{"name": "search"}]}
    assert pages.decode(encoded("search")) is first
    assert pages.decode(encoded("find")).fields == {"tools": [{"name": "find"}]}
    assert pages.decode(encoded("search")) is first


def test_a_page_with_more_tools_keeps_its_own_bytes() -> None:
    page = RecentPages().decode(Raw(b'{"tools": [ {"name":"a", "n": 1.50} ], "ttlMs": 5}'))
    assert page.with_tools([{"name": "info"}]) == b'{"tools":[{"name":"a", "n": 1.50},{"name":"info"}],"ttlMs":5}'
    assert page.with_tools([{"name": "info"}]) is page.with_tools([{"name": "info"}])
    assert json.loads(page.with_tools([{"name": "help"}]))["tools"][-1] == {"name": "help"}


def test_old_and_large_pages_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = RecentPages()
    first = pages.decode(encoded("first"))
    for number in range(8):
        pages.decode(encoded(f"tool{number}"))
    assert pages.decode(encoded("first")) is not first
    monkeypatch.setattr(recent_pages, "_MOST_BYTES", 10)
    large = pages.decode(encoded("large"))
    assert large.fields["tools"] == [{"name": "large"}]
    assert pages.decode(encoded("large")) is not large
