// An MCP server on Nostr, made with @contextvm/sdk and the official TypeScript SDK.
//
//     SECRET=HEX node contextvm_server.mjs --relay URL [--encryption disabled|optional|required]
//                                          [--wrap persistent|ephemeral|optional] [--announce]
//
// It prints {"pubkey": ...} when it listens, then one JSON object for each tool call: {"tool", "did"} with began, ended
// or cancelled. Tools: echo(text), add(a, b), fail(), slow() (reports progress and goes on until it is cancelled),
// count(to) (reports every step), log(text). A resource note://today, a prompt greet(name).

import { parseArgs } from "node:util";
import { EncryptionMode, GiftWrapMode } from "@contextvm/sdk/core";
import { ApplesauceRelayPool } from "@contextvm/sdk/relay";
import { PrivateKeySigner } from "@contextvm/sdk/signer";
import { NostrServerTransport } from "@contextvm/sdk/transport";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";

const { values: options } = parseArgs({
  options: {
    relay: { type: "string" },
    encryption: { type: "string", default: EncryptionMode.OPTIONAL },
    wrap: { type: "string", default: GiftWrapMode.OPTIONAL },
    announce: { type: "boolean", default: false },
  },
});

const tell = (value) => process.stdout.write(JSON.stringify(value) + "\n");
const text = (value) => ({ content: [{ type: "text", text: value }] });
const server = new McpServer({ name: "foreign", version: "1.2.3" }, { capabilities: { logging: {} } });

function tool(name, inputSchema, does) {
  server.registerTool(name, { description: `does ${name}`, inputSchema }, async (given, extra) => {
    tell({ tool: name, did: "began" });
    const result = await does(given, extra);
    tell({ tool: name, did: extra.signal.aborted ? "cancelled" : "ended" });
    return result;
  });
}

const progress = async (extra, at, total) => {
  const progressToken = extra._meta?.progressToken;
  if (progressToken === undefined) return;
  await extra.sendNotification({
    method: "notifications/progress",
    params: { progressToken, progress: at, total },
  });
};

tool("echo", { text: z.string() }, async ({ text: said }) => text(said));
tool("add", { a: z.number(), b: z.number() }, async ({ a, b }) => text(String(a + b)));
tool("fail", {}, async () => ({ ...text("it failed, as asked for"), isError: true }));
tool("slow", {}, async (_, extra) => {
  await progress(extra, 1, 2);
  await new Promise((resolve) => extra.signal.addEventListener("abort", resolve));
  return text("stopped");
});
tool("count", { to: z.number() }, async ({ to }, extra) => {
  for (let at = 1; at <= to; at += 1) await progress(extra, at, to);
  return text(String(to));
});
tool("log", { text: z.string() }, async ({ text: said }) => {
  await server.server.sendLoggingMessage({ level: "info", data: { said } });
  return { content: [] };
});
server.registerResource("today", "note://today", { mimeType: "text/plain" }, async (uri) => ({
  contents: [{ uri: uri.href, mimeType: "text/plain", text: "nothing — ünïcode" }],
}));
server.registerPrompt("greet", { argsSchema: { name: z.string() } }, ({ name }) => ({
  messages: [{ role: "user", content: { type: "text", text: `Greet ${name}.` } }],
}));

const signer = new PrivateKeySigner(process.env.SECRET);
await server.connect(new NostrServerTransport({
  signer,
  relayHandler: new ApplesauceRelayPool([options.relay]),
  encryptionMode: options.encryption,
  giftWrapMode: options.wrap,
  isAnnouncedServer: options.announce,
  relayListUrls: [options.relay],
  // Without this it dials public relays.
  bootstrapRelayUrls: [],
  serverInfo: { name: "foreign", about: "a server to test with", website: "https://example.com" },
  logLevel: "silent",
}));
tell({ pubkey: await signer.getPublicKey() });
