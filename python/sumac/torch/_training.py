"""train(): the turns of a PyTorch model."""

import ctypes
import struct
import zlib

import torch

from .. import _buffers, _turns
from . import _random, _tensors
from ._load import Loader
from ._state import State


class Training(_turns.Turns):
    """One training: docs/design/program.md defines what it computes."""

    def __init__(self, job, member, options):
        super().__init__(job, member, options.evaluate)
        self._model, self._optimizer, self._loss = options.model, options.optimizer, options.loss
        self._scheduler, self._before_update = options.scheduler, options.before_update
        self._extra = options.extra
        self.samples = _length(options.dataset)
        self.tensors = _tensors.Tensors(options.model, options.optimizer)
        self._grouped = self._count_grouped()
        self._loader = Loader(options.dataset, options.loader_workers, options.collate)
        self._modes = [(module, module.training) for module in options.model.modules()]
        self._weights = {}
        self.fingerprint, changing, self._kept = self._try()
        self._layout = _tensors.Layout(self.tensors, changing, len(self._extra), job.parts)
        self.count = self._layout.count
        changed = {id(buffer) for _, buffer in changing}
        self._fixed = [(name, buffer) for name, buffer in self.tensors.buffers if id(buffer) not in changed]
        self._vector = _buffers.Floats(self.count)
        self._flat = torch.frombuffer(self._vector.flat, dtype=torch.float32)
        self._gradients = self._layout.gradients(self._flat)
        self._averages = self._layout.averages(self._flat)
        self._kept_floats, self._kept_integers = self._layout.by_kind(self._kept)
        self._changing = [buffer for _, buffer in changing]
        self._pieces, self._held = None, ()  # the values of the part that is computed
        self._state = self._make_state(options.others)

    # Before the training.

    def _try(self):
        """Computes a part as a trial: a CRC of its gradients, which members compare, and the buffers that it changes,
        with what was in them."""
        count = -(-self._job.batch_size // self._job.parts)
        part = _turns.Part(self._job, 0, 0, 0, range(min(count, self.samples)))
        before = [buffer.clone() for _, buffer in self.tensors.buffers]
        self.tensors.drop_gradients()
        self._loss_of(part, self._loader.load(part))
        crc = 0
        for _, tensor in self.tensors.trained:
            if tensor.grad is not None:
                if tensor.grad.dtype is not torch.float32:
                    raise TypeError(f"the gradient of a parameter is {tensor.grad.dtype}; gradients are torch.float32")
                crc = _crc(_tensors.dense(tensor.grad), crc)
        self.tensors.drop_gradients()
        now = dict(self._model.named_buffers())
        changing, kept = [], []
        for (name, buffer), old in zip(self.tensors.buffers, before):
            if now.get(name) is not buffer:
                raise ValueError(f"the model puts another tensor in the place of its buffer '{name}'; let it change the"
                                 " buffer in place, by copy_()")
            if not torch.equal(buffer, old):
                changing.append((name, buffer))
                kept.append(old)
                with torch.no_grad():
                    buffer.copy_(old)
        return crc, changing, kept

    def _make_state(self, others):
        kept = {id(buffer): copy for (_, buffer), copy in zip(self._layout.changing, self._kept)}
        model, names = [], set()
        for name, tensor in self._model.state_dict(keep_vars=True).items():
            if not isinstance(tensor, torch.Tensor):
                raise TypeError(f"'{name}' of the model's state_dict() is a {type(tensor).__name__}; a checkpoint holds"
                                " tensors only")
            names.add(name)
            model.append((name, kept.get(id(tensor), tensor)))
        hidden = [(name, copy) for (name, _), copy in zip(self._layout.changing, self._kept) if name not in names]
        return State(model, hidden, others)

    # The turns.

    def _count_grouped(self):
        return sum(len(group["params"]) for group in self._optimizer.param_groups)

    def part(self, part):
        if part.number == self._member.turn.first:
            self._begin()
        loss = self._one(part, self._loader.get(part, self._following))
        if self._job.verify and part.step % self._job.verify == 0:
            self._verify(part, self._member.turn)
        return self._pieces, loss

    def _begin(self):
        """Before the first part of a turn: what the program has done meanwhile changes none."""
        self.tensors.check()
        if self._count_grouped() != self._grouped:
            raise ValueError(f"the optimizer has {self._count_grouped()} parameters, and had {self._grouped} as train()"
                             " began: what members exchange is fixed then; add all of them before, frozen or trained")
        self.tensors.drop_gradients()
        for module, mode in self._modes:
            if module.training is not mode:  # an evaluation has left it so
                module.training = mode

    def add(self, step, number, values, loss):
        goes_on = self._member.add_pieces(step, number, values, loss)
        self._held = ()  # copied
        return goes_on

    def _one(self, part, batch):
        """Computes a part; returns its weighted loss, and has its values."""
        self._set_back()
        versions = [buffer._version for _, buffer in self._fixed]
        loss, extra = self._loss_of(part, batch)
        for (name, buffer), version in zip(self._fixed, versions):
            if buffer._version != version:
                raise ValueError(f"the model changes its buffer '{name}', and did not as train() began: what members"
                                 " exchange is fixed then; let it change from its first batch on")
        self._pieces, self._held = self._layout.gather(part.number, extra)
        self.tensors.drop_gradients()
        return loss

    def _loss_of(self, part, batch):
        """Forward and backward of a part: its weighted loss and numbers; gradients are in the parameters, which had
        none."""
        _random.seed(part.seed)
        found = self._loss(self._model, *batch) if isinstance(batch, (list, tuple)) else self._loss(self._model, batch)
        loss, numbers = found if isinstance(found, tuple) and len(found) == 2 else (found, {})
        if not isinstance(loss, torch.Tensor) or loss.numel() != 1:
            raise TypeError(f"loss returned {_named(loss)}; it returns a scalar: the mean over the samples it gets")
        if not loss.requires_grad:
            raise TypeError("the loss has no graph: it does not depend on a parameter that is trained, or was"
                            " computed within torch.no_grad()")
        if numbers.keys() != set(self._extra):
            raise ValueError(f"loss returned the numbers {sorted(numbers)}; extra= names {sorted(self._extra)}")
        loss.backward(gradient=self._weight(part.weight, loss))
        return float(loss.detach()) * part.weight, [float(numbers[name]) * part.weight for name in self._extra]

    def _weight(self, weight, loss):
        key = weight, tuple(loss.shape), loss.dtype
        if key not in self._weights:
            self._weights[key] = torch.full(loss.shape, weight, dtype=loss.dtype)
        return self._weights[key]

    def _following(self, part):
        """The parts of this member after one, while its members stay the same."""
        turn = self._member.turn
        step, number = part.step, part.number
        first, end = turn.first, turn.first + turn.count
        while True:
            number += 1
            if number == end:
                step, number = step + 1, first
            if step > self._job.steps:
                return
            yield self.part_of(step, 0, number)

    def _set_back(self):
        """Buffers are what they were as the step began."""
        if self._kept:
            with torch.no_grad():
                torch._foreach_copy_(self._changing, self._kept)

    # A part twice, on one worker and on the next.

    def _verify(self, part, turn):
        """Computes the first part of one worker again, there and at the next one: the sum of what they found is 0."""
        if part.number != turn.first:
            return
        checked, workers = part.step // self._job.verify % turn.workers, turn.workers
        mine = self._layout.bytes_of(self._pieces)
        found = []
        if turn.position == checked:
            self._one(part, self._loader.load(part))
            self._compare(part, mine)
            found.append((mine, 1))
        if workers > 1 and turn.position == (checked + 1) % workers:
            other = self.part_of(part.step, part.epoch, checked * self._job.parts // workers)
            self._one(other, self._loader.load(other))
            found.append((self._layout.bytes_of(self._pieces), -1))
        flat, self._pieces = self._layout.whole(mine)
        for values, sign in found if workers > 1 else ():
            crc = zlib.crc32(values[:4 * self._layout.check])
            flat[self._layout.check] += sign * (crc & 0xFFFF)
            flat[self._layout.check + 1] += sign * (crc >> 16)

    def _compare(self, part, before):
        again = self._layout.bytes_of(self._pieces)
        if before == again:
            return
        first = next(index for index in range(0, len(again), 4) if before[index:index + 4] != again[index:index + 4])
        old, new = struct.unpack_from("f", before, first)[0], struct.unpack_from("f", again, first)[0]
        raise RuntimeError(f"{part} was computed twice with different results, first in {self.name_of(first // 4)} ({old}"
                           f" and {new}): the loss, the model or the data set use the time, a generator that is not"
                           " seeded, or what was computed before")

    # The update.

    def update(self, turn):
        self._vector.take(turn.sum)
        extra = self._vector.flat[self._layout.extra:].tolist()
        if extra[-2] or extra[-1]:
            checked = turn.step // self._job.verify % turn.workers
            raise RuntimeError(f"two workers computed part {checked * self._job.parts // turn.workers} of step"
                               f" {turn.step} with different results: the one that has it (worker {checked} in the order"
                               " of parts) and the next one; look at their processors, versions and data")
        step = Step(self._job, turn, None, None)
        step.extra = dict(zip(self._extra, extra))
        self._take()
        self._set_back()
        for tensor, gradient in self._gradients:
            tensor.grad = gradient
        _random.seed(step.seed)
        if self._before_update is not None:
            self._before_update(self._model)
        self._optimizer.step()
        if self._scheduler is not None:
            self._scheduler.step()
        self.tensors.drop_gradients()
        if self._kept and self._before_update is not None:  # it may have changed them
            with torch.no_grad():
                torch._foreach_copy_(self._kept, self._changing)
        return step

    def _take(self):
        """Keeps the buffers of the sum."""
        if not self._kept:
            return
        with torch.no_grad():
            if self._kept_floats:
                torch._foreach_copy_(self._kept_floats, self._averages)
            if self._kept_integers:
                torch._foreach_copy_(self._kept_integers, self._layout.counters(self._flat))

    def register(self, step):
        self._member.state_is(*self._state.pack(step))

    def load(self, packed):
        self._state.load(packed)
        self._set_back()

    def evaluated(self, step):
        self._model.eval()
        try:
            with torch.no_grad():
                return self._evaluate(self._model)
        finally:
            for module, mode in self._modes:
                module.training = mode

    def name_of(self, index):
        return self._layout.name_of(index)


class Step(_turns.Step):
    """A step after its update. extra: the program's numbers, as means over the mini-batch, by name."""

    __slots__ = ("extra",)


def _length(dataset):
    try:
        return len(dataset)
    except TypeError:
        raise TypeError(f"the data set is a {type(dataset).__name__} without a length; train() needs len(dataset) and"
                        " dataset[index]") from None


def _crc(tensor, before):
    memory = (ctypes.c_char * (4 * tensor.numel())).from_address(tensor.data_ptr() or 0) if tensor.numel() else b""
    return zlib.crc32(memory, before)


def _named(value):
    if isinstance(value, torch.Tensor):
        return f"a tensor of shape {list(value.shape)}"
    return f"a {type(value).__name__}"
