"""State dictionaries as tensors by name and one JSON value, and back: no pickle."""

import torch


def flatten(value, path: str, tensors: dict):
    """A nested value as JSON; its tensors go into `tensors` by their path. Raises TypeError naming what is neither a
    tensor nor JSON."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, torch.Tensor):
        tensors[path] = value
        return {"tensor": path}
    if isinstance(value, tuple):
        return {"tuple": [flatten(entry, f"{path}/{index}", tensors) for index, entry in enumerate(value)]}
    if isinstance(value, list):
        return [flatten(entry, f"{path}/{index}", tensors) for index, entry in enumerate(value)]
    if isinstance(value, dict):
        return {"dict": [[flatten(key, path, tensors), flatten(entry, f"{path}/{key}", tensors)]
                         for key, entry in value.items()]}
    raise TypeError(f"{path.replace('/', '.')} is a {type(value).__name__}: a checkpoint holds tensors, numbers, texts,"
                    " lists and dictionaries of them; keep it out of the state dictionary")


def unflatten(value, tensors: dict):
    """The nested value again; `tensors` has its tensors by path."""
    if isinstance(value, list):
        return [unflatten(entry, tensors) for entry in value]
    if not isinstance(value, dict):
        return value
    (kind, inner), = value.items()
    if kind == "tensor":
        return tensors[inner]
    if kind == "tuple":
        return tuple(unflatten(entry, tensors) for entry in inner)
    return {unflatten(key, tensors): unflatten(entry, tensors) for key, entry in inner}
