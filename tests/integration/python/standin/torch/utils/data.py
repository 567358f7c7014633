"""Data sets of the stand-in."""

import concurrent.futures
import multiprocessing

import numpy

from .. import tensor


class Dataset:
    pass


class TensorDataset(Dataset):
    def __init__(self, *tensors):
        self.tensors = tensors

    def __len__(self):
        return len(self.tensors[0])

    def __getitem__(self, index):
        return tuple(values[index] for values in self.tensors)


def default_collate(samples):
    return [tensor(numpy.stack([numpy.asarray(value) for value in values])) for values in zip(*samples)]


class DataLoader:
    """Its processes have two samples each ahead of the program."""

    def __init__(self, dataset, batch_size, sampler, num_workers):
        assert batch_size is None
        self.dataset, self.sampler, self.workers = dataset, sampler, num_workers

    def __iter__(self):
        context = multiprocessing.get_context("fork")
        with concurrent.futures.ProcessPoolExecutor(self.workers, mp_context=context) as pool:
            keys, waiting = iter(self.sampler), []
            while True:
                while len(waiting) < 2 * self.workers and (key := next(keys, None)) is not None:
                    waiting.append(pool.submit(self.dataset.__getitem__, key))
                if not waiting:
                    return
                yield waiting.pop(0).result()
