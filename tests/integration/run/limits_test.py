"""Runs under limits of the system (`ulimit`) that are too low: each ends with exit code 74, and says what to raise.

Usage: limits_test.py PROGRAMS_FOLDER [TEST...]
"""

import re
import resource
import subprocess

import jobs
from jobs import finish, sumac

FAILED = 74
MIB = 1 << 20


class LimitsTest(jobs.JobTest):
    def run_limited(self, kind, most, *arguments):
        """The output of a run that ends with 74."""
        name = f"run-{kind}-{most}"
        return finish(sumac(self.folder / name, *jobs.ONCE, *arguments, limits={kind: (most, most)}), allowed=(FAILED,))

    def test_of_a_file_s_size_are_told_with_the_file(self):
        for most, file in ((512, "job.yaml"), (100_000, "model.safetensors")):
            output = self.run_limited(resource.RLIMIT_FSIZE, most, "--set", "training.steps=2")
            self.assertRegex(output, rf"error: (.*\n.*)?cannot write .*/{file}.*: File too large")

    def test_of_a_file_s_size_have_one_code_in_commands_that_write_a_file(self):
        jobs.run(self.folder / "run", "--set", "training.steps=2")
        for command, file in ((("init",), "job.yaml"),
                              (("export", self.folder / "run" / "model.safetensors", "-o"), "model.onnx")):
            path = self.folder / file
            done = subprocess.run([jobs.PROGRAMS / "sumac", *command, path], capture_output=True, text=True,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512)))
            self.assertEqual(done.returncode, FAILED, done.stderr)
            self.assertRegex(done.stderr, rf"error: cannot write {path}.*: File too large")
            self.assertFalse(path.exists())

    def test_of_open_files_are_told_before_a_job_begins(self):
        output = self.run_limited(resource.RLIMIT_NOFILE, 128, *jobs.DECENTRALIZED, "--workers", 32,
                                  "--set", "training.logicalWorkers=32")
        needed = int(re.search(r"a process of this job opens up to (\d+) files, the limit is 128", output).group(1))
        self.assertGreater(needed, 128)
        self.assertIn(f"ulimit -Hn {needed}", output)
        logs = (self.folder / f"run-{resource.RLIMIT_NOFILE}-128").glob("*.log")
        self.assertEqual(list(logs), [], "it started members that cannot connect")
        self.run_limited(resource.RLIMIT_NOFILE, 40)

    def test_of_memory_are_told_wherever_they_strike(self):
        for mebibytes in range(40, 440, 40):
            with self.subTest(mebibytes=mebibytes):
                process = sumac(self.folder / f"run-{mebibytes}", "--set", "training.steps=2",
                                limits={resource.RLIMIT_AS: (mebibytes * MIB, mebibytes * MIB)})
                output = finish(process, allowed=(0, FAILED, 127))
                if process.returncode == FAILED:
                    self.assertRegex(output, "memory")


if __name__ == "__main__":
    jobs.main()
