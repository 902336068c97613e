// Calls with @contextvm/sdk over a relay. Runs under node or bun from the folder where the package is installed.
//
//     node contextvm.mjs serve RELAY plain|encrypted
//     node contextvm.mjs call RELAY SERVER plain|encrypted
//
// Asked and answered as load.py says.

import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline'
import { ApplesauceRelayPool, EncryptionMode, NostrClientTransport, NostrServerTransport, PrivateKeySigner } from '@contextvm/sdk'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const [role, relay, ...rest] = process.argv.slice(2)
const signer = new PrivateKeySigner(randomBytes(32).toString('hex'))
const options = mode => ({
  signer,
  relayHandler: new ApplesauceRelayPool([relay]),
  encryptionMode: mode === 'encrypted' ? EncryptionMode.REQUIRED : EncryptionMode.DISABLED,
  logLevel: 'silent',
})
const say = value => console.log(JSON.stringify(value))

async function serve(mode) {
  const server = new Server({ name: 'echo', version: '1' }, { capabilities: { tools: {} } })
  const inputSchema = { type: 'object', properties: { text: { type: 'string' } } }
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [{ name: 'echo', inputSchema }] }))
  server.setRequestHandler(CallToolRequestSchema, request => ({
    content: [{ type: 'text', text: request.params.arguments.text }],
  }))
  await server.connect(new NostrServerTransport({ ...options(mode), bootstrapRelayUrls: [], publishRelayList: false }))
  say({ ready: await signer.getPublicKey() })
}

async function load(client, { calls, in_flight }) {
  let number = 0
  const times = []
  const worker = async () => {
    while (number < calls) {
      const text = `number ${number++}, and as much again as people say`
      const began = performance.now()
      const result = await client.callTool({ name: 'echo', arguments: { text } })
      times.push(performance.now() - began)
      if (result.content[0].text !== text) throw new Error(`the answer is ${JSON.stringify(result)}`)
    }
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: in_flight }, worker))
  const whole = performance.now() - began
  times.sort((a, b) => a - b)
  return 1000 * (in_flight === 1 ? times[Math.floor(times.length / 2)] : whole / calls)
}

async function call(serverPubkey, mode) {
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(new NostrClientTransport({ ...options(mode), serverPubkey }))
  say({ ready: true })
  for await (const line of createInterface({ input: process.stdin })) {
    say({ microseconds: await load(client, JSON.parse(line)) })
  }
  process.exit(0)
}

await (role === 'serve' ? serve : call)(...rest)
