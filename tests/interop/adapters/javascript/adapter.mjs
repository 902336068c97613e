// nostr-tools and @contextvm/sdk as an adapter of the conformance runner: vectors/README.md, An adapter.
//
// It adds no rule that the libraries do not have. They name no error classes, so `refusals` says which class a message
// of theirs means; what is not in there gets the class that its operation refuses with most often.

import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"

import * as contextvm from "./contextvm.mjs"
import { answer as answerOfTools, operations as toolsOperations } from "./nostr_tools.mjs"

const version = name => JSON.parse(readFileSync(new URL(`./node_modules/${name}/package.json`, import.meta.url))).version

const refusals = [
  [/JSON/, "invalid_json"],
  [/encoded data|utf-?8/i, "invalid_utf8"],
  [/verifyEvent: false|schnorr.verify: false/, "invalid_signature"],
  [/checksum|bech32|letter|padding|whitespace|character code|must be lowercase or uppercase/i, "invalid_bech32"],
  [/prefix/i, "unknown_prefix"],
  [/TLV/, "malformed_tlv"],
  [/unknown (encryption )?version/, "unsupported_version"],
  [/payload (size|length)|invalid base64/, "malformed_payload"],
  [/invalid MAC/, "invalid_mac"],
  [/invalid padding/, "invalid_padding"],
  [/plaintext size/, "invalid_plaintext_length"],
  [/private|secret/i, "invalid_secret_key"],
  [/point|curve|x is not|field/i, "invalid_public_key"],
]

const usual = {
  filter_match: "malformed_filter",
  nip19_decode: "malformed_tlv",
  nip19_encode: "malformed_tlv",
  lift_x: "invalid_public_key",
  conversation_key: "invalid_public_key",
  schnorr_pubkey: "invalid_secret_key",
  decode_event: "not_a_message",
}

function refusal(op, message) {
  const named = refusals.find(([words]) => words.test(message))
  return { class: named ? named[1] : usual[op] ?? "malformed_payload", message }
}

async function run(request) {
  let found
  if (Object.hasOwn(contextvm.operations, request.op)) {
    try {
      found = { status: "ok", output: contextvm.operations[request.op](request.input) }
    } catch (problem) {
      found = { status: problem instanceof contextvm.Refusal ? "reject" : "fault", message: String(problem) }
    }
  } else {
    found = answerOfTools(request)
  }
  const { status, output, message } = found
  if (status === "ok") return { status, output }
  return status === "reject" ? { status, error: refusal(request.op, message) } : { status, message }
}

let machine

const commands = {
  hello: () => ({
    protocol: 1,
    implementation: {
      name: "nostr-tools and @contextvm/sdk",
      version: `${version("nostr-tools")} and ${version("@contextvm/sdk")}`,
      language: "javascript",
      homepage: "https://github.com/ContextVM/sdk",
    },
    ops: [...Object.keys(toolsOperations), ...Object.keys(contextvm.operations), ...Object.keys(contextvm.machines)],
    revisions: ["contextvm"],
  }),
  run,
  open: async ({ op, open }) => {
    const reason = contextvm.cannot(op, open)
    if (reason) return { status: "skip", reason }
    machine = await contextvm.machines[op](open)
    return { status: "ok" }
  },
  step: async ({ at, do: stimulus }) => {
    const reason = contextvm.cannotDo(stimulus)
    if (reason) return { status: "skip", reason }
    return { status: "ok", output: await machine.step(at, stimulus) }
  },
  close: async () => {
    await machine?.close()
    machine = undefined
    return { status: "ok" }
  },
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const request = JSON.parse(line)
  if (request.cmd === "bye") break
  let answer
  try {
    answer = await commands[request.cmd](request)
  } catch (problem) {
    answer = { status: "fault", message: String(problem) }
  }
  process.stdout.write(JSON.stringify(request.cmd === "hello" ? answer : { n: request.n, ...answer }) + "\n")
}
process.exit(0)
