"""A shared/exclusive lock: several calls at a time, or one call alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class SharedLock:
    """An asyncio lock that is held by several tasks at once, or by one alone."""

    def __init__(self) -> None:
        self._condition = asyncio.Condition()
        self._sharers = 0
        self._is_exclusive = False

    @property
    def is_exclusive(self) -> bool:
        """For the holder: whether nobody else holds the lock."""
        return self._is_exclusive and not self._sharers

    @asynccontextmanager
    async def share(self) -> AsyncGenerator[None]:
        async with self._condition:
            await self._condition.wait_for(lambda: not self._is_exclusive)
            self._sharers += 1
        try:
            yield
        finally:
            async with self._condition:
                self._sharers -= 1
                self._condition.notify_all()

    @asynccontextmanager
    async def exclusive(self) -> AsyncGenerator[None]:
        async with self._condition:
            await self._condition.wait_for(lambda: not self._is_exclusive)
            self._is_exclusive = True
            await self._condition.wait_for(lambda: not self._sharers)
        try:
            yield
        finally:
            async with self._condition:
                self._is_exclusive = False
                self._condition.notify_all()
