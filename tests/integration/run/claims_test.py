#!/usr/bin/env python3
"""Claims of the papers, measured with `sumac experiment`: docs/papers.md has the claims.

Links are slow, so that they take most of each step and the machine's other work little of it. Workers wait instead
of computing, for times that the tests set: a loaded machine measures others.

    claims_test.py FOLDER_OF_PROGRAMS
"""

import json
import math
import pathlib
import re
import statistics
import sys
import unittest

from experiments import ExperimentTest, small

LENET5 = 4 * 61_706  # bytes of its gradient

Json = "dict[str, object]"

# Of two dense layers: both need their weights at the begin, and gradients and loss are final at the end.
NOTHING_OVERLAPS = (0, 0, 1, 1, 1)


def timed(step: Json, seconds: float, shares: "tuple[float, ...]") -> Json:
    """A step's times as if it computed so long, with its events after these shares of it; by default as measured."""
    shares = shares or tuple(event[-1] / step["gradientSeconds"] for event in step["events"])
    events = [[*event[:-1], share * seconds] for event, share in zip(step["events"], shares, strict=True)]
    return {**step, "gradientSeconds": seconds, "updateSeconds": 0, "events": events}


class Claims(ExperimentTest):
    def setUp(self) -> None:
        self.need_links()
        super().setUp()

    def measure_with(self, seconds: "dict[int, float]", document: str, *shares: float) -> None:
        """Measures, where a step of each of so many workers computes as many seconds, and updates take no time."""
        document = re.sub(r"\n  slowdown: .*", '\n  slowdown: "1"', document)
        times = {}
        for workers, each in seconds.items():
            times.update({name: timed(step, each, shares) for name, step in self.step_times(document, workers).items()})
        self.finish_nothing(document)
        folder = self.output / "step-times"
        folder.mkdir(exist_ok=True)
        for name, step in times.items():
            (folder / name).write_text(json.dumps(step), encoding="utf-8")
        self.measure(document)

    def step_times(self, document: str, workers: int) -> "dict[str, Json]":
        """What a step takes here, by the name of its file."""
        alone = re.sub(r"  axes:.*\n(    .*\n)*", f"  axes:\n    - field: worker.replicas\n      values: [{workers}]\n",
                       re.sub(r"\n  (link|slowdown): .*", "", document))
        output, self.output = self.output, self.folder / f"alone-{workers}"
        self.measure(alone)
        files, self.output = (self.output / "step-times").glob("*.json"), output
        return {file.name: json.loads(file.read_text(encoding="utf-8")) for file in files}

    def steps(self, *names: str) -> "dict[tuple[str, ...], float]":
        """Seconds of a step of each cell, by its values of these axes: the median, since a busy machine delays some."""
        cells = enumerate(self.results()["cells"], start=1)
        runs = {tuple(cell["values"][name] for name in names): self.output / "runs" / f"cell-{number}-run-1.json"
                for number, cell in cells}
        return {values: statistics.median(json.loads(run.read_text(encoding="utf-8"))["stepSeconds"])
                for values, run in runs.items()}

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
        self.measure_with({1: compute}, document)

        cells = self.results()["cells"]
        self.assertEqual({(cell["values"]["arm"], cell["emulated"], cell["slowdown"]) for cell in cells},
                         {("limited", True, 1), ("large", True, 15)})
        step = self.steps("arm", "topology", "size")
        speedup = {key[:2]: 8 * step[*key[:2], "1"] / seconds for key, seconds in step.items() if key[2] == "8"}
        self.assertGreater(speedup["limited", "decentral"], 1.5 * speedup["limited", "central"], step)
        central, decentral = speedup["large", "central"], speedup["large", "decentral"]
        self.assertAlmostEqual(central / decentral, 1, delta=0.1, msg=step)
        self.assertGreater(min(central, decentral), 0.9 * 8, step)

    def test_k2_a_ring_does_not_depend_on_the_workers_and_one_server_is_linear_in_them(self) -> None:
        rate = 400_000_000  # four times that of the file: shorter steps
        document = small("ring-on-links.yaml").replace("rate: 100Mbit", f"rate: {rate // 1_000_000}Mbit")
        self.measure_with({1: 0.4}, re.sub(r'        - \{name: "2".*\n', "", document), *NOTHING_OVERLAPS)

        step = self.steps("exchange", "size")
        ring = [step["ring", size] for size in "468"]
        self.assertLess(max(ring), 1.2 * min(ring), step)
        four, six, eight = (step["server", size] for size in "468")
        self.assertAlmostEqual(2 * six / (four + eight), 1, delta=0.2, msg=step)
        # Pushes and pulls are 2 S / B a worker. They overlap, except for the last sums.
        gradient = 4 * 8 * 636_010 / rate  # seconds on a link
        self.assertGreater(eight - four, 0.8 * 4 * gradient, step)
        self.assertLess(eight - four, 1.2 * 4 * 2 * gradient, step)

    def test_z5_the_overhead_of_one_worker_tells_the_speedup_of_more(self) -> None:
        self.measure_with({1: 2, 2: 1, 4: 0.5}, small("workers.yaml"), *NOTHING_OVERLAPS)

        step = self.steps("worker.replicas")
        compute = self.results()["cells"][0]["stepPhases"]["gradientSeconds"]
        overhead = step["1",] / compute - 1
        for workers in (2, 4):
            lemma = workers * (1 + overhead) / (1 + workers * overhead)
            self.assertAlmostEqual(lemma * step[str(workers),] / step["1",], 1, delta=0.15, msg=step)

    def test_z6_the_lemmas_number_of_servers_hides_the_exchange_and_half_of_it_does_not(self) -> None:
        compute = 0.387
        lemma = math.ceil(2 * 4 * 287_458 * 4 * 8 / 100e6 / compute)
        self.assertEqual(lemma, 2)
        document = re.sub(r'        - \{name: "[34]".*\n', "", small("servers.yaml"))
        # Weights of four layers are needed, then their gradients are final, and the loss, as on an idle machine.
        self.measure_with({4: compute}, document, 0.06, 0.09, 0.27, 0.37, 0.37, 0.43, 0.91, 1, 1)

        step = self.steps("servers")
        self.assertLess(step["2",], 1.1 * step["none",], step)
        self.assertGreater(step["1",], 1.2 * step["none",], step)


if __name__ == "__main__":
    ExperimentTest.programs = pathlib.Path(sys.argv.pop(1))
    program = unittest.main(verbosity=2, exit=False)
    sys.exit(not program.result.wasSuccessful() or program.result.testsRun == 0)
