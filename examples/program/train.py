"""Trains a small network in PyTorch on pictures of clothes: python train.py, alone or as the program of a job"""

import gzip
import os
import pathlib

import torch
from torch import nn
from torch.nn import functional

import sumac.torch

DATA = pathlib.Path(os.environ.get("DATA", pathlib.Path(__file__).parents[1] / "data/fashion-mnist-mini"))
if not DATA.is_dir():
    raise SystemExit(f"there is no folder {DATA}: set DATA to one that `sumac data fetch fashion-mnist` has made")


def read(name, header):
    return torch.frombuffer(bytearray(gzip.open(DATA / f"{name}-ubyte.gz").read()[header:]), dtype=torch.uint8)


def pictures(kind):
    x = read(f"{kind}-images-idx3", 16).reshape(-1, 1, 28, 28).float() / 255
    return torch.utils.data.TensorDataset(x, read(f"{kind}-labels-idx1", 8).long())


def accuracy(model):
    return {"test_accuracy": (model(test[:][0]).argmax(1) == test[:][1]).float().mean().item()}


train, test = pictures("train"), pictures("t10k")
torch.manual_seed(1)
model = nn.Sequential(nn.Conv2d(1, 16, 5), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout(0.1),
                      nn.Flatten(), nn.Linear(16 * 12 * 12, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
job = sumac.join(batch_size=64, parts=8, epochs=10)
for step in sumac.torch.train(model, optimizer, lambda model, x, y: functional.cross_entropy(model(x), y), train,
                              job=job, evaluate=accuracy):
    if step.ends_epoch and step.is_writer:
        print(f"epoch {step.epoch}: loss {step.loss:.4f}")
