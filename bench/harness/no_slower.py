#!/usr/bin/env python3
"""Asks whether the programs of one commit train slower than those of another.

    bench/harness/no_slower.py --old OLD/build/release/bin --new build/release/bin

Runs each LeNet-5 job of `make bench` with both in turn, either first in every other pair, until the 95 % interval of
the ratio of their speeds (Student's t over the logarithms of the pairs' ratios) is narrower than 3 %, at most
40 pairs. Prints a table, writes all speeds to --output. Exit status: 0, or 1 where one is slower for certain or
fails. Needs a quiet machine, two cores, and nothing but Python 3.11 beside the programs.
"""
import argparse
import fnmatch
import json
import math
import pathlib
import statistics
import sys
import time

from exchange_entries import LENET5_1X1, LENET5_JOBS
from exchange_programs import Job
from programs import Failed

JOBS = {**LENET5_JOBS, "lenet5-job-1x1": LENET5_1X1}
FEWEST_PAIRS = 6


def student(freedom):
    """The 97.5th percentile of Student's t, by its expansion: within 0.5 % from 5 degrees on."""
    z = statistics.NormalDist().inv_cdf(0.975)
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def interval(ratios):
    """(ratio, least, most) with 95 % certainty."""
    logarithms = [math.log(ratio) for ratio in ratios]
    mean = statistics.mean(logarithms)
    half = student(len(ratios) - 1) * statistics.stdev(logarithms) / math.sqrt(len(ratios))
    return math.exp(mean), math.exp(mean - half), math.exp(mean + half)


def compare(job, options, cores, end):
    """The speeds of both in each pair, and the interval. Begins no pair after `end`."""
    old, new = (Job(job, folder, cores, options.output.with_suffix(".log")) for folder in (options.old, options.new))
    for program in (old, new):
        program.measure(options.seconds)  # warms caches and the processor up
    ratios = []
    while True:
        for program in ((old, new), (new, old))[len(ratios) % 2]:
            program.run(options.seconds)
        ratios.append(new.rates[-1] / old.rates[-1])
        if len(ratios) < FEWEST_PAIRS:
            continue
        ratio, least, most = interval(ratios)
        is_over = len(ratios) >= options.pairs or time.monotonic() > end
        if most - least < options.width or is_over:
            return {"old": old.rates, "new": new.rates, "ratio": ratio, "least": least, "most": most,
                    "others": round(max(old.others, new.others), 3)}


def row(name, one):
    verdict = "slower" if one["most"] < 1 else "faster" if one["least"] > 1 else "no difference found"
    cells = [f"`{name}`", f"{statistics.median(one['old']):,.0f}", f"{statistics.median(one['new']):,.0f}",
             f"{one['ratio']:.3f} ({one['least']:.3f} to {one['most']:.3f})", str(len(one["old"])),
             f"{100 * one['others']:.0f} %", verdict]
    return "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--old", type=pathlib.Path, required=True, help="folder of the programs before")
    parser.add_argument("--new", type=pathlib.Path, required=True, help="and of those after")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("no_slower.json"))
    parser.add_argument("--only", default="*", help="jobs: lenet5-job-central,lenet5-job-d*")
    parser.add_argument("--pairs", type=int, default=40, help="at most")
    parser.add_argument("--width", type=float, default=0.03, help="of the interval that is narrow enough")
    parser.add_argument("--seconds", type=float, default=2.0, help="of one run")
    parser.add_argument("--limit", type=float, default=3600, help="seconds in all, shared by the jobs that are left")
    parser.add_argument("--cores", default="0,1", help="two cores to run on")
    options = parser.parse_args()
    cores = [int(core) for core in options.cores.split(",")]
    found, failures = {}, []
    print("| job | old, images/s | new, images/s | new by old (95 % interval) | pairs | others took up to | |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | --- |")
    names = [name for name in JOBS if any(fnmatch.fnmatch(name, one) for one in options.only.split(","))]
    end = time.monotonic() + options.limit
    for number, name in enumerate(names):
        share = (end - time.monotonic()) / (len(names) - number)
        try:
            found[name] = compare(JOBS[name], options, cores, time.monotonic() + share)
            print(row(name, found[name]), flush=True)
        except Failed as error:
            failures.append(f"{name}: {error}")
        options.output.write_text(json.dumps(found, indent=1) + "\n")
    failures += [f"{name} is slower" for name, one in found.items() if one["most"] < 1]
    if failures or not found:
        sys.exit("; ".join(failures) or "nothing matches --only")


if __name__ == "__main__":
    main()
