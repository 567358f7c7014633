"""Seeds of random numbers that depend on the job's seed, the step and the part, and on nothing else."""

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15

# What random numbers are drawn for.
COMPUTE, LOAD = 0, 1


def _scramble(value):
    """The output function of SplitMix64: all bits of the result depend on all of the value."""
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)


class Seeds:
    """mix(seed, step, ...), which remembers how far it came with the step."""

    __slots__ = ("_seed", "_step", "_state")

    def __init__(self, seed):
        self._seed, self._step, self._state = seed, None, 0

    def of(self, step, number, purpose):
        if step != self._step:
            self._step, self._state = step, mix(self._seed, step)
        state = _scramble((self._state + _GOLDEN + number) & _MASK)
        return _scramble((state + _GOLDEN + purpose) & _MASK)


def mix(seed: int, *numbers: int) -> int:
    """64 bits that are well mixed from a seed and numbers such as step, part and purpose.

    Each number goes through a round of SplitMix64, so mix(s, 1, 2) and mix(s, 2, 1) have nothing in common.
    """
    state = _scramble((seed + _GOLDEN) & _MASK)
    for number in numbers:
        state = _scramble((state + _GOLDEN + number) & _MASK)
    return state
