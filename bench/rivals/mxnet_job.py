#!/usr/bin/env python3
"""Trains one of the benchmarks' networks with two workers of MXNet and a server: kvstore dist_sync,
each worker with its own batch and one thread."""
import atexit
import os
import socket
import subprocess
import sys

import together

LOOPBACK = "127.0.0.1"


def free_port():
    with socket.socket() as one:
        one.bind((LOOPBACK, 0))
        return one.getsockname()[1]


def start_others():
    """The scheduler and the server, which are what importing MXNet becomes in these roles."""
    os.environ.update(DMLC_PS_ROOT_URI=LOOPBACK, DMLC_PS_ROOT_PORT=str(free_port()),
                      DMLC_NUM_WORKER=str(together.WORKERS), DMLC_NUM_SERVER="1",
                      DMLC_NODE_HOST=LOOPBACK)
    others = [subprocess.Popen([sys.executable, "-c", "import mxnet"],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               env={**os.environ, "DMLC_ROLE": role})
              for role in ("scheduler", "server")]
    os.environ["DMLC_ROLE"] = "worker"
    atexit.register(lambda: [other.kill() for other in others])


def main():
    is_leader = "--rank" not in sys.argv
    if is_leader:
        start_others()
    followers = together.Followers() if is_leader else None
    import mxnet as mx  # reads its role
    import mxnet_train
    parser = mxnet_train.parser(__doc__)
    parser.add_argument("--rank", type=int, default=0)
    options = parser.parse_args()
    options.kvstore = mx.kv.create("dist_sync")
    training = mxnet_train.make(options)
    if followers is None:
        together.follow(training.step)
    else:
        together.lead_training(training.step, followers,
                               lambda: training.loss.mean().asscalar(), training.per_step,
                               mx.__version__)


if __name__ == "__main__":
    main()
