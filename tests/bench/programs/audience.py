"""So many subscribers of a relay, and one who publishes: how long a delivery takes.

    python audience.py RELAY SUBSCRIBERS raw|relay

{"calls"} on stdin is how many events to publish, {"microseconds"} on stdout the whole time divided by the number of
deliveries. What is raw is passed on as it is. Subscribers count bytes and look at nothing, so that the relay is what is
measured.
"""

from __future__ import annotations

import json
import os
import selectors
import socket
import sys
import threading
import time
from urllib.parse import urlsplit

from nostrmcp.nostr import Filter, SecretKey, UnsignedEvent, relay_frames

KIND = 25910
NAME = "fan-out"
PATIENCE = 60.0
HANDSHAKE = (
    "GET / HTTP/1.1\r\nHost: {0}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


def framed(text: bytes, mask: bytes = b"") -> bytes:
    """A text frame of 126 to 65,535 bytes."""
    return b"\x81" + bytes([126 | (0x80 if mask else 0)]) + len(text).to_bytes(2, "big") + mask + text


def joined(url: str) -> socket.socket:
    place = urlsplit(url)
    one = socket.create_connection((place.hostname, place.port), PATIENCE)
    one.sendall(HANDSHAKE.format(place.netloc).encode())
    read_until(one, b"\r\n\r\n")
    return one


def read_until(one: socket.socket, end: bytes) -> None:
    got = b""
    while not got.endswith(end):
        more = one.recv(4096)
        assert more, "the relay has hung up"
        got += more


class Audience:
    def __init__(self, url: str, count: int) -> None:
        self._url = url
        self._count = count
        self._author = SecretKey(os.urandom(32))
        self._number = 0
        # A mask of zeros leaves a message as it is. Padding with spaces makes it long enough for one form of frame.
        request = relay_frames.Req(NAME, (Filter(kinds=frozenset({KIND})),)).dump().ljust(126)
        self._selector = selectors.DefaultSelector()
        for _ in range(count):
            one = joined(url)
            one.sendall(framed(request, bytes(4)))
            read_until(one, b'["EOSE","%b"]' % NAME.encode())
            one.setblocking(False)
            self._selector.register(one, selectors.EVENT_READ, True)
        self._publisher = joined(url)
        self._selector.register(self._publisher, selectors.EVENT_READ, False)

    def events(self, count: int) -> list[bytes]:
        """Signed frames of one length, a kilobyte of content each."""
        frames = []
        for _ in range(count):
            self._number += 1
            unsigned = UnsignedEvent(self._author.public_key.x, int(time.time()), KIND, (), f"{self._number:01000}")
            frames.append(framed(relay_frames.Publish(unsigned.sign(self._author, bytes(32))).dump(), bytes(4)))
        return frames

    def load(self, calls: int, passes_raw: bool) -> float:
        frames = self.events(calls)
        name = b"" if passes_raw else b'"%b",' % NAME.encode()
        expected = self._count * sum(len(frame) - 4 + len(name) for frame in frames)
        began = time.perf_counter()
        threading.Thread(target=self._publisher.sendall, args=(b"".join(frames),)).start()
        while expected:
            ready = self._selector.select(PATIENCE)
            assert ready, f"{expected} bytes never came"
            for key, _ in ready:
                data = key.fileobj.recv(1 << 18)  # type: ignore[union-attr]
                assert data, "the relay has hung up"
                expected -= len(data) if key.data else 0
        return 1e6 * (time.perf_counter() - began) / (calls * self._count)


def main(url: str, count: str, how: str) -> None:
    audience = Audience(url, int(count))
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        microseconds = audience.load(json.loads(line)["calls"], how == "raw")
        print(json.dumps({"microseconds": microseconds}), flush=True)


main(*sys.argv[1:])
