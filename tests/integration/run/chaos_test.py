"""Running members of `sumac run` are killed one after the other, as a seeded random number says; the run ends with the
weights of one process.

Usage: chaos_test.py PROGRAMS_FOLDER [TEST...]
"""

import os
import random
import signal

import jobs
from jobs import DECENTRALIZED, children, finish, reached, sumac, until

KILLS = 10
STEPS_BETWEEN = 40  # two kills, at most
# So many that the job is not over when all those are killed, and so few that every 20th step is told.
LENGTH = ("--set", "training.steps=8000", "--set", "checkpoint.everySteps=100")
SEED = int(os.environ.get("SUMAC_CHAOS_SEED", 1))


def all_reduce(algorithm):
    return ("--set", "strategy.exchange=allReduce", "--set", f"strategy.algorithm={algorithm}")


class Chaos(jobs.JobTest):
    def setUp(self):
        super().setUp()
        os.environ["SUMAC_FLAPPING_SECONDS"] = "0"  # a slot that is lost again and again is taken in at once
        self.addCleanup(os.environ.pop, "SUMAC_FLAPPING_SECONDS")
        self.random = random.Random(SEED)
        self.received = {}  # by the workers that were killed: how often they had got the state before

    def states_received(self, worker):
        log = self.folder / "run" / f"{worker.replace(' ', '-')}.log"
        return log.read_text().count('"state received"')

    def holders(self, members):
        """The workers that have the state: one of them has to live."""
        return [name for name in members
                if name.startswith("worker") and self.states_received(name) > self.received.get(name, -1)]

    def kill_one(self, process):
        members = children(process.pid)
        holders = self.holders(members)
        victims = [name for name in sorted(members) if holders != [name]]
        if not holders or not victims:
            return None
        victim = self.random.choice(victims)
        if victim.startswith("worker"):
            self.received[victim] = self.states_received(victim)
        os.kill(members[victim], signal.SIGKILL)
        return victim

    def await_step(self, process, step):
        until(lambda: reached(self.folder / "run", "progress") >= step or process.poll() is not None, f"step {step}")
        if process.poll() is not None:
            self.fail(f"it ended before step {step}:\n{finish(process, allowed=(process.poll(),))}")

    def lose_members(self, *flags):
        folder = self.folder / "run"
        process = sumac(folder, *LENGTH, "--workers", 3, "--restarts", 1000, *flags)
        killed = []
        step = 1
        with self.subTest(seed=SEED, killed=killed):
            while len(killed) < KILLS:
                self.await_step(process, step)
                victim = self.kill_one(process)
                killed += [victim] if victim else []
                step = reached(folder, "progress") + self.random.randint(1, STEPS_BETWEEN)
            self.await_step(process, step)
            self.ends_as_one_worker(process, folder, "--workers", 3, *flags)


class ChaosTest(Chaos):
    def test_losses_change_no_bit_with_servers(self):
        self.lose_members("--servers", 2)

    def test_losses_change_no_bit_with_scatter_gather(self):
        self.lose_members(*all_reduce("scatterGather"))


class LongTest(Chaos):
    """The other exchanges whose members may change."""

    def test_losses_change_no_bit_with_one_server(self):
        self.lose_members("--servers", 1)

    def test_losses_change_no_bit_with_workers_that_sum(self):
        self.lose_members(*DECENTRALIZED)

    def test_losses_change_no_bit_with_direct(self):
        self.lose_members(*all_reduce("direct"))

    def test_losses_change_no_bit_with_halving_doubling(self):
        self.lose_members(*all_reduce("halvingDoubling"))


if __name__ == "__main__":
    jobs.main()
