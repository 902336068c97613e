// @nostr-relay/core on 127.0.0.1 with the validator of the same project, over ws. The store is this file's.
//
//     node npm_relay.mjs [--port N] [--auth]
//
// It prints {"url": ...} when it listens, and runs until it is ended. With --auth it sends a challenge on connecting.

import { createRequire } from "node:module";
import { parseArgs } from "node:util";
import { WebSocketServer } from "ws";

const require = createRequire(import.meta.url);
const { EventRepository, EventType, EventUtils, LogLevel } = require("@nostr-relay/common");
const { NostrRelay } = require("@nostr-relay/core");
const { Validator } = require("@nostr-relay/validator");

const { values: options } = parseArgs({
  options: { port: { type: "string", default: "0" }, auth: { type: "boolean", default: false } },
});

class Store extends EventRepository {
  events = new Map();

  isSearchSupported() {
    return false;
  }

  upsert(event) {
    const type = EventUtils.getType(event.kind);
    const d = type === EventType.PARAMETERIZED_REPLACEABLE ? EventUtils.extractDTagValue(event) : "";
    const key = type === EventType.REGULAR ? event.id : `${event.kind}:${event.pubkey}:${d}`;
    const there = this.events.get(key);
    const older = there && (there.created_at > event.created_at
      || (there.created_at === event.created_at && there.id <= event.id));
    if (!older) this.events.set(key, event);
    return { isDuplicate: Boolean(older) };
  }

  find(filter) {
    const tags = Object.entries(filter).filter(([name]) => name.startsWith("#"));
    const found = [...this.events.values()].filter((event) => EventUtils.isMatchingFilter(event, filter)
      && tags.every(([name, values]) => event.tags.some(([tag, value]) => `#${tag}` === name && values.includes(value))));
    found.sort((a, b) => b.created_at - a.created_at || (a.id < b.id ? -1 : 1));
    return found.slice(0, filter.limit ?? 500);
  }

  async destroy() {}
}

const server = new WebSocketServer({ host: "127.0.0.1", port: Number(options.port) });
server.on("listening", () => {
  const url = `ws://127.0.0.1:${server.address().port}`;
  const relay = new NostrRelay(new Store(), {
    hostname: options.auth ? "127.0.0.1" : undefined,
    logLevel: LogLevel.ERROR,
  });
  const validator = new Validator();
  server.on("connection", (socket) => {
    relay.handleConnection(socket);
    socket.on("message", async (data) => {
      try {
        await relay.handleMessage(socket, await validator.validateIncomingMessage(data));
      } catch (error) {
        socket.send(JSON.stringify(["NOTICE", error.message]));
      }
    });
    socket.on("close", () => relay.handleDisconnect(socket));
  });
  console.log(JSON.stringify({ url }));
});
