"""The product's promise: the same bits for any number of workers, servers and threads.

Usage: bits_test.py PROGRAMS_FOLDER [TEST...]
"""

import jobs
from jobs import LAYERS, LENET5, TEXT, digest, run


class BitsTest(jobs.JobTest):
    def same_bits(self, job, shapes, *arguments):
        """Trains with each of (workers, servers, threads)."""
        bits = {}
        for workers, servers, threads in shapes:
            folder = self.folder / f"{workers}-{servers}-{threads}"
            result = run(
                folder, *arguments, "--set", f"training.threads={threads}",
                "--workers", workers, "--servers", servers, job=job,
            )
            self.assertEqual((result["workers"], result["servers"]), (workers, servers))
            scores = [result.get(name) for name in
                      ("loss", "testAccuracy", "validPerplexity", "testPerplexity")]
            bits[workers, servers, threads] = (result["parametersSha256"], scores, digest(folder))
        self.assertEqual(len(set(map(str, bits.values()))), 1, bits)

    def test_of_images_do_not_depend_on_workers_and_servers_with_4_parts(self):
        shapes = [(workers, servers, 1) for workers in (1, 2, 3, 4) for servers in (1, 2, 3)]
        self.same_bits(LENET5, shapes, "--set", "training.logicalWorkers=4")

    def test_of_images_do_not_depend_on_workers_and_servers_with_8_parts(self):
        shapes = [(workers, servers, 1) for workers in (1, 2, 3, 4) for servers in (1, 2, 3)]
        self.same_bits(LENET5, shapes, "--set", "training.logicalWorkers=8")

    def test_of_images_do_not_depend_on_threads(self):
        shapes = [(1, 1, 1), (1, 1, 2), (2, 2, 2), (1, 1, "auto")]
        self.same_bits(LENET5, shapes, "--set", "training.batchSize=128")
        log = (self.folder / "1-1-auto" / "worker-0.log").read_text()
        self.assertRegex(log, "compute threads.*auto=true")

    def test_of_text_do_not_depend_on_workers_servers_and_threads(self):
        shapes = [(1, 1, 1), (2, 3, 1), (3, 2, 1), (4, 1, 1), (1, 2, 2), (2, 1, 2)]
        self.same_bits(TEXT, shapes, "--set", "training.steps=30")  # an epoch has 24

    def test_of_own_layers_do_not_depend_on_workers_servers_and_threads(self):
        self.same_bits(LAYERS, [(1, 1, 1), (2, 3, 1), (3, 2, 1), (4, 1, 1), (1, 2, 2), (2, 1, 2)])


if __name__ == "__main__":
    jobs.main()
