"""Recognize paths that go up to a sensitive file, or that hide that they go up."""

from __future__ import annotations

import re

from fingerpost.engine.lazy_pattern import lazy_pattern

OTHER_FORMS = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)} | {
    0x037E: ";", 0x1FEF: "`", 0x2024: ".", 0x2025: "..", 0x2044: "/", 0x2215: "/", 0x2216: "\\", 0x29F5: "\\",
    0x29F8: "/", 0x29F9: "\\", 0xFE52: ".", 0xFE54: ";", 0xFE60: "&", 0xFE64: "<", 0xFE65: ">", 0xFE68: "\\",
    0xFE69: "$", 0xFE6A: "%",
}  # fmt: skip
"""Other forms of ASCII characters, which some programs turn into ASCII (NFKC), and slashes that look like one."""
_SENSITIVE = lazy_pattern(
    r"(?:^|/)\.{2,4}/(?:etc/(?:passwd|shadow|gshadow|sudoers|master\.passwd)-?|proc/(?:self|\d{1,7})/\w+"
    r"|(?:root/|home/\w+/)?\.ssh/(?:id_\w+|authorized_keys)|(?:root/|home/\w+/)?\.aws/credentials|root/\.bash_history"
    r"|var/log/auth\.log|(?:windows|winnt)/(?:system32(?:/[\w./]*)?|win\.ini)|boot\.ini)$",
    re.IGNORECASE,
)
_LONGEST_SENSITIVE = 256
_REPEATED_SLASH = lazy_pattern(r"/(?:\.?/)+")
_ODD_ENCODING = lazy_pattern(r"%(?:c0%a[ef]|c1%9c|e0%80%a[ef]|u00(?:2[ef]|5c)|u221[56])", re.IGNORECASE)
"""Encodings of a dot and a slash that no program writes."""
_STEP_WITH_PARAMETER = lazy_pattern(r"(?:^|[/\\])\.\.;[^/\\]{0,64}[/\\]")
"""`..;/`: some servers drop the parameter after the check of the path, so that `../` is left."""


def decode(value: str) -> str:
    """Undo other forms of ASCII and up to three percent-encodings."""
    from urllib.parse import unquote  # needed only for suspicious values

    plain = _to_ascii(value)
    for _ in range(3):
        if "%" not in plain:
            break
        plain = _to_ascii(unquote(plain))
    return plain


def _to_ascii(text: str) -> str:
    return text if text.isascii() else text.translate(OTHER_FORMS)


def is_traversal(value: str, plain: str) -> bool:
    """Whether a path goes up to a sensitive file, or hides that it goes up. Going up alone is normal.

    `plain` is the decoded value.
    """
    if "\x00" in plain or _ODD_ENCODING.search(value) or _STEP_WITH_PARAMETER.search(plain):
        return True
    end = _REPEATED_SLASH.sub("/", plain[-_LONGEST_SENSITIVE:].replace("\\", "/")).rstrip("/")
    if _SENSITIVE.search(end):
        return True
    return plain != value and _count_steps_up(plain) > _count_steps_up(value)


def _count_steps_up(path: str) -> int:
    return path.replace("\\", "/").split("/").count("..") if ".." in path else 0
