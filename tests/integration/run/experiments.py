"""What the tests of `sumac experiment` share: bundled experiments made small, and runs of them."""

import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples" / "experiments"
IN_CI = "CI" in os.environ
DEADLINE_SECONDS = 120  # ends only a test that has failed already, on however busy a machine


def small(example: str, **fields: object) -> str:
    """A bundled experiment with three measured steps, one run a cell, and other fields of its spec."""
    text = (EXAMPLES / example).read_text(encoding="utf-8").replace("../", f"{ROOT}/examples/")
    text = re.sub(r"\n  stop:\n(    .*\n)*", "\n", text)
    for name, value in {"steps": 3, "warmupSteps": 1, "repetitions": 1, **fields}.items():
        text, count = re.subn(rf"\n  {name}:.*", f"\n  {name}: {value}", text)
        assert count == 1, name
    return text


Json = "dict[str, object]"


def exactly(seconds: float) -> Json:
    return {"median": seconds, "lower": seconds, "upper": seconds}


def batch(seconds: float, samples: int, parts: int, layers: "list[Json]", forward: float) -> Json:
    """A step of a profile that computes so long, `forward` of it before the loss; updates take no time. Without layers
    it needs all weights at its begin, and gradients and loss are final at its end."""
    return {"samples": samples, "parts": parts, "crowded": 1, "workspaceBytes": 0, "layers": layers,
            "forwardSeconds": exactly(forward * seconds), "backwardSeconds": exactly((1 - forward) * seconds),
            "updateSeconds": exactly(0)}


class ExperimentTest(unittest.TestCase):
    programs = pathlib.Path()  # their folder

    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory(prefix="sumac-experiment-test-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.output = self.folder / "output"

    def start(self, document: str, *arguments: str) -> "subprocess.Popen[str]":
        file = self.folder / "experiment.yaml"
        file.write_text(document, encoding="utf-8")
        process = subprocess.Popen(
            [self.programs / "sumac", "experiment", file, "--output-dir", self.output, *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def finish(self, process: "subprocess.Popen[str]", status: int = 0) -> "tuple[str, str]":
        out, err = process.communicate(timeout=DEADLINE_SECONDS)
        self.assertEqual(process.returncode, status, err)
        return out, err

    def measure(self, document: str, *arguments: str, status: int = 0) -> "tuple[str, str]":
        return self.finish(self.start(document, *arguments), status)

    def finish_nothing(self, document: str) -> None:
        """Makes the experiment's folder, and stops before anything was measured."""
        process = self.start(document)
        next(line for line in process.stderr if "to do" in line)
        process.send_signal(signal.SIGTERM)
        self.finish(process, status=143)

    def results(self) -> "dict[str, object]":
        return json.loads((self.output / "results.json").read_text(encoding="utf-8"))

    def need_links(self) -> None:
        if os.geteuid() != 0 and not IN_CI:
            self.skipTest("limited links need root")

    def profile(self, document: str, batches: "list[Json]") -> Json:
        """A profile of the experiment's job on this machine, of such steps, and of exchanges that cost little beside
        slow links."""
        job = re.search(r"\n  job:\n((?:    .*\n)+)", document)
        text = job[1] if job else pathlib.Path(re.search(r"\n  jobPath: *(\S+)", document)[1]).read_text(encoding="utf-8")
        text = textwrap.dedent(text)
        if not re.search(r"\n    (steps|epochs):", text):  # the experiment sets them
            text = text.replace("\n  training:\n", "\n  training:\n    steps: 1\n")
        profile = json.loads(subprocess.check_output(
            [self.programs / "sumac-worker", "profile", "--dry-run"], input=text, text=True))
        threads = {1, profile["machine"]["cores"]}  # where a job says so, and where it does not
        profile["batches"] = [{**each, "threads": number} for each in batches for number in threads]
        profile["links"] = [{
            "path": "tcp", "bytes": size, "summedBy": "centralized", "workers": 1, "servers": 1,
            "seconds": exactly(1e-4 + 3e-10 * size)} for size in (4_000, 64_000, 1_000_000, 16_000_000)]
        profile["sumBytesPerSecond"] = 1e11
        return profile
