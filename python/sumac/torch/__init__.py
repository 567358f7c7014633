"""PyTorch models as jobs: the weights do not depend on the number of workers.

    import sumac.torch

    for step in sumac.torch.train(model, optimizer, loss, dataset):
        ...

docs/python.md turns a DistributedDataParallel script into this, and says what the bits depend on.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import torch

from .. import _job
from . import _lines
from ._training import Step, Training

__all__ = ["Step", "train"]


def train(model: torch.nn.Module, optimizer: torch.optim.Optimizer, loss: Callable[..., Any], dataset: Any, *,
          job: _job.Job | None = None, scheduler: Any = None,
          before_update: Callable[[torch.nn.Module], None] | None = None, loader_workers: int = 0,
          extra: Iterable[str] = (), evaluate: Callable[[torch.nn.Module], Mapping[str, float]] | None = None,
          collate: Callable[[list], Any] | None = None, keep: Mapping[str, Any] | None = None, threads: int = 1,
          lines: Mapping[str, Any] | None = None) -> Iterator[Step]:
    """Trains the model: an iterator of steps, each yielded after its update.

    loss(model, *batch): a scalar, the mean over the samples of the batch; or that and a dictionary of numbers, also
        means, with the names in `extra`. It is called once for each part of a mini-batch that this worker has. It uses
        nothing that changes but the model, and random numbers of torch, random and numpy.random, which are seeded.
    dataset: has len(dataset) and dataset[index]; batches are made as DataLoader makes them, or by collate(samples).
    optimizer: updates the model on every worker, with gradients that are the same bits.
    job: what sumac.join() returned; None joins.
    scheduler: stepped after each update.
    before_update(model): called with the gradients of the whole mini-batch, to clip them for example.
    loader_workers: processes that load batches ahead of time; 0: this one loads. They change no bit.
    evaluate(model): called on one worker at the end of an epoch and of the training, in evaluation mode and without
        gradients; returns metrics as Step.report() takes them.
    keep: objects by name with state_dict() and load_state_dict(), which checkpoints keep and joining members get, too,
        such as an averaged model.
    threads: that compute, where the job's document does not say. Their number is part of the bits.
    lines: what else the bits depend on, as for Job.exchange().

    Raises sumac.Ended where the training ends early, TypeError and ValueError for what it cannot train.
    """
    job = _job.join() if job is None else job
    job._one()
    torch.set_num_threads(job.threads or threads)
    names = tuple(extra)
    if len(names) > 16:
        raise ValueError(f"extra has {len(names)} names; at most 16 numbers of a part are exchanged")
    for name, function in (("loss", loss), ("before_update", before_update), ("evaluate", evaluate)):
        if not callable(function) and (function is not None or name == "loss"):
            raise TypeError(f"{name} of train() is a {type(function).__name__}; pass a function")
    others = {"optimizer": optimizer, **({"scheduler": scheduler} if scheduler is not None else {}), **(keep or {})}
    options = SimpleNamespace(model=model, optimizer=optimizer, loss=loss, dataset=dataset, scheduler=scheduler,
                              before_update=before_update, loader_workers=loader_workers, extra=names, evaluate=evaluate,
                              collate=collate, others=others)
    training = Training(job, job._member, options)
    found = _lines.lines(training.tensors, optimizer, scheduler, training.samples, training.fingerprint)
    return job._train(training, training.count, training.samples, {**found, **(lines or {})})
