"""What docker/files.sh puts into the images, and their programs there as in pods.

Usage: files_test.py PROGRAMS_FOLDER [TEST...]
"""

import io
import os
import pathlib
import re
import signal
import stat
import subprocess
import tarfile
import threading
import unittest
import zipfile

import lab

PROGRAMS = pathlib.Path()
FOUND_IN_BASE = {"libc6", "libgcc-s1", "libstdc++6"}
# What the compiler and the C library add: their licences ask nothing of programs.
OF_THE_COMPILER = {"libc6-dev", "libstdc++-12-dev", "linux-libc-dev", "libgcc-12-dev"}
KUBECONFIG = """
apiVersion: v1
kind: Config
clusters: [{name: none, cluster: {server: "http://127.0.0.1:1"}}]
contexts: [{name: none, context: {cluster: none, user: none}}]
users: [{name: none, user: {}}]
current-context: none
"""


def needed_by(file):
    listed = lab.run("readelf", "--dynamic", file)
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", listed))


def package_of(paths):
    """The Debian package of each path that has one. A package names /lib/X or /usr/lib/X."""
    names = [name for path in paths for name in (path, path.removeprefix("/usr"))]
    listed = subprocess.run(["dpkg-query", "--search", *names], capture_output=True, text=True).stdout
    packages = {}
    for line in listed.splitlines():
        if match := re.match(r"([^:, ]+)(?::\w+)?: (/.*)", line):
            packages["/usr" + match[2].removeprefix("/usr")] = match[1]
    return packages


def source_of(packages):
    listed = lab.run("dpkg-query", "--show", "--showformat", "${Package} ${source:Package}\n", *packages)
    return dict(line.split() for line in listed.splitlines())


class FilesTest(unittest.TestCase):
    EXAMPLE = "/usr/local/share/sumac/examples/lenet5-fashion-mini.yaml"

    @classmethod
    def setUpClass(cls):
        cls.files = lab.Files(PROGRAMS)
        cls.addClassCleanup(cls.files.close)

    def programs(self, image):
        folder = self.files.layers(image)[0] / "usr/local/bin"
        return {path.name for path in folder.iterdir() if not path.is_symlink()}

    def libraries(self, image):
        return {path.name: path for path in (self.files.layers(image)[1] / "usr/lib").glob("*/*")}

    def test_each_image_has_its_programs_and_no_other(self):
        self.assertEqual(self.programs("operator"), {"sumac-operator"})
        self.assertEqual(self.programs("worker"), {"sumac-worker"})
        self.assertEqual(self.programs("server"), {"sumac-server"})
        self.assertEqual(self.programs("sumac"), {"sumac", "sumac-worker", "sumac-server"})

    def test_libraries_are_what_the_programs_need_and_no_more(self):
        in_base = {path.name for path in (self.files.folder / "base").glob("**/*.so*")}
        for image in lab.IMAGES:
            with self.subTest(image):
                have = self.libraries(image)
                product = self.files.layers(image)[0] / "usr/local"
                wanted, found = [*product.glob("bin/*"), *product.glob("lib/sumac/*")], set()
                while wanted:
                    for name in needed_by(wanted.pop()) - found:
                        found.add(name)
                        self.assertTrue(name in have or name in in_base, f"{name} is nowhere")
                        if name in have:
                            wanted.append(have[name])
                self.assertEqual(set(have), found - in_base)

    def test_each_library_comes_with_its_licence_and_an_entry_for_scanners(self):
        for image in lab.IMAGES:
            with self.subTest(image):
                layer = self.files.layers(image)[1]
                here = {path.name: os.path.realpath("/usr" + str(path).split("/usr", 1)[1])
                        for path in self.libraries(image).values()}
                packages = set(package_of(here.values()).values())
                self.assertFalse(packages & FOUND_IN_BASE)
                self.assertEqual({path.name for path in (layer / "usr/share/doc").iterdir()}, packages)
                self.assertEqual({path.name for path in (layer / "var/lib/dpkg/status.d").iterdir()}, packages)
                for package in packages:
                    self.assertGreater((layer / f"usr/share/doc/{package}/copyright").stat().st_size, 100)
                    entry = (layer / f"var/lib/dpkg/status.d/{package}").read_text()
                    self.assertIn(f"Package: {package}\n", entry)
                    self.assertIn("\nVersion: ", entry)

    def test_libraries_of_headers_inside_the_programs_come_with_their_licences(self):
        build = PROGRAMS.parent
        if not (build / "build.ninja").exists():
            self.skipTest("the programs are not in a build folder of Ninja")
        headers, ours = set(), False
        for line in lab.run("ninja", "-C", build, "-t", "deps").splitlines():
            if not line.startswith(" "):
                ours = not line.startswith(("tests/", "bench/"))
                ours = ours and "precompiled_test" not in line
            elif ours and line.strip().startswith("/usr/include/"):
                headers.add(line.strip())
        packages = set(package_of(headers).values())
        self.assertIn("nlohmann-json3-dev", packages)
        licensed = set.intersection(
            *({path.name for path in (self.files.layers(image)[0] / "usr/share/doc").iterdir()}
              for image in lab.IMAGES))
        shipped = set().union(*({path.name for path in (self.files.layers(image)[1] / "usr/share/doc").iterdir()}
                                for image in lab.IMAGES))
        sources = source_of(packages | shipped)
        shipped_sources = {sources[package] for package in shipped}
        missing = {package for package in packages - OF_THE_COMPILER - licensed
                   if sources[package] not in shipped_sources}
        self.assertEqual(missing, set())

    def test_our_licence_and_that_of_the_data_are_inside(self):
        for image in lab.IMAGES:
            for name in ("LICENSE", "NOTICE"):
                self.assertEqual(self.files.find(image, f"/usr/share/doc/sumac/{name}").read_bytes(),
                                 (lab.ROOT / name).read_bytes())
        for image in ("worker", "sumac"):
            text = self.files.find(image, "/usr/local/share/sumac/data/fashion-mnist-mini/LICENSE")
            self.assertIn("The MIT License", text.read_text())

    def test_all_kernels_and_the_data_are_inside(self):
        kernels = {path.name for path in (PROGRAMS / "../lib/sumac").glob("libsumac_kernels_*.so")}
        self.assertGreaterEqual(len(kernels), 3)
        for image in ("worker", "server", "sumac"):
            lib = self.files.layers(image)[0] / "usr/local/lib/sumac"
            self.assertEqual({path.name for path in lib.iterdir()}, kernels)
        data = lab.ROOT / "examples/data"
        for image in ("worker", "sumac"):
            for path in data.glob("**/*.gz"):
                inside = self.files.find(image, f"/usr/local/share/sumac/data/{path.relative_to(data)}")
                self.assertEqual(inside.read_bytes(), path.read_bytes())

    def test_the_wheel_is_in_the_image_of_a_worker_alone_and_once(self):
        name = f"sumac-{lab.version()}-py3-none-manylinux_2_35_x86_64.whl"
        for image in lab.IMAGES:
            found = [path.name for path in self.files.layers(image)[0].glob("**/*.whl")]
            self.assertEqual(found, [name] if image == "worker" else [])
        wheel = self.files.find("worker", f"/usr/local/share/sumac/wheels/{name}")
        self.assertIsNone(zipfile.ZipFile(wheel).testzip())
        self.assertLess(wheel.stat().st_size, 15e6)

    def test_files_may_be_read_by_all_written_by_nobody_and_have_one_time(self):
        for path in (self.files.folder / "files").glob("*/*/**/*"):
            facts = path.lstat()
            self.assertEqual(facts.st_mtime, 0, path)
            if path.is_symlink():
                continue
            self.assertFalse(facts.st_mode & 0o7022, path)
            self.assertTrue(facts.st_mode & stat.S_IROTH, path)

    def test_operator_and_worker_are_small(self):
        for image in ("operator", "worker"):
            size = 0
            for layer in self.files.layers(image):
                file = io.BytesIO()
                with tarfile.open(fileobj=file, mode="w:gz", compresslevel=6) as archive:
                    archive.add(layer, "")
                size += len(file.getvalue())
            print(f"{image}: {size / 1e6:.1f} MB compressed beyond the base")
            self.assertLess(size, 40e6)

    def test_the_base_has_no_program(self):
        base = self.files.folder / "base"
        programs = [path for folder in ("bin", "sbin", "usr/bin", "usr/sbin") for path in (base / folder).iterdir()]
        self.assertEqual(programs, [])
        for package in (base / "var/lib/dpkg/status.d").iterdir():
            self.assertTrue((base / f"usr/share/doc/{package.name}/copyright").exists(), package.name)

    def test_each_program_says_the_one_version(self):
        for image in lab.IMAGES:
            for program in self.programs(image):
                self.assertEqual(self.files.run(image, program, "--version"),
                                 (0, f"{program} {lab.version()}\n"))

    def test_sumac_trains_the_example_on_a_root_for_reading_only(self):
        status, output = self.files.run(
            "sumac", "sumac", "run", self.EXAMPLE, "--set", "training.epochs=1", "--output-dir", "/tmp/run")
        self.assertEqual(status, 0, output)
        self.assertIn("/tmp/run/model.safetensors", output)

    def stops(self, image, said, *command, **environment):
        """Its first process ends with exit code 143 after SIGTERM, sent once it has said `said`."""
        process = self.files.start(image, *command, **environment)
        watchdog = threading.Timer(lab.DEADLINE_SECONDS, process.kill)
        watchdog.start()
        try:
            output = ""
            for line in process.stdout:
                output += line
                if said in line:
                    break
            else:
                self.fail(f"ended before it said '{said}':\n{output}")
            child = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
            os.kill(int(child), signal.SIGTERM)
            output += process.stdout.read()
            self.assertEqual(process.wait(), 143, output)
        finally:
            watchdog.cancel()
            process.kill()
            process.wait()
            process.stdout.close()

    def test_as_first_process_each_program_ends_on_sigterm(self):
        job = (lab.ROOT / "tests/integration/pod/job.json").read_text()
        (self.files.settings / "etc/sumac/job.json").write_text(job)
        (self.files.settings / "etc/sumac/kubeconfig").write_text(KUBECONFIG)
        member = {"SUMAC_JOB": "/etc/sumac/job.json", "SUMAC_INDEX": "0", "SUMAC_LISTEN": "tcp://127.0.0.1:0",
                  "SUMAC_LOG_LEVEL": "debug"}
        self.stops("operator", "starting", "sumac-operator", SUMAC_OPERATOR_KUBECONFIG="/etc/sumac/kubeconfig",
                   SUMAC_OPERATOR_WORKER_IMAGE="none", SUMAC_OPERATOR_SERVER_IMAGE="none",
                   SUMAC_OPERATOR_HEALTH_LISTEN="127.0.0.1:0", SUMAC_OPERATOR_LEASE_NAMESPACE="none")
        self.stops("server", "listening", "sumac-server", **member)
        self.stops("worker", "compute threads", "sumac-worker", SUMAC_COORDINATOR="tcp://127.0.0.1:1", **member)
        self.stops("sumac", "test accuracy", "sumac", "run", self.EXAMPLE, "--set", "training.epochs=100000",
                   "--output-dir", "/tmp/run")


if __name__ == "__main__":
    lab.main("root", "unshare", "base")
