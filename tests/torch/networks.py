"""Four networks in PyTorch: networks.py NAME=VALUE..., alone or as a worker of a job

    network=lenet|resnet|lstm|transformer   optimizer=sgd|adamw   loaders=N   batch=B parts=V steps=S: of a program alone
    ddp=RANK     the same by DistributedDataParallel over gloo, two ranks; store=FILE is where they meet

Prints `weights DIGEST` of all parameters and floating buffers, and `trained DIGEST` of the parameters alone.
"""

import hashlib
import sys

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils import data

given = dict(word.split("=") for word in sys.argv[1:])


def number(name, otherwise):
    return int(given.get(name, otherwise))


class Residual(nn.Module):
    """Two convolutions with batch normalization, and their input."""

    def __init__(self, width):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
                                    nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width))

    def forward(self, x):
        return F.relu(x + self.layers(x))


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(50, 32)
        self.layers = nn.LSTM(32, 32, 2, batch_first=True, dropout=0.2)
        self.last = nn.Linear(32, 50)

    def forward(self, x):
        return self.last(self.layers(self.words(x))[0]).transpose(1, 2)


class Transformer(nn.Module):
    """Its last layer has the weights of its first one."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(50, 32)
        layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.1, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 2)
        self.last = nn.Linear(32, 50)
        self.last.weight = self.words.weight
        self.register_buffer("mask", torch.triu(torch.full((12, 12), float("-inf")), 1))

    def forward(self, x):
        return self.last(self.layers(self.words(x), mask=self.mask)).transpose(1, 2)


def lenet():
    return nn.Sequential(nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Flatten(), nn.Linear(256, 84), nn.ReLU(), nn.Linear(84, 10))


def resnet():
    return nn.Sequential(nn.Conv2d(1, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.ReLU(), Residual(8), Residual(8),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 10))


class Pictures(data.Dataset):
    """Pictures of noise, which are shifted at random as they are read."""

    def __init__(self, shifts):
        random = torch.Generator().manual_seed(7)
        self.x, self.y = torch.randn(320, 1, 28, 28, generator=random), torch.randint(10, (320,), generator=random)
        self.shifts = shifts

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        shift = int(torch.randint(-2, 3, ())) if self.shifts else 0
        return self.x[index].roll(shift, 2), self.y[index]


def texts():
    words = torch.randint(50, (320, 13), generator=torch.Generator().manual_seed(7))
    return data.TensorDataset(words[:, :-1].contiguous(), words[:, 1:].contiguous())


NETWORKS = {"lenet": lenet, "resnet": resnet, "lstm": Lstm, "transformer": Transformer}


def loss(model, x, y):
    return F.cross_entropy(model(x), y)


def digest(tensors):
    return hashlib.sha256(b"".join(values.detach().numpy().tobytes() for values in tensors)).hexdigest()


def by_sumac(model, optimizer, dataset):
    import sumac
    import sumac.torch
    job = sumac.join(batch_size=number("batch", 64), parts=number("parts", 8), steps=number("steps", 50),
                     output=given.get("output"))
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 100)
    for step in sumac.torch.train(model, optimizer, loss, dataset, job=job, scheduler=schedule,
                                  loader_workers=number("loaders", 0), threads=number("threads", 1)):
        if number("slow", 0):
            print("step", step.number, flush=True)


def by_ddp(model, optimizer, dataset):
    """What a user writes, with the samples and random numbers that Sumac's parts have."""
    import sumac
    from torch import distributed
    from torch.nn.parallel import DistributedDataParallel
    rank = number("ddp", 0)
    distributed.init_process_group("gloo", init_method="file://" + given["store"], rank=rank, world_size=2)
    wrapped = DistributedDataParallel(model, broadcast_buffers=False)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 100)
    parts = [line.split() for line in open(given["samples"], encoding="utf-8") if line.strip()]
    for step, words in enumerate(parts[rank::2], 1):
        x, y = data.default_collate([dataset[int(word)] for word in words])
        torch.default_generator.manual_seed(sumac.mix(1, step, rank, 0))
        optimizer.zero_grad()
        loss(wrapped, x, y).backward()
        optimizer.step()
        schedule.step()
    distributed.destroy_process_group()


def main():
    torch.set_num_threads(number("threads", 1))
    torch.manual_seed(number("init", 3))
    name = given["network"]
    model = NETWORKS[name]()
    parameters = model.parameters()
    optimizer = torch.optim.SGD(parameters, 0.05, momentum=0.9) if given.get("optimizer", "sgd") == "sgd" else \
        torch.optim.AdamW(parameters, 1e-3)
    dataset = Pictures("ddp" not in given and "still" not in given) if name in ("lenet", "resnet") else texts()
    (by_ddp if "ddp" in given else by_sumac)(model, optimizer, dataset)
    floats = [buffer for buffer in model.buffers() if buffer.is_floating_point()]
    print("weights", digest([*model.parameters(), *floats]))
    print("trained", digest(model.parameters()))


main()
