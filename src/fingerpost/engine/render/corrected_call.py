"""Present the corrected call without repeating values that must not be repeated.

A value that is long, private or oddly spelled is not copied into the reply. If the caller sent it, it is written as
`<as sent>`, and `as_sent` maps it to its path in the caller's own call, so that a program can still send the corrected
call. If the value is ours, its type is written instead, for the caller to fill in.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

from fingerpost.engine.matching.spelling import normal_form
from fingerpost.engine.model import Applicability, Call, Path
from fingerpost.engine.phrases import AS_SENT, Placeholder, encode_json, format_call, format_path, key_of
from fingerpost.engine.safety.json_input import as_list, as_object
from fingerpost.engine.safety.redact import ECHO_LIMIT, clean, is_clean, is_harmless
from fingerpost.engine.schema import walk as schemas

_LONGEST_COPIED = (256, ECHO_LIMIT, 0)
"""The longest text that is copied for a program; smaller limits are tried until the call is small enough."""

_LARGEST = 900
_DEEPEST = 8
_MOST_NODES = 2_000


@dataclass(frozen=True, slots=True)
class PresentableCall:
    """A call with every value that may be shown, and the origin of the others."""

    call: Call
    as_sent: dict[str, str] = field(default_factory=dict[str, str])
    is_complete: bool = True
    """False if a value of ours is omitted, so that the caller has to fill it in."""

    @property
    def text(self) -> str:
        return format_call(self.call, is_vetted=True)

    @property
    def size(self) -> int:
        return len(encode_json([self.call.arguments, self.as_sent]))


def present_call(
    corrected: Call, sent: Call, secret: Container[str] = (), longest: int = ECHO_LIMIT
) -> PresentableCall:
    """Present `corrected` to the caller who sent `sent`.

    Texts longer than `longest`, and values under a name in `secret`, are omitted.
    """
    presenter = _Presenter(sent, secret, longest)
    fields = as_object(corrected.arguments)
    arguments = {clean(name): presenter.present(value, (name,)) for name, value in list(fields.items())[:_MOST_NODES]}
    known = {at: format_path(origin) for at, origin in presenter.omitted.items() if origin}
    is_complete = len(known) == len(presenter.omitted) and all(map(is_clean, fields))
    return PresentableCall(Call(clean(corrected.tool), arguments), known, is_complete)


def call_for_program(
    in_text: PresentableCall, corrected: Call, sent: Call, applicability: Applicability, secret: Container[str] = ()
) -> dict[str, Any]:
    """Return `{name, arguments, applicability}` for a program.

    If a value is omitted, `as_sent` tells where it is in the call that was sent, and `when_filled` is the applicability
    once it is filled in. `in_text` is the call in the text; if that is complete, it is used here too.
    """
    is_whole = in_text.is_complete and not in_text.as_sent
    for longest in _LONGEST_COPIED:
        presented = in_text if is_whole else present_call(corrected, sent, secret, longest)
        if presented.size <= _LARGEST:
            graded = applicability if presented.is_complete else Applicability.HAS_PLACEHOLDERS
            call = {"name": presented.call.tool, "arguments": presented.call.arguments, "applicability": graded.value}
            if not presented.as_sent:
                return call
            # a client that does not know `as_sent` must not send the call with `<as sent>` in it
            filled = {"as_sent": presented.as_sent, "when_filled": graded.value}
            return {**call, "applicability": Applicability.HAS_PLACEHOLDERS.value, **filled}
    return {"name": clean(corrected.tool), "applicability": Applicability.HAS_PLACEHOLDERS.value}


@dataclass(frozen=True)
class _Presenter:
    """Decides for each value whether it may be shown, and records the origin of those that may not."""

    sent: Call
    secret: Container[str]
    longest: int
    omitted: dict[str, Path | None] = field(default_factory=dict[str, "Path | None"])

    @cached_property
    def _origins(self) -> dict[int, Path]:
        """The path of each value in the caller's own call, by identity; computed only if a value is omitted."""
        return {id(value): at for at, value in _walk(self.sent.arguments)}

    def present(self, value: Any, at: Path) -> Any:
        if isinstance(value, dict) and len(at) < _DEEPEST and all(map(is_clean, as_object(value))):
            return {name: self.present(item, (*at, name)) for name, item in as_object(value).items()}
        if isinstance(value, list) and len(at) < _DEEPEST and len(as_list(value)) <= _MOST_NODES:
            return [self.present(item, (*at, index)) for index, item in enumerate(as_list(value))]
        leaf = cast("Any", value)
        if isinstance(leaf, Placeholder) or self._may_show(leaf, at):
            return leaf
        self.omitted[clean(format_path(at))] = origin = self._origins.get(id(leaf))
        return AS_SENT if origin else Placeholder(f"<{schemas.type_name(leaf)}>")

    def _may_show(self, value: Any, at: Path) -> bool:
        if isinstance(value, dict | list) or not is_harmless(value, key_of(at)) or self._is_secret(at):
            return False
        if isinstance(value, str):
            return is_clean(value, self.longest)
        return value is None or (-(10**20) < value < 10**20)  # false for NaN too

    def _is_secret(self, at: Path) -> bool:
        return bool(self.secret) and any(normal_form(step) in self.secret for step in at if isinstance(step, str))


def _walk(root: Any) -> Iterator[tuple[Path, Any]]:
    """Yield the values of the caller's own call with their paths, breadth first, up to a limit."""
    pending: list[tuple[Path, Any]] = [((), root)]
    for at, value in pending:
        if at:
            yield at, value
        if len(pending) <= _MOST_NODES:
            pending += [((*at, key), item) for key, item in as_object(value).items()]
            pending += [((*at, index), item) for index, item in enumerate(as_list(value))]
