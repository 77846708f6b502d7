// Opens each page in a browser and lets it try to call the server at TARGET; prints what the page saw as JSON:
//     node call.mjs TARGET PAGE…
import puppeteer from "puppeteer-core";
import { unpacked } from "./unpacked.mjs";

const [target, ...pages] = process.argv.slice(2);
const browser = await puppeteer.launch({
  ...(await unpacked()),
  headless: "shell",
  pipe: true, // so that it ends with this program, however that ends
  args: ["--no-sandbox", "--no-zygote", "--disable-gpu", "--disable-dev-shm-usage"],
});

/** What is done inside a page: every way to send a call, and what the page can read of the response. */
const tried = async (url) => {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = (way) => ({ name: "echo", arguments: { text: way }, _meta: meta });
  const body = (way) => JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: params(way) });
  const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const named = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "echo" };
  const sent = async (way, options) => {
    try {
      const response = await fetch(url, { method: "POST", body: body(way), ...options });
      return `${response.type} ${response.status}`;
    } catch (error) {
      return String(error);
    }
  };
  const form = async () => {
    const [frame, element, field] = ["iframe", "form", "input"].map((name) => document.createElement(name));
    frame.name = "reply";
    Object.assign(element, { action: url, method: "POST", enctype: "text/plain", target: "reply" });
    [field.name, field.value] = [body("form").slice(0, -1) + ',"x":"', '"}'];
    element.append(field);
    document.body.append(frame, element);
    const loaded = new Promise((done) => (frame.onload = done));
    element.submit();
    await loaded;
  };
  await form();
  const greeting = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "page", version: "1" } };
  const initialize = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: greeting });
  const session = await fetch(url, { method: "POST", headers: json, body: initialize }).then(
    (response) => response.headers.get("mcp-session-id") !== null,
    () => null,
  );
  return {
    plain: await sent("plain", { headers: { "content-type": "text/plain" } }),
    opaque: await sent("opaque", { mode: "no-cors", headers: { "content-type": "text/plain" } }),
    untyped: await sent("untyped", { mode: "no-cors", body: new Blob([body("untyped")]) }),
    json: await sent("json", { headers: { ...json, ...named } }),
    session,
  };
};

const seen = [];
for (const address of pages) {
  const page = await browser.newPage();
  await page.goto(address);
  seen.push(await page.evaluate(tried, target));
}
await browser.close();
console.log(JSON.stringify(seen));
