// A client made with @contextvm/sdk and the official TypeScript SDK, told by its environment what to do (spec/live.md).
// Its argument is the SDK's encryption mode: optional, required or disabled.

import { readFileSync } from "node:fs";
import { ApplesauceRelayPool } from "@contextvm/sdk/relay";
import { PrivateKeySigner } from "@contextvm/sdk/signer";
import { NostrClientTransport } from "@contextvm/sdk/transport";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";

const environment = process.env;
const client = new Client({ name: "contextvm", version: "1" });
const call = (name, options) => client.callTool({ name, arguments: {} }, undefined, options);
const text = (result) => result.content[0].text;

const scenarios = {
  handshake: async () => undefined,
  call: async () => {
    try {
      return { text: text(await call("question")) };
    } catch (error) {
      return { error: error.code };
    }
  },
  two: async () => ({ texts: (await Promise.all([call("question"), call("question")])).map(text) }),
  list: async () => {
    const names = [];
    let cursor;
    do {
      const page = await client.listTools(cursor === undefined ? {} : { cursor });
      names.push(...page.tools.map((tool) => tool.name));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return { names };
  },
  cancel: async () => {
    const stop = new AbortController();
    await call("slow", { signal: stop.signal, onprogress: () => stop.abort() }).catch(() => {});
    return { cancelled: true };
  },
};

const scenario = scenarios[environment.NOSTRMCP_SCENARIO];
if (scenario === undefined) process.exit(77);
await client.connect(new NostrClientTransport({
  signer: new PrivateKeySigner(readFileSync(environment.NOSTRMCP_SECRET_FILE, "utf8").trim()),
  serverPubkey: environment.NOSTRMCP_SERVER_PUBKEY,
  // Without these it asks public relays.
  relayHandler: new ApplesauceRelayPool([environment.NOSTRMCP_RELAY]),
  discoveryRelayUrls: [],
  encryptionMode: process.argv[2] ?? "optional",
}));
const report = await scenario();
if (report !== undefined) await client.callTool({ name: "report", arguments: report });
process.exit(0);
