#!/usr/bin/env python3
"""Writes convolution_choice_golden.txt: optima of the choice of convolution algorithms, by a MIP solver.

Run by hand where SciPy is installed (pip install scipy; its solver is HiGHS); choice_golden_test.cc
reads the result. Instances are given by a formula. A line: convolutions, algorithms, salt, whether
time follows from memory, bound in bytes, optimum in seconds. All times are whole, so that optima are
exact.
"""
import pathlib

import numpy
import scipy
from scipy import optimize, sparse

CASES = [(3, 2, 1, 0), (5, 3, 2, 0), (8, 5, 3, 0), (10, 4, 4, 1), (20, 5, 5, 0), (15, 5, 6, 1), (40, 5, 7, 0),
         (100, 4, 8, 0), (200, 5, 9, 0), (40, 5, 10, 1)]
SHARES = (0, 3, 10, 20, 35, 60)  # of the way from the smallest workspaces to the largest, in %


def mix(convolution: int, algorithm: int, salt: int) -> int:
    """A number below 10,000 that looks random."""
    number = convolution * 7919 + algorithm * 104729 + salt * 1299709
    return number * number % 1000003 * 40503 // 64 % 10000


def costs(convolutions: int, algorithms: int, salt: int, correlated: int) -> tuple[list, list]:
    """(times, bytes), each [convolution][algorithm]."""
    times, sizes = [], []
    for k in range(convolutions):
        own = [mix(k, j, salt) for j in range(algorithms)]
        sizes.append(own)
        if correlated:
            times.append([12000 - size + mix(k, j, salt + 1) % 2000 for j, size in enumerate(own)])
        else:
            times.append([mix(k, j, salt + 1) for j in range(algorithms)])
    return times, sizes


def optimum(times: list, sizes: list, bound: int) -> int:
    convolutions, algorithms = len(times), len(times[0])
    count = convolutions * algorithms
    rows = numpy.repeat(numpy.arange(convolutions), algorithms)
    one_each = sparse.csr_matrix((numpy.ones(count), (rows, numpy.arange(count))))
    result = optimize.milp(
        c=numpy.array(times, dtype=float).ravel(), integrality=numpy.ones(count), bounds=optimize.Bounds(0, 1),
        constraints=[optimize.LinearConstraint(one_each, 1, 1),
                     optimize.LinearConstraint(numpy.array(sizes, dtype=float).reshape(1, -1), 0, bound)],
        options={"mip_rel_gap": 0})
    assert result.status == 0, result.message
    chosen = numpy.rint(result.x).astype(int)
    assert chosen @ numpy.array(sizes).ravel() <= bound
    return int(chosen @ numpy.array(times).ravel())


def main() -> None:
    lines = [f"# convolution_choice_golden.py, SciPy {scipy.__version__} (HiGHS), relative gap 0"]
    for case in CASES:
        times, sizes = costs(*case)
        smallest = sum(min(own) for own in sizes)
        largest = sum(max(own) for own in sizes)
        for share in SHARES:
            bound = smallest + (largest - smallest) * share // 100
            lines.append(" ".join(str(value) for value in (*case, bound, optimum(times, sizes, bound))))
    path = pathlib.Path(__file__).with_name("convolution_choice_golden.txt")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
