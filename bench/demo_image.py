"""`make demo-image`: write docs/demo.svg from the output of `fingerpost demo`.

The demo runs in a pseudo-terminal of 100 columns, so that it prints colours. The image shows the first wrong calls and
the totals. Each run of text gets its column and its width, so that the columns line up in every monospaced font.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from html import escape
from itertools import chain
from pathlib import Path

IMAGE = Path(__file__).parents[1] / "docs" / "demo.svg"
COLUMNS = 100
_SHOWN_CALLS = 4
_CHAR_WIDTH, _LINE_HEIGHT, _MARGIN = 8.4, 20, 20
_CLASSES = {"0": "", "1": "strong", "2": "faint", "31": "bad", "32": "good", "33": "notice"}
_ESCAPE = re.compile(r"\x1b\[(\d+)m")
_PIECE = re.compile(r"│|[^\s│]+(?: [^\s│]+)*")
_FRAME = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">
<title>Output of fingerpost demo: wrong calls to a server, bare and with Fingerpost, side by side</title>
<style>
text {{ font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace; \
fill: #d1d7e0 }}
.strong {{ font-weight: bold; fill: #ffffff }}
.faint {{ fill: #8b949e }}
.good {{ fill: #3fb950 }}
.bad {{ fill: #ff7b72 }}
.notice {{ fill: #e3b341 }}
</style>
<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>
{text}
</svg>
"""


def main() -> None:
    """Write the image and print its path."""
    IMAGE.write_text(draw(shorten(run_demo())), encoding="utf-8")
    print(IMAGE)


def run_demo() -> str:
    """Run the demo in a pseudo-terminal and return what it prints, with escape codes."""
    screen, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("4H", 24, COLUMNS, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    environment |= {"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"}
    with subprocess.Popen([sys.executable, "-m", "fingerpost", "demo"], stdout=terminal, env=environment) as demo:
        os.close(terminal)
        output = b"".join(_read_all(screen))
    os.close(screen)
    if demo.returncode:
        raise SystemExit(f"fingerpost demo ended with {demo.returncode}")
    return output.decode().replace("\r\n", "\n")


def _read_all(screen: int) -> Iterator[bytes]:
    try:
        while piece := os.read(screen, 65_536):
            yield piece
    except OSError:  # Linux reports the end of a pseudo-terminal as an I/O error
        return


def shorten(output: str) -> list[str]:
    """Keep the command, the first wrong calls, how many more there are, and the totals."""
    paragraphs = output.strip("\n").split("\n\n")
    calls = [one for one in paragraphs if re.match(r"\s*\d+ ", _ESCAPE.sub("", one))]
    (totals,) = (one for one in paragraphs if _ESCAPE.sub("", one).startswith("Bare "))
    more = f"\x1b[2m … {len(calls) - _SHOWN_CALLS} more wrong calls\x1b[0m"
    return "\n\n".join(["\x1b[2m$ fingerpost demo\x1b[0m", *calls[:_SHOWN_CALLS], more, totals]).split("\n")


def draw(lines: list[str]) -> str:
    """Draw lines with escape codes as an SVG."""
    width = round(COLUMNS * _CHAR_WIDTH + 2 * _MARGIN)
    height = len(lines) * _LINE_HEIGHT + 2 * _MARGIN
    text = "\n".join(chain.from_iterable(_draw_line(row, line) for row, line in enumerate(lines)))
    return _FRAME.format(width=width, height=height, text=text)


def _draw_line(row: int, line: str) -> Iterator[str]:
    column, style, y = 0, "", _MARGIN + row * _LINE_HEIGHT + 15
    for index, part in enumerate(_ESCAPE.split(line)):
        if index % 2:  # the number of an escape code
            style = f' class="{name}"' if (name := _CLASSES[part]) else ""
            continue
        for piece in _PIECE.finditer(part):
            x = _MARGIN + (column + piece.start()) * _CHAR_WIDTH
            length = len(piece[0]) * _CHAR_WIDTH
            yield f'<text x="{x:.1f}" y="{y}" textLength="{length:.1f}"{style}>{escape(piece[0])}</text>'
        column += len(part)


if __name__ == "__main__":
    main()
