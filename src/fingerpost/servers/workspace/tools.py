"""The tools of a workspace. Their arguments are valid by the schema; every other problem is raised here."""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from fingerpost.engine.phrases import count_noun, encode_json
from fingerpost.errors import ToolOperationError
from fingerpost.servers.answer import Answer, Function
from fingerpost.servers.workspace.change_summary import summarize_changes
from fingerpost.servers.workspace.content import Text, decode, describe_binary, split_lines, take_page
from fingerpost.servers.workspace.git_folders import is_changeable, require_changeable
from fingerpost.servers.workspace.listing import list_folder
from fingerpost.servers.workspace.lookup import is_usable, report_errors, resolve_existing, resolve_path
from fingerpost.servers.workspace.modes import drop_new_executables
from fingerpost.servers.workspace.path_checks import is_deletable, is_free, is_readable, is_writable
from fingerpost.servers.workspace.paths import Parts, path_text
from fingerpost.servers.workspace.plan import (
    File,
    Plan,
    conflict_error,
    is_current,
    plan_folders,
    plan_patch,
    plan_steps,
    read_file,
)
from fingerpost.servers.workspace.transactions import Step, Transactions, stamp
from fingerpost.servers.workspace.tree import Tree, read_chunks

_MAX_SHOWN_BYTES = 32 << 20
_MAX_REPORTED = 200
_DEFAULT_LIMIT = 2000

Place = Annotated[str, Field(description="A path from the top of the workspace", examples=["src/app.py"])]
DryRun = Annotated[bool, Field(description="Only say what would happen, and change nothing")]
Offset = Annotated[int, Field(description="How many to skip", ge=0)]


class Workspace:
    """The tools on one folder."""

    def __init__(self, root: Path, *, allow_exec: bool = False) -> None:
        self.tree = Tree(root)
        self._allow_exec = allow_exec
        self.transactions = Transactions(self.tree)
        with suppress(ToolOperationError, OSError):  # if this fails, the next call reports it
            self.transactions.recover()

    @property
    def tools(self) -> tuple[Function, ...]:
        return self.read_content, self.list_paths, self.write_file, self.apply_patch, self.move, self.delete

    def read_content(
        self,
        content_url: Annotated[
            str,
            Field(
                description="A file: sandbox:/path from the top of the workspace, or its path",
                examples=["sandbox:/README.md"],
            ),
        ],
        offset: Annotated[int, Field(description="How many lines to skip", ge=0)] = 0,
        limit: Annotated[int, Field(description="How many lines to read", ge=1, le=5000)] = _DEFAULT_LIMIT,
    ) -> Answer:
        """Read a text file of the workspace, a page at a time. Binary files are described."""
        with self._reading("content_url"):
            fits = partial(is_readable, self.tree, offset=offset)
            at = resolve_existing(self.tree, content_url, "content_url", fits)
            path, size, data, digest = path_text(at), *self._read(at)
        text = decode(data) if data is not None else None
        if text is None:
            about = describe_binary(path, size, digest)
            return Answer(f"{path} is not shown: {size:,} bytes of {about['mime']}, sha256 {digest}.", about)
        return _page_answer(path, size, text, offset, limit, content_url)

    def list_paths(
        self,
        path: Annotated[str, Field(description="The folder to list", examples=["src"])] = ".",
        depth: Annotated[int, Field(description="How many levels to list", ge=1, le=20)] = 1,
        glob: Annotated[str, Field(description="Only what fits this pattern", examples=["*.py"])] = "",
        offset: Offset = 0,
        limit: Annotated[int, Field(description="How many entries to list", ge=1, le=1000)] = 200,
    ) -> dict[str, Any]:
        """List what is in a folder of the workspace. Links are shown, and not followed."""
        with self._reading("path"):
            at = resolve_existing(self.tree, path, "path", lambda at: self.tree.stat(at) is not None)
            return list_folder(self.tree, at, depth, glob, offset, limit)

    def write_file(
        self,
        path: Place,
        text: Annotated[str, Field(description="All that the file is to hold", examples=["Hello\n"])],
        dry_run: DryRun = False,
    ) -> dict[str, Any]:
        """Write a text file, creating the folders it needs. A file that is there is replaced, and keeps its mode."""
        with self._transaction("path"):
            at = resolve_path(self.tree, path, "path", partial(is_writable, self.tree))
            require_changeable(self.tree, at)
            file, seen = read_file(self.tree, at)
            before = decode(file.data) if file else Text("")
            data, lines = Text("").encode(text), split_lines(text)
            added, removed, diff = summarize_changes(split_lines(before.text) if before else [], lines)
            is_unchanged = file is not None and file.data == data
            action = "unchanged" if is_unchanged else "replaced" if file else "created"
            plan = Plan(
                {} if is_unchanged else {at: File(data, file.mode if file else None)},
                [{"path": path_text(at), "action": action, "added": added, "removed": removed}],
                _rewrite_warnings(before, text) if file and not is_unchanged else [],
                {at: seen} if seen else {},
            )
            return {**self._run_plan(plan, dry_run), "bytes": len(data), "lines": len(lines), "diff": diff}

    def apply_patch(
        self,
        patch: Annotated[
            str,
            Field(
                description="A unified diff, or *** Begin Patch … *** End Patch. All of it is applied, or nothing.",
                examples=["--- a/notes.txt\n+++ b/notes.txt\n@@ -1 +1 @@\n-old\n+new\n"],
            ),
        ],
        dry_run: DryRun = False,
    ) -> dict[str, Any]:
        """Change, create, move and delete text files by a patch. A dry run shows the resulting diff."""
        with self._transaction("patch"):
            pass  # roll back what a crash left unfinished, and let others finish
        with report_errors("patch"):
            plan = plan_patch(self.tree, patch)  # without the lock, as it can take a second
        with self._transaction("patch"):
            plan = plan if is_current(self.tree, plan) else plan_patch(self.tree, patch)
            report = self._run_plan(plan, dry_run)
            return {**report, "diff": plan.diff.lines} if dry_run else report

    def move(self, from_path: Place, to_path: Place, dry_run: DryRun = False) -> dict[str, Any]:
        """Move or rename a file or a folder, creating the folders it needs. Nothing is ever replaced."""
        with self._transaction("from_path"):
            fits = partial(self._is_movable, to_path)
            at = resolve_existing(self.tree, from_path, "from_path", fits, follows_last=False)
        with self._transaction("to_path"):
            to = resolve_path(self.tree, to_path, "to_path", partial(self._is_target, at), follows_last=False)
            require_changeable(self.tree, at, to)
            if not at or to[: len(at)] == at:
                raise conflict_error(
                    f"{path_text(at)} cannot be moved to {path_text(to)}", "Choose a place outside of it"
                )
            if self.tree.stat(to) is not None:
                raise self._target_exists_error(at, to)
            made = plan_folders(self.tree, [to])
            entry = {"path": path_text(to), "action": "moved", "from": path_text(at), "added": 0, "removed": 0}
            return self._commit([*made, Step("rename", at, to=to)], Plan(changed=[entry]), dry_run)

    def delete(self, path: Place, dry_run: DryRun = False) -> dict[str, Any]:
        """Delete a file or an empty folder. Of a link, the link itself is deleted."""
        with self._transaction("path"):
            at = resolve_existing(self.tree, path, "path", partial(is_deletable, self.tree), follows_last=False)
            require_changeable(self.tree, at)
            info = self.tree.stat(at)
            if not at or info is None:
                raise conflict_error("The workspace itself cannot be deleted", "Delete what is in it")
            if not stat.S_ISDIR(info.st_mode):
                entry = {"path": path_text(at), "action": "deleted", "added": 0, "removed": self._line_count(at)}
                return self._commit([Step("drop", at, seen=stamp(info))], Plan(changed=[entry]), dry_run)
            if names := self.tree.names(at):
                message = f"{path_text(at)} is a folder that holds {count_noun(len(names), 'item')}"
                raise conflict_error(message, "Delete what is in it first")
            entry = {"path": path_text(at), "action": "deleted", "added": 0, "removed": 0}
            return self._commit([Step("rmdir", at, mode=stat.S_IMODE(info.st_mode))], Plan(changed=[entry]), dry_run)

    @contextmanager
    def _reading(self, parameter: str) -> Generator[None]:
        """Read without the lock: a change replaces each file at once, so it is read as it was or as it is then."""
        with report_errors(parameter):
            self.transactions.recover()
            yield

    @contextmanager
    def _transaction(self, parameter: str) -> Generator[None]:
        with report_errors(parameter), self.transactions.lock():
            yield

    def _is_movable(self, to_path: str, at: Parts) -> bool:
        is_there = self.tree.stat(at) is not None and is_changeable(self.tree, at)
        return is_there and is_usable(self.tree, to_path, partial(self._is_target, at))

    def _is_target(self, at: Parts, to: Parts) -> bool:
        return bool(at) and to[: len(at)] != at and is_free(self.tree, to)

    def _target_exists_error(self, at: Parts, to: Parts) -> ToolOperationError:
        """Build the error for a move onto something. If that is a folder with room, suggest the path inside it."""
        error = conflict_error(f"{path_text(to)} exists already", "Delete it first, or choose another path")
        inside = path_text((*to, at[-1]))
        if is_usable(self.tree, inside, partial(self._is_target, at)):
            error.parameter, error.likely_fix = "to_path", inside
            error.hint = "Name the place inside this folder, or choose another path"
        return error

    def _read(self, at: Parts) -> tuple[int, bytes | None, str]:
        """Return the size of a file, its content unless it is too large to show, and its digest."""
        with self.tree.open_file(at) as fd:
            digest, content, size = hashlib.sha256(), list[bytes](), 0
            for chunk in read_chunks(fd):
                digest.update(chunk)
                size += len(chunk)
                if size <= _MAX_SHOWN_BYTES:
                    content.append(chunk)
        return size, b"".join(content) if size <= _MAX_SHOWN_BYTES else None, digest.hexdigest()

    def _line_count(self, at: Parts) -> int:
        info = self.tree.stat(at)
        if info is None or not stat.S_ISREG(info.st_mode) or info.st_size > _MAX_SHOWN_BYTES:
            return 0
        text = decode(self.tree.read(at)[0])
        return len(split_lines(text.text)) if text else 0

    def _run_plan(self, plan: Plan, dry_run: bool) -> dict[str, Any]:
        if not self._allow_exec:
            drop_new_executables(self.tree, plan)
        return self._commit(plan_steps(self.tree, plan), plan, dry_run)

    def _commit(self, steps: list[Step], plan: Plan, dry_run: bool) -> dict[str, Any]:
        """Commit the steps unless it is a dry run, and report the plan."""
        require_changeable(self.tree, *(place for step in steps for place in (step.at, step.to) if place))
        if steps and not dry_run:
            self.transactions.commit(steps)
        report: dict[str, Any] = {"changed": plan.changed[:_MAX_REPORTED], "dry_run": dry_run}
        if len(plan.changed) > _MAX_REPORTED:
            report["total_changed"] = len(plan.changed)
        if created := [path_text(step.at) for step in steps if step.do == "mkdir"]:
            report["created_folders"] = created[:_MAX_REPORTED]
        warnings = list(dict.fromkeys(plan.warnings))
        more = [f"And {len(warnings) - 20} more of this kind"] if len(warnings) > 20 else []
        return {**report, "warnings": [*warnings[:20], *more]}


def _page_answer(path: str, size: int, text: Text, offset: int, limit: int, content_url: str) -> Answer:
    """Build the answer with one page of a text."""
    lines = split_lines(text.text)
    if offset and offset >= len(lines):
        raise ToolOperationError(
            f"{path} has {count_noun(len(lines), 'line')}, and {offset} were to be skipped",
            code="OUT_OF_RANGE",
            category="validation",
            parameter="offset",
            likely_fix=max(len(lines) - limit, 0),
        )
    page, count, is_cut = take_page(lines, offset, limit)
    about: dict[str, Any] = {"path": path, "kind": "text", "encoding": text.name, "bytes": size, "text": page}
    about |= {"first_line": offset + 1 if lines else 0, "last_line": offset + count, "total_lines": len(lines)}
    notes = [f"This line is cut after {len(page):,} characters"] if is_cut else []
    notes += [] if text.encoding == "utf-8" else [f"The encoding is {text.name}"]
    about |= {"has_more": offset + count < len(lines), "warnings": notes}
    if about["has_more"]:
        same = f", limit: {limit}" if limit != _DEFAULT_LIMIT else ""
        more = f"read_content(content_url: {encode_json(content_url)}, offset: {offset + count}{same})"
        about["next_steps"] = {"get_more": more}
        notes = [*notes, f"Lines {offset + 1}-{offset + count} of {len(lines)}; go on with {more}"]
    return Answer("".join([page, *(f"\n[{note}]" for note in notes)]), about)


def _rewrite_warnings(before: Text | None, text: str) -> list[str]:
    """Warn about changes of encoding and line endings in a file that is replaced."""
    if before is None:
        return ["The file was not text before"]
    warnings = [f"The file was {before.name}, and is utf-8 now"] if before.name != "utf-8" else []
    if "\r\n" in before.text and "\r\n" not in text:
        warnings.append("The lines ended with CRLF, and end with LF now")
    return warnings
