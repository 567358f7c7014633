"""docker/images.sh and make images-push: which tool they choose, and what they refuse.

Usage: commands_test.py PROGRAMS_FOLDER [TEST...]
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import lab

PROGRAMS = pathlib.Path()
# Notes what it is asked; `docker save -o FILE` makes the file.
DOCKER = """#!/bin/bash
echo "$*" >> "$(dirname "$0")/asked"
[[ $1 != "$FAILS" ]] || { echo "no $1 today" >&2; exit 1; }
if [[ $1 == save ]]; then : > "$3"; fi
"""


class CommandsTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="sumac-images-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        (self.folder / "bin").mkdir()
        self.put("docker", DOCKER)
        self.output = self.folder / "output"

    def put(self, name, text):
        file = self.folder / "bin" / name
        file.write_text(text)
        file.chmod(0o755)

    def images(self, *arguments, path=None, **environment):
        path = path or f"{self.folder / 'bin'}:{os.environ['PATH']}"
        return subprocess.run(
            [lab.ROOT / "docker/images.sh", "--programs", PROGRAMS, "--output", self.output, *arguments],
            env={**os.environ, "PATH": path, **environment}, capture_output=True, text=True)

    def refuses(self, status, words, *arguments, **options):
        done = self.images(*arguments, **options)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(words, done.stderr)
        self.assertFalse(self.output.exists())

    def asked(self):
        return (self.folder / "bin/asked").read_text().splitlines()

    def test_each_image_starts_its_own_program_as_a_user_without_rights(self):
        stages = re.split(r"(?m)^FROM ", (lab.ROOT / "docker/Dockerfile").read_text())[1:]
        stage = {text.split()[2]: text for text in stages}
        self.assertIn(f"\nUSER {lab.USER}:{lab.USER}\n", stage["runtime"])
        for label in ("licenses", "version", "revision", "source"):
            self.assertIn(f"org.opencontainers.image.{label}=", stage["runtime"])
        for image in lab.IMAGES:
            name = "sumac" if image == "sumac" else f"sumac-{image}"
            with self.subTest(image):
                self.assertTrue(stage[image].startswith("runtime AS "), stage[image])
                self.assertNotIn("\nUSER ", stage[image])
                self.assertIn(f'org.opencontainers.image.title="{name}"', stage[image])
                self.assertIn(f'\nENTRYPOINT ["/usr/local/bin/{name}"]', stage[image])

    def test_docker_builds_where_its_daemon_answers(self):
        done = self.images("--registry", "registry.test", "worker")
        self.assertEqual(done.returncode, 0, done.stderr)
        name = f"registry.test/sumac-worker:{lab.version()}"
        self.assertEqual(done.stdout, name + "\n")
        version, buildx, pull, build, save = self.asked()
        self.assertEqual([version, buildx], ["version", "buildx version"])
        self.assertRegex(pull, "^pull .*@sha256:[0-9a-f]{64}$")
        self.assertRegex(build, f"^build .* -t {name} --target worker --build-context files=")
        self.assertIn(f"--build-arg BASE={pull.split()[-1]} ", build)
        self.assertTrue(save.endswith(name))
        self.assertTrue((self.output / "sumac-worker.tar").exists())

    def test_push_pushes_each_image_and_writes_no_archive(self):
        done = self.images("--push", "--registry", "registry.test", "server", "sumac")
        self.assertEqual(done.returncode, 0, done.stderr)
        pushed = [line.split()[-1] for line in self.asked() if line.startswith("push")]
        self.assertEqual(pushed, [f"registry.test/sumac-server:{lab.version()}",
                                  f"registry.test/sumac:{lab.version()}"])
        self.assertFalse(self.output.exists())

    def test_a_failing_tool_is_one_line_with_what_it_said(self):
        self.refuses(1, "cannot push registry.test/sumac-worker", "--push", "--registry", "registry.test",
                     "worker", FAILS="push")
        self.refuses(1, "docker cannot build registry.test/sumac-worker", "--registry", "registry.test",
                     "worker", FAILS="build")
        self.refuses(1, "cannot pull gcr.io/distroless", "--base", "registry", FAILS="pull")

    def test_without_docker_and_buildah_it_says_what_to_install(self):
        tools = ["bash", "dirname", "sed", "git", "cat", "realpath", "env"]
        for tool in tools:
            os.symlink(shutil.which(tool), self.folder / "bin" / tool)
        for failing in ("version", "buildx"):
            self.refuses(1, "no docker with buildx whose daemon answers, and no buildah",
                         path=str(self.folder / "bin"), FAILS=failing)

    def test_bad_arguments_are_refused(self):
        self.refuses(2, "unknown argument 'workers'", "workers")
        self.refuses(2, "--registry needs a value", "--registry", "")
        self.refuses(2, "cannot start an image's name", "--registry", "https://registry.test")
        self.refuses(2, "no base 'none'", "--base", "none")
        self.refuses(2, "no tool 'podman'", "--tool", "podman")

    def test_programs_of_another_version_are_refused(self):
        self.refuses(1, "there is no", "--programs", self.folder)
        self.put("sumac", "#!/bin/sh\necho sumac 0.0.9\n")
        self.refuses(1, "has sumac 0.0.9, the checkout is version", "--programs", self.folder / "bin")

    def test_make_images_push_wants_a_registry(self):
        done = subprocess.run(["make", "images-push"], cwd=lab.ROOT, capture_output=True, text=True,
                              env={key: value for key, value in os.environ.items() if key != "REGISTRY"})
        self.assertEqual(done.returncode, 2)
        self.assertIn("which registry? Set REGISTRY=", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_bases_are_pinned(self):
        pinned = self.pinned(lab.ROOT / "docker")
        self.assertEqual(set(pinned), {"BASE", "BUILDER"})
        for image in pinned.values():
            self.assertRegex(image, "^[a-z0-9./-]+:[a-z0-9-]+@sha256:[0-9a-f]{64}$")

    def pinned(self, folder):
        return dict(re.findall("^ARG (BASE|BUILDER)=(.*)$", (folder / "Dockerfile").read_text(), re.MULTILINE))

    def test_pinning_writes_what_the_registry_says(self):
        shutil.copytree(lab.ROOT / "docker", self.folder / "copy")
        self.put("crane", f"#!/bin/sh\necho sha256:{64 * 'a'}\n")
        environment = {**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}

        def pin(*arguments):
            return subprocess.run([self.folder / "copy/pin.sh", *arguments], env=environment,
                                  capture_output=True, text=True)

        checked = pin("--check")
        self.assertEqual(checked.returncode, 1)
        self.assertIn("out of date", checked.stderr)
        self.assertEqual(self.pinned(self.folder / "copy"), self.pinned(lab.ROOT / "docker"))
        self.assertEqual(pin().returncode, 0)
        for name, image in self.pinned(self.folder / "copy").items():
            tag = self.pinned(lab.ROOT / "docker")[name].split("@")[0]
            self.assertEqual(image, f"{tag}@sha256:{64 * 'a'}")
        self.assertEqual(pin("--check").returncode, 0)
        self.put("crane", "#!/bin/sh\nexit 1\n")
        self.assertIn("cannot ask the registry for", pin().stderr)


if __name__ == "__main__":
    lab.main()
