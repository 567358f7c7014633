"""The images that docker/images.sh builds with buildah.

Usage: build_test.py PROGRAMS_FOLDER [TEST...]
"""

import gzip
import hashlib
import json
import pathlib
import subprocess
import tarfile
import tempfile
import unittest

import lab

PROGRAMS = pathlib.Path()
MEGABYTE = 1000 * 1000


class Archive:
    """An image as docker/images.sh wrote it."""

    def __init__(self, file):
        self.file = file
        with tarfile.open(file) as archive:
            (self.manifest,) = json.load(archive.extractfile("manifest.json"))
            self.image = json.load(archive.extractfile(self.manifest["Config"]))
        self.config = self.image["config"]

    def compressed_beyond_base(self):
        with tarfile.open(self.file) as archive:
            return sum(len(gzip.compress(archive.extractfile(layer).read(), 6))
                       for layer in self.manifest["Layers"][1:])

    def digest(self):
        return hashlib.sha256(self.file.read_bytes()).hexdigest()


class BuildTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="sumac-images-")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        cls.said = cls.build("first", "operator", "worker")

    @classmethod
    def build(cls, folder, *images):
        return lab.run(lab.ROOT / "docker/images.sh", "--tool", "buildah", "--base", "local", "--registry",
                       "registry.test/sumac", "--programs", PROGRAMS, "--output", cls.folder / folder, *images)

    def archive(self, image, folder="first"):
        return Archive(self.folder / folder / f"sumac-{image}.tar")

    def test_images_are_named_by_registry_and_the_one_version(self):
        names = [f"registry.test/sumac/sumac-{image}:{lab.version()}" for image in ("operator", "worker")]
        self.assertEqual(self.said.splitlines(), names)
        for image, name in zip(("operator", "worker"), names):
            self.assertEqual(self.archive(image).manifest["RepoTags"], [name])

    def test_programs_start_directly_and_as_a_user_without_rights(self):
        for image in ("operator", "worker"):
            config = self.archive(image).config
            self.assertEqual(config["Entrypoint"], [f"/usr/local/bin/sumac-{image}"])
            self.assertFalse(config.get("Cmd"))
            self.assertEqual(config["User"], "65532:65532")
            self.assertIn("PATH=/usr/local/bin:/usr/bin:/bin", config["Env"])

    def test_labels_say_what_it_is_and_where_it_is_from(self):
        labels = self.archive("worker").config["Labels"]
        label = {name.removeprefix("org.opencontainers.image."): value for name, value in labels.items()}
        self.assertEqual(label["version"], lab.version())
        self.assertEqual(label["licenses"], "Apache-2.0")
        self.assertEqual(label["title"], "sumac-worker")
        self.assertTrue(label["description"])
        self.assertTrue(label["source"])
        revision = subprocess.run(["git", "rev-parse", "HEAD"], cwd=lab.ROOT, capture_output=True, text=True)
        if revision.returncode == 0:
            self.assertEqual(label["revision"].removesuffix("-dirty"), revision.stdout.strip())

    def test_operator_and_worker_are_small(self):
        for image in ("operator", "worker"):
            size = self.archive(image).compressed_beyond_base()
            self.assertLess(size, 40 * MEGABYTE)
            print(f"{image}: {size / MEGABYTE:.1f} MB compressed beyond the base")

    def test_the_same_programs_give_the_same_image(self):
        self.build("second", "operator")
        self.assertEqual(self.archive("operator", "second").image, self.archive("operator").image)
        self.assertEqual(self.archive("operator", "second").digest(), self.archive("operator").digest())

    def test_images_stand_on_one_base(self):
        one, other = self.archive("operator").manifest["Layers"], self.archive("worker").manifest["Layers"]
        self.assertEqual(len(one), 3)
        self.assertEqual(one[0], other[0])


if __name__ == "__main__":
    lab.main("root", "buildah", "base")
