"""The entries about the exchange: what is measured, beside whom, and what nobody can exceed.

An entry names its programs by what makes them (exchange_programs.Makers), so that this file only
says what is compared.
"""
import dataclasses
from typing import Callable, Optional, Tuple

from entries import KEEP_MEMORY, Engine, Rival

SIZES = {"4kB": 4_000, "16kB": 16_000, "64kB": 64_000, "256kB": 256_000, "1MB": 1_000_000,
         "4MB": 4_000_000, "16MB": 16_000_000, "64MB": 64_000_000}


@dataclasses.dataclass(frozen=True)
class Beside:
    """Somebody to compare with. `stock`: True for a rival as people write it, False for one that was
    rewritten or is only computed, None for what is no rival, as Sumac itself in another way."""
    name: str
    make: Callable
    stock: Optional[bool] = True


@dataclasses.dataclass(frozen=True)
class Comparison:
    """`make` and those of the others take a Makers and return a program; `limit` is a name and one
    of them. Lower is better where the unit is us."""
    name: str
    unit: str
    make: Callable
    limit: Tuple[str, Callable]
    beside: Tuple[Beside, ...] = ()


@dataclasses.dataclass(frozen=True)
class Exchange:
    """Options of `sumac bench exchange` for one cell."""
    size: str
    algorithm: str
    workers: int = 2

    def command(self, program, seconds):
        size = SIZES.get(self.size, 248_000)
        # As many as take about that long at 0.5 GB/s and 100 us a message.
        steps = max(20, min(2_000, int(seconds * 5e8 / (size + 50_000))))
        return [program, "bench", "exchange", "--sizes", self.size, "--algorithms", self.algorithm,
                "--workers", str(self.workers), "--steps", str(steps), "-o", "json"]


@dataclasses.dataclass(frozen=True)
class Job:
    """A TrainingJob for `sumac run`."""
    model: str
    batch: int  # of the whole job
    strategy: str
    workers: int = 2
    servers: int = 0
    transport: str = "none"
    rate: float = 20_000  # samples a second, about: the first run's length is chosen with it

    @property
    def per_sample(self):
        return 20 if self.is_text else 1  # words

    @property
    def is_text(self):
        return self.model.startswith("ptb")

    def engine(self):
        """One worker's part of it."""
        return Engine(self.model, self.batch // self.workers)

    def document(self):
        if self.is_text:
            data = "{trainTokens: 400000, testTokens: 1000, vocabulary: 10000}"
            training = ('optimizer: {name: sgd, learningRate: "1.0"}\n'
                        '    clip: {globalNorm: "5"}\n    loss: {reduction: sumOverTime}')
        else:
            data = "{trainSamples: 8192, testSamples: 64, shape: [1, 28, 28], classes: 10}"
            training = 'optimizer: {name: sgd, learningRate: "0.001", momentum: "0.9"}'
        server = f"\n  server: {{replicas: {self.servers}}}" if self.servers else ""
        return f"""apiVersion: sumac.dev/v1alpha1
kind: TrainingJob
metadata: {{name: bench}}
spec:
  model: {{name: {self.model}}}
  data: {{format: generated, generated: {data}}}
  training:
    batchSize: {self.batch}
    logicalWorkers: {self.workers}
    steps: 100
    threads: 1
    {training}
  strategy: {self.strategy}
  worker: {{replicas: {self.workers}}}{server}
  security: {{transport: {self.transport}}}
"""


CENTRAL = "{topology: centralized}"
DECENTRALIZED = "{topology: decentralized}"
DIRECT = "{exchange: allReduce, algorithm: direct}"


def exchange(size, algorithm, workers=2):
    return lambda makers: makers.exchange(Exchange(size, algorithm, workers))


def bare(size, *options):
    return lambda makers: makers.bare(SIZES.get(size, 248_000), *options)


def push_sum(size):
    """One worker, one server: what a server costs beyond the echo."""
    return Comparison(
        f"push-sum-{size}", "us", exchange(size, "centralized", workers=1),
        ("bare ZeroMQ, tcp", bare(size)),
        (Beside("bare ZeroMQ, ipc", bare(size, "--ipc"), stock=None),))


def all_reduce(size):
    """Two processes; the limit is one bare round trip of the vector."""
    return Comparison(
        f"all-reduce-{size}", "us", exchange(size, "direct"),
        ("bare ZeroMQ, tcp, one round trip", bare(size)),
        (Beside("Gloo, tcp (torch.distributed)",
                lambda makers: makers.gloo(SIZES[size])),
         Beside("ps-lite, one server, tcp", lambda makers: makers.pslite(SIZES[size])),
         Beside("Sumac, decentralized", exchange(size, "decentralized"), stock=None),
         Beside("Sumac, centralized", exchange(size, "centralized"), stock=None),
         Beside("bare ZeroMQ, ipc, one round trip", bare(size, "--ipc"), stock=None)))


def ddp(name, *options, env=None, stock=True):
    return Rival("torch", "PyTorch DDP, Gloo, " + name, options, env or {}, stock)


def kvstore(name, *options):
    return Rival("mxnet", "MXNet dist_sync, " + name, options, KEEP_MEMORY)


TUNED = ("--fused", "--bucket-views")
LENET5_JOB_RIVALS = (
    ddp("as people write it"),
    ddp("tuned: allocator, channels last, fused, bucket views", "--channels-last", *TUNED,
        env=KEEP_MEMORY),
    ddp("tuned, compiled", "--channels-last", "--compile", *TUNED, env=KEEP_MEMORY),
    ddp("tuned, oneDNN tensors by hand", "--onednn-tensors", *TUNED, env=KEEP_MEMORY,
        stock=False),
    kvstore("hybrid"),
)
PTB_JOB_RIVALS = (
    ddp("as people write it"),
    ddp("tuned: allocator, bucket views", *TUNED, env=KEEP_MEMORY),
    ddp("tuned, oneDNN tensors by hand", "--onednn-tensors", *TUNED, env=KEEP_MEMORY,
        stock=False),
    kvstore("hybrid"),
)


def job(entry_name, unit, one, rivals=()):
    return Comparison(
        entry_name, unit, lambda makers: makers.job(one),
        ("two workers' compute alone" if one.workers == 2 else "a worker alone",
         lambda makers: makers.engines(one.engine(), one.workers)),
        tuple(Beside(rival.name, lambda makers, rival=rival: makers.job_rival(rival, one),
                     rival.stock) for rival in rivals))


def curve(entry_name, one):
    """The limit is the same job in the clear."""
    return Comparison(
        "curve-" + entry_name, "samples/s",
        lambda makers: makers.job(dataclasses.replace(one, transport="curve")),
        ("the job in the clear", lambda makers: makers.clear_job(one)),
        (Beside("AES-256-GCM, computed", lambda makers: makers.aes_gcm(one), stock=None),))


LENET5_JOBS = {
    "lenet5-job-central": Job("lenet5", 128, CENTRAL, servers=1, rate=50_000),
    "lenet5-job-decentralised": Job("lenet5", 128, DECENTRALIZED, rate=60_000),
    "lenet5-job-direct": Job("lenet5", 128, DIRECT, rate=60_000),
}
LENET5_1X1 = Job("lenet5", 64, CENTRAL, workers=1, servers=1, rate=50_000)
PTB_JOB = Job("ptb-lstm-small", 20, DECENTRALIZED, rate=600)

COMPARISONS = (
    push_sum("248kB"),
    push_sum("64MB"),
    *(all_reduce(size) for size in SIZES),
    *(job(name, "samples/s", one, LENET5_JOB_RIVALS) for name, one in LENET5_JOBS.items()),
    job("lenet5-job-1x1", "samples/s", LENET5_1X1),
    job("ptb-job-decentralised", "tokens/s", PTB_JOB, PTB_JOB_RIVALS),
    *(curve(name, one) for name, one in LENET5_JOBS.items()),
)
