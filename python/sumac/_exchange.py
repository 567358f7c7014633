"""The loop over turns: what the library wants done becomes calls of the program's functions, and steps."""

import contextlib
import math
import struct
import sys
from collections.abc import Mapping

from . import _buffers, _ends, _mix, _state, _structs


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
        self.seed = _mix.mix(job.seed, step, number, _mix.COMPUTE)
        self.load_seed = _mix.mix(job.seed, step, number, _mix.LOAD)
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
        self.seed = _mix.mix(job.seed, turn.step, job.parts, _mix.COMPUTE)
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


class Exchange:
    """The loop of one training."""

    def __init__(self, job, member, fn, values, state, load, evaluate, mean):
        for name, value in (("fn", fn), ("load", load), ("evaluate", evaluate)):
            if not callable(value) and (name == "fn" or value is not None):
                raise TypeError(f"{name} of exchange() is a {type(value).__name__}; pass a function")
        self._job, self._member = job, member
        self._fn, self._state, self._load, self._evaluate, self._mean = fn, state, load, evaluate, mean
        self._shapes = self._shapes_of(values)
        self.count = sum(math.prod(shape) for shape in self._shapes)
        if not 1 <= self.count < 2**29:
            raise ValueError(f"exchange() is to exchange {self.count} values; it takes 1 to 2^29 - 1")
        self._vector = _buffers.Floats(self.count)
        offsets = [0]
        for shape in self._shapes:
            offsets.append(offsets[-1] + math.prod(shape))
        self._offsets = offsets
        self._evaluated = -1

    @staticmethod
    def _shapes_of(values):
        if isinstance(values, int):
            return [(values,)]
        if not isinstance(values, (list, tuple)):
            values = [values]
        return [_buffers.view(value, f"value {index} of exchange()", dtype="F32").shape
                for index, value in enumerate(values)]

    def steps(self):
        self._register(0)
        while (task := self._member.next()) is not None:
            if task == _structs.COMPUTE:
                self._compute()
            elif task == _structs.UPDATE:
                step = self._step()
                yield step
                self._register(step.number)
                self._finish(step, step.ends_epoch or step.is_last)
            elif task == _structs.LOAD:
                self._make_own(self._member.turn.state.contents)
            elif task == _structs.LAST:
                step = Step(self._job, self._member.turn, None, None)
                self._finish(step, step.number != self._evaluated)

    def _compute(self):
        turn = self._member.turn
        step, epoch = turn.step, turn.epoch
        most = -(-self._job.batch_size // self._job.parts)
        for number in range(turn.first, turn.first + turn.count):
            part = Part(self._job, step, epoch, number, self._member.samples(step, number, most))
            try:
                address, loss = self._values_of(part, self._fn(part))
            except Exception as error:
                error.add_note(f"in {part}")
                raise
            if not self._member.add(step, number, address, loss):
                return

    def _values_of(self, part, returned):
        """Where the values of a part are, weighted, and its loss."""
        if not isinstance(returned, tuple) or len(returned) != 2:
            raise TypeError(f"fn returned a {type(returned).__name__}; it returns (loss, values)")
        loss, values = returned
        weight = part.weight if self._mean else 1.0
        try:
            loss = float(loss)
        except (TypeError, ValueError) as error:
            raise TypeError(f"the loss that fn returned is no number: {error}") from None
        loss = struct.unpack("f", struct.pack("f", loss))[0] * weight if abs(loss) < 3e38 else loss
        if not isinstance(values, (list, tuple)):
            values = [values]
        if len(values) != len(self._shapes):
            raise ValueError(f"fn returned {len(values)} buffers of values; exchange() was told {len(self._shapes)}")
        for index, (value, shape) in enumerate(zip(values, self._shapes)):
            found = _buffers.view(value, f"value {index} that fn returned", dtype="F32")
            if found.shape != shape:
                raise ValueError(f"value {index} that fn returned has shape {list(found.shape)}; exchange() was told"
                                 f" {list(shape)}")
            if len(values) == 1 and weight == 1.0:
                self._whole = found  # lives until the library has copied it
                return found.address, loss
            self._vector.put(self._offsets[index], found, weight)
        return self._vector.address, loss

    def _step(self):
        turn = self._member.turn
        self._vector.take(turn.sum)
        sums = [self._vector.shaped(offset, shape) for offset, shape in zip(self._offsets, self._shapes)]
        return Step(self._job, turn, self._vector.flat, sums)

    def _register(self, step):
        self._member.state_is(*_state.pack(_state.State.of(self._state), step))

    def _make_own(self, packed):
        loaded = _state.Loaded(packed)
        if self._load is not None:
            self._load(loaded)
        elif callable(self._state):
            raise TypeError("exchange() has a function as state, and no load=: it cannot load a state")
        else:
            own = _state.State.of(self._state)
            if own.meta is not None and own.meta != loaded.meta:
                raise TypeError("the state of exchange() has meta, and there is no load= that could load it")
            _state.copy(loaded, own)
        self._register(loaded.step)

    def _finish(self, step, is_due):
        if is_due and self._evaluate is not None and step.is_writer:
            found = self._evaluate(step)
            if not isinstance(found, Mapping):
                raise TypeError(f"evaluate returned a {type(found).__name__}; it returns metrics by name")
            step.report(**found)
            self._evaluated = step.number
        if step._metrics and step.is_writer:
            metric = _structs.Metric(**{name: math.nan for name, _ in _structs.Metric._fields_[1:]})
            for name, value in step._metrics.items():
                setattr(metric, name, value)
            self._member.metrics(metric)
