"""What PyTorch's programs of several processes share: how they meet."""
import os
import pathlib
import tempfile

import torch
from torch import distributed

import together


def add_options(parser):
    parser.add_argument("--rank", type=int, default=0)
    parser.add_argument("--meeting", help="the file by which the processes find each other")


def join(options):
    """The followers of rank 0, None for them. Gloo talks TCP over the loopback interface."""
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    followers, folder = None, None
    if options.rank == 0:
        folder = tempfile.TemporaryDirectory(prefix="sumac-bench-")
        options.meeting = str(pathlib.Path(folder.name, "meeting"))
        followers = together.Followers(["--meeting", options.meeting])
    torch.set_num_threads(1)
    distributed.init_process_group("gloo", init_method="file://" + options.meeting,
                                   rank=options.rank, world_size=together.WORKERS)
    distributed.barrier()
    if folder:
        folder.cleanup()
    return followers
