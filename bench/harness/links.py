"""Network namespaces with a link each to a switch, limited both ways, as `sumac experiment` makes them (docs/experiments.md)."""
import os
import subprocess


class Links:
    """A context; needs root. Members have the addresses that address() says."""

    def __init__(self, members, rate):
        self.rate = rate  # bits a second
        self.spaces = [f"sumac-bench-{os.getpid()}-{name}" for name in ("switch", *range(members))]

    @staticmethod
    def address(member):
        return f"10.77.0.{member + 1}"

    def inside(self, member):
        """What a command begins with to run in the member's namespace."""
        return ["ip", "netns", "exec", self.spaces[member + 1]]

    def __enter__(self):
        try:
            for space in self.spaces:
                self._run("ip", "netns", "add", space)
            self._switch("ip", "link", "add", "hub", "type", "bridge", "stp_state", "0", "forward_delay", "0")
            self._switch("ip", "link", "set", "hub", "up")
            for member, space in enumerate(self.spaces[1:]):
                self._connect(member, space)
        except BaseException:
            self.__exit__()
            raise
        return self

    def _connect(self, member, space):
        port = f"port{member}"
        own = self.inside(member)
        self._switch("ip", "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", space)
        self._switch("ip", "link", "set", port, "master", "hub", "up")
        self._run(*own, "ip", "link", "set", "lo", "up")
        self._run(*own, "ip", "address", "add", self.address(member) + "/24", "dev", "eth0")
        self._run(*own, "ip", "link", "set", "eth0", "up")
        bucket = ("root", "tbf", "rate", f"{self.rate}bit", "burst", "256k", "limit", "1m")
        self._switch("tc", "qdisc", "replace", "dev", port, *bucket)
        self._run(*own, "tc", "qdisc", "replace", "dev", "eth0", *bucket)

    def _switch(self, *command):
        self._run("ip", "netns", "exec", self.spaces[0], *command)

    @staticmethod
    def _run(*command):
        subprocess.run(command, check=True)

    def __exit__(self, *_):
        for space in self.spaces:
            subprocess.run(["ip", "netns", "delete", space], stderr=subprocess.DEVNULL, check=False)
