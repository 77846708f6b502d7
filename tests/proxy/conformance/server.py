"""The server that the official suite runs against: what its scenarios ask for, as tables.

Run `server.py stdio`, or `server.py http`, which prints the URL that it listens on.
"""

# pyright: basic
from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import socket
import sys
import warnings
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

import mcp_types as types
import uvicorn
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http import EventCallback, EventMessage, EventStore
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import PromptsListChanged, ToolsListChanged

Json: TypeAlias = dict[str, Any]
Context: TypeAlias = ServerRequestContext[Any, Any]

DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
PAUSE = 0.05


def text(content: str) -> Json:
    return {"type": "text", "text": content}


def embed(uri: str, content: str, mime: str = "text/plain") -> Json:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime, "text": content}}


def form(properties: Json, *required: str) -> Json:
    return {"type": "object", "properties": properties, "required": list(required)}


IMAGE = {"type": "image", "data": DOT, "mimeType": "image/png"}
WORD = {"type": "string"}

REPLIES: dict[str, list[Json]] = {
    "test_simple_text": [text("This is a simple text response for testing.")],
    "test_image_content": [IMAGE],
    "test_audio_content": [{"type": "audio", "data": SILENCE, "mimeType": "audio/wav"}],
    "test_embedded_resource": [embed("test://embedded-resource", "This is an embedded resource content.")],
    "test_multiple_content_types": [
        text("Multiple content types test:"),
        IMAGE,
        embed("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
    ],
    "json_schema_2020_12_tool": [text("ok")],
    "test_x_mcp_header": [text("ok")],
}
"""Tools with a constant reply."""

DEFAULTS = form(
    {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    }
)
TITLED = [{"const": f"value{n}", "title": f"Option {n}"} for n in (1, 2, 3)]
CHOICES = form(
    {
        "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
        "titledSingle": {"type": "string", "oneOf": TITLED},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option 1", "Option 2"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
        "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
    }
)
FORMS: dict[str, Json] = {
    "test_elicitation": form({"username": WORD, "email": WORD}, "username", "email"),
    "test_elicitation_sep1034_defaults": DEFAULTS,
    "test_elicitation_sep1330_enums": CHOICES,
}
"""Tools that ask the user, in the revisions where a server can send requests."""


def elicits(question: str, name: str, kind: str = "string") -> Json:
    asked = {"message": question, "requestedSchema": form({name: {"type": kind}}, name)}
    return {"method": "elicitation/create", "params": asked}


def samples(prompt: str) -> Json:
    asked = {"messages": [{"role": "user", "content": text(prompt)}], "maxTokens": 100}
    return {"method": "sampling/createMessage", "params": asked}


ROOTS: Json = {"method": "roots/list", "params": {}}
CONFIRM = {"confirm": elicits("Please confirm", "ok", "boolean")}

ROUNDS: dict[str, list[Json]] = {
    "test_input_required_result_elicitation": [{"user_name": elicits("What is your name?", "name")}],
    "test_input_required_result_sampling": [{"capital_question": samples("What is the capital of France?")}],
    "test_input_required_result_list_roots": [{"client_roots": ROOTS}],
    "test_input_required_result_request_state": [CONFIRM],
    "test_input_required_result_multiple_inputs": [
        {
            "user_name": elicits("What is your name?", "name"),
            "greeting": samples("Generate a greeting"),
            "client_roots": ROOTS,
        }
    ],
    "test_input_required_result_multi_round": [
        {"step1": elicits("Step 1: What is your name?", "name")},
        {"step2": elicits("Step 2: What is your favorite color?", "color")},
    ],
    "test_input_required_result_tampered_state": [CONFIRM],
    "test_input_required_result_capabilities": [
        {"asks": elicits("What is your name?", "name"), "samples": samples("Say hello")}
    ],
    "test_streaming_elicitation": [{"user_name": elicits("What is your name?", "name")}],
    "test_input_required_result_prompt": [{"user_context": elicits("What context should it use?", "context")}],
}
"""Tools and a prompt that need input first, with what they ask for in each round."""

SCHEMAS: dict[str, Json] = {
    "test_elicitation": form({"message": WORD}, "message"),
    "test_sampling": form({"prompt": WORD}, "prompt"),
    "test_x_mcp_header": form({"region": {"type": "string", "x-mcp-header": "Region"}}),
    "json_schema_2020_12_tool": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {"$anchor": "addressDef", **form({"street": WORD, "city": WORD})}},
        "properties": {
            "name": WORD,
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": WORD,
            "email": WORD,
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    },
}
"""The schemas of tools with parameters."""

RESOURCES: dict[str, Json] = {
    "test://static-text": {"mimeType": "text/plain", "text": "This is the content of the static text resource."},
    "test://static-binary": {"mimeType": "image/png", "blob": DOT},
    "test://watched-resource": {"mimeType": "text/plain", "text": "Watched resource content"},
}
PROMPTS: dict[str, tuple[list[str], list[Json]]] = {
    "test_simple_prompt": ([], [text("This is a simple prompt for testing.")]),
    "test_prompt_with_arguments": (["arg1", "arg2"], [text("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")]),
    "test_prompt_with_embedded_resource": (
        ["resourceUri"],
        [embed("{resourceUri}", "Embedded resource content for testing."), text("Please process it.")],
    ),
    "test_prompt_with_image": ([], [IMAGE, text("Please analyze the image above.")]),
    "test_input_required_result_prompt": ([], [text("Use the context.")]),
}
"""Each prompt's arguments and messages."""

_bus = InMemorySubscriptionBus()
_key = b"nothing is kept with this key that anybody would want to forge"


# tools with an effect


async def logs(context: Context, arguments: Json) -> list[Json]:
    for line in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await context.session.send_log_message("info", line, related_request_id=context.request_id)
        await asyncio.sleep(PAUSE)
    return [text("logged")]


async def progresses(context: Context, arguments: Json) -> list[Json]:
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100, f"{done} of 100")
        await asyncio.sleep(PAUSE)
    return [text("done")]


async def requests_sampling(context: Context, arguments: Json) -> list[Json]:
    message = types.SamplingMessage.model_validate({"role": "user", "content": text(arguments["prompt"])})
    reply = await context.session.create_message([message], max_tokens=100, related_request_id=context.request_id)
    return [text(f"LLM response: {reply.content.model_dump_json()}")]


async def reconnects(context: Context, arguments: Json) -> list[Json]:
    """End the stream before the reply; the client gets the reply when it reconnects."""
    if context.close_sse_stream is not None:
        await context.close_sse_stream()
    await asyncio.sleep(14 * PAUSE)  # longer than the streams of the proxy last that is in front of standard streams
    return [text("Reconnection test completed")]


async def needs_sampling(context: Context, arguments: Json) -> list[Json]:
    capabilities = context.session.client_capabilities
    if capabilities is None or capabilities.sampling is None:
        needed = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "This tool needs sampling", needed)
    return [text("ok")]


async def changes_tools(context: Context, arguments: Json) -> list[Json]:
    await _bus.publish(ToolsListChanged())
    return [text("ok")]


async def changes_prompts(context: Context, arguments: Json) -> list[Json]:
    await _bus.publish(PromptsListChanged())
    return [text("ok")]


async def fails(context: Context, arguments: Json) -> list[Json]:
    raise ValueError("This tool intentionally returns an error for testing")


ACTIONS: dict[str, Callable[[Context, Json], Awaitable[list[Json]]]] = {
    "test_tool_with_logging": logs,
    "test_logging_tool": logs,
    "test_tool_with_progress": progresses,
    "test_sampling": requests_sampling,
    "test_reconnection": reconnects,
    "test_missing_capability": needs_sampling,
    "test_trigger_tool_change": changes_tools,
    "test_trigger_prompt_change": changes_prompts,
    "test_error_handling": fails,
}
TOOLS = [*REPLIES, *FORMS, *ACTIONS, *(name for name in ROUNDS if not name.endswith("prompt"))]


async def call(context: Context, params: types.CallToolRequestParams) -> Any:
    name, arguments = params.name, params.arguments or {}
    if (needed := input_needed_for(name, params, context)) is not None:
        return needed
    if name in ROUNDS:
        return types.CallToolResult.model_validate({"content": [text("All input received.")]})
    if name in FORMS:
        question = arguments.get("message", "Please fill in the form")
        answer = await context.session.elicit_form(question, FORMS[name], related_request_id=context.request_id)
        return types.CallToolResult.model_validate({"content": [text(answer.model_dump_json())]})
    if name in REPLIES:
        return types.CallToolResult.model_validate({"content": REPLIES[name]})
    if name not in ACTIONS:
        raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {name}")
    try:
        return types.CallToolResult.model_validate({"content": await ACTIONS[name](context, arguments)})
    except ValueError as error:
        return types.CallToolResult.model_validate({"content": [text(str(error))], "isError": True})


# input in rounds


def input_needed_for(name: str, params: Any, context: Context) -> types.InputRequiredResult | None:
    """The input that is needed before `name` can be answered, if any."""
    rounds = ROUNDS.get(name, [])
    done = round_of(params.request_state)
    if done < len(rounds) and set(rounds[done]) <= set(params.input_responses or {}):
        done += 1
    if done >= len(rounds):
        return None
    asked = {key: one for key, one in rounds[done].items() if is_declared(one["method"], context)}
    return types.InputRequiredResult.model_validate(
        {"resultType": "input_required", "inputRequests": asked, "requestState": sign(done)}
    )


def is_declared(method: str, context: Context) -> bool:
    """Whether the client declares that it answers such requests, or declares nothing at all."""
    declared = context.session.client_capabilities
    names = declared.model_dump(exclude_none=True) if declared is not None else {}
    return not names or method.partition("/")[0] in names


def sign(done: int) -> str:
    return f"{done}.{hmac.new(_key, str(done).encode(), hashlib.sha256).hexdigest()}"


def round_of(state: str | None) -> int:
    if state is None:
        return 0
    done = state.partition(".")[0]
    if not done.isdigit() or not hmac.compare_digest(state.encode(), sign(int(done)).encode()):
        raise MCPError(types.INVALID_PARAMS, "The state of the request is not ours")
    return int(done)


# lists, resources, prompts


def schema_of(name: str) -> Mapping[str, Any]:
    return SCHEMAS.get(name, form({}))


async def tools(context: Context, params: Any) -> types.ListToolsResult:
    listed = [{"name": name, "description": f"Does {name}", "inputSchema": schema_of(name)} for name in TOOLS]
    return types.ListToolsResult.model_validate({"tools": listed})


async def resources(context: Context, params: Any) -> types.ListResourcesResult:
    listed = [{"uri": uri, "name": uri, "mimeType": held["mimeType"]} for uri, held in RESOURCES.items()]
    return types.ListResourcesResult.model_validate({"resources": listed})


async def templates(context: Context, params: Any) -> types.ListResourceTemplatesResult:
    listed = [{"uriTemplate": "test://template/{id}/data", "name": "template", "mimeType": "application/json"}]
    return types.ListResourceTemplatesResult.model_validate({"resourceTemplates": listed})


async def read(context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    uri = str(params.uri)
    held = RESOURCES.get(uri)
    if held is None and uri.startswith("test://template/") and uri.endswith("/data"):
        id = uri.split("/")[-2]
        data = {"id": id, "templateTest": True, "data": f"Data for ID: {id}"}
        held = {"mimeType": "application/json", "text": json.dumps(data)}
    if held is None:
        raise MCPError(types.INVALID_PARAMS, f"Unknown resource: {uri}", {"uri": uri})
    return types.ReadResourceResult.model_validate({"contents": [{"uri": uri, **held}]})


async def prompts(context: Context, params: Any) -> types.ListPromptsResult:
    listed = [
        {"name": name, "description": name, "arguments": [{"name": one, "required": True} for one in arguments]}
        for name, (arguments, _) in PROMPTS.items()
    ]
    return types.ListPromptsResult.model_validate({"prompts": listed})


async def prompt(context: Context, params: types.GetPromptRequestParams) -> Any:
    if params.name not in PROMPTS:
        raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.name}")
    if (needed := input_needed_for(params.name, params, context)) is not None:
        return needed
    content_json = json.dumps(PROMPTS[params.name][1])
    for name, value in (params.arguments or {}).items():
        content_json = content_json.replace(f"{{{name}}}", value)
    messages = [{"role": "user", "content": content} for content in json.loads(content_json)]
    return types.GetPromptResult.model_validate({"messages": messages})


async def complete(context: Context, params: Any) -> types.CompleteResult:
    return types.CompleteResult.model_validate({"completion": {"values": [], "total": 0, "hasMore": False}})


async def accept(context: Context, params: Any) -> types.EmptyResult:
    return types.EmptyResult()


class StoredEvents(EventStore):
    """Keeps every event of every stream; the id of an event is its index."""

    def __init__(self) -> None:
        self._events: list[tuple[str, Any]] = []

    async def store_event(self, stream_id: str, message: Any) -> str:
        self._events.append((stream_id, message))
        return str(len(self._events) - 1)

    async def replay_events_after(self, last_event_id: str, send_callback: EventCallback) -> str | None:
        last = int(last_event_id) if last_event_id.isdigit() else len(self._events)
        if last >= len(self._events):
            return None
        stream = self._events[last][0]
        for number, (of, message) in enumerate(self._events):
            if number > last and of == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream


def make_server() -> Server[Any]:
    warnings.simplefilter("ignore")  # the suite also covers deprecated features
    return Server(
        "conformance",
        version="1.0.0",
        get_tool_input_schema=schema_of,
        on_list_tools=tools,
        on_call_tool=call,
        on_list_resources=resources,
        on_list_resource_templates=templates,
        on_read_resource=read,
        on_subscribe_resource=accept,
        on_unsubscribe_resource=accept,
        on_subscriptions_listen=ListenHandler(_bus),
        on_list_prompts=prompts,
        on_get_prompt=prompt,
        on_completion=complete,
        on_set_logging_level=accept,
    )


async def run_stdio() -> None:
    server = make_server()
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


async def run_http() -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    app = make_server().streamable_http_app(event_store=StoredEvents(), retry_interval=100)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", http="h11"))  # the parser that the SDK installs
    print(f"listening on http://127.0.0.1:{listening.getsockname()[1]}/mcp", file=sys.stderr, flush=True)
    await server.serve([listening])


if __name__ == "__main__":
    asyncio.run(run_http() if sys.argv[1] == "http" else run_stdio())
