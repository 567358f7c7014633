#!/usr/bin/env python3
"""Measures what it costs that members come, go and are killed: the table "Members that change" of docs/performance.md.

    bench/harness/membership.py --bin build/release/bin

Needs nothing but Python 3.11 and our programs; `resume` also root, `ip` and `tc`. A pause is from the end of the last
step with the members before to the end of the first one after, by the clock of a worker that stays. Prints
medians (lowest to highest) beside their bounds, and writes them with all values to --output.

Exit status: 0, or 1 when a measurement failed. A bound that is missed is marked and changes nothing.
"""
import argparse
import dataclasses
import fnmatch
import json
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from links import Links
from members import PATIENCE_SECONDS, Bare, Failed, Run, lenet5, until, wide

DECENTRALIZED = "{topology: decentralized}"
SETTLED_STEPS = 20
MEGABYTE = 1e6


@dataclasses.dataclass
class Figure:
    name: str
    unit: str
    values: list
    bound: float = 0  # 0: none
    today: list = dataclasses.field(default_factory=list)  # the same where all start again

    def row(self):
        median = statistics.median(self.values)
        cells = [self.name, text(self.today, self.unit), text(self.values, self.unit)]
        if not self.bound:
            return [*cells, ""]
        missed = "" if median <= self.bound else " **(missed)**"
        return [*cells, f"{self.bound:.3g} {self.unit}{missed}".rstrip()]


def text(values, unit):
    if not values:
        return ""
    digits = 3 if unit == "s" and statistics.median(values) < 1 else 2 if unit != "MB" else 0
    one, least, most = (f"{value:,.{digits}f}" for value in (statistics.median(values), min(values), max(values)))
    return f"{one} ({least} to {most}) {unit}".rstrip()


class Membership:
    """Each method without an underscore measures, and returns figures."""

    def __init__(self, options, folder):
        self.programs, self.options, self.root = options.bin.resolve(), options, folder
        self.runs = 0

    def _folder(self):
        self.runs += 1
        return self.root / str(self.runs)

    def _run(self, document, *arguments):
        return Run(self.programs, self._folder(), document, *arguments)

    # Workers come and go

    def scale(self):
        restart = [self._restart(lambda run: run.stop()) for _ in range(self.options.rounds)]
        figures = []
        for name, document in (("a server", lenet5()), ("decentralized", lenet5(servers=0, strategy=DECENTRALIZED))):
            joins, leaves = self._scaled(document)
            figures += [Figure(f"2 workers become 3, {name}", "s", joins, 0.15, restart),
                        Figure(f"3 workers become 2, {name}", "s", leaves, 0.15)]
        return figures

    def _scaled(self, document):
        run, joins, leaves = self._run(document), [], []
        try:
            run.await_steps(1)
            for _ in range(self.options.rounds):
                joins.append(run.next_step("worker 0", lambda: run.scale(3))[0]["pause"])
                leaves.append(run.next_step("worker 0", lambda: run.scale(2))[0]["pause"])
        finally:
            run.stop()
        return joins, leaves

    def _restart(self, end, document=None, workers=3):
        """Seconds from the last step before all end to the first one after all have started again. Of
        400 steps each has a line in the metrics."""
        every = 50  # steps from checkpoint to checkpoint
        settings = ("--restarts", 0, "--set", "training.steps=400", "--set", f"checkpoint.everySteps={every}")
        run = self._run(document or lenet5(), *settings)
        try:
            until(lambda: list((run.output / "checkpoints").glob("step-*")), "a checkpoint")
            last = time.monotonic()  # a step before the end at most
            end(run)
            stopped = run.step()
            old = (-1, stopped, stopped - stopped % every)
            run.resume("--workers", workers, *settings)
            return until(lambda: run.step() not in old and time.monotonic(), "a step after the restart") - last
        finally:
            run.stop()

    # Processes are killed

    def kill(self):
        document = lenet5(servers=2)
        today = [self._restart(lambda run: (run.kill("worker 1"), run.process.wait()), document, workers=2)
                 for _ in range(self.options.rounds)]
        worker, server, first = self._killed(document, ["worker 1", "server 1", "server 0"], "worker 0")
        alone, = self._killed(lenet5(servers=0, strategy=DECENTRALIZED), ["worker 0"], "worker 1")
        return [Figure("kill -9 of a worker, `sumac run`", "s", worker, 1, today),
                Figure("kill -9 of server 1 of 2, `sumac run`", "s", server, 1, today),
                Figure("kill -9 of server 0 (slot 0), `sumac run`", "s", first, 5, today),
                Figure("kill -9 of worker 0 (slot 0), `sumac run`", "s", alone, 5, today)]

    def _killed(self, document, names, witness):
        """Seconds from each kill to the next step. A slot that is lost three times within a minute
        waits, so that a run has two rounds."""
        seconds = {name: [] for name in names}
        for begin in range(0, self.options.rounds, 2):
            run = self._run(document)
            try:
                run.await_steps(1)
                for _ in range(begin, min(begin + 2, self.options.rounds)):
                    for name in names:
                        line, killed = run.next_step(witness, lambda name=name: run.kill(name))
                        seconds[name].append(line.at - killed)
                        time.sleep(0.1)  # it has made progress, so that it is started at once the next time, too
            finally:
                run.stop()
        return seconds.values()

    def silence(self):
        """Members that nobody starts again: they are missed after 3 s."""
        document = lenet5(servers=2)
        figures = []
        for name in ("worker 1", "server 1"):
            after, whole = self._missed(document, name, servers=2)
            figures += [Figure(f"kill -9 of {name}, bare, after it is missed", "s", after, 1),
                        Figure(f"kill -9 of {name}, bare, in all", "s", whole)]
        return figures

    def _missed(self, document, name, servers, number=signal.SIGKILL):
        """Seconds from when it is missed to the next step, and from the signal to it."""
        after, whole = [], []
        for begin in range(0, self.options.rounds, 2):
            job = Bare(self.programs, self._folder(), document, servers=servers)
            job.start_all()
            try:
                job.await_steps(1)
                for round_ in range(begin, min(begin + 2, self.options.rounds)):
                    line, began = job.next_step("worker 0", lambda: job.kill(name, number))
                    missed = job.event("lost", began)
                    after.append(line.at - missed)
                    whole.append(line.at - began)
                    job.end(name)
                    if round_ + 1 < min(begin + 2, self.options.rounds):
                        job.next_step("worker 0", lambda: job.start(name))
            finally:
                job.stop()
        return after, whole

    def hang(self):
        """A stopped process reads nothing: what others send to it fills their lanes."""
        after, whole = self._missed(wide(60, steps=4000), "worker 1", servers=0, number=signal.SIGSTOP)
        return [Figure("SIGSTOP of a worker for ever, 30 MB of gradients, after it is missed", "s", after, 5),
                Figure("the same, in all", "s", whole)]

    # The state of a job

    def state(self):
        """To one worker that joins two."""
        job = self._bare(wide(self.options.megabytes, steps=400, parts=4))
        seconds, pauses, growth = [], [], []
        job.start_all()
        try:
            job.await_steps(2)
            for round_ in range(1, self.options.rounds + 1):
                before = self._peak_of_steps(job, "worker 1")
                reset_peak(job, "worker 1")
                line, _ = job.next_step("worker 0", lambda: job.start("worker 2"))
                received = job.await_line("worker 2", "state received", round_)
                growth.append(peak(job, received["from"]) - before)
                seconds.append(received.at - job.said("worker 0", "members changed")[-1].at)
                pauses.append(line["pause"])
                job.next_step("worker 0", lambda: job.kill("worker 2", signal.SIGTERM))
                job.processes["worker 2"].wait(PATIENCE_SECONDS)
        finally:
            job.stop()
        size = f"{self.options.megabytes:,} MB"
        return [Figure(f"a state of {size} to one that joins", "s", seconds, 2),
                Figure("the same, last step to next step", "s", pauses),
                Figure("its source's memory grows by", "MB", growth)]

    def _bare(self, document, **options):
        return Bare(self.programs, self._folder(), document, **options)

    def _peak_of_steps(self, job, name):
        reset_peak(job, name)
        job.await_steps(2)
        return peak(job, name)

    def survivor(self):
        """A worker that stands still while the others finish a step, and misses a server's sums when
        that is killed, gets the state from another one."""
        growth, seconds = [], []
        megabytes = self.options.megabytes // 5
        document = wide(megabytes, steps=400, parts=3, batch=960, servers=2)
        for _ in range(3 * self.options.rounds):
            job = self._bare(document, servers=2)
            job.start_all()
            try:
                job.await_steps(2)
                before = self._peak_of_steps(job, "worker 0")
                self._miss_sums(job)
                received = job.said("worker 0", "state received")
                if received:
                    growth.append(peak(job, "worker 0") - before)
                    seconds.append(received[0].at - job.said("worker 0", "members changed")[-1].at)
            finally:
                job.stop()
            if len(growth) >= min(3, self.options.rounds):
                break
        if not growth:
            raise Failed("no worker was ever a step behind")
        return [Figure(f"a state of {megabytes:,} MB to a worker that is a step behind", "s", seconds),
                Figure("its memory grows by", "MB", growth)]

    def _miss_sums(self, job):
        reset_peak(job, "worker 0")
        job.await_steps(1)
        # Worker 0 has one part of three, and waits for worker 1 after that. It is missed after 3 s.
        time.sleep(0.5 * job.step_seconds())
        job.kill("worker 0", signal.SIGSTOP)
        time.sleep(min(2.2, 0.6 * job.step_seconds()))

        def change():
            job.end("server 1")
            job.start("server 1")
            job.kill("worker 0", signal.SIGCONT)

        job.next_step("worker 0", change)

    def resume(self):
        """By one worker that reads the checkpoint and sends it on along a chain, over links of their own."""
        many = 8
        document = wide(self.options.megabytes, steps=1, parts=many, workers=1)
        folder = self._folder()
        job = Bare(self.programs, folder, document, workers=1)
        job.start_all()
        if job.processes["worker 0"].wait(2 * PATIENCE_SECONDS) != 0:
            raise Failed("no checkpoint to resume from")
        times = {workers: [self._resumed(folder, workers) for _ in range(self.options.resumes)]
                 for workers in (2, many)}
        size = sum(file.stat().st_size for file in (folder / "checkpoints").rglob("*") if file.is_file())
        one = 8 * size / self.options.rate
        about = f"{size / MEGABYTE:,.0f} MB, links of {self.options.rate / MEGABYTE:,.0f} Mbit/s"
        # Each would read the volume, whose link is no faster.
        return [Figure(f"2 workers resume, {about}", "s", times[2], 1.3 * one, [2 * one]),
                Figure(f"{many} workers resume, the same", "s", times[many], 1.3 * one, [many * one])]

    def _resumed(self, folder, workers):
        """Seconds from the roster to when all have the state."""
        document = wide(self.options.megabytes, steps=400, parts=8, workers=workers)
        with Links(workers, self.options.rate) as links:
            job = Bare(self.programs, folder, document, workers=workers, links=links)
            for log in folder.glob("*.log"):
                log.unlink()
            job.start_all()
            try:
                began = job.event("roster", 0)
                return max(job.await_line(name, "state received").at for name in job.names[1:]) - began
            finally:
                job.stop()


def reset_peak(job, name):
    pathlib.Path(f"/proc/{job.pids()[name]}/clear_refs").write_text("5")


def peak(job, name):
    """MB, of its resident memory."""
    status = pathlib.Path(f"/proc/{job.pids()[name]}/status").read_text()
    return next(int(line.split()[1]) * 1024 / MEGABYTE for line in status.splitlines() if line.startswith("VmHWM"))


def table(figures):
    rows = [["", "all start again", "median (lowest to highest)", "bound"], ["---", "---:", "---:", "---:"]]
    rows += [figure.row() for figure in figures]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of our programs")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("membership.json"))
    parser.add_argument("--only", default="*", help="measurements: scale,kill,silence,hang,state,survivor,resume")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--megabytes", type=int, default=1000, help="of the state that is handed over")
    parser.add_argument("--rate", type=float, default=1e9, help="bits a second of the links for resume")
    parser.add_argument("--resumes", type=int, default=3, help="of each number of workers")
    options = parser.parse_args()
    figures, failures = [], []
    with tempfile.TemporaryDirectory(prefix="sumac-membership-", ignore_cleanup_errors=True) as folder:
        membership = Membership(options, pathlib.Path(folder))
        for name in ("scale", "kill", "silence", "hang", "state", "survivor", "resume"):
            if not any(fnmatch.fnmatch(name, one) for one in options.only.split(",")):
                continue
            began = time.monotonic()
            try:
                figures += getattr(membership, name)()
            except (Failed, OSError, subprocess.SubprocessError) as error:
                failures.append(f"{name}: {error}")
            print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    if figures:
        print(table(figures))
        options.output.write_text(json.dumps([dataclasses.asdict(one) for one in figures], indent=1) + "\n")
    if failures or not figures:
        sys.exit("not measured: " + ("; ".join(failures) or "nothing matches --only"))


if __name__ == "__main__":
    main()
