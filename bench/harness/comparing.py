"""Runs one entry about the exchange: all that it compares in each round, one after the other."""
import sys

import report
from exchange_programs import Makers
from programs import Failed

EXCHANGE_SECONDS = 0.5  # of one run that measures a latency: its median settles soon


class Comparing:
    """`warn` is told the name and the program of each that others disturbed."""

    def __init__(self, options, cores, log_of, warn):
        self.options, self.cores, self.log_of, self.warn = options, cores, log_of, warn

    def run(self, entry):
        """The entry's result. Raises Failed where ours, or its limit, does not run."""
        if len(self.cores) < 2:
            raise Failed("needs 2 cores")
        makers = Makers(self.options, self.cores, lambda name: self.log_of(entry, name))
        seconds = EXCHANGE_SECONDS if entry.unit == "us" else self.options.seconds
        ours, limit = entry.make(makers), entry.limit[1](makers)
        others, broken = {}, {}
        ours.measure(0)  # before its rivals take their time to start: can it run at all?
        try:
            for one in entry.beside:
                self._try(entry, one, others, broken, lambda one=one: others.update(
                    {one: one.make(makers)}))
            for _ in range(self.options.rounds):
                limit.run(seconds)
                ours.run(seconds)
                for one in list(others):
                    self._try(entry, one, others, broken, lambda one=one: others[one].run(seconds))
        finally:
            for program in others.values():
                program.stop()
        return self._result(entry, ours, limit, others, broken)

    def _try(self, entry, one, others, broken, action):
        try:
            action()
        except Failed as error:
            broken[one] = str(error)
            if one in others:
                others.pop(one).stop()
            print(f"{entry.name}: {one.name}: {error}", file=sys.stderr, flush=True)

    def _result(self, entry, ours, limit, others, broken):
        self.warn(f"{entry.name}, Sumac", ours)
        candidates = []
        for one, program in others.items():
            self.warn(one.name, program)
            candidates.append({"name": one.name, "version": program.version or "", "stock": one.stock,
                               **report.spread(program.rates, program.others)})
        candidates += [{"name": one.name, "version": "", "stock": one.stock, "error": error}
                       for one, error in broken.items()]
        value = report.spread(limit.rates)["value"]
        return report.result(entry.name, entry.unit, report.spread(ours.rates, ours.others),
                             candidates, {"name": entry.limit[0], "value": value})
