"""The stdio connection to servers that hang, flood or end."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

import pytest

from fingerpost.audit.execute.connection import AnswerTimeout, Connection, ServerEnded
from tests.support.audited_servers import NEAR, command
from tests.support.waiting import PATIENCE, with_longer_timeouts


def python(program: str) -> tuple[str, ...]:
    return (sys.executable, "-S", "-c", program)


def test_a_connection_reports_timeouts_and_the_end_of_the_server() -> None:
    async def scenario() -> None:
        connection = Connection(command(tools=[NEAR]))
        with pytest.raises(AnswerTimeout, match=r"gave no answer within 0\.1 s"):
            await connection.request("tools/call", {"name": "hang", "_meta": {"do": [["hang"]]}}, 0.1)
        waiting = asyncio.ensure_future(connection.request("tools/call", {"_meta": {"do": [["hang"]]}}, PATIENCE))
        await asyncio.sleep(0)
        connection.close("was let go")
        connection.close("is closed already")
        with pytest.raises(ServerEnded, match="was let go"):
            await waiting
        with pytest.raises(ServerEnded, match="was let go"):
            await connection.request("ping", {}, PATIENCE)
        connection.notify("notifications/cancelled", {})
        assert connection.has_ended

    asyncio.run(scenario())


def test_an_answer_survives_the_end_of_the_server() -> None:
    async def scenario() -> dict[str, Any]:
        connection = Connection(command(tools=[NEAR]))
        answered = asyncio.get_running_loop().create_future()
        answered.set_result({"result": {}})
        connection._pending[99] = answered  # pyright: ignore[reportPrivateUsage]
        connection.close()
        return await answered

    assert asyncio.run(scenario()) == {"result": {}}


def test_a_timeout_knows_whether_later_requests_were_answered() -> None:
    async def late_beside(seconds: float, *others: str) -> bool:
        connection = Connection(command(tools=[NEAR]))
        await connection.request("ping", {}, PATIENCE)
        waiting = asyncio.ensure_future(connection.request("tools/call", {"_meta": {"do": [["hang"]]}}, seconds))
        await asyncio.sleep(0)
        for method in others:
            await connection.request(method, {}, PATIENCE)
        with pytest.raises(AnswerTimeout) as caught:
            await waiting
        connection.close()
        return caught.value.was_overtaken

    def play(seconds: float) -> None:
        assert not asyncio.run(late_beside(seconds))
        assert asyncio.run(late_beside(seconds, "ping"))

    with_longer_timeouts(play, 0.5)


def test_a_message_larger_than_the_pipe_is_sent_and_read_in_pieces() -> None:
    async def scenario() -> None:
        connection = Connection(command(tools=[NEAR]))
        params = {"name": "look_up", "arguments": {"word": "x" * 500_000}}
        answer = await connection.request("tools/call", params, PATIENCE)
        connection.close()
        assert len(str(answer)) > 500_000

    asyncio.run(scenario())


def test_a_spurious_wakeup_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    read, wakeups = os.read, set[int]()

    def busy(descriptor: int, size: int) -> bytes:
        if size == 256 * 1024 and descriptor not in wakeups:
            wakeups.add(descriptor)
            raise BlockingIOError
        return read(descriptor, size)

    async def scenario() -> None:
        monkeypatch.setattr("os.read", busy)
        connection = Connection(
            python("import sys; print('hm', file=sys.stderr); sys.stdin.readline(); print('{}'); sys.exit(5)")
        )
        with pytest.raises(ServerEnded, match="exited with code 5"):
            await connection.request("ping", {}, PATIENCE)
        assert connection.stderr_tail == "hm\n"

    asyncio.run(scenario())
    assert len(wakeups) == 2


def test_a_server_that_closes_standard_error_is_still_read() -> None:
    async def scenario() -> None:
        answer = '{"jsonrpc": "2.0", "id": 1, "result": {}}'
        connection = Connection(python(f"import os, sys; os.close(2); sys.stdin.readline(); print('{answer}')"))
        assert await connection.request("ping", {}, PATIENCE) == {"result": {}}
        connection.close()

    asyncio.run(scenario())


def test_answers_to_a_server_that_does_not_read_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.audit.execute.connection._MAX_UNREAD", 1)
    monkeypatch.setattr("fingerpost.audit.execute.connection._MAX_UNANSWERED", 2_000_000)
    ping = '{"jsonrpc": "2.0", "id": 1, "method": "ping"}'

    async def scenario() -> None:
        connection = Connection(python(f"while True: print('{ping}')"))
        with pytest.raises(ServerEnded, match="without an answer in them"):
            await connection.request("ping", {}, PATIENCE)

    asyncio.run(scenario())
