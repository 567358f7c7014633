"""Rivals of several processes: the leader is asked for runs as in rounds.py, and tells the others, which
it started, how many steps to do. All do the same number, so nothing else has to end a run."""
import json
import math
import os
import statistics
import subprocess
import sys
import time

import rounds

WORKERS = 2
MICROS = 1e6


class Followers:
    """The other workers: this script again, with --rank and what is given; `env` is theirs alone."""

    def __init__(self, arguments=(), env=None):
        self.processes = [subprocess.Popen(
            [sys.executable, *sys.argv, "--rank", str(rank), *arguments], stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, env={**os.environ, **(env or {})})
            for rank in range(1, WORKERS)]

    def tell(self, steps):
        for process in self.processes:
            process.stdin.write(f"{steps}\n".encode())
            process.stdin.flush()

    def end(self):
        for process in self.processes:
            process.stdin.close()
        for process in self.processes:
            process.wait()


def follow(step):
    """Does as many steps as each line on standard input says, until it ends."""
    for line in sys.stdin:
        for _ in range(int(line)):
            step()


def _run(step, followers, steps):
    """Seconds of each step."""
    followers.tell(steps)
    times, last = [], time.perf_counter()
    for _ in range(steps):
        step()
        now = time.perf_counter()
        times.append(now - last)
        last = now
    return times


def _lead(step, followers, version, answer):
    times = _run(step, followers, rounds.WARM_UP_STEPS)

    def run(seconds):
        nonlocal times
        times = _run(step, followers, max(1, int(seconds * len(times) / sum(times))))

    run(rounds.WARM_UP_SECONDS)
    print(json.dumps({"version": version}), flush=True)
    for line in sys.stdin:
        run(float(line))
        print(json.dumps({"rate": answer(times)}), flush=True)
    followers.end()


def lead_training(step, followers, loss, per_step, version):
    """Runs are samples a second of all workers, of which one does `per_step` in a step."""
    def answer(times):
        if not math.isfinite(loss()):
            sys.exit("the loss is not a number, so the step does not count")
        return WORKERS * per_step * len(times) / sum(times)

    _lead(step, followers, version, answer)


def lead_latency(step, followers, version):
    """Runs are the median of a step's microseconds."""
    _lead(step, followers, version, lambda times: statistics.median(times) * MICROS)
