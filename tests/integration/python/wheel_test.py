#!/usr/bin/env python3
"""The wheel that tools/wheel.sh makes of built libraries: what is inside, that the same libraries give the same bytes,
and that it trains where nothing else of Sumac is.

    wheel_test.py FOLDER_OF_PROGRAMS LIBRARY
"""

import base64
import csv
import email
import hashlib
import importlib.util
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

import members
from members import Job
from programs import FOLDER, HERE, ROOT, Run, clean

if len(sys.argv) > 2:
    LIBRARIES = pathlib.Path(sys.argv.pop(2)).resolve().parent
    members.PROGRAMS = pathlib.Path(sys.argv.pop(1)).resolve()
NAME = re.compile(r"sumac-(\d+\.\d+\.\d+)-py3-none-manylinux_2_35_x86_64\.whl")
# PEP 600 and auditwheel's list: what of ours every Linux of manylinux_2_35 has.
ALLOWED = {"ld-linux-x86-64.so.2", "libc.so.6", "libgcc_s.so.1", "libm.so.6", "libpthread.so.0", "libresolv.so.2",
           "libstdc++.so.6"}
MOST_BYTES = 15_000_000
OURS = {"libsumac.so.1", "libsumac_kernels_baseline.so", "libsumac_kernels_avx2.so", "libsumac_kernels_avx512.so"}


def make(name, **more):
    """Makes the wheel in a folder of that name."""
    folder = pathlib.Path(FOLDER.name) / name
    kept = {key: value for key, value in os.environ.items() if key != "SOURCE_DATE_EPOCH"}
    done = subprocess.run([ROOT / "tools/wheel.sh", LIBRARIES, folder], capture_output=True, text=True,
                          env={**kept, **more})
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return pathlib.Path(done.stdout.strip())


def packer():
    """tools/pack_wheel.py as a module."""
    spec = importlib.util.spec_from_file_location("pack_wheel", ROOT / "tools/pack_wheel.py")
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(module)
    return module


def setUpModule():
    global WHEEL, SITE
    os.environ["SUMAC_LIBRARY"] = ""  # the package finds the one beside it
    WHEEL = make("first")
    SITE = pathlib.Path(FOLDER.name) / "site-packages"
    with zipfile.ZipFile(WHEEL) as archive:
        archive.extractall(SITE)  # all that an installer does for a wheel without scripts


def tearDownModule():
    clean()


def installed():
    return {"PYTHONPATH": str(SITE)}


class ContentsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.version = NAME.fullmatch(WHEEL.name).group(1)
        cls.info = SITE / f"sumac-{cls.version}.dist-info"
        with zipfile.ZipFile(WHEEL) as archive:
            cls.entries = archive.infolist()

    def test_has_the_package_its_libraries_and_nothing_else(self):
        names = {entry.filename for entry in self.entries}
        sources = {str(path.relative_to(ROOT / "python")) for path in (ROOT / "python/sumac").rglob("*.py")}
        inside = {name for name in names if name.startswith("sumac/")}
        self.assertEqual(inside, sources | {f"sumac/{name}" for name in OURS})
        others = names - inside
        libraries = {name for name in others if re.fullmatch(r"sumac\.libs/lib[^/]+-[0-9a-f]{8}\.so(\.\d+)+", name)}
        metadata = {name for name in others if name.startswith(f"{self.info.name}/")}
        self.assertTrue(any("libzmq" in name for name in libraries))
        self.assertEqual(others, libraries | metadata)
        self.assertLess(WHEEL.stat().st_size, MOST_BYTES)

    def test_says_what_it_is(self):
        said = email.message_from_string((self.info / "METADATA").read_text(encoding="utf-8"))
        self.assertEqual((said["Name"], said["Version"], said["Requires-Python"]), ("sumac", self.version, ">=3.11"))
        self.assertIsNone(said["Requires-Dist"])
        self.assertEqual(said.get_payload(), (ROOT / "python/README.md").read_text(encoding="utf-8"))
        self.assertIn("Tag: py3-none-manylinux_2_35_x86_64\n", (self.info / "WHEEL").read_text())

    def test_the_record_has_each_file_with_its_hash(self):
        rows = list(csv.reader(io.StringIO((self.info / "RECORD").read_text(encoding="utf-8"))))
        self.assertEqual([row[0] for row in sorted(rows)], sorted(entry.filename for entry in self.entries))
        for name, digest, size in rows:
            if not name.endswith("/RECORD"):
                content = (SITE / name).read_bytes()
                found = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
                self.assertEqual((digest, size), (f"sha256={found}", str(len(content))), name)

    def test_each_library_comes_with_its_licence_and_the_texts_that_it_names(self):
        folder = self.info / "licenses"
        listed = dict(line.split(": ") for line in (folder / "LIBRARIES.txt").read_text().splitlines())
        self.assertEqual(set(listed), {path.name for path in (SITE / "sumac.libs").iterdir()})
        wanted = {f"{words.split()[0]}.txt" for words in listed.values()} | {"LICENSE", "NOTICE", "libeigen3-dev.txt"}
        self.assertLessEqual(wanted, {path.name for path in folder.iterdir()})
        for licence in wanted:
            text = (folder / licence).read_text(encoding="utf-8", errors="replace")
            for named in re.findall(r"/usr/share/common-licenses/([\w.-]*\w)", text):
                named = pathlib.Path("/usr/share/common-licenses", named).resolve().name
                self.assertTrue((folder / f"{named}.txt").is_file(), f"{licence} names {named}")

    def test_needs_nothing_that_a_linux_of_its_platform_lacks(self):
        own = {path.name for path in (SITE / "sumac.libs").iterdir()}
        newest = (0,)
        for path in sorted(SITE.rglob("*.so*")):
            said = subprocess.run(["readelf", "--dynamic", "--version-info", "--wide", path], capture_output=True,
                                  text=True, check=True).stdout
            needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", said)) | set(re.findall(r"File: (\S+)", said))
            self.assertLessEqual(needed, own | ALLOWED, path.name)
            found = re.findall(r"RPATH\).*\[(.*)\]", said)
            self.assertLessEqual(set(found), {"$ORIGIN", "$ORIGIN/../sumac.libs"}, path.name)
            versions = re.findall(r"Name: GLIBC_([0-9.]+)", said)
            newest = max(newest, *(tuple(map(int, version.split("."))) for version in versions))
        self.assertGreater(newest, (2, 30))
        self.assertLessEqual(newest, (2, 35))

    def test_the_packer_refuses_newer_symbols_and_libraries_from_elsewhere(self):
        pack = packer()
        text = "  0x1 0x00 05 GLIBC_2.35\n  0x2 0x00 06 GLIBC_2.36\n  0x3 0x00 07 GLIBCXX_3.4.31\n 0x3 0x00 07 GLIBC_2.4\n"
        self.assertEqual(pack.too_new(text), ["GLIBCXX_3.4.31", "GLIBC_2.36"])
        folder = pathlib.Path(FOLDER.name) / "foreign"
        (folder / "sumac").mkdir(parents=True)
        (folder / "sumac/libsumac.so.1").write_bytes((LIBRARIES / "libsumac.so.1").read_bytes())
        with self.assertRaisesRegex(SystemExit, r"libsumac.so.1 needs .*libzmq.so.5.*neither in the wheel nor in manylinux"):
            pack.check_libraries(folder)


class SameTest(unittest.TestCase):
    def test_the_same_libraries_give_the_same_bytes(self):
        other = pathlib.Path(FOLDER.name) / "another folder for temporary files"
        other.mkdir()
        before = os.umask(0o077)
        try:
            again = make("second", TMPDIR=str(other), LC_ALL="C.UTF-8", TZ="Asia/Tokyo")
        finally:
            os.umask(before)
        self.assertEqual(again.read_bytes(), WHEEL.read_bytes())


class UseTest(unittest.TestCase):
    """Nothing of Sumac but what is unpacked: no SUMAC_LIBRARY, no checkout."""

    @classmethod
    def setUpClass(cls):
        cls.version = Run("-m", "sumac", is_fresh=True, **installed())
        cls.alone = Run(HERE / "linear.py", is_fresh=True, **installed())
        cls.imported = Run("-c", "import sys; before = set(sys.modules); import sumac; print('more', *sorted("
                           "name for name in set(sys.modules) - before if not name.startswith('sumac')))", is_fresh=True, **installed())
        cls.built = Run(HERE / "linear.py", SUMAC_LIBRARY=str(LIBRARIES / "libsumac.so.1"))

    def test_finds_its_own_library(self):
        self.assertEqual(self.version.code, 0, self.version.errors)
        self.assertEqual(self.version.lines["library"], str(SITE / "sumac/libsumac.so.1"))

    def test_trains_alone_and_with_two_workers_as_the_build_does(self):
        job = Job("linear.py", workers=2, **installed())
        try:
            codes = job.codes()
            self.assertEqual(codes, [0, 0], "\n".join(member.errors for member in job.all))
            found = {member.lines["weights"] for member in job.all} | {self.alone.lines["weights"]}
            self.assertEqual(found, {self.built.lines["weights"]})
            self.assertEqual(json.loads((job.output / "result.json").read_text())["parametersSha256"], *found)
        finally:
            job.kill()

    def test_an_import_takes_no_module_that_is_slow(self):
        # 50 ms are the bound of `import sumac`; what takes long are these, and a second here would be the machine's.
        slow = {"numpy", "torch", "mlflow", "asyncio", "unittest", "subprocess", "inspect", "dataclasses", "pathlib",
                "socket", "urllib.parse"}
        found = set(self.imported.lines["more"].split())
        self.assertIn("ctypes", found)
        self.assertEqual(found & slow, set())


if __name__ == "__main__":
    unittest.main()
