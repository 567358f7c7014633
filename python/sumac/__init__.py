"""Sumac for Python: your own computation, split into V parts of every mini-batch, which 1 to V workers compute, with
the same bits for any number of them.

    job = sumac.join(batch_size=64, parts=8, epochs=3)
    for step in job.exchange(gradient, values=[w, b], samples=len(x), state={"w": w, "b": b}):
        w -= 0.1 * step.sums[0]
        b -= 0.1 * step.sums[1]

Started by itself, the program trains alone; `sumac run` and the operator start it as the workers of a job. `sumac.torch`
trains PyTorch models the same way. docs/python.md has both. Needs nothing but Python 3.11 and libsumac.so.1.
"""

from ._ends import BadJob, Ended, Failed, Forked, LostPeers, Misuse, ResourceFailed, Stopped
from ._job import Job, join
from ._library import LibraryError
from ._mix import mix
from ._state import State
from ._turns import Part, Step

__version__ = "0.1.0"
__all__ = ["BadJob", "Ended", "Failed", "Forked", "Job", "LibraryError", "LostPeers", "Misuse", "Part",
           "ResourceFailed", "State", "Step", "Stopped", "join", "mix"]
