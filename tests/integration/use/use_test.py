"""What was trained is used: the model's file alone, in a folder of its own.

Usage: use_test.py PROGRAMS_FOLDER [TEST...]
"""

import gzip
import json
import pathlib
import shutil
import sys
import tempfile
import unittest

import calls
from calls import call

ROOT = pathlib.Path(__file__).resolve().parents[3]
JOBS = ROOT / "tests" / "integration" / "run"
IMAGES = ROOT / "examples" / "data" / "fashion-mnist-mini"


def train(folder, job, *sets):
    options = [word for one in sets for word in ("--set", one)]
    call("run", JOBS / job, "--output-dir", folder, *options)
    return json.loads((folder / "result.json").read_text())


def last_evaluation(folder):
    lines = (folder / "metrics.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines if '"event":"evaluation"' in line][-1]


class UseTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="sumac-use-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def train_and_copy(self, job, *sets):
        result = train(self.folder / "run", job, *sets)
        (self.folder / "alone").mkdir()
        model = shutil.copy(self.folder / "run" / "model.safetensors", self.folder / "alone")
        return result, model

    def check_digits(self, result, *arguments):
        split = json.loads(call("evaluate", *arguments, "-o", "json"))["splits"]["test"]
        self.assertEqual(split["accuracy"], result["testAccuracy"])
        self.assertEqual(split["loss"], last_evaluation(self.folder / "run")["testLoss"])

    def test_images_by_the_file_alone(self):
        result, model = self.train_and_copy("lenet5.yaml", "training.steps=60")
        self.check_digits(result, model, "--data", "fashion-mnist-mini")
        self.check_digits(result, self.folder / "run")

        predictions = json.loads(call("predict", model, IMAGES / "t10k-images-idx3-ubyte.gz", "-o", "json"))
        labels = gzip.decompress((IMAGES / "t10k-labels-idx1-ubyte.gz").read_bytes())[8:]
        right = sum(one["classes"][0]["label"] == label for one, label in zip(predictions, labels, strict=True))
        self.assertEqual(right / len(labels), result["testAccuracy"])
        shown = json.loads(call("models", "show", model, "-o", "json"))
        self.assertEqual(shown["parametersSha256"], result["parametersSha256"])
        self.assertEqual(shown["steps"], 60)

    def test_statistics_of_batch_norm(self):
        result, model = self.train_and_copy("layers.yaml")
        self.check_digits(result, self.folder / "run")
        self.check_digits(result, model, "--network", self.folder / "run" / "job.yaml")

    def test_text_by_its_run_and_by_the_file_alone(self):
        result, model = self.train_and_copy("text.yaml")
        splits = json.loads(call("evaluate", self.folder / "run", "-o", "json"))["splits"]
        self.assertEqual(splits["test"]["perplexity"], result["testPerplexity"])
        self.assertEqual(splits["validation"]["perplexity"], result["validPerplexity"])
        self.assertIn("PERPLEXITY", call("evaluate", self.folder / "run"))

        written = call("predict", model, "--prompt", "", "--words", 30, "--seed", 3)
        self.assertEqual(written, call("predict", self.folder / "run", "--prompt", "", "--words", 30, "--seed", 3))
        self.assertNotEqual(written, call("predict", model, "--prompt", "", "--words", 30, "--seed", 4))
        self.assertIn("--prompt", call("predict", model, IMAGES / "t10k-images-idx3-ubyte.gz", status=78))

    def test_says_what_cannot_be_used(self):
        _, model = self.train_and_copy("lenet5.yaml", "training.steps=2")
        content = pathlib.Path(model).read_bytes()
        bad = self.folder / "bad.safetensors"

        def refused(content, *words):
            bad.write_bytes(content)
            message = call("models", "show", bad, status=78)
            self.assertIn("bad.safetensors", message)
            for word in words:
                self.assertIn(word, message)

        refused(content[:-1])
        refused(content[:-1] + bytes([content[-1] ^ 1]), "checksum")
        refused(content.replace(b'"format":"1"', b'"format":"2"'), "format 2", "later version")
        refused(content.replace(b'"outputs\\":84', b'"outputs\\":85'), "shape")
        older = content.replace(b'"format":"1"', b'"formXt":"1"').replace(b'"checksum"', b'"checkXum"')
        refused(older, "--network job.yaml")
        given = call("evaluate", bad, "--network", self.folder / "run" / "job.yaml")
        self.assertEqual(given, call("evaluate", self.folder / "run"))

        self.assertIn("--data and --format", call("evaluate", model, status=78))
        self.assertIn("1x28x28", call("evaluate", self.folder / "run", "--set", "data={format: generated, generated: "
                                      "{shape: [1, 8, 8], classes: 10, trainSamples: 100, testSamples: 100}}", status=78))
        self.assertIn("--prompt", call("predict", model, status=2))
        self.assertIn("no " + str(self.folder / "alone" / "none" / "model.safetensors"),
                      self.without_model(self.folder / "alone" / "none"))

    def without_model(self, folder):
        folder.mkdir()
        return call("evaluate", folder, status=78)


if __name__ == "__main__":
    calls.PROGRAMS = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
