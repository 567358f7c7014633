#!/usr/bin/env python3
"""Writes text_golden.txt: what PyTorch makes of a small LSTM network on text with weights and words given by formulas.

Run by hand where PyTorch is installed; text_golden_test.cc reads the result. Lines are "name value".
Two layers with the state carried from step to step, gradients clipped by their norm, plain SGD.
"""
import math
import pathlib

import torch
from torch import nn

VOCABULARY = 53
WIDTH = 12
UNITS = 17
LAYERS = 2
SAMPLES = 3
TIME = 7
STEPS = 4
RATE = 0.5
CLIP = 0.4
STRIDE = 37  # of the values that are stored


def value(i, salt):
    """In [-1, 1), a multiple of 2^-16: exact in fp32."""
    return ((i * 40503 + salt * 7919) % 65536) / 32768.0 - 1.0


def word(i, salt):
    return (i * 7919 + salt * 104729) % 1009 % VOCABULARY


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.lstm = nn.LSTM(WIDTH, UNITS, LAYERS, batch_first=True)
        self.dense = nn.Linear(UNITS, VOCABULARY)

    def forward(self, tokens, state):
        rows, state = self.lstm(self.embedding(tokens), state)
        return self.dense(rows), state


def gates(tensor):
    """Between PyTorch's order of gates (input, forget, candidate, output) and ours (input, forget, output, candidate)."""
    first, second, third, fourth = tensor.chunk(4)
    return torch.cat([first, second, fourth, third])


def tensors(model, of):
    """In our order: per layer both weights and the one bias, which is PyTorch's first; the second stays zero."""
    yield of(model.embedding.weight), lambda t: t
    for i in range(LAYERS):
        for name in ("weight_ih", "weight_hh", "bias_ih"):
            yield of(getattr(model.lstm, f"{name}_l{i}")), gates
    yield of(model.dense.weight), lambda t: t
    yield of(model.dense.bias), lambda t: t


def fill(model):
    index = 0
    for parameter, order in tensors(model, lambda parameter: parameter):
        values = [0.4 * value(index + i, 1) for i in range(parameter.numel())]
        index += parameter.numel()
        parameter.data = order(torch.tensor(values).reshape(parameter.shape)).clone()
    for i in range(LAYERS):
        bias = getattr(model.lstm, f"bias_hh_l{i}")
        bias.data.zero_()
        bias.requires_grad_(False)


def flat(model, of):
    return torch.cat([order(tensor.detach()).reshape(-1) for tensor, order in tensors(model, of)])


def words(step):
    numbers = [word(i, step) for i in range(SAMPLES * TIME)]
    return torch.tensor(numbers).reshape(SAMPLES, TIME)


def main():
    torch.set_num_threads(1)
    model = Network()
    fill(model)
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.SGD(trained, lr=RATE)
    state = tuple(torch.zeros(LAYERS, SAMPLES, UNITS) for _ in range(2))
    lines = []
    for step in range(1, STEPS + 1):
        optimizer.zero_grad()
        logits, state = model(words(2 * step), state)
        state = tuple(part.detach() for part in state)
        labels = words(2 * step + 1).reshape(-1)
        loss = nn.functional.cross_entropy(logits.reshape(-1, VOCABULARY), labels, reduction="sum") / SAMPLES
        loss.backward()
        lines.append(f"loss{step} {loss.item():.9g}")
        gradient = flat(model, lambda parameter: parameter.grad)
        lines.append(f"norm{step} {gradient.double().norm().item():.9g}")
        if step in (1, STEPS):
            for i in range(0, gradient.numel(), STRIDE):
                lines.append(f"gradient{step}.{i} {gradient[i].item():.9g}")
        nn.utils.clip_grad_norm_(trained, CLIP)
        optimizer.step()
    weights = flat(model, lambda parameter: parameter)
    for i in range(0, weights.numel(), STRIDE):
        lines.append(f"weight{i} {weights[i].item():.9g}")
    for sample in range(SAMPLES):
        for layer in range(LAYERS):
            for name, part in zip("hc", state):
                lines.append(f"state{sample}.{layer}{name} {part[layer, sample].double().sum().item():.9g}")
    assert all(math.isfinite(float(line.split()[1])) for line in lines)
    pathlib.Path(__file__).with_suffix(".txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
