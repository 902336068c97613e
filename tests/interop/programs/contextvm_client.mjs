// An MCP client on Nostr, made with @contextvm/sdk and the official TypeScript SDK.
//
//     SECRET=HEX node contextvm_client.mjs --relay URL --server HEX STEPS.json
//                                          [--encryption disabled|optional|required] [--wrap persistent|ephemeral|optional]
//
// STEPS.json is a list of objects, done in order; one JSON object a line tells each one's outcome: {"result"} or
// {"error": {code, message, data}}, and {"progress"} where there was any. The first line tells what was agreed on at the
// beginning, with the tags that came with it. Steps:
//
//     {"do": METHOD, "params": ...}    a method of MCP, by its name on the wire
//     {"do": "cancel", "params": ...}  a tool is called, and cancelled when it reports progress
//     {"do": "wait", "method", "count"} the parameters of so many notifications

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { EncryptionMode, GiftWrapMode } from "@contextvm/sdk/core";
import { ApplesauceRelayPool } from "@contextvm/sdk/relay";
import { PrivateKeySigner } from "@contextvm/sdk/signer";
import { NostrClientTransport } from "@contextvm/sdk/transport";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { ResultSchema } from "@modelcontextprotocol/sdk/types.js";

const { values: options, positionals: [steps] } = parseArgs({
  allowPositionals: true,
  options: {
    relay: { type: "string" },
    server: { type: "string" },
    encryption: { type: "string", default: EncryptionMode.OPTIONAL },
    wrap: { type: "string", default: GiftWrapMode.OPTIONAL },
  },
});

const tell = (value) => process.stdout.write(JSON.stringify(value) + "\n");
const client = new Client({ name: "foreign", version: "1.2.3" });
const heard = [];
let more = () => {};
client.fallbackNotificationHandler = async (notification) => {
  heard.push(notification);
  more();
};

const transport = new NostrClientTransport({
  signer: new PrivateKeySigner(process.env.SECRET),
  serverPubkey: options.server,
  relayHandler: new ApplesauceRelayPool([options.relay]),
  encryptionMode: options.encryption,
  giftWrapMode: options.wrap,
  // Without this it asks public relays where the server is.
  discoveryRelayUrls: [],
  logLevel: "silent",
});

async function request(method, params) {
  const progress = [];
  const onprogress = method === "tools/call" ? (step) => progress.push(step) : undefined;
  const result = await client.request({ method, params }, ResultSchema, { onprogress, timeout: 30_000 });
  return progress.length ? { result, progress } : { result };
}

async function cancel(params) {
  const stop = new AbortController();
  const given = { onprogress: () => stop.abort("enough"), signal: stop.signal, timeout: 30_000 };
  try {
    await client.request({ method: "tools/call", params }, ResultSchema, given);
    return { result: "answered" };
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    return { result: "cancelled" };
  }
}

async function wait(method, count) {
  for (;;) {
    const found = heard.filter((one) => one.method === method).map((one) => one.params);
    if (found.length >= count) return { result: found };
    await new Promise((resolve) => { more = resolve; });
  }
}

await client.connect(transport);
tell({
  server: client.getServerVersion(),
  capabilities: client.getServerCapabilities(),
  instructions: client.getInstructions() ?? null,
  tags: transport.getServerInitializeEvent()?.tags ?? null,
  encryption: transport.serverSupportsEncryption(),
  ephemeral: transport.serverSupportsEphemeralEncryption(),
});
for (const step of JSON.parse(readFileSync(steps, "utf8"))) {
  try {
    if (step.do === "cancel") tell(await cancel(step.params));
    else if (step.do === "wait") tell(await wait(step.method, step.count));
    else tell(await request(step.do, step.params));
  } catch (error) {
    tell({ error: { code: error.code, message: error.message, data: error.data } });
  }
}
await client.close();
process.exit(0);
