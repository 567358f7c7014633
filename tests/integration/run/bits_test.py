"""The product's promise: the same bits for any number of workers, servers and threads, and wherever
the sums are made.

Usage: bits_test.py PROGRAMS_FOLDER [TEST...]
"""

import jobs
from jobs import LAYERS, LENET5, TEXT, WIDE, digest, finish, parameters, run, sumac

DECENTRALIZED = ("strategy.topology=decentralized",)
DIRECT = ("strategy.exchange=allReduce", "strategy.algorithm=direct")
SCATTER_GATHER = ("strategy.exchange=allReduce", "strategy.algorithm=scatterGather")
HALVING = ("strategy.exchange=allReduce", "strategy.algorithm=halvingDoubling")
RING = ("strategy.exchange=allReduce", "strategy.algorithm=ring")
AUTO = ("strategy.exchange=allReduce",)
NOISE_SCALE = "training.noiseScale=true"

# (workers, servers or where the sums are made instead, threads): every number of workers, of servers and
# every place of the sums, and several of their pairs.
SHAPES = [
    (1, 1, 1), (2, 3, 1), (3, 2, 1), (4, 1, 1), (5, 3, 1), (1, 2, 2),
    (1, DECENTRALIZED, 1), (2, DECENTRALIZED, 1), (3, DECENTRALIZED, 1), (4, DECENTRALIZED, 1),
    (5, (*DECENTRALIZED, NOISE_SCALE), 1), (1, (*DIRECT, NOISE_SCALE), 1), (2, DIRECT, 1),
    (3, (*DIRECT, NOISE_SCALE), 2), (5, DIRECT, 1),
    (3, SCATTER_GATHER, 1), (4, AUTO, 1), (4, HALVING, 1),
]


class BitsTest(jobs.JobTest):
    def records_its_choice(self, result, sums, folder):
        """An all-reduce says how it went, and where that was chosen, by what."""
        chosen = result.get("auto")
        self.assertEqual(chosen is not None, sums == AUTO)
        if chosen is None:
            return
        predicted = chosen["predictedSeconds"]
        self.assertIn(result["algorithm"], predicted)
        self.assertTrue(all(seconds > 0 for seconds in [*predicted.values(), *chosen["costs"].values()]), chosen)
        self.assertFalse(chosen["fromCheckpoint"])
        self.assertIn(chosen["linksMeasured"], range(result["workers"]))  # fewer on a busy machine
        log = (folder / "worker-0.log").read_text()
        self.assertRegex(log, f"algorithm.*auto=.*{result['algorithm']}, predicted")

    def same_bits(self, job, shapes, *arguments):
        """Trains with each of (workers, servers or strategy, threads)."""
        bits = {}
        for number, (workers, sums, threads) in enumerate(shapes):
            folder = self.folder / str(number)
            where = ("--servers", sums) if isinstance(sums, int) else tuple(
                word for setting in sums for word in ("--set", setting))
            result = run(
                folder, *arguments, "--set", f"training.threads={threads}", "--workers", workers, *where,
                job=job,
            )
            self.records_its_choice(result, sums, folder)
            servers = sums if isinstance(sums, int) else 0
            self.assertEqual((result["workers"], result["servers"]), (workers, servers))
            if "noiseScale" in result:
                self.assertIn(NOISE_SCALE, where)
                self.assertGreater(result["noiseScale"], 0)
            scores = [result.get(name) for name in
                      ("loss", "testAccuracy", "validPerplexity", "testPerplexity")]
            bits[workers, sums, threads] = (result["parametersSha256"], scores, digest(folder))
        self.assertEqual(len(set(map(str, bits.values()))), 1, bits)

    def test_of_images_do_not_depend_on_where_and_by_whom_they_are_summed_with_5_parts(self):
        self.same_bits(LENET5, SHAPES, "--set", "training.logicalWorkers=5", "--set", "training.steps=20")

    def test_of_images_are_the_same_with_8_parts(self):
        self.same_bits(LENET5, SHAPES[::2], "--set", "training.logicalWorkers=8", "--set", "training.steps=20")

    def test_of_images_do_not_depend_on_threads(self):
        shapes = [(1, 1, 1), (1, 1, 2), (2, 2, 2), (1, 1, "auto")]
        self.same_bits(LENET5, shapes, "--set", "training.batchSize=128")
        log = (self.folder / "3" / "worker-0.log").read_text()
        self.assertRegex(log, "compute threads.*auto=true")

    def test_of_text_do_not_depend_on_where_and_by_whom_they_are_summed(self):
        # An epoch has 24 steps.
        self.same_bits(TEXT, SHAPES, "--set", "training.steps=26", "--set", "training.logicalWorkers=5")

    def test_of_text_are_the_same_with_8_parts(self):
        shapes = [(2, 1, 1), (3, DECENTRALIZED, 1), (5, DIRECT, 1), (5, DECENTRALIZED, 1), (8, HALVING, 1)]
        self.same_bits(TEXT, shapes, "--set", "training.steps=10", "--set", "training.logicalWorkers=8")

    def test_of_own_layers_do_not_depend_on_where_and_by_whom_they_are_summed(self):
        self.same_bits(LAYERS, SHAPES, "--set", "training.steps=30", "--set", "training.logicalWorkers=5")

    def test_of_a_network_whose_exchange_overlaps_are_those_of_one_that_waits_for_all_sums(self):
        shapes = [(1, 1, 1), (2, 1, 1), (3, DECENTRALIZED, 1), (3, DIRECT, 2), (4, HALVING, 1), (5, 3, 1)]
        self.same_bits(WIDE, shapes)
        overlapping = digest(self.folder / "0")
        # A limit that clips nothing: the whole sum is waited for.
        run(self.folder / "waits", "--set", "training.clip.globalNorm=1000000", job=WIDE)
        self.assertEqual(digest(self.folder / "waits"), overlapping)

    def test_with_a_lossy_codec_are_those_of_all_workers_and_the_same_wherever_they_are_summed(self):
        # The job itself compares the weights of all workers before it ends.
        for codec in ("bf16", "fp16"):
            digests = {}
            for name, sums in {"servers": (), "workers": DECENTRALIZED, "direct": DIRECT, "halving": HALVING,
                               "ring": RING, "again": RING}.items():
                folder = self.folder / codec / name
                run(folder, "--set", "training.steps=10", "--set", f"strategy.codec={codec}", "--workers", 4,
                    *(word for setting in sums for word in ("--set", setting)))
                digests[name] = digest(folder)
            canonical = {digests[name] for name in ("servers", "workers", "direct")}
            self.assertEqual(len(canonical), 1, digests)
            self.assertEqual(digests["ring"], digests["again"])
            self.assertEqual(len(set(digests.values())), 3, digests)

    def test_with_a_codec_are_not_continued_by_another(self):
        folder = self.folder / "run"
        run(folder, "--set", "training.steps=5", "--set", "strategy.codec=bf16")
        output = finish(sumac(folder, "--set", "training.steps=10"), allowed=(78,))
        self.assertIn("cannot be resumed as this one: codec: this job has none, the run has bf16", output)
        run(folder, "--set", "training.steps=10", "--set", "strategy.codec=bf16")

    def ring(self, name, *arguments):
        words = [word for setting in RING for word in ("--set", setting)]
        folder = self.folder / name
        run(folder, "--set", "training.steps=10", "--set", "training.logicalWorkers=5", *words, *arguments)
        return folder

    def test_of_a_ring_depend_on_the_number_of_workers_and_are_near_the_others(self):
        rings = {name: self.ring(name, "--workers", name[0]) for name in ("3", "5")}
        rings["3 again"] = self.ring("3 again", "--workers", 3, "--set", NOISE_SCALE)
        digests = {name: digest(folder) for name, folder in rings.items()}
        self.assertEqual(digests["3"], digests["3 again"])
        run(self.folder / "one", "--set", "training.steps=10", "--set", "training.logicalWorkers=5", "--workers", 1)
        canonical = parameters(self.folder / "one")
        for name in ("3", "5"):
            self.assertNotEqual(digests[name], digest(self.folder / "one"))
            far = max(abs(a - b) for a, b in zip(canonical, parameters(rings[name]), strict=True))
            self.assertLess(far, 1e-5, name)

    def test_of_a_ring_are_not_continued_by_another_strategy(self):
        folder = self.ring("ring", "--workers", 2)
        direct = [word for setting in DIRECT for word in ("--set", setting)]
        more = ("--set", "training.steps=20", "--set", "training.logicalWorkers=5", "--workers", 2)
        output = finish(sumac(folder, *more, *direct), allowed=(78,))
        self.assertIn("cannot be resumed as this one: sum: this job has none, the run has ring", output)


if __name__ == "__main__":
    jobs.main()
