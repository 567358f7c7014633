"""What make bench measures: the entries, what Sumac does for them, and who is asked beside it."""
import dataclasses
from typing import Dict, Optional, Tuple

# Multiply-accumulates of a forward pass times 6 (forwards, gradient of the inputs, gradient of the
# weights, each with a multiplication and an addition), less the first layer's gradient of its inputs,
# which nobody needs.
FLOP = {
    "lenet5": 6 * 416_520 - 2 * 117_600,  # of an image
    "cifar10-quick": 6 * 12_354_176 - 2 * 2_457_600,
    "ptb-lstm-small": 6 * (2 * 4 * 200 * 400 + 200 * 10_000),  # of a word
}
VOCABULARY = 10_000

# What glibc does with memory that is given back: keeps it, in place of a page fault for each page
# of every large tensor of every step.
KEEP_MEMORY = {
    "MALLOC_MMAP_THRESHOLD_": str(1 << 30),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 32),
    "MALLOC_TOP_PAD_": str(1 << 28),
}
HUGE_PAGES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
NAIVE_ENGINE = {"MXNET_ENGINE_TYPE": "NaiveEngine"}


@dataclasses.dataclass(frozen=True)
class Engine:
    """Options of sumac-bench-engine."""
    model: str
    batch: int
    parts: int = 1
    threads: int = 1

    def command(self, program, seconds):
        return [program, "--model", self.model, "--batch", str(self.batch), "--parts",
                str(self.parts), "--threads", str(self.threads), "--vocabulary", str(VOCABULARY),
                "--seconds", str(seconds)]


@dataclasses.dataclass(frozen=True, eq=False)
class Rival:
    """One way to run a rival. `stock` says that its model is written as everybody writes it;
    otherwise it was rewritten for speed, which no setting does."""
    framework: str  # torch or mxnet
    name: str
    options: Tuple[str, ...] = ()
    env: Dict[str, str] = dataclasses.field(default_factory=dict)
    stock: bool = True

    def command(self, python, script, engine):
        threads = ("--threads", str(engine.threads)) if self.framework == "torch" else ()
        return [python, script, "--model", engine.model, "--batch", str(engine.batch),
                "--vocabulary", str(VOCABULARY), *threads, *self.options]


@dataclasses.dataclass(frozen=True)
class Entry:
    name: str
    unit: str
    engine: Engine
    rivals: Tuple[Rival, ...] = ()
    versus: Optional[Engine] = None  # Sumac itself, when that is what the entry is compared with
    versus_name: str = ""

    @property
    def flop(self):
        return FLOP[self.engine.model]


def torch(name, *options, env=None, stock=True):
    return Rival("torch", "PyTorch, " + name, options, env or {}, stock)


def mxnet(name, *options, env=None):
    return Rival("mxnet", "MXNet, " + name, options, env or {})


IMAGE_RIVALS = (
    torch("default"),
    torch("allocator tuned", env=KEEP_MEMORY),
    torch("allocator tuned, channels last", "--channels-last", "--fused", env=KEEP_MEMORY),
    torch("huge pages, channels last", "--channels-last", "--fused", env=HUGE_PAGES),
    torch("allocator tuned, channels last, compiled", "--channels-last", "--fused", "--compile",
          env=KEEP_MEMORY),
    mxnet("hybrid", env=KEEP_MEMORY),
    mxnet("hybrid, SoftmaxOutput", "--softmax-output", env=KEEP_MEMORY),
    mxnet("hybrid, SoftmaxOutput, NaiveEngine", "--softmax-output",
          env={**KEEP_MEMORY, **NAIVE_ENGINE}),
)
# Not for cifar10-quick: oneDNN's average pooling divides by other counts at the borders.
LENET5_RIVALS = IMAGE_RIVALS + (
    torch("allocator tuned, oneDNN tensors by hand", "--onednn-tensors", "--fused",
          env=KEEP_MEMORY, stock=False),
    torch("huge pages, oneDNN tensors by hand", "--onednn-tensors", "--fused", env=HUGE_PAGES,
          stock=False),
)
TEXT_RIVALS = (
    torch("default"),
    torch("allocator tuned", env=KEEP_MEMORY),
    torch("allocator tuned, sparse embedding", "--sparse", env=KEEP_MEMORY),
    torch("huge pages", "--fused", env=HUGE_PAGES),
    torch("allocator tuned, compiled", "--compile", env=KEEP_MEMORY),
    torch("allocator tuned, oneDNN tensors by hand", "--onednn-tensors", env=KEEP_MEMORY,
          stock=False),
    torch("allocator tuned, sparse embedding, oneDNN tensors by hand", "--sparse",
          "--onednn-tensors", env=KEEP_MEMORY, stock=False),
    mxnet("hybrid", env=KEEP_MEMORY),
    mxnet("hybrid, sparse embedding", "--sparse", env=KEEP_MEMORY),
    mxnet("hybrid, sparse embedding, SoftmaxOutput", "--sparse", "--softmax-output",
          env=KEEP_MEMORY),
)

LENET5 = Engine("lenet5", 64)
LENET5_128 = Engine("lenet5", 128)
CIFAR10_QUICK = Engine("cifar10-quick", 100)
PTB_LSTM = Engine("ptb-lstm-small", 20)


def with_parts(engine, parts):
    return dataclasses.replace(engine, parts=parts)


def with_threads(engine, threads):
    return dataclasses.replace(engine, threads=threads)


ENTRIES = (
    Entry("lenet5-train", "samples/s", LENET5, LENET5_RIVALS),
    Entry("lenet5-train-v8", "samples/s", with_parts(LENET5_128, 8), versus=LENET5_128,
          versus_name="V=1"),
    Entry("lenet5-train-2threads", "samples/s", with_threads(LENET5, 2), versus=LENET5,
          versus_name="1 thread"),
    Entry("cifar10-quick-train", "samples/s", CIFAR10_QUICK, IMAGE_RIVALS),
    Entry("ptb-lstm-train", "tokens/s", PTB_LSTM, TEXT_RIVALS),
    Entry("ptb-lstm-train-v4", "tokens/s", with_parts(PTB_LSTM, 4), versus=PTB_LSTM,
          versus_name="V=1"),
    Entry("ptb-lstm-train-2threads", "tokens/s", with_threads(PTB_LSTM, 2), versus=PTB_LSTM,
          versus_name="1 thread"),
)
