"""Members of `sumac run` are killed and started again, or come and go as `sumac scale` asks; the run ends with the
weights of one process.

Usage: restarts_test.py PROGRAMS_FOLDER [TEST...]
"""

import json
import os
import re
import signal
import subprocess

import jobs
from jobs import DECENTRALIZED, ENDLESS, children, finish, has_checkpoint, has_progress, read_until, sumac, until


def kill(process, member, number=signal.SIGKILL):
    os.kill(until(lambda: children(process.pid).get(member), member), number)


class RestartsTest(jobs.JobTest):
    def lose(self, member, *flags, number=signal.SIGKILL, how="signal 9 (Killed)"):
        """Kills a member of a run once, and waits until the others train with another process of it."""
        folder = self.folder / "run"
        process = sumac(folder, *ENDLESS, "--workers", 2, *flags)
        until(lambda: has_progress(folder), "progress")
        kill(process, member, number)
        said = read_until(process, f"{member} was killed by ")
        if member not in ("server 0", "worker 0"):  # a coordinator founds anew, with all of them
            read_until(process, f"{member} joined")
        self.assertIn(f"{member} was killed by {how}; starting it again (1 of 3 without progress)", said)
        survivor = folder / ("worker-0.log" if member != "worker 0" else "worker-1.log")
        until(lambda: re.search(r'"training goes on" .*step=\d+ pause=', survivor.read_text()), "training to go on")
        self.ends_as_one_worker(process, folder, *flags)

    def ask(self, text):
        """Puts a file into the folder of the run that tells how many workers it shall have."""
        new = self.folder / "new"
        new.write_text(text)
        new.rename(self.folder / "run" / "workers")

    def scale(self, process, workers):
        """And waits until there are so many."""
        folder = self.folder / "run"
        subprocess.run([jobs.PROGRAMS / "sumac", "scale", folder, str(workers)], check=True, stdout=subprocess.DEVNULL)
        until(lambda: sum(name.startswith("worker") for name in children(process.pid)) == workers, f"{workers} workers")

    def lines_of_endless(self, *flags):
        """The lines of a run that ends only if it is told to, and the run."""
        process = sumac(self.folder / "run", *ENDLESS, "--workers", 2, *flags)
        until(lambda: has_progress(self.folder / "run"), "progress")
        return process, iter(process.stdout.readline, "")

    def test_a_worker_is_started_again(self):
        self.lose("worker 1")

    def test_a_server_is_started_again(self):
        self.lose("server 1", "--servers", 2)

    def test_a_worker_that_aborts_is_started_again(self):
        self.lose("worker 1", number=signal.SIGABRT, how="signal 6 (Aborted)")

    def test_all_workers_that_are_killed_at_once_cost_one_restart_each(self):
        # They train from the newest checkpoint: the state was in their memory alone.
        folder = self.folder / "run"
        process = sumac(folder, *ENDLESS, "--set", "checkpoint.everySteps=100", "--workers", 2)
        until(lambda: has_checkpoint(folder), "a checkpoint")
        workers = until(lambda: [pid for name, pid in children(process.pid).items() if name.startswith("worker")],
                        "the workers")
        os.kill(process.pid, signal.SIGSTOP)  # it sees both losses at once
        for pid in workers:
            os.kill(pid, signal.SIGKILL)
        os.kill(process.pid, signal.SIGCONT)
        output = "".join(read_until(process, r"worker \d was killed by ") for _ in range(2))
        kept = jobs.newest_checkpoint(folder)
        until(lambda: has_checkpoint(folder, step=kept + 1), "another checkpoint")
        output += self.ends_as_one_worker(process, folder)
        for index in range(2):
            self.assertIn(f"worker {index} was killed by signal 9 (Killed); starting it again (1 of 3", output)
        self.assertNotIn("(2 of 3", output)

    def test_the_coordinating_server_is_started_again(self):
        self.lose("server 0")

    def test_the_coordinating_worker_is_started_again(self):
        self.lose("worker 0", *DECENTRALIZED)

    def test_a_run_whose_member_is_killed_whenever_it_starts_ends_and_names_it(self):
        process, lines = self.lines_of_endless("--restarts", 2)
        kill(process, "worker 1")
        said = []
        for line in lines:
            said.append(line)
            if line.startswith("worker 1 was killed"):
                kill(process, "worker 1")
        self.assertEqual(process.wait(), 75)
        said = "".join(said)
        self.assertIn("starting it again in 1 s (2 of 2 without progress)", said)
        self.assertIn("worker 1 was killed by signal 9 (Killed) after it was started again 2 times without progress", said)
        self.assertIn("--resume", said)

    def scaled(self, *flags):
        folder = self.folder / "run"
        process = sumac(folder, *ENDLESS, "--workers", 1, *flags)
        until(lambda: has_progress(folder), "progress")
        self.scale(process, 3)
        until(lambda: "state received" in (folder / "worker-2.log").read_text(), "worker 2 to join")
        self.scale(process, 2)
        self.assertRegex((folder / "worker-2.log").read_text(), '"done" .*code=143')
        output = self.ends_as_one_worker(process, folder, *flags)
        self.assertIn("3 workers wanted in place of 1", output)

    def test_workers_come_and_go_as_scale_asks(self):
        self.scaled("--set", "security.transport=curve")

    def test_workers_that_sum_come_and_go_as_scale_asks(self):
        self.scaled(*DECENTRALIZED)

    def test_a_run_that_sizes_itself_has_the_weights_of_one_worker(self):
        # Whether it grows, and when, the machine decides; the unit tests know when it does.
        flags = ("--set", "worker={replicas: 4, minReplicas: 1, maxReplicas: 2}",
                 "--set", "autoscaling={policy: throughput, stabilizationSeconds: 1}")
        folder = self.folder / "run"
        process = sumac(folder, *ENDLESS, *flags)
        said = read_until(process, "autoscaling: throughput chooses from 1 to 2 workers")
        said += read_until(process, "spec.worker.replicas of 4 is not used")
        until(lambda: has_progress(folder, step=400), "progress")
        refused = subprocess.run([jobs.PROGRAMS / "sumac", "scale", folder, "2"], capture_output=True, text=True)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("spec.autoscaling", refused.stderr)
        self.ask("2")
        said += read_until(process, "workers is not followed: spec.autoscaling")
        said += self.ends_as_one_worker(process, folder, *flags)
        for before, after in re.findall(r"^workers (\d+) -> (\d+) at step ", said, re.MULTILINE):
            self.assertEqual({before, after}, {"1", "2"})
        self.assertRegex(said, r"(?m)^autoscaling: throughput: workers 1\b.* worker-seconds")  # of the stopped attempt
        result = json.loads((folder / "result.json").read_text())
        autoscaling = result["autoscaling"]
        self.assertGreater(autoscaling["seconds"], result["seconds"])  # since the first attempt began
        self.assertEqual(autoscaling["policy"], "throughput")
        self.assertGreater(autoscaling["workerSeconds"], 0)
        self.assertLessEqual({change["to"] for change in autoscaling["changes"]}, {1, 2})

    def test_whatever_asks_for_workers_training_goes_on(self):
        process, lines = self.lines_of_endless()
        for text in ("three", "0", "5", 10_000_000 * "3"):
            self.ask(text)
            self.assertIn("training goes on as it was", next(line for line in lines if line.startswith("warning")))
        (self.folder / "run" / "workers").unlink()
        (self.folder / "run" / "workers").mkdir()
        self.assertIn("workers: not a regular file", next(line for line in lines if line.startswith("warning")))
        self.assertEqual(len(children(process.pid)), 3)
        process.send_signal(signal.SIGINT)
        self.assertNotIn("warning", finish(process, allowed=(130,)))


if __name__ == "__main__":
    jobs.main()
