"""The state of a training: what is registered after each update, and how another one is loaded."""

import ctypes
import json

import torch

from .. import _buffers, _structs
from . import _flat
from ._tensors import refuse

_DTYPES = {torch.float32: "F32", torch.float64: "F64", torch.float16: "F16", torch.bfloat16: "BF16", torch.int64: "I64",
           torch.int32: "I32", torch.int16: "I16", torch.int8: "I8", torch.uint8: "U8", torch.bool: "BOOL"}


class State:
    """The tensors of model, optimizer and others.

    model: pairs of a name and a tensor that is to be in model.safetensors. buffers: those that are not, but that
    training changes. others: objects with state_dict() and load_state_dict() by name, the optimizer among them.
    """

    def __init__(self, model: list, buffers: list, others: dict):
        self._model, self._buffers, self._others = model, buffers, others
        self._entries = ()
        self._packed = None

    def pack(self, step: int):
        """The struct for the library, and what must live as long as it is registered."""
        tensors = {}
        tree = {name: _flat.flatten(other.state_dict(), name, tensors) for name, other in self._others.items()}
        entries = [(name, tensor, _structs.MODEL) for name, tensor in self._model]
        entries += [(f"buffers/{name}", tensor, _structs.OTHER) for name, tensor in self._buffers]
        entries += [(name, tensor, _structs.OTHER) for name, tensor in tensors.items()]
        key = [(name, tensor.data_ptr()) for name, tensor, _ in entries]
        if key != self._entries:
            self._packed, self._entries = self._tensors(entries), key
        packed, shapes = self._packed
        text = json.dumps(tree, separators=(",", ":")).encode()
        state = _structs.State(step=step, tensors=packed, count=len(packed), text=text)
        return state, (packed, shapes, entries)

    @staticmethod
    def _tensors(entries):
        packed, shapes = (_structs.Tensor * len(entries))(), []
        for entry, (name, tensor, role) in zip(packed, entries):
            refuse(name, tensor)
            if tensor.dtype not in _DTYPES:
                raise TypeError(f"'{name}' is {tensor.dtype}, which cannot be kept; use one of"
                                f" {', '.join(map(str, _DTYPES))}")
            shape = (ctypes.c_int64 * tensor.dim())(*tensor.shape)
            entry.__init__(name=name.encode(), dtype=_DTYPES[tensor.dtype].encode(), shape=shape, rank=tensor.dim(),
                           data=tensor.data_ptr(), role=role)
            shapes.append(shape)
        return packed, shapes

    def load(self, packed: _structs.State):
        """Makes the state of another member or of a checkpoint the own one. Raises ValueError naming what differs."""
        found = {entry.name.decode(): entry for entry in packed.tensors[:packed.count]}
        with torch.no_grad():
            for name, tensor in self._model:
                tensor.copy_(_tensor(found, name, tensor))
            for name, tensor in self._buffers:
                tensor.copy_(_tensor(found, f"buffers/{name}", tensor))
        tree = json.loads(packed.text or b"{}")
        tensors = {name: _tensor(found, name) for name, entry in found.items() if entry.role == _structs.OTHER}
        for name, other in self._others.items():
            if name not in tree:
                raise ValueError(f"the state to load has nothing for '{name}'")
            other.load_state_dict(_flat.unflatten(tree[name], tensors))


def _tensor(found, name, like=None):
    """A copy of a tensor that the library has."""
    entry = found.get(name)
    if entry is None:
        raise ValueError(f"the state to load has no tensor '{name}'")
    dtype = next(kind for kind, text in _DTYPES.items() if text == entry.dtype.decode())
    copy = torch.empty(entry.shape[:entry.rank], dtype=dtype)
    if like is not None and (like.dtype, like.shape) != (copy.dtype, copy.shape):
        raise ValueError(f"tensor '{name}' is {like.dtype} {list(like.shape)} here, and {copy.dtype}"
                         f" {list(copy.shape)} in the state to load")
    ctypes.memmove(copy.data_ptr(), entry.data, copy.numel() * _buffers.BYTES[entry.dtype.decode()])
    return copy
