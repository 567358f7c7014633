"""Connections of whoever means ill to a member: enough of ZMTP 3.1 and of docs/protocol.md to be wrong in
every way. A connection is a socket that has said all it has to say, and stays open."""

import dataclasses
import hashlib
import random
import socket
import struct

HELLO, PUSH, JOIN = 4, 5, 1
CONTROL, DATA = 0, 1
WORKER = 1
SLOT_OF_NOBODY = 7  # no job of these tests has so many workers
GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x01NULL" + bytes(16) + b"\x00" + bytes(31)


def crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


TABLE = crc_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def job_hash(name, attempt, token):
    text = f"{name}\0{attempt}" + (f"\0{token}" if token else "")
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


@dataclasses.dataclass
class Message:
    """A header and its payload, right in all that is not said otherwise."""

    job: int
    type: int = JOIN
    index: int = SLOT_OF_NOBODY
    role: int = WORKER
    incarnation: int = dataclasses.field(default_factory=lambda: random.getrandbits(64) | 1)
    sequence: int = 0
    connection: int = 0
    generation: int = 1
    payload: bytes = b""
    magic: bytes = b"SUMC"
    version: int = 1

    def header(self):
        values = self.type == PUSH
        front = struct.pack(
            "<4sBBBBQIIQQQIIqIIQIB3xIIIIQIQ", self.magic, self.version, 0, 16, self.type, self.job,
            self.generation, self.role << 24 | self.index, self.incarnation, self.sequence, 0, 0,
            self.connection, 1, 0, 0, 0, len(self.payload) // 4 if values else 0, values,
            len(self.payload), crc32c(self.payload), 0, 1, 0, 1, 0)
        return front + struct.pack("<I", crc32c(front))

    def frames(self):
        return [self.header()] + ([self.payload] if self.payload else [])

    def identity(self, lane):
        return struct.pack("<sBBBIQQ", b"S", lane, self.role, 0, self.index, self.job, self.incarnation)


def frame(body, flags=0):
    if len(body) > 255:
        return struct.pack(">BQ", flags | 2, len(body)) + body
    return struct.pack("BB", flags, len(body)) + body


def ready(identity):
    def entry(name, value):
        return struct.pack("B", len(name)) + name + struct.pack(">I", len(value)) + value

    return frame(b"\x05READY" + entry(b"Socket-Type", b"DEALER") + entry(b"Identity", identity), flags=4)


def talk(identity, *messages):
    """What a ZeroMQ socket of that identity says that has these messages, each a list of frames: first
    and once it was answered."""
    bodies = b"".join(frame(body, flags=i + 1 < len(frames))
                      for frames in messages for i, body in enumerate(frames))
    return GREETING + ready(identity), bodies


def connect(address, first, then=b""):
    """The open connection. `then` is said after the member's own READY: ZeroMQ closes a connection on which
    messages come with the handshake."""
    made = socket.create_connection(address, timeout=10)
    made.sendall(first)
    answer = b""
    while then and b"READY" not in answer:
        piece = made.recv(4096)
        if not piece:
            raise EOFError("the member closed the connection in the handshake")
        answer += piece
    if then:
        made.sendall(then)
    return made
