"""The networks that main.py measures, and one run of each kind: networks.py NAME=VALUE...

    network=lenet5|resnet18|lstm|transformer   kind=sumac|ddp|tuned|plain   steps=N warm=N   out=FOLDER
    rank=R store=FILE   of the two processes of DistributedDataParallel
    parts=V             of a program that is alone, and the micro-batches of plain PyTorch

Writes the speed and the highest resident memory of this process to a file in FOLDER.
"""

import json
import os
import pathlib
import resource
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils import data

given = dict(word.split("=") for word in sys.argv[1:])


def number(name, otherwise=0):
    return int(given.get(name, otherwise))


class Residual(nn.Module):
    """A basic block of ResNet-18."""

    def __init__(self, inputs, width, stride):
        super().__init__()
        self.first, self.second = nn.Conv2d(inputs, width, 3, stride, 1, bias=False), nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.norms = nn.ModuleList([nn.BatchNorm2d(width), nn.BatchNorm2d(width)])
        self.aside = nn.Sequential(nn.Conv2d(inputs, width, 1, stride, bias=False), nn.BatchNorm2d(width)) \
            if stride != 1 or inputs != width else nn.Identity()

    def forward(self, x):
        return F.relu(self.norms[1](self.second(F.relu(self.norms[0](self.first(x))))) + self.aside(x))


class Lstm(nn.Module):
    """The small model of Zaremba et al. (2014) for the Penn Treebank."""

    def __init__(self):
        super().__init__()
        self.words, self.layers, self.last = nn.Embedding(10000, 200), nn.LSTM(200, 200, 2, batch_first=True), nn.Linear(200, 10000)

    def forward(self, x):
        return self.last(self.layers(self.words(x))[0]).transpose(1, 2)


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(2000, 128)
        layer = nn.TransformerEncoderLayer(128, 4, 512, dropout=0.1, batch_first=True)
        self.layers, self.last = nn.TransformerEncoder(layer, 2), nn.Linear(128, 2000)
        self.register_buffer("mask", torch.triu(torch.full((64, 64), float("-inf")), 1))

    def forward(self, x):
        return self.last(self.layers(self.words(x), mask=self.mask)).transpose(1, 2)


def lenet5():
    return nn.Sequential(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(),
                         nn.MaxPool2d(2), nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(),
                         nn.Linear(84, 10))


def resnet18():
    layers, inputs = [nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64), nn.ReLU()], 64
    for width, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        layers += [Residual(inputs, width, stride), Residual(width, width, 1)]
        inputs = width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10))


def pictures(*shape):
    return data.TensorDataset(torch.randn(1024, *shape), torch.randint(10, (1024,)))


def texts(words, length):
    found = torch.randint(words, (1024, length + 1))
    return data.TensorDataset(found[:, :-1].contiguous(), found[:, 1:].contiguous())


# Model, data and mini-batch.
NETWORKS = {"lenet5": (lenet5, lambda: pictures(1, 28, 28), 128), "resnet18": (resnet18, lambda: pictures(3, 32, 32), 64),
            "lstm": (Lstm, lambda: texts(10000, 20), 32), "transformer": (Transformer, lambda: texts(2000, 64), 32)}


def loss(model, x, y):
    return F.cross_entropy(model(x), y)


class Clock:
    """Counts steps; begins after those that warm up."""

    def __init__(self):
        self.begun = self.seconds = 0.0

    def step(self, count):
        now = time.perf_counter()
        if count == number("warm"):
            self.begun = now
        self.seconds = now - self.begun


def by_sumac(model, optimizer, dataset, batch, clock):
    import sumac
    import sumac.torch
    job = sumac.join(batch_size=batch, parts=number("parts", 1), steps=number("steps"))
    for step in sumac.torch.train(model, optimizer, loss, dataset, job=job):
        clock.step(step.number)


def batches(dataset, size, rank, ranks):
    """As a user loads them, for as long as they are wanted."""
    sampler = data.DistributedSampler(dataset, ranks, rank)
    epoch = 0
    while True:
        sampler.set_epoch(epoch)
        yield from data.DataLoader(dataset, size, sampler=sampler, drop_last=True)
        epoch += 1


def by_ddp(model, optimizer, dataset, batch, clock):
    """As the tutorials write it; `tuned` has what its documentation says makes it faster, and loads without a loader."""
    from torch import distributed
    from torch.nn.parallel import DistributedDataParallel
    rank, is_tuned = number("rank"), given["kind"] == "tuned"
    distributed.init_process_group("gloo", init_method="file://" + given["store"], rank=rank, world_size=2)
    options = {"gradient_as_bucket_view": True, "broadcast_buffers": False, "static_graph": True} if is_tuned else {}
    wrapped = DistributedDataParallel(model, **options)
    source = batches(dataset, batch // 2, rank, 2) if not is_tuned else indexed(dataset, batch // 2)
    for step in range(1, number("steps") + 1):
        x, y = next(source)
        optimizer.zero_grad()
        loss(wrapped, x, y).backward()
        optimizer.step()
        clock.step(step)
    distributed.barrier()
    distributed.destroy_process_group()


def indexed(dataset, size):
    while True:
        index = torch.randint(len(dataset), (size,))
        yield [tensor[index] for tensor in dataset.tensors]


def by_hand(model, optimizer, dataset, batch, clock):
    """One process that adds up the gradients of `parts` micro-batches."""
    parts = number("parts", 1)
    source = indexed(dataset, batch // parts)
    for step in range(1, number("steps") + 1):
        optimizer.zero_grad()
        for _ in range(parts):
            x, y = next(source)
            (loss(model, x, y) / parts).backward()
        optimizer.step()
        clock.step(step)


def main():
    torch.set_num_threads(1)
    torch.manual_seed(3)
    make, load, batch = NETWORKS[given["network"]]
    model, dataset, clock = make(), load(), Clock()
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)
    run = {"sumac": by_sumac, "plain": by_hand}.get(given["kind"], by_ddp)
    run(model, optimizer, dataset, batch, clock)
    found = {"rate": (number("steps") - number("warm")) * batch / clock.seconds,
             "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
             "gradient": sum(tensor.numel() for tensor in model.parameters()) * 4 / 2**20}
    (pathlib.Path(given["out"]) / f"{os.getpid()}.json").write_text(json.dumps(found), encoding="utf-8")


main()
