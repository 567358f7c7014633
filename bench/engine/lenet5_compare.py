#!/usr/bin/env python3
"""Runs LeNet-5 in Sumac and in PyTorch by turns and prints the table of docs/performance.md.

Every round runs each entry once, so that a busy minute of the machine falls on all of them.
How much of the processors other programs took (or the hypervisor kept) is measured beside
every run; the table has the least disturbed runs of each entry, chosen by that alone and never by
their speed.
"""
import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
BATCH = 64
LAYOUTS = ((1, 1), (1, 4), (2, 4))  # workers, logical workers


def sumac(options, kernels, workers, logical):
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "run"
        subprocess.run(
            [options.sumac, "run", HERE / "lenet5.yaml", "--workers", str(workers),
             "--servers", "1", "--set", f"data.path={options.data.resolve()}",
             "--set", f"training.logicalWorkers={logical}", "--output", output],
            env={**os.environ, "SUMAC_CPU": kernels}, check=True, capture_output=True)
        result = json.loads((output / "result.json").read_text())
    assert result["numerics"].startswith(kernels + "/"), result["numerics"]
    return result["samplesPerSecond"], result["parametersSha256"]


def torch(options, blas):
    env = {key: value for key, value in os.environ.items() if not key.startswith("OPENBLAS_")}
    env["OPENBLAS_NUM_THREADS"] = "1"
    if blas:
        env["LD_LIBRARY_PATH"] = str(blas)
    done = subprocess.run([options.python, HERE / "lenet5_torch.py", "--data", options.data],
                          env=env, check=True, capture_output=True)
    return json.loads(done.stdout)["samplesPerSecond"], None


def busy_seconds():
    """Of all processors since the machine began: everything but idle and waiting for a disk."""
    total = pathlib.Path("/proc/stat").read_text().splitlines()[0]
    fields = [int(field) for field in total.split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


def own_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measured(run):
    """The processors that others kept busy during the run, its speed, and its bits."""
    began, busy, own = time.monotonic(), busy_seconds(), own_seconds()
    speed, sha = run()
    others = (busy_seconds() - busy) - (own_seconds() - own)
    return max(0.0, others / (time.monotonic() - began)), speed, sha


def entries(options):
    for kernels in ("avx512", "avx2", "baseline"):
        for workers, logical in LAYOUTS:
            yield (f"Sumac {kernels}, W={workers} V={logical}",
                   lambda k=kernels, w=workers, v=logical: sumac(options, k, w, v))
    if options.python:
        yield "PyTorch, default BLAS", lambda: torch(options, None)
    if options.python and options.openblas:
        yield "PyTorch, OpenBLAS", lambda: torch(options, options.openblas)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sumac", type=pathlib.Path, required=True)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--openblas", type=pathlib.Path, help="folder of OpenBLAS's libblas.so.3")
    parser.add_argument("--python", help="a Python that has PyTorch; without it Sumac runs alone")
    parser.add_argument("--raw", type=pathlib.Path, help="file for every run's figures, JSON")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--keep", type=int, default=5, help="runs of each entry in the table")
    parser.add_argument("--seconds", type=float, default=3600, help="begin no further round after")
    options = parser.parse_args()
    runs, began = {}, time.monotonic()
    for round_ in range(options.rounds):
        if time.monotonic() - began > options.seconds:
            break
        for name, run in entries(options):
            runs.setdefault(name, []).append(measured(run))
        print(f"round {round_ + 1}", file=sys.stderr, flush=True)
    if options.raw:
        options.raw.write_text(json.dumps(runs))
    print("| | samples/s: median | least | most | ms a step | others' processors, at most |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, all_runs in runs.items():
        kept = sorted(all_runs, key=lambda one: one[0])[:options.keep]
        speeds = [speed for _, speed, _ in kept]
        median = statistics.median(speeds)
        print(f"| {name} | {median:,.0f} | {min(speeds):,.0f} | {max(speeds):,.0f} "
              f"| {1000 * BATCH / median:.2f} | {kept[-1][0]:.2f} |")
        if len({sha for _, _, sha in all_runs}) != 1:
            sys.exit(f"{name} gave different bits")


if __name__ == "__main__":
    main()
