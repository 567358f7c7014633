"""Jobs whose storage fails: each run ends with exit code 74 and names the file, and once the storage works again
the job ends with the bits of one that was never disturbed.

Usage: storage_test.py PROGRAMS_FOLDER LIBRARY [TEST...]

LIBRARY makes calls of workers fail (fail_storage.c).
"""

import errno
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "run"), str(HERE.parent / "pod")]

import jobs  # noqa: E402
import members_test  # noqa: E402
import pods  # noqa: E402

LIBRARY = pathlib.Path()
FAILED = 74
END_OF_FILE = 0  # in place of an error's number
ALONE = ("--workers", 1, *jobs.DECENTRALIZED)
HALF = ("--set", "training.steps=10", "--set", "checkpoint.everySteps=5")
WHOLE = ("--set", "training.steps=20", "--set", "checkpoint.everySteps=5")


def packed_data(file):
    return ("--set", f"data={{format: packed, path: {file}}}")


class StorageTest(jobs.JobTest):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory(prefix="sumac-storage-")
        folder = pathlib.Path(cls.holder.name)
        cls.half = folder / "half"
        jobs.run(cls.half, *HALF, *ALONE)
        cls.bits = jobs.run(folder / "whole", *WHOLE, *ALONE)["parametersSha256"]

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def setUp(self):
        super().setUp()
        self.run_folder = self.folder / "run"
        self.control = self.folder / "control"
        shutil.copytree(self.half, self.run_folder)

    def let_fail(self, operation, number, text, count=1):
        self.control.write_text(f"{operation} {number} {count} {text}\n")

    def works_again(self):
        self.control.write_text("")

    def failed(self):
        """The calls that failed."""
        log = pathlib.Path(f"{self.control}.log")
        return log.read_text().splitlines() if log.exists() else []

    def start(self, folder, *arguments, restarts=0):
        variables = {"LD_PRELOAD": str(LIBRARY), "SUMAC_TEST_STORAGE": str(self.control)}
        os.environ.update(variables)
        try:
            return jobs.sumac(folder, *arguments, "--restarts", restarts)
        finally:
            for name in variables:
                del os.environ[name]

    def resume(self, allowed=(0,), more=ALONE):
        return jobs.finish(self.start(self.run_folder, *WHOLE, *more), allowed=allowed)

    def ends_with_the_same_bits(self, more=ALONE):
        self.resume(more=more)
        self.assertIn(self.bits, (self.run_folder / "result.json").read_text())

    def fails_once(self, operation, number, text, names, more=ALONE):
        """A resumed run fails; the next one ends as if nothing had been."""
        self.let_fail(operation, number, text)
        output = self.resume(allowed=(FAILED,), more=more)
        self.assertEqual(len(self.failed()), 1, output)
        self.assertIn(names, output)
        self.assertIn(os.strerror(number), output)
        self.assertIn("--resume", output)
        self.ends_with_the_same_bits(more)

    def test_a_data_file_cannot_be_read(self):
        self.fails_once("read", errno.EIO, "train-images", "train-images-idx3-ubyte")

    def test_a_member_that_cannot_read_its_data_at_first_is_started_again_which_the_summary_counts(self):
        self.let_fail("read", errno.EIO, "train-images")
        output = jobs.finish(self.start(self.run_folder, *WHOLE, *ALONE, restarts=3))
        self.assertEqual(len(self.failed()), 1, output)
        self.assertRegex(output, "(?m)^members +started again 1 time$")
        self.assertIn(self.bits, (self.run_folder / "result.json").read_text())

    def test_arrays_and_archives_cannot_be_opened(self):
        for name in ("x_train.npy", "data.npz"):
            data = self.folder / name.partition(".")[2]
            data.mkdir()
            (data / name).write_text("never read")
            self.let_fail("open", errno.ESTALE, name)
            folder = self.folder / f"run-{data.name}"
            process = self.start(folder, "--set", f"data={{format: npy, path: {data}}}", *ALONE)
            said = jobs.finish(process, allowed=(FAILED,))
            self.assertRegex(said, rf"cannot (open|read) {data / name}: .*{os.strerror(errno.ESTALE)}")

    def train_packed(self, restarts=0):
        """Starts a run on a packed file, and returns both when it has a checkpoint."""
        packed = self.folder / "images.sumac"
        images = jobs.ROOT / "examples" / "data" / "fashion-mnist-mini"
        subprocess.run([jobs.PROGRAMS / "sumac", "data", "pack", "--format", "idx", images, packed], check=True,
                       capture_output=True)
        process = self.start(self.folder / "packed", *packed_data(packed), "--set", "checkpoint.everySteps=5",
                             "--workers", 2, *jobs.ENDLESS, restarts=restarts)
        jobs.until(lambda: jobs.has_checkpoint(self.folder / "packed"), "a checkpoint")
        return process, packed

    def test_a_sample_cannot_be_read_in_mid_training(self):
        process, packed = self.train_packed()
        self.let_fail("read", errno.EIO, packed.name)
        said = f"cannot read {packed}: {os.strerror(errno.EIO)}"
        output = jobs.finish(process, allowed=(FAILED,))
        self.assertIn(said, output)
        self.assertIn("to resume from the checkpoint of step ", output)
        self.assertRegex((self.folder / "packed" / "server-0.log").read_text(), rf"worker \d failed: {said}")

    def test_a_packed_file_is_cut_in_mid_training(self):
        process, packed = self.train_packed()
        os.truncate(packed, 10_000)
        output = jobs.finish(process, allowed=(78,))
        self.assertIn("it was cut while it was read", output)
        self.assertRegex(output, r"to resume from the checkpoint of step \d+ once the cause is fixed:")

    def test_members_that_end_with_74_or_in_mid_training_with_78_are_started_again(self):
        for number, code in ((errno.EIO, 74), (END_OF_FILE, 78)):
            process, packed = self.train_packed(restarts=3)
            self.let_fail("read", number, packed.name)
            said = rf"worker \d ended with exit code {code} \(.*{packed.name}.*; starting it again \(1 of 3"
            output = jobs.read_until(process, said)
            output += self.ends_as_one_worker(process, self.folder / "packed", *packed_data(packed))
            self.assertNotIn("exit code 75", output, "the others train on")
            shutil.rmtree(self.folder / "packed")
            packed.unlink()

    def test_the_folder_of_the_data_is_stale(self):
        self.fails_once("stat", errno.ESTALE, "fashion-mnist-mini", "fashion-mnist-mini")

    def test_checkpoints_cannot_be_listed(self):
        self.fails_once("list", errno.ESTALE, "checkpoints", "checkpoints")

    def test_the_newest_checkpoint_cannot_be_read(self):
        self.fails_once("read", errno.EIO, "step-10-", "step-10-")

    def test_a_checkpoint_cannot_be_written_for_lack_of_space(self):
        self.fails_once("write", errno.ENOSPC, "step-15-", "step-15-", more=("--workers", 2))

    def test_a_checkpoint_cannot_be_made_durable(self):
        self.fails_once("fsync", errno.EIO, "step-15-", "step-15-")

    def goes_on(self, operation, number, text, warning):
        """A resumed run warns and ends as if nothing had been."""
        self.let_fail(operation, number, text)
        self.ends_with_the_same_bits()
        self.assertEqual(len(self.failed()), 1)
        log = (self.run_folder / "worker-0.log").read_text()
        self.assertIn(warning, log)
        self.assertIn(os.strerror(number), log)

    def test_the_metrics_cannot_be_opened_for_lack_of_space(self):
        self.goes_on("create", errno.ENOSPC, "metrics.jsonl", "line of progress not written")
        lines = [json.loads(line) for line in (self.run_folder / "metrics.jsonl").read_text().splitlines()]
        steps = [line["step"] for line in lines if line["event"] == "progress"]
        self.assertEqual(steps, [*range(1, 21)], "the next line has opened the file")

    def test_a_checkpoint_is_skipped_where_it_is_forbidden(self):
        self.goes_on("create", errno.EACCES, "step-15-", "checkpoint not kept")

    def test_a_checkpoint_is_skipped_where_its_folder_is_gone(self):
        self.goes_on("create", errno.ENOENT, "manifest.json", "checkpoint not kept")
        self.assertEqual(jobs.newest_checkpoint(self.run_folder), 20, "the next one made the folder again")

    def test_the_model_cannot_be_written_for_lack_of_space(self):
        self.fails_once("write", errno.ENOSPC, "model.safetensors.tmp", "model.safetensors")

    def test_the_result_cannot_be_written(self):
        self.fails_once("rename", errno.EIO, "result.json", "result.json")

    def test_a_line_of_the_metrics_is_lost_without_an_end(self):
        self.goes_on("write", errno.ENOSPC, "metrics.jsonl", "line of progress not written")

    def test_storage_that_stays_stale_for_a_while(self):
        self.let_fail("open", errno.ESTALE, "checkpoints", count=-1)
        for _ in range(2):
            self.assertIn(os.strerror(errno.ESTALE), self.resume(allowed=(FAILED,)))
        self.assertEqual(jobs.newest_checkpoint(self.run_folder), 10, "nothing was given up")
        self.works_again()
        self.ends_with_the_same_bits()

    def test_memory_that_cannot_be_had_ends_with_the_amount(self):
        folder = self.folder / "large"
        limits = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, limits[1]))
        try:
            data = "{format: generated, generated: {trainSamples: 50000, testSamples: 8, shape: [1, 28, 28], classes: 10}}"
            large = ("training.batchSize=50000", "training.logicalWorkers=1", "training.steps=1", f"data={data}")
            changes = [word for change in large for word in ("--set", change)]
            output = jobs.finish(jobs.sumac(folder, *changes, *ALONE), allowed=(FAILED,))
        finally:
            resource.setrlimit(resource.RLIMIT_AS, limits)
        self.assertRegex(output, r"not enough memory: this worker needs about [0-9.]+ GiB")


class MembersTest(members_test.MemberTest):
    """Where members change, the state is in the memory of others, too."""

    steps = 60

    def test_go_on_without_a_checkpoint_that_cannot_be_written(self):
        for operation, number, text in (("write", errno.ENOSPC, "step-20-"), ("fsync", errno.EIO, "step-20-"),
                                        ("rename", errno.EIO, "writer")):
            with self.subTest(operation=operation):
                job = self.make(servers=2)
                document = json.loads(job.document.read_text())
                document["spec"]["checkpoint"]["everySteps"] = 20
                job.document.write_text(json.dumps(document))
                control = job.folder / "control"
                control.write_text(f"{operation} {number} 1 {text}\n")
                for pod in job.pods:
                    self.start(pod, LD_PRELOAD=LIBRARY, SUMAC_TEST_STORAGE=control)
                for pod in job.pods:
                    code, word = pod.end()
                    self.assertEqual(code, 0, f"{pod.name}: {word}")
                failed = pathlib.Path(f"{control}.log").read_text().splitlines()
                self.assertEqual(len(failed), 1, failed)
                self.assertEqual(job.weights(), self.reference())
                steps = {int(path.name.split("-")[1]) for path in (job.folder / "checkpoints").glob("step-*")}
                is_lost = operation != "rename"
                self.assertEqual(steps, {40, 60} if is_lost else {20, 40, 60})
                self.assertEqual("checkpoint not kept" in job.workers[0].log.read_text(), is_lost)


if __name__ == "__main__":
    LIBRARY = pathlib.Path(sys.argv.pop(2)).resolve()
    pods.PROGRAMS = pathlib.Path(sys.argv[1])
    jobs.main()
