"""Other implementations doing what we do, where they are installed. None is a dependency; an absent one is named."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import cases
from timing import Comparison, Function, Group, Progress, Time

from nostrmcp.nostr import nip59

# How many times as fast as a peer we mean to be.
TARGETS = {
    ("receive 200 B", "nostr-sdk"): 3.0,
    ("receive 2 KB", "nostr-sdk"): 3.0,
    ("receive 200 B", "nostr-tools on bun"): 10.0,
    ("receive 2 KB", "nostr-tools on bun"): 10.0,
}
RAW = {f"receive {size}": cases.built(cases.SIZES[size]).dump() for size in cases.RECEIVED}


@dataclass(frozen=True)
class Peer:
    """One implementation: what it can do by our names for it, in this process or as a program of its own."""

    name: str
    status: str = "not installed"
    functions: dict[str, Function] = field(default_factory=dict)
    command: tuple[str, ...] = ()

    def label(self, operation: str) -> str:
        return f"{self.name}: {operation}"

    def operations(self, group: Group) -> list[str]:
        mine = PROGRAM_OPERATIONS if self.command else self.functions
        return [operation for operation in group.functions if operation in mine]

    def measure_apart(self, group: Group, rounds: int, progress: Progress) -> dict[str, Time]:
        """What a program of its own measured: a tenth of the rounds, as each call takes so much longer."""
        operations = self.operations(group)
        if not self.command or not operations:
            return {}
        progress(f"{group.name}: {self.name}")
        task = {"operations": operations, "rounds": max(10, rounds // 10), **program_input()}
        finished = subprocess.run(self.command, input=json.dumps(task), capture_output=True, text=True)
        if finished.returncode != 0:
            raise SystemExit(f"{self.name} failed at {', '.join(operations)}: {finished.stderr.strip()}")
        return {self.label(operation): Time.of(times) for operation, times in json.loads(finished.stdout).items()}


def beside(group: Group, peers: list[Peer]) -> Group:
    """What both we and a peer can do of a group. Apart from our own targets: slow neighbours cool the caches."""
    functions: dict[str, Function] = {}
    comparisons: list[Comparison] = []
    for peer in peers:
        for operation in peer.operations(group):
            functions[operation] = group.functions[operation]
            if not peer.command:
                functions[peer.label(operation)] = peer.functions[operation]
            target = TARGETS.get((operation, peer.name))
            comparisons.append(Comparison(operation, peer.label(operation), target, with_peer=True))
    return Group(group.name, functions, comparisons)


def find(folder: Path) -> list[Peer]:
    return [
        in_process("nostr-sdk", "nostr_sdk", nostr_sdk),
        in_process("aionostr", "aionostr", aionostr),
        in_process("pynostr", "pynostr", pynostr),
        nostr_tools("node", folder / "node"),
        nostr_tools("bun", folder / "node"),
    ]


def in_process(name: str, module: str, functions: Callable[[], dict[str, Function]]) -> Peer:
    if importlib.util.find_spec(module) is None:
        return Peer(name)
    return Peer(name, version(name), functions())


def checked(receive: Callable[[str], object], raw: bytes) -> Function:
    """A function that receives one event; it has to accept the good one and not accept a forged one."""
    text = raw.decode()
    forged = json.dumps(cases.resigned(json.loads(raw), kind=cases.KIND + 1))
    assert receive(text)
    assert not receive(forged)
    return lambda: receive(text)


def nostr_sdk() -> dict[str, Function]:
    import nostr_sdk as sdk

    keys = sdk.Keys.parse(cases.author_secret.hex())
    ours = sdk.SecretKey.parse(cases.recipient_secret.hex())
    recipient = sdk.PublicKey.parse(cases.recipient.public_key.hex())
    content = cases.content_of(200)
    inner = cases.built(200).dump().decode()
    wrapped = cases.wrap(cases.built(200)).decode()

    def event(signer: Any, kind: int, text: str, tags: Any) -> str:
        builder = sdk.EventBuilder(sdk.Kind(kind), text).tags([sdk.Tag.parse(list(tag)) for tag in tags])
        return builder.custom_created_at(sdk.Timestamp.from_secs(cases.CREATED_AT)).finalize(signer).as_json()

    def wrap() -> str:
        ephemeral = sdk.Keys.parse(cases.ephemeral_secret.hex())
        payload = sdk.nip44_encrypt(ephemeral.secret_key(), recipient, inner, sdk.Nip44Version.V2)
        return event(ephemeral, nip59.EPHEMERAL_WRAP, payload, cases.TAGS[:1])

    def unwrap() -> bool:
        outer = sdk.Event.from_json(wrapped)
        text = sdk.nip44_decrypt(ours, outer.author(), outer.content()) if outer.verify() else ""
        return sdk.Event.from_json(text).verify()

    cases.unwrap(wrap().encode())
    assert unwrap()
    return {
        **{name: checked(lambda text: sdk.Event.from_json(text).verify(), raw) for name, raw in RAW.items()},
        "build 200 B": lambda: event(keys, cases.KIND, content, cases.TAGS),
        "wrap 200 B": wrap,
        "unwrap 200 B": unwrap,
    }


def aionostr() -> dict[str, Function]:
    from aionostr.event import Event

    tags = [list(tag) for tag in cases.TAGS]
    content = cases.content_of(200)

    def build() -> str:
        event = Event(cases.author.public_key.hex(), content, cases.CREATED_AT, cases.KIND, tags)
        event.sign(cases.author_secret.hex())
        return str(event)

    cases.receive(build().encode())
    return {
        **{name: checked(lambda text: Event(**json.loads(text)).verify(), raw) for name, raw in RAW.items()},
        "build 200 B": build,
    }


def pynostr() -> dict[str, Function]:
    from pynostr.event import Event

    tags = [list(tag) for tag in cases.TAGS]
    content = cases.content_of(200)

    def build() -> str:
        event = Event(content, cases.author.public_key.hex(), cases.CREATED_AT, cases.KIND, tags)
        event.sign(cases.author_secret.hex())
        return json.dumps(event.to_dict())

    cases.receive(build().encode())
    return {
        **{name: checked(lambda text: Event.from_dict(json.loads(text)).verify(), raw) for name, raw in RAW.items()},
        "build 200 B": build,
    }


PROGRAM_OPERATIONS = (*RAW, "build 200 B", "wrap 200 B", "unwrap 200 B")


def program_input() -> dict[str, Any]:
    """What nostr_tools.mjs needs to do the same work on the same data."""
    return {
        "raw": {name: raw.decode() for name, raw in RAW.items()},
        "author": cases.author_secret.hex(),
        "recipient": cases.recipient_secret.hex(),
        "ephemeral": cases.ephemeral_secret.hex(),
        "template": {
            "created_at": cases.CREATED_AT,
            "kind": cases.KIND,
            "tags": cases.TAGS,
            "content": cases.content_of(200),
        },
        "wrapped": cases.wrap(cases.built(200)).decode(),
    }


def nostr_tools(runtime: str, folder: Path) -> Peer:
    name = f"nostr-tools on {runtime}"
    library = folder / "node_modules" / "nostr-tools"
    program = shutil.which(runtime) or shutil.which(runtime, path=str(folder / "node_modules" / ".bin"))
    if not library.is_dir() or program is None:
        return Peer(name)
    its_version = json.loads((library / "package.json").read_text())["version"]
    runtime_version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    script = Path(__file__).with_name("nostr_tools.mjs")
    return Peer(name, f"{its_version} on {runtime} {runtime_version}", command=(program, str(script), str(library)))
