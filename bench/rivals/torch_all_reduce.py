#!/usr/bin/env python3
"""Sums a vector over two processes with Gloo, as torch.distributed calls it."""
import argparse

import torch
from torch import distributed

import together
import torch_together


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bytes", type=int, required=True)
    torch_together.add_options(parser)
    options = parser.parse_args()
    followers = torch_together.join(options)
    values = torch.zeros(options.bytes // 4)  # stay zero: no sum overflows
    def step():
        distributed.all_reduce(values)

    if followers is None:
        together.follow(step)
    else:
        together.lead_latency(step, followers, torch.__version__)


if __name__ == "__main__":
    main()
