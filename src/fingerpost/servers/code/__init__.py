"""A server to search a code base: ripgrep finds lines, tree-sitter says what they define."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from fingerpost.engine.policy import Policy
from fingerpost.servers.code import definitions as defining
from fingerpost.servers.code import search as searching
from fingerpost.servers.code.errors import (
    bad_glob,
    bad_pattern,
    gone,
    is_about_glob,
    no_files,
    outside,
    repairs,
    unsendable,
)
from fingerpost.servers.code.folder import Tree, refuse_outside, sayable
from fingerpost.servers.code.paging import (
    LARGEST,
    call_of,
    head_of,
    narrowing,
    paged,
    past_end,
    steps_after,
    tips_for,
    unread,
    words_for,
)
from fingerpost.servers.code.ripgrep import Rejected, Ripgrep
from fingerpost.servers.code.suggestions import Neighbourhood
from fingerpost.servers.served import Answer, Served

Pattern = Annotated[
    str,
    Field(
        description="What to search for, a regular expression. All in lower case it matches any case.",
        examples=["authenticate", "User.*", "^function"],
        min_length=1,
        max_length=10_000,
    ),
]
Filter = Annotated[
    str | None,
    Field(
        description='A glob for the files: "*.ts", "src/**", "!*.md". Without it, all files.',
        examples=["*.ts", "src/**/*.js"],
        max_length=1_000,
    ),
]
Max = Annotated[int, Field(description="Maximum number of results to return", ge=1, le=LARGEST)]
Offset = Annotated[int, Field(description="How many results to skip, for the next page", ge=0)]
Id = Annotated[
    str,
    Field(
        description="An id of a search result: a path, and a name or a line",
        examples=["src/auth.py:User.authenticate", "src/auth.py:L42"],
        min_length=1,
        max_length=5_000,
    ),
]


def served(root: Path, *, engine: Ripgrep | None = None) -> Served:
    """The server over one folder."""
    code = _Code(root, engine or Ripgrep(root))
    return Served(
        "code",
        "Search a code base: search() finds definitions and lines, get_definition() reads what it found.",
        (code.search, code.get_definition, code.list_files),
        {"readOnlyHint": True, "openWorldHint": False},
        {"policy": Policy(info_tool="info")},
    )


class _Code:
    """The tools, over one folder."""

    def __init__(self, root: Path, engine: Ripgrep) -> None:
        self._engine, self._tree = engine, Tree(root)
        self._near = Neighbourhood(engine, self._tree)

    def search(self, pattern: Pattern, filter: Filter = None, max: Max = 50, offset: Offset = 0) -> Answer:
        """Search the code: definitions by that name come first, then mentions of it."""
        _refuse_unsendable(pattern, "pattern")
        glob = self._glob(filter)
        asked: dict[str, Any] = {"pattern": pattern, "filter": glob, "max": max, "offset": offset}
        try:
            hits, outcome = self._engine.hits(pattern, glob)
            named = self._near.qualified(pattern, glob)
            if not hits and not named:
                raise searching.nothing(outcome, asked, self._near, self._engine.seconds)
        except Rejected as refusal:
            raise self._explained(str(refusal), pattern, glob) from None
        except (FileNotFoundError, NotADirectoryError):
            raise gone() from None
        every = {(hit.path, hit.line): hit for hit in [*hits, *named]}
        return searching.answer(list(every.values()), outcome, asked, self._tree)

    def get_definition(self, id: Id) -> Answer:
        """Read a definition in full: its code, documentation and place."""
        _refuse_unsendable(id, "id")
        return defining.answer(id, self._files(None)[0], self._tree, self._near)

    def list_files(self, filter: Filter = None, max: Max = 50, offset: Offset = 0) -> Answer:
        """List the files: all but hidden and ignored ones. Of these, binary files are not searched."""
        glob = self._glob(filter)
        every, unreadable = self._files(glob)
        if not every and glob is not None:
            meant, there = self._near.glob_meant(glob), self._near.endings()
            calls = [call_of("list_files", filter=one) for one in ([meant] if meant else there)]
            raise no_files(glob, meant, there, calls)
        asked: dict[str, Any] = {"filter": filter, "max": max, "offset": offset}
        files = [sayable(path) for path in every[offset : offset + max]]
        page: dict[str, Any] = {"files": files, **paged(files, len(every), asked, is_full=False)}
        narrow = narrowing(map(sayable, every)) if page["has_more"] else None
        steps, tips = steps_after("list_files", asked, page, narrow), tips_for(page, narrow)
        page |= {name: value for name, value in (("next_steps", steps), ("tips", tips)) if value}
        warnings = [*([unread(unreadable)] if unreadable else []), *past_end(len(every), "file", asked)]
        page |= {"partial": True, "failed": unreadable[:10]} if unreadable else {}
        page |= {"warnings": warnings} if warnings else {}
        return Answer(words_for(page, files, head_of(page, "file", "")), page)

    def _files(self, glob: str | None) -> tuple[list[str], list[str]]:
        """The files, and what could not be read."""
        try:
            files, outcome = self._engine.files(glob)
            return files, outcome.unreadable
        except Rejected as refusal:
            raise bad_glob(str(refusal)) from None
        except (FileNotFoundError, NotADirectoryError):
            raise gone() from None

    def _glob(self, said: str | None) -> str | None:
        """A filter as ripgrep reads it; a folder stands for all that is in it."""
        if not said:
            return None
        _refuse_unsendable(said, "filter")
        refuse_outside(said.removeprefix("!"), "filter")
        plain = said.removeprefix("./").rstrip("/")
        return f"{plain}/**" if plain and self._tree.is_folder(plain) else said.removeprefix("./")

    def _explained(self, said: str, pattern: str, glob: str | None) -> Exception:
        """Why ripgrep does not take it; a repair is offered only if it finds something."""
        if is_about_glob(said):
            return bad_glob(said)
        found = (one for one in repairs(pattern, said) if self._near.has(one, glob))
        return bad_pattern(pattern, said, next(found, None))


def _refuse_unsendable(said: str, parameter: str) -> None:
    try:
        said.encode()
    except UnicodeEncodeError:
        raise unsendable(parameter) from None
    if "\0" in said:
        raise unsendable(parameter) if parameter == "pattern" else outside(parameter)
