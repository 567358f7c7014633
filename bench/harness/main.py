#!/usr/bin/env python3
"""Measures Sumac's training steps beside its rivals and the processor's limit.

Every entry runs in rounds: in each of them the limit, Sumac and all of its rivals run for some
seconds, so that a busy minute of the machine falls on all. Writes results.json, results.md and the
programs' logs to --output; prints the tables. Exit status: 0, or 1 when an entry was not measured.
"""
import argparse
import fnmatch
import os
import pathlib
import re
import sys

import entries
import report
import exchange_entries
from comparing import Comparing
from programs import Failed, Once, Served

RIVALS = pathlib.Path(__file__).resolve().parent.parent / "rivals"
BUSY = 0.05  # of the cores, taken by others: above it a run is worth a warning
LIMIT_SECONDS = 0.5  # what sumac-bench-fma-peak takes


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of our programs")
    parser.add_argument("--venvs", type=pathlib.Path, help="folder of the rivals' environments; "
                        "without it Sumac runs alone")
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="*", help="entries to run: lenet5-train,ptb-*")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3.0, help="of one run")
    parser.add_argument("--cores", help="cores to run on, the first one for one thread: 2,3")
    return parser.parse_args()


class Bench:
    def __init__(self, options):
        self.options = options
        self.cores = ([int(core) for core in options.cores.split(",")] if options.cores
                      else sorted(os.sched_getaffinity(0)))
        self.logs = options.output / "logs"
        self.logs.mkdir(parents=True, exist_ok=True)
        self.failures = []

    def log(self, entry, name):
        return self.logs / (re.sub(r"[^A-Za-z0-9]+", "-", f"{entry.name} {name}") + ".log")

    def engine(self, entry, engine, name):
        program = str(self.options.bin / "sumac-bench-engine")
        return Once(lambda seconds: engine.command(program, seconds), "rate",
                    self.cores[:engine.threads], engine.threads, self.log(entry, name))

    def limit(self, entry):
        threads = entry.engine.threads
        command = [str(self.options.bin / "sumac-bench-fma-peak"), str(threads)]
        return Once(lambda _: command, "gflops", self.cores[:threads], threads,
                    self.log(entry, "limit"))

    def rival(self, entry, rival):
        threads = entry.engine.threads
        python = self.options.venvs / rival.framework / "bin" / "python"
        script = RIVALS / f"{rival.framework}_train.py"
        env = {**rival.env, "TORCHINDUCTOR_CACHE_DIR": str(self.options.output / "inductor")}
        return Served(rival.command(str(python), str(script), entry.engine), env,
                      self.cores[:threads], threads, self.log(entry, rival.name))

    def run(self, entry):
        """The entry's result, or None with a line in failures."""
        if entry.engine.threads > len(self.cores):
            self.failed(entry, f"needs {entry.engine.threads} cores")
            return None
        ours, limit = self.engine(entry, entry.engine, "Sumac"), self.limit(entry)
        rivals, broken = {}, {}
        versus = entry.versus and self.engine(entry, entry.versus, entry.versus_name)
        try:
            ours.measure(0)  # before its rivals take their time to start: can it run at all?
            self.start_rivals(entry, rivals, broken)
            for _ in range(self.options.rounds):
                limit.run(LIMIT_SECONDS)
                ours.run(self.options.seconds)
                if versus:
                    versus.run(self.options.seconds)
                self.run_rivals(entry, rivals, broken)
        except Failed as error:
            self.failed(entry, str(error))
            return None
        finally:
            for program in rivals.values():
                program.stop()
        candidates = [self.candidate(one.name, program, one.stock)
                      for one, program in rivals.items()]
        candidates += [{"name": one.name, "version": "", "stock": one.stock, "error": error}
                       for one, error in broken.items()]
        if versus:
            candidates.append(self.candidate(entry.versus_name, versus, stock=True))
        return self.result(entry, ours, limit, candidates)

    def start_rivals(self, entry, running, broken):
        for rival in entry.rivals if self.options.venvs else ():
            try:
                running[rival] = self.rival(entry, rival)
            except Failed as error:
                self.break_off(entry, rival, broken, error)

    def run_rivals(self, entry, rivals, broken):
        for rival in list(rivals):
            try:
                rivals[rival].run(self.options.seconds)
            except Failed as error:
                rivals.pop(rival).stop()
                self.break_off(entry, rival, broken, error)

    def break_off(self, entry, rival, broken, error):
        broken[rival] = str(error)
        print(f"{entry.name}: {rival.name}: {error}", file=sys.stderr, flush=True)

    def candidate(self, name, program, stock):
        self.warn_when_busy(name, program)
        return {"name": name, "version": program.version, "stock": stock,
                **report.spread(program.rates, program.others)}

    def warn_when_busy(self, name, program):
        if program.others > BUSY:
            print(f"  others took up to {100 * program.others:.0f} % of the cores from: {name}",
                  file=sys.stderr)

    def result(self, entry, ours, limit, candidates):
        self.warn_when_busy(f"{entry.name}, Sumac", ours)
        peak = report.spread(limit.rates)["value"] * 1e9 / entry.flop
        return report.result(
            entry.name, entry.unit, report.spread(ours.rates, ours.others), candidates,
            {"name": f"FMA peak, {limit.about['variant']}", "value": peak})

    def compare(self, entry):
        """The same of an entry about the exchange."""
        try:
            return Comparing(self.options, self.cores, self.log, self.warn_when_busy).run(entry)
        except Failed as error:
            self.failed(entry, str(error))
            return None

    def failed(self, entry, why):
        self.failures.append(f"{entry.name}: {why}")
        print(f"{entry.name}: not measured: {why}", file=sys.stderr, flush=True)


def main():
    options = parse()
    bench = Bench(options)
    for old in ("results.json", "results.md"):
        (options.output / old).unlink(missing_ok=True)
    results = []
    for entry in (*entries.ENTRIES, *exchange_entries.COMPARISONS):
        if not any(fnmatch.fnmatch(entry.name, one) for one in options.only.split(",")):
            continue
        print(f"{entry.name} ...", file=sys.stderr, flush=True)
        result = (bench.run(entry) if isinstance(entry, entries.Entry)
                  else bench.compare(entry))
        if result:
            results.append(result)
    if results:
        (options.output / "results.json").write_text(report.to_json(results))
        (options.output / "results.md").write_text(report.to_markdown(results))
        print(report.to_markdown(results), end="")
    if bench.failures or not results:
        sys.exit("not measured: " + ("; ".join(bench.failures) or "nothing matches --only"))


if __name__ == "__main__":
    main()
