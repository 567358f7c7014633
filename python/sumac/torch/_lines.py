"""What the bits of a PyTorch training depend on, as lines that members compare."""

import hashlib
import re

import torch

_MOST = 48 * 1024  # of the 64 KiB that all lines may have


def _one_line(text):
    return " ".join(str(text).split())


def lines(tensors, optimizer, scheduler, length: int, fingerprint: int) -> dict:
    found = {
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
        "capability": torch.backends.cpu.get_cpu_capability(),
        "samples": length,
        "optimizer": _one_line(optimizer)[:4096],
        "scheduler": type(scheduler).__name__,
    }
    shapes = {}
    whole = hashlib.sha256()
    for name, tensor in (*tensors.parameters, *tensors.buffers):
        shape = "x".join(map(str, tensor.shape)) or "scalar"
        kind = "" if getattr(tensor, "requires_grad", False) else " fixed"
        shapes["tensor." + re.sub(r"[^A-Za-z0-9._-]", "_", name)] = f"{shape} {tensor.dtype}{kind}"
        whole.update(f"{name} {shape} {tensor.dtype}{kind}\n".encode())
    # The name of the first difference, where there is room for all.
    if sum(len(name) + len(shape) + 2 for name, shape in shapes.items()) < _MOST:
        found |= shapes
    found["tensors"] = whole.hexdigest()[:16]
    # Last: the others say more.
    found["fingerprint"] = f"{fingerprint:08x}"
    return found
