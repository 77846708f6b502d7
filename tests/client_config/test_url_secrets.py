"""Keys in URLs are found, and no key is moved into arguments or printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from fingerpost.cli.main import main
from fingerpost.client_config import Format, wrap
from fingerpost.client_config.url_secrets import find_url_secret
from tests.support.client_configs import PROXY

SECRET = "hunter2hunter2"
WITH_SECRET = (
    f"https://me:{SECRET}@example.com/mcp",
    f"https://{SECRET}@example.com/mcp",
    f"https://example.com/mcp?api_key={SECRET}",
    f"https://example.com/mcp?a=1&token={SECRET}",
    f"https://example.com/mcp?exaApiKey={SECRET}",
    f"https://example.com/mcp?key={SECRET}",
    f"https://example.com/mcp#access_token={SECRET}",
    f"https://example.com/mcp;token={SECRET}",
    f"https://example.com/token/{SECRET}/mcp",
    f"https://example.com/mcp?session={SECRET}",
)


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("https://me:pw@host/mcp", "contains a user name or password"),
        ("https://me@host", "contains a user name or password"),
        ("https://host/mcp?API_KEY=x", "contains a key ('API_KEY')"),
        ("https://host/mcp?a=b&token=${input:t}", "contains a key ('token')"),
        ("https://host?k=", "contains a key ('k')"),
        ("https://host/#token=x", "contains a key ('token')"),
        ("https://host?a=AKIAIOSFODNN7EXAMPLE", "contains what looks like a key"),
        ("https://host?AKIAIOSFODNN7EXAMPLE", "contains what looks like a key"),
        ("https://host/s/NzQ2YzRkZTktMmE1/mcp", "contains what looks like a key"),
        ("https://host/12345678-1234-1234-1234-123456789abc", "contains what looks like a key"),
        ("https://host/mcp/abcdef0123456789abcdef0123456789", "contains what looks like a key"),
        ("https://host/mcp;id=abcdef0123456789abcdef0123456789", "contains what looks like a key"),
        ("https://host/#abcdef0123456789abcdef0123456789", "contains what looks like a key"),
        ("https://host/mcp;v=1;token=x/sse", "contains a key ('token')"),
        ("https://host/a;token=x/mcp", "contains a key ('token')"),
        ("https://host/token/abcdef/mcp", "contains a key ('token')"),
        ("https://host/Session/abcdef", "contains a key ('Session')"),
        ("https://host/mcp?pw=x", "contains a key ('pw')"),
        ("https://host/mcp?session=x", "contains a key ('session')"),
        ("https://host/mcp?a=1;sessionId=x", "contains a key ('sessionId')"),
        ("https://host/mcp?my_key=x", "contains a key ('my_key')"),
        ("https://host/${input:api_key}/mcp", "contains a key ('api_key')"),
        ("https://host/{env:TOKEN}/mcp", "contains a key ('TOKEN')"),
        ("https://[host/mcp", "cannot be parsed"),
    ],
)
def test_a_key_in_a_url_is_found_and_its_value_is_not_repeated(url: str, found: str) -> None:
    assert find_url_secret(url) == found


@pytest.mark.parametrize(
    "url",
    [
        "https://api.githubcopilot.com/mcp/",
        "http://localhost:3000/mcp?readonly=true&project_ref=shop",
        "http://localhost:${PORT}/mcp",
        "${input:url}",
        "https://server.example.com/@scope/context7-mcp/mcp",
        "https://host/mcp/v2025-11-25",
        "https://host/auth/mcp",
        "https://host/token/",
        "https://host/token-service/v1/mcp",
        "https://host/code/search/mcp",
        "https://host/mcp;v=1",
        "https://host/mcp?country_code=de&keyboard=us#top",
        "https://mcp.example.com/gmail/mcp?toolsets=issues,actions",
    ],
)
def test_usual_urls_contain_no_key(url: str) -> None:
    assert find_url_secret(url) == ""


CONFIGS: dict[str, tuple[Format, str]] = {
    "mcp.json": ("json", '{"mcpServers": {"x": {"url": "URL"}, "y": {"command": "a"}}}'),
    ".gemini/settings.json": ("gemini", '{"mcpServers": {"x": {"httpUrl": "URL"}, "y": {"command": "a"}}}'),
    "zed.json": ("json", '{"context_servers": {"x": {"url": "URL"}, "y": {"command": "a", "args": []}}}'),
    "opencode.json": (
        "json",
        '{"mcp": {"x": {"type": "remote", "url": "URL"}, "y": {"type": "local", "command": ["a"]}}}',
    ),
    "config.toml": ("toml", '[mcp_servers.x]\nurl = "URL"\n[mcp_servers.y]\ncommand = "a"\n'),
    "continue.yaml": ("yaml", "mcpServers:\n  - name: x\n    url: URL\n  - name: y\n    command: a\n"),
    "goose.yaml": (
        "yaml",
        "extensions:\n  x:\n    type: streamable_http\n    uri: URL\n  y:\n    type: stdio\n    cmd: a\n    args: []\n",
    ),
}


@pytest.mark.parametrize("url", WITH_SECRET)
@pytest.mark.parametrize("name", CONFIGS)
def test_a_url_with_a_key_is_refused_in_every_format_and_never_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, url: str
) -> None:
    form, template = CONFIGS[name]
    text = template.replace("URL", url)
    outcomes = {outcome.server.name: outcome for outcome in wrap(text, PROXY, None, form).outcomes}
    assert (outcomes["x"].state, outcomes["y"].state) == ("skipped", "wrapped")
    assert "FINGERPOST_HEADERS" in outcomes["x"].remark
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    for options in (["--dry-run"], []):
        assert main(["wrap", str(file), "--command", "fingerpost", *options]) == 0
        assert SECRET not in "".join(capsys.readouterr())
    wrapped = file.read_text(encoding="utf-8")
    assert wrapped.count(SECRET) == 1  # where it was
    assert "--name=y" in wrapped
    assert "--name=x" not in wrapped
