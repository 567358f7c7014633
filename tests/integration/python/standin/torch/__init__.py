"""A stand-in for PyTorch in NumPy: as much of it as sumac.torch calls, so that `make test` runs its logic without 5 GB
of downloads. Tensors are arrays; a loss has its backward pass as a function. tests/torch runs the same with PyTorch."""

import contextlib
from types import SimpleNamespace

import numpy

__version__ = "0.0.0+standin"
float32, float64, float16, int64, int32 = map(numpy.dtype, ("float32", "float64", "float16", "int64", "int32"))
int16, int8, uint8, bool = map(numpy.dtype, ("int16", "int8", "uint8", "bool"))
bfloat16 = object()
strided, sparse_coo = "strided", "sparse_coo"


class Tensor(numpy.ndarray):
    """An array with a gradient, and the methods of torch's."""

    grad, requires_grad, _version, device, backward_pass = None, False, 0, SimpleNamespace(type="cpu"), None
    layout = strided

    def data_ptr(self):
        return self.ctypes.data

    def dim(self):
        return self.ndim

    def numel(self):
        return self.size

    def is_contiguous(self):
        if not isinstance(self, Tensor):
            raise TypeError("not a tensor")
        return self.flags.c_contiguous

    def zero_(self):
        self[...] = 0

    def contiguous(self):
        return numpy.ascontiguousarray(self).view(type(self))

    def is_floating_point(self):
        return self.dtype.kind == "f"

    def is_complex(self):
        return self.dtype.kind == "c"

    def clone(self):
        return tensor(self.copy())

    def detach(self):
        return numpy.ndarray.view(self, Tensor)

    def copy_(self, other):
        self[...] = other
        self._version = self._version + 1
        return self

    def to(self, dtype):
        return self.astype(dtype)

    def view(self, *shape):
        return self.reshape(*shape)

    def split(self, sizes):
        ends = numpy.cumsum(sizes)
        return [self[end - size:end] for end, size in zip(ends, sizes)]

    def backward(self, gradient):
        self.backward_pass(numpy.float32(gradient))

    def to_dense(self):
        return self.detach()


class Sparse(Tensor):
    """A gradient that says it is sparse."""

    layout = sparse_coo

    def is_contiguous(self):
        raise RuntimeError("sparse tensors do not have is_contiguous")


def tensor(values, dtype=None):
    return numpy.array(values, dtype).view(Tensor)


def zeros(*shape):
    return numpy.zeros(shape, float32).view(Tensor)


def empty(shape, dtype=float32):
    return numpy.empty(tuple(shape), dtype).view(Tensor)


def full(shape, value, dtype):
    return numpy.full(shape, value, dtype).view(Tensor)


def equal(left, right):
    return left.shape == right.shape and numpy.array_equal(left, right)


def cat(pieces, out=None):
    joined = numpy.concatenate([numpy.asarray(piece) for piece in pieces], out=None if out is None else numpy.asarray(out))
    return numpy.ndarray.view(joined, Tensor)


def _foreach_copy_(targets, sources):
    for target, source in zip(targets, sources):
        target.copy_(source)


def frombuffer(memory, dtype):
    return numpy.frombuffer(memory, dtype).view(Tensor)


def set_num_threads(count):
    global _threads
    _threads = count


def get_num_threads():
    return _threads


_threads = 2


@contextlib.contextmanager
def no_grad():
    yield


class Generator:
    """Random numbers; `draw` is a NumPy generator."""

    def __init__(self):
        self.manual_seed(0)

    def manual_seed(self, seed):
        self.draw = numpy.random.default_rng(seed)


default_generator = Generator()
backends = SimpleNamespace(cpu=SimpleNamespace(get_cpu_capability=lambda: "STANDIN"))


class Module:
    """Parameters, buffers and modules by name, in the order in which they were set."""

    training = True

    def parameter(self, name, values):
        values = tensor(values, float32)
        values.requires_grad = True
        self.__dict__.setdefault("_parameters", {})[name] = values
        setattr(self, name, values)

    def register_buffer(self, name, values, persistent=True):
        self.__dict__.setdefault("_buffers", {})[name] = values
        if not persistent:
            self.__dict__.setdefault("_hidden", set()).add(name)
        setattr(self, name, values)

    def named_parameters(self):
        seen = set()
        for name, values in self.__dict__.get("_parameters", {}).items():
            if id(values) not in seen:
                seen.add(id(values))
                yield name, values

    def named_buffers(self):
        for name in self.__dict__.get("_buffers", {}):
            yield name, getattr(self, name)

    def modules(self):
        yield self

    def eval(self):
        self.training = False

    def state_dict(self, keep_vars=False):
        hidden = self.__dict__.get("_hidden", ())
        found = {**self.__dict__.get("_parameters", {}), **self.__dict__.get("_buffers", {})}
        return {name: values for name, values in found.items() if name not in hidden}


class Momentum:
    """An optimizer whose state is there after its first step, as torch's."""

    def __init__(self, parameters, rate, momentum=0.9):
        self.param_groups = [{"params": list(parameters), "lr": rate, "momentum": momentum, "betas": (0.5, 0.9)}]
        self.state = {}

    def __repr__(self):
        return f"Momentum (\nlr: {self.param_groups[0]['lr']}\n)"

    def step(self):
        for number, values in enumerate(self.param_groups[0]["params"]):
            if values.grad is None:
                continue
            gradient = numpy.asarray(values.grad)
            if number not in self.state:
                self.state[number] = {"step": tensor(0, int64), "speed": tensor(gradient)}
            else:
                self.state[number]["speed"] *= float32.type(self.param_groups[0]["momentum"])
                self.state[number]["speed"] += gradient
            self.state[number]["step"] += 1
            values -= float32.type(self.param_groups[0]["lr"]) * numpy.asarray(self.state[number]["speed"])

    def state_dict(self):
        groups = [{name: value for name, value in group.items() if name != "params"}
                  | {"params": list(range(len(group["params"])))} for group in self.param_groups]  # the last, as torch's
        return {"state": {key: dict(entry) for key, entry in self.state.items()}, "param_groups": groups}

    def load_state_dict(self, state):
        self.state = state["state"]
        for group, loaded in zip(self.param_groups, state["param_groups"]):
            group.update({**loaded, "params": group["params"]})


class Decay:
    """A schedule: the rate is 0.9 times that of the step before."""

    def __init__(self, optimizer):
        self.optimizer, self.steps = optimizer, 0

    def step(self):
        self.steps += 1
        self.optimizer.param_groups[0]["lr"] *= 0.9

    def state_dict(self):
        return {"steps": self.steps}

    def load_state_dict(self, state):
        self.steps = state["steps"]


nn = SimpleNamespace(Module=Module)
optim = SimpleNamespace(Optimizer=Momentum)
