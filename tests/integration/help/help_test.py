#!/usr/bin/env python3
"""Compares the help of every command with a golden file. Commands are found by reading the help of their program.

    help_test.py FOLDER_OF_PROGRAMS
"""

import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from goldens import check_golden_folder  # noqa: E402

PROGRAMS = pathlib.Path(sys.argv.pop(1)).resolve()
WIDTH = 100  # also of the narrow terminals that people have

# A line that names a command: those of "Positionals" and "Exit codes" begin otherwise.
COMMAND = re.compile(r"  ([a-z][a-z-]*)  +\S.*")
# What no help lists: shortcuts for those who try them first, and what sumac asks its worker.
UNLISTED = {"sumac": ["help", "version"], "sumac-worker": ["memory", "model", "profile"]}


def helped(program, *words):
    """What the program prints when it is called by this name, which need not be that of its file."""
    file = PROGRAMS / {"kubectl-sumac": "sumac"}.get(program, program)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SUMAC_")}
    done = subprocess.run([program, *words, "--help"], executable=file, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, encoding="utf-8", timeout=60)
    if done.returncode != 0 or done.stderr:
        raise AssertionError(f"{program} {words}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def commands_in(text):
    """The commands that a help text lists, before its examples."""
    listed = text.split("\nExamples:\n")[0]
    return [found[1] for found in map(COMMAND.fullmatch, listed.splitlines()) if found]


def texts_of(program, words=()):
    """The help of a program or command and of all below it, by the name of its golden file."""
    text = helped(program, *words)
    texts = {"_".join((program, *words)) + ".txt": text}
    for command in commands_in(text) + ([] if words else UNLISTED.get(program, [])):
        texts.update(texts_of(program, (*words, command)))
    return texts


class HelpTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.texts = {"kubectl-sumac.txt": helped("kubectl-sumac")}
        for program in ("sumac", "sumac-worker", "sumac-server", "sumac-operator"):
            cls.texts.update(texts_of(program))

    def test_every_text_is_as_kept(self):
        self.assertIn("sumac_data_generate.txt", self.texts)
        check_golden_folder(self, "cli/help/", self.texts)

    def test_no_line_is_wider_than_a_terminal(self):
        wide = [(name, line) for name, text in self.texts.items() for line in text.splitlines() if len(line) > WIDTH]
        self.assertEqual(wide, [])

    def test_no_note_of_the_parser_is_left(self):
        raw = re.compile(r"\bINT\b|:\{|Excludes:|Needs:|REQUIRED|Env:|\d - \d|1e\+|:NONNEGATIVE")
        notes = [(name, line) for name, text in self.texts.items() for line in text.splitlines() if raw.search(line)]
        self.assertEqual(notes, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
