"""The images that docker/images.sh builds with buildah.

Usage: build_test.py PROGRAMS_FOLDER [TEST...]
"""

import json
import os
import pathlib
import subprocess
import tarfile
import tempfile
import unittest

import lab
from registry import Registry

PROGRAMS = pathlib.Path()


class BuildTest(unittest.TestCase):
    """The operator's image, built once into an archive and once more for a registry."""

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="sumac-images-")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        cls.said = cls.build("--base", "local", "--registry", "registry.test/sumac", "--output", cls.folder)
        with tarfile.open(cls.folder / "sumac-operator.tar") as archive:
            (cls.manifest,) = json.load(archive.extractfile("manifest.json"))
            cls.image = json.load(archive.extractfile(cls.manifest["Config"]))
        cls.config = cls.image["config"]

    @classmethod
    def build(cls, *options, **variables):
        return lab.run(lab.ROOT / "docker/images.sh", "--tool", "buildah", "--programs", PROGRAMS, *options,
                       "operator", env={**os.environ, **variables})

    def push(self, registry, *options):
        """The digest of the image that the registry then has."""
        settings = self.folder / "registries.conf"
        settings.write_text(f'[[registry]]\nlocation = "{registry.address}"\ninsecure = true\n')
        self.build("--push", "--registry", f"{registry.address}/sumac", *options,
                   CONTAINERS_REGISTRIES_CONF=str(settings))
        return registry.digests[f"sumac/sumac-operator:{lab.version()}"]

    def test_it_is_named_by_registry_and_the_one_version(self):
        name = f"registry.test/sumac/sumac-operator:{lab.version()}"
        self.assertEqual(self.said, name + "\n")
        self.assertEqual(self.manifest["RepoTags"], [name])

    def test_its_program_starts_directly_and_as_a_user_without_rights(self):
        self.assertEqual(self.config["Entrypoint"], ["/usr/local/bin/sumac-operator"])
        self.assertFalse(self.config.get("Cmd"))
        self.assertEqual(self.config.get("User"), f"{lab.USER}:{lab.USER}")
        self.assertIn("PATH=/usr/local/bin:/usr/bin:/bin", self.config["Env"])

    def test_labels_say_what_it_is_and_where_it_is_from(self):
        labels = self.config["Labels"]
        label = {name.removeprefix("org.opencontainers.image."): value for name, value in labels.items()}
        self.assertEqual(label["version"], lab.version())
        self.assertEqual(label["licenses"], "Apache-2.0")
        self.assertEqual(label["title"], "sumac-operator")
        self.assertTrue(label["description"])
        self.assertTrue(label["source"])
        revision = subprocess.run(["git", "rev-parse", "HEAD"], cwd=lab.ROOT, capture_output=True, text=True)
        if revision.returncode == 0:
            self.assertEqual(label["revision"].removesuffix("-dirty"), revision.stdout.strip())

    def test_the_same_programs_give_the_same_image_also_in_a_registry_and_on_a_base_from_there(self):
        with Registry() as registry:
            digest = self.push(registry, "--base", "local")
            manifest = json.loads(registry.contents[digest])
            image = json.loads(registry.contents[manifest["config"]["digest"]])
            self.assertEqual(image, self.image)
            self.assertEqual(len(manifest["layers"]), 3)
            self.assertEqual(self.push(registry, "--base", "local"), digest)

            on_itself = self.push(registry, "--base", f"{registry.address}/sumac/sumac-operator@{digest}")
            layers = json.loads(registry.contents[on_itself])["layers"]
            self.assertEqual(layers[:3], manifest["layers"])
            self.assertEqual(len(layers), 5)


if __name__ == "__main__":
    lab.main("root", "buildah", "base")
