"""Batches of parts, loaded in this process or ahead of time by processes of a DataLoader."""

import collections
import itertools

import torch
from torch.utils import data

from . import _random


class Batches(data.Dataset):
    """A data set: its index is (load seed, samples of a part), its sample the batch of that part.

    One process loads a part whole and in order, with generators of the part's seed: how many processes there are
    changes no bit.
    """

    def __init__(self, dataset, collate):
        self._dataset, self._collate = dataset, collate or data.default_collate

    def __getitem__(self, key):
        seed, samples = key
        if type(self._dataset) is data.TensorDataset and self._collate is data.default_collate:
            # Random numbers change nothing here, and indexing at once is many times faster.
            index = torch.tensor(samples)
            return [tensor[index] for tensor in self._dataset.tensors]
        _random.seed(seed)
        if hasattr(self._dataset, "__getitems__"):
            return self._collate(self._dataset.__getitems__(samples))
        return self._collate([self._one(sample) for sample in samples])

    def _one(self, sample):
        try:
            return self._dataset[sample]
        except Exception as error:
            error.add_note(f"in dataset[{sample}]")
            raise


class Loader:
    """The batches of this member's parts."""

    def __init__(self, dataset, workers: int, collate):
        self._batches, self._workers = Batches(dataset, collate), workers
        self._ahead, self._order = None, collections.deque()

    def load(self, part):
        """The batch of a part, by this process."""
        return self._batches[_key(part)]

    def get(self, part, following):
        """The same, perhaps loaded already; `following(part)` iterates over the parts that are wanted after it."""
        if not self._workers:
            return self.load(part)
        if not self._order or self._order[0] != (part.step, part.number):
            self._start(part, following)  # what was loaded ahead for other parts is dropped
        batch = next(self._ahead)
        self._order.popleft()
        return batch

    def _start(self, first, following):
        order = self._order = collections.deque()

        def keys():
            for part in itertools.chain((first,), following(first)):
                order.append((part.step, part.number))
                yield _key(part)

        self._ahead = iter(data.DataLoader(self._batches, batch_size=None, sampler=keys(), num_workers=self._workers))


def _key(part):
    return part.load_seed, [int(sample) for sample in part.samples]
