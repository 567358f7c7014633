#!/usr/bin/env python3
"""Trains LeNet-5 on MNIST with PyTorch in one process and prints one JSON line.

The peer of docs/performance.md. A step is what a step of Sumac is: gather the batch, forwards,
backwards, momentum SGD. The first steps are left out, and evaluation too, as in result.json.
"""
import argparse
import gzip
import json
import pathlib
import statistics
import time

import torch
from torch import nn

WARM_UP = 3


def read_idx(path, header):
    with gzip.open(path) as file:
        return torch.frombuffer(bytearray(file.read()[header:]), dtype=torch.uint8)


def training_data(folder):
    labels = read_idx(folder / "train-labels-idx1-ubyte.gz", 8).long()
    images = read_idx(folder / "train-images-idx3-ubyte.gz", 16).float() / 255
    return images.reshape(len(labels), 1, 28, 28), labels


def lenet5():
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(400, 120), nn.ReLU(),
        nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    images, labels = training_data(options.data)
    model = lenet5()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    times = []
    for _ in range(options.epochs):
        order = torch.randperm(len(labels))
        for first in range(0, len(labels) - options.batch + 1, options.batch):
            begin = time.perf_counter()
            chosen = order[first:first + options.batch]
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(images[chosen]), labels[chosen])
            loss.backward()
            optimizer.step()
            times.append(time.perf_counter() - begin)
    times = times[WARM_UP:]
    print(json.dumps({
        "torch": torch.__version__, "threads": options.threads, "steps": len(times) + WARM_UP,
        "samplesPerSecond": options.batch * len(times) / sum(times),
        "medianStepSeconds": statistics.median(times), "trainLoss": loss.item()}))


if __name__ == "__main__":
    main()
