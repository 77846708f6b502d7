"""Prepare what each published server works on, and correct calls of its tools that only the owner could write.

The calls of a server are in an order in which all of them succeed. Nearly all also succeed in any other order and when
repeated; calls that create or delete something by name succeed once.
"""

from __future__ import annotations

import base64
import hashlib
import json
import sqlite3
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.sandbox import Sandbox

Examples = Mapping[str, Sequence[dict[str, Any]]]

_VERSE = "one\ntwo\nthree\n"
_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
_DUCK = "CREATE OR REPLACE TABLE people AS SELECT 'Ada' AS name, 1815 AS born"
_ROWS = [["Region", "Product", "Amount"], ["North", "Tea", 12], ["South", "Salt", 30], ["North", "Salt", 7]]


def nothing(box: Sandbox) -> None:
    """For servers that need nothing to work on."""


def files(box: Sandbox) -> None:
    (box.work / "verse.txt").write_text(_VERSE, encoding="utf-8")
    for name in ("draft.txt", "loose.txt"):
        (box.work / name).write_text("a draft\n", encoding="utf-8")
    (box.work / "dot.png").write_bytes(base64.b64decode(_PIXEL))
    (box.work / "notes").mkdir()


def filesystem(box: Sandbox) -> Examples:
    verse, draft, folder = {"path": box.path("verse.txt")}, {"path": box.path("draft.txt")}, {"path": str(box.work)}
    edits = [{"oldText": "a draft", "newText": "a letter"}]
    return {
        "read_file": [verse],
        "read_text_file": [verse, {**verse, "head": 2}, {**verse, "tail": 1}],
        "read_media_file": [{"path": box.path("dot.png")}],
        "read_multiple_files": [{"paths": [verse["path"], draft["path"]]}],
        "edit_file": [{**draft, "edits": edits, "dryRun": True}],
        "write_file": [{"path": box.path("notes/new.txt"), "content": "new\n"}],
        "create_directory": [{"path": box.path("notes/deep")}],
        "list_directory": [folder],
        "list_directory_with_sizes": [folder, {**folder, "sortBy": "size"}],
        "directory_tree": [folder, {**folder, "excludePatterns": ["notes"]}],
        "search_files": [{**folder, "pattern": "*.txt", "excludePatterns": ["notes"]}, {**folder, "pattern": "*.txt"}],
        "get_file_info": [verse],
        "list_allowed_directories": [{}],
        "move_file": [{"source": box.path("loose.txt"), "destination": box.path("notes/moved.txt")}],
    }


def graph(box: Sandbox) -> None:
    entity = {"type": "entity", "name": "Ada", "entityType": "person", "observations": ["wrote the first program"]}
    (box.work / "graph.jsonl").write_text(json.dumps(entity), encoding="utf-8")


def memory(box: Sandbox) -> Examples:
    relation = {"from": "Grace", "to": "Ada", "relationType": "admires"}
    return {
        "create_entities": [
            {"entities": [{"name": "Grace", "entityType": "person", "observations": ["found a moth"]}]}
        ],
        "create_relations": [{"relations": [relation]}],
        "add_observations": [{"observations": [{"entityName": "Ada", "contents": ["kept notes"]}]}],
        "read_graph": [{}],
        "search_nodes": [{"query": "program"}],
        "open_nodes": [{"names": ["Ada"]}],
        "delete_observations": [{"deletions": [{"entityName": "Ada", "observations": ["kept notes"]}]}],
        "delete_relations": [{"relations": [relation]}],
        "delete_entities": [{"entityNames": ["Grace"]}],
    }


def everything(box: Sandbox) -> Examples:
    message = {"messageType": "success"}
    return {
        "echo": [{"message": "hello"}],
        "get-annotated-message": [message, {**message, "includeImage": True}],
        "get-env": [{}],
        "get-resource-links": [{}, {"count": 2}],
        "get-resource-reference": [{}, {"resourceType": "Blob", "resourceId": 3}],
        "get-structured-content": [{"location": "Chicago"}],
        "get-sum": [{"a": 2, "b": 3.5}],
        "get-tiny-image": [{}],
        "gzip-file-as-resource": [{"name": "page.gz", "data": f"{box.site}/page", "outputType": "resource"}],
        "trigger-long-running-operation": [{"duration": 0.1, "steps": 1}],
    }


def thinking(box: Sandbox) -> Examples:
    thought = {"thought": "Begin at the end.", "nextThoughtNeeded": True, "thoughtNumber": 1, "totalThoughts": 2}
    again = {**thought, "thoughtNumber": 2, "isRevision": True, "revisesThought": 1, "nextThoughtNeeded": False}
    return {"sequentialthinking": [thought, again]}


def repository(box: Sandbox) -> None:
    """Two commits, a branch, one file changed, one staged and one untracked."""
    repo = box.work / "repo"
    repo.mkdir()
    _git(box, "init", "-q", "-b", "main")
    for number, text in enumerate(("one\n", _VERSE)):
        (repo / "verse.txt").write_text(text, encoding="utf-8")
        _git(box, "add", "verse.txt")
        _git(box, "commit", "-q", "-m", f"Write {number + 1}")
    _git(box, "branch", "side")
    (repo / "verse.txt").write_text(_VERSE + "four\n", encoding="utf-8")
    for name in ("new.txt", "staged.txt"):
        (repo / name).write_text("new\n", encoding="utf-8")
    _git(box, "add", "staged.txt")


def _git(box: Sandbox, *words: str) -> None:
    subprocess.run(["git", *words], cwd=box.work / "repo", env=box.environment, check=True)


def git(box: Sandbox) -> Examples:
    repo = {"repo_path": box.path("repo")}
    return {
        "git_status": [repo],
        "git_diff_unstaged": [repo, {**repo, "context_lines": 1}],
        "git_add": [{**repo, "files": ["new.txt"]}],
        "git_diff_staged": [repo, {**repo, "context_lines": 0}],
        "git_diff": [{**repo, "target": "HEAD~1"}, {**repo, "target": "side", "context_lines": 2}],
        "git_commit": [{**repo, "message": "Add what is new"}],
        "git_log": [repo, {**repo, "max_count": 1, "start_timestamp": "2020-01-01"}],
        "git_show": [{**repo, "revision": "HEAD"}],
        "git_branch": [{**repo, "branch_type": "local"}, {**repo, "branch_type": "all", "contains": "HEAD~1"}],
        "git_checkout": [{**repo, "branch_name": "main"}],
        "git_reset": [repo],
        "git_create_branch": [{**repo, "branch_name": "topic", "base_branch": "side"}],
    }


def time(box: Sandbox) -> Examples:
    when = {"source_timezone": "Europe/Paris", "time": "16:30", "target_timezone": "Asia/Tokyo"}
    return {"get_current_time": [{"timezone": "Europe/Paris"}], "convert_time": [when]}


def fetch(box: Sandbox) -> Examples:
    page = {"url": f"{box.site}/page"}
    return {"fetch": [page, {**page, "max_length": 20, "start_index": 5, "raw": True}]}


def database(box: Sandbox) -> None:
    connection = sqlite3.connect(box.work / "data.db")
    with connection:
        connection.execute("CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT NOT NULL, born INTEGER)")
        connection.executemany("INSERT INTO people (name, born) VALUES (?, ?)", [("Ada", 1815), ("Grace", 1906)])
        connection.execute("CREATE INDEX people_born ON people (born)")
    connection.close()


def sqlite(box: Sandbox) -> Examples:
    return {
        "list_tables": [{}],
        "describe_table": [{"table_name": "people"}],
        "read_query": [{"query": "SELECT name FROM people WHERE born < 1900"}],
        "write_query": [{"query": "UPDATE people SET born = 1815 WHERE name = 'Ada'"}],
        "create_table": [{"query": "CREATE TABLE IF NOT EXISTS places (name TEXT)"}],
        "append_insight": [{"insight": "Ada was born before Grace."}],
    }


def dbhub(box: Sandbox) -> Examples:
    columns = {"object_type": "column", "schema": "main", "table": "people", "detail_level": "full", "limit": 5}
    return {
        "execute_sql": [{"sql": "SELECT name FROM people ORDER BY born"}],
        "search_objects": [{"object_type": "table"}, columns],
    }


def duck(box: Sandbox, python: Path) -> None:
    program = "import duckdb, sys; duckdb.connect(sys.argv[1]).execute(sys.argv[2])"
    subprocess.run([str(python), "-c", program, box.path("data.duckdb"), _DUCK], check=True)


def motherduck(box: Sandbox) -> Examples:
    return {
        "execute_query": [{"sql": "SELECT name FROM people"}, {"sql": _DUCK}],
        "list_databases": [{}],
        "list_tables": [{}, {"database": "data", "schema": "main"}],
        "list_columns": [{"table": "people"}, {"table": "people", "database": "data", "schema": "main"}],
    }


def calculator(box: Sandbox) -> Examples:
    return {"calculate": [{"expression": "2 * (3 + 4)"}, {"expression": "sqrt(16)"}]}


def text_editor(box: Sandbox) -> Examples:
    verse = box.path("verse.txt")
    patch = {"line_start": 2, "line_end": 2, "contents": "two\n", "range_hash": _digest("two\n")}
    return {
        "get_text_file_contents": [
            {"files": [{"file_path": verse, "ranges": [{"start": 1}]}]},
            {"files": [{"file_path": verse, "ranges": [{"start": 2, "end": 3}]}], "encoding": "utf-8"},
        ],
        "edit_text_file_contents": [{"files": [{"path": verse, "file_hash": _digest(_VERSE), "patches": [patch]}]}],
    }


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def project(box: Sandbox) -> None:
    source = box.work / "project"
    source.mkdir()
    (source / "signs.py").write_text('def sign(way: str) -> str:\n    """Where to."""\n    return f"to {way}"\n')
    (source / "use.py").write_text('from signs import sign\n\nprint(sign("the sea"))\n')


def code_index(box: Sandbox) -> Examples:
    return {
        "set_project_path": [{"path": box.path("project")}],
        "refresh_index": [{}],
        "build_deep_index": [{}, {"max_workers": 1, "timeout": 20}],
        "find_files": [{"pattern": "*.py"}],
        "search_code_advanced": [
            {"pattern": "sign"},
            {"pattern": "SIGN", "case_sensitive": False, "context_lines": 1, "file_pattern": "*.py", "max_results": 3},
        ],
        "get_file_summary": [{"file_path": "signs.py"}],
        "get_symbol_body": [{"file_path": "signs.py", "symbol_name": "sign"}],
        "get_settings_info": [{}],
        "create_temp_directory": [{}],
        "check_temp_directory": [{}],
        "refresh_search_tools": [{}],
        "get_file_watcher_status": [{}],
        "configure_file_watcher": [{"enabled": False, "debounce_seconds": 2.5}],
    }


def scripts(box: Sandbox) -> None:
    rules = 'export default [{ rules: { "no-unused-vars": "error", semi: "error" } }];\n'
    (box.work / "eslint.config.mjs").write_text(rules, encoding="utf-8")
    (box.work / "tidy.js").write_text("console.log(1);\n", encoding="utf-8")
    (box.work / "untidy.js").write_text("var unused = 1\n", encoding="utf-8")


def eslint(box: Sandbox) -> Examples:
    tidy, untidy = box.path("tidy.js"), box.path("untidy.js")
    return {"lint-files": [{"filePaths": [tidy]}, {"filePaths": [tidy, untidy]}]}


def paper(box: Sandbox) -> None:
    """A minimal PDF: one page with two words."""
    text = b"BT /F1 24 Tf 40 100 Td (This way) Tj ET"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(text), text),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    content, places = b"%PDF-1.4\n", list[int]()
    for number, one in enumerate(objects, 1):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"xref\n0 6\n0000000000 65535 f \n%strailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
    (box.work / "paper.pdf").write_bytes(content + end % (table, len(content)))


def pdf(box: Sandbox) -> Examples:
    url = {"url": (box.work / "paper.pdf").as_uri()}
    return {
        "list_pdfs": [{}],
        "read_pdf_bytes": [url, {**url, "offset": 10, "byteCount": 64}],
        "display_pdf": [{**url, "page": 1, "elicit_form_inputs": False}],
    }


def workbook(box: Sandbox, python: Path) -> None:
    """The same rows on several sheets, some of which may be deleted, and a file to import."""
    files(box)
    (box.work / "rows.csv").write_text("\n".join(",".join(map(str, row)) for row in _ROWS) + "\n", encoding="utf-8")
    program = (
        "import json, sys, openpyxl\n"
        "book = openpyxl.Workbook(); book.remove(book.active)\n"
        "for title in ('Sales', 'Copy', 'Scratch', 'Spare', 'Old'):\n"
        "    sheet = book.create_sheet(title)\n"
        "    for row in json.loads(sys.argv[2]): sheet.append(row)\n"
        "sales = book['Sales']; sales['C6'] = '=SUM(C2:C4)'; sales.merge_cells('K3:L3')\n"
        "sales['A3'].comment = openpyxl.comments.Comment('Down there', 'Ada')\n"
        "book.defined_names['First'] = openpyxl.workbook.defined_name.DefinedName('First', attr_text='Sales!$C$2')\n"
        "book['Copy'].add_table(openpyxl.worksheet.table.Table(displayName='Rows', ref='A1:C4'))\n"
        "book.save(sys.argv[1])\n"
    )
    subprocess.run([str(python), "-c", program, box.path("book.xlsx"), json.dumps(_ROWS)], check=True)


def excel_go(box: Sandbox) -> Examples:
    sheet = {"fileAbsolutePath": box.path("book.xlsx"), "sheetName": "Sales"}
    source = {"fileAbsolutePath": box.path("book.xlsx"), "srcSheetName": "Sales"}
    return {
        "excel_describe_sheets": [{"fileAbsolutePath": box.path("book.xlsx")}],
        "excel_read_sheet": [sheet, {**sheet, "range": "A1:C3", "showFormula": True, "showStyle": True}],
        "excel_write_to_sheet": [{**sheet, "newSheet": False, "range": "E1:F1", "values": [["Note", 1]]}],
        "excel_format_range": [{**sheet, "range": "A1:A1", "styles": [[{"font": {"bold": True}}]]}],
        "excel_create_table": [{**sheet, "sheetName": "Copy", "range": "A1:C4", "tableName": "Amounts"}],
        "excel_copy_sheet": [{**source, "dstSheetName": "Again"}],
    }


def excel(box: Sandbox) -> Examples:
    book = {"path": "book.xlsx"}
    sales, copy = {**book, "sheet": "Sales"}, {**book, "sheet": "Copy"}
    pivot = {"at": "E1", "source": "Copy!A1:C4", "row_fields": ["Region"], "value_fields": [{"field": "Amount"}]}
    return {
        "create_workbook": [{"path": "new.xlsx", "sheets": ["One"], "overwrite": True}],
        "describe_workbook": [book],
        "set_workbook_settings": [{**book, "settings": {"doc_properties": {"title": "Amounts"}}}],
        "list_workbooks": [{}, {"directory": "", "recursive": True}],
        "export_workbook": [book],
        "import_csv": [{**copy, "csv_path": "rows.csv"}, {**copy, "csv_path": "rows.csv", "delimiter": "comma"}],
        "export_csv": [{**copy, "csv_path": "out.csv", "formatted": True, "delimiter": "tab", "overwrite": True}],
        "describe_sheet": [sales],
        "read_range": [sales, {**sales, "range": "A1:C6", "mode": "formulas", "max_cells": 50}],
        "write_range": [{**sales, "at": "H1", "rows": [["Note", 1], ["More", True]]}],
        "clear_range": [{**sales, "range": "H2:I2", "clear": "contents"}],
        "copy_range": [{**sales, "range": "A1:C2", "at": "A10", "paste": "values", "transpose": False}],
        "sort_range": [{**copy, "range": "A1:C4", "sort_by": [{"column": "Amount", "order": "descending"}]}],
        "transform_range": [{**copy, "range": "A1:C4", "transform": {"operation": "remove_duplicates"}}],
        "find_cells": [{**book, "query": "Tea"}, {**sales, "query": "tea", "case_sensitive": False, "max_results": 5}],
        "replace_cells": [{**sales, "query": "Tea", "replacement": "Tea", "exact": True}],
        "trace_formula": [{**sales, "range": "C6", "direction": "precedents", "all_levels": True}],
        "goal_seek": [{**sales, "cell": "C6", "target": 60, "changing_cell": "C2"}],
        "format_range": [{**sales, "range": "A1:C1", "style": {"bold": True, "horizontal_alignment": "center"}}],
        "merge_cells": [{**sales, "range": "K1:L1"}, {**sales, "range": "K3:L3", "action": "unmerge"}],
        "set_sheet_layout": [{**sales, "layout": {"freeze_panes": "A2"}}],
        "add_conditional_format": [{**sales, "range": "C2:C4", "rule": {"type": "duplicate", "fill_color": "#FFEEAA"}}],
        "add_data_validation": [{**sales, "range": "J1", "rule": {"type": "list", "options": ["yes", "no"]}}],
        "create_chart": [{**sales, "chart_type": "column", "source": "B1:C4", "at": "N2", "name": "Amounts"}],
        "delete_chart": [{**sales, "name": "Amounts"}],
        "add_sparklines": [{**sales, "range": "J2", "source": "C2:C4"}],
        "delete_sparklines": [{**sales, "range": "J2"}],
        "create_pivot_table": [{**book, "sheet": "Scratch", **pivot, "name": "Totals", "layout": "outline"}],
        "delete_pivot_table": [{**book, "sheet": "Scratch", "name": "Totals"}],
        "set_table": [{**sales, "sheet": "Scratch", "range": "A1:B4", "name": "Pairs"}],
        "add_slicer": [
            {**copy, "target": {"sheet": "Copy", "name": "Rows"}, "field": "Region", "at": "F2", "name": "Pick"}
        ],
        "delete_slicer": [{**copy, "name": "Pick"}],
        "set_defined_name": [{**book, "name": "Total", "refers_to": "Sales!$C$6"}],
        "delete_defined_name": [{**book, "name": "First"}],
        "set_note": [{**sales, "cell": "A2", "text": "Up there", "author": "Ada"}],
        "delete_note": [{**sales, "cell": "A3"}],
        "insert_image": [{**sales, "image_path": "dot.png", "at": "P20", "name": "Dot"}],
        "delete_image": [{**sales, "name": "Dot"}],
        "insert_rows_or_columns": [{**book, "sheet": "Scratch", "axis": "rows", "start": 3, "count": 2}],
        "delete_rows_or_columns": [{**book, "sheet": "Scratch", "axis": "columns", "start": 3}],
        "create_sheet": [{**book, "new_name": "Fresh"}],
        "rename_sheet": [{**book, "sheet": "Old", "new_name": "Older"}],
        "copy_sheet": [{**sales, "new_name": "Twin"}],
        "delete_sheet": [{**book, "sheet": "Spare"}],
    }
