#!/usr/bin/env python3
"""Trains the papers' networks on real data and compares what they reach with PyTorch's figures.

    accept.py --sumac build/release/bin/sumac --data FOLDER [CHECK...]

FOLDER holds mnist/, ptb/ and cifar-10/ as docs/performance.md describes them. Takes minutes; prints a
line for each run and exits 1 when a goal is missed.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEEDS = (1, 2, 3)

# PyTorch's means of three seeds on the same files; the goal is 3 % around the first.
PTB_VALID_PERPLEXITY = 223.5
PTB_TEST_PERPLEXITY = 219.1
PTB_TOLERANCE = 0.03
CIFAR_ACCURACY = 0.55  # PyTorch: 0.57
MNIST_ACCURACY = 0.977  # PyTorch
MNIST_TOLERANCE = 0.01  # seeds differ by as much


def train(sumac, job, data, folder, *settings):
    command = [sumac, "run", ROOT / "examples" / job, "--output-dir", folder, "--set", f"data.path={data}"]
    for setting in settings:
        command += ["--set", setting]
    subprocess.run(list(map(str, command)), check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return json.loads((folder / "result.json").read_text())


def ptb(sumac, data, folder):
    valid, test = [], []
    for seed in SEEDS:
        result = train(sumac, "ptb-lstm-small.yaml", data / "ptb", folder / f"ptb-{seed}", f"training.seed={seed}")
        valid.append(result["validPerplexity"])
        test.append(result["testPerplexity"])
        print(f"ptb-lstm-small seed {seed}: valid {valid[-1]:.1f}, test {test[-1]:.1f}, "
              f"{result['samplesPerSecond']:.0f} samples/s", flush=True)
    mean = statistics.mean(valid)
    print(f"ptb-lstm-small: mean valid {mean:.1f} (PyTorch {PTB_VALID_PERPLEXITY}), "
          f"mean test {statistics.mean(test):.1f} (PyTorch {PTB_TEST_PERPLEXITY})")
    return abs(mean / PTB_VALID_PERPLEXITY - 1) <= PTB_TOLERANCE


def cifar10(sumac, data, folder):
    result = train(sumac, "cifar10-quick.yaml", data / "cifar-10", folder / "cifar10")
    print(f"cifar10-quick: accuracy {result['testAccuracy']:.4f} (PyTorch 0.57), "
          f"{result['samplesPerSecond']:.0f} samples/s")
    return result["testAccuracy"] >= CIFAR_ACCURACY


def mnist(sumac, data, folder):
    accuracies = []
    for seed in SEEDS:
        # PyTorch's settings; a norm of a million clips nothing.
        result = train(sumac, "lenet5-fashion.yaml", data / "mnist", folder / f"mnist-{seed}",
                       f"training.seed={seed}", "training.batchSize=64", "training.epochs=12",
                       "training.logicalWorkers=2", "training.optimizer.learningRate=0.02",
                       "training.clip.globalNorm=1000000")
        accuracies.append(result["testAccuracy"])
        print(f"lenet5 on MNIST, seed {seed}: accuracy {accuracies[-1]:.4f}, "
              f"{result['samplesPerSecond']:.0f} samples/s", flush=True)
    mean = statistics.mean(accuracies)
    print(f"lenet5 on MNIST: mean accuracy {mean:.4f} (PyTorch {MNIST_ACCURACY})")
    return mean >= MNIST_ACCURACY - MNIST_TOLERANCE


CHECKS = {"mnist": mnist, "ptb": ptb, "cifar10": cifar10}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sumac", required=True, type=pathlib.Path)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("checks", nargs="*", metavar="CHECK", help=f"{', '.join(CHECKS)}; all by default")
    arguments = parser.parse_args()
    unknown = set(arguments.checks) - set(CHECKS)
    if unknown:
        parser.error(f"no check {', '.join(sorted(unknown))}; there are {', '.join(CHECKS)}")
    data = arguments.data.resolve()
    missed = []
    with tempfile.TemporaryDirectory(prefix="sumac-accept-") as folder:
        for check in arguments.checks or CHECKS:
            if not CHECKS[check](arguments.sumac.resolve(), data, pathlib.Path(folder)):
                missed.append(check)
    if missed:
        sys.exit(f"goal missed: {', '.join(missed)}")


if __name__ == "__main__":
    main()
