"""The loop over turns: what the library wants done becomes calls of a training's functions, and steps."""

import contextlib
import math
import sys
from collections.abc import Mapping

from . import _buffers, _ends, _mix, _structs


def lines():
    """What the bits of any program depend on."""
    import hashlib  # takes 10 ms

    found = {}
    if main := getattr(sys.modules.get("__main__"), "__file__", None):
        with contextlib.suppress(OSError), open(main, "rb") as file:
            found["program"] = hashlib.sha256(file.read()).hexdigest()
    if module := _buffers.numpy():
        found["numpy"] = module.__version__
    return found


class Part:
    """One part of a mini-batch.

    step, epoch: from 1. number: of the part, from 0. samples: the numbers of its training samples, in order: an array
    of int64 where the program uses NumPy, else a list. weight: its share of the mini-batch. seed: 64 bits for random
    numbers that depend on the job's seed, the step and the part alone; load_seed: the same for augmenting samples.
    """

    __slots__ = ("step", "epoch", "number", "samples", "weight", "seed", "load_seed")

    def __init__(self, job, step, epoch, number, samples):
        self.step, self.epoch, self.number = step, epoch, number
        self.weight = len(samples) / job.batch_size
        self.seed = job._seeds.of(step, number, _mix.COMPUTE)
        self.load_seed = job._seeds.of(step, number, _mix.LOAD)
        module = _buffers.numpy()
        self.samples = module.asarray(samples) if module else list(samples)

    def __len__(self):
        return len(self.samples)

    def __repr__(self):
        return f"part {self.number} of step {self.step}"


class Step:
    """What all parts of a mini-batch came to, before the update that is the body of the loop.

    number, epoch: from 1. loss: the mean over the mini-batch. sum: all values, a flat memoryview of float32; sums: the
    same in the shapes declared, arrays where the program uses NumPy. They are overwritten by the next step: copy what
    you keep. ends_epoch, is_last: whether the epoch or the training ends with it. is_writer: whether this worker
    evaluates and writes. seed: 64 bits for random numbers of the update.
    """

    __slots__ = ("number", "epoch", "ends_epoch", "is_last", "is_writer", "loss", "sum", "sums", "seed", "_metrics")

    def __init__(self, job, turn, total, sums):
        self.number, self.epoch = turn.step, turn.epoch
        self.ends_epoch, self.is_writer = bool(turn.ends_epoch), bool(turn.is_writer)
        self.is_last = turn.step == job.steps
        self.loss = turn.loss
        self.sum, self.sums = total, sums
        self.seed = job._seeds.of(turn.step, job.parts, _mix.COMPUTE)
        self._metrics = {}

    def report(self, *, validation_loss: float | None = None, validation_accuracy: float | None = None,
               test_loss: float | None = None, test_accuracy: float | None = None) -> None:
        """What the writer found out about the model after this step's update: shown as the job's progress, kept in
        metrics.jsonl, and the last ones in the result. What other workers report is ignored."""
        given = {"validation_loss": validation_loss, "validation_accuracy": validation_accuracy,
                 "test_loss": test_loss, "test_accuracy": test_accuracy}
        for name, value in given.items():
            if value is not None:
                self._metrics[name] = float(value)

    def __repr__(self):
        return f"step {self.number}"


class Turns:
    """One training. What it computes is a subclass's."""

    def __init__(self, job, member, evaluate):
        if evaluate is not None and not callable(evaluate):
            raise TypeError(f"evaluate is a {type(evaluate).__name__}; pass a function")
        self._job, self._member, self._evaluate = job, member, evaluate
        self._evaluated = -1

    # What a subclass has.

    def part(self, part):
        """Computes a part; returns its values as add() takes them, and its loss, both weighted."""
        raise NotImplementedError

    def add(self, step, number, values, loss):
        """Hands a part to the member; returns whether the step goes on. Here values are an address."""
        return self._member.add(step, number, values, loss)

    def update(self, turn):
        """The Step of a sum, which is copied."""
        raise NotImplementedError

    def register(self, step):
        """Tells the member the state after a step."""
        raise NotImplementedError

    def load(self, packed):
        """Makes a _structs.State the program's own."""
        raise NotImplementedError

    def evaluated(self, step):
        """The metrics of the evaluation."""
        return self._evaluate(step)

    def name_of(self, index):
        """What the exchanged value of that index belongs to; the one behind all values is the loss."""
        raise NotImplementedError

    def steps(self):
        """Yields each step as it is to be updated; raises Ended."""
        self.register(0)
        while (task := self._next()) is not None:
            turn = self._member.turn
            if task == _structs.COMPUTE:
                self._compute(turn)
            elif task == _structs.UPDATE:
                step = self.update(turn)
                yield step
                self.register(step.number)
                self._finish(step, step.ends_epoch or step.is_last)
            elif task == _structs.LOAD:
                self.load(turn.state.contents)
                self.register(turn.step)
            elif task == _structs.LAST:
                step = Step(self._job, turn, None, None)
                self._finish(step, step.number != self._evaluated)

    def _next(self):
        try:
            return self._member.next()
        except _ends.Failed as end:
            if end.bad_value is not None:
                end.reason += f" ({self.name_of(end.bad_value)})"
            raise

    def _compute(self, turn):
        step, epoch = turn.step, turn.epoch
        for number in range(turn.first, turn.first + turn.count):
            part = self.part_of(step, epoch, number)
            try:
                values, loss = self.part(part)
            except Exception as error:
                error.add_note(f"in {part}")
                raise
            if not self.add(step, number, values, loss):
                return

    def part_of(self, step, epoch, number):
        most = -(-self._job.batch_size // self._job.parts)
        return Part(self._job, step, epoch, number, self._member.samples(step, number, most))

    def _finish(self, step, is_due):
        if is_due and self._evaluate is not None and step.is_writer:
            found = self.evaluated(step)
            if not isinstance(found, Mapping):
                raise TypeError(f"evaluate returned a {type(found).__name__}; it returns metrics by name")
            step.report(**found)
            self._evaluated = step.number
        if step._metrics and step.is_writer:
            metric = _structs.Metric(**{name: math.nan for name, _ in _structs.Metric._fields_[1:]})
            for name, value in step._metrics.items():
                setattr(metric, name, value)
            self._member.metrics(metric)
