"""What a run leaves behind however it ends, and how it is trained again.

Usage: ends_test.py PROGRAMS_FOLDER [TEST...]
"""

import json
import os
import signal
import subprocess

import jobs
from jobs import ENDLESS, children, finish, has_progress, last_line, run, sumac, until

NO_CHECKPOINT = ("--set", "checkpoint.everySteps=1000000")  # but that of a stop


class EndsTest(jobs.JobTest):
    def assert_ended(self, folder, state, message):
        """Every file tells the end. Returns result.json."""
        self.assertIn("</svg>", (folder / "curve.svg").read_text())
        result = json.loads((folder / "result.json").read_text())
        self.assertEqual(result["state"], state)
        self.assertIn(message, result["message"])
        last = last_line(folder)
        self.assertEqual(last.pop("event"), "end")
        self.assertEqual(last, result)
        return result

    def end(self, *flags, member=None, number=signal.SIGKILL, allowed=(75,)):
        """Ends an endless run by a signal to a member, or to `sumac`. Returns its folder and output."""
        folder = self.folder / "run"
        process = sumac(folder, *ENDLESS, *NO_CHECKPOINT, *jobs.ONCE, "--workers", 2, *flags)
        until(lambda: has_progress(folder), "progress")
        os.kill(children(process.pid)[member] if member else process.pid, number)
        return folder, finish(process, allowed=allowed)

    def test_of_a_loss_that_is_not_finite_is_told(self):
        folder = self.folder / "run"
        rate = ("--set", 'training.optimizer={name: sgd, learningRate: "1e20"}')
        output = finish(sumac(folder, *rate, *ENDLESS), allowed=(1,))
        result = self.assert_ended(folder, "Failed", "the loss of step 2 is not finite")
        self.assertEqual((result["step"], result["exitCode"]), (1, 1))
        self.assertEqual(output.count("the loss of step 2 is not finite"), 1, output)
        self.assertRegex(output, "error: worker [01] failed: exit code 1")  # both compute it

    def test_by_ctrl_c_is_told_and_the_next_attempt_appends(self):
        folder, _ = self.end(number=signal.SIGINT, allowed=(130,))
        step = self.assert_ended(folder, "Stopped", "stopped by Ctrl-C")["step"]
        self.assertEqual(step, jobs.newest_checkpoint(folder))
        before = (folder / "metrics.jsonl").read_text()
        run(folder, "--set", f"training.steps={step + 2}")
        self.assertTrue((folder / "metrics.jsonl").read_text().startswith(before))
        self.assertEqual(last_line(folder)["state"], "Succeeded")

    def test_by_a_killed_worker_is_told_and_without_a_checkpoint_not_taken_for_a_beginning(self):
        folder, output = self.end(member="worker 0")  # which would tell it, in a cluster
        result = self.assert_ended(folder, "Failed", "worker 0 was lost: killed by signal 9")
        self.assertGreaterEqual(result["step"], 1)
        self.assertEqual(result["exitCode"], 75)
        self.assertIn(f"sumac run --resume {folder} --from-start", output)
        before = (folder / "metrics.jsonl").read_text()
        output = finish(sumac(folder), allowed=(2,))
        self.assertIn(f"sumac run --resume {folder} --from-start", output)
        self.assertEqual((folder / "metrics.jsonl").read_text(), before)
        self.assert_ended(folder, "Failed", "worker 0 was lost")

        run(folder, "--from-start", "--set", "training.steps=3", *NO_CHECKPOINT)
        self.assertEqual((folder / "metrics-1.jsonl").read_text(), before)
        self.assertEqual(last_line(folder)["state"], "Succeeded")
        output = finish(sumac(folder, "--from-start", "--set", "training.steps=4"), allowed=(2,))
        self.assertIn("has a checkpoint of step 3", output)

    def test_before_its_first_step_keeps_what_a_complete_run_left(self):
        folder = self.folder / "run"
        run(folder, "--set", "training.steps=4")
        before = {name: (folder / name).read_bytes() for name in ("job.yaml", "result.json", "metrics.jsonl")}
        for wrong in ("training.steps=3", f"data={{format: idx, path: {self.folder}/none}}"):
            output = finish(sumac(folder, "--set", "training.steps=8", "--set", wrong), allowed=(78,))
            self.assertIn("error: ", output)
            for name, content in before.items():
                self.assertEqual((folder / name).read_bytes(), content, f"{wrong}: {name}: {output}")
        run(folder, "--set", "training.steps=8")

    def fails_to_begin(self, *arguments):
        """The output of a run in a folder of its own name that must not begin."""
        process = subprocess.Popen([jobs.PROGRAMS / "sumac", "run", *map(str, arguments)], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   stdin=subprocess.DEVNULL, cwd=self.folder)
        jobs.started.append(process)
        return finish(process, allowed=(78,))

    def test_before_the_first_step_have_one_code_and_leave_no_folder(self):
        images = self.folder / "images"
        subprocess.run([jobs.PROGRAMS / "sumac", "data", "generate", "--format", "idx",
                        "--output-dir", images, "--samples", "200", "--test-samples", "20"],
                       check=True, capture_output=True)
        labels = images / "train-labels-idx1-ubyte"
        content = bytearray(labels.read_bytes())
        content[-1] = 255
        labels.write_bytes(content)
        for name, text in (("empty", ""), ("short", "a b c\n")):
            (self.folder / name).mkdir()
            for split in ("train", "valid", "test"):
                (self.folder / name / f"{split}.txt").write_text(text)
        for job, format_, path, said in ((jobs.JOB, "idx", "none", "none"),
                                         (jobs.JOB, "idx", "images", "256 classes"),
                                         (jobs.TEXT, "text", "empty", "train.txt"),
                                         (jobs.TEXT, "text", "short", "has only 4")):
            data = f"data={{format: {format_}, path: {self.folder / path}}}"
            output = self.fails_to_begin(job, "--set", data)
            self.assertIn(said, output)
            self.assertIn("nothing was trained: removed runs/", output)
        self.assertEqual(list((self.folder / "runs").iterdir()), [])


if __name__ == "__main__":
    jobs.main()
