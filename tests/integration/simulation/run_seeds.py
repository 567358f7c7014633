#!/usr/bin/env python3
"""Runs many simulated jobs on all cores, some seeds a process; says how far it is every ten seconds,
and how fast it was. Exits 1 when a job goes wrong, after it has printed what the tests say of it.

    run_seeds.py PROGRAM --seeds 100000 --jobs 2
"""

import argparse
import concurrent.futures
import os
import subprocess
import sys
import threading
import time

AT_ONCE = 1000  # seeds of a process
EVERY = 10  # seconds
TESTS = "simulation_chaos,simulation_members,simulation_operator"


class Count:
    """What the processes have done; safe to use from several threads."""

    def __init__(self, seeds):
        self.seeds = seeds
        self.done = self.failed = 0
        self.began = time.monotonic()
        self.lock = threading.Lock()

    def add(self, seeds, output):
        with self.lock:
            self.done += seeds
            if output:
                self.failed += 1
                print(output, flush=True)

    def rate(self):
        return self.done / max(time.monotonic() - self.began, 1e-9)

    def line(self):
        return (f"{self.done:,} of {self.seeds:,} seeds, {self.rate():.0f} a second"
                + (f", {self.failed} processes failed" if self.failed else ""))


def run(program, first, seeds, count):
    environment = os.environ | {"SUMAC_SIMULATION_FIRST_SEED": str(first),
                                "SUMAC_SIMULATION_SEEDS": str(seeds)}
    ended = subprocess.run([program, f"--run_test={TESTS}", "--log_level=warning", "--color_output=no"],
                           env=environment, text=True, check=False,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    # One that crashes names no seed.
    output = f"seeds {first} to {first + seeds - 1}:\n{ended.stdout}" if ended.returncode != 0 else ""
    count.add(seeds, output)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--seeds", type=int, required=True)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()

    count = Count(arguments.seeds)
    end = arguments.first + arguments.seeds
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        pending = {pool.submit(run, arguments.program, first, min(AT_ONCE, end - first), count)
                   for first in range(arguments.first, end, AT_ONCE)}
        while pending:
            _, pending = concurrent.futures.wait(pending, timeout=EVERY)
            print(count.line(), flush=True)
    sys.exit(1 if count.failed else 0)


if __name__ == "__main__":
    main()
