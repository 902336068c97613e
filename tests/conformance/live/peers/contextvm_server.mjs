// A server made with @contextvm/sdk and the official TypeScript SDK, told by its environment what to do (spec/live.md).
// Its argument is the SDK's encryption mode: optional, required or disabled.

import { readFileSync } from "node:fs";
import { ApplesauceRelayPool } from "@contextvm/sdk/relay";
import { PrivateKeySigner } from "@contextvm/sdk/signer";
import { NostrServerTransport } from "@contextvm/sdk/transport";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";

const { NOSTRMCP_RELAY: relay, NOSTRMCP_SECRET_FILE: secret } = process.env;
const text = (value) => ({ content: [{ type: "text", text: value }] });
const server = new McpServer({ name: "contextvm", version: "1" });

server.registerTool("echo", { description: "echo", inputSchema: { text: z.string() } }, async ({ text: said }) => text(said));
server.registerTool("fail", { description: "fail", inputSchema: {} }, async () => ({ ...text("no"), isError: true }));
server.registerTool("slow", { description: "slow", inputSchema: {} }, async (_, extra) => {
  const progressToken = extra._meta?.progressToken;
  if (progressToken !== undefined) {
    await extra.sendNotification({ method: "notifications/progress", params: { progressToken, progress: 1 } });
  }
  await new Promise((resolve) => {
    const timer = setTimeout(resolve, 500);
    extra.signal.addEventListener("abort", () => { clearTimeout(timer); resolve(); });
  });
  return text("at last");
});
server.registerResource("today", "note://today", { mimeType: "text/plain" }, async (uri) => ({
  contents: [{ uri: uri.href, mimeType: "text/plain", text: "today" }],
}));
server.registerPrompt("greet", { argsSchema: { name: z.string() } }, ({ name }) => ({
  messages: [{ role: "user", content: { type: "text", text: `Greet ${name}.` } }],
}));

await server.connect(new NostrServerTransport({
  signer: new PrivateKeySigner(readFileSync(secret, "utf8").trim()),
  // Without these it dials public relays.
  relayHandler: new ApplesauceRelayPool([relay]),
  relayListUrls: [relay],
  bootstrapRelayUrls: [],
  isAnnouncedServer: true,
  encryptionMode: process.argv[2] ?? "optional",
  serverInfo: { name: "contextvm" },
}));
