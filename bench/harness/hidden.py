#!/usr/bin/env python3
"""Measures how much of the exchange a job hides: the table "What is hidden" of docs/performance.md.

Runs a job of dense layers with several topologies, the same job alone on each core, and the
exchange alone, in turn; prints medians (lowest to highest) in milliseconds and

    1 - (step - compute alone) / exchange alone

    bench/harness/hidden.py --bin build/release/bin

For a slower network run it in a network namespace whose loopback is limited:

    unshare -rn sh -c 'ip link set lo up mtu 65535 && tc qdisc add dev lo root tbf rate 4gbit \\
      burst 1mb latency 50ms && bench/harness/hidden.py --bin build/release/bin'
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from typing import List, Sequence, Tuple

BATCH = 256  # of a worker
BYTES = 7_454_760  # of the vector: 784 x 1024 + 1024 x 1024 + 1024 x 10 parameters, and biases
MILLI = 1e3
# (name, workers, settings, algorithm of `sumac bench exchange`)
JOBS: Tuple[Tuple[str, int, Tuple[str, ...], str], ...] = (
    ("1 worker, 1 server", 1, ("strategy.topology=centralized",), "centralized"),
    ("2 workers, a server", 2, ("strategy.topology=centralized",), "centralized"),
    ("2 workers, decentralized", 2, ("strategy.topology=decentralized",), "decentralized"),
    ("2 workers, direct", 2, ("strategy.exchange=allReduce", "strategy.algorithm=direct"),
     "direct"),
)
DOCUMENT = """apiVersion: sumac.dev/v1alpha1
kind: TrainingJob
metadata: {name: hidden}
spec:
  model:
    input: [1, 28, 28]
    layers:
    - {type: flatten}
    - {type: dense, outputs: 1024}
    - {type: relu}
    - {type: dense, outputs: 1024}
    - {type: relu}
    - {type: dense, outputs: 10}
    - {type: softmaxCrossEntropy}
  data:
    format: generated
    generated: {shape: [1, 28, 28], classes: 10, trainSamples: 5120, testSamples: 64}
  training:
    batchSize: 256
    steps: 150
    logicalWorkers: 1
    threads: 1
    initializer: {name: he}
    optimizer: {name: sgd, learningRate: "0.01", momentum: "0.9"}
  worker: {replicas: 1}
"""


@dataclass
class Figures:
    steps: List[float] = field(default_factory=list)  # ms, as the others
    alone: List[float] = field(default_factory=list)
    exchanges: List[float] = field(default_factory=list)

    def hidden(self) -> float:
        over = statistics.median(self.steps) - statistics.median(self.alone)
        return 1 - over / statistics.median(self.exchanges)


class Sumac:
    """Runs jobs in a folder of its own."""

    def __init__(self, program: pathlib.Path, folder: pathlib.Path) -> None:
        self.program, self.folder, self.runs = str(program), folder, 0
        (folder / "job.yaml").write_text(DOCUMENT)

    def _start(self, workers: int, settings: Sequence[str],
               core: int = -1) -> Tuple[subprocess.Popen, pathlib.Path]:
        self.runs += 1
        output = self.folder / str(self.runs)
        command = ["taskset", "-c", str(core)] if core >= 0 else []
        command += [self.program, "run", str(self.folder / "job.yaml"), "--output-dir", str(output)]
        every = [f"training.batchSize={BATCH * workers}", f"training.logicalWorkers={workers}",
                 f"worker.replicas={workers}", *settings]
        for setting in every:
            command += ["--set", setting]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL), output

    def step(self, workers: int, settings: Sequence[str]) -> float:
        process, output = self._start(workers, settings)
        if process.wait() != 0:
            sys.exit(f"hidden.py: {process.args} failed")
        return MILLI / json.loads((output / "result.json").read_text())["batchesPerSecond"]

    def alone(self, workers: int) -> float:
        """One worker without an exchange on as many cores as the job has workers."""
        cores = sorted(os.sched_getaffinity(0))[:workers]
        settings = JOBS[-1][2]
        started = [self._start(1, settings, core) for core in cores]
        steps = []
        for process, output in started:
            if process.wait() != 0:
                sys.exit(f"hidden.py: {process.args} failed")
            result = json.loads((output / "result.json").read_text())
            steps.append(MILLI * result["computeSeconds"] / result["steps"])
        return statistics.mean(steps)

    def exchange(self, workers: int, algorithm: str) -> float:
        command = [self.program, "bench", "exchange", "--sizes", str(BYTES), "--algorithms",
                   algorithm, "--workers", str(workers), "--output", "json"]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
        return MILLI * json.loads(done.stdout)["cells"][0]["p50Seconds"]


def text(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.1f} ({min(values):.1f} to {max(values):.1f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, type=pathlib.Path, help="folder of our programs")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    figures = [Figures() for _ in JOBS]
    with tempfile.TemporaryDirectory(prefix="sumac-hidden-") as folder:
        sumac = Sumac(options.bin.resolve() / "sumac", pathlib.Path(folder))
        for _ in range(options.rounds):
            for one, (_, workers, settings, algorithm) in zip(figures, JOBS):
                one.alone.append(sumac.alone(workers))
                one.steps.append(sumac.step(workers, settings))
                one.exchanges.append(sumac.exchange(workers, algorithm))
    print("| job | step | compute alone | exchange alone | hidden |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for one, (name, *_) in zip(figures, JOBS):
        hidden = one.hidden()
        share = f"{100 * hidden:.0f} %" if hidden > 0 else "none"
        print(f"| {name} | {text(one.steps)} | {text(one.alone)} | {text(one.exchanges)} | {share} |")


if __name__ == "__main__":
    main()
