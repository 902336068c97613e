"""What is measured, against what, and the targets.

Every group holds its own baseline: the calls into libsecp256k1, orjson and hashlib that nobody can do without, made
with everything prepared beforehand. The names `bare ...` are those.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import partial
from hashlib import sha256
from typing import Any

import coincurve
import orjson
from timing import Comparison, Function, Group

from nostrmcp.mcp.jsonrpc import Request
from nostrmcp.nostr import event as events
from nostrmcp.nostr import nip44, nip59
from nostrmcp.nostr.errors import ErrorClass, Violation
from nostrmcp.nostr.event import Event, UnsignedEvent
from nostrmcp.nostr.keys import SecretKey
from nostrmcp.revisions import REVISIONS, Revision
from nostrmcp.translate import codec
from nostrmcp.translate.route import Role, Route

SIZES = {"200 B": 200, "2 KB": 2_048, "8 KB": 8_192, "32 KB": 32_768}
RECEIVED = ("200 B", "2 KB", "32 KB")
REFUSED = ("200 B", "32 KB")

KIND = 25_910
CREATED_AT = 1_750_000_000

author_secret, recipient_secret, ephemeral_secret, aux_rand, nonce = (
    sha256(name).digest() for name in (b"author", b"recipient", b"ephemeral", b"aux_rand", b"nonce")
)
author = SecretKey(author_secret)
recipient = SecretKey(recipient_secret)
TAGS = (("p", recipient.public_key.hex()), ("e", sha256(b"request").hexdigest()))


def content_of(size: int) -> str:
    """An MCP result of exactly `size` bytes: JSON text, so quotes that an event must escape."""
    item = '{"type":"text","text":"New York: 21 degrees, wind from the west at 3 m/s"},'
    head, tail = '{"jsonrpc":"2.0","id":3,"result":{"content":[', '{"type":"text","text":"%s"}]}}'
    count, rest = divmod(size - len(head) - len(tail % ""), len(item))
    return head + item * count + tail % ("x" * rest)


def built(size: int) -> Event:
    return UnsignedEvent(author.public_key.x, CREATED_AT, KIND, TAGS, content_of(size)).sign(author, aux_rand)


class Bare:
    """libsecp256k1 with nothing around it: keys are loaded and outputs allocated before the clock starts."""

    def __init__(self, ffi: Any, lib: Any) -> None:
        self.ffi = ffi
        self.lib = lib
        self.context = coincurve.GLOBAL_CONTEXT.ctx
        self.pair = ffi.new("secp256k1_keypair *")
        self.public = ffi.new("secp256k1_xonly_pubkey *")
        lib.secp256k1_keypair_create(self.context, self.pair, author_secret)
        lib.secp256k1_keypair_xonly_pub(self.context, self.public, ffi.NULL, self.pair)

        @ffi.callback("int(unsigned char *, unsigned char *, unsigned char *, void *)")  # type: ignore[untyped-decorator]
        def keep_x(output: Any, x: Any, _y: Any, _data: Any) -> int:
            ffi.memmove(output, x, 32)
            return 1

        self.keep_x = keep_x

    def signing(self, message: bytes) -> Function:
        sign, context, pair = self.lib.secp256k1_schnorrsig_sign32, self.context, self.pair
        output = self.ffi.new("unsigned char[64]")
        return lambda: sign(context, output, message, pair, aux_rand)

    def verifying(self, event: Event) -> Function:
        verify, context, public = self.lib.secp256k1_schnorrsig_verify, self.context, self.public
        signature, message = event.sig, event.id
        assert verify(context, signature, message, 32, public) == 1
        return lambda: verify(context, signature, message, 32, public)

    def receiving(self, raw: bytes) -> Function:
        """Any JSON in, id computed, signature verified; nothing about the shape is checked."""
        verify, context, public = self.lib.secp256k1_schnorrsig_verify, self.context, self.public

        def receive() -> int:
            value = orjson.loads(raw)
            serialized = orjson.dumps(
                [0, value["pubkey"], value["created_at"], value["kind"], value["tags"], value["content"]]
            )
            return verify(context, bytes.fromhex(value["sig"]), sha256(serialized).digest(), 32, public)  # type: ignore[no-any-return]

        assert receive() == 1
        return receive

    def wrapping(self) -> Function:
        """The curve's part of a wrap: an ephemeral key pair, the shared point, a signature."""
        lib, context, null, new = self.lib, self.context, self.ffi.NULL, self.ffi.new
        pair, public, point = new("secp256k1_keypair *"), new("secp256k1_xonly_pubkey *"), new("secp256k1_pubkey *")
        x, shared, signature = new("unsigned char[32]"), new("unsigned char[32]"), new("unsigned char[64]")
        compressed = b"\x02" + recipient.public_key.x
        message = bytes(32)

        def wrap() -> None:
            lib.secp256k1_keypair_create(context, pair, ephemeral_secret)
            lib.secp256k1_keypair_xonly_pub(context, public, null, pair)
            lib.secp256k1_xonly_pubkey_serialize(context, x, public)
            lib.secp256k1_ec_pubkey_parse(context, point, compressed, 33)
            lib.secp256k1_ecdh(context, shared, point, ephemeral_secret, self.keep_x, null)
            lib.secp256k1_schnorrsig_sign32(context, signature, message, pair, aux_rand)

        return wrap

    def unwrapping(self, wrapped: Event, inner: Event) -> Function:
        """The curve's part of an unwrap: the wrap's key and signature, the shared point, the inner signature."""
        lib, context, null, new = self.lib, self.context, self.ffi.NULL, self.ffi.new
        public, point, shared = new("secp256k1_xonly_pubkey *"), new("secp256k1_pubkey *"), new("unsigned char[32]")
        compressed = b"\x02" + wrapped.pubkey

        def unwrap() -> bool:
            lib.secp256k1_xonly_pubkey_parse(context, public, wrapped.pubkey)
            outer_verifies = lib.secp256k1_schnorrsig_verify(context, wrapped.sig, wrapped.id, 32, public)
            lib.secp256k1_ec_pubkey_parse(context, point, compressed, 33)
            lib.secp256k1_ecdh(context, shared, point, recipient_secret, self.keep_x, null)
            inner_verifies = lib.secp256k1_schnorrsig_verify(context, inner.sig, inner.id, 32, self.public)
            return bool(outer_verifies and inner_verifies)

        assert unwrap()
        return unwrap


def receive(raw: bytes) -> None:
    events.parse(raw).verify()


def wrap_event(inner: Event) -> Event:
    """A signed event to its wrap, with the key pair that is made for it."""
    return nip59.wrap(
        inner,
        recipient.public_key,
        kind=nip59.EPHEMERAL_WRAP,
        created_at=CREATED_AT,
        ephemeral_key=SecretKey(ephemeral_secret),
        nonce=nonce,
        aux_rand=aux_rand,
    )


def wrap(inner: Event) -> bytes:
    """A signed event to the bytes of its wrap."""
    return wrap_event(inner).dump()


def unwrap(raw: bytes) -> Event:
    """The bytes of a wrap to the verified event inside."""
    return nip59.unwrap(events.parse(raw), recipient)


def sign_group(bare: Bare) -> Group:
    message = sha256(b"message").digest()
    return Group(
        "sign",
        {"sign": lambda: author.sign(message, aux_rand), "bare sign": bare.signing(message)},
        [Comparison("sign", "bare sign", target=1.15)],
    )


def verify_group(bare: Bare) -> Group:
    event = built(200)
    return Group(
        "verify",
        {"verify": lambda: author.public_key.verify(event.id, event.sig), "bare verify": bare.verifying(event)},
        [Comparison("verify", "bare verify", target=1.05)],
    )


def receive_group(bare: Bare, size: str) -> Group:
    raw = built(SIZES[size]).dump()
    subject, baseline = f"receive {size}", f"bare receive {size}"
    return Group(
        "receive",
        {subject: lambda: receive(raw), baseline: bare.receiving(raw)},
        [Comparison(subject, baseline, target=1.10)],
    )


def build_group(bare: Bare) -> Group:
    content = content_of(200)

    def build() -> bytes:
        return UnsignedEvent(author.public_key.x, CREATED_AT, KIND, TAGS, content).sign(author, aux_rand).dump()

    return Group(
        "build",
        {"build 200 B": build, "bare sign": bare.signing(bytes(32))},
        [Comparison("build 200 B", "bare sign", target=1.25)],
    )


def wrap_group(bare: Bare) -> Group:
    inner = built(200)
    return Group(
        "wrap",
        {
            "wrap 200 B": lambda: wrap(inner),
            "wrap 200 B, not dumped": lambda: wrap_event(inner),
            "bare wrap curve": bare.wrapping(),
        },
        [
            Comparison("wrap 200 B", "bare wrap curve", target=1.30),
            Comparison("wrap 200 B, not dumped", "bare wrap curve"),
        ],
    )


def unwrap_group(bare: Bare) -> Group:
    inner = {size: built(count) for size, count in SIZES.items()}
    raw = {size: wrap(event) for size, event in inner.items()}
    functions: dict[str, Function] = {f"unwrap {size}": partial(unwrap, text) for size, text in raw.items()}
    parsed = events.parse(raw["200 B"])
    functions["unwrap 200 B, parsed before"] = lambda: nip59.unwrap(parsed, recipient)
    functions["bare unwrap curve"] = bare.unwrapping(parsed, inner["200 B"])
    return Group(
        "unwrap",
        functions,
        [
            Comparison("unwrap 200 B", "bare unwrap curve", target=1.30),
            Comparison("unwrap 200 B, parsed before", "bare unwrap curve"),
            Comparison("unwrap 2 KB", "unwrap 200 B"),
            Comparison("unwrap 8 KB", "unwrap 200 B"),
            Comparison("unwrap 32 KB", "unwrap 200 B", target=300 / 95),
        ],
    )


def refused(entry: Callable[[bytes], Any], raw: bytes, error_class: ErrorClass) -> Function:
    """A function that gives `raw` to `entry` and takes the refusal, which must be of the class meant."""

    def refuse() -> None:
        try:
            entry(raw)
        except Violation as violation:
            assert violation.error_class is error_class, violation
        else:
            raise AssertionError(f"accepted: {error_class.meaning}")

    refuse()
    return refuse


def off_the_curve() -> bytes:
    """32 bytes that are no public key, as about half of all are not."""
    for number in range(1, 100):
        candidate = sha256(number.to_bytes(1, "big")).digest()
        try:
            coincurve.PublicKeyXOnly(candidate)
        except ValueError:
            return candidate
    raise AssertionError("one in 2^99")


def resigned(value: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The event with changes, and the id that they give it."""
    changed = value | changes
    names = ("pubkey", "created_at", "kind", "tags", "content")
    changed["id"] = sha256(orjson.dumps([0, *(changed[name] for name in names)])).hexdigest()
    return changed


def invalid_events(size: str) -> Iterable[tuple[str, bytes, ErrorClass]]:
    """Events of one size, each wrong in one way, with the class of its error."""
    event = built(SIZES[size])
    raw, value = event.dump(), event.to_value()
    spaced = json.dumps(value, ensure_ascii=False).encode()

    def changed(**changes: Any) -> bytes:
        return orjson.dumps(value | changes)

    without_sig = {name: item for name, item in value.items() if name != "sig"}
    elsewhere = resigned(value, pubkey=off_the_curve().hex())
    repeated = b',"kind":%d}' % KIND
    yield "wrong id", changed(id="00" * 32), ErrorClass.ID_MISMATCH
    yield "wrong signature", orjson.dumps(resigned(value, kind=KIND + 1)), ErrorClass.INVALID_SIGNATURE
    yield "key not on the curve", orjson.dumps(elsewhere), ErrorClass.INVALID_PUBLIC_KEY
    yield "upper-case id", changed(id=value["id"].upper()), ErrorClass.MALFORMED_ID
    yield "upper-case sig", changed(sig=value["sig"].upper()), ErrorClass.MALFORMED_SIG
    yield "no sig", orjson.dumps(without_sig), ErrorClass.MISSING_FIELD
    yield "bad kind", changed(kind=65_536), ErrorClass.MALFORMED_KIND
    yield "repeated key", raw[:-1] + repeated, ErrorClass.DUPLICATE_KEY
    yield "repeated key, spaced", spaced[:-1] + repeated, ErrorClass.DUPLICATE_KEY
    escaped = raw.replace(b'\\":', b'\\"\\u003a', 1)
    yield "repeated key, escaped colon", escaped[:-1] + repeated, ErrorClass.DUPLICATE_KEY
    unknown = raw[:-1] + b',"a":"\\u003a"' + repeated
    yield "repeated key, escaped colon in an unknown field", unknown, ErrorClass.DUPLICATE_KEY
    yield "cut short", raw[:-1], ErrorClass.INVALID_JSON
    yield "trailing data", raw + b"}", ErrorClass.INVALID_JSON
    yield "lone surrogate", raw.replace(b'","sig":', b'\\ud800","sig":'), ErrorClass.LONE_SURROGATE
    yield "not UTF-8", raw.replace(b'","sig":', b'\xff","sig":'), ErrorClass.INVALID_UTF8
    yield "nested too deep", raw[:-1] + b',"a":' + b"[" * 200 + b"]" * 200 + b"}", ErrorClass.TOO_DEEP


def refuse_group(size: str) -> Group:
    accepted = f"accept {size}"
    raw = built(SIZES[size]).dump()
    functions: dict[str, Function] = {accepted: lambda: receive(raw)}
    for name, invalid, error_class in invalid_events(size):
        functions[f"refuse {size}: {name}"] = refused(receive, invalid, error_class)
    targets = [Comparison(name, accepted, target=1.10) for name in functions if name != accepted]
    return Group("refuse", functions, targets)


def refuse_wrap_group() -> Group:
    """A stranger's wraps: what it costs to find out that one is not for us, or holds nothing."""
    inner = built(200)
    good = wrap(inner)
    accepted = "accept wrap 200 B"
    ephemeral = SecretKey(ephemeral_secret)

    def wrapped(content: str) -> bytes:
        unsigned = UnsignedEvent(ephemeral.public_key.x, CREATED_AT, nip59.EPHEMERAL_WRAP, TAGS[:1], content)
        return unsigned.sign(ephemeral, aux_rand).dump()

    def encrypted(plaintext: bytes) -> str:
        return nip44.encrypt(plaintext, nip44.get_conversation_key(ephemeral, recipient.public_key), nonce)

    payload = events.parse(good).content
    invalid = {
        "not for us": (wrapped(payload[:-8] + "AAAAAAA="), ErrorClass.INVALID_MAC),
        "not base64": (wrapped(payload[:-8] + "AAAA!AA="), ErrorClass.MALFORMED_PAYLOAD),
        "wrong inner signature": (
            wrapped(encrypted(orjson.dumps(resigned(inner.to_value(), kind=KIND + 1)))),
            ErrorClass.INVALID_SIGNATURE,
        ),
        "inner JSON cut short": (wrapped(encrypted(inner.dump()[:-1])), ErrorClass.INVALID_JSON),
    }
    functions: dict[str, Function] = {accepted: lambda: unwrap(good)}
    for name, (raw, error_class) in invalid.items():
        functions[f"refuse wrap 200 B: {name}"] = refused(unwrap, raw, error_class)
    targets = [Comparison(name, accepted, target=1.10) for name in functions if name != accepted]
    return Group("refuse", functions, targets)


def codec_group(revision: Revision) -> Group:
    """A tools/call request to its event and back; the limit is what one verification costs."""
    route = Route(author.public_key.x, recipient.public_key.x, Role.CLIENT, "server-1")
    call = Request(3, "tools/call", {"name": "get_weather", "arguments": {"location": "New York"}})
    event = codec.encode(call, route, revision, CREATED_AT).sign(author, aux_rand)
    verify = f"verify, {revision.name}"
    functions: dict[str, Function] = {
        f"codec encode, {revision.name}": partial(codec.encode, call, route, revision, CREATED_AT),
        f"codec decode, {revision.name}": partial(codec.decode, event, revision, Role.CLIENT),
        verify: partial(author.public_key.verify, event.id, event.sig),
    }
    subjects = [name for name in functions if name != verify]
    return Group("codec", functions, [Comparison(name, verify, target=1.0) for name in subjects])


def groups(ffi: Any, lib: Any) -> list[Group]:
    bare = Bare(ffi, lib)
    return [
        sign_group(bare),
        verify_group(bare),
        *(receive_group(bare, size) for size in RECEIVED),
        build_group(bare),
        wrap_group(bare),
        unwrap_group(bare),
        *(refuse_group(size) for size in REFUSED),
        refuse_wrap_group(),
        *map(codec_group, REVISIONS.values()),
    ]


IMPORTS = {
    "import nostrmcp.nostr": "import nostrmcp.nostr",
    "orjson, coincurve, cryptography's ciphers": ("import orjson, coincurve, cryptography.hazmat.primitives.ciphers"),
    "orjson, coincurve, cryptography": "import orjson, coincurve, cryptography",
}
IMPORT_COMPARISONS = [
    Comparison("import nostrmcp.nostr", "orjson, coincurve, cryptography's ciphers", target=1.3),
    Comparison("import nostrmcp.nostr", "orjson, coincurve, cryptography"),
]
