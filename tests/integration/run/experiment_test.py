#!/usr/bin/env python3
"""Runs `sumac experiment`: the bundled experiments, made very small, and what can go wrong with one.

    experiment_test.py FOLDER_OF_PROGRAMS
"""

import csv
import fcntl
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

from experiments import DEADLINE_SECONDS, EXAMPLES, ROOT, ExperimentTest, batch, small


def servers(**fields: object) -> str:
    """One server or two, on loopback: an experiment of two cells."""
    return re.sub(r"  axes:.*\n(    .*\n)*", "  axes:\n    - field: server.replicas\n      values: [1, 2]\n",
                  small("ring-vs-server.yaml", **fields))


def jaeger(**fields: object) -> str:
    """The bundled study, of LeNet-5 with two workers at 100 Mbit/s alone."""
    text = small("jaeger-2018.yaml", **fields)
    for other in ("lstm", "lenet5, 1 "):
        text = re.sub(rf"        - name: {other}.*\n(          .*\n)*", "", text)
    return re.sub(r'        - \{name: "[148]".*\n', "", text)


def network_of(pid: int) -> int:
    return os.stat(f"/proc/{pid}/ns/net").st_ino


def networks() -> "set[int]":
    """The network namespaces that any process is in."""
    found = set()
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            found.add(network_of(int(entry.name)))
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            pass
    return found


def children(pid: int) -> "list[int]":
    try:
        return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


class Experiment(ExperimentTest):
    def test_bundled_experiments_are_valid(self) -> None:
        for file in sorted(EXAMPLES.glob("*.yaml")):
            out = subprocess.check_output([self.programs / "sumac", "validate", file], text=True)
            self.assertIn("is valid: Experiment " + file.stem, out)

    def test_a_ring_is_compared_with_a_server(self) -> None:
        out, _ = self.measure(small("ring-vs-server.yaml"))

        results = self.results()
        self.assertTrue(results["complete"])
        cells = results["cells"]
        self.assertEqual([(cell["values"]["exchange"], cell["workers"], cell["batchSize"]) for cell in cells],
                         [("server", 1, 64), ("server", 2, 128), ("ring", 1, 64), ("ring", 2, 128)])
        for cell in cells:
            batches = cell["batchesPerSecond"]["mean"]
            self.assertGreater(batches, 0)
            self.assertAlmostEqual(cell["samplesPerSecond"]["mean"] / (batches * cell["batchSize"]), 1, 3)
            self.assertAlmostEqual(cell["efficiency"] * cell["workers"] / cell["speedup"], 1, 3)
        self.assertEqual([cell["speedup"] for cell in cells if cell["workers"] == 1], [1, 1])
        with (self.output / "cells.csv").open(encoding="utf-8", newline="") as file:
            self.assertEqual([row["exchange"] for row in csv.DictReader(file)],
                             ["server", "server", "ring", "ring"])
        self.assertEqual(len(re.findall(r"^[1-4] ", out, re.MULTILINE)), 4, out)
        self.assertIn("One run a cell says nothing of the spread", out)
        self.assert_page("seed 1", f"--output-dir {self.output}-again", "Waiting for sums", "<svg", "lenet5", "sgd")
        self.assertIn("kind: Experiment", (self.output / "experiment.yaml").read_text(encoding="utf-8"))
        subprocess.check_call([self.programs / "sumac", "validate", self.output / "jobs" / "cell-4.yaml"],
                              stdout=subprocess.DEVNULL)
        # Where a busy machine makes one cell far slower, each value of the first axis has a picture of its own.
        self.assertEqual(sorted({re.sub(r"-[12]$", "", file.stem) for file in self.output.glob("*.svg")}),
                         ["efficiency", "phases", "speedup", "throughput", "worker-batches"])
        for cell in cells:
            self.assertGreater(cell["stepPhases"]["gradientSeconds"], 0)
            self.assertEqual(cell["stepBytes"]["sent"] > 0, cell["workers"] + cell["servers"] > 1)
        self.assertFalse((self.output / "running").exists())

    def assert_page(self, *parts: str) -> None:
        page = (self.output / "report.html").read_text(encoding="utf-8")
        self.assertTrue(page.startswith("<!doctype html>") and page.endswith("</html>\n"))
        for part in parts:
            self.assertIn(part, page)

    def test_a_job_grows_and_shrinks_and_has_the_parameters_of_a_fixed_size(self) -> None:
        document = small("scaling.yaml", steps=300)  # so many of 256 images last, if the script is carried out late
        for at, sooner in {"5s": "0.05s", "10s": "0.1s", "15s": "0.15s"}.items():
            document = document.replace(f"at: {at}", f"at: {sooner}")
        out, _ = self.measure(document)

        [cell] = self.results()["cells"]
        [run] = cell["scale"]["runs"]
        self.assertEqual([phase["workers"] for phase in run["phases"]], [1, 2, 4, 1])
        self.assertEqual([(change["from"], change["to"]) for change in run["changes"]],
                         [(1, 2), (2, 4), (4, 1)])
        self.assertEqual(run["restarts"], 0)
        for before, after, change in zip(run["phases"], run["phases"][1:], run["changes"]):
            self.assertEqual((before["lastStep"], after["firstStep"]), (change["step"], change["step"] + 1))
            self.assertAlmostEqual(after["beginSeconds"] - before["endSeconds"], change["costSeconds"], 3)
            self.assertGreater(change["costSeconds"], 0)
        self.assertEqual([(times["workers"], times["phases"]["gradientSeconds"] > 0) for times in run["times"]],
                         [(1, True), (2, True), (4, True), (1, True)])
        self.assertEqual(sum(times["steps"] for times in run["times"]), 301)
        self.assertGreater(cell["stepPhases"]["gradientSeconds"], 0)
        self.assert_page("Over time", "3 changes of the number of workers cost", "1 to 4")
        with (self.output / "scale.csv").open(encoding="utf-8", newline="") as file:
            points = list(csv.DictReader(file))
        self.assertEqual((points[0]["seconds"], points[0]["step"], points[-1]["step"]), ("0.0", "1", "301"))
        self.assertEqual(len(re.findall(r"^1 +1 +[124] +[\d.]+ ", out, re.MULTILINE)), 4, out)
        self.assertEqual(run["parametersSha256"], self.parameters_with(workers=2, steps=301))

    def parameters_with(self, workers: int, steps: int) -> str:
        """Of the bundled job with a number of workers that does not change."""
        output = self.folder / "fixed"
        subprocess.run([self.programs / "sumac", "run", ROOT / "examples" / "lenet5-fashion-mini.yaml",
                        "--workers", str(workers), "--set", "training.epochs=null", "--set", "training.batchSize=256",
                        "--set", f"training.steps={steps}", "--output-dir", output],
                       check=True, capture_output=True, timeout=DEADLINE_SECONDS)
        return json.loads((output / "result.json").read_text(encoding="utf-8"))["parametersSha256"]

    def test_a_job_that_changes_its_size_has_the_parameters_of_one_worker(self) -> None:
        document = small("autoscaling-bits.yaml", steps=1000)
        for at, sooner in {"1s": "0.05s", "2s": "0.1s", "3s": "0.2s"}.items():
            document = document.replace(f"at: {at}", f"at: {sooner}")
        out, err = self.measure(document)

        cells = self.results()["cells"]
        self.assertEqual([cell["values"]["sizing"] for cell in cells], ["throughput", "1 worker", "2 workers"])
        self.assertFalse(self.results()["simulated"])
        subprocess.run([self.programs / "sumac", "run", self.output / "jobs" / "cell-2.yaml", "--workers", "1",
                        "--output-dir", self.folder / "alone"], check=True, capture_output=True, timeout=DEADLINE_SECONDS)
        alone = json.loads((self.folder / "alone" / "result.json").read_text(encoding="utf-8"))["parametersSha256"]
        for cell in cells:
            [run] = cell["runs"]
            self.assertEqual(run["parametersSha256"], alone, cell)
            self.assertGreater(run["seconds"], 0)
        self.assertEqual([phase["workers"] for phase in cells[1]["runs"][0]["phases"]], [1])
        self.assertEqual([phase["workers"] for phase in cells[2]["runs"][0]["phases"]][:2], [2, 1])
        self.assertIn(f"All 3 runs have the same parameters, SHA-256 {alone}.", out)
        self.assert_page("How it was measured", "room for 1 worker from 0.05 s on", "worker 1 is lost at 0.2 s", "<svg")
        self.assertRegex(err, r"sizing=1 worker, run 1: [\d.]+ ")
        _, err = self.measure(document)
        self.assertIn("0 runs to do", err)

    def test_emulated_workers_change_their_number_become_slow_and_are_lost(self) -> None:
        document = small("autoscaling.yaml", steps=150, slowdown='"1"')
        document = re.sub(r"    - name: link\n(      .*\n)*", "", document)
        document = re.sub(r"      values:\n(        - .*\n)*", """      values:
        - {policy: throughput, stabilizationSeconds: 1}
        - {fixed: 2}
        - {hpa: {}}
""", document)
        document = document.replace("{at: 30s, slow", "{at: 0.3s, slow").replace(
            "  simulation:", "    - {at: 0.6s, kill: worker 1}\n    - {at: 0.9s, room: 7}\n  simulation:")
        part = 0.005  # seconds of one of the eight
        profile = self.folder / "made.profile.json"
        profile.write_text(json.dumps(self.profile(document, [batch(part * parts, 16 * parts, parts, [], 0.5)
                                                              for parts in (1, 2, 3, 4, 8)])), encoding="utf-8")
        out, err = self.measure(document, "--profile", profile)

        chosen, fixed, autoscaler = self.results()["cells"]
        self.assertIn("cluster", autoscaler["leftOut"])
        self.assertIn("is left out: ", out)
        self.assertEqual(autoscaler["runs"], [])
        self.assertGreater(len(chosen["runs"][0]["changes"]), 0, chosen)  # from one worker on
        self.assertNotIn("parametersSha256", fixed["runs"][0])
        # 15 steps of 20 ms at most until worker 1 is slow, and 135 of 40 ms.
        self.assertGreater(fixed["seconds"], 5.5)
        for cell in (chosen, fixed):
            self.assertGreater(cell["simulatedSeconds"], 0)
            self.assertGreater(cell["timesSimulated"], 0)
        self.assertIn("worker 1 is lost at 0.6 s", (self.output / "report.html").read_text(encoding="utf-8"))
        planned, _ = self.measure(document, "--profile", profile, "--dry-run")
        self.assertRegex(planned, r"cell 3 is left out: .*\n.* of steps by a simulation; .*compared by the time to the end")

    def test_learning_rates_are_compared_by_what_is_learned(self) -> None:
        document = small("learning-rates.yaml", steps=60, repetitions=3)
        document = document.replace('["0.005", "0.02", "0.08"]', '["0.04", "0.000001"]')
        out, _ = self.measure(document, "--dry-run")
        self.assertIn("; compared by validation accuracy, each run of a cell with a seed of its own; nothing", out)
        out, err = self.measure(document)

        good, hopeless = self.results()["cells"]
        self.assertEqual(self.results()["measurement"]["metric"], "validationAccuracy")
        for cell in (good, hopeless):
            self.assertEqual(cell["seeds"], [1, 2, 3])
            self.assertEqual(len(set(cell["loss"]["runs"])), 3, cell)
            self.assertEqual(len(cell["testAccuracy"]["runs"]), 3)
        self.assertGreater(good["validAccuracy"]["mean"], 2 * hopeless["validAccuracy"]["mean"])
        self.assertRegex(out, r"^learningRate=0.04: [\d.]+ times the validation accuracy of learningRate=0.000001 \(")
        self.assertRegex(out, r"(?s)What was learned:.*VALIDATION ACCURACY +TEST ACCURACY.*How fast:")
        self.assertRegex(err, r"learningRate=0.04, run 1: validation accuracy [\d.]+ %; ")
        [pair] = self.results()["verdict"]["pairs"]
        self.assertEqual((pair["better"], pair["worse"]), (1, 2))
        with (self.output / "cells.csv").open(encoding="utf-8", newline="") as file:
            self.assertEqual([float(row["validAccuracy"]) for row in csv.DictReader(file)],
                             [cell["validAccuracy"]["mean"] for cell in (good, hopeless)])

        _, err = self.measure(document)
        self.assertIn("0 runs to do", err)
        _, err = self.measure(document.replace("validationAccuracy", "samplesPerSecond"), status=2)
        self.assertIn("with other jobs, steps, axes or another metric", err)

    def test_a_run_that_does_not_tell_what_is_compared_has_failed(self) -> None:
        for split in ("train", "test"):
            (self.folder / f"{split}.txt").write_text("some words make a sentence\n" * 40, encoding="utf-8")
        document = re.sub(r"      model:(.*\n)*    - field", "      model: {name: ptb-lstm-small}\n"
                          f"      data: {{format: text, path: {self.folder}}}\n"
                          "      training: {batchSize: 2, unroll: 5, optimizer: {name: sgd}}\n"
                          "  axes:\n    - field", small("learning-rates.yaml"))
        _, err = self.measure(document.replace("validationAccuracy", "validationPerplexity")
                              .replace('["0.005", "0.02", "0.08"]', '["0.1"]'), status=1)
        self.assertIn("the job's result tells no validation perplexity", err)

    def test_a_script_longer_than_the_job_is_a_failure(self) -> None:
        _, err = self.measure(small("scaling.yaml"), status=1)
        self.assertRegex(err, r"the job was complete .* before spec.scale has 2 workers at 5 s; raise spec.steps")

    def test_one_that_is_stopped_goes_on(self) -> None:
        process = self.start(servers(repetitions=1000))
        first = next(line for line in process.stderr if "samples/s" in line)
        process.send_signal(signal.SIGINT)
        out, err = self.finish(process, status=130)
        self.assertIn("what was measured is kept", err)
        self.assertRegex(out, r"(?m)^1 +1 .*\n(.*\n)*This is what was measured; .*report.html shows it")
        self.assertFalse(self.results()["complete"])
        self.assert_page("Incomplete: stopped before all runs were made")
        kept = {file.name: file.read_bytes() for file in (self.output / "runs").iterdir()}
        self.assertGreaterEqual(len(kept), 1, first)

        document = servers(repetitions=2)  # more or fewer of them are the same experiment
        _, err = self.measure(document)
        self.assertIn("of an earlier start kept", err)
        self.assertTrue(self.results()["complete"])
        for name, content in kept.items():
            self.assertEqual((self.output / "runs" / name).read_bytes(), content, name)
        self.assertEqual([cell["repetitions"] for cell in self.results()["cells"]], [2, 2])

        _, err = self.measure(document)
        self.assertIn("0 runs to do", err)

    def test_a_failed_cell_does_not_end_the_others(self) -> None:
        document = re.sub(r"  axes:\n(    .*\n)*",
                          "  axes:\n    - name: data\n      variants:\n"
                          "        - {name: good, set: {server.replicas: 1}}\n"
                          "        - {name: wild, set: {training.optimizer.learningRate: \"1e30\"}}\n",
                          servers())
        out, err = self.measure(document, status=1)

        good, wild = self.results()["cells"]
        self.assertIn("samplesPerSecond", good)
        self.assertIn("loss", wild["failure"])
        self.assertRegex(out, r"(?m)^2 +wild .*loss")
        self.assertIn("1 cell failed; once the cause is gone, the same command tries it again", err)
        self.assertTrue((self.output / "failed" / "cell-2-run-1" / "worker-0.log").exists())

    def test_a_folder_of_something_else_is_refused(self) -> None:
        document = servers(steps=100_000)  # not one run of it is over when it is stopped
        self.output.mkdir()
        (self.output / "notes.txt").write_text("mine", encoding="utf-8")
        _, err = self.measure(document, status=2)
        self.assertIn("is not empty and not the folder of an experiment", err)
        (self.output / "notes.txt").unlink()

        lock = os.open(self.output, os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        _, err = self.measure(document, status=2)
        os.close(lock)
        self.assertIn("another sumac experiment uses", err)

        self.finish_nothing(document)
        (self.output / "runs" / "cell-1-run-1.json").touch()
        _, err = self.measure(servers(steps=4), status=2)
        self.assertIn("of this experiment with other jobs, steps, axes or another metric", err)
        _, err = self.measure(servers(steps=100_000, seed=7), "--dry-run")
        self.assertIn("warning: it could not run like this: the runs in", err)
        self.assertIn("with the seed 1, and this is 7", err)
        _, err = self.measure(document.replace("name: ring-vs-server", "name: others"), status=2)
        self.assertIn("of the experiment `ring-vs-server`", err)

    def test_links_limit_workers_that_wait_instead_of_computing(self) -> None:
        self.need_links()
        devices = os.listdir("/sys/class/net")
        document = jaeger(steps=20, warmupSteps=3)
        out, _ = self.measure(document)

        self.assertIn("(emulated)", out)
        cells = self.results()["cells"]
        self.assertEqual([cell["values"]["topology"] for cell in cells], ["central", "decentral"])
        gradient = 4 * 61_706  # bytes
        # What the busiest link carries in each step, each way: of the server, and of a worker. After a delay it may
        # have carried a step's already, and have saved a burst, of a gradient's size.
        for cell, carried in zip(cells, (2 * gradient, gradient)):
            self.assertTrue(cell["emulated"])
            self.assertEqual(cell["linkBitsPerSecond"], 100_000_000)
            bits = cell["batchesPerSecond"]["mean"] * carried * 8
            self.assertLessEqual(bits, 1.2 * cell["linkBitsPerSecond"], cell)
        with (self.output / "cells.csv").open(encoding="utf-8", newline="") as file:
            self.assertEqual([(row["emulated"], row["linkBitsPerSecond"]) for row in csv.DictReader(file)],
                             [("true", "100000000")] * 2)
        self.assertEqual(os.listdir("/sys/class/net"), devices)
        self.assertTrue(all(cell["emulatedSeconds"]["least"] > 0 for cell in cells))  # each run's own

    def test_nothing_is_left_of_links_whatever_ends_an_experiment(self) -> None:
        self.need_links()
        for number, status in ((signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)):
            process = self.start(jaeger(steps=100_000))
            own = self.member_networks(process)
            self.assertNotIn(network_of(os.getpid()), own)
            process.send_signal(number)
            self.finish(process, status)
            deadline = time.monotonic() + DEADLINE_SECONDS
            while own & networks():
                self.assertLess(time.monotonic(), deadline, "a member is left")
        self.assertEqual(subprocess.check_output(["ip", "netns", "list"], text=True), "")

    def member_networks(self, process: "subprocess.Popen[str]") -> "set[int]":
        """The namespaces of three members, once they are there."""
        deadline = time.monotonic() + DEADLINE_SECONDS
        while time.monotonic() < deadline and process.poll() is None:
            try:
                own = {network_of(pid) for pid in children(process.pid)}
            except (FileNotFoundError, ProcessLookupError, PermissionError):  # it has ended
                continue
            if len(own) >= 2 and network_of(os.getpid()) not in own:
                return own
        self.fail("no members in namespaces of their own")

    def test_without_the_rights_nothing_runs(self) -> None:
        command = [self.programs / "sumac", "experiment", EXAMPLES / "jaeger-2018.yaml", "--output-dir", self.output]
        if os.geteuid() == 0:
            command = ["setpriv", "--bounding-set", "-sys_admin", *command]
        refused = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_SECONDS)
        self.assertEqual(refused.returncode, 1, refused.stderr)
        self.assertIn("cannot limit links: cannot make a network namespace", refused.stderr)
        self.assertIn("needs root", refused.stderr)
        planned = subprocess.run([*command, "--dry-run"], capture_output=True, text=True, timeout=DEADLINE_SECONDS)
        self.assertEqual(planned.returncode, 0, planned.stderr)
        self.assertIn("warning: it could not run like this: cannot limit links", planned.stderr)
        self.assertFalse(self.output.exists())

    def test_a_profile_that_cannot_be_is_refused_before_anything_is_measured(self) -> None:
        job = ROOT / "examples" / "lenet5-fashion-mini.yaml"
        gone = self.folder / "gone" / "job.profile.json"
        for arguments, status, said in (
                ([EXAMPLES / "servers.yaml"], 78, "servers.yaml is an Experiment, and a profile is of one job; give"),
                ([job, "-o", gone], 2, f"there is no folder {gone.parent}; make it first"),
                ([job, "-o", self.folder], 2, "is a folder; name a file")):
            refused = subprocess.run([self.programs / "sumac", "profile", *arguments], capture_output=True, text=True,
                                     timeout=DEADLINE_SECONDS)
            self.assertEqual(refused.returncode, status, refused.stderr)
            self.assertIn(said, refused.stderr)
            self.assertNotIn("there and back", refused.stderr)

    def test_nothing_runs_when_a_cell_cannot(self) -> None:
        document = servers().replace("values: [1, 2]", "values: [1, 0]")
        _, err = self.measure(document, status=78)
        self.assertRegex(err, r"experiment.yaml:\d+:\d+ spec.server.replicas: found 0, must be >= 1")
        self.assertIn("in server.replicas=0", err)
        gone = servers().replace("  axes:\n", "  axes:\n    - name: data\n      variants:\n"
                                 "        - {name: gone, set: {data.name: null, data.format: idx, "
                                 "data.path: gone}}\n")
        for arguments in ([], ["--dry-run"]):
            _, err = self.measure(gone, *arguments, status=78)
            self.assertRegex(err, r"error: data=gone, server.replicas=1: .*gone.*; nothing was run")
        _, err = self.measure(servers(), "--fit", "1", status=2)
        self.assertIn("--fit needs a profile", err)
        _, err = self.measure(servers(), "--max-cells", "1", status=78)
        self.assertIn("--max-cells allows more", err)
        self.assertFalse(self.output.exists())


if __name__ == "__main__":
    ExperimentTest.programs = pathlib.Path(sys.argv.pop(1))
    unittest.main(verbosity=2)
