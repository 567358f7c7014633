"""The tensors of a model: which there are, whether they can be exchanged, and how they make one vector.

The vector of a part: the gradients of what is trained, in the order of named_parameters(); a V-th of each floating
buffer that training changes; integer buffers that it changes, by part 0 alone, four values of 16 bits for each number;
numbers of the program's; and two that check.
"""

import ctypes
import warnings

import torch

from .. import _buffers, _structs

_PIECES = 4  # of 16 bits each: exact in float32
_is_contiguous, _numel, _address = torch.Tensor.is_contiguous, torch.Tensor.numel, torch.Tensor.data_ptr


def refuse(name, tensor):
    """Raises TypeError for a tensor that cannot be kept or trained here."""
    if tensor.device.type != "cpu":
        raise TypeError(f"'{name}' is on {tensor.device}; Sumac computes on CPUs only: call model.cpu()")
    if tensor.layout is not torch.strided or not tensor.is_contiguous():
        raise TypeError(f"'{name}' is not dense in row-major order; call .contiguous() on it, and use no"
                        " channels_last model")


def dense(gradient):
    """A gradient in row-major order."""
    return (gradient if gradient.layout is torch.strided else gradient.to_dense()).contiguous()


class Tensors:
    """What a model has, by name; fixed after construction."""

    def __init__(self, model, optimizer):
        self.parameters = list(model.named_parameters())
        self.buffers = [(name, buffer) for name, buffer in model.named_buffers() if buffer is not None]
        for name, tensor in self.parameters + self.buffers:
            refuse(name, tensor)
        self.trained = [(name, tensor) for name, tensor in self.parameters if tensor.requires_grad]
        if not self.trained:
            raise ValueError("the model has no parameter that is trained: each has requires_grad False")
        for name, tensor in self.trained:
            if tensor.dtype is not torch.float32:
                raise TypeError(f"'{name}' is {tensor.dtype}; parameters that are trained are torch.float32: call"
                                " model.float(), and use torch.autocast for faster arithmetic")
        own = {id(tensor) for _, tensor in self.parameters}
        for number, group in enumerate(optimizer.param_groups):
            for tensor in group["params"]:
                if id(tensor) not in own:
                    raise ValueError(f"parameter group {number} of the optimizer has a parameter of shape"
                                     f" {list(tensor.shape)} that is not one of the model's")
        self._all = [tensor for _, tensor in self.parameters]
        self._flags = [tensor.requires_grad for tensor in self._all]

    def drop_gradients(self):
        for tensor in self._all:
            tensor.grad = None

    def check(self):
        """Raises ValueError where the model has other parameters than it had at the beginning."""
        if [tensor.requires_grad for tensor in self._all] == self._flags:
            return
        for (name, tensor), flag in zip(self.parameters, self._flags):
            if tensor.requires_grad != flag:
                raise ValueError(f"'{name}' was {'trained' if flag else 'frozen'} as train() began, and is no longer:"
                                 " the values that members exchange are fixed; set it before train()")


class Layout:
    """Which of them are exchanged, and where each lies in the vector.

    A part's values are pieces for the library, which copies them: each gradient where PyTorch has put it, and the rest
    of the vector in memory of ours. No call for each tensor but those of lists of tensors: 60 of them are many.
    """

    def __init__(self, tensors: Tensors, changing: list, extra: int, parts: int):
        self._trained, self._parts = tensors.trained, parts
        self._parameters = [tensor for _, tensor in tensors.trained]
        self._counts = [tensor.numel() for tensor in self._parameters]
        self.changing = changing  # names and buffers that training changes
        self._floats = [(name, buffer) for name, buffer in changing if buffer.is_floating_point()]
        self._integers = [(name, buffer) for name, buffer in changing if not buffer.is_floating_point()]
        for name, buffer in self._floats:
            if buffer.dtype is not torch.float32:
                raise TypeError(f"the buffer '{name}', which training changes, is {buffer.dtype}; such buffers are"
                                " torch.float32 or integers")
        for name, buffer in self._integers:
            if buffer.is_complex():
                raise TypeError(f"the buffer '{name}', which training changes, is {buffer.dtype}")
        self._buffer_sizes = [buffer.numel() for _, buffer in self._floats]
        self._numbers = [buffer.numel() for _, buffer in self._integers]
        self._sizes = self._counts + self._buffer_sizes + [_PIECES * count for count in self._numbers]
        self._first_float = sum(self._counts)
        self._first_integer = self._first_float + sum(self._buffer_sizes)
        self.extra = sum(self._sizes)
        self.check = self.extra + extra
        self.count = self.check + 2
        self._rest = _buffers.Floats(self.count - self._first_float)  # behind the gradients
        rest = torch.frombuffer(self._rest.flat, dtype=torch.float32)
        self._rest_floats = rest[:self._first_integer - self._first_float]
        self._rest_integers = rest[self._first_integer - self._first_float:self.extra - self._first_float]
        self._pieces = Pieces([*self._counts, self._rest.count])
        self._whole = None
        self._has_warned = False

    def name_of(self, index):
        if index == self.count:
            return "what loss returns"
        end = 0
        groups = (*self._trained, *self._floats, *self._integers)
        for number, ((name, _), size) in enumerate(zip(groups, self._sizes)):
            end += size
            if index < end:
                return f"the {'gradient' if number < len(self._trained) else 'buffer'} of '{name}'"
        return "a number of extra="

    def gather(self, part: int, extra):
        """What the model's tensors have after a part's backward, and the program's numbers: a _structs.Pieces for the
        library, valid until the next one, and what it refers to."""
        gradients = [tensor.grad for tensor in self._parameters]
        if self._are_plain(gradients):
            addresses = list(map(_address, gradients))
        else:
            gradients = [self._gradient(*entry) for entry in zip(self._trained, gradients, self._counts)]
            addresses = [0 if gradient is None else gradient.data_ptr() for gradient in gradients]
        if self._floats:
            torch.cat([buffer.reshape(-1) for _, buffer in self._floats], out=self._rest_floats)
            self._rest_floats /= self._parts
        if self._integers:
            if part == 0:
                torch.cat(self._split(), out=self._rest_integers)
            else:
                self._rest_integers.zero_()
        for index, number in enumerate(extra, self.extra - self._first_float):
            self._rest.flat[index] = number
        addresses.append(self._rest.address)
        return self._pieces.at(addresses), gradients

    def _are_plain(self, gradients):
        """Whether each is there, dense and of its parameter's size."""
        try:
            return all(map(_is_contiguous, gradients)) and list(map(_numel, gradients)) == self._counts
        except (TypeError, RuntimeError):  # None, or sparse
            return False

    def _split(self):
        """All integers in pieces of 16 bits: first the lowest ones of all."""
        numbers = torch.cat([buffer.reshape(-1).to(torch.int64) for _, buffer in self._integers])
        return [((numbers >> 16 * piece) & 0xFFFF).to(torch.float32) for piece in range(_PIECES)]

    def _gradient(self, trained, gradient, count):
        name, _ = trained
        if gradient is None:  # not used in this part
            return None
        if gradient.layout is not torch.strided and not self._has_warned:
            self._has_warned = True
            warnings.warn(f"the gradient of '{name}' is sparse: it is made dense, as members exchange all values",
                          stacklevel=2)
        gradient = dense(gradient)
        if gradient.numel() != count:
            raise ValueError(f"the gradient of '{name}' has {gradient.numel()} values, the parameter had {count} as"
                             " train() began")
        return gradient

    def bytes_of(self, pieces) -> bytes:
        """The vector that pieces make."""
        addresses = ctypes.cast(pieces.values, ctypes.POINTER(ctypes.c_size_t))
        return b"".join(ctypes.string_at(addresses[index], 4 * pieces.counts[index]) if addresses[index] else
                        bytes(4 * pieces.counts[index]) for index in range(pieces.count))

    def whole(self, values: bytes):
        """A vector of our own with these values, and it as pieces."""
        if self._whole is None:
            self._whole = _buffers.Floats(self.count), Pieces([self.count])
        vector, pieces = self._whole
        ctypes.memmove(vector.address, values, len(values))
        return vector.flat, pieces.at([vector.address])

    def gradients(self, vector):
        """Pairs of a parameter and its gradient, which lies in the vector."""
        pieces = vector[:self._first_float].split(self._counts)
        return [(tensor, piece.view(tensor.shape)) for tensor, piece in zip(self._parameters, pieces)]

    def averages(self, vector):
        """The floating buffers that lie in the vector, in the order of `changing`."""
        pieces = vector[self._first_float:self._first_integer].split(self._buffer_sizes)
        return [piece.view(buffer.shape) for (_, buffer), piece in zip(self._floats, pieces)]

    def counters(self, vector):
        """The same of integers, which are made of pieces in it."""
        if not self._integers:
            return []
        pieces = vector[self._first_integer:self.extra].view(_PIECES, -1).to(torch.int64)
        numbers = sum(pieces[piece] << 16 * piece for piece in range(_PIECES)).split(self._numbers)
        return [piece.view(buffer.shape) for (_, buffer), piece in zip(self._integers, numbers)]

    def by_kind(self, kept: list):
        """What is kept of `changing`: that of floating buffers, and of integers."""
        kinds = [buffer.is_floating_point() for _, buffer in self.changing]
        return ([entry for entry, is_float in zip(kept, kinds) if is_float],
                [entry for entry, is_float in zip(kept, kinds) if not is_float])


class Pieces:
    """A _structs.Pieces with fixed counts, whose addresses change. Must outlive it."""

    def __init__(self, counts: list):
        self._addresses = (ctypes.c_size_t * len(counts))()
        self._counts = (ctypes.c_int64 * len(counts))(*counts)
        self._struct = _structs.Pieces(count=len(counts), values=ctypes.addressof(self._addresses), counts=self._counts)

    def at(self, addresses: list):
        self._addresses[:] = addresses
        return self._struct
