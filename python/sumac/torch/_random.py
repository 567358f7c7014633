"""The random generators that a program may use: PyTorch's, Python's and NumPy's."""

import random

import torch

from .. import _buffers


def seed(value: int) -> None:
    """Seeds all of them; 64 bits."""
    torch.default_generator.manual_seed(value)
    random.seed(value)
    if module := _buffers.numpy():
        module.random.seed([value & 0xFFFFFFFF, value >> 32])
