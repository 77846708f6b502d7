"""Present the corrected call without repeating values that must not be repeated.

A value that is long, private or oddly spelled is not copied into the reply. If the caller sent it, it is written as
`<as sent>`, and `as_sent` maps it to its path in the caller's own call, so that a program can still send the corrected
call. If the value is ours, its type is written instead, for the caller to fill in. A call that is too long is shown by
its changes: objects and lists that were not changed are `<as sent>`, and of many changed items only the first is shown.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any

from fingerpost.engine.matching.spelling import normal_form
from fingerpost.engine.model import Applicability, Call, Path
from fingerpost.engine.phrases import (
    AS_SENT,
    Placeholder,
    encode_json,
    format_call,
    format_path,
    key_of,
    shorten_literal,
    show_name,
)
from fingerpost.engine.render.fewer_items import leave_out_items, leaves_out_changes
from fingerpost.engine.safety.identifiers import is_own_id
from fingerpost.engine.safety.json_input import as_list, as_object
from fingerpost.engine.safety.redact import ECHO_LIMIT, clean, is_clean, is_harmless, is_secret
from fingerpost.engine.safety.secrets import has_secret
from fingerpost.engine.schema import walk as schemas
from fingerpost.engine.schema.placeholder import BlankList, shorten_blanks

_LONGEST_COPIED = (256, ECHO_LIMIT, 0)
"""The longest text that is copied for a program; smaller limits are tried until the call is small enough."""

_LONGEST_OWN_LINES = 600
"""The longest text of several lines that is shown, such as a corrected patch; it is ours, and JSON on one line."""

_LONGEST_PATH = 256
_LARGEST = 900
_DEEPEST = 8
_MOST_NODES = 200
"""More values than this never fit into a corrected call."""
_MOST_ORIGINS = 1_000
"""How many values of the caller's own call are looked at, to tell which of them a value is."""
_LIST = "<array>"
_COMFORTABLE = 360
"""Up to this many characters, a call is shown with everything in it."""
_LONGEST_BESIDE_CHANGES = 16
"""The longest text that is repeated although it was not changed, in a call that is shown by its changes."""


@dataclass(frozen=True)
class SentCall:
    """The call that a caller sent, and the normalised names of its arguments that are secret."""

    call: Call
    secret: Container[str] = ()
    shows_lines: bool = False
    """Whether values of several lines may be shown: the author of the tool made them, not its schema."""

    @cached_property
    def origins(self) -> dict[int, Path]:
        """The path of each value by identity; computed once, if a value is omitted."""
        return {id(value): at for at, value in _walk(self.call.arguments)}


@dataclass(frozen=True)
class PresentableCall:
    """A call with every value that may be shown, and the origin of the others."""

    call: Call
    sent: SentCall
    as_sent: dict[str, str] = field(default_factory=dict[str, str])
    is_complete: bool = True
    """False if a value of ours is omitted, so that the caller has to fill it in."""
    is_shortened: bool = False
    """Whether some placeholders show less than they could."""

    @cached_property
    def text(self) -> str:
        return format_call(self.call, is_vetted=True)

    def without(self, names: Container[str]) -> PresentableCall:
        """Return the call without these arguments."""
        left = {name: value for name, value in self.call.arguments.items() if name not in names}
        return replace(self, call=Call(self.call.tool, left))

    @property
    def size(self) -> int:
        return len(encode_json([self.call.arguments, self.as_sent]))


def present_call(
    corrected: Call, sent: SentCall, longest: int = ECHO_LIMIT, *, only_changes: bool = False
) -> PresentableCall:
    """Present `corrected` to the caller who sent `sent`.

    Texts longer than `longest`, secrets, and with `only_changes` what was not changed, are omitted.
    """
    presenter = _Presenter(sent, longest, only_changes)
    fields = as_object(corrected.arguments)
    arguments = {
        show_name(name): presenter.present(value, (name,)) for name, value in list(fields.items())[:_MOST_NODES]
    }
    origins = {at: format_path(origin) for at, origin in presenter.omitted.items() if origin}
    known = {at: path for at, path in origins.items() if is_clean(path, _LONGEST_PATH) and not has_secret(path)}
    is_complete = (
        len(known) == len(presenter.omitted) and len(fields) <= _MOST_NODES and all(map(_may_show_name, fields))
    )
    return PresentableCall(Call(clean(corrected.tool), arguments), sent, known, is_complete)


def present_in_text(corrected: Call, sent: SentCall, longest: int) -> PresentableCall:
    """Present a call in at most `longest` characters if possible: with less inside its placeholders, or its changes."""
    presented = present_call(corrected, sent)
    if len(presented.text) <= longest and _shows_lists(presented, corrected):
        return _without_unchanged(presented, corrected, sent)
    for shorter in _shorter_and_shorter(corrected, sent):
        if len(shorter.text) <= longest and _shows_lists(shorter, corrected):
            return replace(shorter, is_shortened=True)
    return presented


def _without_unchanged(presented: PresentableCall, corrected: Call, sent: SentCall) -> PresentableCall:
    """Leave long objects and lists that were not changed as sent, if the call is long and that shortens it much."""
    if len(presented.text) <= _COMFORTABLE:
        return presented
    shorter = present_call(corrected, sent, only_changes=True)
    is_worth_it = len(shorter.text) < len(presented.text) * 2 // 3 and shorter.is_complete
    return replace(shorter, is_shortened=True) if is_worth_it else presented


def _shows_lists(presented: PresentableCall, corrected: Call) -> bool:
    """Whether no list that was changed is only written as its type."""
    fields = as_object(corrected.arguments).items()
    lists = [name for name, value in fields if isinstance(value, list) and not isinstance(value, BlankList)]
    return all(presented.call.arguments.get(name) != _LIST for name in lists)


def _shorter_and_shorter(corrected: Call, sent: SentCall) -> Iterator[PresentableCall]:
    """Yield the call with less inside its placeholders, then without what was not changed, then with fewer items."""
    blanks = list(_with_fewer_blanks(corrected))
    for call in blanks:
        yield present_call(call, sent)
    call = blanks[-1] if blanks else corrected
    changed = leave_out_items(call, sent.call, keeps_changes=True)
    yield present_call(changed, sent, _LONGEST_BESIDE_CHANGES, only_changes=True)
    first = leave_out_items(call, sent.call, keeps_changes=False)
    shorter = present_call(first, sent, _LONGEST_BESIDE_CHANGES, only_changes=True)
    yield replace(shorter, is_complete=shorter.is_complete and not leaves_out_changes(first))


def call_for_program(in_text: PresentableCall, corrected: Call, applicability: Applicability) -> dict[str, Any]:
    """Return `{name, arguments, applicability}` for a program.

    If a value is omitted, `as_sent` tells where it is in the call that was sent, and `when_filled` is the applicability
    once it is filled in. `in_text` is the call in the text; if that is complete, it is used here too.
    """
    for presented in _smaller_and_smaller(in_text, corrected):
        if presented.size <= _LARGEST:
            return _as_object(presented, applicability)
    return {"name": clean(corrected.tool), "applicability": Applicability.HAS_PLACEHOLDERS.value}


def changes_for_program(corrected: Call, sent: SentCall, applicability: Applicability) -> dict[str, Any]:
    """Return the call for a program with everything that was not changed as sent, if there is no room for more."""
    presented = present_call(corrected, sent, only_changes=True)
    return _as_object(presented, applicability)


def _as_object(presented: PresentableCall, applicability: Applicability) -> dict[str, Any]:
    graded = applicability if presented.is_complete else Applicability.HAS_PLACEHOLDERS
    call = {"name": presented.call.tool, "arguments": presented.call.arguments, "applicability": graded.value}
    if not presented.as_sent:
        return call
    # a client that does not know `as_sent` must not send the call with `<as sent>` in it
    filled = {"as_sent": presented.as_sent, "when_filled": graded.value}
    return {**call, "applicability": Applicability.HAS_PLACEHOLDERS.value, **filled}


def _smaller_and_smaller(in_text: PresentableCall, corrected: Call) -> Iterator[PresentableCall]:
    """Yield a call with ever less inside its placeholders, then with ever shorter texts."""
    if in_text.is_complete and not in_text.as_sent and not in_text.is_shortened:
        yield in_text
    call, sent, longest = corrected, in_text.sent, _LONGEST_COPIED[0]
    yield present_call(call, sent, longest)
    for call in _with_fewer_blanks(corrected):
        yield present_call(call, sent, longest)
    yield present_call(call, sent, ECHO_LIMIT, only_changes=True)
    for longest in _LONGEST_COPIED[1:]:
        yield present_call(call, sent, longest)


def _with_fewer_blanks(call: Call) -> Iterator[Call]:
    """Yield the call with ever less inside its placeholders; nothing if there is nothing inside them."""
    for depth in range(_DEEPEST, 0, -1):
        arguments = shorten_blanks(call.arguments, depth)
        if arguments is not call.arguments:
            yield Call(call.tool, arguments)


@dataclass(frozen=True)
class _Presenter:
    """Decides for each value whether it may be shown, and records the origin of those that may not."""

    sent: SentCall
    longest: int
    only_changes: bool = False
    omitted: dict[str, Path | None] = field(default_factory=dict[str, "Path | None"])

    def present(self, value: Any, at: Path) -> Any:
        leaf: Any = value
        if (
            self.only_changes
            and isinstance(value, dict | list)
            and _is_long(leaf, self.longest)
            and id(leaf) in self.sent.origins
        ):
            return self._omit(leaf, at)
        if isinstance(value, dict) and self._is_small_object(leaf, at):
            return {name: self.present(item, (*at, name)) for name, item in as_object(leaf).items()}
        if isinstance(value, list) and len(at) < _DEEPEST and (at[1:] or _is_small(leaf)):
            return [self.present(item, (*at, index)) for index, item in enumerate(as_list(leaf))]
        if isinstance(leaf, Placeholder) or self._may_show(leaf, at):
            return leaf
        return self._omit(leaf, at)

    def _omit(self, value: Any, at: Path) -> Placeholder:
        self.omitted[show_name(format_path(at))] = origin = self.sent.origins.get(id(value))
        return AS_SENT if origin else Placeholder(f"<{self._describe(value, at)}>")

    def _describe(self, value: Any, at: Path) -> str:
        """Describe a value of ours: a long one, such as a choice, by its beginning and end, any other by its type."""
        is_long = isinstance(value, str) and is_clean(value, len(value)) and not self._is_secret(at)
        if is_long and (text := shorten_literal(value, key_of(at))) is not AS_SENT:
            return text
        return schemas.type_name(value)

    def _is_small_object(self, value: Any, at: Path) -> bool:
        is_small = len(at) < _DEEPEST and (at[1:] or _is_small(value))
        return bool(is_small) and all(map(_may_show_name, as_object(value)))

    def _may_show(self, value: Any, at: Path) -> bool:
        key = key_of(at)
        if isinstance(value, dict | list) or self._is_secret(at):
            return False
        if not is_harmless(value, key) and not (is_own_id(value, key) and not self._was_secret(value)):
            return False
        if isinstance(value, str):
            return is_clean(value, self.longest) or self._is_own_lines(value)
        return value is None or (-(10**20) < value < 10**20)  # false for NaN too

    def _is_own_lines(self, value: str) -> bool:
        """Whether a text is several lines that the caller did not send, without invisible characters."""
        if not self.sent.shows_lines or id(value) in self.sent.origins:
            return False
        is_short = "\n" in value and len(value) <= _LONGEST_OWN_LINES
        return is_short and all(is_clean(" ".join(line.split()), len(line)) for line in value.split("\n"))

    def _was_secret(self, value: Any) -> bool:
        """Whether the caller sent the value under the name of a secret."""
        origin = self.sent.origins.get(id(value), ())
        return is_secret(key_of(origin)) or self._is_secret(origin)

    def _is_secret(self, at: Path) -> bool:
        return bool(self.sent.secret) and any(
            normal_form(step) in self.sent.secret for step in at if isinstance(step, str)
        )


def _may_show_name(name: str) -> bool:
    return is_clean(name) and not has_secret(name)


def _is_small(value: Any) -> bool:
    """Whether an argument contains few enough values to be shown."""
    pending: list[Any] = [value]
    for node in pending:
        if len(pending) + len(as_object(node)) + len(as_list(node)) > _MOST_NODES:
            return False
        pending += [*as_object(node).values(), *as_list(node)]
    return True


def _is_long(value: Any, longest: int) -> bool:
    """Whether an object or list is not worth repeating if it was not changed."""
    return not _is_small(value) or len(encode_json(value)) > longest * 3 // 4


def _walk(root: Any) -> Iterator[tuple[Path, Any]]:
    """Yield the values of the caller's own call with their paths, breadth first, up to a limit."""
    pending: list[tuple[Path, Any]] = [((), root)]
    for at, value in pending:
        if at:
            yield at, value
        if len(pending) <= _MOST_ORIGINS:
            pending += [((*at, key), item) for key, item in islice(as_object(value).items(), _MOST_NODES)]
            pending += [((*at, index), item) for index, item in enumerate(as_list(value)[:_MOST_NODES])]
