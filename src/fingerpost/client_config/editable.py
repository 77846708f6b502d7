"""A server of a config with the functions that edit it, whatever the format of the config."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fingerpost.client_config.jsonc import Edit
from fingerpost.client_config.servers import Server
from fingerpost.client_config.wrap_server import Proxy


@dataclass(frozen=True, slots=True)
class Editable:
    """A server, and how to wrap and unwrap it. Both functions raise `SkipServer`."""

    server: Server
    is_wrapped: bool
    warning: str
    """What the user should know when it is wrapped."""
    wrap: Callable[[Proxy], list[Edit]]
    unwrap: Callable[[], list[Edit]]


class ConfigSyntaxError(ValueError):
    """The text is not in the format that its file name says; `by_hand` is the form that would be understood."""

    def __init__(self, problem: str, by_hand: tuple[str, ...] = ()) -> None:
        super().__init__(problem)
        self.by_hand = by_hand
