"""Whole jobs whose data connections are harmed: they end with the bits of a job that was not, or in an end that names
both members. How soon is tested with a time of the tests' own, in tests/unit/exchange/link/lane_suspicion_test.cc.

Usage: faults_test.py PROGRAMS_FOLDER LIBRARY [TEST...]

LIBRARY sends connections to the proxy (redirect_connect.c).
"""

import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "run"))

import jobs  # noqa: E402
from proxy import BACK, OUT, BadGreeting, CutPair, Deaf, Mute, Once, Proxy, Stall  # noqa: E402

LIBRARY = pathlib.Path()
SERVERS = ()
DECENTRALIZED = ("--set", "strategy.topology=decentralized")
DIRECT = ("--set", "strategy.exchange=allReduce", "--set", "strategy.algorithm=direct")
NAMES_BOTH = {
    SERVERS: r"lost the connection between worker [01] and server 0",
    DECENTRALIZED: r"lost the connection between worker 1 and worker 0",
}


def flip(frame):
    body = bytearray(frame.body)
    body[len(body) // 2] ^= 0x10
    return frame.head + bytes(body)


def overwrite(frame):
    """64 bytes, ZMTP's flags and length among them: the receiver cannot decode what follows."""
    return b"\xff" * 64 + frame.raw()[64:]


def drop(_frame):
    return b""


def cut(_frame):
    return None


def is_header(frame):
    return frame.is_header


def is_payload(frame):
    return frame.is_payload


class Cut(Once):
    def __init__(self, *ways):
        super().__init__(*ways, wants=is_payload, harm=cut)


class FaultsTest(jobs.JobTest):
    @classmethod
    def setUpClass(cls):
        cls.whole = tempfile.TemporaryDirectory(prefix="sumac-faults-")
        folder = pathlib.Path(cls.whole.name) / "run"
        jobs.run(folder)
        cls.bits = jobs.digest(folder)

    @classmethod
    def tearDownClass(cls):
        cls.whole.cleanup()

    def start(self, fault, *arguments):
        proxy = Proxy(fault)
        self.addCleanup(proxy.close)
        variables = {"LD_PRELOAD": str(LIBRARY), "SUMAC_TEST_PROXY": str(proxy.port)}
        os.environ.update(variables)
        try:
            return jobs.sumac(self.folder / "run", *arguments)
        finally:
            for name in variables:
                del os.environ[name]

    def changes_no_bit(self, fault, strategy=SERVERS):
        output = jobs.finish(self.start(fault, *strategy))
        self.assertGreater(fault.harmed, 0, "the fault did not happen")
        self.assertEqual(jobs.digest(self.folder / "run"), self.bits)
        return output

    def ends_and_names_both(self, fault, strategy=SERVERS):
        process = self.start(fault, *jobs.ENDLESS, *strategy, "--restarts", 0)
        output = jobs.finish(process, allowed=(75,))
        self.assertGreater(fault.harmed, 0, "the fault did not happen")
        self.assertRegex(output, NAMES_BOTH[strategy])

    def test_without_a_fault_the_proxy_changes_nothing(self):
        fault = Once(OUT, wants=lambda frame: False, harm=drop)
        jobs.finish(self.start(fault))
        self.assertGreater(fault.seen, 60)
        self.assertEqual(jobs.digest(self.folder / "run"), self.bits)

    def test_a_flipped_byte_of_a_push(self):
        self.changes_no_bit(Once(OUT, wants=is_payload, harm=flip))

    def test_a_flipped_byte_of_a_sum(self):
        self.changes_no_bit(Once(BACK, wants=is_payload, harm=flip))

    def test_flipped_bytes_of_pushes_and_sums_between_two_workers(self):
        fault = Once(OUT, BACK, wants=is_payload, harm=flip, every=30)
        self.changes_no_bit(fault, DECENTRALIZED)
        self.assertGreater(fault.harmed, 3)

    def test_a_flipped_byte_of_a_header_each_way(self):
        self.changes_no_bit(Once(OUT, BACK, wants=is_header, harm=flip, every=40))

    def test_64_bytes_overwritten_with_the_framing_to_the_server(self):
        self.changes_no_bit(Once(OUT, wants=is_payload, harm=overwrite))

    def test_64_bytes_overwritten_with_the_framing_to_the_worker_that_dialled(self):
        self.changes_no_bit(Once(BACK, wants=is_payload, harm=overwrite), DECENTRALIZED)

    def test_bytes_that_cannot_be_decoded_in_the_first_handshake(self):
        self.changes_no_bit(BadGreeting())

    def test_a_frame_that_vanishes(self):
        self.changes_no_bit(Once(OUT, BACK, wants=is_payload, harm=drop, every=50))

    def test_a_connection_that_is_cut(self):
        self.changes_no_bit(Cut(OUT, BACK))

    def test_a_connection_between_two_workers_that_send_directly_is_cut(self):
        self.changes_no_bit(Cut(OUT, BACK), DIRECT)

    def test_a_connection_that_goes_mute_to_the_server(self):
        self.changes_no_bit(Mute(OUT))

    def test_a_connection_that_goes_mute_to_the_worker(self):
        self.changes_no_bit(Mute(BACK))

    def test_a_connection_between_workers_that_goes_mute_both_ways(self):
        self.changes_no_bit(Mute(OUT, BACK), (*DECENTRALIZED, "--workers", 3))

    def test_a_connection_that_stalls_for_two_seconds(self):
        self.changes_no_bit(Stall(BACK, seconds=2))

    def test_a_worker_that_does_not_hear_the_coordinator_until_it_dials_it_again_joins_again(self):
        output = self.changes_no_bit(Deaf(worker=1))
        self.assertNotIn("starting it again", output)
        self.assertIn("worker 1 came back", output)

    def test_of_two_workers_with_a_connection_cut_one_way_one_is_replaced_and_the_others_go_on(self):
        fault = CutPair(worker=2)
        process = self.start(fault, *DECENTRALIZED, "--workers", 3, *jobs.ENDLESS)
        output = jobs.read_until(process, r"worker 2 ended with exit code 75 \(.*\); starting it again \(1 of 3")
        output += jobs.read_until(process, r"worker 2 joined")
        output += self.ends_as_one_worker(process, self.folder / "run")
        self.assertEqual(output.count("starting it again"), 1, output)
        self.assertGreater(fault.harmed, 0, "the fault did not happen")

    def test_data_connections_that_are_mute_for_good(self):
        self.ends_and_names_both(Mute(OUT, BACK, forever=True))

    def test_data_connections_between_workers_that_are_mute_for_good_one_way(self):
        self.ends_and_names_both(Mute(OUT, forever=True), DECENTRALIZED)

    def test_connections_that_are_cut_at_each_payload(self):
        self.ends_and_names_both(Once(OUT, BACK, wants=is_payload, harm=cut, every=1), DECENTRALIZED)

    def test_every_payload_flipped(self):
        self.ends_and_names_both(Once(OUT, wants=is_payload, harm=flip, every=1))


if __name__ == "__main__":
    LIBRARY = pathlib.Path(sys.argv.pop(2)).resolve()
    jobs.main()
