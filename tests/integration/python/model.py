"""A small model on the stand-in for PyTorch, trained by sumac.torch: model.py [NAME=VALUE...]

It has what needs care: running averages, a counter, dropout, a parameter that is frozen, one that is not used, one with
a sparse gradient, two names of one parameter, a buffer that is not kept, and samples with random changes. Prints
`weights DIGEST` of all of them at the end. `plain=1` leaves out what depends on parts: averages and random numbers.
`fault=NAME` makes it do something wrong.
"""

import hashlib
import sys
import time

import numpy as np
import torch
from torch.utils import data

import sumac
import sumac.torch

given = dict(word.split("=") for word in sys.argv[1:])
numbers = {name: int(value) for name, value in given.items() if value.isdigit()}
fault = given.get("fault")
random = np.random.default_rng(5)


class Net(torch.Module):
    """Inputs, normalized by running averages, times weights."""

    def __init__(self):
        self.parameter("weight", random.standard_normal((6, 3)))
        self.parameter("frozen", np.ones(3))
        self.frozen.requires_grad = False
        self.parameter("unused", np.ones((2, 2)))
        self.parameter("rare", np.zeros(3))
        self.parameter("other_name", self.weight)
        self._parameters["other_name"] = self.other_name = self.weight
        self.register_buffer("mean", torch.zeros(6))
        self.register_buffer("batches", torch.tensor(2**40, torch.int64))
        self.register_buffer("third", torch.zeros(4) + np.float32(1 / 3))
        self.register_buffer("drift", torch.zeros(1), persistent=False)

    def __call__(self, x, y):
        if self.training and not numbers.get("plain"):
            self.mean.copy_(np.float32(0.9) * self.mean + np.float32(0.1) * x.mean(axis=0))
            self.batches.copy_(self.batches + 1)
            self.drift.copy_(self.drift * np.float32(0.5) + np.float32(len(x)))
        inputs = np.asarray(x - self.mean)
        if self.training and not numbers.get("plain"):
            inputs = inputs * (torch.default_generator.draw.random(inputs.shape) < 0.8).astype(np.float32)
        rest = inputs @ np.asarray(self.weight) + self.frozen + self.rare - y
        if fault == "time" and self.training:
            rest[0] += np.float32(time.perf_counter() % 1)
        loss = torch.tensor(np.mean(rest * rest), torch.float32)
        loss.requires_grad = fault != "graph"

        def backward(scale):
            rest_gradient = np.asarray(rest) * (np.float32(2 / rest.size) * scale)
            self.weight.grad = torch.tensor(inputs.T @ rest_gradient)
            if fault == "reshaped" and len(seen) > 9:
                self.weight.grad = torch.zeros(7)
            self.rare.grad = np.sum(rest_gradient, axis=0).view(torch.Sparse)

        loss.backward_pass = backward
        return loss


class Data(data.Dataset):
    """Samples that are shifted at random."""

    def __init__(self, count):
        self.x = random.standard_normal((count, 6)).astype(np.float32)
        self.y = (self.x @ random.standard_normal((6, 3))).astype(np.float32)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        if fault == "sample" and index == 77:
            raise KeyError("no such picture")
        noise = 0.0 if numbers.get("plain") else 0.01 * np.random.standard_normal()
        return self.x[index] + np.float32(noise), self.y[index]


def loss(model, x, y):
    found = model(x, y)
    if fault == "shape":
        return np.zeros(3).view(torch.Tensor)
    if fault == "buffer" and len(seen) > 9:
        model.third.copy_(model.third * 2)
    seen.append(1)
    return found, {"largest" if fault != "extra" else "smallest": float(np.max(y))}


class Length:
    """A data set without a length."""


seen = []
model, dataset = Net(), Data(numbers.get("samples", 400))
if fault == "length":
    dataset = Length()
if fault == "gpu":
    model.weight.device = type("Device", (), {"type": "cuda", "__str__": lambda self: "cuda:0"})()
if fault == "half":
    model.register_buffer("unused", model.unused)
    model._parameters["unused"] = model.unused = model.unused.astype(np.float16)
    model.unused.requires_grad = True
optimizer = torch.Momentum([values for _, values in model.named_parameters()], 0.05)
if fault == "complex":
    model._parameters["unused"] = model.unused = model.unused.astype(np.complex64)
    model.unused.requires_grad = True
if fault == "optimizer":
    optimizer.param_groups[0]["params"].append(torch.zeros(7))
job = sumac.join(batch_size=numbers.get("batch", 50), parts=numbers.get("parts", 4), steps=numbers.get("steps", 20),
                 output=given.get("output"), checkpoint=given.get("checkpoint"))
for step in sumac.torch.train(model, optimizer, loss, dataset, job=job, scheduler=torch.Decay(optimizer),
                              loader_workers=numbers.get("loaders", 0), extra=["largest"],
                              evaluate=lambda model: {"validation_loss": float(model.training)}):
    if fault == "frozen" and step.number == 3:
        model.frozen.requires_grad = True
    if fault == "added" and step.number == 3:
        optimizer.param_groups[0]["params"].append(torch.zeros(7))
    if fault == "mode":
        model.eval()
    if numbers.get("slow"):
        print("step", step.number, flush=True)
        time.sleep(numbers["slow"] / 1000)
tensors = [*model.state_dict().values(), model.drift, *(entry["speed"] for entry in optimizer.state.values())]
print("weights", hashlib.sha256(b"".join(values.tobytes() for values in tensors)).hexdigest())
print("values", *model.weight.reshape(-1).tolist())
print("batches", int(model.batches) - 2**40, "third", bool((model.third == np.float32(1 / 3)).all()))
print("extra", step.extra["largest"], "rate", optimizer.param_groups[0]["lr"])
