#!/usr/bin/env python3
"""tools/tidy.py on a fake tree, with fake compilers: what is checked, in which order, and what
may be left."""

import contextlib
import importlib.util
import io
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
from unittest import mock

TIDY = pathlib.Path(__file__).resolve().parents[2] / "tools" / "tidy.py"
CLANG_TIDY = """#!/bin/sh
case $1 in --version) echo 14; exit;; esac
for file; do :; done
echo "$file" >> "$CHECKED"
! grep -n BUG "$file"
"""
TREE = {
    "a/own.h": "", "a/own.cc": '#include "a/own.h"\n',
    "a/only.h": "", "a/one.cc": '#include <vector>\n#include "a/mid.h"\n', "a/two.cc": '#include "a/only.h"\n',
    "a/mid.h": '#include "a/only.h"\n', "a/loop.h": '#include "a/loop.h"\n',
    "a/reads_own.cc": '#include "a/own.h"\n#include "a/loop.h"\n',
    "b/apart.cc": "",
}


class TidyTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="sumac tidy ")
        self.addCleanup(holder.cleanup)
        folder = pathlib.Path(holder.name).resolve()
        self.root, self.bin = folder / "root", folder / "bin"
        self.checked = folder / "checked"
        self.bin.mkdir()
        for name, text in (("clang-tidy-14", CLANG_TIDY), ("clang++-14", '#!/bin/sh\ncat "$1"\n')):
            (self.bin / name).write_text(text)
            (self.bin / name).chmod(0o755)
        for name, text in TREE.items():
            self.write(name, text)
        database = [{"directory": str(self.root), "file": str(self.root / name),
                     "command": f"c++ -c {name}"} for name in TREE if name.endswith(".cc")]
        (folder / "build").mkdir()
        (folder / "build" / "compile_commands.json").write_text(json.dumps(database))
        self.build = folder / "build"
        environment = mock.patch.dict(os.environ, {
            "PATH": f"{self.bin}:{os.environ['PATH']}", "XDG_CACHE_HOME": str(folder / "cache"),
            "CHECKED": str(self.checked), "GIT_CONFIG_GLOBAL": "/dev/null"})
        environment.start()
        self.addCleanup(environment.stop)
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a")
        spec = importlib.util.spec_from_file_location("tidy", TIDY)
        self.tidy = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.tidy)
        self.tidy.ROOT = self.root

    def git(self, *words):
        subprocess.run(["git", *words], cwd=self.root, check=True)

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def run_tidy(self, *arguments):
        """(exit status, lines it printed, files checked in their order)."""
        self.checked.unlink(missing_ok=True)
        said = io.StringIO()
        with mock.patch("sys.argv", ["tidy.py", "--build", str(self.build), *arguments]), \
                contextlib.redirect_stdout(said):
            status = self.tidy.main()
        checked = self.checked.read_text().splitlines() if self.checked.exists() else []
        return status, said.getvalue().splitlines(), checked

    def checks(self, expected):
        status, _, checked = self.run_tidy("--base", "HEAD")
        self.assertEqual((status, checked), (0, expected))

    def test_checks_all_without_a_base_and_nothing_twice(self):
        status, lines, checked = self.run_tidy()
        self.assertEqual((status, checked), (0, sorted(name for name in TREE if name.endswith(".cc"))))
        self.assertIn("5 clean (0 known before), 0 with findings; 0 files not checked", lines[-1])

        status, lines, checked = self.run_tidy()
        self.assertEqual((status, checked), (0, []))
        self.assertIn("5 clean (5 known before)", lines[-1])

    def test_checks_nothing_where_nothing_changed(self):
        self.checks([])

    def test_checks_a_changed_source(self):
        self.write("b/apart.cc", "int a;\n")
        self.checks(["b/apart.cc"])

    def test_checks_the_source_beside_a_changed_header_first_and_its_other_readers_then(self):
        self.write("a/own.h", "int a;\n")
        self.write("b/apart.cc", "int a;\n")
        self.checks(["a/own.cc", "b/apart.cc", "a/reads_own.cc"])

    def test_checks_a_header_without_a_source_through_its_readers(self):
        self.write("a/only.h", "int a;\n")
        self.checks(["a/one.cc", "a/two.cc"])

    def test_checks_the_sources_of_a_unit_together(self):
        unit = self.build / "a.dir" / "Unity" / "unity_0_cxx.cxx"
        unit.parent.mkdir(parents=True)
        unit.write_text(f'#include "{self.root}/a/one.cc"\n\n#include "{self.root}/a/two.cc"\n'
                        f'#include "{self.build}/generated.cc"\n')
        command = {"directory": str(self.build), "file": str(unit), "command": f"c++ -c {unit}"}
        (self.build / "compile_commands.json").write_text(json.dumps([command]))
        self.write("a/two.cc", '#include "a/only.h"\nint a;\n')

        status, lines, checked = self.run_tidy("--base", "HEAD")

        self.assertEqual((status, checked), (0, [os.path.relpath(unit, self.root)]))
        self.assertIn("1 changed files and 0 that include them, in 1 units: 1 clean", lines[-1])

    def test_survives_headers_in_a_circle_and_files_that_were_deleted(self):
        self.write("a/loop.h", '#include "a/loop.h"\nint a;\n')
        (self.root / "b/apart.cc").unlink()
        (self.root / "a/own.h").unlink()
        self.run_tidy("--base", "HEAD")
        self.assertIn("a/reads_own.cc", self.checked.read_text())

    def test_fails_and_prints_what_was_found(self):
        self.write("b/apart.cc", "int a;  // BUG\n")
        status, lines, _ = self.run_tidy("--base", "HEAD")
        self.assertEqual(status, 1)
        self.assertIn("1:int a;  // BUG", lines)
        self.assertIn("1 with findings", lines[-1])

    def test_checks_changed_files_however_long_that_takes(self):
        self.write("b/apart.cc", "int a;\n")
        status, lines, checked = self.run_tidy("--base", "HEAD", "--seconds", "0")
        self.assertEqual((status, checked), (0, ["b/apart.cc"]))
        self.assertIn("0 files not checked", lines[-1])

    def test_may_leave_files_that_only_include_a_changed_one(self):
        self.write("a/own.h", "int a;\n")
        times = iter([0, 0, 10, 10])  # start, limit, the file that may be left, the end
        with mock.patch.object(self.tidy.time, "monotonic", lambda: next(times)):
            status, lines, checked = self.run_tidy("--base", "HEAD", "--seconds", "5")
        self.assertEqual((status, checked), (0, ["a/own.cc"]))
        self.assertIn("NOT CHECKED, out of time: a/reads_own.cc (includes a changed header)", lines)
        self.assertIn("1 files not checked", lines[-1])


if __name__ == "__main__":
    unittest.main()
