// nostr-tools at the work that bench.py measures. Reads a task as JSON from stdin, writes {operation: [microseconds]}.
// node nostr_tools.mjs FOLDER_OF_NOSTR_TOOLS < task.json

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const require = createRequire(pathToFileURL(join(process.argv[2], 'package.json')))
const { finalizeEvent, getPublicKey, verifyEvent } = require('nostr-tools/pure')
const nip44 = require('nostr-tools/nip44')

const BATCH = 20
const task = JSON.parse(readFileSync(0, 'utf8'))
const bytes = hex => Uint8Array.from(Buffer.from(hex, 'hex'))
const author = bytes(task.author)
const recipient = bytes(task.recipient)
const ephemeral = bytes(task.ephemeral)
const recipientPublic = getPublicKey(recipient)
const inner = task.raw['receive 200 B']

const verified = text => {
  const event = JSON.parse(text)
  if (!verifyEvent(event)) throw new Error('a valid event was refused')
  return event
}

const functions = {
  'build 200 B': () => JSON.stringify(finalizeEvent({ ...task.template }, author)),
  'wrap 200 B': () => {
    const content = nip44.encrypt(inner, nip44.getConversationKey(ephemeral, recipientPublic))
    const template = { created_at: task.template.created_at, kind: 21059, tags: [['p', recipientPublic]], content }
    return JSON.stringify(finalizeEvent(template, ephemeral))
  },
  'unwrap 200 B': () => {
    const outer = verified(task.wrapped)
    return verified(nip44.decrypt(outer.content, nip44.getConversationKey(recipient, outer.pubkey)))
  },
}
for (const [name, text] of Object.entries(task.raw)) functions[name] = () => verified(text)

const times = Object.fromEntries(task.operations.map(name => [name, []]))
const run = name => {
  const work = functions[name]
  const start = performance.now()
  for (let call = 0; call < BATCH; call++) work()
  return ((performance.now() - start) * 1000) / BATCH
}
// The compilers of both engines need some hundred calls to settle.
for (const name of task.operations) for (let batch = 0; batch < 10; batch++) run(name)
for (let round = 0; round < task.rounds; round++) for (const name of task.operations) times[name].push(run(name))

console.log(JSON.stringify(times))
