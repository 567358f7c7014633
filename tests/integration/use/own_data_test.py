"""Own data of each format train, and the model's file alone predicts what `sumac evaluate` says.

Usage: own_data_test.py PROGRAMS_FOLDER [TEST...]
"""

import json
import pathlib
import random
import shutil
import struct
import sys
import tempfile
import unittest
import zlib

import calls
from calls import call

CLASSES = ("cat", "dog", "eel")
JOB = """
apiVersion: sumac.dev/v1alpha1
kind: TrainingJob
metadata: {{name: own-data}}
spec:
  model:
    input: {input}
    layers: [{layers}{{type: dense, outputs: 3}}, {{type: softmaxCrossEntropy}}]
  data: {data}
  training: {{batchSize: 8, steps: 12, optimizer: {{name: sgd, learningRate: "0.05"}}}}
  worker: {{replicas: 1}}
"""


def png(pixels, height, width):
    """Pixels in rows: one byte each, or three."""
    channels = len(pixels) // (height * width)
    row = width * channels
    rows = b"".join(b"\0" + pixels[at:at + row] for at in range(0, len(pixels), row))

    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    head = struct.pack(">IIBBBBB", width, height, 8, 0 if channels == 1 else 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def noisy_picture(random_numbers, label, count):
    """Brighter in the third of its class, but not by much."""
    return bytes(random_numbers.randrange(40) + (12 if at * 3 // count == label else 0) for at in range(count))


def npy(kind, shape, content):
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head + content


class OwnDataTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="sumac-own-data-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.random = random.Random(5)

    def train(self, name, data, shape, layers=""):
        job = self.folder / f"{name}.yaml"
        job.write_text(JOB.format(input=shape, layers=layers, data=data))
        call("run", job, "--output-dir", self.folder / name)
        return json.loads((self.folder / name / "result.json").read_text())

    def alone(self, name):
        (self.folder / "alone").mkdir(exist_ok=True)
        return shutil.copy(self.folder / name / "model.safetensors", self.folder / "alone" / f"{name}.safetensors")

    def check_predictions(self, name, result, labels, model, files, path, form):
        """`labels`: names of the classes of all samples in the files, one after the other."""
        predictions = json.loads(call("predict", model, *files, "-o", "json"))
        right = sum(one["classes"][0]["name"] == label for one, label in zip(predictions, labels, strict=True))
        for found in (call("evaluate", self.folder / name, "-o", "json"),
                      call("evaluate", model, "--data", path, "--format", form, "-o", "json")):
            accuracy = json.loads(found)["splits"]["test"]["accuracy"]
            self.assertEqual(accuracy, result["testAccuracy"])
            self.assertAlmostEqual(right / len(labels), accuracy, places=5)
        self.assertLess(right, len(labels))  # so that other classes would be noticed

    def write_pictures(self, folder, make, split, count):
        """Returns the pixels and classes in the order in which they are read."""
        samples = []
        for label, name in enumerate(CLASSES):
            (folder / split / name).mkdir(parents=True)
            for number in range(count):
                pixels, height, width = make(label)
                (folder / split / name / f"{number:02}.png").write_bytes(png(pixels, height, width))
                samples.append((pixels, label))
        return samples

    def pack(self, name, *arguments):
        packed = self.folder / f"{name}.sumac"
        shown = call("data", "pack", self.folder / name, packed, *arguments)
        self.assertIn(f"  format: packed\n  path: {packed}\n", shown)
        return packed

    def test_a_folder_of_pictures_and_the_same_pixels_as_idx_and_packed(self):
        photos, idx = self.folder / "photos", self.folder / "idx"
        idx.mkdir()
        (idx / "classes.txt").write_text("\n".join(CLASSES) + "\n")
        for split, prefix, count in (("train", "train", 16), ("test", "t10k", 10)):
            samples = self.write_pictures(photos, lambda label: (noisy_picture(self.random, label, 48), 6, 8), split, count)
            (idx / f"{prefix}-images-idx3-ubyte").write_bytes(
                struct.pack(">IIII", 0x803, len(samples), 6, 8) + b"".join(pixels for pixels, _ in samples))
            (idx / f"{prefix}-labels-idx1-ubyte").write_bytes(
                struct.pack(">II", 0x801, len(samples)) + bytes(label for _, label in samples))
        flatten = "{type: flatten}, "
        of_idx = self.train("of-idx", f"{{format: idx, path: {idx}, normalize: meanStd}}", "[1, 6, 8]", flatten)
        result = self.train("of-photos", f"{{format: folder, path: {photos}, normalize: meanStd}}", "[1, 6, 8]", flatten)

        self.assertEqual(result["parametersSha256"], of_idx["parametersSha256"])
        self.assertEqual(result["testAccuracy"], of_idx["testAccuracy"])
        for packed in (self.pack("idx", "--format", "idx"), self.pack("photos")):
            data = f"{{format: packed, path: {packed}, normalize: meanStd}}"
            of_packed = self.train(f"of-packed-{packed.stem}", data, "[1, 6, 8]", flatten)
            for learned in ("parametersSha256", "testAccuracy"):
                self.assertEqual(of_packed[learned], result[learned])
            models = [self.folder / name / "model.safetensors" for name in ("of-photos", f"of-packed-{packed.stem}")]
            self.assertEqual(*(model.read_bytes() for model in models))
        whole = [self.train(f"held-back-{form}", f'{{format: {form}, path: {path}, normalize: meanStd, validation: "0.2", '
                            "augment: {flip: true, crop: 1}}", "[1, 6, 8]", flatten)
                 for form, path in (("folder", photos), ("packed", packed))]
        for learned in ("parametersSha256", "validAccuracy", "testAccuracy"):
            self.assertEqual(whole[0][learned], whole[1][learned])
        files = sorted((photos / "test").glob("*/*.png"))
        model = self.alone("of-photos")
        self.check_predictions("of-photos", result, [file.parent.name for file in files], model, files, photos, "folder")
        whole = call("predict", model, idx / "t10k-images-idx3-ubyte").splitlines()
        single = call("predict", model, *files).splitlines()
        self.assertEqual([line.split()[1:] for line in whole], [line.split()[1:] for line in single])
        self.assertIn(".png, .jpg", call("predict", model, self.folder / "of-idx.yaml", status=78))

    def test_pictures_are_made_alike_as_in_training(self):
        photos = self.folder / "photos"

        def colored(label):
            height, width = self.random.choice(((12, 9), (10, 14)))
            gray = noisy_picture(self.random, label, height * width)
            return bytes(value for one in gray for value in (one, 2 * one, 255 - one)), height, width

        for split, count in (("train", 16), ("test", 10)):
            self.write_pictures(photos, colored, split, count)
        result = self.train("run", f"{{format: folder, path: {photos}, resize: [6, 5], channels: 1}}", "[1, 6, 5]",
                            "{type: flatten}, ")

        files = sorted((photos / "test").glob("*/*.png"))
        model = self.alone("run")
        self.check_predictions("run", result, [file.parent.name for file in files], model, files, photos, "folder")
        shown = json.loads(call("models", "show", model, "-o", "json"))
        self.assertEqual((shown["resize"], shown["channels"]), ([6, 5], 1))
        info = json.loads(call("data", "info", "--format", "folder", "--path", photos, "--resize", "6x5", "--channels", "1",
                               "-o", "json"))
        self.assertEqual(info["shape"], [1, 6, 5])

    def test_a_table(self):
        table = self.folder / "table"
        table.mkdir()
        rows = {}
        for split, count in (("train", 60), ("test", 30)):
            rows[split] = []
            for _ in range(count):
                label = self.random.randrange(3)
                rows[split].append((self.random.gauss(label, 1), self.random.choice(("red", "blue", "red")[label:] + ("tan",)),
                                    CLASSES[label]))
            (table / f"{split}.csv").write_text("size,color,kind\n" + "".join(f"{a},{b},{c}\n" for a, b, c in rows[split]))
        result = self.train("run", f"{{format: csv, path: {table}, label: kind}}", "[4]")

        unlabelled = self.folder / "unlabelled.csv"
        unlabelled.write_text("id,color,size\n" + "".join(f"7,{b},{a}\n" for a, b, _ in rows["test"]))
        labels = [label for _, _, label in rows["test"]]
        model = self.alone("run")
        self.check_predictions("run", result, labels, model, [unlabelled], table, "csv")
        unlabelled.write_text("color,size\ngreen,1\n")
        self.assertIn("unlabelled.csv:2:1: column 'color' has 'green'", call("predict", model, unlabelled, status=78))
        unlabelled.write_text("color\nred\n")
        self.assertIn("no column 'size'", call("predict", model, unlabelled, status=78))

    def test_arrays(self):
        arrays = self.folder / "arrays"
        arrays.mkdir()
        labels = {}
        for split, count in (("train", 60), ("test", 30)):
            labels[split] = [at % 3 for at in range(count)]
            values = [self.random.gauss(int(label == at), 1) for label in labels[split] for at in range(3)]
            (arrays / f"x_{split}.npy").write_bytes(npy("<f4", f"({count}, 3)", struct.pack(f"<{len(values)}f", *values)))
            (arrays / f"y_{split}.npy").write_bytes(npy("|u1", f"({count},)", bytes(labels[split])))
        result = self.train("run", f"{{format: npy, path: {arrays}, normalize: meanStd}}", "[3]")

        model = self.alone("run")
        names = [str(label) for label in labels["test"]]
        self.check_predictions("run", result, names, model, [arrays / "x_test.npy"], arrays, "npy")
        one = self.folder / "one.npy"
        one.write_bytes(npy("<f4", "(3,)", (arrays / "x_test.npy").read_bytes()[-90 * 4:][:12]))
        self.assertEqual(call("predict", model, one).split()[1:],
                         call("predict", model, arrays / "x_test.npy").splitlines()[0].split()[1:])
        one.write_bytes(npy("<f4", "(2,)", bytes(8)))
        self.assertIn("found the shape (2,), the model takes (3,) or (samples, 3)", call("predict", model, one, status=78))


if __name__ == "__main__":
    calls.PROGRAMS = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
