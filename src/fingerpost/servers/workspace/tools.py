"""The tools of a workspace. What they are asked for is valid by its schema; what else can be wrong they say."""

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
from fingerpost.servers.tool_server import Answer, Function
from fingerpost.servers.workspace.content import Text, decoded, described, lines_of, page
from fingerpost.servers.workspace.journal import Journal, Step, stamp
from fingerpost.servers.workspace.listing import listed
from fingerpost.servers.workspace.lookup import existing, leads, placed, told
from fingerpost.servers.workspace.places import Parts, shown
from fingerpost.servers.workspace.plan import File, Plan, conflict, folders, held, planned, steps
from fingerpost.servers.workspace.summary import differing
from fingerpost.servers.workspace.tree import Tree, chunks
from fingerpost.servers.workspace.wanted import is_deletable, is_free, is_readable, is_writable

_LARGEST_SHOWN = 32 << 20
_MOST_TOLD = 200
_USUAL_LIMIT = 2000

Place = Annotated[str, Field(description="A path from the top of the workspace", examples=["src/app.py"])]
DryRun = Annotated[bool, Field(description="Only say what would happen, and change nothing")]
Offset = Annotated[int, Field(description="How many to skip", ge=0)]


class Workspace:
    """One folder, and what can be done in it."""

    def __init__(self, root: Path) -> None:
        self.tree = Tree(root)
        self.journal = Journal(self.tree)
        with suppress(ToolOperationError, OSError), self.journal.turn():
            pass  # what a crash left unfinished is undone before anyone asks; if that fails, whoever asks is told

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
        limit: Annotated[int, Field(description="How many lines to read", ge=1, le=5000)] = _USUAL_LIMIT,
    ) -> Answer:
        """Read a text file of the workspace, a page at a time. Binary files are described."""
        with self._turn("content_url"):
            fits = partial(is_readable, self.tree, offset=offset)
            at = existing(self.tree, content_url, "content_url", fits)
            path, size, data, digest = shown(at), *self._read(at)
        text = decoded(data) if data is not None else None
        if text is None:
            about = described(path, size, digest)
            return Answer(f"{path} is not shown: {size:,} bytes of {about['mime']}, sha256 {digest}.", about)
        return _shown(path, size, text, offset, limit, content_url)

    def list_paths(
        self,
        path: Annotated[str, Field(description="The folder to list", examples=["src"])] = ".",
        depth: Annotated[int, Field(description="How many levels to list", ge=1, le=20)] = 1,
        glob: Annotated[str, Field(description="Only what fits this pattern", examples=["*.py"])] = "",
        offset: Offset = 0,
        limit: Annotated[int, Field(description="How many entries to list", ge=1, le=1000)] = 200,
    ) -> dict[str, Any]:
        """List what is in a folder of the workspace. Links are shown, and not followed."""
        with self._turn("path"):
            at = existing(self.tree, path, "path", lambda at: self.tree.stat(at) is not None)
            return listed(self.tree, at, depth, glob, offset, limit)

    def write_file(
        self,
        path: Place,
        text: Annotated[str, Field(description="All that the file is to hold", examples=["Hello\n"])],
        dry_run: DryRun = False,
    ) -> dict[str, Any]:
        """Write a text file, creating the folders it needs. A file that is there is replaced, and keeps its mode."""
        with self._turn("path"):
            at = placed(self.tree, path, "path", partial(is_writable, self.tree))
            file, seen = held(self.tree, at)
            before = decoded(file.data) if file else Text("")
            data = Text("").encoded(text)
            lines = lines_of(text)
            added, removed, diff = differing(lines_of(before.text) if before else [], lines)
            action = "unchanged" if file and file.data == data else "replaced" if file else "created"
            entry = {"path": shown(at), "action": action, "added": added, "removed": removed}
            plan = Plan({at: File(data, file.mode if file else None)}, [entry], seen={at: seen} if seen else {})
            plan.warnings += _rewritten(before, text) if file and action != "unchanged" else []
            plan.files = {} if action == "unchanged" else plan.files
            return {**self._carried_out(plan, dry_run), "bytes": len(data), "lines": len(lines), "diff": diff}

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
        """Change, create, move and delete text files by a patch."""
        with self._turn("patch"):
            return self._carried_out(planned(self.tree, patch), dry_run)

    def move(self, from_path: Place, to_path: Place, dry_run: DryRun = False) -> dict[str, Any]:
        """Move or rename a file or a folder, creating the folders it needs. Nothing is ever replaced."""
        with self._turn("from_path"):
            fits = partial(self._is_movable, to_path)
            at = existing(self.tree, from_path, "from_path", fits, follows_last=False)
        with self._turn("to_path"):
            to = placed(self.tree, to_path, "to_path", partial(self._is_target, at), follows_last=False)
            if not at or to[: len(at)] == at:
                raise conflict(f"{shown(at)} cannot be moved to {shown(to)}", "Choose a place outside of it")
            if self.tree.stat(to) is not None:
                raise self._taken(at, to)
            made = folders(self.tree, [to])
            entry = {"path": shown(to), "action": "moved", "from": shown(at), "added": 0, "removed": 0}
            return self._done([*made, Step("rename", at, to=to)], Plan(changed=[entry]), dry_run)

    def delete(self, path: Place, dry_run: DryRun = False) -> dict[str, Any]:
        """Delete a file or an empty folder. Of a link, the link itself is deleted."""
        with self._turn("path"):
            at = existing(self.tree, path, "path", partial(is_deletable, self.tree), follows_last=False)
            info = self.tree.stat(at)
            if not at or info is None:
                raise conflict("The workspace itself cannot be deleted", "Delete what is in it")
            if not stat.S_ISDIR(info.st_mode):
                entry = {"path": shown(at), "action": "deleted", "added": 0, "removed": self._line_count(at)}
                return self._done([Step("drop", at, seen=stamp(info))], Plan(changed=[entry]), dry_run)
            if names := self.tree.names(at):
                said = f"{shown(at)} is a folder that holds {count_noun(len(names), 'item')}"
                raise conflict(said, "Delete what is in it first")
            entry = {"path": shown(at), "action": "deleted", "added": 0, "removed": 0}
            return self._done([Step("rmdir", at, mode=stat.S_IMODE(info.st_mode))], Plan(changed=[entry]), dry_run)

    @contextmanager
    def _turn(self, parameter: str) -> Generator[None]:
        with told(parameter), self.journal.turn():
            yield

    def _is_movable(self, to_path: str, at: Parts) -> bool:
        return self.tree.stat(at) is not None and leads(self.tree, to_path, partial(self._is_target, at))

    def _is_target(self, at: Parts, to: Parts) -> bool:
        return bool(at) and to[: len(at)] != at and is_free(self.tree, to)

    def _taken(self, at: Parts, to: Parts) -> ToolOperationError:
        """A place that something is moved to is taken; if it is a folder with room, it may go into that."""
        error = conflict(f"{shown(to)} exists already", "Delete it first, or choose another path")
        inside = shown((*to, at[-1]))
        if leads(self.tree, inside, partial(self._is_target, at)):
            error.parameter, error.likely_fix = "to_path", inside
            error.hint = "Name the place inside this folder, or choose another path"
        return error

    def _read(self, at: Parts) -> tuple[int, bytes | None, str]:
        """The size of a file, what it holds unless that is too much to show, and its digest."""
        with self.tree.opened(at) as fd:
            digest, kept, size = hashlib.sha256(), list[bytes](), 0
            for chunk in chunks(fd):
                digest.update(chunk)
                size += len(chunk)
                if size <= _LARGEST_SHOWN:
                    kept.append(chunk)
        return size, b"".join(kept) if size <= _LARGEST_SHOWN else None, digest.hexdigest()

    def _line_count(self, at: Parts) -> int:
        info = self.tree.stat(at)
        if info is None or not stat.S_ISREG(info.st_mode) or info.st_size > _LARGEST_SHOWN:
            return 0
        text = decoded(self.tree.read(at)[0])
        return len(lines_of(text.text)) if text else 0

    def _carried_out(self, plan: Plan, dry_run: bool) -> dict[str, Any]:
        return self._done(steps(self.tree, plan), plan, dry_run)

    def _done(self, todo: list[Step], plan: Plan, dry_run: bool) -> dict[str, Any]:
        made = [shown(step.at) for step in todo if step.do == "mkdir"]
        if todo and not dry_run:
            self.journal.commit(todo)
        said: dict[str, Any] = {"changed": plan.changed[:_MOST_TOLD], "dry_run": dry_run}
        if len(plan.changed) > _MOST_TOLD:
            said["total_changed"] = len(plan.changed)
        if made:
            said["created_folders"] = made[:_MOST_TOLD]
        warnings = list(dict.fromkeys(plan.warnings))
        more = [f"And {len(warnings) - 20} more of this kind"] if len(warnings) > 20 else []
        return {**said, "warnings": [*warnings[:20], *more]}


def _shown(path: str, size: int, text: Text, offset: int, limit: int, content_url: str) -> Answer:
    """One page of a text."""
    lines = lines_of(text.text)
    if offset and offset >= len(lines):
        raise ToolOperationError(
            f"{path} has {count_noun(len(lines), 'line')}, and {offset} were to be skipped",
            code="OUT_OF_RANGE",
            category="validation",
            parameter="offset",
            likely_fix=max(len(lines) - limit, 0),
        )
    said, count, is_cut = page(lines, offset, limit)
    about: dict[str, Any] = {"path": path, "kind": "text", "encoding": text.name, "bytes": size, "text": said}
    about |= {"first_line": offset + 1 if lines else 0, "last_line": offset + count, "total_lines": len(lines)}
    notes = [f"This line is cut after {len(said):,} characters"] if is_cut else []
    notes += [] if text.encoding == "utf-8" else [f"The encoding is {text.name}"]
    about |= {"has_more": offset + count < len(lines), "warnings": notes}
    if about["has_more"]:
        same = f", limit: {limit}" if limit != _USUAL_LIMIT else ""
        more = f"read_content(content_url: {encode_json(content_url)}, offset: {offset + count}{same})"
        about["next_steps"] = {"get_more": more}
        notes = [*notes, f"Lines {offset + 1}-{offset + count} of {len(lines)}; go on with {more}"]
    return Answer("".join([said, *(f"\n[{note}]" for note in notes)]), about)


def _rewritten(before: Text | None, text: str) -> list[str]:
    """What else changes about a file that is replaced."""
    if before is None:
        return ["The file was not text before"]
    said = [f"The file was {before.name}, and is utf-8 now"] if before.name != "utf-8" else []
    if "\r\n" in before.text and "\r\n" not in text:
        said.append("The lines ended with CRLF, and end with LF now")
    return said
