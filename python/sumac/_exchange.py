"""Job.exchange(): parts that the program computes in buffers of any kind."""

import math
import struct

from . import _buffers, _state, _turns


class Exchange(_turns.Turns):
    """The turns of a program that has functions for its parts and its state."""

    def __init__(self, job, member, fn, values, state, load, evaluate, mean):
        super().__init__(job, member, evaluate)
        for name, value in (("fn", fn), ("load", load)):
            if not callable(value) and (name == "fn" or value is not None):
                raise TypeError(f"{name} of exchange() is a {type(value).__name__}; pass a function")
        self._fn, self._state, self._load, self._mean = fn, state, load, mean
        self._shapes = self._shapes_of(values)
        self._offsets = [0]
        for shape in self._shapes:
            self._offsets.append(self._offsets[-1] + math.prod(shape))
        self.count = self._offsets[-1]
        if not 1 <= self.count < 2**29:
            raise ValueError(f"exchange() is to exchange {self.count} values; it takes 1 to 2^29 - 1")
        self._vector = _buffers.Floats(self.count)
        self._whole = None

    @staticmethod
    def _shapes_of(values):
        if isinstance(values, int):
            return [(values,)]
        if not isinstance(values, (list, tuple)):
            values = [values]
        return [_buffers.view(value, f"value {index} of exchange()", dtype="F32").shape
                for index, value in enumerate(values)]

    def part(self, part):
        return self._values_of(part, self._fn(part))

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
            raise ValueError(f"fn returned {len(values)} buffers of values; exchange() declares {len(self._shapes)}")
        for index, (value, shape) in enumerate(zip(values, self._shapes)):
            found = _buffers.view(value, f"value {index} that fn returned", dtype="F32")
            if found.shape != shape:
                raise ValueError(f"value {index} that fn returned has shape {list(found.shape)}; exchange() declares"
                                 f" {list(shape)}")
            if len(values) == 1 and weight == 1.0:
                self._whole = found  # lives until the library has copied it
                return found.address, loss
            self._vector.put(self._offsets[index], found, weight)
        return self._vector.address, loss

    def update(self, turn):
        self._whole = None
        self._vector.take(turn.sum)
        sums = [self._vector.shaped(offset, shape) for offset, shape in zip(self._offsets, self._shapes)]
        return _turns.Step(self._job, turn, self._vector.flat, sums)

    def register(self, step):
        self._member.state_is(*_state.pack(_state.State.of(self._state), step))

    def load(self, packed):
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

    def name_of(self, index):
        if index == self.count:
            return "what fn returns"
        number = next(number for number, end in enumerate(self._offsets[1:]) if index < end)
        return f"buffer {number} of what fn returns"
