#!/usr/bin/env python3
"""No line of a profile is faster than the processor: each pass of a layer takes the time of its own products.

Measured, so by `make test-claims`: what runs beside it takes cache and time from both.

    peak_test.py FOLDER_OF_PROGRAMS
"""

import json
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SAMPLES = 112  # seven blocks of 16: more than one group of blocks
PADDING, KERNEL = 2, 5  # of all three convolutions of the network


def taps(size: int) -> int:
    """Pixels that the windows of `size` outputs have inside the image."""
    return size * KERNEL - PADDING * (PADDING + 1)


class Peak(unittest.TestCase):
    programs = pathlib.Path()  # their folder

    def text_of(self, program: str, *arguments: str, stdin: str = "") -> str:
        return subprocess.run([self.programs / program, *arguments], check=True, stdout=subprocess.PIPE, text=True,
                              input=stdin).stdout

    def test_no_convolutions_products_are_faster_than_multiply_adds_in_registers(self) -> None:
        job = (ROOT / "examples" / "cifar10-quick.yaml").read_text(encoding="utf-8")
        shapes = {layer["name"]: layer for layer in
                  json.loads(self.text_of("sumac", "models", "show", "cifar10-quick", "-o", "json"))["layers"]}
        profile = json.loads(self.text_of("sumac-worker", "profile", "--batch-sizes", str(SAMPLES), "--threads", "1",
                                          stdin=job))
        (batch,) = profile["batches"]
        self.assertEqual((batch["samples"], batch["parts"]), (SAMPLES, 1))
        peak = json.loads(self.text_of("sumac-bench-fma-peak"))["gflops"]

        lines = {}
        for layer in batch["layers"]:
            shape = shapes[layer["name"]]
            if shape["type"] != "conv2d":
                continue
            channels, rows, columns = shape["output"]
            products = SAMPLES * channels * shape["input"][0] * taps(rows) * taps(columns)
            seconds = {"forward": layer["forwardSeconds"], "input gradient": layer["inputGradientSeconds"],
                       "weight gradient": sum(tensor["gradientSeconds"] for tensor in layer["tensors"])}
            lines.update({(layer["name"], name): 2e-9 * products / each for name, each in seconds.items() if each > 0})
        # The first one has no input gradient: only some microseconds follow.
        lines.pop((batch["layers"][0]["name"], "input gradient"), None)
        self.assertEqual(len(lines), 8, lines)
        self.assertLess(max(lines.values()), 1.05 * peak, lines)


if __name__ == "__main__":
    Peak.programs = pathlib.Path(sys.argv.pop(1))
    unittest.main(verbosity=2)
