"""`sumac data` as users type it: generated files, a job on them, and real files where they are.

Usage: data_test.py PROGRAMS_FOLDER [TEST...]
"""

import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
REAL = ROOT.parent / "shared" / "data"
PROGRAMS = pathlib.Path()
DEADLINE_SECONDS = 100  # ends only a test that has failed already


def sumac(*arguments, status=0, **environment):
    """What the command prints: on stderr where a failure is expected, else on stdout."""
    done = subprocess.run(
        [PROGRAMS / "sumac", *map(str, arguments)],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DEADLINE_SECONDS,
        env={**os.environ, **environment},
    )
    if done.returncode != status:
        raise AssertionError(f"exit status {done.returncode}, expected {status}:\n{done.stderr}")
    return done.stderr if status else done.stdout


def info(form, folder):
    return json.loads(sumac("data", "info", "--format", form, "--path", folder, "-o", "json"))


class DataTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="sumac-data-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def test_lenet5_learns_generated_images(self):
        images = self.folder / "images"
        sumac("data", "generate", "--format", "idx", "--output-dir", images, "--samples", 4000, "--gzip")
        job = self.folder / "job.yaml"
        example = (ROOT / "tests" / "integration" / "run" / "lenet5.yaml").read_text()
        job.write_text(example.replace("{name: fashion-mnist-mini}", f"{{format: idx, path: {images}}}"))

        self.assertIn("64           62", sumac("data", "info", job))
        sumac("run", job, "--output-dir", self.folder / "run", "--set", "training.steps=186")

        result = json.loads((self.folder / "run" / "result.json").read_text())
        self.assertGreater(result["testAccuracy"], 0.95)

    def test_own_data_of_26_classes_train_with_the_same_bits_on_more_workers_and_through_a_resume(self):
        letters = self.folder / "letters"
        sumac("data", "generate", "--format", "idx", "--output-dir", letters, "--samples", 2000, "--classes", 26)
        job = self.folder / "job.yaml"
        example = (ROOT / "tests" / "integration" / "run" / "lenet5.yaml").read_text()
        data = (f'{{format: idx, path: {letters}, validation: "0.1", normalize: meanStd, '
                'augment: {flip: true, crop: 2, rotate: 10}}')
        job.write_text(example.replace("{name: fashion-mnist-mini}", data))
        self.assertIn("set spec.model.classes: 26", sumac("run", job, "--output-dir", self.folder / "no", status=78))
        job.write_text(job.read_text().replace("{name: lenet5}", "{name: lenet5, classes: 26}"))
        common = ["--set", "training.logicalWorkers=2"]

        whole, parts = self.folder / "whole", self.folder / "parts"
        sumac("run", job, "--output-dir", whole, "--workers", 1, "--set", "training.steps=56", *common)
        sumac("run", job, "--output-dir", parts, "--workers", 2, "--set", "training.steps=31", *common)
        sumac("run", job, "--resume", parts, "--workers", 2, "--set", "training.steps=56", *common)

        results = [json.loads((folder / "result.json").read_text()) for folder in (whole, parts)]
        for learned in ("parametersSha256", "validAccuracy", "testAccuracy"):
            self.assertEqual(results[0][learned], results[1][learned])
        lines = [json.loads(line) for line in (whole / "metrics.jsonl").read_text().splitlines()]
        evaluations = [line for line in lines if line["event"] == "evaluation"]
        self.assertEqual(["testAccuracy" in line for line in evaluations], [False, True])
        self.assertTrue(all("validAccuracy" in line for line in evaluations))

    def test_fetch_names_what_is_known_and_what_failed(self):
        self.assertIn("cifar-10, cifar-100, fashion-mnist, mnist", sumac("data", "fetch", "ptb", status=2))
        self.assertIn("--mirror", sumac("data", "fetch", "--help"))
        self.assertIn("--mirorr", sumac("data", "fetch", "mnist", "--mirorr", "x", status=2))
        self.assertIn("extra", sumac("data", "fetch", "mnist", "extra", status=2))
        for option in ("--output-dir", "--mirror"):
            self.assertIn(option, sumac("data", "fetch", "mnist", option, "", status=2))
        self.assertIn("sumac data fetch", sumac("data", "--help"))
        wrong = self.folder / "mirror"
        wrong.mkdir()
        (wrong / "train-images-idx3-ubyte.gz").write_bytes(bytes(26421880))
        folder = self.folder / "data"
        arguments = ("data", "fetch", "fashion-mnist", "--output-dir", folder, "--mirror")
        self.assertIn("it is not the known file", sumac(*arguments, f"file://{wrong}", status=1))
        self.assertEqual(list(folder.iterdir()), [])

    def test_fetch_asks_the_proxy_of_the_environment(self):
        asked = []

        class Proxy(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                self.send_error(503, "closed today")

            def log_message(self, *_):
                pass

        with http.server.HTTPServer(("127.0.0.1", 0), Proxy) as proxy:
            thread = threading.Thread(target=proxy.serve_forever)
            thread.start()
            try:
                error = sumac("data", "fetch", "mnist", "--output-dir", self.folder / "data",
                              "--mirror", "http://files.invalid/mnist", status=1,
                              http_proxy=f"http://127.0.0.1:{proxy.server_port}", no_proxy="")
            finally:
                proxy.shutdown()
                thread.join()
        self.assertEqual(asked, ["http://files.invalid/mnist/train-images-idx3-ubyte.gz"])
        self.assertIn("503", error)

    def test_gives_the_workers_exit_status_and_help(self):
        self.assertIn("generate", sumac("data", "--help"))
        self.assertIn("sumac data --help", sumac("data", status=2))
        self.assertIn("nowhere", sumac("data", "info", "--format", "idx", "--path", "nowhere", status=78))
        self.assertIn("sumac-worker", sumac("data", "--help", status=1, SUMAC_PROGRAMS_DIR=str(self.folder)))

    def test_knows_the_penn_treebank(self):
        if not (REAL / "ptb").exists():
            return
        found = info("text", REAL / "ptb")
        self.assertEqual(found["vocabulary"], 6022)
        self.assertEqual(found["splits"]["train"], {"tokens": 73760, "lines": 3370, "unknown": 3485})
        self.assertEqual(found["frequentWords"][0], {"word": "the", "count": 4122})

    def test_knows_cifar10(self):
        if not (REAL / "cifar-10").exists():
            return
        found = info("cifar10", REAL / "cifar-10")
        self.assertEqual(found["shape"], [3, 32, 32])
        self.assertEqual(found["splits"]["train"]["samplesOfClass"], [800] * 10)
        self.assertEqual(found["splits"]["test"]["samples"], 2000)
        self.assertEqual(found["classNames"][9], "truck")


if __name__ == "__main__":
    PROGRAMS = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
