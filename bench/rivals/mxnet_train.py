#!/usr/bin/env python3
"""Trains one of the benchmarks' networks with MXNet; see rounds.py for how it is asked to.

A step is forwards, backwards, clipping where the network is trained so, and the update; gradients
are written, not added, so that nothing clears them. Its data lie in memory as arrays: unlike Sumac,
it gathers no samples.
"""
import argparse

import mxnet as mx
from mxnet import autograd, gluon, nd

import rounds

CELLS = 200
LAYERS = 2
TIME_STEPS = 20


def conv(channels, padding=0):
    return gluon.nn.Conv2D(channels, 5, padding=padding)


def relu():
    return gluon.nn.Activation("relu")


def lenet5():
    """ReLU comes after the pooling: the same values, for a quarter of the work."""
    return (conv(6, 2), gluon.nn.MaxPool2D(2), relu(), conv(16), gluon.nn.MaxPool2D(2), relu(),
            gluon.nn.Flatten(), gluon.nn.Dense(120, activation="relu"),
            gluon.nn.Dense(84, activation="relu"), gluon.nn.Dense(10))


def cifar10_quick():
    return (conv(32, 2), gluon.nn.MaxPool2D(3, 2, ceil_mode=True), relu(),
            conv(32, 2), relu(), gluon.nn.AvgPool2D(3, 2, ceil_mode=True),
            conv(64, 2), relu(), gluon.nn.AvgPool2D(3, 2, ceil_mode=True),
            gluon.nn.Flatten(), gluon.nn.Dense(64), gluon.nn.Dense(10))


IMAGE_MODELS = {"lenet5": ((1, 28, 28), lenet5), "cifar10-quick": ((3, 32, 32), cifar10_quick)}


class Lstm(gluon.HybridBlock):
    """Two layers of 200 cells between an embedding and a softmax over the vocabulary."""

    def __init__(self, options):
        super().__init__()
        with self.name_scope():
            self.embedding = gluon.nn.Embedding(options.vocabulary, CELLS,
                                                sparse_grad=options.sparse)
            self.lstm = gluon.rnn.LSTM(CELLS, num_layers=LAYERS, input_size=CELLS)
            self.output = gluon.nn.Dense(options.vocabulary, in_units=CELLS, flatten=False)

    def hybrid_forward(self, F, words, hidden, cell):
        values, state = self.lstm(self.embedding(words), [hidden, cell])
        return self.output(F.reshape(values, (-3, 0))), state[0], state[1]


class SoftmaxOutput(gluon.HybridBlock):
    """The softmax whose backward pass is that of the cross-entropy: one operator for both."""

    def hybrid_forward(self, F, logits, labels):
        return F.SoftmaxOutput(logits, labels)


def compiled(block):
    block.hybridize(static_alloc=True, static_shape=True)
    return block


def loss_of(options):
    return compiled(SoftmaxOutput() if options.softmax_output
                    else gluon.loss.SoftmaxCrossEntropyLoss())


class ImageTraining:
    def __init__(self, options):
        shape, make = IMAGE_MODELS[options.model]
        self.per_step = options.batch
        self.batches = [
            (nd.random.uniform(shape=(options.batch, *shape)),
             nd.random.randint(0, 10, (options.batch,)).astype("float32"))
            for _ in range(rounds.BATCHES)]
        net = gluon.nn.HybridSequential()
        net.add(*make())
        net.initialize(mx.init.Xavier())
        self.net, self.loss_function = compiled(net), loss_of(options)
        self.net(self.batches[0][0])
        self.trainer = gluon.Trainer(net.collect_params(), "sgd",
                                     {"learning_rate": 0.001, "momentum": 0.9},
                                     kvstore=options.kvstore)
        self.steps, self.loss = 0, None

    def step(self):
        images, labels = self.batches[self.steps % len(self.batches)]
        self.steps += 1
        with autograd.record():
            self.loss = self.loss_function(self.net(images), labels)
        self.loss.backward()
        self.trainer.step(self.per_step)
        nd.waitall()


class TextTraining:
    def __init__(self, options):
        self.streams = options.batch
        self.per_step = self.streams * TIME_STEPS
        words = nd.random.randint(0, options.vocabulary,
                                  (TIME_STEPS * rounds.BATCHES + 1, self.streams)).astype("float32")
        self.batches = [
            (words[first:first + TIME_STEPS].copy(),
             words[first + 1:first + 1 + TIME_STEPS].reshape((-1,)).copy())
            for first in range(0, TIME_STEPS * rounds.BATCHES, TIME_STEPS)]
        net = Lstm(options)
        net.initialize(mx.init.Uniform(0.1))
        self.net, self.loss_function = compiled(net), loss_of(options)
        self.hidden = self.cell = nd.zeros((LAYERS, self.streams, CELLS))
        self.net(self.batches[0][0], self.hidden, self.cell)
        self.parameters = net.collect_params()
        # Clipping needs the sums before the update, so that servers cannot make it.
        self.trainer = gluon.Trainer(self.parameters, "sgd", {"learning_rate": 1.0},
                                     kvstore=options.kvstore, update_on_kvstore=False)
        self.workers = options.kvstore.num_workers if options.kvstore else 1
        self.steps, self.loss = 0, None

    def step(self):
        words, targets = self.batches[self.steps % len(self.batches)]
        self.steps += 1
        with autograd.record():
            logits, hidden, cell = self.net(words, self.hidden, self.cell)
            self.loss = self.loss_function(logits, targets)
        self.loss.backward()
        self.trainer.allreduce_grads()
        # The gradient is a sum over streams and time; the update divides by the streams.
        gradients = [parameter.grad() for parameter in self.parameters.values()]
        gluon.utils.clip_global_norm(gradients, 5.0 * self.streams * self.workers,
                                       check_isfinite=False)
        self.trainer.update(self.streams * self.workers)
        self.hidden, self.cell = hidden.detach(), cell.detach()
        nd.waitall()


def parser(description):
    parser = argparse.ArgumentParser(description=description)
    parser.set_defaults(kvstore=None)
    parser.add_argument("--model", choices=(*IMAGE_MODELS, "ptb-lstm-small"), required=True)
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--vocabulary", type=int, default=10_000)
    parser.add_argument("--sparse", action="store_true", help="row-sparse gradient of the embedding")
    parser.add_argument("--softmax-output", action="store_true",
                        help="softmax and loss in one operator")
    return parser


def make(options):
    mx.random.seed(1)
    return (ImageTraining if options.model in IMAGE_MODELS else TextTraining)(options)


def main():
    training = make(parser(__doc__).parse_args())
    rounds.serve(training.step, lambda: training.loss.mean().asscalar(), training.per_step,
                 mx.__version__)


if __name__ == "__main__":
    main()
