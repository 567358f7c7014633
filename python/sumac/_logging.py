"""Lines of the library's log as records of the logger "sumac"."""

import logging
import sys

from . import _structs

logger = logging.getLogger("sumac")

_LEVELS = {_structs.DEBUG: logging.DEBUG, _structs.INFO: logging.INFO, _structs.WARN: logging.WARNING,
           _structs.ERROR: logging.ERROR}


def show():
    """Where the program has set up no logging, lines from INFO go to stderr as they are: `sumac run` and people who read
    a pod's log expect them there."""
    if logger.hasHandlers():
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger.addHandler(handler)
    if logger.level == logging.NOTSET:
        logger.setLevel(logging.INFO)


class Lines:
    """Takes lines within calls of the library, and hands them on after the call: a handler of the program may do what
    it likes then, raise included."""

    def __init__(self):
        self._waiting = []
        self._last = ""
        self.callback = _structs.LOG(self._take)

    def _take(self, _context, level, line):
        self._waiting.append((level, line))

    def flush(self):
        while self._waiting:
            level, line = self._waiting.pop(0)
            self._last = line.decode("utf-8", "replace").rstrip()
            logger.log(_LEVELS.get(level, logging.INFO), "%s", self._last)

    def end(self, reason, is_stop):
        """The last line says why the job has ended, whoever has written it."""
        if reason not in self._last:
            logger.log(logging.INFO if is_stop else logging.ERROR, "%s", reason)
