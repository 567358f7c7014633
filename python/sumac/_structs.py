"""The structs and numbers of libsumac/sumac.h. tests/integration/python compares them with it."""

import ctypes
from ctypes import POINTER, c_char_p, c_double, c_float, c_int, c_int32, c_int64, c_size_t, c_uint64, c_void_p

VERSION = 1

# What a call returns.
OK, TIMEOUT, STOP, ENDED, FORKED, MISUSE = range(6)

# What a program is to do.
COMPUTE, UPDATE, LOAD, LAST = range(1, 5)

# Of a line of the log.
DEBUG, INFO, WARN, ERROR = range(4)

# What a tensor is for.
MODEL, OTHER = range(2)

LOG = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_char_p)


class _Sized(ctypes.Structure):
    """A struct that begins with its size."""

    def __init__(self, **fields):
        super().__init__(size=ctypes.sizeof(self), **fields)


class Options(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("log", LOG),
        ("log_context", c_void_p),
        ("batch_size", c_int64),
        ("parts", c_int32),
        ("reserved", c_int32),
        ("steps", c_int64),
        ("epochs", c_int64),
        ("seed", c_uint64),
        ("output", c_char_p),
        ("checkpoint", c_char_p),
        ("checkpoint_steps", c_int64),
    ]


class Declaration(_Sized):
    _fields_ = [("size", c_size_t), ("values", c_int64), ("samples", c_int64), ("lines", c_char_p)]


class Tensor(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("dtype", c_char_p),
        ("shape", POINTER(c_int64)),
        ("data", c_void_p),
        ("rank", c_int32),
        ("role", c_int32),
    ]


class Pieces(_Sized):
    _fields_ = [("size", c_size_t), ("count", c_size_t), ("values", c_void_p), ("counts", POINTER(c_int64))]


class State(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("step", c_int64),
        ("tensors", POINTER(Tensor)),
        ("count", c_size_t),
        ("text", c_char_p),
    ]


class JobIs(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("batch_size", c_int64),
        ("steps", c_int64),
        ("epoch_steps", c_int64),
        ("seed", c_uint64),
        ("parts", c_int32),
        ("workers", c_int32),
        ("index", c_int32),
        ("is_alone", c_int32),
        ("threads", c_int32),
        ("reserved", c_int32),
        ("verify", c_int64),
        ("name", c_char_p),
        ("output", c_char_p),
    ]


class Turn(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("task", c_int32),
        ("is_again", c_int32),
        ("step", c_int64),
        ("epoch", c_int64),
        ("ends_epoch", c_int32),
        ("is_writer", c_int32),
        ("first", c_int32),
        ("count", c_int32),
        ("position", c_int32),
        ("workers", c_int32),
        ("sum", POINTER(c_float)),
        ("loss", c_double),
        ("state", POINTER(State)),
    ]


class Metric(_Sized):
    _fields_ = [
        ("size", c_size_t),
        ("validation_loss", c_double),
        ("validation_accuracy", c_double),
        ("test_loss", c_double),
        ("test_accuracy", c_double),
    ]
