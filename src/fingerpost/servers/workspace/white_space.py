"""Name differences in white space between a patch and a file, and compute the lines that the patch has to have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from fingerpost.servers.workspace.patch import Hunk

_HARD_SPACE = "\u00a0"
_UNITS = (2, 3, 4, 8)


def name_differences(expected: Sequence[str], found: Sequence[str]) -> list[str]:
    """Name how lines of a patch differ from those of a file that are the same apart from white space."""
    names: dict[str, None] = {}
    for one, other in zip(expected, found, strict=False):
        if one.rstrip() != other.rstrip() and "".join(one.split()) == "".join(other.split()):
            names |= dict.fromkeys(_names(one.rstrip(), other.rstrip()))
    return list(names)


def _names(expected: str, found: str) -> Iterator[str]:
    if (_HARD_SPACE in expected) != (_HARD_SPACE in found):
        yield f"the {'patch' if _HARD_SPACE in expected else 'file'} has non-breaking spaces"
        expected, found = expected.replace(_HARD_SPACE, " "), found.replace(_HARD_SPACE, " ")
    before, after = indent_of(expected), indent_of(found)
    if before != after:
        kinds = _kind(before), _kind(after)
        if "" not in kinds and kinds[0] != kinds[1]:
            yield f"indentation, the file has {kinds[1]} and the patch {kinds[0]}"
        else:
            yield f"indentation, the file has {len(after)} and the patch {len(before)} characters"
    if expected.strip() != found.strip():
        yield "white space inside lines"


def _kind(indent: str) -> str:
    marks = set(indent)
    return "" if not marks else "tabs" if marks == {"\t"} else "spaces" if marks == {" "} else "tabs and spaces"


def indent_of(line: str) -> str:
    """Return the white space at the beginning of a line."""
    return line[: len(line) - len(line.lstrip())]


def respace_hunk(hunk: Hunk, found: Sequence[str]) -> dict[int, str]:
    """Return the lines of a hunk with the white space of the file, by index; none if that is not certain.

    `found` are the lines of the file that are its old lines apart from white space. An added line is indented as the
    file indents the old lines that the patch indents like it.
    """
    edits: dict[int, str] = {}
    pairs = list(zip(hunk.old, found, strict=True))
    rules = _indent_rules([(indent_of(one), indent_of(other)) for one, other in pairs if one.strip()])
    has_hard_spaces = any(_HARD_SPACE in one and _HARD_SPACE not in other for one, other in pairs)
    lines = iter(found)
    for number, (mark, text) in zip(hunk.numbers, hunk.lines, strict=True):
        whole = text.rstrip("\r\n")
        own = next(lines).rstrip("\r\n") if mark != "+" else _respace(whole, rules, has_hard_spaces)
        if own is None:
            return {}
        if own.rstrip() != whole.rstrip():
            edits[number] = mark + own
    return edits


def _respace(line: str, rules: list[Callable[[str], str | None]], has_hard_spaces: bool) -> str | None:
    """Return an added line with the right indentation; none if the rules do not agree on one."""
    indents = {rule(indent_of(line)) for rule in rules} - {None}
    if not line.strip():
        return line
    if len(indents) != 1:
        return None
    whole = f"{indents.pop()}{line.lstrip()}"
    return whole.replace(_HARD_SPACE, " ") if has_hard_spaces else whole


def _indent_rules(pairs: list[tuple[str, str]]) -> list[Callable[[str], str | None]]:
    """Return the ways to get from the indentation of the patch to that of the file which hold for every old line."""
    if all(one == other for one, other in pairs):
        return [lambda indent: indent]
    seen: dict[str, set[str]] = {}
    for one, other in pairs:
        seen.setdefault(one, set()).add(other)

    def look_up(indent: str) -> str | None:
        return next(iter(seen[indent])) if indent in seen else None

    units = [rule for unit in _UNITS for rule in (_to_tabs(unit), _to_spaces(unit))]
    fitting = [rule for rule in units if all(rule(one) == other for one, other in pairs)]
    return [look_up, *fitting] if all(len(one) == 1 for one in seen.values()) else []


def _to_tabs(unit: int) -> Callable[[str], str | None]:
    return lambda indent: indent.replace(" " * unit, "\t")


def _to_spaces(unit: int) -> Callable[[str], str | None]:
    return lambda indent: indent.replace("\t", " " * unit)
