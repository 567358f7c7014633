"""What the tests of whole jobs share: starting `sumac run`, and looking at what it does."""

import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = pathlib.Path(__file__).resolve().parent
JOB = HERE / "lenet5.yaml"
PROGRAMS = pathlib.Path()
DEADLINE_SECONDS = 60


def sumac(folder, *arguments, job=JOB):
    """Starts `sumac run` on a job in `folder`; goes on there when it exists."""
    place = "--resume" if folder.exists() else "--output"
    command = [PROGRAMS / "sumac", "run", job, place, folder, *map(str, arguments)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True
    )


def finish(process, allowed=(0,)):
    output, _ = process.communicate(timeout=DEADLINE_SECONDS)
    if process.returncode not in allowed:
        raise AssertionError(f"exit status {process.returncode}, allowed {allowed}:\n{output}")
    return output


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
    """Waits for a condition; a deadline only ends a test that has failed already."""
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


def has_progress(folder, step=1):
    try:
        lines = (folder / "metrics.jsonl").read_text().splitlines()
    except FileNotFoundError:
        return False
    for line in lines:
        match = re.search(r'"step": ?(\d+)', line)
        if match and int(match.group(1)) >= step:
            return True
    return False


def parameters(folder):
    """All values of model.safetensors, as a tuple of floats."""
    content = (folder / "model.safetensors").read_bytes()
    header_size = struct.unpack_from("<Q", content)[0]
    data = content[8 + header_size :]
    return struct.unpack(f"<{len(data) // 4}f", data)


class JobTest(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="sumac-run-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)


def main():
    global PROGRAMS
    PROGRAMS = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(module="__main__", verbosity=2)
