#!/usr/bin/env python3
"""Writes layers_golden.txt: what PyTorch makes of small networks that between them have every layer of images, with
weights and inputs given by formulas.

Run by hand where PyTorch is installed; layers_golden_test.cc reads the result. Lines are "network.name value".
"""
import math
import pathlib

import torch
from torch import nn

SAMPLES = 5


def value(i, salt):
    """In [-1, 1), a multiple of 2^-16: exact in fp32."""
    return ((i * 40503 + salt * 7919) % 65536) / 32768.0 - 1.0


class Residual(nn.Module):
    def __init__(self, layers, shortcut=None):
        super().__init__()
        self.layers = nn.Sequential(*layers)
        self.shortcut = nn.Sequential(*(shortcut or []))

    def forward(self, x):
        return self.layers(x) + self.shortcut(x)


def networks():
    yield "strides", (4, 9, 8), [
        nn.Conv2d(4, 6, 3, stride=2, padding=1, groups=2), nn.Tanh(),
        nn.Conv2d(6, 8, 2, padding=1, bias=False), nn.Sigmoid(),
        nn.MaxPool2d(3, stride=2, padding=1, ceil_mode=True), nn.Flatten(), nn.Linear(96, 3)]
    yield "averages", (3, 10, 11), [
        nn.Conv2d(3, 5, 5, padding=2), nn.MaxPool2d(3, stride=2, ceil_mode=True), nn.ReLU(),
        nn.Conv2d(5, 4, 3, padding=1), nn.ReLU(), nn.AvgPool2d(3, stride=2, padding=1, ceil_mode=True),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 3)]
    yield "residuals", (3, 8, 8), [
        nn.Conv2d(3, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4), nn.ReLU(),
        Residual([nn.Conv2d(4, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4), nn.ReLU(),
                  nn.Conv2d(4, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4)]), nn.ReLU(),
        Residual([nn.Conv2d(4, 6, 3, stride=2, padding=1)], [nn.Conv2d(4, 6, 1, stride=2)]), nn.Tanh(),
        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(24, 7), nn.BatchNorm1d(7), nn.Sigmoid(), nn.Linear(7, 3)]


def fill(model):
    index = 0
    for parameter in model.parameters():
        values = [0.25 * value(index + i, 1) for i in range(parameter.numel())]
        index += parameter.numel()
        parameter.data = torch.tensor(values).reshape(parameter.shape)


def main():
    torch.set_num_threads(1)
    lines = []
    for name, shape, layers in networks():
        model = nn.Sequential(*layers)
        fill(model)
        count = SAMPLES * math.prod(shape)
        inputs = torch.tensor([value(i, 2) for i in range(count)]).reshape(SAMPLES, *shape)
        labels = torch.tensor([(2 * i + 1) % 3 for i in range(SAMPLES)])
        loss = nn.functional.cross_entropy(model(inputs), labels)
        loss.backward()
        lines.append(f"{name}.loss {loss.item():.9g}")
        gradient = torch.cat([parameter.grad.reshape(-1) for parameter in model.parameters()])
        for i in range(0, gradient.numel(), 7):
            lines.append(f"{name}.gradient{i} {gradient[i].item():.9g}")
        norms = [m for m in model.modules() if isinstance(m, (nn.BatchNorm1d, nn.BatchNorm2d))]
        statistics = [torch.cat([norm.running_mean, norm.running_var]) for norm in norms]
        for i, statistic in enumerate(torch.cat(statistics) if statistics else []):
            lines.append(f"{name}.statistic{i} {statistic.item():.9g}")
        model.eval()
        loss = nn.functional.cross_entropy(model(inputs), labels, reduction="sum")
        lines.append(f"{name}.evaluation {loss.item():.9g}")
    assert all(math.isfinite(float(line.split()[1])) for line in lines)
    pathlib.Path(__file__).with_suffix(".txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
