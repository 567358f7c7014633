"""Runs the program for the tests of this folder."""

import pathlib
import subprocess

PROGRAMS = pathlib.Path()
DEADLINE_SECONDS = 100  # ends only a test that has failed already


def call(*arguments, status=0):
    """Runs sumac and returns what it printed: to standard error when it is to fail."""
    done = subprocess.run([PROGRAMS / "sumac", *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, text=True, timeout=DEADLINE_SECONDS)
    if done.returncode != status:
        raise AssertionError(f"sumac {arguments}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stderr if status else done.stdout
