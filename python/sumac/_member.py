"""One member, call by call: codes become exceptions, lines of the log records, and no call overlaps another."""

import ctypes
import os

from . import _ends, _library, _logging, _structs


class Member:
    """Wraps the functions of sumac.h. One thread at a time; leave() from any thread and from signal handlers."""

    def __init__(self, **options):
        self._library = _library.library()
        self._lines = _logging.Lines()
        self._pid = os.getpid()
        self._inside = False
        self._wants_leave = False
        self._member = ctypes.c_void_p()
        self.turn = _structs.Turn()
        self._held = ()
        made = _structs.Options(log=self._lines.callback, **options)
        code = self._library.sumac_open(made, self._member)
        self._lines.flush()
        if code == _structs.ENDED:
            try:
                self._raise_end()
            except _ends.Ended as end:
                self.log_end(end)
                raise
        if code != _structs.OK:
            raise ValueError(f"cannot open a member of a job: {self.reason()}; look at the arguments of join()")

    def _call(self, function, *arguments):
        """Calls, and raises for MISUSE and FORKED; returns the code."""
        if os.getpid() != self._pid:
            raise _ends.Forked("this process is a fork of the one that joined the job; only that one may go on with it")
        self._inside = True
        try:
            code = function(self._member, *arguments)
            # Its text lasts until the next call.
            reason = self.reason() if code == _structs.MISUSE else None
        finally:
            self._inside = False
        self._lines.flush()
        if self._wants_leave:
            self.leave()
        if code == _structs.FORKED:
            raise _ends.Forked(self.reason())
        if code == _structs.MISUSE:
            raise _ends.Misuse(reason)
        return code

    def reason(self):
        return self._library.sumac_reason(self._member).decode("utf-8", "replace").strip()

    def exit_code(self):
        return self._library.sumac_exit_code(self._member)

    def _raise_end(self):
        error = _ends.ended(self.exit_code(), self.reason())
        bad = self._library.sumac_bad_value(self._member)
        error.bad_value = bad if bad >= 0 else None
        self.close()
        raise error

    def declare(self, values, samples, lines):
        declaration = _structs.Declaration(values=values, samples=samples, lines=lines.encode())
        if self._call(self._library.sumac_declare, declaration) == _structs.ENDED:
            self._raise_end()

    def job_is(self):
        job = _structs.JobIs()
        self._call(self._library.sumac_job_is, job)
        return job

    def samples(self, step, part, most):
        """The samples of a part, at most `most`, as an array of int64 of ctypes."""
        numbers, count = (ctypes.c_int64 * most)(), ctypes.c_size_t()
        self._call(self._library.sumac_samples, step, part, numbers, most, count)
        return (ctypes.c_int64 * count.value).from_buffer(numbers)

    def state_is(self, state, held):
        """Registers a _structs.State; `held` keeps what it points to in its place until the next one."""
        self._call(self._library.sumac_state_is, state)
        # The one before is let go only now: the library may have read it until this call.
        self._held = (state, held)

    def next(self, timeout_ms=100):
        """The task of the next turn, which is in `turn`; 0 after a time-out, None as training is complete. Raises
        Ended."""
        code = self._call(self._library.sumac_next, timeout_ms, self.turn)
        if code == _structs.OK:
            return self.turn.task
        if code == _structs.TIMEOUT:
            return 0
        if code == _structs.ENDED and self.exit_code() == 0:
            return None
        self._raise_end()

    def add(self, step, part, address, loss):
        """Whether the step goes on."""
        return self._call(self._library.sumac_add, step, part, address, loss) == _structs.OK

    def add_pieces(self, step, part, pieces, loss):
        """The same of a _structs.Pieces."""
        return self._call(self._library.sumac_add_pieces, step, part, pieces, loss) == _structs.OK

    def metrics(self, metric):
        self._call(self._library.sumac_metrics, metric)

    def fail(self, exit_code, message):
        """Says nothing where the job has ended or the process is a fork."""
        if self._member and os.getpid() == self._pid and not self._inside:
            self._inside = True
            self._library.sumac_fail(self._member, exit_code, message.encode("utf-8", "replace"))
            self._inside = False
            self._lines.flush()

    def leave(self):
        if os.getpid() != self._pid:
            return
        if self._inside:
            # The handler of a signal may run within a line of the log: the library holds its own locks there.
            self._wants_leave = True
        elif self._member:
            self._wants_leave = False
            self._library.sumac_leave(self._member)

    def log_end(self, end):
        """Once an exception of an end says all that it is to say."""
        self._lines.end(end.reason, isinstance(end, _ends.Stopped))

    def close(self):
        member, self._member = self._member, ctypes.c_void_p()
        if member:
            self._library.sumac_close(member)
        self._held = ()
        self._lines.flush()
