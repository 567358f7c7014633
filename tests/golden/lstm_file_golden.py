#!/usr/bin/env python3
"""Writes lstm_file_golden.safetensors and lstm_file_golden.txt: the tensors of a small torch.nn.LSTM network, as
PyTorch names and orders them, and the losses and states that PyTorch computes with them.

Run by hand where PyTorch is installed; tests/unit/worker/train/lstm_file_golden_test.cc reads the results. Weights and
both biases of each layer are given by formulas. The file is written as the safetensors format says, so that no package
is needed for it.
"""
import json
import pathlib
import struct

import torch
from torch import nn

VOCABULARY = 11
WIDTH = 5
UNITS = 6
LAYERS = 2
SAMPLES = 3
TIME = 4
STEPS = 3  # the state carries over from one to the next


def value(i, salt):
    """In [-1, 1), a multiple of 2^-16: exact in fp32."""
    return ((i * 40503 + salt * 7919) % 65536) / 32768.0 - 1.0


def word(i, salt):
    return (i * 7919 + salt * 104729) % 1009 % VOCABULARY


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding1 = nn.Embedding(VOCABULARY, WIDTH)
        self.lstm1 = nn.LSTM(WIDTH, UNITS, LAYERS, batch_first=True)
        self.dense1 = nn.Linear(UNITS, VOCABULARY)

    def forward(self, tokens, state):
        rows, state = self.lstm1(self.embedding1(tokens), state)
        return self.dense1(rows), state


def words(step):
    numbers = [word(i, step) for i in range(SAMPLES * TIME)]
    return torch.tensor(numbers).reshape(SAMPLES, TIME)


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        raw = struct.pack(f"<{tensor.numel()}f", *tensor.reshape(-1).tolist())
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


@torch.no_grad()
def main():
    torch.set_num_threads(1)
    model = Network()
    for index, parameter in enumerate(model.state_dict().values()):
        values = [0.7 * value(i, index + 1) for i in range(parameter.numel())]
        parameter.copy_(torch.tensor(values).reshape(parameter.shape))
    here = pathlib.Path(__file__)
    write_safetensors(here.with_suffix(".safetensors"), model.state_dict())
    state = tuple(torch.zeros(LAYERS, SAMPLES, UNITS) for _ in range(2))
    lines = []
    for step in range(1, STEPS + 1):
        logits, state = model(words(2 * step), state)
        labels = words(2 * step + 1).reshape(-1)
        loss = nn.functional.cross_entropy(logits.reshape(-1, VOCABULARY), labels, reduction="sum") / SAMPLES
        lines.append(f"loss{step} {loss.item():.9g}")
    for layer in range(LAYERS):
        for name, part in zip("hc", state):
            for sample in range(SAMPLES):
                lines += [f"{name}{sample}.{layer}.{i} {v:.9g}" for i, v in enumerate(part[layer, sample].tolist())]
    here.with_suffix(".txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
