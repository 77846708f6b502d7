"""`fingerpost check`: diagnose one call against a list of tools, without a server."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, cast, get_args

from fingerpost.engine.admit import admit
from fingerpost.engine.catalog import Catalog
from fingerpost.engine.model import Call, Verdict
from fingerpost.engine.overrides import Overrides
from fingerpost.engine.overrides.check import check_overrides
from fingerpost.engine.policy import AutoCorrect, Policy, UnknownParams
from fingerpost.engine.render.envelope import render
from fingerpost.engine.render.shapes import Shape
from fingerpost.engine.replies.enrich import enrich, policy_tool
from fingerpost.engine.safety.json_input import as_object
from fingerpost.engine.schema.excerpt import Level, excerpt
from fingerpost.proxy.config_file import DEFAULTS, ConfigFile, policy_of
from fingerpost.terminal.command_error import CommandError
from fingerpost.terminal.style import Style


def add_to(commands: Any) -> None:
    """Register the command."""
    check = commands.add_parser(
        "check",
        help="diagnose one call offline",
        description="Diagnose one call against a list of tools, without a server. '-' reads standard input.",
        epilog="Exit code: 0 if the call would be sent, 1 if it would be refused, 2 if the command could not run.",
    )
    check.add_argument("catalog", metavar="CATALOG.json", help="a tools/list result, or its `tools` array")
    check.add_argument("call", metavar="CALL.json", help='{"name": …, "arguments": …}, or a whole tools/call request')
    check.add_argument("--json", action="store_true", help="print the verdict as JSON")
    check.add_argument("--shape", choices=get_args(Shape), default="nested", help="shape of the JSON (default: nested)")
    check.add_argument("--auto-correct", choices=get_args(AutoCorrect), help="which fixes to apply (default: safe)")
    check.add_argument(
        "--unknown-params",
        choices=get_args(UnknownParams),
        help="what to do with unknown parameters (default: auto)",
    )
    check.add_argument(
        "--budget", type=int, metavar="N", help="maximum length of the text, in characters (default: 800)"
    )
    check.add_argument("--no-info-tool", action="store_true", help="do not refer to an info tool")
    check.add_argument("--config", metavar="FILE", help="apply a configuration file of the proxy; options override it")
    check.add_argument("--reply", metavar="REPLY.json", help="also print a reply to the call with guidance added")
    check.add_argument("--schema", choices=get_args(Level), help="also print the tool's parameters, in this detail")
    check.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    policy, overrides = _policy(options)
    if [options.catalog, options.call, options.reply].count("-") > 1:
        raise CommandError("only one of the files can be standard input")
    catalog = Catalog.listed(_tools_in(_read_json(options.catalog), options.catalog), overrides=overrides)
    for problem in check_overrides(overrides, catalog).values():
        print(problem, file=sys.stderr)
    call = _call_in(_read_json(options.call), options.call)
    verdict = admit(call, catalog, policy=policy)
    budget = catalog.policy_for(policy_tool(verdict.report), policy).budget
    envelope = render(verdict.report, shape=options.shape, budget=budget)
    if options.json:
        sent = {"name": verdict.call.tool, "arguments": verdict.call.arguments}
        print(json.dumps({"action": verdict.action, "call": sent, "guidance": envelope.structured}, indent=2))
    else:
        _print_verdict(verdict, envelope.text)
    if options.reply:
        reply = enrich(call, _read_json(options.reply), catalog, policy=policy, verdict=verdict)
        print(json.dumps(reply, indent=2, ensure_ascii=False))
    if options.schema:
        _print_schema(verdict, catalog, options.schema)
    return 1 if verdict.action in ("refuse", "ask") else 0


def _policy(options: argparse.Namespace) -> tuple[Policy, Overrides]:
    """Return the policy of the options, the configuration file and the defaults, and what holds for single tools."""
    if options.budget is not None and options.budget < 1:
        raise CommandError(f"--budget must be at least 1, got {options.budget}")
    config = ConfigFile.read(options.config) if options.config else ConfigFile()
    given = {name: getattr(options, name) for name in ("auto_correct", "unknown_params", "budget")}
    chosen = {name: value for name, value in given.items() if value is not None}
    if options.no_info_tool:
        chosen["info_tool"] = False
    policy = policy_of({**DEFAULTS, **config.settings, **chosen})
    return policy, config.read_overrides(policy)


def _read_json(source: str) -> Any:
    try:
        text = sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8-sig")
        return json.loads(text)
    except OSError as error:
        raise CommandError(f"cannot read {_source_name(source)}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{_source_name(source)} is not JSON: {error}") from error


def _source_name(source: str) -> str:
    return "standard input" if source == "-" else source


def _tools_in(document: Any, source: str) -> list[Any]:
    """Return the tools of a JSON-RPC response, of a `tools/list` result, or of a bare array."""
    tools = as_object(as_object(document).get("result", document)).get("tools", document)
    if not isinstance(tools, list):
        raise CommandError(f"{_source_name(source)} has no tools", 'Expected {"tools": […]} or the array itself.')
    return cast("list[Any]", tools)


def _call_in(document: Any, source: str) -> Call:
    """Return the call of a JSON-RPC request, or of its `params`."""
    params = as_object(as_object(document).get("params", document))
    if not isinstance(name := params.get("name"), str):
        raise CommandError(f"{_source_name(source)} names no tool", 'Expected {"name": "search", "arguments": {…}}.')
    return Call(name, params.get("arguments"))


def _print_verdict(verdict: Verdict, text: str) -> None:
    style = Style.of(sys.stdout)
    colour = {"forward": style.good, "repair": style.notice}.get(verdict.action, style.bad)
    print(colour(verdict.action))
    without_guidance = (
        "Removed the parameters that the client adds to every call."
        if verdict.action == "repair"
        else "The call is right."
    )
    print(text or without_guidance)


def _print_schema(verdict: Verdict, catalog: Catalog, level: Level) -> None:
    """Print the parameters of the called tool, or of the tool that the corrected call names."""
    intended_call = verdict.report.corrected or verdict.call
    if tool := catalog.get(intended_call.tool):
        print(json.dumps({tool.name: excerpt(tool.schema, tool.schema, level)}, indent=2, ensure_ascii=False))
