"""Members that reach each other, and are watched, over IPv6 alone: at ::1.

Usage: ipv6_test.py PROGRAMS_FOLDER [TEST...]
"""

import ctypes
import json
import pathlib
import socket
import sys
import tempfile
import unittest

import pods
from pods import until


def lacks_ipv6():
    """Whether this machine has no ::1. Where it has one, what fails there is a failure."""
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return True
    return False


def write_keys(folder, names):
    """A folder for each member, as the operator mounts it."""
    zmq = ctypes.CDLL("libzmq.so.5")
    pairs = {}
    for name in names:
        public, private = ctypes.create_string_buffer(41), ctypes.create_string_buffer(41)
        zmq.zmq_curve_keypair(public, private)
        pairs[name] = public.value.decode(), private.value.decode()
    for name, (_, private) in pairs.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "private").write_text(private)
        (folder / name / "public").write_text("".join(f"{other} {pairs[other][0]}\n" for other in names))


@unittest.skipIf(lacks_ipv6(), "this machine has no IPv6: nobody can listen at ::1")
class Ipv6Test(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="sumac-ipv6-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def result(self, name, kind, **security):
        """The result of a job of two workers and two servers; its members start in an order in which
        each finds the coordinator's port."""
        folder = self.folder / name
        folder.mkdir()
        job = pods.Job(folder, kind=kind, steps=50)
        self.addCleanup(job.kill)
        keys = folder / "keys"
        if security:
            document = json.loads(job.document.read_text())
            document["spec"]["security"] = security
            job.document.write_text(json.dumps(document))
            # With V = 4 a job has keys for four workers.
            write_keys(keys, [f"server-{i}" for i in range(2)] + [f"worker-{i}" for i in range(4)])
        for pod in job.pods[::-1]:
            pod.start(SUMAC_KEYS=keys / pod.name.replace(" ", "-") if security else None)
            until(lambda pod=pod: pod.get("/healthz")[0] == 200 or pod.process.poll() is not None,
                  f"{pod.name} to answer")
        ends = {pod.name: pod.end() for pod in job.pods}
        for member, (code, word) in ends.items():
            self.assertEqual(code, 0, f"{member}: {word}")
        return json.loads(ends["server 0"][1])["parametersSha256"]

    def test_a_job_has_the_bits_that_it_has_over_ipv4(self):
        self.assertEqual(self.result("v6", pods.Ipv6Pod), self.result("v4", pods.Pod))

    def test_encrypted_too(self):
        self.assertEqual(self.result("curve", pods.Ipv6Pod, transport="curve"), self.result("v4", pods.Pod))


if __name__ == "__main__":
    pods.PROGRAMS = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
