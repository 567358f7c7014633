"""A TCP proxy between the members of a job that harms what passes, on command.

Members reach it through redirect_connect.c. It reads ZMTP 3 (without encryption) as far as it must to tell
the lane of a connection and where frames begin; what it does to a frame is up to a Fault.
"""

import dataclasses
import socket
import struct
import threading
import time

OUT, BACK = "to the end that listens", "to the end that dialled"  # workers dial servers and lower workers
CONTROL, DATA = 0, 1  # the lane, as in a routing id
GREETING = 64
MORE, LONG, COMMAND = 1, 2, 4
READY = b"\x05READY"  # the command that ends ZMTP's handshake begins so
HEADER = 128  # bytes of a message's first frame


@dataclasses.dataclass
class Frame:
    """A frame as it came. `head` is ZMTP's: flags and length."""

    head: bytes
    body: bytes

    @property
    def is_command(self):
        return bool(self.head[0] & COMMAND)

    @property
    def is_payload(self):
        return not self.is_command and len(self.body) > HEADER

    @property
    def is_header(self):
        return not self.is_command and len(self.body) == HEADER

    def raw(self):
        return self.head + self.body


class Fault:
    """Harms what passes on data connections one way or both. Subclasses say what in on_frame()."""

    def __init__(self, *ways, after=20):
        self.ways = ways
        self.after = after  # frames of data connections that pass unharmed
        self.seen = 0
        self.harmed = 0
        self.lock = threading.Lock()

    def __call__(self, connection, way, frame):
        """The bytes to pass on; None: close the connection."""
        if connection.lane != DATA or way not in self.ways:
            return frame.raw()
        with self.lock:
            self.seen += 1
            if self.seen <= self.after:
                return frame.raw()
            return self.on_frame(connection, frame)

    def on_frame(self, connection, frame):
        raise NotImplementedError


class Once(Fault):
    """Harms the first frame that `wants` it, with `harm`: from a frame to the bytes to pass on."""

    def __init__(self, *ways, wants, harm, every=None):
        super().__init__(*ways)
        self.wants = wants
        self.harm = harm
        self.every = every  # None: once; n: each n-th
        self.wanted = 0

    def on_frame(self, connection, frame):
        if not self.wants(frame):
            return frame.raw()
        self.wanted += 1
        if self.every is None and self.harmed > 0:
            return frame.raw()
        if self.every is not None and self.wanted % self.every != 0:
            return frame.raw()
        self.harmed += 1
        return self.harm(frame)


class Mute(Fault):
    """One connection, or from then on all, passes nothing any more and stays open."""

    def __init__(self, *ways, forever=False):
        super().__init__(*ways)
        self.forever = forever
        self.muted = None

    def on_frame(self, connection, frame):
        self.muted = self.muted or connection
        if not self.forever and connection is not self.muted:
            return frame.raw()
        self.harmed += 1
        return b""


class Stall(Fault):
    """Holds everything up for `seconds` once."""

    def __init__(self, *ways, seconds):
        super().__init__(*ways)
        self.seconds = seconds

    def on_frame(self, connection, frame):
        if self.harmed == 0:
            self.harmed += 1
            time.sleep(self.seconds)  # the fault itself
        return frame.raw()


class Deaf(Fault):
    """What is said to a worker, on any lane, does not reach it until it dials again: then it comes, as TCP repeats it."""

    def __init__(self, worker):
        super().__init__(BACK)
        self.worker = worker
        self.dials_again = threading.Event()

    def __call__(self, connection, way, frame):
        if connection.dialler != self.worker:
            return frame.raw()
        is_dialling = way == OUT and connection.lane == CONTROL and frame.body.startswith(READY)
        if is_dialling and self.harmed > 0:
            self.dials_again.set()
        if way == BACK and not self.dials_again.is_set():
            with self.lock:
                self.seen += 1
                self.harmed += self.seen > self.after
            if self.harmed > 0:
                self.dials_again.wait()  # the fault itself
        return frame.raw()


class CutPair(Fault):
    """What the first process of a worker says to another worker, which does not coordinate, is lost."""

    def __init__(self, worker):
        super().__init__(OUT)
        self.worker = worker
        self.coordinator = None  # its port
        self.process = None

    def __call__(self, connection, way, frame):
        if connection.lane == CONTROL:
            self.coordinator = connection.port
        return super().__call__(connection, way, frame)

    def on_frame(self, connection, frame):
        if connection.dialler != self.worker or connection.port == self.coordinator:
            return frame.raw()
        self.process = self.process or connection.process
        if connection.process != self.process:
            return frame.raw()
        self.harmed += 1
        return b""


class BadGreeting(Fault):
    """Overwrites the first frame of the very first connection, a control lane's, in its handshake."""

    def __call__(self, connection, way, frame):
        with self.lock:
            if self.harmed > 0 or way != BACK:
                return frame.raw()
            self.harmed += 1
            return b"\xff" * len(frame.raw())


class Connection:
    """Both directions of one connection, each pumped by a thread."""

    def __init__(self, proxy, client):
        self.proxy = proxy
        self.lane = self.dialler = self.process = None  # of whoever dialled: the index, and its incarnation
        self.client = client
        _, high, low, _ = client.getsockname()[0].split(".")
        self.port = int(high) * 256 + int(low)
        self.server = socket.create_connection(("127.0.0.1", self.port))
        for end in (self.client, self.server):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=self.pump, args=(client, self.server, OUT), daemon=True).start()
        threading.Thread(target=self.pump, args=(self.server, client, BACK), daemon=True).start()

    def pump(self, source, sink, way):
        try:
            for _ in range(GREETING):  # each end waits for the other's first bytes
                sink.sendall(receive(source, 1))
            while True:
                frame = receive_frame(source)
                if self.lane is None and way == OUT:
                    self.take(frame)
                passed = self.proxy.fault(self, way, frame)
                if passed is None:
                    break
                sink.sendall(passed)
        except (OSError, EOFError):
            pass
        self.close()

    def take(self, frame):
        """The routing id, if it is in the frame: of a READY command."""
        mark = b"\x08Identity\x00\x00\x00\x18"
        at = frame.body.find(mark)
        if frame.is_command and at >= 0:
            lane, _, self.dialler, _, self.process = struct.unpack_from("<xBBxIQQ", frame.body, at + len(mark))
            self.lane = lane

    def close(self):
        for end in (self.client, self.server):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Proxy:
    """Passes everything on, harmed by `fault`, until close()."""

    def __init__(self, fault):
        self.fault = fault
        self.connections = []
        self.listener = socket.create_server(("0.0.0.0", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                self.connections.append(Connection(self, client))
            except OSError:
                client.close()

    def close(self):
        self.listener.close()
        for connection in self.connections:
            connection.close()


def receive(source, size):
    data = bytearray(size)
    rest = memoryview(data)
    while rest:
        count = source.recv_into(rest)
        if count == 0:
            raise EOFError
        rest = rest[count:]
    return bytes(data)


def receive_frame(source):
    flags = receive(source, 1)
    length = receive(source, 8 if flags[0] & LONG else 1)
    size = struct.unpack(">Q", length)[0] if flags[0] & LONG else length[0]
    return Frame(flags + length, receive(source, size))
