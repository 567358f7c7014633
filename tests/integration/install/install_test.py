#!/usr/bin/env python3
"""Installs a build into a folder with a space, and uses it from elsewhere: whole, in parts, and mixed.

    install_test.py BUILD_FOLDER CMAKE
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, CMAKE = pathlib.Path(), ""
DEADLINE_SECONDS = 100  # ends only a test that has failed already, on however busy a machine
PROGRAMS = ("sumac", "sumac-worker", "sumac-server", "sumac-operator")
PREFIX = "/opt/sumac"
ROOT = pathlib.Path(__file__).resolve().parents[3]
LOADER = "/lib64/ld-linux-x86-64.so.2"


def link_tree(source, target):
    """A copy whose files are links to the same content: the programs are large."""
    shutil.copytree(source, target, copy_function=os.link, symlinks=True)


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="sumac install ")
        cls.addClassCleanup(holder.cleanup)
        cls.top = pathlib.Path(holder.name)
        subprocess.run([CMAKE, "--install", BUILD, "--prefix", PREFIX], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "DESTDIR": str(cls.top)}, timeout=DEADLINE_SECONDS)
        cls.installed = cls.top / PREFIX[1:]
        cls.version = cls.output(cls.installed / "bin/sumac", "--version").split()[1]

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="empty ", dir=self.top)
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    @staticmethod
    def start(program, *words, folder="/", status=0, path="/usr/bin:/bin"):
        done = subprocess.run([program, *map(str, words)], cwd=folder, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=DEADLINE_SECONDS,
                              env={"PATH": str(path), "HOME": str(folder)})
        if done.returncode != status:
            raise AssertionError(f"exit status {done.returncode}, expected {status}:\n{done.stdout}")
        return done.stdout

    @classmethod
    def output(cls, *command):
        return cls.start(*command)

    def train(self, program, status=0, folder=None, **options):
        """What a job of two steps prints, in an empty folder."""
        folder = folder or self.folder
        job = self.installed / "share/sumac/examples/lenet5-fashion-mini.yaml"
        return self.start(program, "run", job, "--set", "training.epochs=null", "--set", "training.steps=2",
                          "--output-dir", folder / "out", folder=folder, status=status, **options)

    def copy(self, *parts):
        copy = self.folder / "copy"
        copy.mkdir()
        for part in parts:
            link_tree(self.installed / part, copy / part)
        return copy

    def replace(self, program, text):
        program.unlink()  # not the file that it shares with the installation
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)

    def test_every_program_says_the_one_version(self):
        for program in PROGRAMS:
            self.assertEqual(self.output(self.installed / "bin" / program, "--version"), f"{program} {self.version}\n")

    def test_a_job_runs_from_an_empty_folder(self):
        self.assertIn("model.safetensors", self.train(self.installed / "bin/sumac"))

    def test_a_link_in_the_path_leads_to_the_installation(self):
        (self.folder / "bin").mkdir()
        link = self.folder / "bin/sumac"
        link.symlink_to(self.installed / "bin/sumac")
        self.assertIn("model.safetensors", self.train(link))

    def test_another_package_in_the_path_is_not_used(self):
        other = self.folder / "older"
        other.mkdir()
        for program in PROGRAMS:
            (other / program).write_text("#!/bin/sh\necho older\nexit 1\n")
            (other / program).chmod(0o755)
        self.assertIn("model.safetensors", self.train(self.installed / "bin/sumac", path=f"{other}:/usr/bin:/bin"))

    def test_a_checkout_around_it_is_not_used(self):
        checkout = self.folder / "checkout"
        package = checkout / "build/package"
        package.parent.mkdir(parents=True)
        link_tree(self.installed, package)
        for data in (checkout / "examples/data", self.folder / "examples/data"):
            (data / "fashion-mnist-mini").mkdir(parents=True)  # empty: a job that reads it fails
        self.assertIn("model.safetensors", self.train(package / "bin/sumac"))

    def test_programs_without_libraries_say_what_is_missing_and_where(self):
        copy = self.copy("bin", "share")
        said = self.train(copy / "bin/sumac", status=78)
        self.assertRegex(said, f"there is no libsumac_kernels_[a-z0-9]+.so in {re.escape(str(copy))}/lib/sumac; the folders")

    def test_a_member_that_cannot_open_its_libraries_ends_with_74_whichever_it_is(self):
        copy = self.copy("bin", "lib", "share")
        for library in copy.glob("lib/sumac/libsumac_kernels_*.so"):
            self.replace(library, "not a library")
        example = (self.installed / "share/sumac/examples/lenet5-fashion-mini.yaml").read_text()
        job = self.folder / "job.yaml"
        job.write_text(f"{example}  security: {{transport: none}}\n")  # which takes no keys
        for program, words in (("sumac-server", ()), ("sumac-worker", ("--coordinator", "tcp://127.0.0.1:9"))):
            said = self.start(copy / "bin" / program, "--job", job, "--index", 0, *words, status=74)
            self.assertRegex(said, f"cannot open {re.escape(str(copy))}/lib/sumac/.*; it is damaged, or memory")

    def test_programs_without_data_say_what_is_missing_and_where(self):
        copy = self.copy("bin", "lib")
        said = self.train(copy / "bin/sumac", status=78)
        self.assertIn(f"there is no folder {copy}/share/sumac/data/fashion-mnist-mini; the folders", said)

    def test_sumac_without_the_others_says_which_is_missing_and_where(self):
        copy = self.copy("bin", "lib", "share")
        for program in ("sumac-server", "sumac-worker"):
            (copy / "bin" / program).unlink()
            said = self.train(copy / "bin/sumac", status=1)
            self.assertIn(f"error: there is no {copy}/bin/{program}, which sumac starts", said)
            self.assertEqual(list(self.folder.glob("out")), [])

    @unittest.skipUnless(shutil.which("patchelf"), "needs patchelf, which `make package` installs")
    def test_a_bundle_has_the_libraries_of_the_programs_and_of_the_library_for_others(self):
        bundle = self.folder / "bundle"
        for part in ("bin", "lib"):  # files of its own: they are changed
            shutil.copytree(self.installed / part, bundle / part, symlinks=True)
        self.start(ROOT / "tools/bundle.sh", bundle, "--libraries")
        libraries = bundle / "lib/sumac"
        for file in (bundle / "bin/sumac-worker", libraries / "libsumac.so.1"):
            found = subprocess.run([LOADER, file], env={"LD_TRACE_LOADED_OBJECTS": "1"}, text=True, check=True,
                                   capture_output=True, timeout=DEADLINE_SECONDS).stdout
            for library in ("libzmq.so.5", "libstdc++.so.6"):
                self.assertRegex(found, f"{re.escape(library)} => .*/lib/sumac/{re.escape(library)} ", file)
            self.assertNotIn("not found", found)

    def test_programs_of_two_versions_are_named_with_their_versions(self):
        for program in ("sumac-worker", "sumac-server"):
            copy = self.copy("bin", "lib", "share")
            self.replace(copy / "bin" / program, f"echo {program} 0.0.9")
            said = self.train(copy / "bin/sumac", status=1)
            self.assertIn(f"{copy}/bin/{program} has version 0.0.9, but {copy}/bin/sumac", said)
            self.assertIn(f"has version {self.version}; install", said)
            shutil.rmtree(copy)

    def test_a_program_that_the_loader_cannot_start_is_named_with_its_reason(self):
        copy = self.copy("bin", "lib", "share")
        reason = "error while loading shared libraries: libzmq.so.5: cannot open shared object file"
        self.replace(copy / "bin/sumac-worker", f"echo '{reason}' >&2; exit 127")
        said = self.train(copy / "bin/sumac", status=1)
        self.assertIn(f"{copy}/bin/sumac-worker does not start: {reason}", said)

    def test_every_command_has_a_manual_page_with_its_options(self):
        pages = self.installed / "share/man/man1"
        commands = self.output(self.installed / "bin/sumac", "__complete", "").split()[:-1]
        self.assertIn("run", commands)
        for name in (*PROGRAMS, *(f"sumac-{command}" for command in commands), "sumac-data-generate"):
            page = (pages / f"{name}.1").read_text().replace("\\-", "-")
            for part in ("\n.SH NAME\n" + name + " - ", "\n.SH SYNOPSIS\n", "\n.SH OPTIONS\n", "\\fB-h,--help\\fR"):
                self.assertIn(part, page, name)
        page = (pages / "sumac-run.1").read_text().replace("\\-", "-")
        for part in ("\\fB--workers N\\fR\nWorker processes", "\n.SH EXAMPLES\n.nf\n  sumac run", "\n   78  the job"):
            self.assertIn(part, page)

    def test_shells_find_their_completions(self):
        share = self.installed / "share"
        for shell, file in (("bash", "bash-completion/completions/sumac"), ("zsh", "zsh/site-functions/_sumac"),
                            ("fish", "fish/vendor_completions.d/sumac.fish")):
            self.assertEqual((share / file).read_text(),
                             self.output(self.installed / "bin/sumac", "completion", shell))

    def test_licences_the_chart_and_the_plugin_of_kubectl_are_there(self):
        for file in ("share/doc/sumac/LICENSE", "share/doc/sumac/NOTICE", "share/sumac/helm/sumac/Chart.yaml",
                     "share/sumac/deploy/crd/trainingjobs.yaml", "share/sumac/data/fashion-mnist-mini/LICENSE"):
            self.assertTrue((self.installed / file).is_file(), file)
        for name in ("kubectl-sumac", "kubectl_complete-sumac"):
            self.assertEqual(os.readlink(self.installed / "bin" / name), "sumac")


if __name__ == "__main__":
    BUILD, CMAKE = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
