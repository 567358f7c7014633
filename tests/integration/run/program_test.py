"""`sumac run` of a job whose workers are a program of the user. Here it joins no job: it fails, ends, or shows what it
was started with.

Usage: program_test.py PROGRAMS_FOLDER [TEST...]
"""

import hashlib
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys

import jobs
from jobs import finish, until

JOB = """apiVersion: sumac.dev/v1alpha1
kind: TrainingJob
metadata: {name: mine}
spec:
  program: {command: %s, threads: 3}
  training: {batchSize: 64, steps: 100, logicalWorkers: 4}
  strategy: {exchange: %s}
  worker: {replicas: 2}
"""
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")


def sumac(*words, folder=None, **options):
    """Runs `sumac` to its end: exit status, standard output and standard error."""
    done = subprocess.run([jobs.PROGRAMS / "sumac", *map(str, words)], cwd=folder, stdin=subprocess.DEVNULL, text=True,
                          capture_output=True, timeout=jobs.DEADLINE_SECONDS, **options)
    return done.returncode, done.stdout, done.stderr


class ProgramTest(jobs.JobTest):
    def script(self, text, name="program.py"):
        """A file of that content below the test's folder, as the words of a command."""
        path = self.folder / name
        path.write_text(text)
        return [sys.executable, str(path)]

    def job(self, command, exchange="parameterServer"):
        path = self.folder / "job.yaml"
        path.write_text(JOB % (json.dumps(command), exchange))
        return path

    def ends(self, command, *flags, exchange="parameterServer"):
        """How a run of two workers with this command ends."""
        run = self.folder / "run"
        shutil.rmtree(run, ignore_errors=True)
        process = jobs.sumac(run, *flags, job=self.job(command, exchange))
        output, _ = process.communicate(timeout=jobs.DEADLINE_SECONDS)
        return process.returncode, output

    def test_a_program_is_told_by_variables_what_members_of_ours_are_told_by_flags(self):
        show = self.script("import json, os, sys\n"
                           "seen = {'words': sys.argv[1:], 'folder': os.getcwd(), 'variables': dict(os.environ)}\n"
                           "open(f'{sys.argv[1]}-' + os.environ['SUMAC_INDEX'], 'w').write(json.dumps(seen))\n"
                           "sys.exit(1)\n")
        code, output = self.ends(show + [str(self.folder / "seen"), "--workers", "9", "a b"])
        self.assertEqual(code, 1, output)
        found = [path for path in (self.folder / "seen-0", self.folder / "seen-1") if path.exists()]
        seen = json.loads(found[0].read_text())
        self.assertEqual(seen["words"], [str(self.folder / "seen"), "--workers", "9", "a b"])
        self.assertEqual(seen["folder"], os.getcwd())
        variables = seen["variables"]
        for name in THREADS:
            self.assertEqual(variables[name], "3", name)
        run = self.folder / "run"
        for name, value in {"SUMAC_JOB": run / "job.yaml", "SUMAC_OUTPUT": run, "SUMAC_CHECKPOINT": run / "checkpoints",
                            "SUMAC_ELASTIC": "true"}.items():
            self.assertEqual(variables[name], str(value), name)
        self.assertTrue(variables["SUMAC_COORDINATOR"].startswith("tcp://127.0.0.1:"), variables)
        self.assertTrue(variables["SUMAC_JOB_TOKEN"])

    def test_a_program_whose_job_brings_its_sources_along_needs_them_in_the_current_folder(self):
        folder = self.folder / "src"
        (folder / "lib").mkdir(parents=True)
        show = ("import os, sys\n"
                "open('seen-' + os.environ['SUMAC_INDEX'], 'w').write(os.environ['SUMAC_CODE'])\n"
                "sys.exit(1)\n")
        (folder / "show.py").write_text(show)
        (folder / "lib/net.py").write_text("")
        lines = "".join(f"{hashlib.sha256(text.encode()).hexdigest()}  {name}\n" for name, text in
                        (("lib/net.py", ""), ("show.py", show)))
        code = {"sha256": hashlib.sha256(lines.encode()).hexdigest(), "files": ["show.py", "lib/net.py"]}
        job = self.job([sys.executable, "show.py"])
        job.write_text(job.read_text().replace("threads: 3", "threads: 3, code: " + json.dumps(code)))
        code, output, errors = sumac("run", job, "--output-dir", self.folder / "run", folder=folder)
        self.assertEqual(code, 1, output + errors)
        seen = [path.read_text() for path in folder.glob("seen-*")]
        self.assertIn(str(folder), seen, output + errors)
        (folder / "lib/net.py").write_text("x = 1\n")
        code, output, errors = sumac("run", job, "--output-dir", self.folder / "again", folder=folder)
        self.assertEqual(code, 78, output + errors)
        self.assertIn(f"the sources in {folder} are not those of spec.program.code: their SHA-256 is ", errors)
        self.assertFalse((self.folder / "again").exists())

    def test_a_program_that_fails_is_not_started_again(self):
        for exchange in ("parameterServer", "allReduce"):
            with self.subTest(exchange=exchange):
                code, output = self.ends(self.script("import sys\nprint('no such thing')\nsys.exit(1)\n"), exchange=exchange)
                self.assertEqual(code, 1, output)
                self.assertRegex(output, r"error: worker \d failed: exit code 1")
                self.assertIn("no such thing", output)
                self.assertNotIn("starting it again", output)

    def test_a_program_that_lacks_a_resource_is_started_again(self):
        # The second process ends so that the run ends.
        text = ("import os, sys\n"
                "name = sys.argv[1] + os.environ['SUMAC_INDEX']\n"
                "if os.path.exists(name): sys.exit(1)\n"
                "open(name, 'w').close()\n"
                "sys.exit(74)\n")
        code, output = self.ends(self.script(text) + [str(self.folder / "was-")])
        self.assertEqual(code, 1, output)
        self.assertRegex(output, r"worker \d ended with exit code 74; starting it again \(1 of 3 without progress\)")
        self.assertRegex(output, r"error: worker \d failed: exit code 1|error: worker \d ended with exit code 1 after")

    def test_a_program_that_always_lacks_a_resource_ends_the_run(self):
        code, output = self.ends(self.script("import sys\nsys.exit(74)\n"), "--restarts", 1)
        self.assertEqual(code, 74, output)
        self.assertRegex(output, r"worker \d ended with exit code 74 after it was started again 1 time")

    def test_a_program_that_ends_without_joining_ends_the_run(self):
        for exchange in ("parameterServer", "allReduce"):
            with self.subTest(exchange=exchange):
                code, output = self.ends(self.script("print('hello')\n"), exchange=exchange)
                self.assertEqual(code, 1, output)
                self.assertRegex(output, r"error: worker \d ended with exit code 0 before it joined the job")

    def test_a_stop_ends_the_program_and_what_it_has_started(self):
        text = ("import os, signal, subprocess, sys, time\n"
                "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
                "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(1000)'])\n"
                "name = sys.argv[1] + os.environ['SUMAC_INDEX']\n"
                "open(name + '.new', 'w').write(str(child.pid))\n"
                "os.rename(name + '.new', name)\n"
                "time.sleep(1000)\n")
        process = jobs.sumac(self.folder / "run", job=self.job(self.script(text) + [str(self.folder / "child-")]))
        children = [self.folder / "child-0", self.folder / "child-1"]
        until(lambda: all(path.exists() for path in children), "both programs")
        process.send_signal(signal.SIGINT)
        jobs.read_until(process, "stopping")
        process.send_signal(signal.SIGINT)  # immediately
        finish(process, allowed=(130,))
        for path in children:
            until(lambda: jobs.is_gone(int(path.read_text())), "the program's child to end")

    def test_a_command_that_cannot_be_started_is_refused(self):
        plain = self.folder / "plain.sh"
        plain.write_text("#!/bin/sh\n")
        for command, said in ((["sumac-no-such-program"], "there is no program `sumac-no-such-program`"),
                              (["./no/such/file"], "there is no file ./no/such/file"),
                              ([str(plain)], f"{plain} may not be executed: chmod +x"),
                              ([str(self.folder)], "is no file")):
            with self.subTest(command=command):
                code, output = self.ends(command)
                self.assertEqual(code, 78, output)
                self.assertIn("spec.program.command: ", output)
                self.assertIn(said, output)
                self.assertFalse((self.folder / "run").exists())
                code, output, error = sumac("run", "--output-dir", self.folder / "run", "--", *command)
                self.assertEqual((code, output), (2, ""), error)
                self.assertIn(said, error)
        code, _, error = sumac("run", "--", "program.py", folder=self.folder)
        self.assertEqual(code, 2, error)
        self.script("")
        code, _, error = sumac("run", "--", "program.py", folder=self.folder)
        self.assertIn("write ./program.py", error)

    def test_a_file_without_an_interpreter_says_so(self):
        odd = self.folder / "odd"
        odd.write_text("echo hello\n")
        odd.chmod(odd.stat().st_mode | stat.S_IXUSR)
        code, output = self.ends([str(odd)])
        self.assertEqual(code, 1, output)
        self.assertIn("names no interpreter", output)

    def test_the_job_of_a_command_line_is_printed_and_reads_back(self):
        flags = ("--workers", 2, "--parts", 8, "--batch", 256, "--epochs", 10, "--seed", 3, "--threads", 2)
        code, printed, error = sumac("run", *flags, "--print-job", "--", "python", "src/train_it.py", "--epochs", "5", "-h", "--", "x")
        self.assertEqual((code, error), (0, ""))
        again = self.folder / "again.yaml"
        again.write_text(printed)
        self.assertRegex(printed, r"name: train-it\b")
        for line in ("batchSize: 256", "epochs: 10", "logicalWorkers: 8", "seed: 3", "threads: 2", "replicas: 2",
                     "exchange: allReduce"):
            self.assertRegex(printed, re.escape(line))
        code, _, error = sumac("validate", again)
        self.assertIn("sumac run can run it here", error)
        code, _, error = sumac("validate", again, "--set", "worker.template.spec.containers=[{name: sumac, image: a}]")
        self.assertEqual((code, error), (0, ""))
        code, printed, _ = sumac("run", "--print-job", "--servers", 2, "--steps", 7, "--set", "training.seed=9", "--", "./a")
        self.assertEqual(code, 0)
        for line in ("exchange: parameterServer", "steps: 7", "seed: 9", "batchSize: 64", "name: a"):
            self.assertIn(line, printed)

    def test_flags_that_say_nothing_or_two_things_are_refused(self):
        job = self.job(["python", "train.py"])
        for words, said in ((["run"], "FILE, -- COMMAND or --resume DIR"),
                            (["run", "--"], "COMMAND after --"),
                            (["run", job, "--", "python"], "both a FILE and a COMMAND"),
                            (["run", job, "--parts", "2"], "write --set training.logicalWorkers=2"),
                            (["run", job, "--print-job"], "--print-job is for a COMMAND"),
                            (["run", "--resume", self.folder, "--", "python"], "leave out the COMMAND"),
                            (["run", "--epochs", "1", "--steps", "2", "--", "python"], "--steps"),
                            (["run", "--batch", "0", "--", "python"], "--batch"),
                            (["run", "--parts", "9", "--batch", "8", "--", "python"], "spec.training.logicalWorkers"),
                            (["run", "--workers", "9", "--parts", "8", "--", "python"], "spec.worker.replicas")):
            with self.subTest(words=words):
                code, output, error = sumac(*words)
                self.assertEqual((code, output), (2, ""), error)
                self.assertIn(said, error)

    def test_commands_that_need_a_network_refuse_a_program(self):
        job = self.job(["python", "train.py"])
        for words in (["plan"], ["profile"], ["models", "show"], ["data", "info"]):
            with self.subTest(words=words):
                code, output, error = sumac(*words, job)
                self.assertIn(code, (1, 2, 78))
                self.assertEqual(output, "")
                self.assertIn("spec.program: the job trains your own program", error)


if __name__ == "__main__":
    jobs.main()
