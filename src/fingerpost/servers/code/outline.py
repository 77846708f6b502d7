"""Find the definitions in a source file with tree-sitter: qualified names such as `User.authenticate`, and lines.

Names are qualified by nesting, with the same rules for every language. A definition outside its class, such as a
method in Go or C++, is qualified by its receiver or its own qualified name. A repeated name gets a number: `area#2`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node, Parser, QueryCursor

from fingerpost.servers.code.languages import (
    FUNCTIONS,
    SCOPES,
    WITH_BODY,
    WITH_FUNCTION,
    WRAPPERS,
    comment_marks,
    grammar,
)

_GENERIC = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_OPERATOR = re.compile(r"operator\s*[^\w\s]+$")
_SEPARATOR = re.compile(r"::|[.:#\\/]")
_NAME_NODE = re.compile(r"identifier$|_name$|^(?:name|word|constant|bareword|call_expression|type_head|signature)$")
_MAX_DECLARATOR_DEPTH, _MAX_NAME, _MAX_SIGNATURE, _MAX_DOC = 12, 200, 300, 4000
_KINDS = {
    "method": "method", "constructor": "constructor", "class": "class", "struct": "struct", "interface": "interface",
    "annotation": "interface", "enum": "enum", "trait": "trait", "protocol": "protocol", "preproc": "macro",
    "macro": "macro", "mod": "module", "function": "function", "subroutine": "function", "variable": "function",
    "field": "function", "impl": "impl",
}  # fmt: skip
_WITH_METHODS = frozenset({"class", "struct", "interface", "trait", "protocol", "enum", "object", "record", "impl"})
_QUOTES = re.compile(r"^[a-zA-Z]{0,2}(\"\"\"|'''|\"|')(.*)\1$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Definition:
    """One definition. Lines count from 1; `span` is the position of the name in its line, in bytes."""

    name: str
    qualified: str
    kind: str
    start: int
    end: int
    line: int
    span: tuple[int, int]
    parent: str | None
    signature: str
    doc: str

    def has_name(self, parts: list[str]) -> bool:
        """Whether its qualified name ends with these parts."""
        return self.qualified.partition("#")[0].split(".")[-len(parts) :] == parts


def find_definitions(source: bytes, language: str) -> tuple[Definition, ...]:
    """Every definition in a file, in order."""
    syntax, query = grammar(language)
    captures = QueryCursor(query).captures(Parser(syntax).parse(source).root_node).get("it", [])
    nodes = sorted(captures, key=lambda node: (node.start_byte, -node.end_byte))
    return tuple(_qualify(nodes, source.split(b"\n"), language))


def innermost_definition(definitions: tuple[Definition, ...], line: int) -> Definition | None:
    """The innermost definition around a line."""
    around = [one for one in definitions if one.start <= line <= one.end]
    return max(around, key=lambda one: (one.start, -one.end), default=None)


@dataclass(frozen=True, slots=True)
class _Scope:
    end: int
    parts: tuple[str, ...]
    kind: str
    qualified: str | None


def _qualify(nodes: list[Node], lines: list[bytes], language: str) -> Iterator[Definition]:
    scopes, seen = list[_Scope](), Counter[str]()
    for node in nodes:
        while scopes and scopes[-1].end <= node.start_byte:
            scopes.pop()
        name_node = _name_node(node) if _is_definition(node) else None
        if name_node is None or not (parts := _name_parts(node, name_node)):
            continue
        outer = scopes[-1] if scopes else _Scope(0, (), "", None)
        is_qualified = len(parts) > len(outer.parts) and parts[: len(outer.parts)] == outer.parts
        path, kind = parts if is_qualified else outer.parts + parts, _kind(node, outer.kind)
        if node.type in SCOPES:
            scopes.append(_Scope(node.end_byte, path, kind, outer.qualified))
            continue
        plain = ".".join(path)
        seen[plain] += 1
        qualified = plain if seen[plain] == 1 else f"{plain}#{seen[plain]}"
        qualifier = ".".join(path[:-1])
        parent = outer.qualified or (qualifier if qualifier in seen else None)
        scopes.append(_Scope(node.end_byte, path, kind, qualified))
        yield _build_definition(node, name_node, parts[-1], qualified, kind, parent, lines, language)


def _is_definition(node: Node) -> bool:
    if node.type in WITH_BODY:
        return node.is_named and node.child_by_field_name("name") is not None and _has_body(node)
    if node.type in WITH_FUNCTION:
        value = node.child_by_field_name("value")
        return value is not None and value.type in FUNCTIONS
    return True


def _has_body(node: Node) -> bool:
    return node.child_by_field_name("body") is not None or node.type == "class"


def _name_node(node: Node) -> Node | None:
    """The node that names a definition: its name field, its innermost declarator, or the first name in it."""
    if (name := node.child_by_field_name("name")) is not None:
        return name
    if (declarator := node.child_by_field_name("declarator")) is not None:
        return _innermost_declarator(declarator)
    if (implemented := node.child_by_field_name("type")) is not None and node.type == "impl_item":
        return implemented
    return next((child for child in node.named_children if _NAME_NODE.search(child.type)), None)


def _innermost_declarator(node: Node) -> Node | None:
    for _ in range(_MAX_DECLARATOR_DEPTH):
        inner = node.child_by_field_name("declarator") or next(
            (child for child in node.named_children if child.type.endswith("declarator")), None
        )
        if inner is None:
            return node
        node = inner
    return None


def _name_parts(node: Node, name_node: Node) -> tuple[str, ...]:
    text = _name_text(name_node)
    if (receiver := node.child_by_field_name("receiver")) is not None:
        words = re.findall(r"\w+", _GENERIC.sub("", _name_text(receiver)))
        return (*words[-1:], text)
    operator = _OPERATOR.search(text)
    plain = text[: operator.start()] if operator else _GENERIC.sub("", text.partition("(")[0])
    parts = tuple(part for part in _SEPARATOR.split(plain) if part.strip())
    return (*parts, operator[0].replace(":", "")) if operator else parts


def _name_text(node: Node) -> str:
    return " ".join((node.text or b"")[:_MAX_NAME].decode("utf-8", "replace").split())


def _kind(node: Node, outer: str) -> str:
    """The kind of a definition in one common word: the first such word in its node type."""
    kind = next((kind for word, kind in _KINDS.items() if word in node.type), node.type.partition("_")[0])
    return "method" if kind == "function" and outer in _WITH_METHODS else kind


def _build_definition(
    node: Node,
    name_node: Node,
    leaf: str,
    qualified: str,
    kind: str,
    parent: str | None,
    lines: list[bytes],
    language: str,
) -> Definition:
    whole = node
    while whole.parent is not None and whole.parent.type in WRAPPERS:
        whole = whole.parent
    row, column = name_node.end_point
    begin = max(column - len(leaf.encode()), 0) if row == name_node.start_point[0] else 0
    return Definition(
        name=leaf,
        qualified=qualified,
        kind=kind,
        start=whole.start_point[0] + 1,
        end=whole.end_point[0] + (whole.end_point[1] > 0 or whole.end_point == whole.start_point),
        line=row + 1,
        span=(begin, begin + len(leaf.encode())),
        parent=parent,
        signature=_signature(node),
        doc=_docstring(node) or _comment(lines, whole.start_point[0], language),
    )


def _signature(node: Node) -> str:
    """The definition without its body, on one line."""
    text, body = node.text or b"", node.child_by_field_name("body")
    head = text[: body.start_byte - node.start_byte] if body is not None else text.partition(b"\n")[0]
    return " ".join(head[: _MAX_SIGNATURE * 2].decode("utf-8", "replace").split()).rstrip(" {:=")[:_MAX_SIGNATURE]


def _docstring(node: Node) -> str:
    body = node.child_by_field_name("body")
    first = body.named_children[0] if body is not None and body.named_children else None
    if first is None or first.type != "string":
        return ""
    match = _QUOTES.match((first.text or b"").decode("utf-8", "replace"))
    return _dedent(match[2].splitlines()) if match else ""


def _comment(lines: list[bytes], row: int, language: str) -> str:
    """The comment directly above a line, skipping annotations in between."""
    marks, comment = comment_marks(language), list[str]()
    for line in reversed(lines[max(row - 200, 0) : row]):
        text = line.decode("utf-8", "replace").strip()
        if text.startswith(("#[", "@", "[")):
            continue
        if not text.startswith(marks):
            break
        comment.append(text.removesuffix("*/").lstrip("/*#-!").strip())
    return _dedent(comment[::-1])


def _dedent(lines: list[str]) -> str:
    first, rest = lines[:1], lines[1:]
    margin = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
    return "\n".join([*(line.strip() for line in first), *(line[margin:].rstrip() for line in rest)]).strip()[:_MAX_DOC]
