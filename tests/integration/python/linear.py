"""A linear model with momentum in NumPy, as a program of a job or alone: linear.py [NAME=VALUE...]

Prints the SHA-256 of its weights as `weights DIGEST` at the end, and the weights. noise=0: without random numbers. What it does wrong, for tests:
  raise=S   raises ValueError in step S, at the worker 1 or where there is one only
  nan=S     a part of step S has a gradient that is not a number
  full=S    raises OSError(ENOSPC) in the body of the loop
  late=S    takes a second for step S, at the worker 1
  leave=S   breaks out of the loop
  quiet=S   ends by sys.exit(0) in the loop
  fork=S    a child tries to go on; another one ends by SIGTERM
"""

import hashlib
import os
import signal
import sys
import time

import numpy as np

import sumac

given = dict(word.split("=") for word in sys.argv[1:])
numbers = {name: int(value) for name, value in given.items() if value.isdigit()}


def is_now(name, step):
    return numbers.get(name) == step


random = np.random.default_rng(3)
x = random.standard_normal((numbers.get("samples", 640), 5), dtype=np.float32)
y = x @ np.arange(5, dtype=np.float32)[:, None]
w, b = np.zeros((5, 1), np.float32), np.zeros(1, np.float32)
momentum = {"w": np.zeros_like(w), "b": np.zeros_like(b)}

job = sumac.join(batch_size=numbers.get("batch", 50), parts=numbers.get("parts", 4), steps=numbers.get("steps", 20),
                 output=given.get("output"), checkpoint=given.get("checkpoint"))
is_odd = job.is_alone or job.index == 1


def gradient(part):
    if is_now("raise", part.step) and is_odd:
        raise ValueError("bad sample")
    if is_now("late", part.step) and is_odd:
        print("late", flush=True)
        time.sleep(1)
    noise = np.random.default_rng(part.seed).standard_normal((len(part), 5), dtype=np.float32)
    inputs = x[part.samples] + np.float32(0.01) * noise * np.float32(numbers.get("noise", 1))
    rest = inputs @ w + b - y[part.samples]
    if is_now("nan", part.step):
        rest[0] = np.nan
    scale = np.float32(2 / len(part))
    return np.mean(rest * rest), [inputs.T @ rest * scale, np.sum(rest, axis=0) * scale]


def fork():
    child = os.fork()
    if child == 0:
        try:
            job.exchange(gradient, values=1, samples=1, state={})
        except sumac.Misuse:
            pass
        try:
            job._member.next()
        except sumac.Forked:
            os._exit(7)
        os._exit(1)
    print("fork", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    child = os.fork()
    if child == 0:
        os.kill(os.getpid(), signal.SIGTERM)
        signal.pause()
    print("killed", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


state = sumac.State({"w": w, "b": b}, {f"momentum.{name}": value for name, value in momentum.items()})
for step in job.exchange(gradient, values=[w, b], samples=len(x), state=state,
                         lines={"chosen": given.get("line", 1)},
                         evaluate=lambda step: {"validation_accuracy": 0.5, "test_loss": step.number}):
    if is_now("full", step.number) and is_odd:
        raise OSError(28, "No space left on device", "augmented.npy")
    if is_now("leave", step.number):
        break
    if is_now("quiet", step.number):
        sys.exit(0)
    if is_now("fork", step.number):
        fork()
    for value, name, change in zip((w, b), momentum, step.sums):
        momentum[name] *= np.float32(0.5)
        momentum[name] += change
        value -= np.float32(0.1) * momentum[name]
    if numbers.get("slow"):
        print("step", step.number, flush=True)
        time.sleep(numbers["slow"] / 1000)
print("weights", hashlib.sha256(w.tobytes() + b.tobytes()).hexdigest())
print("values", *w[:, 0].tolist())
print("handlers", signal.getsignal(signal.SIGTERM) == signal.SIG_DFL,
      signal.getsignal(signal.SIGINT) == signal.default_int_handler, sys.excepthook == sys.__excepthook__)
