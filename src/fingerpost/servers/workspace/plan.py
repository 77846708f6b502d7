"""A patch put to a tree without touching it: what each file would hold, and the steps that make it so."""

from __future__ import annotations

import stat
from collections.abc import Collection, Container
from dataclasses import dataclass, field, replace
from typing import Any

from fingerpost.errors import ToolOperationError
from fingerpost.servers.workspace import freeform, unified
from fingerpost.servers.workspace.applying import Applied, Misfit, applied
from fingerpost.servers.workspace.content import Text, decoded, lines_of
from fingerpost.servers.workspace.drift import unfit
from fingerpost.servers.workspace.journal import Stamp, Step, stamp
from fingerpost.servers.workspace.lookup import Missing, placed
from fingerpost.servers.workspace.names import without_prefix
from fingerpost.servers.workspace.patch import FORM_HINT, FilePatch, Patch, PatchError, malformed
from fingerpost.servers.workspace.places import Parts, shown
from fingerpost.servers.workspace.tree import Tree


@dataclass(frozen=True, slots=True)
class File:
    """A file as it is or will be."""

    data: bytes
    mode: int | None = None
    is_executable: bool = False

    def with_mode(self, mode: int | None) -> File:
        """The same, executable or not as a patch says."""
        if mode is None:
            return self
        runs = bool(mode & 0o100)
        kept = self.mode and (self.mode | (self.mode & 0o444) >> 2 if runs else self.mode & ~0o111)
        return replace(self, mode=kept, is_executable=runs)


@dataclass(slots=True)
class Plan:
    """What is to be done, and what is told of it."""

    files: dict[Parts, File | None] = field(default_factory=dict[Parts, "File | None"])
    changed: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    warnings: list[str] = field(default_factory=list[str])
    seen: dict[Parts, Stamp] = field(default_factory=dict[Parts, Stamp])
    """Which files this is based on, as they were."""


def parsed(text: str) -> Patch:
    """What a patch says, in either form."""
    if not text.strip():
        raise PatchError("The patch is empty", code="PATCH_EMPTY", hint=FORM_HINT)
    is_freeform = freeform.is_freeform(text)
    patch = freeform.parsed(text) if is_freeform else unified.parsed(text)
    if not patch.files:
        if is_freeform:
            raise PatchError("The patch names no file", code="PATCH_EMPTY", hint=FORM_HINT)
        raise malformed("There is no patch in this text")
    for one in patch.files:
        if any(name is not None and _is_folder(name) for name in (one.old, one.new)):
            raise malformed("this names a folder, and a file is wanted", one.line, "Name the file in it")
    return patch


def _is_folder(name: str) -> bool:
    return name.rpartition("/")[2] in ("", ".")


def planned(tree: Tree, text: str) -> Plan:
    """What a patch would do to a tree."""
    patch = parsed(text)
    draft = _Draft(tree, patch)
    for one in patch.files:
        draft.take(one)
    draft.plan.warnings[:0] = patch.warnings
    return draft.plan


def steps(tree: Tree, plan: Plan) -> list[Step]:
    """The steps to a tree that holds the files of a plan, and does not hold those that are none."""
    gone = {at for at, one in plan.files.items() if one is None and at in plan.seen}
    kept = {at: one for at, one in plan.files.items() if one is not None}
    drops = [Step("drop", at, seen=plan.seen[at]) for at in gone]
    return [*drops, *folders(tree, kept.keys(), gone), *(_put(at, one, plan.seen.get(at)) for at, one in kept.items())]


def _put(at: Parts, file: File, seen: Stamp | None) -> Step:
    return Step("put", at, file.data, file.mode, is_executable=file.is_executable, seen=seen)


def folders(tree: Tree, places: Collection[Parts], gone: Container[Parts] = ()) -> list[Step]:
    """The folders that have to be made for files to be put there."""
    missing: dict[Parts, Step] = {}
    for above in (at[:depth] for at in places for depth in range(1, len(at))):
        info = None if above in missing or above in gone else tree.stat(above)
        if above in places or (info is not None and not stat.S_ISDIR(info.st_mode)):
            raise conflict(f"{shown(above)} is a file, and cannot hold others", "Choose another path, or move the file")
        if info is None:
            missing.setdefault(above, Step("mkdir", above))
    return list(missing.values())


def held(tree: Tree, at: Parts) -> tuple[File | None, Stamp | None]:
    """A file of the tree, and by what it is known again."""
    if tree.stat(at) is None:
        return None, None
    data, info = tree.read(at)
    return File(data, stat.S_IMODE(info.st_mode), bool(info.st_mode & 0o100)), stamp(info)


def conflict(message: str, hint: str) -> ToolOperationError:
    return ToolOperationError(message, code="CONFLICT", category="conflict", origin="call", hint=hint)


class _Draft:
    """The tree as the patch so far leaves it."""

    def __init__(self, tree: Tree, patch: Patch) -> None:
        self.tree = tree
        self.plan = Plan()
        self._moved_in: set[Parts] = set()
        self._originals: dict[Parts, File | None] = {}
        self._leaving = {one.old for one in patch.files if one.moves and not one.is_copy}

    def take(self, one: FilePatch) -> None:
        """Put what becomes of one file to the tree."""
        if one.old is None:
            self._create(one, one.new or "")
        elif one.new is None:
            self._delete(one, one.old)
        else:
            self._update(one, one.old, one.new)

    def _create(self, one: FilePatch, name: str) -> None:
        at = self._at(without_prefix(name) if one.is_prefixed else name)
        done = self._applied(one, Text(""), at)
        file = File("".join(done.lines).encode()).with_mode(one.mode)
        if (there := self._file(at)) is not None:
            if there.data == file.data:
                raise _already(f"{shown(at)} is there already, with the same content")
            raise conflict(f"{shown(at)} exists already", "Update it instead, or choose another name")
        self._put(at, file, "created", done)

    def _delete(self, one: FilePatch, name: str) -> None:
        at = self._source(one, name)
        held = self._held(at, one)
        done = Applied(removed=len(lines_of(held.data.decode("latin-1"))))
        if one.is_diff:
            done = self._applied(one, self._text(held, at), at)
            if done.lines:
                said = f"{shown(at)} holds more than the patch takes out of it"
                hint = "Read the file again; delete(path) deletes it as it is"
                raise PatchError(said, code="PATCH_DOES_NOT_APPLY", hint=hint, details={"path": shown(at)})
        self._tell(at, "deleted", done)
        self.plan.files[at] = None

    def _update(self, one: FilePatch, old: str, new: str) -> None:
        at = self._source(one, old, new)
        held = self._held(at, one)
        text = self._text(held, at) if one.hunks else None
        done = self._applied(one, text, at) if text else Applied()
        data = text.encoded("".join(done.lines)) if text else held.data
        file = File(data, held.mode, held.is_executable).with_mode(one.mode)
        if not one.moves:
            return self._put(at, file, "updated", done)
        to = self._at(new)
        if to != at and self._file(to) is not None and new not in self._leaving:
            raise conflict(f"{shown(to)} exists already", "Delete it first, or choose another name")
        if not one.is_copy and at not in self._moved_in:
            self.plan.files[at] = None
        self._moved_in.add(to)
        self._put(to, file, "copied" if one.is_copy else "moved", done, {"from": shown(at)})

    def _put(self, at: Parts, file: File, action: str, done: Applied, more: dict[str, str] | None = None) -> None:
        self._tell(at, action, done, more)
        self.plan.files[at] = file

    def _tell(self, at: Parts, action: str, done: Applied, more: dict[str, str] | None = None) -> None:
        entry = {"path": shown(at), "action": action, "added": done.added, "removed": done.removed}
        self.plan.changed.append(entry | (more or {}))
        self.plan.warnings += done.warnings

    def _at(self, name: str) -> Parts:
        return placed(self.tree, name, "patch")

    def _source(self, one: FilePatch, *names: str) -> Parts:
        """The file that is meant: its name may have a prefix that is no folder, and be the old one or the new."""
        plain = [names[0]]
        if one.is_diff and not one.moves:
            plain = [without_prefix(name) for name in reversed(names)] + [*reversed(names)]
        is_kept = one.new is not None and not one.moves
        places = [placed(self.tree, name, "patch", follows_last=is_kept) for name in dict.fromkeys(plain)]
        found = next((at for at in places if self._before(at, one) is not None), None)
        if found is None:
            where = {"path": shown(places[0]), "patch_line": one.line}
            kind: dict[str, Any] = {"code": "FILE_NOT_FOUND", "category": "patch", "details": where}
            raise Missing(shown(places[0]), self.tree, places[0], self._is_file, **kind)
        if not one.moves and len({without_prefix(name) for name in names}) > 1:
            self.plan.warnings.append(f"The patch has two names for one file; {shown(found)} was taken")
        return found

    def _is_file(self, at: Parts) -> bool:
        info = self.tree.stat(at)
        return info is not None and stat.S_ISREG(info.st_mode)

    def _file(self, at: Parts) -> File | None:
        """A file as the patch so far leaves it."""
        return self.plan.files[at] if at in self.plan.files else self._original(at)

    def _original(self, at: Parts) -> File | None:
        if at not in self._originals:
            self._originals[at], seen = held(self.tree, at)
            self.plan.seen |= {at: seen} if seen else {}
        return self._originals[at]

    def _before(self, at: Parts, one: FilePatch) -> File | None:
        """A file as a patch finds it: what is copied, or moves out of the way of another, is as the tree has it."""
        is_original = one.is_copy or (one.moves and at in self._moved_in)
        return (self._original(at) if is_original else None) or self._file(at)

    def _held(self, at: Parts, one: FilePatch) -> File:
        file = self._before(at, one)
        assert file is not None  # `_source` has seen it
        return file

    def _text(self, file: File, at: Parts) -> Text:
        if (text := decoded(file.data)) is None:
            said = f"{shown(at)} is not text"
            raise PatchError(said, code="PATCH_DOES_NOT_APPLY", hint="Patches change text files only")
        return text

    def _applied(self, one: FilePatch, text: Text, at: Parts) -> Applied:
        lines = lines_of(text.text)
        try:
            return applied(lines, one.hunks, shown(at))
        except Misfit as misfit:
            raise unfit(misfit, lines, one.hunks, shown(at)) from None


def _already(said: str) -> PatchError:
    details = {"already_applied": True}
    return PatchError(said, code="PATCH_DOES_NOT_APPLY", hint="Leave this file out of the patch", details=details)
