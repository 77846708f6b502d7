"""What every door into a server has: a desk, the lists of its callers, and the switches an author may turn."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, get_args
from weakref import WeakKeyDictionary

from fingerpost.engine.annotations import Effects, Write
from fingerpost.engine.catalog import Catalog
from fingerpost.engine.model import EMPTY_REPORT, Call, Report, Verdict
from fingerpost.engine.policy import Policy
from fingerpost.engine.prompts_resources import Resources, prompt_catalog
from fingerpost.engine.render.shapes import Shape
from fingerpost.middleware.desk import Desk
from fingerpost.middleware.tool_list_cache import ToolListCache


class Door:
    """Unknown tools, wrong arguments, failures inside tools, tips, the `info` tool and annotations, in one line.

    `policy` decides what is done with calls; `shape` is that of errors in `structuredContent`; `write`
    declares which tools change anything: `{"edit": True, "sync": lambda arguments: …}`.
    """

    def __init__(
        self,
        policy: Policy | None = None,
        *,
        shape: Shape = "nested",
        write: Mapping[str, Write] | None = None,
        auto_approve: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not isinstance(policy, Policy | None):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"policy must be a Policy, got {policy!r}: Guidance(Policy(auto_correct='off'))")
        if shape not in get_args(Shape):
            raise ValueError(f"shape must be one of {', '.join(get_args(Shape))}, got {shape!r}")
        self._desk = Desk(policy or Policy(), shape, Effects(write, auto_approve=auto_approve), clock=clock)
        self._tools: ToolListCache[Catalog] = ToolListCache(self._desk.catalog)
        self._prompts: ToolListCache[Catalog] = ToolListCache(prompt_catalog)
        self._servers: WeakKeyDictionary[Any, object] = WeakKeyDictionary()
        """A token for each server that this guidance stands in front of; nearly always there is one."""
        self._last: Any = None
        self._token: object = None

    @property
    def failures(self) -> int:
        """How often guidance itself has failed, and the server's own reply went through."""
        return self._desk.failures

    @property
    def auto_approve(self) -> bool:
        """Whether the annotations that clients show are suppressed."""
        return self._desk.effects.auto_approve

    @auto_approve.setter
    def auto_approve(self, value: bool) -> None:
        self._desk.effects.auto_approve = value

    def lets_pass(self, caller: object, name: str, arguments: Any) -> bool:
        """Whether a call is right by the caller's last known list, so that there is nothing to do but send it on."""
        try:
            catalog = self._tools.any(caller)
            return catalog is not None and self._desk.lets_pass(name, arguments, catalog)
        except Exception as error:
            self._desk.failed(error)
            return False

    async def _admitted(self, call: Call, caller: object, read: Callable[[], Awaitable[list[Any] | None]]) -> Verdict:
        """What to do with a request for a prompt; where that cannot be told, it goes on as it came."""
        try:
            return await self._judged(call, caller, read)
        except Exception as error:
            self._desk.failed(error)
            return Verdict("forward", call)

    async def _judged(self, call: Call, caller: object, read: Callable[[], Awaitable[list[Any] | None]]) -> Verdict:
        """What is said of a prompt comes from a fresh list, as with tools."""
        known = self._prompts.any(caller)
        if known and (verdict := self._desk.admitted(call, known)).report is EMPTY_REPORT:
            return verdict
        prompts = await read()
        if prompts is None:
            return Verdict("forward", call)
        return self._desk.admitted(call, self._prompts.put(caller, [prompts]))

    def _astray(self, uri: str, resources: list[Any] | None, templates: list[Any] | None) -> Report:
        """What to say to one who asked for a resource that is not there; nothing where no list of them can be read."""
        if resources is None and templates is None:
            return EMPTY_REPORT
        return self._desk.safely(lambda: Resources.from_lists(resources, templates).explain_unknown(uri), EMPTY_REPORT)
