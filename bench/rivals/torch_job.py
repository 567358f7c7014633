#!/usr/bin/env python3
"""Trains one of the benchmarks' networks with two processes of PyTorch: DistributedDataParallel over
Gloo, each with its own batch and one thread."""
import torch
from torch.nn.parallel import DistributedDataParallel

import together
import torch_together
import torch_train


def distribute(training, options):
    """The model is compiled already where it is to be."""
    arguments = ({"gradient_as_bucket_view": True, "static_graph": True} if options.bucket_views
                 else {})
    training.model = DistributedDataParallel(training.model, **arguments)


def main():
    parser = torch_train.parser(__doc__)
    parser.add_argument("--bucket-views", action="store_true",
                        help="gradients lie in the buckets that are sent, whose order is fixed")
    torch_together.add_options(parser)
    options = parser.parse_args()
    followers = torch_together.join(options)
    training = torch_train.make(options)
    distribute(training, options)
    if followers is None:
        together.follow(training.step)
    else:
        together.lead_training(training.step, followers, lambda: training.loss.item(),
                               training.per_step, torch.__version__)


if __name__ == "__main__":
    main()
