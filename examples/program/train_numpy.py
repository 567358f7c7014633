"""Trains softmax regression in NumPy on pictures of clothes: python train_numpy.py"""

import gzip
import os
import pathlib

import numpy as np

import sumac

DATA = pathlib.Path(os.environ.get("DATA", pathlib.Path(__file__).parents[1] / "data/fashion-mnist-mini"))
if not DATA.is_dir():
    raise SystemExit(f"there is no folder {DATA}: set DATA to one that `sumac data fetch fashion-mnist` has made")


def read(name, header):
    return np.frombuffer(gzip.open(DATA / f"{name}-ubyte.gz").read(), np.uint8, offset=header)


def pictures(kind):
    x = read(f"{kind}-images-idx3", 16).reshape(-1, 784).astype(np.float32) / 255
    return x, read(f"{kind}-labels-idx1", 8)


def gradient(part):
    inputs, classes = x[part.samples], y[part.samples]
    scores = inputs @ w + b
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    odds /= odds.sum(axis=1, keepdims=True)
    loss = -np.log(odds[np.arange(len(part)), classes]).mean()
    odds[np.arange(len(part)), classes] -= 1
    return loss, [inputs.T @ odds / len(part), odds.mean(axis=0)]


(x, y), (test_x, test_y) = pictures("train"), pictures("t10k")
w, b = np.zeros((784, 10), np.float32), np.zeros(10, np.float32)
job = sumac.join(batch_size=64, parts=8, epochs=10)
for step in job.exchange(gradient, values=[w, b], samples=len(x), state={"w": w, "b": b}):
    w -= 0.1 * step.sums[0]
    b -= 0.1 * step.sums[1]
    if step.ends_epoch and step.is_writer:
        step.report(test_accuracy=((test_x @ w + b).argmax(axis=1) == test_y).mean())
