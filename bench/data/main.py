#!/usr/bin/env python3
"""Measures how data get to the training: pictures beside Pillow, waits for samples, memory of packed data.

    jpegs        60,000 JPEGs of 32x32, two threads, beside two processes of Pillow
    photographs  2,000 photographs of 12 megapixels to 224x224, beside Pillow's draft mode
    waits        1,000 steps of CIFAR with augmentation by one thread: the share of their time spent waiting
    packed       3 GiB in a packed file: what a worker's memory has more than with a small one

Sumac and Pillow load in turn, --rounds times. Prints a line for each, and writes results.json to --output. Data are
made there once, some 5 GB, and stay. Exit status: 0, or 1 where a bound does not hold.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

RIVAL = pathlib.Path(__file__).resolve().parent.parent / "rivals" / "pil_folder.py"
CORES = 2  # of the machine; without the spare one a wait is no wonder
AT_LEAST_TIMES = 1.2  # Pillow, where it has no draft mode
MOST_WAIT = 0.01  # of the steps' time
PHOTOGRAPH = (4000, 3000)
DISTINCT = 100  # photographs; the others are links to them
BATCH = 16
SIDE = 448

JOB = """apiVersion: sumac.dev/v1alpha1
kind: TrainingJob
metadata: {{name: bench-data}}
spec:
  model: {model}
  data: {data}
  training: {{batchSize: {batch}, steps: {steps}, threads: 1, optimizer: {{name: sgd, learningRate: "0.001"}}}}
  worker: {{replicas: 1}}
"""
SMALL_NETWORK = """{{input: [3, {side}, {side}], layers: [{{type: averagePool, kernel: 16}}, {{type: flatten}},
    {{type: dense, outputs: 2}}, {{type: softmaxCrossEntropy}}]}}"""


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of our programs")
    parser.add_argument("--pillow", type=pathlib.Path, required=True, help="a Python that has Pillow")
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--only", default=",".join(MEASUREMENTS), help="some of them: jpegs,waits")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0, help="of the amounts: 0.01 tries the programs out")
    return parser.parse_args()


def output_of(*command):
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True).stdout


class Bench:
    def __init__(self, options):
        self.options = options
        self.sumac = (options.bin / "sumac").resolve()
        self.data = options.output / f"data-{options.scale:g}"
        self.data.mkdir(parents=True, exist_ok=True)

    def scaled(self, count):
        return max(40, round(count * self.options.scale))

    def made(self, name, make):
        """The path of what `make` leaves under a name that it is given; made once."""
        path = self.data / name
        if not path.exists():
            print(f"making {path}", file=sys.stderr)
            unfinished = self.data / f"new-{name}"
            subprocess.run(["rm", "-rf", unfinished], check=True)
            make(unfinished)
            unfinished.rename(path)
        return path

    def jpegs(self, count, width, height):
        return lambda path: output_of(self.options.pillow, RIVAL, "make", path, count, width, height)

    def loads(self, folder, side, bound):
        """Pictures a second of both, loaded in turn."""
        sides = [] if side is None else [side]
        rates = {"Sumac": [], "Pillow": []}
        for _ in range(self.options.rounds):
            ours = output_of(self.options.bin / "sumac-bench-pictures", folder, CORES, *sides)
            theirs = output_of(self.options.pillow, RIVAL, "load", folder, CORES, *sides)
            rates["Sumac"].append(json.loads(ours)["picturesPerSecond"])
            rates["Pillow"].append(json.loads(theirs)["picturesPerSecond"])
        medians = {name: statistics.median(all_rates) for name, all_rates in rates.items()}
        times = medians["Sumac"] / medians["Pillow"]
        spread = {name: [min(all_rates), max(all_rates)] for name, all_rates in rates.items()}
        return {"picturesPerSecond": medians, "spread": spread, "times": round(times, 2),
                "holds": bound is None or times >= bound}

    def measure_jpegs(self):
        count = self.scaled(60_000)
        return self.loads(self.made("jpegs", self.jpegs(count, 32, 32)), None, AT_LEAST_TIMES)

    def measure_photographs(self):
        distinct = self.scaled(DISTINCT)

        def make(path):
            self.jpegs(distinct, *PHOTOGRAPH)(path)
            for at in range(distinct, self.scaled(2_000)):
                of = path / "train" / "ab"[at % 2]
                os.link(of / f"{at % 2 + at // 2 % (distinct // 2) * 2}.jpg", of / f"{at}.jpg")

        return self.loads(self.made("photographs", make), 224, None)

    def train(self, name, model, data, batch, steps):
        """The folder of a finished run, and the most memory that its worker had, in bytes."""
        folder = self.data / f"run-{name}"
        subprocess.run(["rm", "-rf", folder], check=True)
        job = self.data / f"{name}.yaml"
        job.write_text(JOB.format(model=model, data=data, batch=batch, steps=steps))
        run = subprocess.Popen([self.sumac, "run", job, "--output-dir", folder], stdout=subprocess.DEVNULL)
        most = 0
        while run.poll() is None:
            most = max(most, peak_of_worker(run.pid))
            time.sleep(0.01)
        if run.returncode != 0:
            raise SystemExit(f"main.py: {job} was not trained")
        return folder, most

    def measure_waits(self):
        cifar = self.made("cifar", lambda path: output_of(
            self.sumac, "data", "generate", "--format", "cifar10", "--output-dir", path, "--samples", 10_000))
        data = f"{{format: cifar10, path: {cifar.resolve()}, normalize: meanStd, augment: {{flip: true, crop: 4, rotate: 15}}}}"
        shares = []
        for _ in range(self.options.rounds):
            folder, _ = self.train("waits", "{name: cifar10-quick}", data, 100, self.scaled(1_000))
            times = json.loads((folder / "result.json").read_text())["workerTimes"][0]
            whole = sum(times[part] for part in ("gradientSeconds", "sumWaitSeconds", "dataWaitSeconds", "updateSeconds"))
            shares.append(times["dataWaitSeconds"] / whole)
        return {"share": {"median": statistics.median(shares), "most": max(shares)},
                "holds": statistics.median(shares) < MOST_WAIT}

    def packed(self, count):
        def make(path):
            small = path.with_suffix(".pictures")
            subprocess.run(["rm", "-rf", small], check=True)
            output_of(self.sumac, "data", "generate", "--format", "folder", "--output-dir", small, "--samples", count,
                      "--classes", 2, "--shape", "3x16x16")
            output_of(self.sumac, "data", "pack", small, path, "--resize", f"{SIDE}x{SIDE}")
            subprocess.run(["rm", "-rf", small], check=True)

        return self.made(f"{count}.sumac", make)

    def measure_packed(self):
        """Both train so many steps that all pictures of the large file are read once."""
        large = self.scaled(5_400)
        peaks = {}
        for count in (4 * BATCH, large):
            path = self.packed(count)
            data = f"{{format: packed, path: {path.resolve()}}}"
            _, peaks[count] = self.train(f"packed-{count}", SMALL_NETWORK.format(side=SIDE), data, BATCH, large // BATCH)
        more = peaks[large] - peaks[4 * BATCH]
        batch = BATCH * 3 * SIDE * SIDE * 4
        return {"packedBytes": self.packed(large).stat().st_size, "peakBytes": peaks[large],
                "peakBytesOfSmallFile": peaks[4 * BATCH], "batchBytes": batch, "batchesMore": round(more / batch, 3),
                "holds": more <= 2 * batch}


def peak_of_worker(pid):
    """The largest resident memory that a worker among the children of a process had so far; 0 without one."""
    try:
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0
    most = 0
    for child in children:
        try:
            if "sumac-worker" in os.readlink(f"/proc/{child}/exe"):
                lines = pathlib.Path(f"/proc/{child}/status").read_text().splitlines()
                most = max(most, *(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)
        except OSError:
            continue  # it has ended
    return most


MEASUREMENTS = {"jpegs": Bench.measure_jpegs, "photographs": Bench.measure_photographs,
                "waits": Bench.measure_waits, "packed": Bench.measure_packed}


def main():
    options = parse()
    names = options.only.split(",")
    if unknown := set(names) - set(MEASUREMENTS):
        sys.exit(f"main.py: unknown {', '.join(sorted(unknown))}; known are {', '.join(MEASUREMENTS)}")
    bench = Bench(options)
    results = {}
    for name in names:
        results[name] = MEASUREMENTS[name](bench)
        print(name, json.dumps(results[name]), flush=True)
        (options.output / "results.json").write_text(json.dumps(results, indent=2) + "\n")
    sys.exit(not all(result["holds"] for result in results.values()))


if __name__ == "__main__":
    main()
