"""Plan a patch without changing the tree: the new content of each file, and the steps to write it."""

from __future__ import annotations

import stat
from collections.abc import Collection, Container
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from fingerpost.errors import ToolOperationError
from fingerpost.servers.workspace import freeform, unified
from fingerpost.servers.workspace.apply_hunks import HunkMismatch, PatchedLines, SearchBudget, apply_hunks
from fingerpost.servers.workspace.change_summary import PatchDiff
from fingerpost.servers.workspace.content import Text, decode, split_lines
from fingerpost.servers.workspace.diff_file_names import strip_prefix
from fingerpost.servers.workspace.lookup import PathNotFoundError, resolve_path
from fingerpost.servers.workspace.mismatch_error import mismatch_error
from fingerpost.servers.workspace.patch import (
    FORM_HINT,
    FilePatch,
    Patch,
    PatchError,
    bare_hunk_error,
    patch_syntax_error,
)
from fingerpost.servers.workspace.paths import Parts, is_git_path, path_text
from fingerpost.servers.workspace.repair import Edits, correct_patch, name_edits, offer_correction, range_edits
from fingerpost.servers.workspace.transactions import Stamp, Step, stamp
from fingerpost.servers.workspace.tree import Tree
from fingerpost.servers.workspace.white_space import respace_hunk

MAX_CHANGED_BYTES = 16 << 20
"""The largest file that is read to be changed; a text takes many times its size in memory."""
_LONGEST_PATCH = 4 << 20


@dataclass(frozen=True, slots=True)
class File:
    """The content and the mode of a file, now or after the change."""

    data: bytes
    mode: int | None = None
    is_executable: bool = False

    def with_mode(self, mode: int | None) -> File:
        """Return a copy that is executable or not, by the mode in a patch."""
        if mode is None:
            return self
        is_executable = bool(mode & 0o100)
        own_mode = self.mode and (self.mode | (self.mode & 0o444) >> 2 if is_executable else self.mode & ~0o111)
        return replace(self, mode=own_mode, is_executable=is_executable)


@dataclass(slots=True)
class Plan:
    """The files to write or delete, and the report on them."""

    files: dict[Parts, File | None] = field(default_factory=dict[Parts, "File | None"])
    changed: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    warnings: list[str] = field(default_factory=list[str])
    seen: dict[Parts, Stamp] = field(default_factory=dict[Parts, Stamp])
    """The stamps of the files on which the plan is based."""
    diff: PatchDiff = field(default_factory=PatchDiff)
    """The diff that a patch results in."""


def parse_patch(text: str) -> Patch:
    """Parse a patch in either form."""
    if len(text) > _LONGEST_PATCH:
        message = f"The patch has {len(text):,} characters, and at most {_LONGEST_PATCH:,} are accepted"
        raise PatchError(message, code="PATCH_TOO_LARGE", hint="Send it in several smaller patches")
    if not text.strip():
        raise PatchError("The patch is empty", code="PATCH_EMPTY", hint=FORM_HINT)
    is_freeform = freeform.is_freeform(text)
    patch = freeform.parse(text) if is_freeform else unified.parse(text)
    if not patch.files:
        if is_freeform:
            raise PatchError("The patch names no file", code="PATCH_EMPTY", hint=FORM_HINT)
        raise patch_syntax_error("There is no patch in this text")
    for one in patch.files:
        if any(name is not None and _is_folder(name) for name in (one.old, one.new)):
            raise patch_syntax_error("this names a folder, and a file is wanted", one.line, "Name the file in it")
    return patch


def _is_folder(name: str) -> bool:
    return name.rpartition("/")[2] in ("", ".")


def plan_patch(tree: Tree, text: str) -> Plan:
    """Plan what a patch does to a tree. An error has the corrected patch if it can be computed."""
    planner = _PatchPlanner(tree, text, SearchBudget())
    try:
        return planner.run()
    except ToolOperationError as error:
        if corrected := correct_patch(text, planner.edits, partial(_find_edits, tree, planner.budget)):
            offer_correction(error, planner.label, *corrected)
        raise


def _find_edits(tree: Tree, budget: SearchBudget, text: str) -> Edits | None:
    """Return the edits that a patch needs; none if it applies."""
    planner = _PatchPlanner(tree, text, budget, explains=False)
    try:
        planner.run()
    except ToolOperationError:
        return planner.edits
    return None


def plan_steps(tree: Tree, plan: Plan) -> list[Step]:
    """Return the steps that write the files of a plan and delete those that are none."""
    deleted = {at for at, one in plan.files.items() if one is None and at in plan.seen}
    written = {at: one for at, one in plan.files.items() if one is not None}
    puts = [_put_step(at, one, plan.seen.get(at)) for at, one in written.items()]
    drops = [Step("drop", at, seen=plan.seen[at]) for at in deleted]
    return [*drops, *plan_folders(tree, written.keys(), deleted), *puts]


def _put_step(at: Parts, file: File, seen: Stamp | None) -> Step:
    return Step("put", at, file.data, file.mode, is_executable=file.is_executable, seen=seen)


def plan_folders(tree: Tree, places: Collection[Parts], deleted: Container[Parts] = ()) -> list[Step]:
    """Return the steps that create the missing folders of these paths."""
    missing: dict[Parts, Step] = {}
    for above in (at[:depth] for at in places for depth in range(1, len(at))):
        info = None if above in missing or above in deleted else tree.stat(above)
        if above in places or (info is not None and not stat.S_ISDIR(info.st_mode)):
            raise conflict_error(
                f"{path_text(above)} is a file, and cannot hold others", "Choose another path, or move the file"
            )
        if info is None:
            missing.setdefault(above, Step("mkdir", above))
    return list(missing.values())


def is_current(tree: Tree, plan: Plan) -> bool:
    """Whether the files of a plan are still as they were when it was made."""
    infos = ((at, tree.stat(at)) for at in {*plan.files, *plan.seen})
    return all((stamp(info) if info else None) == plan.seen.get(at) for at, info in infos)


def read_file(tree: Tree, at: Parts) -> tuple[File | None, Stamp | None]:
    """Read a file and its stamp; none if it does not exist."""
    there = tree.stat(at)
    if there is None:
        return None, None
    if there.st_size > MAX_CHANGED_BYTES:
        raise _too_large_error(path_text(at), there.st_size)
    data, info = tree.read(at)
    return File(data, stat.S_IMODE(info.st_mode), bool(info.st_mode & 0o100)), stamp(info)


def _too_large_error(path: str, size: int) -> ToolOperationError:
    return ToolOperationError(
        f"{path} has {size:,} bytes, and files of more than {MAX_CHANGED_BYTES:,} bytes are not changed",
        code="FILE_TOO_LARGE",
        category="validation",
        origin="call",
        retryable=False,
        hint="move and delete work with files of any size; ask the user to change this one",
    )


def conflict_error(message: str, hint: str) -> ToolOperationError:
    return ToolOperationError(message, code="CONFLICT", category="conflict", origin="call", hint=hint)


class _PatchPlanner:
    """Builds the plan of a patch; its files are as the patch leaves them so far."""

    def __init__(self, tree: Tree, text: str, budget: SearchBudget, *, explains: bool = True) -> None:
        self.tree, self.text, self.budget, self._explains = tree, text, budget, explains
        self.patch = patch = parse_patch(text)
        self.edits: Edits = {}
        """What has to change in the patch; set before an error is raised."""
        self.label = ""
        """What to call the corrected patch."""
        self._ranges: Edits = {}
        self.plan = Plan(warnings=[*patch.warnings])
        self._moved_in: set[Parts] = set()
        self._originals: dict[Parts, File | None] = {}
        self._leaving = {one.old for one in patch.files if one.moves and not one.is_copy}

    def run(self) -> Plan:
        """Plan every file of the patch."""
        for one in self.patch.files:
            self._add(one)
        if self._ranges:
            self.edits = self._ranges
            raise bare_hunk_error(min(self._ranges) + 1)
        return self.plan

    def _add(self, one: FilePatch) -> None:
        if one.old is None:
            self._create(one, one.new or "")
        elif one.new is None:
            self._delete(one, one.old)
        else:
            self._update(one, one.old, one.new)

    def _create(self, one: FilePatch, name: str) -> None:
        at = self._at(strip_prefix(name) if one.is_prefixed else name)
        done = self._apply(one, Text(""), at)
        file = File("".join(done.lines).encode()).with_mode(one.mode)
        if (there := self._current_file(at)) is not None:
            if there.data == file.data:
                raise _already_applied_error(f"{path_text(at)} is there already, with the same content")
            raise conflict_error(f"{path_text(at)} exists already", "Update it instead, or choose another name")
        self._put_file(at, file, "created", done)

    def _delete(self, one: FilePatch, name: str) -> None:
        at = self._find_source(one, name)
        file = self._existing_file(at, one)
        done = PatchedLines(removed=len(split_lines(file.data.decode("latin-1"))))
        if one.is_diff:
            done = self._apply(one, self._text(file, at), at)
            if done.lines:
                message = f"{path_text(at)} holds more than the patch takes out of it"
                hint = "Read the file again; delete(path) deletes it as it is"
                raise PatchError(message, code="PATCH_DOES_NOT_APPLY", hint=hint, details={"path": path_text(at)})
        self._record(at, "deleted", done)
        self.plan.files[at] = None

    def _update(self, one: FilePatch, old: str, new: str) -> None:
        at = self._find_source(one, old, new)
        file = self._existing_file(at, one)
        text = self._text(file, at) if one.hunks else None
        done = self._apply(one, text, at) if text else PatchedLines()
        data = text.encode("".join(done.lines)) if text else file.data
        file = File(data, file.mode, file.is_executable).with_mode(one.mode)
        if not one.moves:
            return self._put_file(at, file, "updated", done)
        to = self._at(new)
        if to != at and self._current_file(to) is not None and new not in self._leaving:
            raise conflict_error(f"{path_text(to)} exists already", "Delete it first, or choose another name")
        if not one.is_copy and at not in self._moved_in:
            self.plan.files[at] = None
        self._moved_in.add(to)
        self._put_file(to, file, "copied" if one.is_copy else "moved", done, {"from": path_text(at)})

    def _put_file(
        self, at: Parts, file: File, action: str, done: PatchedLines, more: dict[str, str] | None = None
    ) -> None:
        self._record(at, action, done, more)
        self.plan.files[at] = file

    def _record(self, at: Parts, action: str, done: PatchedLines, more: dict[str, str] | None = None) -> None:
        entry = {"path": path_text(at), "action": action, "added": done.added, "removed": done.removed}
        self.plan.changed.append(entry | (more or {}))
        source = None if action == "created" else (more or {}).get("from", path_text(at))
        self.plan.diff.add(source, None if action == "deleted" else path_text(at), done)
        self.plan.warnings += done.warnings

    def _at(self, name: str) -> Parts:
        return resolve_path(self.tree, name, "patch")

    def _find_source(self, one: FilePatch, *names: str) -> Parts:
        """Find the file to change. Its name may have a prefix that is no folder, and be the old or the new one."""
        candidates = [names[0]]
        if one.is_diff and not one.moves:
            candidates = [strip_prefix(name) for name in reversed(names)] + [*reversed(names)]
        stays = one.new is not None and not one.moves
        places = [resolve_path(self.tree, name, "patch", follows_last=stays) for name in dict.fromkeys(candidates)]
        found = next((at for at in places if self._file_before(at, one) is not None), None)
        if found is None:
            details = {"path": path_text(places[0]), "patch_line": one.line}
            kind: dict[str, Any] = {"code": "FILE_NOT_FOUND", "category": "patch", "details": details}
            error = PathNotFoundError(path_text(places[0]), self.tree, places[0], self._is_file, **kind)
            self._offer_other_file(one, strip_prefix(names[0]) if one.is_diff else names[0], error)
            raise error
        if not one.moves and len({strip_prefix(name) for name in names}) > 1:
            self.plan.warnings.append(f"The patch has two names for one file; {path_text(found)} was taken")
        return found

    def _offer_other_file(self, one: FilePatch, name: str, error: PathNotFoundError) -> None:
        """Offer the similar file that the hunks fit, if it is the only one."""
        fitting = [reading.value for reading in error.readings if self._fits_file(one, reading.value)]
        if len(fitting) == 1 and not (one.moves and one.is_diff):
            self.label, self.edits = fitting[0], name_edits(self.text, one, name, fitting[0])
            error.hint = f"The hunks of this file fit {fitting[0]}"

    def _fits_file(self, one: FilePatch, name: str) -> bool:
        file = self._current_file(self._at(name))
        text = decode(file.data) if file and one.hunks else None
        try:
            return text is not None and bool(apply_hunks(split_lines(text.text), one.hunks, name, self.budget))
        except HunkMismatch:
            return False

    def _is_file(self, at: Parts) -> bool:
        info = self.tree.stat(at)
        return info is not None and stat.S_ISREG(info.st_mode) and not is_git_path(at)

    def _current_file(self, at: Parts) -> File | None:
        """Return a file as the patch leaves it so far."""
        return self.plan.files[at] if at in self.plan.files else self._original_file(at)

    def _original_file(self, at: Parts) -> File | None:
        if at not in self._originals:
            self._originals[at], seen = read_file(self.tree, at)
            self.plan.seen |= {at: seen} if seen else {}
        return self._originals[at]

    def _file_before(self, at: Parts, one: FilePatch) -> File | None:
        """Return the source of a change: the original for a copy, and for a move of a file that was moved over."""
        is_original = one.is_copy or (one.moves and at in self._moved_in)
        return (self._original_file(at) if is_original else None) or self._current_file(at)

    def _existing_file(self, at: Parts, one: FilePatch) -> File:
        file = self._file_before(at, one)
        assert file is not None  # `_find_source` has found it
        return file

    def _text(self, file: File, at: Parts) -> Text:
        if (text := decode(file.data)) is None:
            message = f"{path_text(at)} is not text"
            raise PatchError(message, code="PATCH_DOES_NOT_APPLY", hint="Patches change text files only")
        return text

    def _apply(self, one: FilePatch, text: Text, at: Parts) -> PatchedLines:
        lines = split_lines(text.text)
        unplaced = next((hunk for hunk in one.hunks if hunk.is_bare and not hunk.old and lines), None)
        if unplaced:
            raise bare_hunk_error(unplaced.line)
        try:
            if at in self.plan.files:
                self.budget.spend(2 * len(lines))  # each section of a patch reads and writes the whole file
            if self.budget.is_spent and one.hunks:
                raise HunkMismatch(one.hunks[0], 0, is_too_costly=True)
            done = apply_hunks(lines, one.hunks, path_text(at), self.budget)
        except HunkMismatch as mismatch:
            if len(mismatch.spaced_places) == 1:
                place, hunk = mismatch.spaced_places[0], mismatch.hunk
                self.edits = respace_hunk(hunk, lines[place : place + len(hunk.old)])
            if not self._explains:
                raise PatchError("", code="PATCH_DOES_NOT_APPLY") from None
            error = mismatch_error(mismatch, lines, one.hunks, path_text(at))
            raise bare_hunk_error(mismatch.hunk.line, error) if mismatch.hunk.is_bare else error from None
        self._ranges |= range_edits(done.places)
        return done


def _already_applied_error(message: str) -> PatchError:
    details = {"already_applied": True}
    return PatchError(message, code="PATCH_DOES_NOT_APPLY", hint="Leave this file out of the patch", details=details)
