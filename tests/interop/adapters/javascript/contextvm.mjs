// What @contextvm/sdk does: messages to events and back, and its transports under scripts.
//
// The transports run whole, over a relay handler that is this file's: what they publish is written down, what a script
// sends is handed to their subscription. Their clock and timers are Node's mocks, so that time is the script's.

import { mock } from "node:test"

import {
  CTXVM_MESSAGES_KIND,
  getNostrEventTag,
  mcpToNostrEvent,
  NostrClientTransport,
  NostrServerTransport,
  PrivateKeySigner,
} from "@contextvm/sdk"
import { verifyEvent } from "nostr-tools/pure"

export class Refusal extends Error {}

// The parts of a transport that make tags and read content; they are the same in both.
const parts = new NostrServerTransport({ ...common("01".repeat(32)), relayHandler: new Relay("server") })

export const operations = {
  encode_message: ({ message, sender, recipient, request, created_at }) => {
    const refers = request !== null && request !== undefined
    const tags = refers ? parts.createResponseTags(recipient, request.event_id) : parts.createRecipientTags(recipient)
    // An answer goes out under the id that the client gave.
    const body = refers && request.id !== undefined && "id" in message ? { ...message, id: request.id } : message
    return { event: { ...mcpToNostrEvent(body, sender.pubkey, CTXVM_MESSAGES_KIND, tags), created_at } }
  },
  decode_event: ({ event }) => {
    if (!verifyEvent(event)) throw new Refusal("verifyEvent: false")
    const message = parts.convertNostrEventToMcpMessage(event)
    if (message === null) throw new Refusal("convertNostrEventToMcpMessage: null")
    const answers = getNostrEventTag(event.tags, "e") ?? null
    return { message, sender: event.pubkey, server_id: null, request_event_id: answers }
  },
}

function common(key) {
  return { signer: new PrivateKeySigner(key), oversizedTransfer: { enabled: false }, logLevel: "silent" }
}

// A function and not a class, so that it is there when `parts` is made.
function Relay(role) {
  this.published = []
  this.callbacks = new Set()
  this.connect = async () => {}
  this.disconnect = async () => {}
  this.publish = async event => void this.published.push(event)
  this.subscribe = async (_filters, onEvent) => {
    this.callbacks.add(onEvent)
    return () => this.callbacks.delete(onEvent)
  }
  this.unsubscribe = () => this.callbacks.clear()
  // A server sends announcements to addresses by connections of its own, so it gets none. A client that gets none looks
  // for relays on the network; nothing ever connects to this one.
  this.getRelayUrls = () => (role === "client" ? ["ws://127.0.0.1:9"] : [])
  this.deliver = event => this.callbacks.forEach(callback => callback(event))
}

// Until nothing is left to do: all work of the transports is in promises, as their timers stand still.
async function settle() {
  for (let turn = 0; turn < 40; turn++) await new Promise(resolve => setImmediate(resolve))
}

class Machine {
  constructor(open) {
    this.open = open
    this.at = 0
    this.delivered = []
  }

  async begin() {
    mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"], now: this.open.now * 1000 })
    await this.restart()
    return this
  }

  async restart() {
    this.relay = new Relay(this.role)
    this.transport = this.make(this.relay)
    this.transport.onerror = () => {}
    // It ends when the server has announced itself, which takes answers of the MCP server.
    this.transport.start().catch(() => {})
    await settle()
  }

  async step(at, stimulus) {
    mock.timers.tick((at - this.at) * 1000)
    this.at = at
    if (stimulus.restart) await this.restart()
    else if (stimulus.event) this.relay.deliver(stimulus.event)
    else if (stimulus.message) await this.say(stimulus).catch(() => {})
    else if (stimulus.stop) await this.stop()
    await settle()
    const output = { published: this.relay.published.splice(0), delivered: this.delivered.splice(0) }
    return JSON.parse(JSON.stringify(output))
  }

  async close() {
    await this.transport.close().catch(() => {})
    mock.timers.reset()
  }
}

class ServerMachine extends Machine {
  role = "server"

  make(relay) {
    const { key, encryption, allow, servers: [server] } = this.open
    const transport = new NostrServerTransport({
      ...common(key),
      relayHandler: relay,
      encryptionMode: encryption,
      allowedPublicKeys: allow ?? undefined,
      isAnnouncedServer: server.announced,
      publishRelayList: false,
      bootstrapRelayUrls: [],
    })
    // Each message comes without its client first, and then with it, unless the transport itself asks.
    let heard
    transport.onmessage = message => (heard = this.hear(message))
    transport.onmessageWithContext = (_message, { clientPubkey }) => {
      if (heard && !server.shared) heard.client = clientPubkey
    }
    return transport
  }

  // The SDK leaves the handshake to the MCP server; a shared one has done its part already and answers the same.
  hear(message) {
    const { id: server, shared, initialize_result: result } = this.open.servers[0]
    if (shared && message.method === "notifications/initialized") return undefined
    if (shared && message.method === "initialize") {
      this.transport.send({ jsonrpc: "2.0", id: message.id, result: structuredClone(result) }).catch(() => {})
      return undefined
    }
    const delivery = { server, client: null, message: structuredClone(message) }
    this.delivered.push(delivery)
    return delivery
  }

  async say({ message, client }) {
    if (client !== null && "method" in message && !("id" in message))
      await this.transport.sendNotification(client, message)
    else await this.transport.send(message)
  }

  async stop() {
    await this.transport.deleteAnnouncement().catch(() => {})
    await this.transport.close()
  }
}

class ClientMachine extends Machine {
  role = "client"

  make(relay) {
    const { key, encryption, ephemeral_wraps, server, handshake } = this.open
    const transport = new NostrClientTransport({
      ...common(key),
      serverPubkey: server.pubkey,
      relayHandler: relay,
      discoveryRelayUrls: [],
      encryptionMode: encryption,
      giftWrapMode: ephemeral_wraps ? "optional" : "persistent",
      isStateless: !handshake,
    })
    transport.onmessage = message => this.delivered.push({ message: structuredClone(message) })
    return transport
  }

  async say({ message }) {
    await this.transport.send(message)
  }
}

export const machines = {
  session_server: open => new ServerMachine(open).begin(),
  session_client: open => new ClientMachine(open).begin(),
}

// Why a script cannot be run at all.
export function cannot(op, open) {
  if (op === "session_server" && open.prices.length) return "the adapter does not drive the SDK's payment middleware"
  if (op === "session_client" && open.payments.pay) return "the adapter does not drive the SDK's payment middleware"
  if (op === "session_server" && open.done) return "the SDK keeps no state file"
  return ""
}

// Why a script cannot go on.
export function cannotDo(stimulus) {
  const payment = ["paid", "unpaid", "payment_sent", "payment_failed"].find(one => one in stimulus)
  if (payment) return "the adapter does not drive the SDK's payment middleware"
  return "servers" in stimulus ? "the SDK has no such question" : ""
}
