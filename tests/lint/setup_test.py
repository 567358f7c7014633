#!/usr/bin/env python3
"""tools/setup.sh and what `make run` asks for, on fake systems: whatever is wrong is said in one
line that names what is missing and what to do."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
REAL_TOOLS = ("bash", "cat", "dirname", "env", "grep", "head", "sed", "sort")
NOBODY = 65534

# Programs of a fake system. They keep their state in files beside them.
DPKG_QUERY = """#!/bin/bash
here=$(dirname "$0")
for word in "$@"; do
  if grep -qx "$word" "$here/installed"; then echo "$word installed"; fi
  if grep -qx "$word" "$here/removed"; then echo "$word config-files"; fi
done
exit 1
"""
APT_GET = """#!/bin/bash
here=$(dirname "$0")
echo "apt-get $*" >> "$here/calls"
{answer}
for word in "$@"; do echo "$word" >> "$here/installed"; done
"""
NO_NETWORK = """echo "W: something harmless"
echo "E: Failed to fetch http://deb.debian.org/debian  Could not resolve 'deb.debian.org'" >&2
exit 100"""
NO_PACKAGE = '[[ $1 == update ]] || { echo "E: Unable to locate package clang-14" >&2; exit 100; }'


class SetupTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="sumac setup ")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.folder.chmod(0o755)
        self.checkout = self.folder / "the checkout"
        self.bin = self.folder / "bin"
        (self.checkout / "tools").mkdir(parents=True)
        self.bin.mkdir()
        shutil.copy(ROOT / "tools" / "setup.sh", self.checkout / "tools")
        for tool in REAL_TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool))
        (self.bin / "installed").touch()
        (self.bin / "removed").touch()
        (self.folder / "os-release").write_text('NAME="x"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n')
        self.program("dpkg-query", DPKG_QUERY)
        self.program("apt-get", APT_GET.format(answer=""))
        self.program("id", "#!/bin/bash\necho 0\n")
        self.program("ninja", "#!/bin/bash\n")
        self.tools(cmake="3.25.1", gcc="12.2.0")

    def program(self, name, text):
        path = self.bin / name
        path.unlink(missing_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def tools(self, cmake, gcc):
        self.program("cmake", f"#!/bin/bash\necho 'cmake version {cmake}'\n")
        self.program("c++", f"#!/bin/bash\necho '{gcc}'\n")

    def setup_sh(self, profile="run", user=None, **environment):
        return subprocess.run(
            [shutil.which("bash"), self.checkout / "tools" / "setup.sh", profile],
            env={"PATH": str(self.bin), "SUMAC_OS_RELEASE": str(self.folder / "os-release"),
                 **environment},
            cwd="/", capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
            start_new_session=True, user=user,
        )

    def calls(self):
        path = self.bin / "calls"
        return path.read_text() if path.exists() else ""

    def installed(self, profile="run"):
        self.assertEqual(self.setup_sh(profile).returncode, 0)
        (self.bin / "calls").unlink()

    def fails(self, *expected, **how):
        done = self.setup_sh(**how)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("setup.sh: "), done.stderr)
        for words in expected:
            self.assertIn(words, done.stderr)
        return done.stderr

    def test_installs_what_is_missing_and_nothing_twice(self):
        (self.bin / "installed").write_text("cmake\n")
        (self.bin / "removed").write_text("make\n")

        done = self.setup_sh()

        self.assertEqual((done.returncode, done.stderr), (0, ""))
        update, install = self.calls().splitlines()
        self.assertIn("update", update)
        self.assertIn(" --no-remove ", install)  # nobody loses a package by `make run`
        for package in ("g++", "ninja-build", "make", "libzmq3-dev"):
            self.assertIn(f" {package}", install)
        self.assertNotIn("cmake", install)
        done = self.setup_sh()
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(len(self.calls().splitlines()), 2)

    def test_make_run_installs_nothing_of_the_tests(self):
        self.assertEqual(self.setup_sh().returncode, 0)
        for package in ("rapidcheck", "test", "clang", "python", "shellcheck"):
            self.assertNotIn(package, self.calls())
        self.assertEqual(self.setup_sh("dev").returncode, 0)
        for package in ("rapidcheck", "test", "clang", "python", "shellcheck"):
            self.assertIn(package, self.calls())

    def test_only_the_pages_need_a_browser(self):
        self.assertEqual(self.setup_sh("dev").returncode, 0)
        self.assertNotIn("chromium", self.calls())
        self.assertEqual(self.setup_sh("page").returncode, 0)
        self.assertIn(" chromium", self.calls())

    def test_only_packages_need_the_tools_of_packages(self):
        self.assertEqual(self.setup_sh("run").returncode, 0)
        self.assertNotIn("patchelf", self.calls())
        self.assertEqual(self.setup_sh("package").returncode, 0)
        for package in ("patchelf", "dpkg-dev", "python3"):
            self.assertIn(f" {package}", self.calls().splitlines()[-1])
        self.assertNotIn("rapidcheck", self.calls().splitlines()[-1])

    def test_tests_make_a_wheel_but_no_package(self):
        self.assertEqual(self.setup_sh("dev").returncode, 0)
        self.assertIn(" patchelf", self.calls())
        self.assertNotIn("dpkg-dev", self.calls())

    def make_run(self, file):
        shutil.copy(ROOT / "Makefile", self.checkout)
        return subprocess.run(
            [shutil.which("make"), "run", "JOBS=1", f"RUN_FILE={file}", "RUN_ARGS=--workers 3"],
            env={"PATH": str(self.bin), "SUMAC_OS_RELEASE": str(self.folder / "os-release")},
            cwd=self.checkout, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)

    def test_make_run_looks_for_its_file_before_anything_else(self):
        done = self.make_run("no such.yaml")

        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("cannot read RUN_FILE=no such.yaml\n", done.stderr)
        self.assertEqual(self.calls(), "")

    def test_make_run_takes_a_file_whose_path_has_spaces(self):
        programs = self.checkout / "build" / "release" / "bin"
        programs.mkdir(parents=True)
        (programs / "sumac").write_text('#!/bin/bash\nprintf "<%s>" "$@"\n')
        (programs / "sumac").chmod(0o755)
        (self.checkout / "a job.yaml").touch()

        done = self.make_run("a job.yaml")

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("<run><a job.yaml><--workers><3>", done.stdout)

    def test_names_the_command_where_there_is_no_root(self):
        self.program("id", "#!/bin/bash\necho 1000\n")
        (self.bin / "installed").write_text("cmake\n")
        said = self.fails("neither root nor sudo", "apt-get update && apt-get install -y", "libzmq3-dev",
                          "SUMAC_SKIP_SETUP=1")
        self.assertNotIn(" cmake", said)
        self.assertEqual(self.calls(), "")

        self.program("sudo", "#!/bin/bash\necho 'sudo: a password is required' >&2; exit 1\n")
        self.fails("sudo wants a password", "apt-get update && apt-get install -y")

    def test_uses_sudo_where_it_may(self):
        self.program("id", "#!/bin/bash\necho 1000\n")
        self.program("sudo", '#!/bin/bash\nif [[ $1 == -n ]]; then exit 0; fi\nexec "$@"\n')
        done = self.setup_sh()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(self.calls().splitlines()), 2)

    def test_says_what_failed_without_network(self):
        self.program("apt-get", APT_GET.format(answer=NO_NETWORK))
        self.fails("cannot install", "libzmq3-dev", "Could not resolve 'deb.debian.org'",
                   "check the network", "apt-get update && apt-get install -y")

    def test_installs_from_what_was_fetched_earlier(self):
        self.program("apt-get", APT_GET.format(answer=f"if [[ $1 == update ]]; then {NO_NETWORK}; fi"))
        done = self.setup_sh()
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_names_the_system_that_has_no_such_package(self):
        (self.folder / "os-release").write_text('PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\n')
        self.program("apt-get", APT_GET.format(answer=NO_PACKAGE))
        self.fails("Debian GNU/Linux 13 (trixie)", "supported: Debian 12",
                   "Unable to locate package clang-14", profile="dev")

    def test_names_the_supported_system_where_there_is_no_apt(self):
        (self.bin / "apt-get").unlink()
        (self.folder / "os-release").write_text("PRETTY_NAME=Fedora\n")
        self.fails("Fedora", "supported: Debian 12", "libzmq3-dev", "SUMAC_SKIP_SETUP=1")
        (self.folder / "os-release").unlink()
        self.fails("unknown", "supported: Debian 12")

    def test_can_be_skipped(self):
        (self.bin / "apt-get").unlink()
        done = self.setup_sh(SUMAC_SKIP_SETUP="1")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_names_tools_that_are_too_old_or_not_there(self):
        self.installed()
        self.tools(cmake="3.24.9", gcc="12.2.0")
        self.fails("cmake 3.24.9 is too old", "3.25 or newer", "Debian 12")
        self.tools(cmake="3.25.0-rc1", gcc="11.4.0")
        self.fails("g++ 11.4.0 is too old", "12 or newer")
        self.tools(cmake="4.0.2", gcc="12.0.0")
        self.assertEqual(self.setup_sh().returncode, 0)
        (self.bin / "ninja").unlink()
        self.fails("no ninja")
        (self.bin / "cmake").unlink()
        self.fails("no cmake", SUMAC_SKIP_SETUP="1")

    def test_admits_another_compiler(self):
        self.installed()
        self.program("my-clang", "#!/bin/bash\necho 'Debian clang version 14.0.6'\n")
        self.assertEqual(self.setup_sh(CXX="my-clang").returncode, 0)
        self.fails("no g++", CXX="nowhere")

    def test_says_how_to_build_beside_a_checkout_that_cannot_be_written(self):
        self.installed()
        user = NOBODY if os.geteuid() == 0 else None
        self.checkout.chmod(0o555)
        self.addCleanup(self.checkout.chmod, 0o755)
        self.fails(f"cannot write to '{self.checkout}'", "cp -r", "make -C", user=user)

    def test_wants_only_the_build_folder_to_be_writable(self):
        self.installed()
        user = NOBODY if os.geteuid() == 0 else None
        (self.checkout / "build").mkdir()
        (self.checkout / "build").chmod(0o777)
        self.checkout.chmod(0o555)
        self.addCleanup(self.checkout.chmod, 0o755)
        self.assertEqual(self.setup_sh(user=user).returncode, 0)

    def test_refuses_an_unknown_profile(self):
        done = self.setup_sh("all")
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1))


class ConfigureTest(unittest.TestCase):
    """CMake itself, in a checkout whose path has spaces."""

    def test_without_tests_needs_no_package_of_the_tests(self):
        with tempfile.TemporaryDirectory(prefix="sumac configure ") as folder:
            checkout = pathlib.Path(folder, "a checkout")
            shutil.copytree(ROOT, checkout, ignore=shutil.ignore_patterns(
                "build", "runs", ".git", "__pycache__"))
            absent = ("rapidcheck", "Python3", "boost_unit_test_framework")
            done = subprocess.run(
                ["cmake", "--preset", "release", "--no-warn-unused-cli",
                 *(f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=TRUE" for name in absent)],
                cwd=checkout, capture_output=True, text=True, check=False)

            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
