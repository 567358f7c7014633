"""What the tests of whole jobs share: starting `sumac run`, and looking at what it does."""

import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = pathlib.Path(__file__).resolve().parent
LENET5 = HERE / "lenet5.yaml"
TEXT = HERE / "text.yaml"  # recurrent state
LAYERS = HERE / "layers.yaml"  # batchNorm and dropout
WIDE = HERE / "wide.yaml"  # without part state and clipping, and large: computing and exchange overlap
JOB = LENET5
PROGRAMS = pathlib.Path()
started = []  # every `sumac run` of the test; what still runs at its end is killed
DEADLINE_SECONDS = 240  # ends only a test that has failed already, on however busy a machine

# For jobs that a test looks at: they run for minutes unless they are stopped, so that what it reads
# cannot be over. It stops or kills them, and resumes with as many steps as it needs. More steps would
# mean fewer lines in metrics.jsonl: a job has at most a few hundred.
ENDLESS = ("--set", "training.steps=100000")

ONCE = ("--restarts", 0)  # a loss ends the run
DECENTRALIZED = ("--set", "strategy.topology=decentralized")  # worker 0 coordinates


def sumac(folder, *arguments, job=JOB, limits=None):
    """Starts `sumac run` on a job in `folder`; resumes the run there when it exists. `limits`: of the
    system, by kind."""
    place = "--resume" if folder.exists() else "--output-dir"
    command = [PROGRAMS / "sumac", "run", job, place, folder, *map(str, arguments)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
        preexec_fn=lambda: [resource.setrlimit(kind, limit) for kind, limit in (limits or {}).items()],
    )
    started.append(process)
    return process


def finish(process, allowed=(0,)):
    output, _ = process.communicate(timeout=DEADLINE_SECONDS)
    if process.returncode not in allowed:
        raise AssertionError(f"exit status {process.returncode}, allowed {allowed}:\n{output}")
    return output


def read_until(process, pattern):
    """What a run prints up to the first line with `pattern`, a regular expression. Reads byte by byte: finish() would
    not see what a buffer has read ahead."""
    timer = threading.Timer(DEADLINE_SECONDS, process.kill)
    timer.start()
    printed = b""
    try:
        while byte := os.read(process.stdout.fileno(), 1):
            printed += byte
            if byte == b"\n" and re.search(pattern, printed.decode().splitlines()[-1]):
                return printed.decode()
    finally:
        timer.cancel()
    raise AssertionError(f"no line has {pattern!r}:\n{printed.decode()}")


def run(folder, *arguments, job=JOB):
    finish(sumac(folder, *arguments, job=job))
    return json.loads((folder / "result.json").read_text())


def children(pid):
    """Process ids of the members, by their command lines."""
    try:
        pids = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except FileNotFoundError:
        return {}
    found = {}
    for child in pids:
        try:
            words = pathlib.Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
        except FileNotFoundError:
            continue
        role = os.path.basename(words[0].decode()).removeprefix("sumac-")
        if b"--index" in words:
            found[f"{role} {words[words.index(b'--index') + 1].decode()}"] = int(child)
    return found


def until(condition, what):
    """Waits until `condition` returns something true, and returns that."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.005)
    raise AssertionError(f"waited {DEADLINE_SECONDS} s in vain for {what}")


def is_gone(pid):
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state == "Z"


def reached(folder, event):
    """The largest step of the run's events of that name; 0 when there is none yet."""
    try:
        lines = (folder / "metrics.jsonl").read_text().splitlines()
    except FileNotFoundError:
        return 0
    steps = [re.search(r'"step": ?(\d+)', line) for line in lines if f'"event":"{event}"' in line]
    return max((int(step.group(1)) for step in steps if step), default=0)


def has_progress(folder, step=1):
    return reached(folder, "progress") >= step


def has_checkpoint(folder, step=1):
    return reached(folder, "checkpoint") >= step


def last_line(folder):
    """Of the run's metrics."""
    return json.loads((folder / "metrics.jsonl").read_text().splitlines()[-1])


def newest_checkpoint(folder):
    """Its step."""
    steps = [int(path.name.split("-")[1]) for path in (folder / "checkpoints").glob("step-*")]
    return max(steps)


def parameters(folder):
    """All values of model.safetensors, as a tuple of floats."""
    content = (folder / "model.safetensors").read_bytes()
    header_size = struct.unpack_from("<Q", content)[0]
    data = content[8 + header_size :]
    return struct.unpack(f"<{len(data) // 4}f", data)


def tensors(folder):
    """The tensors of model.safetensors by name, each a tuple of floats."""
    content = (folder / "model.safetensors").read_bytes()
    header_size = struct.unpack_from("<Q", content)[0]
    header = json.loads(content[8 : 8 + header_size])
    header.pop("__metadata__", None)
    found = {}
    for name, tensor in header.items():
        begin, end = (8 + header_size + offset for offset in tensor["data_offsets"])
        found[name] = struct.unpack(f"<{(end - begin) // 4}f", content[begin:end])
    return found


def end_all():
    for process in started:
        if process.poll() is None:  # a test that failed
            process.kill()  # its members end with it
            process.communicate()
    started.clear()


def digest(folder):
    """Of the model's file: it has batchNorm's statistics too, which no weight depends on."""
    return hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()


class JobTest(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="sumac-run-", ignore_cleanup_errors=True)
        self.addCleanup(holder.cleanup)
        self.addCleanup(end_all)
        self.folder = pathlib.Path(holder.name)

    def ends_as_one_worker(self, process, folder, *flags):
        """Stops an endless run, resumes it for 20 steps, and compares its weights with those of one worker. Returns
        what the run printed that this test has not read."""
        process.send_signal(signal.SIGINT)
        output = finish(process, allowed=(130,))
        length = ("--set", f"training.steps={newest_checkpoint(folder) + 20}")
        resumed = run(folder, *length, *flags)
        whole = run(self.folder / "alone", *length, "--workers", 1)
        self.assertEqual(resumed["parametersSha256"], whole["parametersSha256"])
        shutil.rmtree(self.folder / "alone")
        return output


class ResumeTest(JobTest):
    """A test of the product's promise, through a stop."""

    def stop_and_resume(self, stop, allowed, job=LENET5, after=100, more=60, flags=()):
        """Stops an endless run of two workers when there is a checkpoint of step `after`, and lets
        three workers train `more` steps. Returns what the first run printed."""
        folder = self.folder / "run"
        every = ("--set", f"checkpoint.everySteps={after}")
        process = sumac(folder, *ENDLESS, *every, "--workers", 2, *flags, job=job)
        until(lambda: has_checkpoint(folder, step=after), "a checkpoint")
        stop(process)
        output = finish(process, allowed=allowed)
        self.assertIn("--resume", output)
        self.assertNotIn("Succeeded", (folder / "result.json").read_text())
        stopped = int(re.search(r"from the checkpoint of step (\d+)", output).group(1))
        length = ("--set", f"training.steps={stopped + more}")
        others = ("--workers", 3, "--servers", 2, "--set", "training.threads=2")
        finish(sumac(folder, *length, *others, job=job))
        self.assertTrue((folder / "model.safetensors").exists())
        whole = run(self.folder / "whole", *length, "--workers", 2, job=job)
        self.assertEqual(*(digest(self.folder / each) for each in ("whole", "run")))
        self.assertIn(whole["parametersSha256"], (folder / "result.json").read_text())
        return output


def main():
    global PROGRAMS
    PROGRAMS = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(module="__main__", verbosity=2)
