#!/usr/bin/env python3
"""tools/check_fresh.sh with a fake fresh-debian: when it runs, skips and fails."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_fresh.sh"


class CheckFreshTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="sumac fresh ")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.checkout = self.folder / "checkout"
        (self.checkout / "tools").mkdir(parents=True)
        shutil.copy(SCRIPT, self.checkout / "tools")
        self.git("init", "-q")
        self.commit("README.md")

    def git(self, *words):
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null"}
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words],
                       cwd=self.checkout, check=True, env=environment)

    def commit(self, name):
        (self.checkout / name).parent.mkdir(parents=True, exist_ok=True)
        with open(self.checkout / name, "a", encoding="utf-8") as file:
            file.write("a\n")
        self.git("add", "-A")
        self.git("commit", "-qm", "a")

    def tool(self, answer='echo "ran: $*" >&2'):
        path = self.folder / "shared" / "tools" / "fresh-debian"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/bash\n{answer}\n")
        path.chmod(0o755)

    def check(self, *arguments, ci=""):
        done = subprocess.run([self.checkout / "tools" / "check_fresh.sh", *arguments], cwd="/",
                              env={**os.environ, "CI": ci}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout

    def test_runs_when_a_build_or_setup_file_changed(self):
        self.tool()
        for name in ("CMakeLists.txt", "a/b/CMakeLists.txt", "cmake/A.cmake", "CMakePresets.json",
                     "Makefile", "tools/setup.sh", "tools/setup/a.txt", ".ci/run"):
            self.commit(name)
            status, said = self.check("HEAD~1")
            self.assertEqual(status, 0, name)
            self.assertIn(f"HEAD~1: {name}\n", said)
            self.assertIn("ran: {\n  make run", said, name)

    def test_skips_other_changes(self):
        self.tool()
        self.commit("a/b.cc")
        status, said = self.check("HEAD~1", ci="true")
        self.assertEqual(status, 0)
        self.assertIn("skipped: no build or set-up file changed", said)
        self.assertNotIn("ran", said)

    def test_runs_where_there_is_nothing_to_compare_with(self):
        self.tool()
        self.assertIn("ran: {\n  make run", self.check("")[1])
        self.assertIn("ran: {\n  make run", self.check()[1])

    def test_says_that_it_skips_where_there_is_no_tool(self):
        self.assertEqual(self.check(ci="true"), (
            0, "check_fresh.sh: skipped: there is no ../shared/tools/fresh-debian\n"))

    def test_fails_in_ci_where_the_tool_cannot_run(self):
        self.tool("echo no root >&2; exit 2")
        status, said = self.check(ci="true")
        self.assertEqual(status, 1)
        self.assertIn("no root", said)
        self.assertIn("failed: ../shared/tools/fresh-debian cannot run", said)
        status, said = self.check()
        self.assertEqual(status, 0)
        self.assertIn("skipped: ../shared/tools/fresh-debian cannot run", said)

    def test_fails_where_make_run_fails(self):
        self.tool('[[ $1 == true ]] || exit 3')
        for ci in ("true", ""):
            self.assertEqual(self.check(ci=ci)[0], 3)

    def test_fails_where_the_compiler_warns(self):
        self.tool('[[ $1 == true ]] || echo "a/b.cc:3:7: warning: unused" >&2')
        status, said = self.check()
        self.assertEqual(status, 1)
        self.assertIn("the compiler warned", said)
        self.tool('echo "warning: this machine has little memory" >&2')  # by sumac
        self.assertEqual(self.check()[0], 0)

    def test_gives_the_packages_of_the_first_machine_to_the_second(self):
        self.tool('[[ $1 != *package.sh ]] || sed "s/^/second got: /"; [[ $1 != *"make package"* ]] || echo packages')
        self.assertEqual(self.check(), (0, "second got: packages\n"))

    def test_fails_where_the_packages_do_not_run(self):
        self.tool('[[ $1 != *package.sh ]] || exit 4')
        self.assertEqual(self.check()[0], 4)

    def test_fails_where_the_base_is_unknown(self):
        self.tool()
        self.assertNotEqual(self.check("nowhere", ci="true")[0], 0)


if __name__ == "__main__":
    unittest.main()
