"""What the further servers of the field work on, and correct calls that only their owners could write."""

from __future__ import annotations

from bench.peer_examples import Examples
from bench.sandbox import Sandbox

_CLUSTER = """\
apiVersion: v1
kind: Config
current-context: nowhere
clusters: [{name: nowhere, cluster: {server: "http://127.0.0.1:9"}}]
contexts: [{name: nowhere, context: {cluster: nowhere, user: nobody}}]
users: [{name: nobody, user: {}}]
"""
_DRAWING = """\
<mxfile><diagram id="p1" name="Way"><mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/></root>\
</mxGraphModel></diagram></mxfile>
"""


def notes(box: Sandbox) -> None:
    (box.work / "sea.md").write_text("---\ntags: [way]\n---\n# Sea\n\nThis way to the sea.\n", encoding="utf-8")
    (box.work / "old.md").write_text("# Old\n", encoding="utf-8")


def vault(box: Sandbox) -> Examples:
    sea, old = {"path": "sea.md"}, {"path": "old.md"}
    return {
        "read_note": [sea],
        "write_note": [{"path": "new.md", "content": "# New\n", "mode": "overwrite"}],
        "patch_note": [{**sea, "oldString": "This way", "newString": "That way"}],
        "list_directory": [{}, {"path": "/"}],
        "search_notes": [{"query": "way"}, {"query": "sea", "limit": 2, "caseSensitive": True}],
        "move_note": [{"oldPath": "new.md", "newPath": "newer.md", "overwrite": True}],
        "read_multiple_notes": [{"paths": ["sea.md", "old.md"]}],
        "update_frontmatter": [{**old, "frontmatter": {"state": "kept"}}],
        "get_notes_info": [{"paths": ["sea.md"]}],
        "get_frontmatter": [sea],
        "manage_tags": [{**sea, "operation": "list"}, {**old, "operation": "add", "tags": ["past"]}],
        "get_vault_stats": [{}],
        "list_all_tags": [{}],
        "wiki_link": [{"document": "sea"}],
        "get_note_outline": [sea],
        "read_note_lines": [{**sea, "startLine": 1, "endLine": 2}],
        "delete_note": [{"path": "newer.md", "confirmPath": "newer.md"}],
    }


def git_typescript(box: Sandbox) -> Examples:
    repo = {"path": box.path("repo")}
    return {
        "git_set_working_dir": [repo],
        "git_status": [repo],
        "git_add": [{**repo, "paths": ["new.txt"]}],
        "git_commit": [{**repo, "message": "Add what is new"}],
        "git_log": [repo, {**repo, "maxCount": 1}],
        "git_diff": [repo, {**repo, "target": "HEAD", "nameOnly": True}],
        "git_show": [{**repo, "object": "HEAD"}],
        "git_blame": [{**repo, "filePath": "verse.txt", "startLine": 1, "endLine": 2}],
        "git_branch": [{**repo, "mode": "list"}],
        "git_checkout": [{**repo, "target": "main"}],
        "git_reflog": [{**repo, "maxCount": 2}],
        "git_tag": [{**repo, "mode": "list"}],
        "git_stash": [{**repo, "mode": "list"}],
        "git_remote": [{**repo, "mode": "list"}],
        "git_reset": [{**repo, "mode": "mixed"}],
        "git_merge": [{**repo, "branch": "side"}],
        "git_clean": [{**repo, "dryRun": True, "force": True}],
        "git_clear_working_dir": [{"confirm": "Y"}],
        "git_wrapup_instructions": [{"acknowledgement": "Y"}],
    }


def drawing(box: Sandbox) -> None:
    (box.work / "way.drawio").write_text(_DRAWING, encoding="utf-8")


def drawio(box: Sandbox) -> Examples:
    page = {"path": "way.drawio", "page": "0"}
    content = "<mxGraphModel><root><mxCell id='0'/><mxCell id='1' parent='0'/></root></mxGraphModel>"
    return {
        "list_pages": [{"path": "way.drawio"}],
        "get_page": [page],
        "set_page": [{**page, "content": content}],
        "search_shapes": [{"query": "aws lambda", "limit": 2}],
    }


def task_manager(box: Sandbox) -> Examples:
    request, task = {"requestId": "req-1"}, {"requestId": "req-1", "taskId": "task-1"}
    steps = [{"title": "Look", "description": "At the map"}, {"title": "Walk", "description": "To the sea"}]
    return {
        "request_planning": [{"originalRequest": "Go to the sea", "tasks": steps}],
        "list_requests": [{}],
        "get_next_task": [request],
        "mark_task_done": [{**task, "completedDetails": "Seen"}],
        "approve_task_completion": [task],
        "open_task_details": [{"taskId": "task-1"}],
        "add_tasks_to_request": [{**request, "tasks": steps[:1]}],
        "update_task": [{"requestId": "req-1", "taskId": "task-2", "title": "Run"}],
        "delete_task": [{"requestId": "req-1", "taskId": "task-2"}],
        "approve_request_completion": [request],
    }


def cluster(box: Sandbox) -> None:
    """A configuration of a cluster that nobody runs."""
    (box.work / "cluster.yaml").write_text(_CLUSTER, encoding="utf-8")


def makefile(box: Sandbox) -> None:
    (box.work / "Makefile").write_text("hello:\n\t@echo hello\n", encoding="utf-8")


def pandoc(box: Sandbox) -> Examples:
    return {"convert-contents": [{"contents": "# Sea", "input_format": "markdown", "output_format": "html"}]}


def sympy(box: Sandbox) -> Examples:
    return {
        "sympy_simplify": [{"expr": "sin(x)**2 + cos(x)**2"}],
        "sympy_factor": [{"expr": "x**2 - 1"}],
        "sympy_solve": [{"equation": "x**2 - 4", "variables": "x"}],
    }


def word(box: Sandbox) -> Examples:
    letter = {"filename": "letter.docx"}
    return {
        "create_document": [{**letter, "title": "Letter", "author": "Ada"}],
        "add_paragraph": [{**letter, "text": "This way to the sea.", "bold": True}],
        "add_heading": [{**letter, "text": "Way", "level": 2}],
        "add_table": [{**letter, "rows": 2, "cols": 2, "data": [["a", "b"], ["c", "d"]]}],
        "get_document_info": [letter],
        "get_document_text": [letter],
        "get_document_outline": [letter],
        "list_available_documents": [{"directory": "."}],
        "find_text_in_document": [{**letter, "text_to_find": "sea", "match_case": False}],
        "get_paragraph_text_from_document": [{**letter, "paragraph_index": 0}],
        "search_and_replace": [{**letter, "find_text": "sea", "replace_text": "hill"}],
        "format_table": [{**letter, "table_index": 0, "has_header_row": True}],
        "copy_document": [{"source_filename": "letter.docx", "destination_filename": "copy.docx"}],
    }


def time_server(box: Sandbox) -> Examples:
    return {
        "get_local_time": [{}],
        "calculate_time_distance": [{"from_date": "2026-01-01", "to_date": "2026-02-01", "unit": "days"}],
    }


def todo(box: Sandbox) -> Examples:
    return {
        "task_create": [{"name": "Walk"}, {"name": "Rest", "desc": "by the sea"}],
        "task_get": [{"id": 1}],
        "task_update": [{"id": 1, "name": "Run"}],
        "task_list": [{}, {"keyword": "Run"}],
        "task_delete": [{"id": 2}],
    }
