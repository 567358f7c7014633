"""What the rivals' programs share: runs of so many seconds, asked for by lines on standard input.

A program starts and warms up once and then waits, so that the benchmark can let all of them run by
turns. One line in, the number of seconds; one JSON line out, the rate of that run.
"""
import json
import math
import sys
import time

WARM_UP_SECONDS = 2.0
WARM_UP_STEPS = 20
BATCHES = 64  # synthetic ones, used in turn: enough that nothing is learned by heart


def _run(step, seconds, least_steps):
    """Steps a second of at least so many steps and seconds; `step` returns when it is done."""
    steps, began = 0, time.perf_counter()
    while True:
        step()
        steps += 1
        elapsed = time.perf_counter() - began
        if elapsed >= seconds and steps >= least_steps:
            return steps / elapsed


def serve(step, loss, per_step, version):
    """Answers runs until standard input ends; `loss` is that of the last step, as a float."""
    _run(step, WARM_UP_SECONDS, WARM_UP_STEPS)
    print(json.dumps({"version": version}), flush=True)
    for line in sys.stdin:
        rate = _run(step, float(line), 1) * per_step
        if not math.isfinite(loss()):
            sys.exit("the loss is not a number, so the step does not count")
        print(json.dumps({"rate": rate}), flush=True)
