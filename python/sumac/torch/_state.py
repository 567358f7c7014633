"""The state of a training: what is registered after each update, and how another one is loaded."""

import ctypes
import json
import operator

import torch

from .. import _buffers, _structs
from . import _flat
from ._tensors import refuse

_DTYPES = {torch.float32: "F32", torch.float64: "F64", torch.float16: "F16", torch.bfloat16: "BF16", torch.int64: "I64",
           torch.int32: "I32", torch.int16: "I16", torch.int8: "I8", torch.uint8: "U8", torch.bool: "BOOL"}

_address = torch.Tensor.data_ptr


class _Other:
    """An object with a state dictionary: its tensors, and the JSON text of the rest."""

    def __init__(self, name, other):
        self.name, self.other = name, other
        self.tensors, self.text = {}, ""

    def refresh(self) -> bool:
        """Whether there are other tensors than before."""
        before, self.tensors = self.tensors, {}
        self.take(_flat.flatten(self.other.state_dict(), self.name, self.tensors))
        return list(before) != list(self.tensors) or any(map(operator.is_not, before.values(), self.tensors.values()))

    def take(self, tree):
        self.text = _json_of(tree)


class _Optimizer(_Other):
    """The same of one of PyTorch's optimizers. Its state_dict() takes a millisecond for a hundred tensors, and most of
    what it returns never changes: this looks whether something has, and what groups have."""

    def __init__(self, name, optimizer):
        super().__init__(name, optimizer)
        self._values = self._head = None  # tensors of the state; the JSON text before that of groups
        self._fixed, self._moving = (), ()  # of groups: names and parameters; values
        self._parameters = []  # of each group, as its state dictionary numbers them

    def refresh(self) -> bool:
        if not self._is_known():
            self._values = None
            return super().refresh()
        values = [value for entry in self.other.state.values() for value in entry.values()]
        fixed = [(list(group), list(map(id, group["params"]))) for group in self.other.param_groups]
        moving = [value for group in self.other.param_groups for name, value in group.items() if name != "params"]
        are_fixed = all(map(_is_fixed, moving))  # none that changes in place
        moving = list(map(repr, moving)) if are_fixed else ()  # 1, 1.0 and True are equal
        if are_fixed and self._values is not None and len(values) == len(self._values) and fixed == self._fixed and not \
                any(map(operator.is_not, values, self._values)):
            if moving != self._moving:
                self._moving = moving
                self._say_groups()
            return False
        has_changed = super().refresh()
        # Numbers and lists may change without being others.
        is_plain = are_fixed and self._head is not None and all(isinstance(value, torch.Tensor) for value in values)
        self._values = values if is_plain else None
        self._fixed, self._moving = fixed, moving
        return has_changed

    def _is_known(self):
        """Whether state_dict() is no more than `state` and `param_groups`."""
        optimizer = self.other
        return type(optimizer).state_dict is torch.optim.Optimizer.state_dict and not (
            getattr(optimizer, "_optimizer_state_dict_pre_hooks", None)
            or getattr(optimizer, "_optimizer_state_dict_post_hooks", None)) and all(
            isinstance(entry, dict) for entry in optimizer.state.values())

    def take(self, tree):
        super().take(tree)
        self._head = None
        if not isinstance(tree, dict) or [name for name, _ in tree.get("dict", ())] != ["state", "param_groups"]:
            return
        (_, state), (_, groups) = tree["dict"]
        if all(group["dict"][-1][0] == "params" for group in groups):
            self._head = f'{{"dict":[["state",{_json_of(state)}],["param_groups",'
            self._parameters = [group["dict"][-1] for group in groups]

    def _say_groups(self):
        groups = [{"dict": [[name, _flat.flatten(value, self.name, {})] for name, value in group.items()
                            if name != "params"] + [parameters]}
                  for group, parameters in zip(self.other.param_groups, self._parameters)]
        self.text = f"{self._head}{_json_of(groups)}]]}}"


def _is_fixed(value):
    return value is None or isinstance(value, (bool, int, float, str)) or \
        (isinstance(value, tuple) and all(map(_is_fixed, value)))


def _json_of(tree):
    return json.dumps(tree, separators=(",", ":"))


class State:
    """The tensors of model, optimizer and others.

    model: pairs of a name and a tensor that is to be in model.safetensors. buffers: those that are not, but that
    training changes. others: objects with state_dict() and load_state_dict() by name, the optimizer among them.
    """

    def __init__(self, model: list, buffers: list, others: dict):
        self._model, self._buffers, self._others = model, buffers, others
        self._parts = [_Optimizer(name, other) if isinstance(other, torch.optim.Optimizer) else _Other(name, other)
                       for name, other in others.items()]
        self._entries, self._values, self._addresses = (), (), None
        self._held = None
        self._texts, self._text = None, b""
        self._state = _structs.State()

    def pack(self, step: int):
        """The struct for the library, and what must live as long as it is registered."""
        if any([part.refresh() for part in self._parts]) or not self._entries:
            entries = [(name, tensor, _structs.MODEL) for name, tensor in self._model]
            entries += [(f"buffers/{name}", tensor, _structs.OTHER) for name, tensor in self._buffers]
            entries += [(name, tensor, _structs.OTHER) for part in self._parts for name, tensor in part.tensors.items()]
            self._entries, self._values, self._addresses = entries, [tensor for _, tensor, _ in entries], None
        addresses = list(map(_address, self._values))
        if addresses != self._addresses:
            packed, shapes = self._tensors(self._entries)
            self._held, self._addresses = (packed, shapes, self._entries), addresses
            self._state = _structs.State(tensors=packed, count=len(packed))
        self._state.step = step
        texts = [part.text for part in self._parts]
        if texts != self._texts:
            self._texts = texts
            self._text = ("{" + ",".join(f"{json.dumps(part.name)}:{part.text}" for part in self._parts) + "}").encode()
        self._state.text = self._text
        return self._state, self._held

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
