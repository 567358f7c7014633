"""SIGTERM and SIGINT while a job runs: they ask it to let this member go. Handlers that were there are called, too,
and come back as the job ends. A second Ctrl-C is Python's own KeyboardInterrupt."""

import os
import signal
import threading

_installed = None


class Signals:
    """Handlers in the main thread; in another thread it does nothing, and signals stay what they are."""

    KINDS = (signal.SIGTERM, signal.SIGINT)

    def __init__(self, leave):
        self._leave = leave
        self._before = {}
        self._interrupts = 0

    def install(self):
        global _installed
        if threading.current_thread() is not threading.main_thread():
            return
        for kind in self.KINDS:
            # None: another library's handler, which Python could not give back. Ignored ones stay ignored.
            if signal.getsignal(kind) not in (None, signal.SIG_IGN):
                self._before[kind] = signal.signal(kind, self._handle)
        _installed = self

    def restore(self):
        global _installed
        if threading.current_thread() is threading.main_thread():
            for kind, before in self._before.items():
                # A handler that was installed over ours stays.
                if signal.getsignal(kind) == self._handle:
                    signal.signal(kind, before)
            self._before = {}
        if _installed is self:
            _installed = None

    def _handle(self, kind, frame):
        before = self._before.get(kind)
        if kind == signal.SIGINT:
            self._interrupts += 1
            if self._interrupts > 1:
                raise KeyboardInterrupt
        self._leave()
        if callable(before) and before is not signal.default_int_handler:
            before(kind, frame)


def _after_fork():
    """A child, such as a DataLoader's, ends by SIGTERM as if there were no job."""
    if _installed is not None:
        _installed.restore()


os.register_at_fork(after_in_child=_after_fork)
