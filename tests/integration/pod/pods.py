"""Members of one job as a kubelet would start them: each has an address of its own and is configured
by the environment; it serves its status over HTTP and writes its last word to a file."""

import json
import os
import pathlib
import random
import re
import socket
import subprocess
import time
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = pathlib.Path()
DEADLINE_SECONDS = 100  # ends only a test that has failed already, on however busy a machine


def until(condition, what, seconds=DEADLINE_SECONDS):
    """Waits until `condition` returns something true, and returns that."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.005)
    raise AssertionError(f"waited {seconds} s in vain for {what}")


def free_ports(host):
    """Two ports that nobody uses. Few processes use the same loopback address, so they stay free."""
    with socket.socket() as one, socket.socket() as other:
        for probe in (one, other):
            probe.bind((host, 0))
        return one.getsockname()[1], other.getsockname()[1]


def hash_in(folder):
    return json.loads((folder / "result.json").read_text())["parametersSha256"]


class Pod:
    """The place of a member: a loopback address and two ports, and the process that runs there."""

    prefix = ()  # of the command

    def __init__(self, job, role, index):
        self.job, self.role, self.index = job, role, index
        self.process = None
        self.place()

    def place(self):
        self.ip = f"127.{random.randint(1, 254)}.{random.randint(1, 254)}.{random.randint(2, 254)}"
        self.data, self.status = free_ports(self.ip)

    @property
    def name(self):
        return f"{self.role} {self.index}"

    @property
    def host(self):
        return f"[{self.ip}]" if ":" in self.ip else self.ip

    def start(self, attempt=0, **environment):
        self.word = self.job.folder / f"{self.role}-{self.index}-{attempt}.word"
        self.log = self.word.with_suffix(".log")
        variables = {
            "SUMAC_JOB": self.job.document,
            "SUMAC_INDEX": self.index,
            "SUMAC_ATTEMPT": attempt,
            "SUMAC_JOB_UID": "uid-of-the-job",
            "SUMAC_JOB_TOKEN_FILE": self.job.token,
            # As Kubernetes fills in an address: without brackets.
            "SUMAC_LISTEN": f"tcp://{self.ip}:{self.data}",
            "SUMAC_STATUS_LISTEN": f"{self.ip}:{self.status}",
            "SUMAC_TERMINATION_FILE": self.word,
            "SUMAC_CHECKPOINT": self.job.folder / "checkpoints",
            "SUMAC_OUTPUT": self.job.folder / "output",
        }
        first = self.job.coordinator
        if (self.role, self.index) != (first.role, first.index):
            variables["SUMAC_COORDINATOR"] = f"tcp://{first.host}:{first.data}"
        variables.update(environment)
        clean = {key: value for key, value in os.environ.items() if not key.startswith("SUMAC_")}
        clean.update({key: str(value) for key, value in variables.items() if value is not None})
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([*self.prefix, PROGRAMS / f"sumac-{self.role}"], env=clean, stderr=log,
                                            stdin=subprocess.DEVNULL, stdout=log)
        return self

    def get(self, path):
        """(status, text); (0, "") while nobody answers."""
        try:
            with urllib.request.urlopen(f"http://{self.host}:{self.status}{path}", timeout=DEADLINE_SECONDS) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError:
            return 0, ""

    def is_ready(self):
        return self.get("/readyz")[0] == 200

    def progress(self):
        status, text = self.get("/progress")
        return json.loads(text) if status == 200 else None

    def metric(self, name):
        for line in self.get("/metrics")[1].splitlines():
            if line.startswith(name + " "):
                return float(line.rsplit(" ", 1)[1])
        return None

    def end(self):
        """(exit status, last word)."""
        try:
            code = self.process.wait(timeout=DEADLINE_SECONDS)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.name} does not end:\n{self.log.read_text()}") from None
        word = self.word.read_text() if self.word.exists() else None
        if word is not None and code != 0:
            # A line of its own for the operator: the last step that the member completed.
            word, _, said = word.partition('\n{"schemaVersion":1,"step":')
            self.last_step = int(said.removesuffix("}")) if said else None
        return code, word


class Ipv6Pod(Pod):
    """At ::1, the only address of its kind: the system picks the ports, and the log tells them."""

    def place(self):
        self.ip, self.data, self.status = "::1", 0, 0

    def start(self, *arguments, **environment):
        super().start(*arguments, **environment)
        self.status = int(self.said(r"address=\[::1\]:(\d+)"))
        if self.role == "server":
            self.data = int(self.said(r"endpoint=tcp://\[::1\]:(\d+)"))
        return self

    def said(self, pattern):
        return until(lambda: re.search(pattern, self.log.read_text()), f"{self.name} to listen")[1]


class Job:
    """Two workers and two servers, none of them started. Runs until it is stopped, so that what a test
    reads cannot be over; a test that awaits the end sets `steps`. Without servers it is decentralised."""

    def __init__(self, folder, servers=2, kind=Pod, **training):
        self.folder = folder
        self.document = folder / "job.json"
        document = json.loads((HERE / "job.json").read_text())
        document["spec"]["training"].update(training)
        if servers > 0:
            document["spec"]["server"]["replicas"] = servers
        else:
            del document["spec"]["server"]
            document["spec"]["strategy"] = {"topology": "decentralized"}
        self.steps = document["spec"]["training"]["steps"]
        self.token = folder / "token"
        self.token.write_text("the token of the job\n")
        self.document.write_text(json.dumps(document))
        self.servers = [kind(self, "server", index) for index in range(servers)]
        self.workers = [kind(self, "worker", index) for index in range(2)]

    @property
    def coordinator(self):
        return (self.servers + self.workers)[0]

    @property
    def pods(self):
        return self.workers[::-1] + self.servers[::-1]

    def start(self, attempt=0):
        """Workers first, the coordinator last."""
        for pod in self.pods:
            pod.start(attempt)
        return self

    def await_step(self, step):
        until(lambda: (self.coordinator.progress() or {"step": -1})["step"] >= step, f"step {step}")

    def newest_checkpoint(self):
        """Its step."""
        return max(int(path.name.split("-")[1]) for path in (self.folder / "checkpoints").glob("step-*"))

    def shorten(self, steps):
        """Makes of an endless job one of so many steps: its next processes follow that."""
        document = json.loads(self.document.read_text())
        document["spec"]["training"]["steps"] = self.steps = steps
        self.document.write_text(json.dumps(document))

    def weights(self):
        """The hash of those that the job ended with."""
        return hash_in(self.folder / "output")

    def weights_of_one_process(self):
        folder = self.folder / "alone"
        subprocess.run([PROGRAMS / "sumac", "run", self.document, "--workers", "1", "--output-dir", folder],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return hash_in(folder)

    def kill(self):
        for pod in self.pods:
            if pod.process and pod.process.poll() is None:
                pod.process.kill()
                pod.process.wait()
