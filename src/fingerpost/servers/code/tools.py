"""The tools of the code server: parameters and results. Their docstrings are the descriptions that clients see."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from fingerpost.servers.answer import Answer
from fingerpost.servers.code.definitions import get_definition
from fingerpost.servers.code.errors import (
    invalid_glob_error,
    invalid_pattern_error,
    invalid_text_error,
    is_about_glob,
    missing_folder_error,
    no_files_error,
    outside_folder_error,
    repair_pattern,
)
from fingerpost.servers.code.folder import ServedFolder, printable_path, refuse_outside_path
from fingerpost.servers.code.paging import (
    MAX_RESULTS,
    format_heading,
    format_page,
    format_tool_call,
    narrower_filter,
    next_steps,
    page_counts,
    paging_tips,
    past_end_warnings,
    unreadable_warning,
)
from fingerpost.servers.code.ripgrep import Ripgrep, RipgrepError
from fingerpost.servers.code.search import build_page, no_hits_error
from fingerpost.servers.code.suggestions import Suggester

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
Max = Annotated[int, Field(description="Maximum number of results to return", ge=1, le=MAX_RESULTS)]
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


class CodeTools:
    """The tools for one folder."""

    def __init__(self, root: Path, ripgrep: Ripgrep) -> None:
        self._ripgrep, self._folder = ripgrep, ServedFolder(root)
        self._suggester = Suggester(ripgrep, self._folder)

    def search(self, pattern: Pattern, filter: Filter = None, max: Max = 50, offset: Offset = 0) -> Answer:
        """Search the code: definitions by that name come first, then mentions of it."""
        _refuse_invalid_text(pattern, "pattern")
        glob = self._to_glob(filter)
        arguments: dict[str, Any] = {"pattern": pattern, "filter": glob, "max": max, "offset": offset}
        try:
            hits, outcome = self._ripgrep.hits(pattern, glob)
            definitions = self._suggester.find_by_qualified_name(pattern, glob)
            if not hits and not definitions:
                raise no_hits_error(outcome, arguments, self._suggester, self._ripgrep.seconds)
        except RipgrepError as error:
            raise self._explain_refusal(str(error), pattern, glob) from None
        except (FileNotFoundError, NotADirectoryError):
            raise missing_folder_error() from None
        distinct = {(hit.path, hit.line): hit for hit in [*hits, *definitions]}
        return build_page(list(distinct.values()), outcome, arguments, self._folder)

    def get_definition(self, id: Id) -> Answer:
        """Read a definition in full: its code, documentation and place."""
        _refuse_invalid_text(id, "id")
        return get_definition(id, self._list_all(None)[0], self._folder, self._suggester)

    def list_files(self, filter: Filter = None, max: Max = 50, offset: Offset = 0) -> Answer:
        """List the files: all but hidden and ignored ones. Of these, binary files are not searched."""
        glob = self._to_glob(filter)
        paths, unreadable = self._list_all(glob)
        if not paths and glob is not None:
            raise self._no_files_error(glob)
        arguments: dict[str, Any] = {"filter": filter, "max": max, "offset": offset}
        files = [printable_path(path) for path in paths[offset : offset + max]]
        page: dict[str, Any] = {"files": files, **page_counts(files, len(paths), arguments, is_truncated=False)}
        narrow = narrower_filter(map(printable_path, paths)) if page["has_more"] else None
        steps, tips = next_steps("list_files", arguments, page, narrow), paging_tips(page, narrow)
        page |= {name: value for name, value in (("next_steps", steps), ("tips", tips)) if value}
        warnings = [unreadable_warning(unreadable)] if unreadable else []
        warnings += past_end_warnings(len(paths), "file", arguments)
        page |= {"partial": True, "failed": unreadable[:10]} if unreadable else {}
        page |= {"warnings": warnings} if warnings else {}
        return Answer(format_page(page, files, format_heading(page, "file", "")), page)

    def _no_files_error(self, glob: str) -> Exception:
        suggestion, existing = self._suggester.suggest_glob(glob), self._suggester.common_globs()
        calls = [format_tool_call("list_files", filter=one) for one in ([suggestion] if suggestion else existing)]
        return no_files_error(glob, suggestion, existing, calls)

    def _list_all(self, glob: str | None) -> tuple[list[str], list[str]]:
        """All files, and the paths that could not be read."""
        try:
            files, outcome = self._ripgrep.files(glob)
            return files, outcome.unreadable
        except RipgrepError as error:
            raise invalid_glob_error(str(error)) from None
        except (FileNotFoundError, NotADirectoryError):
            raise missing_folder_error() from None

    def _to_glob(self, filter: str | None) -> str | None:
        """The glob for ripgrep; a folder stands for all files in it."""
        if not filter:
            return None
        _refuse_invalid_text(filter, "filter")
        refuse_outside_path(filter.removeprefix("!"), "filter")
        plain = filter.removeprefix("./").rstrip("/")
        return f"{plain}/**" if plain and self._folder.is_folder(plain) else filter.removeprefix("./")

    def _explain_refusal(self, ripgrep_message: str, pattern: str, glob: str | None) -> Exception:
        """Why ripgrep refuses a call; a repaired pattern is suggested only if it finds something."""
        if is_about_glob(ripgrep_message):
            return invalid_glob_error(ripgrep_message)
        repairs = repair_pattern(pattern, ripgrep_message)
        fix = next((one for one in repairs if self._suggester.finds_something(one, glob)), None)
        return invalid_pattern_error(pattern, ripgrep_message, fix)


def _refuse_invalid_text(text: str, parameter: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise invalid_text_error(parameter) from None
    if "\0" in text:
        raise invalid_text_error(parameter) if parameter == "pattern" else outside_folder_error(parameter)
