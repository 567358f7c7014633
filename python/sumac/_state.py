"""What a program needs to go on after a step with the same bits."""

import ctypes
import json
from collections.abc import Mapping
from typing import Any

from . import _buffers, _structs


class State:
    """Tensors by name, and a value that JSON can say.

    model: what is trained. It is written to model.safetensors, its bits are the job's parametersSha256, and members
        compare them.
    other: what is needed, too: the state of an optimizer, averages, counters.
    meta: anything that json.dumps() writes, such as the state of a schedule; 1 MiB at most.

    Tensors are dense buffers: NumPy arrays, array.array, memoryviews or DLPack tensors on the CPU. While parts are
    computed they must not change: change them only in the body of the loop.
    """

    __slots__ = ("model", "other", "meta")

    def __init__(self, model: Mapping[str, Any], other: Mapping[str, Any] | None = None, meta: Any = None):
        self.model, self.other, self.meta = model, other or {}, meta

    @staticmethod
    def of(value: "State | Mapping[str, Any]") -> "State":
        if callable(value):
            value = value()
        if isinstance(value, State):
            return value
        if isinstance(value, Mapping):
            return State(value)
        raise TypeError(f"state is a {type(value).__name__}; pass a dictionary of buffers by name, a sumac.State, or a"
                        " function that returns one of them")

    def tensors(self):
        """Triples (name, buffer, role). A name may be there once."""
        for name in self.other:
            if name in self.model:
                raise ValueError(f"the state has '{name}' twice, in model and in other; rename one")
        yield from ((name, value, _structs.MODEL) for name, value in self.model.items())
        yield from ((name, value, _structs.OTHER) for name, value in self.other.items())


def json_of(meta) -> bytes:
    try:
        return json.dumps(meta, separators=(",", ":")).encode()
    except (TypeError, ValueError) as error:
        raise TypeError(f"the meta of the state is nothing that JSON can say: {error}") from None


def pack(state: State, step: int):
    """The struct for the library, and what must live as long as it is registered."""
    tensors = list(state.tensors())
    packed = (_structs.Tensor * len(tensors))()
    views = []
    for entry, (name, value, role) in zip(packed, tensors):
        found = _buffers.view(value, f"tensor '{name}' of the state")
        shape = (ctypes.c_int64 * len(found.shape))(*found.shape)
        entry.__init__(name=str(name).encode(), dtype=found.dtype.encode(), shape=shape, rank=len(found.shape),
                       data=found.address, role=role)
        views.append((found, shape))
    text = json_of(state.meta)
    return _structs.State(step=step, tensors=packed, count=len(tensors), text=text), (packed, views)


class Loaded(State):
    """A state that another member or a checkpoint has. `model` and `other` have read-only views of memory that lasts
    only while load() runs: copy what is kept."""

    __slots__ = ("step", "views")

    def __init__(self, packed: _structs.State):
        self.step = packed.step
        self.views = {}
        groups = {}, {}
        for entry in packed.tensors[:packed.count]:
            name = entry.name.decode()
            found = _buffers.View(entry.data or 0, entry.dtype.decode(), entry.shape[:entry.rank], True, None)
            self.views[name] = found
            memory = found.memory().toreadonly()
            module = _buffers.numpy()
            if module and found.dtype != "BF16":
                memory = module.asarray(memory).reshape(found.shape)
            groups[entry.role == _structs.OTHER][name] = memory
        super().__init__(*groups, json.loads(packed.text or b"null"))


def copy(loaded: Loaded, state: State):
    """Copies all tensors into those of the same names. Raises ValueError that names what differs."""
    names = set()
    for name, value, _ in state.tensors():
        names.add(name)
        what = f"tensor '{name}' of the state"
        source, target = loaded.views.get(name), _buffers.view(value, what, writable=True)
        if source is None:
            raise ValueError(f"{what} is not in the state to load, which has {', '.join(sorted(loaded.views))}")
        if (source.dtype, source.shape) != (target.dtype, target.shape):
            raise ValueError(f"{what} is {target.dtype} {list(target.shape)} here, and {source.dtype}"
                             f" {list(source.shape)} in the state to load")
        ctypes.memmove(target.address, source.address, source.nbytes)
    if extra := sorted(loaded.views.keys() - names):
        raise ValueError(f"the state to load has a tensor '{extra[0]}', which this program does not have")
