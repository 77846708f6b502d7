"""URLs instead of a host, an address or an id."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.values.readings import INTEGER, likely, offered, readings, text

HOST, EMAIL = {"type": "string", "format": "hostname"}, {"type": "string", "format": "email"}
WORD = {"type": "string", "pattern": "^[a-z0-9.-]+$"}


@pytest.mark.parametrize(
    ("sent", "lost"),
    [
        ("https://shop.example.org/login", "the path"), ("https://shop.example.org:8443/a", "the port and the path"),
        ("shop.example.org:8080", "the port"), ("shop.example.org/login", "the path"),
    ],
)  # fmt: skip
@pytest.mark.parametrize(("name", "schema"), [("h", HOST), ("target_host", WORD), ("domain_name", WORD)])
def test_a_url_stands_for_its_host_and_the_hint_says_what_is_lost(sent: str, lost: str, name: str, schema: Any) -> None:
    assert readings(sent, schema, name=name, read_only=True) == offered("shop.example.org")
    assert f"{name}: only the host is kept, without {lost}." in text(sent, schema, name=name)


@pytest.mark.parametrize(
    "sent",
    ["https://shop.example.org", "https://bob@shop.example.org", "https://shop.example.org/", "//shop.example.org"],
)
def test_a_url_that_is_only_a_host_loses_nothing(sent: str) -> None:
    assert readings(sent, HOST) == offered("shop.example.org")
    assert "only the host" not in text(sent, HOST)


@pytest.mark.parametrize(
    ("sent", "form", "host"),
    [("http://10.0.0.1/10.0.0.2", "ipv4", "10.0.0.1"), ("http://[2001:db8::1]:80/", "ipv6", "2001:db8::1")],
)
def test_an_address_is_read_from_the_host_and_never_from_the_path(sent: str, form: str, host: str) -> None:
    assert readings(sent, {"type": "string", "format": form}) == offered(host)


@pytest.mark.parametrize("sent", ["10.0.0.0/24", "a@b.example", "http://[::1]/a", "https://shop.example.org/a b"])
def test_a_network_an_address_of_mail_and_a_text_are_no_host(sent: str) -> None:
    assert readings(sent, HOST) == []


@pytest.mark.parametrize(
    ("sent", "schema", "name", "value"),
    [
        ("https://x.example/users/bob", {"type": "string", "pattern": "^[a-z]{3}$"}, "user", "bob"),
        ("https://x.example/t?ticket_id=12", INTEGER, "ticket_id", 12),
        ("https://x.example/watch?v=a1b2c3d4", {"type": "string", "pattern": "^[a-z0-9]{8}$"}, "video", "a1b2c3d4"),
        ("https://x.example/my%20doc%207", {"type": "string", "pattern": "^my doc [0-9]$"}, "doc", "my doc 7"),
    ],
)  # fmt: skip
def test_a_part_of_a_url_is_offered_if_something_says_that_it_is_the_value(
    sent: str, schema: Any, name: str, value: Any
) -> None:
    assert readings(sent, schema, name=name, required=True) == offered(value)


@pytest.mark.parametrize(
    ("sent", "schema", "name"),
    [
        ("https://x.example/login", {"type": "string", "pattern": "^[a-z]+$"}, "slug"),
        ("https://x.example/login", {"type": "string", "maxLength": 8}, "title"),
        ("https://x.example/list?page=2", INTEGER, "limit"), ("https://v12/login7", WORD, "version"),
        ("https://x.example?page=2", {"type": "string", "format": "date"}, "day"),
    ],
)  # fmt: skip
def test_a_part_of_a_url_is_not_the_value_only_because_it_fits(sent: str, schema: Any, name: str) -> None:
    assert readings(sent, schema, name=name, required=True) == []


def test_an_address_of_mail_is_read_from_its_url() -> None:
    assert readings("mailto:a@b.example", EMAIL, name="owner") == likely("a@b.example")
    assert readings("mailto:a@b.example?subject=x", EMAIL, name="owner") == []
