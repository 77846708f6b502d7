"""Programming languages: file extensions, syntax nodes that define a name, and comment marks.

One table of node kinds serves all languages, because grammars use similar names. Kinds that a grammar does not have
are skipped.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, cast

from tree_sitter import Language, Query
from tree_sitter_language_pack import get_language

_EXTENSIONS = {
    "python": "py pyi pyw", "javascript": "js mjs cjs jsx", "typescript": "ts mts cts", "tsx": "tsx", "go": "go",
    "rust": "rs", "java": "java", "c": "c h", "cpp": "cc cpp cxx c++ hh hpp hxx h++ ipp", "ruby": "rb rake gemspec",
    "csharp": "cs", "php": "php", "kotlin": "kt kts", "scala": "scala sc", "swift": "swift", "lua": "lua",
    "bash": "sh bash", "dart": "dart", "perl": "pl pm", "haskell": "hs", "julia": "jl", "proto": "proto",
    "objc": "m mm",
}  # fmt: skip
_BY_EXTENSION = {
    extension: language for language, extensions in _EXTENSIONS.items() for extension in extensions.split()
}
_LABELS = {
    "cpp": "C++", "csharp": "C#", "php": "PHP", "javascript": "JavaScript", "typescript": "TypeScript", "tsx": "TSX",
    "objc": "Objective-C", "bash": "shell", "proto": "Protocol Buffers",
}  # fmt: skip
_HASH_COMMENTS = frozenset({"python", "ruby", "bash", "perl", "julia", "php"})

_SCOPES = "impl_item namespace_definition namespace_declaration file_scoped_namespace_declaration companion_object"
SCOPES = frozenset(_SCOPES.split())
"""Nodes that qualify the names inside them but are not definitions themselves."""

_DEFINITIONS = """
    function_definition class_definition object_definition trait_definition struct_definition macro_definition
    function_declaration generator_function_declaration class_declaration abstract_class_declaration
    method_definition method_declaration constructor_declaration destructor_declaration interface_declaration
    enum_declaration record_declaration struct_declaration record_struct_declaration delegate_declaration
    property_declaration event_declaration type_alias_declaration annotation_type_declaration object_declaration
    trait_declaration protocol_declaration subroutine_declaration_statement
    function_signature method_signature abstract_method_signature function_signature_item
    variable_declarator public_field_definition field_definition method_elem type_spec type_alias type_definition
    function_item struct_item enum_item union_item trait_item mod_item type_item const_item static_item
    struct_specifier class_specifier enum_specifier union_specifier preproc_def preproc_function_def concept_definition
    method singleton_method class module internal_module class_interface class_implementation
    message enum service rpc data_type function
"""
WITH_BODY = frozenset({"struct_specifier", "class_specifier", "enum_specifier", "union_specifier", "class"})
"""Nodes that also occur where a name is only used; with a body they are definitions."""

WITH_FUNCTION = frozenset({"variable_declarator", "public_field_definition", "field_definition"})
"""Nodes that count as definitions only if the value is a function or a class."""

FUNCTIONS = frozenset({"arrow_function", "function_expression", "function", "generator_function", "class"})
WRAPPERS = frozenset({"decorated_definition", "template_declaration", "export_statement", "lexical_declaration"})
"""Nodes around a definition that belong to it."""


def language_of(path: str) -> str | None:
    """The language of a file by its extension; `None` if files like it are not parsed."""
    return _BY_EXTENSION.get(path.rpartition("/")[2].rpartition(".")[2].lower())


def extension_label(extension: str) -> str:
    """The language of files with this extension, for people: `TypeScript`; otherwise the extension, `.md`."""
    language = _BY_EXTENSION.get(extension)
    return _LABELS.get(language, language.capitalize()) if language else f".{extension}"


def comment_marks(language: str | None) -> tuple[str, ...]:
    """The marks that begin a comment line."""
    return ("//", "/*", "*", "--", *(("#",) if language in _HASH_COMMENTS else ()))


@lru_cache(maxsize=64)
def grammar(language: str) -> tuple[Language, Query]:
    """The grammar of a language, and a query for its definitions and scopes."""
    syntax = get_language(cast("Any", language))
    kinds = [kind for kind in sorted({*_DEFINITIONS.split(), *SCOPES}) if syntax.id_for_node_kind(kind, True)]
    return syntax, Query(syntax, f"[{' '.join(f'({kind})' for kind in kinds)}] @it")
