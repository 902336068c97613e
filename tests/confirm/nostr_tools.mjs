// The vectors' operations, answered by nostr-tools and by the noble and scure libraries it stands on.
//
// JSON lines: {seq, op, input} comes in, {seq, status: ok|reject|skip|fault, output?, message?} goes out. An
// operation answers with what the library does, also where that is wrong. A rule that the library does not have is not
// added here.
//
// Node looks for packages from the folder a module lies in, so confirm.py puts a copy of this file beside
// node_modules and runs that. The adapter for the conformance runner in tests/interop/adapters uses `operations` and
// `answer` from here.

import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

import { schnorr, secp256k1 } from "@noble/curves/secp256k1.js"
import { expand } from "@noble/hashes/hkdf.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { matchFilters } from "nostr-tools/filter"
import { classifyKind } from "nostr-tools/kinds"
import * as nip19 from "nostr-tools/nip19"
import { makeAuthEvent } from "nostr-tools/nip42"
import { v2 as nip44 } from "nostr-tools/nip44"
import { createRumor, unwrapEvent } from "nostr-tools/nip59"
import { finalizeEvent, getEventHash, getPublicKey, serializeEvent, sortEvents, verifyEvent } from "nostr-tools/pure"
// The package does not list this module among its exports.
import { isEventExpired } from "./node_modules/nostr-tools/lib/esm/nip40.js"

class Refusal extends Error {}

const Scalar = secp256k1.Point.Fn

export const operations = {
  json_parse: ({ raw, raw_hex }) => {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
    const text = raw ?? refusing(() => decoder.decode(hexToBytes(raw_hex)))
    return { canonical: JSON.stringify(JSON.parse(text)) }
  },

  serialize_event: ({ event }) => ({ serialized: serializeEvent(event) }),
  event_id: ({ event }) => ({ id: getEventHash(event) }),
  sign_event: ({ event, seckey, aux_rand }) => ({ event: signed(event, hexToBytes(seckey), hexToBytes(aux_rand)) }),
  verify_event: ({ event }) => ({ id: verified(event).id }),
  parse_event: ({ raw }) => ({ event: plain(verified(JSON.parse(raw))) }),

  filter_match: ({ filters, event }) => ({ matches: matchFilters(filters, verified(event)) }),
  kind_class: ({ kind }) => {
    const name = classifyKind(kind)
    return { class: { parameterized: "addressable", unknown: "undefined" }[name] ?? name }
  },
  sort_events: ({ events }) => ({ ids: sortEvents(events.map(verified)).map(event => event.id) }),

  tagged_hash: ({ tag, message }) => ({ hash: bytesToHex(schnorr.utils.taggedHash(tag, hexToBytes(message))) }),
  lift_x: ({ x }) => ({ y: schnorr.utils.lift_x(BigInt("0x" + x)).toHex(false).slice(66) }),
  schnorr_pubkey: ({ seckey }) => ({ pubkey: getPublicKey(hexToBytes(seckey)) }),
  // noble does not show the nonce by itself; the first half of a signature is its x coordinate.
  schnorr_nonce: given => ({ r: operations.schnorr_sign(given).signature.slice(0, 64) }),
  schnorr_challenge: ({ r, pubkey, message }) => {
    const hash = schnorr.utils.taggedHash("BIP0340/challenge", ...[r, pubkey, message].map(hexToBytes))
    return { challenge: bytesToHex(Scalar.toBytes(Scalar.create(BigInt("0x" + bytesToHex(hash))))) }
  },
  schnorr_sign: ({ seckey, message, aux_rand }) => ({
    signature: bytesToHex(schnorr.sign(hexToBytes(message), hexToBytes(seckey), hexToBytes(aux_rand))),
  }),
  schnorr_verify: ({ pubkey, message, signature }) => {
    if (!schnorr.verify(hexToBytes(signature), hexToBytes(message), hexToBytes(pubkey)))
      throw new Refusal("schnorr.verify: false")
    return { valid: true }
  },

  is_expired: ({ event, now }) => ({ expired: at(now, () => isEventExpired(verified(event))) }),
  build_auth: ({ pubkey, created_at, relay, challenge }) => ({
    event: { pubkey, ...at(created_at, () => makeAuthEvent(relay, challenge)) },
  }),

  nip19_decode: ({ text }) => {
    const { type, data } = refusing(() => nip19.decode(text))
    return { entity: { type, ...entityFields[type](data) } }
  },
  nip19_encode: ({ entity }) => ({ text: encoders[entity.type](entity) }),

  conversation_key: ({ seckey, pubkey }) => ({
    conversation_key: bytesToHex(nip44.utils.getConversationKey(hexToBytes(seckey), pubkey)),
  }),
  // nostr-tools keeps its message keys to itself; noble's HKDF is what it makes them with.
  message_keys: ({ conversation_key, nonce }) => {
    const keys = bytesToHex(expand(sha256, hexToBytes(conversation_key), hexToBytes(nonce), 76))
    return { chacha_key: keys.slice(0, 64), chacha_nonce: keys.slice(64, 88), hmac_key: keys.slice(88) }
  },
  padded_length: ({ length }) => ({ padded_length: nip44.utils.calcPaddedLen(length) }),
  encrypt: ({ plaintext, conversation_key, nonce }) => ({
    payload: nip44.encrypt(plaintext, hexToBytes(conversation_key), hexToBytes(nonce)),
  }),
  encrypt_long: ({ pattern, repeat, conversation_key, nonce }) => {
    const plaintext = pattern.repeat(repeat)
    const { payload } = operations.encrypt({ plaintext, conversation_key, nonce })
    return { plaintext_sha256: textHash(plaintext), payload_sha256: textHash(payload) }
  },
  decrypt: ({ payload, conversation_key }) => ({ plaintext: nip44.decrypt(payload, hexToBytes(conversation_key)) }),
  decrypt_long: given => {
    const { plaintext } = operations.decrypt(given)
    return { length: utf8ToBytes(plaintext).length, plaintext_sha256: textHash(plaintext) }
  },

  // nostr-tools seals and wraps with a random key, nonce and time; this takes its steps with those that are given.
  wrap: given => ({ event: wrapped(verified(given.event), given) }),
  gift_wrap: given => {
    const author = hexToBytes(given.author_seckey)
    const seal = {
      kind: 13,
      content: encryptFor(given.recipient, createRumor(given.rumor, author), author, given.seal_nonce),
      created_at: given.seal_created_at,
      tags: [],
    }
    return { event: wrapped(signed(seal, author, hexToBytes(given.aux_rand)), given) }
  },
  // There is no one-layer form in nostr-tools: these are the steps that one with nostr-tools has to take.
  unwrap: ({ event, seckey }) => {
    const { content, pubkey } = verified(event)
    const key = nip44.utils.getConversationKey(hexToBytes(seckey), pubkey)
    return { event: plain(verified(JSON.parse(nip44.decrypt(content, key)))) }
  },
  gift_unwrap: ({ event, seckey }) => {
    // Its relay has verified what comes to unwrapEvent, which does not, and which knows the stored kind only.
    const stored = verified(event).kind === 21059 ? { ...event, kind: 1059 } : event
    const rumor = unwrapEvent(stored, hexToBytes(seckey))
    const { sig: _, ...fields } = plain({ ...rumor, id: rumor.id ?? getEventHash(rumor) })
    return { rumor: fields }
  },
}

const entityFields = {
  npub: pubkey => ({ pubkey }),
  nsec: seckey => ({ seckey: bytesToHex(seckey) }),
  note: id => ({ id }),
  nprofile: profile => profile,
  nevent: event => ({ ...event, author: event.author ?? null, kind: event.kind ?? null }),
  naddr: address => address,
}

const encoders = {
  npub: ({ pubkey }) => nip19.npubEncode(pubkey),
  nsec: ({ seckey }) => nip19.nsecEncode(hexToBytes(seckey)),
  note: ({ id }) => nip19.noteEncode(id),
  nprofile: nip19.nprofileEncode,
  nevent: event => nip19.neventEncode({ ...event, author: event.author ?? undefined, kind: event.kind ?? undefined }),
  naddr: nip19.naddrEncode,
}

function verified(event) {
  if (!verifyEvent(event)) throw new Refusal("verifyEvent: false")
  return event
}

// The vectors show an event with the fields of NIP-01 only.
function plain({ id, pubkey, created_at, kind, tags, content, sig }) {
  return { id, pubkey, created_at, kind, tags, content, sig }
}

// finalizeEvent with its signature made again, as it takes no auxiliary randomness.
function signed({ kind, created_at, tags, content }, secretKey, auxRand) {
  const event = finalizeEvent({ kind, created_at, tags, content }, secretKey)
  return plain({ ...event, sig: bytesToHex(schnorr.sign(hexToBytes(event.id), secretKey, auxRand)) })
}

function encryptFor(recipient, value, secretKey, nonce) {
  return nip44.encrypt(JSON.stringify(value), nip44.utils.getConversationKey(secretKey, recipient), hexToBytes(nonce))
}

function wrapped(event, { recipient, kind, created_at, ephemeral_seckey, nonce, aux_rand }) {
  const ephemeral = hexToBytes(ephemeral_seckey)
  const content = encryptFor(recipient, event, ephemeral, nonce)
  return signed({ kind, content, created_at, tags: [["p", recipient]] }, ephemeral, hexToBytes(aux_rand))
}

// TextDecoder and scure refuse with a TypeError; elsewhere one means that the code stumbled.
function refusing(action) {
  try {
    return action()
  } catch (problem) {
    throw new Refusal(problem.message)
  }
}

function textHash(text) {
  return bytesToHex(sha256(utf8ToBytes(text)))
}

// Runs `read` with the clock standing in the middle of a second, as nostr-tools takes no time as an argument. It counts
// in milliseconds, where a vector's second is a whole one: its first instant would not speak for the rest of it.
function at(second, read) {
  const clock = Date.now
  Date.now = () => second * 1000 + 500
  try {
    return read()
  } finally {
    Date.now = clock
  }
}

export function answer({ op, input }) {
  if (!Object.hasOwn(operations, op)) return { status: "skip", message: "nostr-tools has no such operation" }
  try {
    return { status: "ok", output: operations[op](input) }
  } catch (problem) {
    const stumbled = problem instanceof TypeError || problem instanceof RangeError
    return { status: stumbled ? "fault" : "reject", message: String(problem) }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    const request = JSON.parse(line)
    process.stdout.write(JSON.stringify({ seq: request.seq, ...answer(request) }) + "\n")
  }
}
