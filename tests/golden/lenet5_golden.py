#!/usr/bin/env python3
"""Writes lenet5_golden.txt: what PyTorch makes of LeNet-5 with weights and inputs given by formulas.

Run by hand where PyTorch is installed; lenet5_golden_test.cc reads the result. Lines are "name value".
"""
import math
import pathlib

import torch
from torch import nn

SAMPLES = 2
STEPS = 4
RATE = 0.05
MOMENTUM = 0.9
STRIDE = 997  # of the gradient values that are stored


def value(i, salt):
    """In [-1, 1), a multiple of 2^-16: exact in fp32."""
    return ((i * 40503 + salt * 7919) % 65536) / 32768.0 - 1.0


def network():
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(400, 120), nn.ReLU(),
        nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))


def fill(model):
    index = 0
    for parameter in model.parameters():
        values = [0.125 * value(index + i, 1) for i in range(parameter.numel())]
        index += parameter.numel()
        parameter.data = torch.tensor(values).reshape(parameter.shape)


def flat(tensors):
    return torch.cat([tensor.detach().reshape(-1) for tensor in tensors])


def main():
    torch.set_num_threads(1)
    model = network()
    fill(model)
    inputs = torch.tensor([value(i, 2) for i in range(SAMPLES * 784)]).reshape(SAMPLES, 1, 28, 28)
    labels = torch.tensor([3 * i + 1 for i in range(SAMPLES)])
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE, momentum=MOMENTUM)
    lines = []
    for step in range(1, STEPS + 1):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs), labels)
        loss.backward()
        lines.append(f"loss{step} {loss.item():.9g}")
        if step == 1:
            gradient = flat(parameter.grad for parameter in model.parameters())
            for i, parameter in enumerate(model.parameters()):
                lines.append(f"norm{i} {parameter.grad.double().norm().item():.9g}")
            for i in range(0, gradient.numel(), STRIDE):
                lines.append(f"gradient{i} {gradient[i].item():.9g}")
        optimizer.step()
    weights = flat(model.parameters())
    for i in range(0, weights.numel(), STRIDE):
        lines.append(f"weight{i} {weights[i].item():.9g}")
    assert all(math.isfinite(float(line.split()[1])) for line in lines)
    pathlib.Path(__file__).with_suffix(".txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
