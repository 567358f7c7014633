"""What the tests of images share: where things are, what they need, and programs in an image's root."""

import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
IMAGES = ("operator", "worker", "server", "sumac")
DEADLINE_SECONDS = 100  # ends only a test that has failed already, on however busy a machine
SKIPPED = 77  # as ctest knows it
USER = 65532


def main(*needed):
    """Runs the tests of the calling file with the folder of programs; `needed`: root, base, programs."""
    programs = pathlib.Path(sys.argv.pop(1)).resolve()
    missing = [name for name in needed if name not in ("root", "base") and not shutil.which(name)]
    if "root" in needed and os.geteuid() != 0:
        missing.append("root's rights")
    if "base" in needed and not missing:
        made = subprocess.run([ROOT / "docker/base.sh"], capture_output=True, text=True)
        if made.returncode != 0:
            missing.append(f"a base ({made.stderr.strip()})")
    if missing:
        print(f"skipped: tests of images need {' and '.join(missing)}; make setup installs programs")
        sys.exit(1 if os.environ.get("CI") == "true" else SKIPPED)
    sys.modules["__main__"].PROGRAMS = programs
    unittest.main()


def run(*command, **options):
    """Its output; a failure shows what it said."""
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command[0]} failed with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return text.split("project(sumac VERSION ")[1].split()[0]


# The root: what the base and the image's two layers have, for reading only, and an empty /tmp.
IN_ROOT = """
mount -t overlay overlay -o "lowerdir=$2" "$1" && mount -t proc proc "$1/proc" &&
mount --bind /dev "$1/dev" && mount -t tmpfs -o mode=1777 tmpfs "$1/tmp" && cd "$1" || exit 99
root=$1; shift 2
exec {chroot} --userspec=65532:65532 --groups=65532 "$root" "$@"
"""


class Files:
    """Each image as the layers of its root file system: as docker/files.sh lays them out, on the base
    of docker/base.sh."""

    def __init__(self, programs):
        self.holder = tempfile.TemporaryDirectory(prefix="sumac-images-")
        self.folder = pathlib.Path(self.holder.name)
        self.folder.chmod(0o755)
        run(ROOT / "docker/files.sh", programs, self.folder / "files")
        with tarfile.open(run(ROOT / "docker/base.sh").strip()) as base:
            base.extractall(self.folder / "base")
        self.root = self.folder / "root"
        self.root.mkdir()
        self.settings = self.folder / "settings"
        (self.settings / "etc/sumac").mkdir(parents=True)

    def layers(self, image):
        return [self.folder / "files" / image / "product", self.folder / "files" / image / "libraries"]

    def find(self, image, path):
        """The file at an absolute path of the image, or None."""
        for layer in [*self.layers(image), self.folder / "base"]:
            if (found := layer / path.lstrip("/")).exists():
                return found
        return None

    def start(self, image, *command, **environment):
        """A program as the first process of a container: numbered 1, user 65532, root file system for
        reading only, with /tmp."""
        lower = ":".join(map(str, [self.settings, *self.layers(image), self.folder / "base"]))
        return subprocess.Popen(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c",
             IN_ROOT.format(chroot=shutil.which("chroot")), "sh", self.root, lower, *command],
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", **environment},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def run(self, image, *command, **environment):
        """(exit status, output)."""
        process = self.start(image, *command, **environment)
        output, _ = process.communicate(timeout=DEADLINE_SECONDS)
        return process.returncode, output

    def close(self):
        self.holder.cleanup()
