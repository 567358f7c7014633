"""A thousand connections of strangers to a running job change nothing, and what they say is counted.

Usage: hostile_test.py PROGRAMS_FOLDER [TEST...]
"""

import hashlib
import itertools
import pathlib
import random
import resource
import signal
import sys
import tempfile
import unittest

import pods
from hostile import CONTROL, DATA, HELLO, JOIN, PUSH, SLOT_OF_NOBODY, Message, connect, job_hash, talk
from pods import until

TOKEN = "the token of the job"  # of pods.py
NAME = "pods"  # of job.json
CONNECTIONS = 1000


def flipped(frames, at):
    """With one bit of the first frame in transit changed."""
    header = bytearray(frames[0])
    header[at] ^= 1
    return [bytes(header), *frames[1:]]


class HostileTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="sumac-hostile-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        random.seed(12)

    def job(self, name, **training):
        folder = self.folder / name
        folder.mkdir()
        job = pods.Job(folder, **training)
        self.addCleanup(job.kill)
        return job

    def kinds(self):
        """(reason, what a connection sends that is refused once for it). Without a reason nothing comes
        so far that it is counted."""
        own, guessed = job_hash(NAME, 0, TOKEN), job_hash(NAME, 0, "")
        earlier = job_hash(NAME, -1, TOKEN)

        def one(reason, frames, message=None):
            return reason, talk((message or Message(own)).identity(CONTROL), frames)

        hello, join, old = Message(guessed, HELLO), Message(guessed, JOIN, index=1), Message(earlier, HELLO)
        push = Message(own, PUSH, payload=bytes(8))
        yield None, (b"",)
        # Other first bytes are ZMTP 1, in which any bytes can be messages.
        yield None, (b"\xff" + random.randbytes(200),)
        yield None, (b"GET / HTTP/1.1\r\nHost: sumac\r\n\r\n",)
        yield None, talk(Message(own).identity(DATA))
        yield "job", talk(hello.identity(DATA), hello.frames())
        yield one("job", join.frames(), join)
        yield "job", talk(old.identity(DATA), old.frames())
        yield one("sender", Message(own).frames())  # a routing id of another incarnation
        yield one("magic", Message(own, magic=b"GET ").frames())
        yield one("version", Message(own, version=2).frames())
        yield one("type", Message(own, type=99).frames())
        yield one("field", Message(own, role=2).frames())
        yield one("header length", [b"short"])
        yield one("header checksum", flipped(push.frames(), at=60))
        yield one("payload length", [push.header(), bytes(4)])
        yield one("payload checksum", [push.header(), bytes(7) + b"x"])
        yield one("frame count", [push.header(), bytes(8), bytes(8)])

    def attack(self, address, count):
        """Holds `count` connections open until the test ends; returns how often each reason is due."""
        due = {}
        # Each with routing ids of its own: of two with the same, ZeroMQ drops the first.
        endless = (kind for _ in itertools.count() for kind in self.kinds())
        for reason, said in itertools.islice(endless, count):
            self.addCleanup(connect(address, *said).close)
            if reason:
                due[reason] = due.get(reason, 0) + 1
        return due

    def insiders(self, address, count):
        """Who knows the token and is no member pushes, again and again, in three generations."""
        for number in range(count):
            who = Message(job_hash(NAME, 0, TOKEN), HELLO, index=SLOT_OF_NOBODY + number, connection=1)
            pushes = [Message(who.job, PUSH, index=who.index, incarnation=who.incarnation, connection=1,
                              sequence=sequence, generation=generation, payload=bytes(8)).frames()
                      for sequence, generation in ((1, 0), (2, 1), (3, 99), (3, 99), (2, 1))]
            self.addCleanup(connect(address, *talk(who.identity(DATA), who.frames(), *pushes)).close)

    def weights(self, job):
        """(step, digest) of the newest checkpoint."""
        newest = max((job.folder / "checkpoints").glob("step-*"), key=lambda path: int(path.name.split("-")[1]))
        return int(newest.name.split("-")[1]), hashlib.sha256((newest / "model.safetensors").read_bytes()).hexdigest()

    def counted(self, server, name, reason):
        label = reason.replace(" ", "_")
        return server.metric(f'sumac_server_{name}_total{{reason="{label}"}}') or 0

    def test_a_thousand_connections_change_no_bit_and_are_counted(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 4 * CONNECTIONS)), hard))
        job = self.job("attacked")
        server = job.coordinator.start()
        until(lambda: server.get("/healthz")[0] == 200, "server 0 to answer")
        address = (server.host, server.data)
        before = self.attack(address, CONNECTIONS // 2)  # before anyone has joined
        for pod in (*job.workers, job.servers[1]):
            pod.start()
        job.await_step(1)
        insiders = CONNECTIONS // 10
        self.insiders(address, insiders)
        during = self.attack(address, CONNECTIONS - CONNECTIONS // 2 - insiders)
        for reason, count in during.items():
            expected = before[reason] + count
            until(lambda: self.counted(server, "rejected_messages", reason) >= expected, f"{expected} times {reason}")
            self.assertEqual(self.counted(server, "rejected_messages", reason), expected, reason)
        job.await_step(job.coordinator.progress()["step"] + 1)
        # A lane opens to nobody that no roster has named.
        self.assertEqual(self.counted(server, "rejected_pushes", "member"), 0)
        job.workers[1].process.send_signal(signal.SIGTERM)
        for pod in job.pods:
            self.assertEqual(pod.end(), (143, "worker 1 was asked to stop"), pod.name)

        step, bits = self.weights(job)
        quiet = self.job("quiet", steps=step).start()
        for pod in quiet.pods:
            self.assertEqual(pod.end()[0], 0, pod.name)
        self.assertEqual(self.weights(quiet), (step, bits))


if __name__ == "__main__":
    pods.PROGRAMS = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
