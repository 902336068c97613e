// Events, NIP-44 payloads and one-layer wraps, made and read by nostr-tools.
//
// JSON lines: {op, ...} comes in, an object goes out; {error} where the library refuses.
//   sign     {secret, template}          -> {event}
//   verify   {event}                     -> {valid}
//   encrypt  {secret, pubkey, text}      -> {payload}
//   decrypt  {secret, pubkey, payload}   -> {text}
//   wrap     {secret, pubkey, kind, template} -> {event}   the signed event, encrypted by a fresh key
//   unwrap   {secret, event}             -> {event}

import { createInterface } from "node:readline";
import { v2 as nip44 } from "nostr-tools/nip44";
import { finalizeEvent, generateSecretKey, getPublicKey, verifyEvent } from "nostr-tools/pure";

const bytes = (hex) => Uint8Array.from(Buffer.from(hex, "hex"));
const conversation = (secret, pubkey) => nip44.utils.getConversationKey(secret, pubkey);

const operations = {
  sign: ({ secret, template }) => ({ event: finalizeEvent(template, bytes(secret)) }),
  verify: ({ event }) => ({ valid: verifyEvent(event) }),
  encrypt: ({ secret, pubkey, text }) => ({ payload: nip44.encrypt(text, conversation(bytes(secret), pubkey)) }),
  decrypt: ({ secret, pubkey, payload }) => ({ text: nip44.decrypt(payload, conversation(bytes(secret), pubkey)) }),
  wrap: ({ secret, pubkey, kind, template }) => {
    const fresh = generateSecretKey();
    const inner = JSON.stringify(finalizeEvent(template, bytes(secret)));
    const content = nip44.encrypt(inner, conversation(fresh, pubkey));
    return { event: finalizeEvent({ kind, created_at: template.created_at, tags: [["p", pubkey]], content }, fresh) };
  },
  unwrap: ({ secret, event }) => {
    if (!verifyEvent(event)) throw new Error("the outer signature is wrong");
    const inner = JSON.parse(nip44.decrypt(event.content, conversation(bytes(secret), event.pubkey)));
    if (!verifyEvent(inner)) throw new Error("the inner signature is wrong");
    return { event: inner };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { op, ...input } = JSON.parse(line);
  let answer;
  try {
    answer = operations[op](input);
  } catch (error) {
    answer = { error: error.message };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
