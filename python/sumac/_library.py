"""Finds and opens libsumac.so.1, once a process.

Where it is, in this order: the file that SUMAC_LIBRARY names, in this package (where the wheel has it), in the
checkout's build folders, and where `make install` and the packages put it.
"""

import ctypes
import os
from ctypes import c_char_p, c_float, c_int, c_int32, c_int64, c_size_t, c_void_p

from . import _structs

FILE = "libsumac.so.1"
_PACKAGE = os.path.dirname(os.path.realpath(__file__))
_INSTALLED = ("/usr/local/lib/sumac", "/usr/lib/sumac", "/usr/local/lib", "/opt/sumac/lib/sumac")

_opened = None


class LibraryError(ImportError):
    """libsumac.so.1 is missing, cannot be loaded, or has another version than this package."""


def candidates():
    """The files that may be the library: the first one that exists is it."""
    if named := os.environ.get("SUMAC_LIBRARY"):
        return [named]
    root = os.path.dirname(os.path.dirname(_PACKAGE))
    folders = [_PACKAGE]
    if os.path.isfile(os.path.join(root, "libsumac", "sumac.h")):
        folders += [os.path.join(root, "build", preset, place) for preset in ("release", "dev") for place in
                    ("lib/sumac", "lib")]
    # As in an installation, which may have been moved as a whole: PREFIX/share/sumac/python/sumac.
    folders += [os.path.join(os.path.dirname(os.path.dirname(root)), "lib", "sumac"), *_INSTALLED]
    return [os.path.join(folder, FILE) for folder in folders]


def find():
    """The path of the library. Raises LibraryError that says where it was looked for."""
    looked = candidates()
    for path in looked:
        if os.path.isfile(path):
            return path
    if os.environ.get("SUMAC_LIBRARY"):
        raise LibraryError(f"SUMAC_LIBRARY names '{looked[0]}', which is not a file; unset it, or name {FILE}")
    raise LibraryError(f"cannot find {FILE} in {', '.join(map(os.path.dirname, looked))}; install Sumac, or"
                       " set SUMAC_LIBRARY to the file")


def _declare(library):
    member = c_void_p
    struct = ctypes.POINTER
    signatures = {
        "sumac_open": (c_int, struct(_structs.Options), struct(member)),
        "sumac_declare": (c_int, member, struct(_structs.Declaration)),
        "sumac_job_is": (c_int, member, struct(_structs.JobIs)),
        "sumac_samples": (c_int, member, c_int64, c_int32, struct(c_int64), c_size_t, struct(c_size_t)),
        "sumac_state_is": (c_int, member, struct(_structs.State)),
        "sumac_next": (c_int, member, c_int, struct(_structs.Turn)),
        "sumac_add": (c_int, member, c_int64, c_int32, c_void_p, c_float),
        "sumac_add_pieces": (c_int, member, c_int64, c_int32, struct(_structs.Pieces), c_float),
        "sumac_metrics": (c_int, member, struct(_structs.Metric)),
        "sumac_fail": (c_int, member, c_int, c_char_p),
        "sumac_leave": (c_int, member),
        "sumac_reason": (c_char_p, member),
        "sumac_bad_value": (c_int64, member),
        "sumac_exit_code": (c_int, member),
        "sumac_close": (None, member),
    }
    for name, (result, *arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments


def library():
    """The opened library; the same object for each call. Raises LibraryError."""
    global _opened
    if _opened is None:
        path = find()
        try:
            opened = ctypes.CDLL(path)
            version = opened.sumac_version()
        except (OSError, AttributeError) as error:
            raise LibraryError(f"cannot load '{path}': {error}") from error
        if version != _structs.VERSION:
            raise LibraryError(f"'{path}' has version {version} of sumac.h, this package needs {_structs.VERSION};"
                               " install the package and the library of one version of Sumac")
        _declare(opened)
        opened.path = path
        _opened = opened
    return _opened
