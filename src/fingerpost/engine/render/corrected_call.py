"""The corrected call as it may be shown: complete, and without repeating what may not be repeated.

A value that is long, private or oddly spelled is not copied into the reply. Where the caller sent it, it
stands as `<as sent>`, and `as_sent` says which value of the caller's own call belongs there, so that a
program can still send the corrected call without asking anyone. Where the value is ours, only its type
stands there, for the caller to fill in.
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
"""How long a text may be to be copied for a program: tried in this order until the whole is small enough."""

_LARGEST = 900
_DEEPEST = 8
_MOST_NODES = 2_000


@dataclass(frozen=True, slots=True)
class PresentableCall:
    """A call with every value that may be shown, and where the others come from."""

    call: Call
    as_sent: dict[str, str] = field(default_factory=dict[str, str])
    is_complete: bool = True
    """False when a value of ours had to be left out: the caller has to fill it in."""

    @property
    def text(self) -> str:
        return format_call(self.call, is_vetted=True)

    @property
    def size(self) -> int:
        return len(encode_json([self.call.arguments, self.as_sent]))


def present_call(
    corrected: Call, sent: Call, secret: Container[str] = (), longest: int = ECHO_LIMIT
) -> PresentableCall:
    """`corrected` as it may be shown to the one who sent `sent`.

    Texts longer than `longest`, and what stands under a name that is `secret`, are left out.
    """
    teller = _Teller(sent, secret, longest)
    fields = as_object(corrected.arguments)
    arguments = {clean(name): teller.shown(value, (name,)) for name, value in list(fields.items())[:_MOST_NODES]}
    known = {at: format_path(origin) for at, origin in teller.left_out.items() if origin}
    is_complete = len(known) == len(teller.left_out) and all(map(is_clean, fields))
    return PresentableCall(Call(clean(corrected.tool), arguments), known, is_complete)


def corrected_call(
    in_text: PresentableCall, corrected: Call, sent: Call, applicability: Applicability, secret: Container[str] = ()
) -> dict[str, Any]:
    """`{name, arguments, applicability}` for a program, and `as_sent` where a value is left out. `when_filled` is then
    how far the call can be trusted once those values are put in.

    `in_text` is the call as the text says it: where that leaves nothing out, the program is given the same.
    """
    is_whole = in_text.is_complete and not in_text.as_sent
    for longest in _LONGEST_COPIED:
        said = in_text if is_whole else present_call(corrected, sent, secret, longest)
        if said.size <= _LARGEST:
            graded = applicability if said.is_complete else Applicability.HAS_PLACEHOLDERS
            call = {"name": said.call.tool, "arguments": said.call.arguments, "applicability": graded.value}
            if not said.as_sent:
                return call
            # whoever does not know of `as_sent` must not send what stands in its place
            filled = {"as_sent": said.as_sent, "when_filled": graded.value}
            return {**call, "applicability": Applicability.HAS_PLACEHOLDERS.value, **filled}
    return {"name": clean(corrected.tool), "applicability": Applicability.HAS_PLACEHOLDERS.value}


@dataclass(frozen=True)
class _Teller:
    """Decides leaf by leaf, and remembers where what it left out came from."""

    sent: Call
    secret: Container[str]
    longest: int
    left_out: dict[str, Path | None] = field(default_factory=dict[str, "Path | None"])

    @cached_property
    def _origins(self) -> dict[int, Path]:
        """Where each value of the caller's own call stands; made when the first is left out."""
        return {id(value): at for at, value in _nodes(self.sent.arguments)}

    def shown(self, value: Any, at: Path) -> Any:
        if isinstance(value, dict) and len(at) < _DEEPEST and all(map(is_clean, as_object(value))):
            return {name: self.shown(item, (*at, name)) for name, item in as_object(value).items()}
        if isinstance(value, list) and len(at) < _DEEPEST and len(as_list(value)) <= _MOST_NODES:
            return [self.shown(item, (*at, index)) for index, item in enumerate(as_list(value))]
        held = cast("Any", value)
        if isinstance(held, Placeholder) or self._may_show(held, at):
            return held
        self.left_out[clean(format_path(at))] = origin = self._origins.get(id(held))
        return AS_SENT if origin else Placeholder(f"<{schemas.type_name(held)}>")

    def _may_show(self, value: Any, at: Path) -> bool:
        if isinstance(value, dict | list) or not is_harmless(value, key_of(at)) or self._is_secret(at):
            return False
        if isinstance(value, str):
            return is_clean(value, self.longest)
        return value is None or (-(10**20) < value < 10**20)  # which neither a huge number nor NaN satisfies

    def _is_secret(self, at: Path) -> bool:
        return bool(self.secret) and any(normal_form(step) in self.secret for step in at if isinstance(step, str))


def _nodes(root: Any) -> Iterator[tuple[Path, Any]]:
    """Every value of the caller's own call with its place, breadth first, boundedly many."""
    pending: list[tuple[Path, Any]] = [((), root)]
    for at, value in pending:
        if at:
            yield at, value
        if len(pending) <= _MOST_NODES:
            pending += [((*at, key), item) for key, item in as_object(value).items()]
            pending += [((*at, index), item) for index, item in enumerate(as_list(value))]
