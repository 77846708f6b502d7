"""A client that only follows errors reaches the right result, and nothing happens that was not asked for."""

# pyright: basic
from __future__ import annotations

import asyncio

import pytest

from bench.loop import ReferenceServer, reference_servers, run

pytestmark = pytest.mark.no_cover  # many checks of lines that other tests cover


@pytest.mark.parametrize("server", list(reference_servers()), ids=lambda server: server.kind)
def test_wrong_calls_are_corrected_in_one_retry_and_do_no_harm(server: ReferenceServer) -> None:
    bare = asyncio.run(run(server, is_guided=False, rounds=1))
    guided = asyncio.run(run(server, is_guided=True, rounds=1))
    assert guided.repairable > 15 and guided.share >= 0.95, guided.not_recovered
    assert guided.wrong == []
    assert bare.share < 0.5
