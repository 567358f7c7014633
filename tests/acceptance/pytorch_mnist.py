#!/usr/bin/env python3
"""Trains LeNet-5 with PyTorch as accept.py trains it with Sumac: gives MNIST_PYTORCH there.

    pytorch_mnist.py FOLDER_OF_MNIST SEED...

Needs PyTorch (bench/rivals/requirements-torch.txt). Prints a line for each seed.
"""

import gzip
import pathlib
import statistics
import sys

import torch
from torch import nn


def read(folder, name):
    content = gzip.decompress((folder / f"{name}.gz").read_bytes())
    dimensions = content[3]
    shape = [int.from_bytes(content[4 + 4 * i:8 + 4 * i], "big") for i in range(dimensions)]
    return torch.frombuffer(bytearray(content[4 + 4 * dimensions:]), dtype=torch.uint8).reshape(shape)


def images(folder, split):
    pixels = read(folder, f"{split}-images-idx3-ubyte").float().unsqueeze(1) / 255
    return pixels, read(folder, f"{split}-labels-idx1-ubyte").long()


def lenet5():
    """ReLU comes after the pooling: the same values, for a quarter of the work."""
    model = nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.MaxPool2d(2), nn.ReLU(),
        nn.Conv2d(6, 16, 5), nn.MaxPool2d(2), nn.ReLU(), nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))
    for layer in model:  # Sumac's default initialiser
        if hasattr(layer, "weight"):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)
    return model


def accuracy(seed, train, test):
    torch.manual_seed(seed)
    model = lenet5()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    for _ in range(12):
        order = torch.randperm(len(train[1]))
        for batch in order.split(64):
            loss = nn.functional.cross_entropy(model(train[0][batch]), train[1][batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        return (model(test[0]).argmax(1) == test[1]).float().mean().item()


def main():
    folder = pathlib.Path(sys.argv[1])
    torch.set_num_threads(1)
    train, test = images(folder, "train"), images(folder, "t10k")
    found = []
    for seed in map(int, sys.argv[2:]):
        found.append(accuracy(seed, train, test))
        print(f"seed {seed}: {found[-1]:.4f}", flush=True)
    print(f"mean {statistics.mean(found):.4f}")


if __name__ == "__main__":
    main()
