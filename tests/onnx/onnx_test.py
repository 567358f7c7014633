#!/usr/bin/env python3
"""Exports networks with random weights by `sumac export`, has ONNX check the files, and compares what ONNX
Runtime computes of them with what Sumac's engine computes of the same inputs.

    onnx_test.py FOLDER_OF_PROGRAMS [NAME...]     only the cases of these names; run by run.sh

Prints the largest differences of each network: of probabilities, and of logits beside the largest logit.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy
import onnx
import onnxruntime

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = pathlib.Path()
MOST_PROBABILITY = 1e-5
MOST_LOGIT = 1e-4  # of the largest
ZOO = ["lenet5", "lenet5-mxnet", "cifar10-quick", "ptb-lstm-small", "alexnet", "alexnet-ungrouped", "alexnet-owt",
       "overfeat-fast", "vgg-a", "vgg16", "resnet50", "resnet152", "cd-dnn"]


def program(name, *arguments):
    return subprocess.run([PROGRAMS / name, *map(str, arguments)], check=True, stdout=subprocess.PIPE, text=True,
                          timeout=900).stdout


class Case:
    """One network: what the engine took and gave, as arrays, and a session of ONNX Runtime."""

    def __init__(self, network, folder, *flags):
        self.folder = pathlib.Path(folder)
        self.about = json.loads(program("sumac_onnx_case", network, folder, *flags))
        program("sumac", "export", self.folder / "model.safetensors", "--format", "onnx")
        path = str(self.folder / "model.onnx")
        onnx.checker.check_model(path, full_check=True)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 2
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self.samples = self.about["samples"]
        rows = [self.samples, *self.about["input"]] if self.is_text() else [self.samples]
        self.logits = self.read("logits").reshape([*rows, self.about["classes"]])
        self.probabilities = self.read("probabilities").reshape(self.logits.shape)

    def is_text(self):
        return self.about["inputName"] == "tokens"

    def read(self, name, kind="<f4"):
        return numpy.fromfile(self.folder / name, kind)

    def inputs(self):
        shape = [self.samples, *self.about["input"]]
        if not self.is_text():
            return {self.about["inputName"]: self.read("raw").reshape(shape)}
        return {"tokens": self.read("tokens", "<i4").astype("int64").reshape(shape), **self.states("state", "")}

    def states(self, name, prefix):
        """The engine's state, sample after sample, as {depth, samples, outputs} of each lstm's h and c."""
        state = self.read(name).reshape(self.samples, -1)
        found = {}
        for lstm in self.about["lstms"]:
            layers, outputs = lstm["layers"], lstm["outputs"]
            own = state[:, lstm["offset"]:lstm["offset"] + 2 * layers * outputs]
            own = own.reshape(self.samples, layers, 2, outputs).transpose(2, 1, 0, 3)
            found[f"{lstm['name']}.{prefix}h"], found[f"{lstm['name']}.{prefix}c"] = own.copy()
        return found

    def run(self, inputs):
        names = [output.name for output in self.session.get_outputs()]
        return dict(zip(names, self.session.run(names, inputs)))


def difference(a, b):
    return float(numpy.abs(a.astype("f8") - b.astype("f8")).max())


class Exports(unittest.TestCase):
    """One test for each network, made below."""

    def compare(self, name, case):
        found = case.run(case.inputs())
        largest = float(numpy.abs(case.logits).max())
        probability = difference(found["probabilities"], case.probabilities)
        logit = difference(found["logits"], case.logits)
        print(f"{name:20} {case.about['parameters']:>11,} parameters   probabilities {probability:.1e}   "
              f"logits {logit / largest:.1e} of {largest:.3g}", flush=True)
        self.assertTrue(numpy.isfinite(case.logits).all())
        self.assertGreater(float(numpy.ptp(case.probabilities, axis=0).max()), 1e-6, "all samples give the same")
        self.assertLessEqual(probability, MOST_PROBABILITY)
        self.assertLessEqual(logit, MOST_LOGIT * largest)
        for state, expected in case.states("next", "next_").items():
            self.assertLessEqual(difference(found[state], expected), MOST_LOGIT, state)
        return found

    def check_one_sample_alone(self, case, together):
        first = {name: value[:, :1] if value.ndim == 3 and case.is_text() else value[:1]
                 for name, value in case.inputs().items()}
        alone = case.run(first)
        self.assertLessEqual(difference(alone["probabilities"], together["probabilities"][:1]), MOST_PROBABILITY)

    def check_words_in_two_parts(self, case, together):
        inputs = case.inputs()
        tokens = inputs.pop("tokens")
        first = case.run({"tokens": tokens[:, :4], **inputs})
        carried = {name: first[name.replace(".", ".next_")] for name in inputs}
        second = case.run({"tokens": tokens[:, 4:], **carried})
        both = numpy.concatenate([first["probabilities"], second["probabilities"]], axis=1)
        self.assertLessEqual(difference(both, together["probabilities"]), MOST_PROBABILITY)

    def export(self, name, network, *flags):
        with tempfile.TemporaryDirectory() as folder:
            case = Case(network, folder, *flags)
            found = self.compare(name, case)
            self.check_one_sample_alone(case, found)
            if case.is_text():
                self.check_words_in_two_parts(case, found)


def cases():
    for path in sorted(HERE.glob("*.yaml")):
        yield path.stem, (path,)
    yield "normalized", (HERE / "every_layer.yaml", "--normalized")
    for name in ZOO:
        yield name, (name,)


def suite(names):
    known = dict(cases())
    if unknown := set(names) - set(known):
        sys.exit(f"onnx_test.py: unknown case {', '.join(sorted(unknown))}; known are {', '.join(known)}")
    tests = unittest.TestSuite()
    for name, arguments in known.items():
        if names and name not in names:
            continue
        method = f"test_{name}"
        setattr(Exports, method, lambda self, name=name, arguments=arguments: self.export(name, *arguments))
        tests.addTest(Exports(method))
    return tests


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PROGRAMS = pathlib.Path(sys.argv[1]).resolve()
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite(sys.argv[2:])).wasSuccessful())
