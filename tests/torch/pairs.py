"""Values of which every pair is to be tested together, in few runs."""

import itertools


def pairwise(**values):
    """Runs, as dictionaries, such that each pair of values of two names is in one of them. The same list each time."""
    names = list(values)
    wanted = {((a, x), (b, y)) for a, b in itertools.combinations(names, 2) for x in values[a] for y in values[b]}
    runs = []
    while wanted:
        run = {}
        # The pair that is first in order begins a run; each other name takes the value that meets most wanted pairs.
        (a, x), (b, y) = min(wanted, key=repr)
        run[a], run[b] = x, y
        for name in names:
            if name not in run:
                run[name] = max(values[name], key=lambda value: sum(
                    pair(names, name, value, other, run[other]) in wanted for other in run))
        run = {name: run[name] for name in names}
        wanted -= set(itertools.combinations(run.items(), 2))
        runs.append(run)
    return runs


def pair(names, a, x, b, y):
    """A pair in the order of the names."""
    return ((a, x), (b, y)) if names.index(a) < names.index(b) else ((b, y), (a, x))
