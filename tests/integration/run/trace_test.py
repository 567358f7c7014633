"""Traces: `sumac run --trace FROM:TO` and the trace.json that it writes.

Usage: trace_test.py PROGRAMS_FOLDER [TEST...]
"""

import json
import signal

import jobs
from jobs import DECENTRALIZED, ENDLESS, WIDE, finish, has_progress, sumac, until

ROUNDING_US = 0.01  # of times written as microseconds


def algorithm(name):
    return ("--set", "strategy.exchange=allReduce", "--set", f"strategy.algorithm={name}")


class Trace:
    """A trace.json, its spans by what was done."""

    def __init__(self, path):
        content = json.loads(path.read_text())
        self.about = content["otherData"]
        events = content["traceEvents"]
        self.processes = {event["pid"]: event["args"]["name"] for event in events
                          if event["ph"] == "M" and event["name"] == "process_name"}
        self.spans = [event for event in events if event["ph"] == "X"]
        self.uncertainty = {one["process"]: one["uncertaintyUs"] for one in self.about["processes"]}

    def named(self, name):
        return [span for span in self.spans if span["name"] == name]

    def ranges(self, name):
        """The spans of this name by process, step and range."""
        found = {}
        for span in self.named(name):
            key = self.processes[span["pid"]], span["args"]["step"], span["args"]["range"]
            found.setdefault(key, []).append(span)
        return found


class TraceTest(jobs.JobTest):
    def check(self, *flags, servers, workers=2):
        """Traces a job and checks what is in it."""
        finish(sumac(self.folder / "run", "--set", "training.steps=12", "--workers", workers, *flags,
                     "--trace", "3:5"))
        self.assertEqual(list((self.folder / "run").glob("*.trace")), [])
        trace = Trace(self.folder / "run" / "trace.json")
        members = [f"worker {i}" for i in range(workers)] + [f"server {i}" for i in range(servers)]
        self.assertEqual(sorted(trace.processes.values()), sorted(members))
        self.check_trainers(trace, workers)
        self.check_ranges(trace, workers)
        return trace

    def check_trainers(self, trace, workers):
        for span in trace.spans:
            self.assertGreaterEqual(span["dur"], 0, span)
            self.assertIn(span["args"]["step"], (3, 4, 5))
        for name in ("step", "wait for sums", "update"):
            self.assertEqual(len(trace.named(name)), 3 * workers, name)
        for name in ("forward", "backward"):
            self.assertEqual(len(trace.named(name)), 3 * 4, name)  # four parts

    def check_ranges(self, trace, workers):
        """Every range was pushed, summed and waited for, in this order whoever's clock says so."""
        pushes, waits, sums = (trace.ranges(name) for name in ("push", "wait", "sum"))
        ranges = {key[2] for key in pushes}
        self.assertGreater(len(ranges), 1)
        expected = {(f"worker {worker}", step, range_) for worker in range(workers)
                    for step in (3, 4, 5) for range_ in ranges}
        self.assertEqual(set(pushes), expected)
        self.assertEqual(set(waits), expected)
        self.assertTrue(any(push["dur"] > 0 for (push,) in pushes.values()))
        for key, (push,) in pushes.items():
            (wait,) = waits[key]
            self.assertAlmostEqual(push["ts"] + push["dur"], wait["ts"], delta=ROUNDING_US)
        for step in (3, 4, 5):
            for range_ in ranges:
                self.check_order(trace, [(step, range_), pushes, sums, waits])

    def check_order(self, trace, about):
        key, pushes, sums, waits = about
        ends = [(process, span["ts"] + span["dur"], span["args"]["bytes"])
                for (process, *rest), spans in sums.items() if tuple(rest) == key for span in spans]
        begun = [(process, span["ts"], span["args"]["bytes"])
                 for (process, *rest), (span,) in pushes.items() if tuple(rest) == key]
        there = [(process, span["ts"] + span["dur"], span["args"]["bytes"])
                 for (process, *rest), (span,) in waits.items() if tuple(rest) == key]
        self.assertTrue(ends, key)
        self.assertEqual(len({size for _, _, size in ends + begun + there}), 1, key)
        summed_by, summed, _ = max(ends, key=lambda end: end[1])
        for process, begin, _ in begun:
            between = self.between(trace, process, summed_by)
            self.assertGreaterEqual(summed + between, begin, (key, process, summed_by))
        first_by, first, _ = min(ends, key=lambda end: end[1])
        for process, end, _ in there:
            between = self.between(trace, process, first_by)
            self.assertGreaterEqual(end + between, first, (key, process, first_by))

    def between(self, trace, *processes):
        """By how much the clocks of two processes may be off."""
        return sum(trace.uncertainty[process] for process in set(processes)) + ROUNDING_US

    def test_of_servers(self):
        trace = self.check("--servers", 2, servers=2)
        self.assertEqual(trace.uncertainty["server 0"], 0)  # its clock is the one
        self.assertGreater(trace.uncertainty["worker 1"], 0)
        self.assertTrue(all(one["aligned"] for one in trace.about["processes"]))
        summed = {process for process, _, _ in trace.ranges("sum")}
        self.assertEqual(summed, {"server 0", "server 1"})

    def test_of_workers_that_sum(self):
        trace = self.check(*DECENTRALIZED, servers=0)
        self.assertEqual(trace.uncertainty["worker 0"], 0)
        self.assertTrue(all(one["aligned"] for one in trace.about["processes"]))

    def test_of_all_reduce(self):
        for name in ("direct", "ring", "halvingDoubling"):
            with self.subTest(name):
                self.setUp()
                self.check(*algorithm(name), servers=0)

    def test_of_a_job_whose_next_step_begins_while_sums_come(self):
        finish(sumac(self.folder / "run", "--set", "training.steps=12", "--trace", "3:5", job=WIDE))
        trace = Trace(self.folder / "run" / "trace.json")
        self.check_ranges(trace, workers=2)
        self.assertGreaterEqual(len(trace.named("wait for sums")), 3 * 2)
        begins = {(span["pid"], span["args"]["step"]): span["ts"] for span in trace.named("forward")
                  if span["args"]["part"] in (0, 2)}  # the first of either worker
        ends = {(span["pid"], span["args"]["step"]): span["ts"] + span["dur"]
                for span in trace.named("step")}
        self.assertTrue(any(begins[pid, step] < ends[pid, step - 1] for pid, step in begins if step > 3))
        rows = {}
        for span in trace.spans:
            rows.setdefault((span["pid"], span["tid"]), []).append(span)
        for spans in rows.values():
            self.check_nested(spans)

    def check_nested(self, spans):
        """Of two spans of a row that overlap one contains the other, as viewers require."""
        around = []
        for span in sorted(spans, key=lambda one: (one["ts"], -one["dur"])):
            begin, end = span["ts"], span["ts"] + span["dur"]
            while around and around[-1] <= begin + ROUNDING_US:
                around.pop()
            self.assertTrue(not around or end <= around[-1] + ROUNDING_US, (span, around))
            around.append(end)

    def test_steps_that_the_run_does_not_reach_are_named_and_nothing_fails(self):
        out = finish(sumac(self.folder / "run", "--set", "training.steps=12", "--trace", "11:20"))
        self.assertIn("warning: trace: steps 13 to 20 are missing: this run did not train them\n", out)
        steps = {span["args"]["step"] for span in Trace(self.folder / "run" / "trace.json").spans}
        self.assertEqual(steps, {11, 12})
        self.assertIn("trace.json, for ui.perfetto.dev", out)  # among the files

    def test_a_full_disk_is_said_and_nothing_fails(self):
        folder = self.folder / "run"
        process = sumac(folder, *ENDLESS, "--workers", 2, "--trace", "100000:100000")
        until(lambda: has_progress(folder), "progress")
        (folder / "worker-1.trace").symlink_to("/dev/full")
        process.send_signal(signal.SIGINT)
        out = finish(process, allowed=(130,))
        self.assertIn("warning: trace: worker 1 has written no trace; ", out)
        self.assertIn("warning: trace: step 100000 is missing", out)
        self.assertIn("No space left on device", (folder / "worker-1.log").read_text())
        self.assertEqual(Trace(folder / "trace.json").spans, [])

    def test_malformed_ranges_are_rejected_before_anything_starts(self):
        for text, why in (("5", "is not a range of steps"), ("9:5", "ends before it begins"),
                          ("0:5", "steps count from 1")):
            out = finish(sumac(self.folder / "run", "--trace", text), allowed=(2,))
            self.assertIn(why, out)
            self.assertFalse((self.folder / "run").exists())


if __name__ == "__main__":
    jobs.main()
