"""A program's part in a job: join(), and what a Job has."""

import atexit
import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from . import _ends, _exchange, _logging, _member, _mix, _signals, _turns


def join(*, batch_size: int = 64, parts: int = 1, steps: int | None = None, epochs: int | None = None, seed: int = 1,
         output: str | os.PathLike | None = None, checkpoint: str | os.PathLike | None = None,
         checkpoint_steps: int = 0) -> "Job":
    """Joins the job that started this program; without one the program is alone, with the same bits.

    The options are for a program that is alone; `sumac run` and the operator have them in the job's document, and join()
    ignores them then:

    batch_size: samples of a mini-batch. A step uses one mini-batch.
    parts: into how many parts, of equal size if possible, each mini-batch is split (V). The number of parts is part of
        the result's bits, the number of workers is not.
    steps, epochs: how long to train; give one of them (neither: one epoch).
    seed: of the order of samples, and of random numbers.
    output: a folder for result.json, metrics.jsonl and model.safetensors.
    checkpoint: a folder for checkpoints; where it has some, training resumes from the newest.
    checkpoint_steps: steps between checkpoints (0: one every 500 steps or 60 seconds).

    Until the job ends, SIGTERM and Ctrl-C ask for its end with a checkpoint (in the main thread), and an uncaught
    exception ends the whole job, naming this worker. Raises sumac.Ended, ValueError, or ImportError without the
    library. A process may have one job at a time.
    """
    if steps is not None and epochs is not None:
        raise ValueError("join() has steps and epochs; give one of them")
    for name, value, least, most in (("batch_size", batch_size, 1, 2**63 - 1), ("parts", parts, 1, 1024),
                                     ("steps", steps, 1, 2**63 - 1), ("epochs", epochs, 1, 2**63 - 1),
                                     ("seed", seed, 0, 2**64 - 1), ("checkpoint_steps", checkpoint_steps, 0, 2**63 - 1)):
        if value is not None and not (isinstance(value, int) and least <= value <= most):
            raise ValueError(f"{name} is {value!r}; join() takes a whole number from {least} to {most}")
    if parts > batch_size:
        raise ValueError(f"a mini-batch of {batch_size} samples has no {parts} parts; take fewer parts")
    _logging.show()
    return Job(_member.Member(
        batch_size=batch_size, parts=parts, steps=steps or 0, epochs=epochs or 0, seed=seed,
        output=None if output is None else os.fsencode(output),
        checkpoint=None if checkpoint is None else os.fsencode(checkpoint), checkpoint_steps=checkpoint_steps))


class Job:
    """What join() returns. All of it is for one thread at a time, but leave().

    With `with sumac.join(...) as job:` an exception within ends the job, too, where something catches it outside.
    """

    def __init__(self, member: _member.Member):
        self._member = member
        self._told = self._is_over = False
        self._turns: _turns.Turns | None = None
        self._is = member.job_is()
        self.name: str = (self._is.name or b"").decode()
        self.output: str = os.fsdecode(self._is.output or b"")
        self._seeds = _mix.Seeds(self._is.seed)
        self._signals = _signals.Signals(member.leave)
        self._hook = _ends.ExceptHook(self._fail)
        self._signals.install()
        self._hook.install()
        atexit.register(self._at_exit)

    @property
    def batch_size(self) -> int:
        """Samples of a mini-batch."""
        return self._is.batch_size

    @property
    def parts(self) -> int:
        """V: the parts of every mini-batch."""
        return self._is.parts

    @property
    def seed(self) -> int:
        return self._is.seed

    @property
    def index(self) -> int:
        """Of this worker, from 0. It says nothing about which parts it computes."""
        return self._is.index

    @property
    def is_alone(self) -> bool:
        """No job started this program."""
        return bool(self._is.is_alone)

    @property
    def threads(self) -> int:
        """Threads that are to compute, by the job's document; 0: it does not say. They may change the bits."""
        return self._is.threads

    @property
    def verify(self) -> int:
        """Steps between two checks that a part computed again has the same bits; 0: none."""
        return self._is.verify

    @property
    def steps(self) -> int:
        """Of the whole training; 0 before exchange()."""
        return self._is.steps

    @property
    def epoch_steps(self) -> int:
        """Of one epoch; 0 before exchange()."""
        return self._is.epoch_steps

    @property
    def workers(self) -> int:
        """How many there are now."""
        return self._member.turn.workers or self._is.workers

    @property
    def is_writer(self) -> bool:
        """Whether this worker evaluates and writes; one worker at a time does. It may change from step to step."""
        return bool(self._member.turn.is_writer)

    def exchange(self, fn: Callable[[_turns.Part], tuple[float, Any]], *, values: int | Sequence[Any],
                 samples: int, state: Any, load: Callable[[Any], None] | None = None,
                 evaluate: Callable[[_turns.Step], Mapping[str, float]] | None = None, mean: bool = True,
                 lines: Mapping[str, Any] | None = None) -> Iterator[_turns.Step]:
        """Trains: an iterator of steps; the body of the loop is the update.

            for step in job.exchange(gradient, values=[w, b], samples=len(x), state={"w": w, "b": b}):
                for tensor, change in zip([w, b], step.sums):
                    tensor -= 0.1 * change

        fn(part) computes one part of a mini-batch and returns (loss, values): the means over the part's samples, as a
            float and as buffers of float32 in the shapes declared. It is called for some of the parts, and sometimes
            again for the same one: it must depend on nothing but the part and the state, and change neither.
        values: what a part returns: how many values, or a list of buffers of the same shapes, such as the parameters.
        samples: how many training samples there are. part.samples are their numbers.
        state: the tensors by name that training changes, as a dictionary, a sumac.State, or a function that returns
            either: for checkpoints, for members that join later, and for the trained model.
        load(state): makes a state of the same kind the program's own. Without it, tensors are copied by name.
        evaluate(step): called on the writer at the end of an epoch and of the training, returns metrics as
            step.report() takes them.
        mean: False where fn returns what is to be added as it is, weighted by part.weight already.
        lines: what else the bits depend on, by key. Members compare them as they join, and with a checkpoint's. There
            are some already, such as "program", the SHA-256 of the program's file; a line here replaces one.

        The sum of all parts is the same, bit by bit, on every worker and for every number of workers. Ends with the
        training; raises sumac.Ended where it ends otherwise, TypeError and ValueError for what it cannot use. A
        program that leaves the loop and ends has failed its job.
        """
        self._one()
        exchange = _exchange.Exchange(self, self._member, fn, values, state, load, evaluate, mean)
        return self._train(exchange, exchange.count, samples, lines or {})

    def _one(self):
        if self._turns is not None:
            raise _ends.Misuse("a job has one training; join a job for each")

    def _train(self, turns, values, samples, lines):
        """Declares the training, and returns the iterator over its steps."""
        lines = {**_turns.lines(), **lines}
        for key, value in lines.items():
            if "\n" in f"{value}" or "=" in key:
                raise ValueError(f"line '{key}' has a line feed, or its key a '='; lines are key=value")
        self._turns = turns
        with self._ends():
            self._member.declare(values, samples, "".join(f"{key}={value}\n" for key, value in lines.items()))
        self._is = self._member.job_is()
        return self._steps(turns)

    def _steps(self, turns):
        # A `break` and an exception in the body both close this generator, which cannot see the difference: the
        # hook and the exit of the program tell the others.
        with self._ends():
            yield from turns.steps()
        self._over()

    def leave(self) -> None:
        """Asks the job to let this member go, as SIGTERM does: keep looping, the loop ends. Any thread may call it."""
        self._member.leave()

    def close(self) -> None:
        """Leaves at once; the others take this worker for lost, unless the job has ended. Ended jobs are closed."""
        self._over()

    @contextlib.contextmanager
    def _ends(self):
        """What ends the job within closes it, and is the last line of its log."""
        try:
            yield
        except _ends.Ended as end:
            self._member.log_end(end)
            self._over()
            raise

    def _fail(self, exit_code, message):
        if not self._is_over and not self._told:
            self._told = True
            self._member.fail(exit_code, message)

    def _over(self):
        if self._is_over:
            return
        self._is_over = True
        self._signals.restore()
        self._hook.restore()
        atexit.unregister(self._at_exit)
        self._member.close()

    def _at_exit(self):
        self._fail(1, "the program ended before its training was complete")
        self._over()

    def __enter__(self):
        return self

    def __exit__(self, _kind, error, _trace):
        if error is not None and not isinstance(error, _ends.Ended):
            self._fail(_ends.code_of(error), _ends.describe(error))
            self._over()
