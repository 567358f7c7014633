"""How a program ends: one exception for each exit code of docs/exit-codes.md, and the line that describes the user's own."""

import errno
import os
import sys


class Ended(SystemExit):
    """The job is over for this program, before its training is complete.

    Uncaught, the program ends with the right exit code, which tells `sumac run` and the operator whether to start it
    again. `reason` is one line for people; it is in the log already.
    """

    exit_code = 1
    bad_value = None  # the index of the first exchanged value whose sum was not finite, where that ended it

    def __init__(self, reason: str, exit_code: int | None = None):
        super().__init__(self.exit_code if exit_code is None else exit_code)
        self.reason = reason

    def __str__(self):
        return self.reason


class Failed(Ended):
    """The job failed: a sum is not finite, or the weights of members differ."""

    exit_code = 1


class ResourceFailed(Ended):
    """Memory or storage of a machine failed. Starting again may help."""

    exit_code = 74


class LostPeers(Ended):
    """Other members of the job are gone or have failed. Starting again resumes from the newest checkpoint."""

    exit_code = 75


class BadJob(Ended):
    """The job cannot be trained as it is: its document, the options or what this program declares."""

    exit_code = 78


class Stopped(Ended):
    """Stopped on request (SIGTERM, Ctrl-C, or a stop of the whole job), with a checkpoint where the job has them."""

    exit_code = 143


class Misuse(RuntimeError):
    """A call came in the wrong order or from a second thread. Nothing has changed."""


class Forked(RuntimeError):
    """This process is a fork of the one that joined the job: only that one may go on with it."""


_BY_CODE = {kind.exit_code: kind for kind in (Failed, ResourceFailed, LostPeers, BadJob, Stopped)}


def ended(exit_code: int, reason: str) -> Ended:
    """The exception for an exit code that is not 0."""
    return _BY_CODE.get(exit_code, Ended)(reason, exit_code)


def code_of(error: BaseException) -> int:
    """The exit code for a program that ends by this exception: 74 where a machine's resource failed, else 1."""
    if isinstance(error, MemoryError):
        return ResourceFailed.exit_code
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.ENOMEM):
        return ResourceFailed.exit_code
    return Failed.exit_code


def _is_users(path):
    """Whether a frame's file is the user's, rather than Python's, an installed package's or ours."""
    ours = os.path.dirname(os.path.abspath(__file__)) + os.sep
    inside = (ours, os.path.dirname(os.__file__) + os.sep)
    return not path.startswith(inside + ("<",)) and "site-packages" not in path and "dist-packages" not in path


def describe(error: BaseException) -> str:
    """One line: kind, text, notes, and the file and line of the user's code where it was raised."""
    import traceback  # only here: not every program fails

    text = " ".join(str(error).split())
    line = f"{type(error).__name__}: {text}" if text else type(error).__name__
    for note in getattr(error, "__notes__", ()):
        line += f" ({note})"
    frames = traceback.extract_tb(error.__traceback__)
    users = [frame for frame in frames if _is_users(frame.filename)] or frames
    if isinstance(error, SyntaxError) and error.filename:
        return line
    return f"{line} at {os.path.basename(users[-1].filename)}:{users[-1].lineno}" if users else line


class ExceptHook:
    """While it is installed, an uncaught exception first goes to `fail(exit code, line)`; then it is printed as before,
    and the program ends with that exit code."""

    def __init__(self, fail):
        self._fail = fail
        self._before = None

    def install(self):
        self._before = sys.excepthook
        sys.excepthook = self._hook

    def restore(self):
        # A hook that was installed over ours may call it: ours then only calls the one before.
        if sys.excepthook == self._hook:
            sys.excepthook = self._before
        self._fail = None

    def _hook(self, kind, error, trace):
        code = 0
        if self._fail is not None:
            code = code_of(error)
            self._fail(code, describe(error.with_traceback(trace)))
        self._before(kind, error, trace)
        if code > 1:
            raise SystemExit(code)
