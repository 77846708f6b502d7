"""Undo what hides a name from a search but not from a reader: colours of a terminal, invisible and look-alike letters.

`pass<zero width space>word`, a Cyrillic letter among Latin ones, letters in full width or in mathematical bold all read
as `password`.
"""

from __future__ import annotations

import re
import unicodedata

from fingerpost.engine.lazy_pattern import lazy_pattern

ANSI = lazy_pattern(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]{0,512}(?:\x07|\x1b\\)?|\x1b[@-Z\\-_]?")
"""The codes of a terminal."""
_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
)
_OTHER_FORMS = (
    "\u24b6-\u24e9\uff10-\uff1a\uff1d\uff21-\uff3a\uff3f\uff41-\uff5a\U0001d400-\U0001d7ff\U0001f130-\U0001f149"
)
"""ASCII letters in a circle, in full width, in mathematical alphabets, in a square."""
_LOOK_ALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u051b\u051d\u04bb\u043a\u0442\u043c\u03bf\u03b1\u03c1\u03b9\u03ba\u03c4\u03bd"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0406\u0405\u0391\u0392\u0395\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u0131",
    "aeopcyxijsdqwhktmoapiktvABEKMHOPCTXISABEHIKMNOPTYXi",
)  # fmt: skip
"""Cyrillic and Greek letters, and the Latin ones that they look like."""
_DISGUISE = lazy_pattern(
    rf"[\x1b{_INVISIBLE}{_OTHER_FORMS}\u0455\u0501\u051d]|[A-Za-z][\u0370-\u03ff\u0400-\u052f]"
    r"|[\u0370-\u03ff\u0400-\u052f][A-Za-z]|\u0131"
)
"""A sign of a disguise. Cyrillic and Greek letters are one only beside Latin letters."""
_INVISIBLES, _FORMS = lazy_pattern(f"[{_INVISIBLE}]+"), lazy_pattern(f"[{_OTHER_FORMS}]+")
_WORD = lazy_pattern(r"[^\W\d_]+")


def is_disguised(text: str) -> bool:
    """Whether a text contains letters or codes that may hide a name."""
    return "\x1b" in text if text.isascii() else _DISGUISE.search(text) is not None


def undo_disguises(text: str) -> str:
    """Return a text as it is read: without codes and invisible letters, with ordinary Latin letters."""
    plain = ANSI.sub("", text) if "\x1b" in text else text
    if plain.isascii():
        return plain
    plain = _FORMS.sub(lambda found: unicodedata.normalize("NFKC", found[0]), _INVISIBLES.sub("", plain))
    return _WORD.sub(_read_word, plain) if _DISGUISE.search(plain) else plain


def _read_word(found: re.Match[str]) -> str:
    """Read a word of look-alikes as a Latin one; a real word of another language stays."""
    word = found[0]
    if word.isascii():
        return word
    read = word.translate(_LOOK_ALIKES)
    return read if read.isascii() else word
