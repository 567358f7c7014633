"""What befalls members while a job trains on (docs/failure-model.md): it ends with the weights of one process.

Usage: events_test.py PROGRAMS_FOLDER [TEST...]
"""

import pathlib
import signal
import sys
import unittest

import members_test
import pods
from pods import until


class EventsTest(members_test.MemberTest):
    def start_two(self):
        """A job of a server and two workers that trains."""
        job = self.make(servers=1)
        for pod in job.pods:
            self.start(pod)
        job.await_step(1)
        return job

    def has_joined(self, job, members):
        """Whether so many, the coordinator included, have joined."""
        return job.coordinator.metric("sumac_server_members") == members

    def has_lost(self, job, pod):
        return f'"event":"lost","member":"{pod.name}"' in job.coordinator.log.read_text()

    def test_a_member_that_is_killed_during_a_change_is_not_awaited(self):
        job = self.start_two()
        second = job.workers[1]
        second.process.send_signal(signal.SIGSTOP)  # it does not halt, so the change stays open
        self.add_worker(job, 2)
        until(lambda: self.has_joined(job, 4) or self.has_lost(job, second), "worker 2 to join")
        is_in_change = not self.has_lost(job, second)
        self.replace(second)
        self.await_workers(job, 3)
        if is_in_change:
            self.assertRegex(self.rosters(job)[1]["cause"], r"worker 2 joined.*lost worker 1")
        self.ends_as_one_process(job)

    def test_a_process_that_was_lost_and_wakes_up_ends_and_another_one_of_its_slot_joins(self):
        job = self.start_two()
        second = job.workers[1]
        second.process.send_signal(signal.SIGSTOP)
        self.await_workers(job, 1)
        second.process.send_signal(signal.SIGCONT)
        code, word = second.end()
        self.assertEqual(code, 75, word)
        self.start(second)
        self.await_workers(job, 2)
        self.ends_as_one_process(job)

    def test_the_only_one_with_the_state_leaves_once_another_has_it(self):
        job = self.start_two()
        first, second = job.workers
        second.process.terminate()
        self.assertEqual(second.end()[0], 143)
        self.await_workers(job, 1)
        self.start(second)
        until(lambda: self.has_joined(job, 3), "worker 1 to join")
        second.process.send_signal(signal.SIGSTOP)  # within the 100 ms that others have to come along
        self.await_workers(job, 2)
        first.process.terminate()
        until(lambda: "asked to stop" in first.log.read_text(), "worker 0 to leave")
        second.process.send_signal(signal.SIGCONT)
        code, word = first.end()
        self.assertEqual(code, 143, word)
        self.await_workers(job, 1)
        self.assertEqual([one["workers"] for one in self.rosters(job)], [2, 1, 2, 1])
        self.ends_as_one_process(job)


if __name__ == "__main__":
    pods.PROGRAMS = pathlib.Path(sys.argv.pop(1))
    unittest.main(verbosity=2)
