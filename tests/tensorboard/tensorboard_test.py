#!/usr/bin/env python3
"""TensorBoard's own reader finds in the events of a run the values of its metrics.jsonl.

    tensorboard_test.py FOLDER_OF_PROGRAMS     run by run.sh
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLE = HERE.parent.parent / "examples" / "lenet5-fashion-mini.yaml"
PROGRAMS = pathlib.Path()
STEPS = ("--set", "training.epochs=", "--set", "training.steps=60")
TAGS = {
    "loss/train": "loss",
    "perplexity/train": "perplexity",
    "learning_rate": "learningRate",
    "gradient_norm": "gradientNorm",
    "samples_per_second": "samplesPerSecond",
    "loss/validation": "validLoss",
    "loss/test": "testLoss",
    "accuracy/validation": "validAccuracy",
    "accuracy/test": "testAccuracy",
}
ROUNDING = 1e-5  # of float32, and of the six digits in the text


def train(folder, *arguments):
    command = [PROGRAMS / "sumac", "run", *map(str, arguments)]
    command += [] if "--resume" in arguments else ["--output-dir", folder]
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)


def curves_of_lines(folder):
    """{tag: {step: value}}; of a step that is there twice, the last one."""
    curves = {}
    for line in (folder / "metrics.jsonl").read_text().splitlines():
        event = json.loads(line)
        for tag, name in TAGS.items():
            if event.get("event") in ("progress", "evaluation") and event.get(name) is not None:
                curves.setdefault(tag, {})[event["step"]] = event[name]
    return curves


def curves_of_tensorboard(folder):
    reader = EventAccumulator(str(folder), size_guidance={"scalars": 0})
    reader.Reload()
    return {tag: [(each.step, each.value) for each in reader.Scalars(tag)] for tag in reader.Tags()["scalars"]}


class TensorBoardTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="sumac-tensorboard-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name) / "run"

    def events(self):
        return sorted(self.folder.glob("events.out.tfevents.*"))

    def assert_same(self):
        lines, events = curves_of_lines(self.folder), curves_of_tensorboard(self.folder)
        self.assertIn("loss/train", events)
        self.assertEqual(sorted(lines), sorted(events))
        for tag, curve in events.items():
            self.assertEqual([step for step, _ in curve], sorted(lines[tag]), tag)
            for step, value in curve:
                expected = lines[tag][step]
                self.assertLessEqual(abs(value - expected), ROUNDING * abs(expected), f"{tag} of step {step}")

    def test_a_run_has_its_curves(self):
        train(self.folder, EXAMPLE, *STEPS)
        self.assert_same()
        self.assertEqual(len(self.events()), 1)

    def test_a_resumed_run_goes_on_without_repeated_steps(self):
        train(self.folder, EXAMPLE, *STEPS, "--set", "checkpoint.everySteps=20")
        # As after a kill: the newest checkpoint is older than the last lines.
        for newest in self.folder.glob("checkpoints/step-*60*"):
            subprocess.run(["rm", "-r", newest], check=True)
        (self.folder / "result.json").unlink()
        train(self.folder, "--resume", self.folder)
        self.assertEqual(len(self.events()), 2)
        self.assert_same()

    def test_a_job_may_do_without(self):
        train(self.folder, EXAMPLE, *STEPS, "--set", "output.path=/output", "--set", "output.tensorboard=false")
        self.assertEqual(self.events(), [])


if __name__ == "__main__":
    PROGRAMS = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
