"""From data to predictions by the job that `sumac init` writes: pictures, a table, a text.

Usage: init_test.py PROGRAMS_FOLDER [TEST...]
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = pathlib.Path()
DEADLINE_SECONDS = 100  # ends only a test that has failed already


class InitTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="sumac-init-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def sumac(self, *arguments, status=0):
        """What it printed, called in the folder of the test."""
        done = subprocess.run([PROGRAMS / "sumac", *map(str, arguments)], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, cwd=self.folder,
                              timeout=DEADLINE_SECONDS)
        self.assertEqual(done.returncode, status, f"sumac {arguments}\n{done.stdout}")
        return done.stdout

    def generate(self, form, name, *options):
        self.sumac("data", "generate", "--format", form, "--output-dir", name, *options)

    def trained(self, data, *options):
        """The result of a job that is not changed after it was written, and of which nothing is warned."""
        self.assertIn("next    sumac run job.yaml", self.sumac("init", "--data", data, *options))
        self.assertTrue(self.sumac("validate", "job.yaml").startswith("job.yaml is valid"))
        self.sumac("run", "job.yaml", "--output-dir", "run")
        self.sumac("evaluate", "run")
        return json.loads((self.folder / "run" / "result.json").read_text())

    def test_pictures(self):
        self.generate("folder", "photos", "--samples", 180, "--classes", 3, "--shape", "3x24x20")
        self.assertGreater(self.trained("photos")["testAccuracy"], 0.9)
        pictures = sorted((self.folder / "photos" / "test" / "class-2").iterdir())[:3]
        lines = self.sumac("predict", "run/model.safetensors", *pictures).splitlines()
        self.assertEqual(["class-2 " in line for line in lines], [True] * 3, lines)

    def test_a_table(self):
        self.generate("csv", "flowers", "--samples", 300, "--classes", 3)
        self.assertGreater(self.trained("flowers")["testAccuracy"], 0.8)
        lines = self.sumac("predict", "run/model.safetensors", "flowers/test.csv").splitlines()
        self.assertEqual(len(lines), 60)

    def test_a_table_without_test_data_and_with_a_column_of_its_own(self):
        self.generate("csv", "flowers", "--samples", 300, "--classes", 3)
        (self.folder / "flowers" / "test.csv").unlink()
        table = self.folder / "flowers" / "train.csv"
        table.write_text(table.read_text().replace("x1,", "kind,", 1).replace("label\n", "sort\n", 1))
        self.assertGreater(self.trained("flowers", "--label", "sort")["validAccuracy"], 0.8)

    def test_a_packed_file_of_pictures(self):
        self.generate("folder", "photos", "--samples", 60, "--classes", 3, "--shape", "3x24x20")
        self.sumac("data", "pack", "photos", "my photos.sumac", "--resize", "16x16")
        self.trained("my photos.sumac")
        self.assertIn("name: my-photos ", (self.folder / "job.yaml").read_text())
        self.sumac("predict", "run", "photos/test/class-1/1.png")

    def test_a_text(self):
        self.generate("text", "words", "--tokens", 6000, "--vocabulary", 200)
        self.assertLess(self.trained("words")["testPerplexity"], 60)  # of 200 words, of which each has four successors
        self.assertGreater(len(self.sumac("predict", "run", "--prompt", "", "--words", 9).split()), 8)

    def test_the_data_set_that_comes_along(self):
        self.sumac("init")
        self.sumac("run", "job.yaml", "--output-dir", "run", "--set", "training.epochs=4")
        self.assertIn("is not overwritten", self.sumac("init", status=2))


if __name__ == "__main__":
    PROGRAMS = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
