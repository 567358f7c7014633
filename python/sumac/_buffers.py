"""Memory of others, without a copy: the buffer protocol (NumPy, array, memoryview) and DLPack (tensors on the CPU)."""

import ctypes
import struct
import sys
from ctypes import POINTER, c_char_p, c_int, c_int32, c_int64, c_ssize_t, c_uint8, c_uint16, c_uint64, c_void_p

# Formats of the struct module, by the names of the safetensors format.
FORMATS = {"F32": "f", "F64": "d", "F16": "e", "I64": "q", "I32": "i", "I16": "h", "I8": "b", "U64": "Q", "U32": "I",
           "U16": "H", "U8": "B", "BOOL": "?"}
_DTYPES = {code: dtype for dtype, code in FORMATS.items()} | {"c": "U8"}
_DTYPES |= {"l": "I64" if struct.calcsize("l") == 8 else "I32", "L": "U64" if struct.calcsize("L") == 8 else "U32"}
BYTES = {dtype: struct.calcsize(code) for dtype, code in FORMATS.items()} | {"BF16": 2}

_KINDS_OF_DLPACK = {0: "I", 1: "U", 2: "F", 4: "BF", 6: "BOOL"}
_CPU = 1
_PLACES = {2: "a CUDA GPU", 3: "pinned memory of a GPU", 4: "an OpenCL device", 7: "a Vulkan device",
           8: "a Metal GPU", 10: "a ROCm GPU", 14: "a oneAPI device"}


class _PyBuffer(ctypes.Structure):
    """Py_buffer, of the stable ABI since Python 3.11."""

    _fields_ = [("buf", c_void_p), ("obj", ctypes.py_object), ("len", c_ssize_t), ("itemsize", c_ssize_t),
                ("readonly", c_int), ("ndim", c_int), ("format", c_char_p), ("shape", POINTER(c_ssize_t)),
                ("strides", POINTER(c_ssize_t)), ("suboffsets", POINTER(c_ssize_t)), ("internal", c_void_p)]


_SIMPLE, _WRITABLE = 0, 1
_getBuffer = ctypes.pythonapi.PyObject_GetBuffer
_getBuffer.argtypes = [ctypes.py_object, POINTER(_PyBuffer), c_int]
_releaseBuffer = ctypes.pythonapi.PyBuffer_Release
_releaseBuffer.argtypes, _releaseBuffer.restype = [POINTER(_PyBuffer)], None


class _DlTensor(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("device", c_int32), ("device_id", c_int32), ("ndim", c_int32),
                ("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16), ("shape", POINTER(c_int64)),
                ("strides", POINTER(c_int64)), ("offset", c_uint64)]


_capsulePointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsulePointer.argtypes, _capsulePointer.restype = [ctypes.py_object, c_char_p], c_void_p


class View:
    """Dense memory in row-major order: where it is, and what. Keeps it alive and in its place."""

    __slots__ = ("address", "dtype", "shape", "count", "is_readonly", "_keeps")

    def __init__(self, address, dtype, shape, is_readonly, keeps):
        self.address, self.dtype, self.shape, self._keeps = address, dtype, tuple(shape), keeps
        self.is_readonly = is_readonly
        self.count = 1
        for length in self.shape:
            self.count *= length

    @property
    def nbytes(self):
        return self.count * BYTES[self.dtype]

    def memory(self):
        """The values as a memoryview with their format and shape, bfloat16 as uint16. It keeps them alive, too."""
        code = FORMATS.get(self.dtype, "H")
        if not self.count:
            return memoryview(b"").cast(code)
        array = (ctypes.c_char * self.nbytes).from_address(self.address)
        array.keeps = self._keeps
        flat = memoryview(array).cast("B").cast(code)
        return flat.cast("B").cast(code, self.shape) if len(self.shape) > 1 else flat


class _Held:
    """A buffer that its owner may not move or free."""

    def __init__(self, owner, flags):
        self.buffer = _PyBuffer()
        _getBuffer(owner, self.buffer, flags)

    def __del__(self):
        _releaseBuffer(self.buffer)


def _of_buffer(value, memory, what):
    code = memory.format.removeprefix("@").removeprefix("=")
    if sys.byteorder == "little":
        code = code.removeprefix("<")
    dtype = _DTYPES.get(code)
    if dtype is None or memory.itemsize != BYTES[dtype]:
        raise TypeError(f"{what} has values of format '{memory.format}'; use {', '.join(FORMATS)}")
    if not memory.c_contiguous:
        raise ValueError(f"{what} is not dense in row-major order; pass a contiguous copy")
    held = _Held(value, _SIMPLE if memory.readonly else _WRITABLE)
    return View(held.buffer.buf, dtype, memory.shape, memory.readonly, (held, value))


def _of_dlpack(value, what):
    device = value.__dlpack_device__()[0]
    if device != _CPU:
        raise TypeError(f"{what} is on {_PLACES.get(int(device), 'another device')}; Sumac computes on CPUs only:"
                        " move it to the CPU")
    try:
        capsule = value.__dlpack__()
    except (BufferError, RuntimeError) as error:
        raise TypeError(f"{what} cannot be shared: {error}") from error
    # The capsule is never consumed: it gives the tensor back as it is collected.
    tensor = _DlTensor.from_address(_capsulePointer(capsule, b"dltensor"))
    shape = tensor.shape[:tensor.ndim]
    kind = _KINDS_OF_DLPACK.get(tensor.code)
    dtype = kind if kind == "BOOL" else f"{kind}{tensor.bits}"
    if dtype not in BYTES or tensor.lanes != 1:
        raise TypeError(f"{what} has values of a type that cannot be kept: use {', '.join(BYTES)}")
    if tensor.strides and 0 not in shape:
        dense = 1
        for length, stride in zip(reversed(shape), reversed(tensor.strides[:tensor.ndim])):
            if length != 1 and stride != dense:
                raise ValueError(f"{what} is not dense in row-major order; pass a contiguous copy")
            dense *= length
    return View((tensor.data or 0) + tensor.offset, dtype, shape, False, (capsule, value))


def view(value, what: str, dtype: str | None = None, writable: bool = False) -> View:
    """The memory of `value`, which messages call `what`. Raises TypeError or ValueError that say what to pass."""
    try:
        memory = memoryview(value)
    except TypeError:
        if not hasattr(value, "__dlpack__"):
            raise TypeError(f"{what} is a {type(value).__name__}; pass a buffer of numbers: a NumPy array, an"
                            " array.array, a memoryview or a DLPack tensor") from None
        found = _of_dlpack(value, what)
    else:
        found = _of_buffer(value, memory, what)
    if dtype is not None and found.dtype != dtype:
        raise TypeError(f"{what} has values of type {found.dtype}; use {dtype}")
    if writable and found.is_readonly:
        raise ValueError(f"{what} is read-only; pass memory that can be written")
    return found


def numpy():
    """NumPy where the program uses it, else None: this package never imports it itself."""
    return sys.modules.get("numpy")


class Floats:
    """A vector of float32 in memory of our own, which stays where it is."""

    def __init__(self, count: int):
        self.count = count
        self._memory = (ctypes.c_float * count)()
        self.address = ctypes.addressof(self._memory)
        self.flat = memoryview(self._memory).cast("B").cast("f")

    def put(self, offset: int, values: View, weight: float):
        """Writes values, each times the weight as a float32 product."""
        part = self.flat[offset:offset + values.count]
        if weight == 1.0:
            ctypes.memmove(self.address + 4 * offset, values.address, 4 * values.count)
        elif module := numpy():
            module.multiply(module.asarray(values.memory()).reshape(-1), module.float32(weight),
                            out=module.asarray(part))
        else:
            # A product of two float32 is exact as a double: one rounding, as in NumPy.
            weight = struct.unpack("f", struct.pack("f", weight))[0]
            source = values.memory().cast("B").cast("f")
            for index, value in enumerate(source):
                part[index] = value * weight

    def take(self, address: int):
        """Copies all values from there."""
        ctypes.memmove(self.address, address, 4 * self.count)

    def shaped(self, offset: int, shape: tuple):
        """The values there: a NumPy array of that shape where the program uses NumPy, else a memoryview."""
        count = 1
        for length in shape:
            count *= length
        part = self.flat[offset:offset + count]
        if module := numpy():
            return module.asarray(part).reshape(shape)
        return part.cast("B").cast("f", shape) if len(shape) > 1 and count else part
