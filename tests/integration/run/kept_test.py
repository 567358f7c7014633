"""What is left of a run that is killed, stopped in its last evaluation, or has too small a disk.

Usage: kept_test.py PROGRAMS_FOLDER [TEST...]
"""

import json
import os
import re
import signal
import subprocess
import unittest

import jobs
from jobs import HERE, children, finish, has_checkpoint, has_progress, run, sumac, until

README = HERE / "readme.yaml"  # says nothing of checkpoints
KIB = 1024


def complete_checkpoints(folder):
    """The steps of those that have their manifest."""
    found = (folder / "checkpoints").glob("step-*/manifest.json")
    return sorted(int(path.parent.name.split("-")[1]) for path in found)


def kill(process, member):
    os.kill(children(process.pid)[member], signal.SIGKILL)


class KeptTest(jobs.JobTest):
    def test_a_killed_run_resumes_from_what_it_kept_by_itself(self):
        folder = self.folder / "run"
        often = ("--set", "checkpoint.everySeconds=1", "--set", "checkpoint.everySteps=1000000")
        process = sumac(folder, "--set", "training.epochs=3000", *often, *jobs.ONCE, "--workers", 2, job=README)
        steps = until(lambda: complete_checkpoints(folder), "a checkpoint")
        kill(process, "worker 1")
        output = finish(process, allowed=(75,))
        self.assertIn(f"checkpoints in {folder}/checkpoints every 1000000 steps or 1 s", output)
        self.assertEqual([step % 10 for step in steps], [0] * len(steps))
        kept = int(re.search(r"to resume from the checkpoint of step (\d+)", output).group(1))
        self.assertGreaterEqual(kept, steps[0])
        unfinished = folder / "checkpoints" / "partial-step-7-1-abc"  # of a writer that was killed
        unfinished.mkdir()
        length = ("--set", "training={batchSize: 64, steps: %d, logicalWorkers: 4, "
                  'optimizer: {name: sgd, learningRate: "0.05", momentum: "0.9"}}' % (kept + 24))
        resumed = run(folder, *length, job=README)
        self.assertFalse(unfinished.exists())
        whole = run(self.folder / "whole", *length, job=README)
        self.assertEqual(resumed["parametersSha256"], whole["parametersSha256"])

    def test_a_checkpoint_made_while_the_next_step_is_open_is_whole(self):
        folder = self.folder / "run"
        often = ("--set", "checkpoint.everySeconds=1", "--set", "checkpoint.everySteps=1000000")
        process = sumac(folder, *jobs.ENDLESS, *often, *jobs.ONCE, job=jobs.WIDE)
        until(lambda: complete_checkpoints(folder), "a checkpoint")
        kill(process, "worker 1")
        output = finish(process, allowed=(75,))
        kept = int(re.search(r"to resume from the checkpoint of step (\d+)", output).group(1))
        length = ("--set", f"training.steps={kept + 5}")
        resumed = run(folder, *length, job=jobs.WIDE)
        whole = run(self.folder / "whole", *length, job=jobs.WIDE)
        self.assertEqual(resumed["parametersSha256"], whole["parametersSha256"])

    def test_a_run_without_a_word_of_checkpoints_keeps_one_every_500_steps_or_60_s(self):
        folder = self.folder / "run"
        output = finish(sumac(folder, "--set", "training.epochs=1", job=README))
        self.assertIn(f"checkpoints in {folder}/checkpoints every 500 steps or 60 s", output)
        job = (folder / "job.yaml").read_text()
        self.assertIn("everySteps: 500", job)
        self.assertIn("everySeconds: 60", job)
        self.assertEqual(complete_checkpoints(folder), [12])

    def test_a_run_killed_before_its_first_checkpoint_says_when_that_comes(self):
        folder = self.folder / "run"
        late = ("--set", "checkpoint.everySteps=1000000", "--set", "checkpoint.everySeconds=86400")
        process = sumac(folder, "--set", "training.epochs=3000", *late, *jobs.ONCE, job=README)
        until(lambda: has_progress(folder), "progress")
        kill(process, "worker 0")
        output = finish(process, allowed=(75,))
        self.assertIn("nothing was kept yet: ", output)
        self.assertIn("the first comes after 1000000 steps or 86400 s", output)

    def test_a_stop_in_the_last_evaluation_breaks_it_off(self):
        # An evaluation of half a minute, which is stopped as soon as the last checkpoint is there.
        folder = self.folder / "run"
        data = ("--set", "data={format: generated, generated: "
                "{vocabulary: 2000, trainTokens: 1600, testTokens: 2000000}}")
        process = sumac(folder, *data, "--set", "training.steps=4", job=jobs.TEXT)
        until(lambda: has_checkpoint(folder, step=4), "the last checkpoint")
        process.send_signal(signal.SIGTERM)
        output = finish(process, allowed=(143,))
        self.assertIn("to resume from the checkpoint of step 4", output)
        self.assertIn('"evaluation broken off"', (folder / "worker-0.log").read_text())
        self.assertNotIn("did not", output)
        self.assertTrue((folder / "model.safetensors").exists())
        result = json.loads((folder / "result.json").read_text())
        self.assertEqual((result["state"], result["step"]), ("Stopped", 4))


@unittest.skipUnless(os.geteuid() == 0, "mounts a small disk of its own, as root")
class SmallDiskTest(jobs.JobTest):
    """A run on a disk of some KiB, which no other process sees."""

    def train(self, kibibytes, epochs, *more):
        """Returns the exit status, what was said, the folder as it was left, and its free bytes."""
        disk = self.folder / f"disk-{kibibytes}"
        left = self.folder / f"left-{kibibytes}"
        disk.mkdir()
        script = (
            'mount -t tmpfs -o size="$1"k none "$2" || exit 99; disk="$2"; left="$3"; shift 3; '
            '"$@"; status=$?; cp -r "$disk" "$left"; df -B1 --output=avail "$disk" | tail -n 1 > "$left/free"; '
            "exit $status"
        )
        command = ["unshare", "-m", "sh", "-c", script, "sh", str(kibibytes), disk, left,
                   jobs.PROGRAMS / "sumac", "run", README, "--output-dir", disk / "run",
                   "--set", f"training.epochs={epochs}", "--set", "strategy.topology=decentralized", *more]
        done = subprocess.run(command, capture_output=True, text=True, timeout=jobs.DEADLINE_SECONDS,
                              stdin=subprocess.DEVNULL)
        self.assertNotEqual(done.returncode, 99, done.stderr)
        return done.returncode, done.stdout + done.stderr, left / "run", int((left / "free").read_text())

    def check(self, kibibytes, epochs=1):
        """Whatever the disk's size: where training came to its end, the model is there if it fits, and
        what is reported is there. Returns the exit status and what was said."""
        status, said, folder, free = self.train(kibibytes, epochs)
        metrics = folder / "metrics.jsonl"
        has_trained = metrics.exists() and f'"step":{12 * epochs},' in metrics.read_text()
        has_model = (folder / "model.safetensors").exists()
        if status == 0:
            self.assertTrue(has_model, f"{kibibytes} KiB: {said}")
            self.assertEqual(json.loads((folder / "result.json").read_text())["steps"], 12 * epochs)
        if status == 0 and not complete_checkpoints(folder):
            self.assertRegex(said, r"warning: the checkpoint of the last step was not written: .*/checkpoints.*No space")
            self.assertIn("No space", (folder / "result.json").read_text())
        if has_trained and not has_model:
            self.assertLess(free, 260 * KIB, f"{kibibytes} KiB: the model fits: {said}")
        return status, said

    def test_a_run_is_complete_where_only_its_last_checkpoint_does_not_fit(self):
        status, said = self.check(400)
        self.assertEqual(status, 0, said)
        self.assertIn("warning: the checkpoint of the last step was not written", said)

    def test_a_run_fails_where_its_model_does_not_fit(self):
        status, said = self.check(200)
        self.assertNotEqual(status, 0, said)
        self.assertIn("No space", said)

    def test_older_checkpoints_give_way_to_newer_ones(self):
        status, said, folder, _ = self.train(1700, 2, "--set", "checkpoint.everySteps=4")
        self.assertEqual(status, 0, said)
        self.assertNotIn("warning", said)
        self.assertLess(len(complete_checkpoints(folder)), 3, "the disk has room for all")
        self.assertEqual(complete_checkpoints(folder)[-1], 24)
        self.assertIn("older checkpoint removed to make room", (folder / "worker-0.log").read_text())

    def test_checkpoints_without_room_are_told_once(self):
        status, said, _, _ = self.train(400, 2, "--set", "checkpoint.everySteps=4")
        self.assertEqual(status, 0, said)
        self.assertEqual(said.count("training goes on, and later checkpoints are tried"), 1, said)
        self.assertRegex(said, r"warning: no room in .*/checkpoints for the checkpoint of step 4: it needs")

    def test_the_cause_is_told_where_the_disk_takes_no_word(self):
        status, said, folder, _ = self.train(16, 1, *map(str, jobs.ONCE))
        self.assertEqual(status, 74, said)
        self.assertRegex(said, r"error: worker 0 failed: exit code 74\n *cannot .*: No space left on device")


class LongTest(SmallDiskTest):
    """The same at length: make test-claims."""

    def test_readme_s_job_resumes_to_the_bits_of_an_undisturbed_run(self):
        folder = self.folder / "run"
        long = ("--set", "training.epochs=3000")
        process = sumac(folder, *long, *jobs.ONCE, "--workers", 2, job=README)
        until(lambda: len(complete_checkpoints(folder)) >= 2, "two checkpoints")
        kill(process, "worker 1")
        finish(process, allowed=(75,))
        resumed = run(folder, *long, "--workers", 2, job=README)
        whole = run(self.folder / "whole", *long, job=README)
        self.assertEqual(resumed["parametersSha256"], whole["parametersSha256"])

    def test_no_finished_run_is_without_its_model_on_any_disk(self):
        for kibibytes in range(50, 1024, 25):
            with self.subTest(kibibytes=kibibytes):
                self.check(kibibytes, epochs=5)


if __name__ == "__main__":
    jobs.main()
