"""Packets between the members of a job are dropped in namespaces of the network: it ends with the weights of one process.

Worker 1 is in a namespace of its own, all others in that of this test, which starts itself in one. Needs root.

Usage: cut_test.py PROGRAMS_FOLDER [TEST...]
"""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import members_test
import pods
from pods import until

IN_CI = "CI" in os.environ
OWN_NETWORK = "SUMAC_TEST_OWN_NETWORK"
ADDRESSES = {("server", 0): "10.0.0.10", ("server", 1): "10.0.0.11", ("worker", 0): "10.0.0.20", ("worker", 1): "10.0.0.21"}


def ip(*words):
    subprocess.run(["ip", *words], check=True)


class PlacedPod(pods.Pod):
    """Ports are free where all addresses are ours."""

    data, status = 7000, 7001

    def place(self):
        self.ip = ADDRESSES[self.role, self.index]


class CutTest(members_test.MemberTest):
    kind = PlacedPod

    @classmethod
    def setUpClass(cls):
        ip("link", "set", "lo", "up")
        cls.far = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        cls.addClassCleanup(cls.far.wait)
        cls.addClassCleanup(cls.far.kill)
        here, there = os.readlink("/proc/self/ns/net"), f"/proc/{cls.far.pid}/ns/net"
        until(lambda: os.readlink(there) != here, "another namespace")
        ip("link", "add", "near", "type", "veth", "peer", "name", "far", "netns", str(cls.far.pid))
        for pod, address in ADDRESSES.items():
            if pod != ("worker", 1):
                ip("address", "add", f"{address}/24", "dev", "near")
        ip("link", "set", "near", "up")
        cls.there("ip", "link", "set", "lo", "up")
        cls.there("ip", "address", "add", f"{ADDRESSES['worker', 1]}/24", "dev", "far")
        cls.there("ip", "link", "set", "far", "up")

    @classmethod
    def enter(cls):
        return ("nsenter", f"--net=/proc/{cls.far.pid}/ns/net")

    @classmethod
    def there(cls, *command):
        subprocess.run([*cls.enter(), *command], check=True)

    def drop(self, rule):
        """What worker 1 sends, until `pass_on`."""
        self.there("nft", "add table inet cut; add chain inet cut sent { type filter hook output priority 0; }; "
                          f"add rule inet cut sent {rule} drop")
        self.addCleanup(self.pass_on)

    def pass_on(self):
        self.there("nft", "flush", "ruleset")

    def train(self, servers, **strategy):
        job = self.make(servers, **strategy)
        job.workers[1].prefix = self.enter()
        for pod in job.pods:
            self.start(pod, SUMAC_ORPHAN_SECONDS=5)
        job.await_step(1)
        return job

    def sizes(self, job):
        return [one["workers"] for one in self.rosters(job)]

    def ends_as_lost(self, pod):
        code, word = pod.end()
        self.assertEqual(code, 75, word)
        return word

    def test_packets_of_which_many_are_lost_cost_time_alone(self):
        job = self.train(servers=2)
        self.drop("numgen random mod 100 < 10")
        job.await_step(job.coordinator.progress()["step"] + 20)
        self.pass_on()
        self.assertEqual(len(self.rosters(job)), 1)
        self.ends_as_one_process(job)

    def test_a_worker_whose_packets_are_all_lost_is_lost_alone_and_replaced(self):
        job = self.train(servers=0)
        self.drop("ip daddr 10.0.0.0/24")
        until(lambda: self.sizes(job) == [2, 1], "the others to go on")
        cut, job.workers[1] = job.workers[1], PlacedPod(job, "worker", 1)
        self.addCleanup(cut.process.kill)
        job.workers[1].ip = ADDRESSES["worker", 0]
        job.workers[1].data, job.workers[1].status = 7002, 7003
        self.start(job.workers[1])
        until(lambda: self.sizes(job) == [2, 1, 2], "another worker 1 to join")
        self.pass_on()
        self.ends_as_lost(cut)
        self.ends_as_one_process(job)

    def test_a_worker_that_one_server_does_not_hear_is_lost_alone(self):
        job = self.train(servers=2)
        self.drop(f"ip daddr {ADDRESSES['server', 1]}")
        until(lambda: self.sizes(job) == [2, 1], "the others to go on")
        self.assertIn("others cannot reach it", self.ends_as_lost(job.workers[1]))
        self.pass_on()
        self.ends_as_one_process(job)


def may_run():
    return os.geteuid() == 0 and all(shutil.which(tool) for tool in ("ip", "nft", "unshare", "nsenter"))


if __name__ == "__main__":
    if not may_run() and not IN_CI:
        print("skipped: namespaces of the network need root, iproute2, nftables and util-linux")
        sys.exit(77)
    if OWN_NETWORK not in os.environ:
        os.execvpe("unshare", ["unshare", "--net", sys.executable, *sys.argv], os.environ | {OWN_NETWORK: "true"})
    pods.PROGRAMS = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
