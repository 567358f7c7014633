#!/usr/bin/env python3
"""Claims of the papers, measured with `sumac experiment`: docs/papers.md has the claims.

Links are slow, so that they take most of each step and the machine's other work little of it. Workers wait instead
of computing, for times of profiles that the tests make: a loaded machine measures others.

What runs beside a test only delays steps. So what has to be fast is judged by its fastest step, and what has to be slow
by the mean of its steps: delays make it slower still. Not by its fastest: where worker 0, whose steps are timed, is held
up, the others' next contributions are with the server already, and its bucket has saved 256 KiB, so that one step after
a long one is short. The mean has both.

    claims_test.py FOLDER_OF_PROGRAMS
"""

import json
import math
import pathlib
import re
import statistics
import sys
import unittest

from experiments import ExperimentTest, Json, batch, small

LENET5 = 4 * 61_706  # bytes of its gradient
LARGE = 4 * 318_010  # of one that is much more than the 256 KiB which a link saves

Seconds = "dict[tuple[str, ...], float]"


def layer(name: str, values: int, forward: float, backward: float) -> Json:
    """With its shares of a step."""
    return {"name": name, "forwardSeconds": forward, "inputGradientSeconds": 0, "updateSeconds": 0, "valueBytes": 1,
            "tensors": [{"name": "weight", "values": values, "gradientSeconds": backward}]}


class Claims(ExperimentTest):
    def setUp(self) -> None:
        self.need_links()
        super().setUp()

    def measure_with(self, document: str, seconds: float, samples: int, parts: "tuple[int, ...]" = (1,),
                     layers: "list[Json]" = (), forward: float = 0.5) -> None:
        """Measures, where a part of so many samples computes as many seconds."""
        document = re.sub(r"\n  slowdown: .*", '\n  slowdown: "1"', document)
        file = self.folder / "made.profile.json"
        file.write_text(json.dumps(self.profile(document, [
            batch(seconds * each, samples * each, each, list(layers), forward) for each in parts])), encoding="utf-8")
        self.measure(document, "--profile", file)

    def steps(self, *names: str) -> "tuple[Seconds, Seconds]":
        """Seconds of a step of each cell, by its values of these axes: of the fastest, and the mean."""
        runs = {tuple(cell["values"][name] for name in names): json.loads(
                    (self.output / "runs" / f"cell-{number}-run-1.json").read_text(encoding="utf-8"))["stepSeconds"]
                for number, cell in enumerate(self.results()["cells"], start=1)}
        return tuple({values: of(seconds) for values, seconds in runs.items()} for of in (min, statistics.fmean))

    def test_j1_a_central_step_grows_with_the_workers_and_a_decentral_one_stays_below_two_gradients(self) -> None:
        document = small("large-compute.yaml", link="{rate: 50Mbit}", steps=5)
        document = re.sub(r'        - \{name: "[18]".*\n', "", document)
        document = document.replace("{name: lenet5} ", "{input: [1, 28, 28], layers: [{type: flatten}, {type: dense, "
                                    "outputs: 400}, {type: dense, outputs: 10}, {type: softmaxCrossEntropy}]} ")
        self.measure_with(document, 0.01, 64)

        fastest, mean = self.steps("topology", "size")
        gradient = 8 * LARGE / 50e6  # seconds on a link
        for workers in (2, 4):  # what a link lets through, and the 256 KiB that it may have saved
            self.assertGreater(mean["central", str(workers)], 0.9 * workers * gradient, mean)
            self.assertGreater(mean["decentral", str(workers)], 0.9 * 2 * (workers - 1) / workers * gradient, mean)
            self.assertLess(fastest["decentral", str(workers)], 2 * gradient, fastest)
            self.assertLess(fastest["central", str(workers)], 1.1 * 2 * workers * gradient, fastest)
        self.assertGreater(mean["central", "4"], 1.6 * fastest["central", "2"], (fastest, mean))
        self.assertGreater(mean["central", "4"], 1.5 * fastest["decentral", "4"], (fastest, mean))

    def test_j2_decentral_scales_better_where_links_are_the_limit_and_as_well_where_computing_is(self) -> None:
        document = small("large-compute.yaml")
        document = re.sub(r'        - \{name: "[24]".*\n', "", document)
        document = re.sub(r"\n  (link|slowdown): .*", "", document)
        document = document.replace("  axes:\n", """  axes:
    - name: arm
      variants:
        - {name: limited, set: {link.rate: 100Mbit, slowdown: "1"}}
        - {name: large, set: {link.rate: 1Gbit, slowdown: "15"}}
""")
        compute = 0.04
        self.assertGreaterEqual(15 * compute, 10 * 2 * LENET5 * 8 * 8 / 1e9)  # t_c >= 10 * 2 S N / B
        self.measure_with(document, compute, 64)

        cells = self.results()["cells"]
        self.assertEqual({(cell["values"]["arm"], cell["emulated"], cell["slowdown"]) for cell in cells},
                         {("limited", True, 1), ("large", True, 15)})
        fastest, mean = self.steps("arm", "topology", "size")
        one, eight = ({key[:2]: each for key, each in fastest.items() if key[2] == size} for size in "18")
        speedup = {key: 8 * one[key] / each for key, each in eight.items()}
        limited = 8 * one["limited", "central"] / mean["limited", "central", "8"]
        self.assertGreater(speedup["limited", "decentral"], 1.5 * limited, (fastest, mean))
        central, decentral = speedup["large", "central"], speedup["large", "decentral"]
        self.assertAlmostEqual(central / decentral, 1, delta=0.1, msg=fastest)
        self.assertGreater(min(central, decentral), 0.9 * 8, fastest)

    def test_k2_a_ring_does_not_depend_on_the_workers_and_one_server_is_linear_in_them(self) -> None:
        rate = 400_000_000  # four times that of the file: shorter steps
        document = small("ring-on-links.yaml").replace("rate: 100Mbit", f"rate: {rate // 1_000_000}Mbit")
        self.measure_with(re.sub(r'        - \{name: "2".*\n', "", document), 0.4, 16)

        step, mean = self.steps("exchange", "size")
        ring = [step["ring", size] for size in "468"]
        self.assertLess(max(ring), 1.2 * min(ring), step)
        four, six, eight = (step["server", size] for size in "468")
        self.assertAlmostEqual(2 * six / (four + eight), 1, delta=0.2, msg=step)
        # Pushes and pulls are 2 S / B a worker. They overlap, except for the last sums.
        gradient = 4 * 8 * 636_010 / rate  # seconds on a link
        self.assertGreater(mean["server", "8"] - four, 0.8 * 4 * gradient, (step, mean))
        self.assertLess(eight - four, 1.2 * 4 * 2 * gradient, step)

    def test_o5_steps_that_nothing_was_fitted_to_are_predicted_to_95_percent(self) -> None:
        document = re.sub(r'        - \{name: "8".*\n', "", small("oracle.yaml", steps=10).replace(", 200Mbit]", "]"))
        self.measure_with(document, 0.1, 16)

        accuracy = {(cell["values"]["exchange"], cell["values"]["size"]): cell["predictionAccuracy"]
                    for cell in self.results()["cells"]}
        self.assertEqual(len(accuracy), 6)
        self.assertGreaterEqual(statistics.mean(accuracy.values()), 0.95, accuracy)

    def test_z5_the_overhead_of_one_worker_tells_the_speedup_of_more(self) -> None:
        compute = 2
        self.measure_with(small("workers.yaml"), compute / 4, 128, parts=(1, 2, 4))

        step, _ = self.steps("worker.replicas")
        overhead = step["1",] / compute - 1
        for workers in (2, 4):
            lemma = workers * (1 + overhead) / (1 + workers * overhead)
            self.assertAlmostEqual(lemma * step[str(workers),] / step["1",], 1, delta=0.15, msg=step)

    def test_z6_the_lemmas_number_of_servers_hides_the_exchange_and_half_of_it_does_not(self) -> None:
        compute = 0.387
        lemma = math.ceil(2 * 4 * 287_458 * 4 * 8 / 100e6 / compute)
        self.assertEqual(lemma, 2)
        document = re.sub(r'        - \{name: "[34]".*\n', "", small("servers.yaml"))
        # As on an idle machine.
        layers = [layer("conv1", 80, 0.09, 0.09), layer("conv2", 1_168, 0.18, 0.48), layer("dense1", 282_600, 0.1, 0.06),
                  layer("dense2", 3_610, 0, 0)]
        self.measure_with(document, compute, 64, layers=layers, forward=0.37)

        fastest, mean = self.steps("servers")
        self.assertLess(fastest["2",], 1.1 * fastest["none",], fastest)
        self.assertGreater(mean["1",], 1.2 * fastest["none",], (fastest, mean))


if __name__ == "__main__":
    ExperimentTest.programs = pathlib.Path(sys.argv.pop(1))
    program = unittest.main(verbosity=2, exit=False)
    sys.exit(not program.result.wasSuccessful() or program.result.testsRun == 0)
