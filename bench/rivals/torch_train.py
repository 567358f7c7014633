#!/usr/bin/env python3
"""Trains one of the benchmarks' networks with PyTorch; see rounds.py for how it is asked to.

A step is forwards, backwards, clipping where the network is trained so, the update, and clearing
of the gradients. Its data lie in memory as tensors: unlike Sumac, it gathers no samples.
"""
import argparse

import torch
from torch import nn

import rounds

CELLS = 200
LAYERS = 2
TIME_STEPS = 20


def lenet5():
    """ReLU comes after the pooling: the same values, for a quarter of the work."""
    return (nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.MaxPool2d(2), nn.ReLU(),
        nn.Conv2d(6, 16, 5), nn.MaxPool2d(2), nn.ReLU()),
        nn.Sequential(
            nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(),
            nn.Linear(84, 10)))


def cifar10_quick():
    return (nn.Sequential(
        nn.Conv2d(3, 32, 5, padding=2), nn.MaxPool2d(3, 2, ceil_mode=True), nn.ReLU(),
        nn.Conv2d(32, 32, 5, padding=2), nn.ReLU(), nn.AvgPool2d(3, 2, ceil_mode=True),
        nn.Conv2d(32, 64, 5, padding=2), nn.ReLU(), nn.AvgPool2d(3, 2, ceil_mode=True)),
        nn.Sequential(nn.Flatten(), nn.Linear(1024, 64), nn.Linear(64, 10)))


IMAGE_MODELS = {"lenet5": ((1, 28, 28), lenet5), "cifar10-quick": ((3, 32, 32), cifar10_quick)}


class ConvNet(nn.Module):
    def __init__(self, make, onednn_tensors):
        super().__init__()
        self.convolutions, self.classifier = make()
        self.onednn_tensors = onednn_tensors

    def forward(self, images):
        if not self.onednn_tensors:
            return self.classifier(self.convolutions(images))
        return self.classifier(self.convolutions(images.to_mkldnn()).to_dense())


class Lstm(nn.Module):
    """Two layers of 200 cells between an embedding and a softmax over the vocabulary."""

    def __init__(self, options):
        super().__init__()
        self.embedding = nn.Embedding(options.vocabulary, CELLS, sparse=options.sparse)
        self.lstm = nn.LSTM(CELLS, CELLS, num_layers=LAYERS)
        self.output = nn.Linear(CELLS, options.vocabulary)
        self.onednn_tensors = options.onednn_tensors
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -0.1, 0.1)

    def forward(self, words, hidden, cell):
        values, (hidden, cell) = self.lstm(self.embedding(words), (hidden, cell))
        values = values.flatten(0, 1)
        if self.onednn_tensors:
            return self.output(values.to_mkldnn()).to_dense(), hidden, cell
        return self.output(values), hidden, cell


class ImageTraining:
    def __init__(self, options):
        shape, make = IMAGE_MODELS[options.model]
        layout = torch.channels_last if options.channels_last else torch.contiguous_format
        self.per_step = options.batch
        self.batches = [
            (torch.rand(options.batch, *shape).to(memory_format=layout),
             torch.randint(10, (options.batch,))) for _ in range(rounds.BATCHES)]
        model = ConvNet(make, options.onednn_tensors).to(memory_format=layout)
        self.model = torch.compile(model) if options.compile else model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9,
                                         fused=options.fused)
        self.steps, self.loss = 0, None

    def step(self):
        images, labels = self.batches[self.steps % len(self.batches)]
        self.steps += 1
        self.loss = nn.functional.cross_entropy(self.model(images), labels)
        self.loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()


class TextTraining:
    def __init__(self, options):
        streams = options.batch
        self.per_step = streams * TIME_STEPS
        self.words = torch.randint(options.vocabulary, (TIME_STEPS * rounds.BATCHES + 1, streams))
        model = Lstm(options)
        self.model = torch.compile(model) if options.compile else model
        self.parameters = list(model.parameters())
        self.optimizer = torch.optim.SGD(self.parameters, lr=1.0, fused=options.fused)
        self.hidden = self.cell = torch.zeros(LAYERS, streams, CELLS)
        self.steps, self.loss = 0, None

    def step(self):
        first = self.steps % rounds.BATCHES * TIME_STEPS
        self.steps += 1
        inputs = self.words[first:first + TIME_STEPS]
        targets = self.words[first + 1:first + 1 + TIME_STEPS].flatten()
        logits, hidden, cell = self.model(inputs, self.hidden, self.cell)
        self.loss = nn.functional.cross_entropy(logits, targets) * TIME_STEPS
        self.loss.backward()
        nn.utils.clip_grad_norm_(self.parameters, 5.0)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.hidden, self.cell = hidden.detach(), cell.detach()


def parser(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--model", choices=(*IMAGE_MODELS, "ptb-lstm-small"), required=True)
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--vocabulary", type=int, default=10_000)
    parser.add_argument("--channels-last", action="store_true")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--fused", action="store_true", help="one kernel for the whole update")
    parser.add_argument("--sparse", action="store_true", help="row-sparse gradient of the embedding")
    parser.add_argument("--onednn-tensors", action="store_true",
                        help="the convolutions, or the output layer, on tensors in oneDNN's layout")
    return parser


def make(options):
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    return (ImageTraining if options.model in IMAGE_MODELS else TextTraining)(options)


def main():
    training = make(parser(__doc__).parse_args())
    rounds.serve(training.step, lambda: training.loss.item(), training.per_step,
                 torch.__version__)


if __name__ == "__main__":
    main()
