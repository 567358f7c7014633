#!/usr/bin/env python3
"""Claims of the papers, measured with `sumac experiment`: docs/papers.md has the claims.

Links are slow, so that they take most of each step and the machine's other work little of it. Workers wait instead
of computing, for times that the tests set: a loaded machine measures others.

    claims_test.py FOLDER_OF_PROGRAMS
"""

import json
import pathlib
import re
import statistics
import sys
import unittest

from experiments import ExperimentTest, small

LENET5 = 4 * 61_706  # bytes of its gradient


Json = "dict[str, object]"


AWAITS = 0  # of a step's events: the forward pass comes to weights


def scaled(step: Json, seconds: float) -> Json:
    """A step's times as if it computed so long, and came to all weights at its begin. Its update takes no time."""
    share = seconds / step["gradientSeconds"]
    events = [[*event[:-1], 0 if event[0] == AWAITS else event[-1] * share] for event in step["events"]]
    return {**step, "gradientSeconds": seconds, "updateSeconds": 0, "events": events}


class Claims(ExperimentTest):
    def setUp(self) -> None:
        self.need_links()
        super().setUp()

    def measure_with(self, seconds: "dict[int, float]", document: str) -> None:
        """Measures, where a step of each of so many workers computes as many seconds."""
        times = {}
        for workers, each in seconds.items():
            times.update({name: scaled(step, each) for name, step in self.step_times(document, workers).items()})
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
        document = small("large-compute.yaml", steps=5)
        document = re.sub(r'        - \{name: "[24]".*\n', "", document)
        document = re.sub(r"\n  (link|slowdown): .*", "", document)
        document = document.replace("  axes:\n", """  axes:
    - name: arm
      variants:
        - {name: limited, set: {link.rate: 100Mbit, slowdown: "1"}}
        - {name: large, set: {link.rate: 1Gbit, slowdown: "12"}}
""")
        compute = 0.04
        self.assertGreaterEqual(12 * compute, 10 * 2 * LENET5 * 8 * 8 / 1e9)  # t_c >= 10 * 2 S N / B
        self.measure_with({1: compute}, document)

        self.assertEqual({(cell["values"]["arm"], cell["emulated"], cell["slowdown"]) for cell in self.results()["cells"]},
                         {("limited", True, 1), ("large", True, 12)})
        step = self.steps("arm", "topology", "size")
        speedup = {key[:2]: 8 * step[*key[:2], "1"] / seconds for key, seconds in step.items() if key[2] == "8"}
        self.assertGreater(speedup["limited", "decentral"], speedup["limited", "central"], step)
        central, decentral = speedup["large", "central"], speedup["large", "decentral"]
        self.assertAlmostEqual(central / decentral, 1, delta=0.1, msg=step)
        self.assertGreater(min(central, decentral), 0.9 * 8, step)


if __name__ == "__main__":
    ExperimentTest.programs = pathlib.Path(sys.argv.pop(1))
    unittest.main(verbosity=2)
