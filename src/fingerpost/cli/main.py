"""The command line: try the core in a shell, read the page of a code, see the demonstration.

Exit codes: 0 the call would be sent (as it is, or repaired), 1 it would be refused, 2 the command itself
could not be carried out.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from importlib import metadata, resources
from pathlib import Path
from typing import Any, NoReturn, TextIO, cast, get_args

from fingerpost.audit import options as audit
from fingerpost.client_config.command import add_wrapping
from fingerpost.engine.admit import admit
from fingerpost.engine.catalog import Catalog
from fingerpost.engine.matching import Kind, Reading, closest, find_readings
from fingerpost.engine.matching.explain import explain_evidence
from fingerpost.engine.model import Call, Verdict
from fingerpost.engine.phrases import quote
from fingerpost.engine.policy import AutoCorrect, Policy, UnknownParams
from fingerpost.engine.render.envelope import render
from fingerpost.engine.render.shapes import Shape
from fingerpost.engine.safety.json_input import as_object
from fingerpost.engine.safety.redact import clean
from fingerpost.engine.schema.excerpt import Level, excerpt
from fingerpost.proxy import command as proxy
from fingerpost.servers import command as serve
from fingerpost.terminal.command_error import CommandError
from fingerpost.terminal.style import Style


def main(argv: Sequence[str] | None = None) -> int:
    """Carry out one command line; the result is the exit code."""
    try:
        options = _options(list(sys.argv[1:] if argv is None else argv))
        code = options.run(options)
        sys.stdout.flush()
        return code
    except CommandError as trouble:
        print(f"fingerpost: {trouble}", file=sys.stderr)
        if trouble.way_out:
            print(trouble.way_out, file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader has seen enough; keep the interpreter from flushing into the closed pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


def _options(words: list[str]) -> argparse.Namespace:
    """What the words say. Behind `--` of these two stands a command of the user's, which is not ours to read."""
    if words[:1] not in (["proxy"], ["audit"]) or "--" not in words:
        return _parser().parse_args(words)
    options = _parser().parse_args(words[: words.index("--")])
    options.command = words[words.index("--") + 1 :]
    return options


class _Parser(argparse.ArgumentParser):
    """`argparse` with the manners we ask of others: a misspelt command is told what was probably meant."""

    def error(self, message: str) -> NoReturn:
        raise CommandError(message, f"{self._meant()}Run '{self.prog} --help' to see how it is used.")

    def _meant(self) -> str:
        words = sys.argv[1 : sys.argv.index("--") if "--" in sys.argv else None]
        is_servers = words[:1] in (["proxy"], ["audit"]) and len(words) == len(sys.argv) - 1
        is_servers = is_servers and any(word[:1] != "-" for word in words[2:])
        names = [str(name) for action in self._known() for name in (*action.option_strings, *(action.choices or ()))]
        for word in words:
            near = closest(word, [name for name in names if name != word])
            if near and near[0].is_clear and word not in names and (word[:2] == "--" or not is_servers):
                return f"Did you mean '{near[0].name}'? "
        return f"Put -- before a server's command: fingerpost {words[0]} -- python server.py. " if is_servers else ""

    def _known(self) -> list[argparse.Action]:
        """What this parser takes, and what the one of the command takes that was named."""
        parsers = (cast("dict[str, _Parser]", one.choices or {}) for one in self._actions if not one.option_strings)
        chosen = next((known[word] for known in parsers for word in sys.argv[1:2] if word in known), None)
        return [*self._actions, *(chosen._actions if chosen else ())]


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="fingerpost", description="Guidance for wrong MCP tool calls.")
    parser.add_argument("--version", action="version", version=f"fingerpost {metadata.version('fingerpost')}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_Parser)
    _add_check(commands)
    explain = commands.add_parser("explain", help="the page of a code; no argument lists them")
    explain.add_argument("code", nargs="?", metavar="CODE", help="a code such as UNKNOWN_PARAM, in any case")
    explain.set_defaults(run=_explain)
    _add_closest(commands)
    proxy.add_to(commands)
    add_wrapping(commands)
    audit.add_to(commands)
    serve.add_to(commands)
    demo = commands.add_parser("demo", help="wrong calls, and the guidance they get")
    demo.set_defaults(run=_demo)
    return parser


def _add_check(commands: Any) -> None:
    check = commands.add_parser(
        "check",
        help="diagnose one call offline",
        description="Diagnose one call against a list of tools, without a server. '-' reads standard input.",
        epilog="Exit code: 0 the call would be sent, 1 it would be refused, 2 the command could not be carried out.",
    )
    check.add_argument("catalog", metavar="CATALOG.json", help="a tools/list result, or its `tools` array")
    check.add_argument("call", metavar="CALL.json", help='{"name": …, "arguments": …}, or a whole tools/call request')
    check.add_argument("--json", action="store_true", help="print the verdict as JSON")
    check.add_argument("--shape", choices=get_args(Shape), default="nested", help="shape of the JSON (default: nested)")
    check.add_argument(
        "--auto-correct", choices=get_args(AutoCorrect), default="safe", help="what may be repaired unasked"
    )
    check.add_argument("--unknown-params", choices=get_args(UnknownParams), default="auto", help="what strays earn")
    check.add_argument("--budget", type=int, default=800, metavar="N", help="most characters of text (default: 800)")
    check.add_argument("--no-info-tool", action="store_true", help="do not point to an info tool")
    check.add_argument("--schema", choices=get_args(Level), help="print the tool's parameters too, at this level")
    check.set_defaults(run=_check)


def _add_closest(commands: Any) -> None:
    near = commands.add_parser(
        "closest",
        help="which known name a mistaken one meant, and why",
        description="Compare a mistaken name with known ones and print the evidence.",
        epilog="Exit code: 0 one reading is clear, 1 none is, 2 the command could not be carried out.",
    )
    near.add_argument(
        "mistake", metavar="MISTAKE", help="the name as it was written; put -- before one that begins with -"
    )
    near.add_argument("names", nargs="+", metavar="NAME", help="the known names; '-' reads them from standard input")
    near.add_argument("--kind", choices=get_args(Kind), default="tool", help="what is named (default: tool)")
    near.add_argument("--server", default="", help="the server's name: its prefix on a tool is no mistake")
    near.add_argument("--json", action="store_true", help="print the readings as JSON")
    near.set_defaults(run=_closest)


def _closest(options: argparse.Namespace) -> int:
    names = [line for name in options.names for line in (sys.stdin.read().splitlines() if name == "-" else [name])]
    known = [name.strip() for name in names if name.strip()]
    found = find_readings(options.mistake, known, options.kind, {"server": options.server})
    is_clear = any(reading.match.is_clear for reading in found)
    if options.json:
        print(json.dumps([_as_json(reading) for reading in found], indent=2, ensure_ascii=False))
        return 0 if is_clear else 1
    style = Style.of(sys.stdout)
    if not found:
        print(f"Nothing near {quote(options.mistake)}.")
    for reading in found:
        match = reading.match
        print(f"{style.strong(clean(match.name))}  {match.confidence:.2f}  {'a fix' if match.is_clear else 'listed'}")
        for line in explain_evidence(reading.evidence):
            print(style.faint(f"  {clean(line)}") if line.startswith("  ") else f"  {line}")
    return 0 if is_clear else 1


def _as_json(reading: Reading) -> dict[str, Any]:
    return {
        "name": reading.match.name,
        "confidence": reading.match.confidence,
        "is_clear": reading.match.is_clear,
        "evidence": list(explain_evidence(reading.evidence)),
    }


def _check(options: argparse.Namespace) -> int:
    policy = Policy(
        auto_correct=options.auto_correct,
        unknown_params=options.unknown_params,
        info_tool=None if options.no_info_tool else "info",
        budget=options.budget,
    )
    if options.catalog == options.call == "-":
        raise CommandError("only one of the catalog and the call can be standard input")
    catalog = Catalog.listed(_tools(_read(options.catalog), options.catalog))
    verdict = admit(_call(_read(options.call), options.call), catalog, policy=policy)
    envelope = render(verdict.report, shape=options.shape, budget=policy.budget)
    if options.json:
        sent = {"name": verdict.call.tool, "arguments": verdict.call.arguments}
        print(json.dumps({"action": verdict.action, "call": sent, "guidance": envelope.structured}, indent=2))
    else:
        _print_verdict(verdict, envelope.text)
    if options.schema:
        _print_schema(verdict, catalog, options.schema)
    return 1 if verdict.action in ("refuse", "ask") else 0


def _print_verdict(verdict: Verdict, text: str) -> None:
    style = Style.of(sys.stdout)
    colour = {"forward": style.good, "repair": style.notice}.get(verdict.action, style.bad)
    print(colour(verdict.action))
    silent = "Left out what the client adds to every call." if verdict.action == "repair" else "The call is right."
    print(text or silent)


def _print_schema(verdict: Verdict, catalog: Catalog, level: Level) -> None:
    """What the called tool takes; of an unknown tool, what the one that was probably meant takes."""
    meant = verdict.report.corrected or verdict.call
    if tool := catalog.get(meant.tool):
        print(json.dumps({tool.name: excerpt(tool.schema, tool.schema, level)}, indent=2, ensure_ascii=False))


def _read(source: str) -> Any:
    try:
        text = sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8-sig")
        return json.loads(text)
    except OSError as error:
        raise CommandError(f"cannot read {_named(source)}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{_named(source)} is not JSON: {error}") from error


def _named(source: str) -> str:
    return "standard input" if source == "-" else source


def _tools(document: Any, source: str) -> list[Any]:
    """The tools of a JSON-RPC response, of a `tools/list` result, or a bare array."""
    listed = as_object(as_object(document).get("result", document)).get("tools", document)
    if not isinstance(listed, list):
        raise CommandError(f"{_named(source)} holds no tools", 'Expected {"tools": […]} or the array itself.')
    return cast("list[Any]", listed)


def _call(document: Any, source: str) -> Call:
    asked = as_object(as_object(document).get("params", document))
    if not isinstance(name := asked.get("name"), str):
        raise CommandError(f"{_named(source)} names no tool", 'Expected {"name": "search", "arguments": {…}}.')
    return Call(name, asked.get("arguments"))


def _explain(options: argparse.Namespace) -> int:
    pages = {page.name.removesuffix(".md"): page for page in (resources.files("fingerpost") / "codes").iterdir()}
    if options.code is None:
        for code in sorted(pages):
            print(f"{code:20} {_summary(pages[code].read_text(encoding='utf-8'))}")
        return 0
    code = options.code.upper().replace("-", "_")
    if code not in pages:
        near = closest(code, pages, "value")
        meant = f"Did you mean {near[0].name}? " if near else ""
        raise CommandError(f"there is no code {options.code}", f"{meant}Run 'fingerpost explain' to list them.")
    _print_page(pages[code].read_text(encoding="utf-8"), sys.stdout)
    return 0


def _summary(page: str) -> str:
    return page.split("\n\n", 2)[1].replace("\n", " ")


def _print_page(page: str, out: TextIO) -> None:
    style = Style.of(out)
    for line in page.splitlines():
        print(
            style.strong(line) if line.startswith("#") else style.faint(line) if line.startswith("```") else line,
            file=out,
        )


def _demo(_: argparse.Namespace) -> int:
    from fingerpost.cli.demo import demonstrate  # which brings asyncio along, for nothing to all other commands

    return demonstrate(sys.stdout)


if __name__ == "__main__":
    sys.exit(main())
