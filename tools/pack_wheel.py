#!/usr/bin/env python3
"""Packs what tools/wheel.sh has laid out: pack_wheel.py FOLDER VERSION OUTPUT. Prints the path of the wheel.

A wheel is a zip archive with metadata (packaging.python.org, "Binary distribution format"). Here its files are sorted
and have one time (SOURCE_DATE_EPOCH), so that the same files give the same bytes.
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PLATFORM = "manylinux_2_35_x86_64"
TAG = f"py3-none-{PLATFORM}"
# What every Linux of that platform has, such as Ubuntu 22.04: of the libraries' symbols, these versions and older ones.
GIVEN = {"ld-linux-x86-64.so.2", "libc.so.6", "libdl.so.2", "libgcc_s.so.1", "libm.so.6", "libpthread.so.0",
         "libresolv.so.2", "librt.so.1", "libstdc++.so.6"}
NEWEST = {"GLIBC": (2, 35), "GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13), "GCC": (12, 0, 0)}
EARLIEST = 315532800  # 1980: zip archives know no earlier time

METADATA = """\
Metadata-Version: 2.1
Name: sumac
Version: {version}
Summary: Trains your own model on 1 to V workers, with the same bits for any number of them
License: Apache-2.0; of the libraries inside: see licenses in the .dist-info folder
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Scientific/Engineering :: Artificial Intelligence
Requires-Python: >=3.11
Description-Content-Type: text/markdown

{description}"""

WHEEL = f"""\
Wheel-Version: 1.0
Generator: sumac
Root-Is-Purelib: false
Tag: {TAG}
"""


def fail(message):
    sys.exit(f"pack_wheel.py: {message}")


def needs_of(path):
    """The libraries that a library needs, and the versions of symbols that it needs of each."""
    run = subprocess.run(["objdump", "-p", path], capture_output=True, text=True, check=True)
    needed = set(re.findall(r"^ +NEEDED +(\S+)$", run.stdout, re.MULTILINE))
    references = run.stdout.partition("Version References:")[2]
    return needed | set(re.findall(r"required from (\S+):", references)), references


def too_new(references):
    """Of the versions that a library needs, those that are newer than what NEWEST has."""
    found = set(re.findall(r" (GLIBC|GLIBCXX|CXXABI|GCC)_([0-9.]+)$", references, re.MULTILINE))
    return sorted(f"{family}_{version}" for family, version in found
                  if tuple(map(int, version.split("."))) > NEWEST[family])


def check_libraries(folder):
    own = {path.name for path in folder.glob("sumac.libs/*")}
    for path in sorted(folder.rglob("*.so*")):
        needed, references = needs_of(path)
        if missing := sorted(needed - own - GIVEN):
            fail(f"{path.name} needs {', '.join(missing)}, which is neither in the wheel nor in {PLATFORM}")
        if newer := too_new(references):
            fail(f"{path.name} needs {', '.join(newer)}, which is newer than {PLATFORM}; build on a Debian 12")


def check_version(folder, version):
    said = re.search(r'^__version__ = "(.*)"', (folder / "sumac/__init__.py").read_text(encoding="utf-8"), re.MULTILINE)
    if not said or said.group(1) != version:
        fail(f"python/sumac says version {said and said.group(1)}, CMakeLists.txt {version}; make them one")


def add_metadata(folder, version):
    info = folder / f"sumac-{version}.dist-info"
    description = (ROOT / "python/README.md").read_text(encoding="utf-8")
    (info / "METADATA").write_text(METADATA.format(version=version, description=description), encoding="utf-8")
    (info / "WHEEL").write_text(WHEEL, encoding="utf-8")
    record = info / "RECORD"
    lines = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path != record):
        digest = base64.urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest()).rstrip(b"=").decode()
        lines.append(f"{path.relative_to(folder)},sha256={digest},{path.stat().st_size}\n")
    record.write_text("".join(lines) + f"{record.relative_to(folder)},,\n", encoding="utf-8")


def pack(folder, file):
    when = time.gmtime(max(EARLIEST, int(os.environ.get("SOURCE_DATE_EPOCH", 0))))[:6]
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        # Metadata are last, as the format recommends.
        for path in sorted((path for path in folder.rglob("*") if path.is_file()),
                           key=lambda path: (".dist-info" in str(path), str(path))):
            entry = zipfile.ZipInfo(str(path.relative_to(folder)), when)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if path.stat().st_mode & 0o100 else 0o100644) << 16
            archive.writestr(entry, path.read_bytes())


def main():
    folder, version, output = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    check_version(folder, version)
    check_libraries(folder)
    add_metadata(folder, version)
    file = output / f"sumac-{version}-{TAG}.whl"
    new = file.with_suffix(f".new.{os.getpid()}")
    pack(folder, new)
    new.replace(file)
    print(file)


if __name__ == "__main__":
    main()
