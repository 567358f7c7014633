"""The tensors of a model: which there are, whether they can be exchanged, and how they make one vector.

The vector of a part: the gradients of what is trained, in the order of named_parameters(); a V-th of each floating
buffer that training changes; integer buffers that it changes, by part 0 alone, four values of 16 bits for each number;
numbers of the program's; and two that check.
"""

import warnings

import torch

_PIECES = 4  # of 16 bits each: exact in float32


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
        self._flags = [tensor.requires_grad for _, tensor in self.parameters]

    def check(self):
        """Raises ValueError where the model has other parameters than it had at the beginning."""
        if [tensor.requires_grad for _, tensor in self.parameters] == self._flags:
            return
        for (name, tensor), flag in zip(self.parameters, self._flags):
            if tensor.requires_grad != flag:
                raise ValueError(f"'{name}' was {'trained' if flag else 'frozen'} as train() began, and is no longer:"
                                 " the values that members exchange are fixed; set it before train()")


class Layout:
    """Which of them are exchanged, and where each lies in the vector."""

    def __init__(self, tensors: Tensors, changing: list, extra: int, parts: int):
        self._trained, self._parts = tensors.trained, parts
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
        self._sizes = [tensor.numel() for _, tensor in self._trained]
        self._sizes += [buffer.numel() for _, buffer in self._floats]
        self._sizes += [_PIECES * buffer.numel() for _, buffer in self._integers]
        self._first_float = sum(self._sizes[:len(self._trained)])
        self._first_integer = sum(self._sizes[:len(self._trained) + len(self._floats)])
        self._numbers = sum(buffer.numel() for _, buffer in self._integers)
        self.extra = sum(self._sizes)
        self.check = self.extra + extra
        self.count = self.check + 2
        self._zeros = {}
        self._has_warned = False

    def name_of(self, index):
        end = 0
        groups = (*self._trained, *self._floats, *self._integers)
        for (name, _), size in zip(groups, self._sizes):
            end += size
            if index < end:
                return f"the {'gradient' if name in dict(self._trained) else 'buffer'} of '{name}'"
        return "a number of extra="

    def gather(self, part: int, vector, extra):
        """Writes what the model's tensors have after a part's backward into the vector, and the program's numbers."""
        pieces = [self._gradient(name, tensor) for name, tensor in self._trained]
        pieces += [buffer.reshape(-1) for _, buffer in self._floats]
        if self._integers:
            pieces += self._split() if part == 0 else [self._zero(_PIECES * self._numbers)]
        pieces.append(torch.tensor([*extra, 0.0, 0.0], dtype=torch.float32))
        torch.cat(pieces, out=vector)
        if self._floats:
            vector[self._first_float:self._first_integer] /= self._parts

    def _split(self):
        """All integers in pieces of 16 bits: first the lowest ones of all."""
        numbers = torch.cat([buffer.reshape(-1).to(torch.int64) for _, buffer in self._integers])
        return [((numbers >> 16 * piece) & 0xFFFF).to(torch.float32) for piece in range(_PIECES)]

    def _gradient(self, name, tensor):
        gradient = tensor.grad
        if gradient is None:  # not used in this part
            return self._zero(tensor.numel())
        if gradient.layout is not torch.strided and not self._has_warned:
            self._has_warned = True
            warnings.warn(f"the gradient of '{name}' is sparse: it is made dense, as members exchange all values",
                          stacklevel=2)
        gradient = dense(gradient)
        if gradient.numel() != tensor.numel():
            raise ValueError(f"the gradient of '{name}' has {gradient.numel()} values, the parameter {tensor.numel()}")
        return gradient.reshape(-1)

    def _zero(self, count):
        if count not in self._zeros:
            self._zeros[count] = torch.zeros(count)
        return self._zeros[count]

    def gradients(self, vector):
        """Pairs of a parameter and its gradient, which lies in the vector."""
        pieces = vector[:self.extra].split(self._sizes)
        return [(tensor, piece.view(tensor.shape)) for (_, tensor), piece in zip(self._trained, pieces)]

    def take(self, vector, kept: list):
        """Writes the sum's buffers into `kept`, in the order of `changing`."""
        by_name = dict(zip((name for name, _ in self.changing), kept))
        floats = vector[self._first_float:self._first_integer].split([buffer.numel() for _, buffer in self._floats])
        for (name, buffer), piece in zip(self._floats, floats):
            by_name[name].copy_(piece.view(buffer.shape))
        if not self._integers:
            return
        pieces = vector[self._first_integer:self.extra].view(_PIECES, -1).to(torch.int64)
        numbers = sum(pieces[piece] << 16 * piece for piece in range(_PIECES))
        for (name, buffer), piece in zip(self._integers, numbers.split([buffer.numel() for _, buffer in self._integers])):
            by_name[name].copy_(piece.view(buffer.shape))
