#!/usr/bin/env python3
"""Compares the speed of PyTorch programs on Sumac with that of DistributedDataParallel over gloo, and of one process.

    bench/program/main.py --bin build/release/bin --library build/release/lib/sumac/libsumac.so.1 --output FILE
        [--only lenet5,lstm] [--rounds 7] [--scale 1] [--cores 0,1]

Each round runs every kind once, in the reverse order every other time: two processes on two cores with a thread each,
and then one process. Prints medians, the ratio to each rival with its 95 % interval over the rounds (no_slower.py), and
the highest resident memory of a process. Writes all values to --output.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench/harness")]

from no_slower import interval  # noqa: E402

PROGRAM = pathlib.Path(__file__).with_name("networks.py")
# Steps that are measured, and those before them.
STEPS = {"lenet5": (300, 30), "resnet18": (8, 2), "lstm": (40, 5), "transformer": (40, 5)}
BATCH = {"lenet5": 128, "resnet18": 64, "lstm": 32, "transformer": 32}
# Kinds of runs: (kind, processes, parts).
KINDS = {"DDP": ("ddp", 2, 2), "DDP, tuned": ("tuned", 2, 2), "Sumac, V = 2": ("sumac", 2, 2), "Sumac, V = 8": ("sumac", 2, 8),
         "PyTorch, 8 micro-batches": ("plain", 1, 8), "Sumac, one worker, V = 8": ("sumac", 1, 8)}
PAIRS = [("Sumac, V = 2", "DDP"), ("Sumac, V = 2", "DDP, tuned"), ("Sumac, V = 8", "DDP"),
         ("Sumac, one worker, V = 8", "PyTorch, 8 micro-batches")]
PATIENCE_SECONDS = 900  # ends only what has failed already


def start(command, options):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SUMAC_")}
    environment |= {"PYTHONPATH": str(ROOT / "python"), "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
                    "SUMAC_LIBRARY": str(options.library)}
    return subprocess.Popen(["taskset", "-c", options.cores, *map(str, command)], env=environment, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def run(network, name, options):
    """(samples a second, MB of the largest process, MB of a gradient) of one run."""
    kind, processes, parts = KINDS[name]
    measured, warm = (max(1, round(count * options.scale)) for count in STEPS[network])
    with tempfile.TemporaryDirectory(prefix="sumac-bench-") as folder:
        words = [f"network={network}", f"kind={kind}", f"steps={measured + warm}", f"warm={warm}", f"out={folder}"]
        program = [sys.executable, PROGRAM, *words]
        if kind == "sumac" and processes > 1:
            flags = ["--workers", processes, "--parts", parts, "--batch", BATCH[network], "--steps", measured + warm]
            started = [start([options.bin / "sumac", "run", *flags, "--output", f"{folder}/job", "--", *program], options)]
        elif processes > 1:
            started = [start([*program, f"rank={rank}", f"store={folder}/store"], options) for rank in range(processes)]
        else:
            started = [start([*program, f"parts={parts}"], options)]
        for process in started:
            said, _ = process.communicate(timeout=PATIENCE_SECONDS)
            if process.returncode != 0:
                raise SystemExit(f"{network}, {name}: exit status {process.returncode}\n{said}")
        found = [json.loads(file.read_text()) for file in pathlib.Path(folder).glob("*.json")]
    if len(found) != processes:
        raise SystemExit(f"{network}, {name}: {len(found)} of {processes} processes wrote a result")
    return min(one["rate"] for one in found), max(one["megabytes"] for one in found), found[0]["gradient"]


def measure(network, options):
    found = {name: [] for name in KINDS}
    for number in range(options.rounds):
        for name in list(KINDS)[::1 if number % 2 == 0 else -1]:
            found[name].append(run(network, name, options))
    return found


def report(network, found):
    print(f"\n### {network}, a gradient of {found['DDP'][0][2]:.1f} MB\n")
    print("| | samples/s, median (least to most) | MB resident |\n| --- | ---: | ---: |")
    for name, runs in found.items():
        rates = [rate for rate, _, _ in runs]
        print(f"| {name} | {statistics.median(rates):,.0f} ({min(rates):,.0f} to {max(rates):,.0f})"
              f" | {statistics.median(memory for _, memory, _ in runs):,.0f} |")
    print("\n| | ratio (95 % interval) |\n| --- | ---: |")
    for ours, rival in PAIRS:
        ratios = [mine[0] / theirs[0] for mine, theirs in zip(found[ours], found[rival])]
        ratio, least, most = interval(ratios) if len(ratios) > 1 else (ratios[0],) * 3
        print(f"| {ours}, by {rival} | {ratio:.3f} ({least:.3f} to {most:.3f}) |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of Sumac's programs")
    parser.add_argument("--library", type=pathlib.Path, required=True, help="libsumac.so.1")
    parser.add_argument("--output", type=pathlib.Path, required=True, help="file for all values, as JSON")
    parser.add_argument("--only", default=",".join(STEPS), help="networks")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--scale", type=float, default=1.0, help="times the steps of a run")
    parser.add_argument("--cores", default="0,1", help="for all processes of a run")
    options = parser.parse_args()
    options.bin, options.library = options.bin.resolve(), options.library.resolve()
    print(f"load before: {os.getloadavg()[0]:.1f}")
    values = {}
    for network in options.only.split(","):
        values[network] = measure(network, options)
        report(network, values[network])
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")
    print(f"\nload after: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
