"""The definitions in one source file, by tree-sitter: qualified names such as `User.authenticate`, and their places.

Nesting gives a name its qualifiers, in every language by the same rules; what stands outside its class (a method in Go
or C++) is qualified by what it says itself. A name that is defined again in the same file is numbered: `area#2`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node, Parser, QueryCursor

from fingerpost.servers.code.languages import (
    AROUND,
    FUNCTIONS,
    SCOPES,
    WITH_BODY,
    WITH_FUNCTION,
    comment_marks,
    grammar,
)

_GENERIC = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_OPERATOR = re.compile(r"operator\s*[^\w\s]+$")
_SEPARATOR = re.compile(r"::|[.:#\\/]")
_NAMING = re.compile(r"identifier$|_name$|^(?:name|word|constant|bareword|call_expression|type_head|signature)$")
_DEEPEST_DECLARATOR, _LONGEST_NAME, _LONGEST_SIGNATURE, _LONGEST_DOC = 12, 200, 300, 4000
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
    """One definition; lines count from 1, and the place of the name in its line is in bytes."""

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

    def is_called(self, wanted: list[str]) -> bool:
        """Whether these are the last parts of its qualified name."""
        return self.qualified.partition("#")[0].split(".")[-len(wanted) :] == wanted


def outline(source: bytes, language: str) -> tuple[Definition, ...]:
    """Every definition in a file, in the order in which they stand."""
    made, query = grammar(language)
    found = QueryCursor(query).captures(Parser(made).parse(source).root_node).get("it", [])
    nodes = sorted(found, key=lambda node: (node.start_byte, -node.end_byte))
    return tuple(_defined(nodes, source.split(b"\n"), language))


def enclosing(definitions: tuple[Definition, ...], line: int) -> Definition | None:
    """The innermost definition around a line."""
    around = [one for one in definitions if one.start <= line <= one.end]
    return max(around, key=lambda one: (one.start, -one.end), default=None)


@dataclass(frozen=True, slots=True)
class _Scope:
    end: int
    parts: tuple[str, ...]
    kind: str
    qualified: str | None


def _defined(nodes: list[Node], lines: list[bytes], language: str) -> Iterator[Definition]:
    scopes, seen = list[_Scope](), Counter[str]()
    for node in nodes:
        while scopes and scopes[-1].end <= node.start_byte:
            scopes.pop()
        named = _name(node) if _defines(node) else None
        if named is None or not (parts := _parts(node, named)):
            continue
        outer = scopes[-1] if scopes else _Scope(0, (), "", None)
        is_whole = len(parts) > len(outer.parts) and parts[: len(outer.parts)] == outer.parts
        whole, kind = parts if is_whole else outer.parts + parts, _kind(node, outer.kind)
        if node.type in SCOPES:
            scopes.append(_Scope(node.end_byte, whole, kind, outer.qualified))
            continue
        plain = ".".join(whole)
        seen[plain] += 1
        qualified = plain if seen[plain] == 1 else f"{plain}#{seen[plain]}"
        said = ".".join(whole[:-1])
        parent = outer.qualified or (said if said in seen else None)
        scopes.append(_Scope(node.end_byte, whole, kind, qualified))
        yield _made(node, named, parts[-1], qualified, kind, parent, lines, language)


def _defines(node: Node) -> bool:
    if node.type in WITH_BODY:
        return node.is_named and node.child_by_field_name("name") is not None and _has_body(node)
    if node.type in WITH_FUNCTION:
        value = node.child_by_field_name("value")
        return value is not None and value.type in FUNCTIONS
    return True


def _has_body(node: Node) -> bool:
    return node.child_by_field_name("body") is not None or node.type == "class"


def _name(node: Node) -> Node | None:
    """The node that names a definition: by its field, the innermost declarator, or the first name in it."""
    if (named := node.child_by_field_name("name")) is not None:
        return named
    if (declarator := node.child_by_field_name("declarator")) is not None:
        return _declared(declarator)
    if (typed := node.child_by_field_name("type")) is not None and node.type == "impl_item":
        return typed
    return next((child for child in node.named_children if _NAMING.search(child.type)), None)


def _declared(node: Node) -> Node | None:
    for _ in range(_DEEPEST_DECLARATOR):
        inner = node.child_by_field_name("declarator") or next(
            (child for child in node.named_children if child.type.endswith("declarator")), None
        )
        if inner is None:
            return node
        node = inner
    return None


def _parts(node: Node, named: Node) -> tuple[str, ...]:
    text = _said(named)
    if (receiver := node.child_by_field_name("receiver")) is not None:
        words = re.findall(r"\w+", _GENERIC.sub("", _said(receiver)))
        return (*words[-1:], text)
    operator = _OPERATOR.search(text)
    plain = text[: operator.start()] if operator else _GENERIC.sub("", text.partition("(")[0])
    parts = tuple(part for part in _SEPARATOR.split(plain) if part.strip())
    return (*parts, operator[0].replace(":", "")) if operator else parts


def _said(node: Node) -> str:
    return " ".join((node.text or b"")[:_LONGEST_NAME].decode("utf-8", "replace").split())


def _kind(node: Node, outer: str) -> str:
    """What a definition is, in one word that people use: by the first such word in the name of its node."""
    kind = next((kind for word, kind in _KINDS.items() if word in node.type), node.type.partition("_")[0])
    return "method" if kind == "function" and outer in _WITH_METHODS else kind


def _made(
    node: Node, named: Node, leaf: str, qualified: str, kind: str, parent: str | None, lines: list[bytes], language: str
) -> Definition:
    whole = node
    while whole.parent is not None and whole.parent.type in AROUND:
        whole = whole.parent
    row, column = named.end_point
    begin = max(column - len(leaf.encode()), 0) if row == named.start_point[0] else 0
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
    """The definition without its body, in one line."""
    text, body = node.text or b"", node.child_by_field_name("body")
    head = text[: body.start_byte - node.start_byte] if body is not None else text.partition(b"\n")[0]
    return " ".join(head[: _LONGEST_SIGNATURE * 2].decode("utf-8", "replace").split()).rstrip(" {:=")[
        :_LONGEST_SIGNATURE
    ]


def _docstring(node: Node) -> str:
    body = node.child_by_field_name("body")
    first = body.named_children[0] if body is not None and body.named_children else None
    if first is None or first.type != "string":
        return ""
    said = _QUOTES.match((first.text or b"").decode("utf-8", "replace"))
    return _dedented(said[2].splitlines()) if said else ""


def _comment(lines: list[bytes], row: int, language: str) -> str:
    """The comment that stands right above a line, whatever else is declared of it in between."""
    marks, said = comment_marks(language), list[str]()
    for line in reversed(lines[max(row - 200, 0) : row]):
        text = line.decode("utf-8", "replace").strip()
        if text.startswith(("#[", "@", "[")):
            continue
        if not text.startswith(marks):
            break
        said.append(text.removesuffix("*/").lstrip("/*#-!").strip())
    return _dedented(said[::-1])


def _dedented(lines: list[str]) -> str:
    first, rest = lines[:1], lines[1:]
    margin = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
    return "\n".join([*(line.strip() for line in first), *(line[margin:].rstrip() for line in rest)]).strip()[
        :_LONGEST_DOC
    ]
