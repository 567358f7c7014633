#!/usr/bin/env python3
"""Writes optimizers_golden.txt: what PyTorch's optimizers make of weights and gradients given by formulas.

Run by hand where PyTorch is installed; optimizer_golden_test.cc reads the result. A line is the name of a case, a step
and the weights after it.
"""
import pathlib

import torch

PARAMETERS = 7
STEPS = 10


def value(i, salt):
    """In [-1, 1), a multiple of 2^-15: exact in fp32."""
    return ((i * 40503 + salt * 7919) % 65536) / 32768.0 - 1.0


def weights():
    return torch.tensor([0.5 * value(i, 1) for i in range(PARAMETERS)])


def gradient(step):
    return torch.tensor([2.0 * value(i, 2 + step) for i in range(PARAMETERS)])


def sgd(**options):
    return lambda parameters: torch.optim.SGD(parameters, lr=0.1, **options)


def adam(**options):
    return lambda parameters: torch.optim.Adam(parameters, lr=0.01, **options)


def by_value(parameters):
    torch.nn.utils.clip_grad_value_(parameters, 0.75)


def by_norm(parameters):
    torch.nn.utils.clip_grad_norm_(parameters, 1.5)


def none(parameters):
    pass


CASES = {
    "sgd": (sgd(), none),
    "sgd-decay": (sgd(weight_decay=0.25), none),
    "momentum": (sgd(momentum=0.9), none),
    "momentum-decay-value": (sgd(momentum=0.9, weight_decay=0.25), by_value),
    "momentum-norm": (sgd(momentum=0.9), by_norm),
    "nesterov": (sgd(momentum=0.9, nesterov=True), none),
    "nesterov-decay-norm": (sgd(momentum=0.9, weight_decay=0.25, nesterov=True), by_norm),
    "adam": (adam(), none),
    "adam-decay-value": (adam(betas=(0.8, 0.99), eps=1e-3, weight_decay=0.25), by_value),
}


def main():
    lines = []
    for name, (make, clip) in CASES.items():
        parameter = torch.nn.Parameter(weights())
        optimizer = make([parameter])
        for step in range(1, STEPS + 1):
            parameter.grad = gradient(step)
            clip([parameter])
            optimizer.step()
            values = " ".join(f"{value:.9g}" for value in parameter.tolist())
            lines.append(f"{name} {step} {values}\n")
    pathlib.Path(__file__).with_suffix(".txt").write_text("".join(lines))


if __name__ == "__main__":
    main()
