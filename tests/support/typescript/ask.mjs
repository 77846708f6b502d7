// A TypeScript client, v1 or v2, that sends calls and prints what its user would see, one JSON array.
// node ask.mjs v1|v2 http URL CALLS | node ask.mjs v1|v2 stdio COMMAND ARGS… CALLS
const [version, transport, ...rest] = process.argv.slice(2);
const calls = JSON.parse(rest.pop());

const { Client, http, stdio } = await (version === "v1" ? v1() : v2());
const client = new Client({ name: "typescript", version: "1.0.0" });
await client.connect(transport === "http" ? http(new URL(rest[0])) : stdio({ command: rest[0], args: rest.slice(1) }));
const { tools } = await client.listTools();
const replies = [];
for (const call of calls) {
  try {
    replies.push(await client.callTool(call));
  } catch (error) {
    replies.push({ threw: String(error), code: error.code, data: error.data });
  }
}
console.log(JSON.stringify({ tools: tools.map((tool) => tool.name), capabilities: client.getServerCapabilities(), replies }));
await client.close();

async function v1() {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
  return { Client, http: (url) => new StreamableHTTPClientTransport(url), stdio: (server) => new StdioClientTransport(server) };
}

async function v2() {
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio").catch(() => import("@modelcontextprotocol/client"));
  return { Client, http: (url) => new StreamableHTTPClientTransport(url), stdio: (server) => new StdioClientTransport(server) };
}
