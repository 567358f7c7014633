"""`sumac plan` without a profile: it measures one on this machine, keeps it, and counts the samples of data that are here.

Usage: plan_test.py PROGRAMS_FOLDER [TEST...]
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = pathlib.Path()
DEADLINE_SECONDS = 100  # ends only a test that has failed already
STEPS = 40
JOB = """
apiVersion: sumac.dev/v1alpha1
kind: TrainingJob
metadata: {name: planned}
spec:
  model:
    input: [1, 28, 28]
    layers: [{type: flatten}, {type: dense, outputs: 10}, {type: softmaxCrossEntropy}]
  data: {format: idx, path: PATH}
  training: {batchSize: 16, epochs: 2, logicalWorkers: 1, threads: 1, optimizer: {name: sgd, learningRate: "0.1"}}
  strategy: {exchange: allReduce}
  worker: {replicas: 1}
"""


class PlanTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="sumac-plan-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")}
        self.job = self.folder / "job.yaml"
        data = self.folder / "data"
        subprocess.run([PROGRAMS / "sumac", "data", "generate", "--format", "idx", "--output-dir", data, "--samples",
                        str(STEPS // 2 * 16 + 1)], stdout=subprocess.DEVNULL, check=True, timeout=DEADLINE_SECONDS)
        self.job.write_text(JOB.replace("PATH", str(data)))

    def plan(self, *options, status=0):
        """What it printed, and what it said of the profile."""
        done = subprocess.run([PROGRAMS / "sumac", "plan", self.job, "--max-workers", "1", *options],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                              env=self.environment, timeout=DEADLINE_SECONDS)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def test_measures_what_is_not_kept_and_keeps_it(self):
        out, err = self.plan("-o", "json", status=2)
        self.assertEqual(out, "")
        place = pathlib.Path(re.search(r"and (\S+) has no profile", err).group(1))
        # Exchanges take longest to measure: here they are made up, and of computing one size is.
        profile = json.loads(subprocess.run(
            [PROGRAMS / "sumac-worker", "profile", "--batch-sizes", "1", "--threads", "1", "--time", "0"], check=True,
            input=self.job.read_text(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            timeout=DEADLINE_SECONDS).stdout)
        profile["links"] = [{"path": "tcp", "bytes": size, "summedBy": "centralized", "workers": 1, "servers": 1,
                             "seconds": {"median": seconds, "lower": seconds, "upper": seconds}}
                            for size, seconds in ((4000, 1e-4), (64000, 2e-4), (1000000, 1e-3), (4000000, 4e-3))]
        place.parent.mkdir(parents=True)
        place.write_text(json.dumps(profile))

        first, err = self.plan()
        self.assertIn(f"for {STEPS} steps", first)
        self.assertIn("1/1  16 samples in 1 part, 1 thread", err)
        kept = json.loads(place.read_text())
        self.assertEqual([batch["samples"] for batch in kept["batches"]], [1, 16])
        self.assertEqual(len(kept["links"]), 4)

        again, err = self.plan()
        self.assertEqual(again, first)
        self.assertEqual(err.splitlines(), [f"Profile: {place}; sumac plan --measure measures it again"])
        here, _ = self.plan("--machine", "here", "-o", "json")
        alone, _ = self.plan("-o", "json")
        steps = [json.loads(answer)["ways"][0]["step"]["seconds"] for answer in (here, alone)]
        self.assertEqual(*steps)


if __name__ == "__main__":
    PROGRAMS = pathlib.Path(sys.argv.pop(1))
    unittest.main()
