"""Starts jobs whose members come, go and are killed, and reads from their logs when training went on."""
import contextlib
import datetime
import json
import os
import pathlib
import signal
import socket
import subprocess
import threading
import time

PATIENCE_SECONDS = 60  # ends only what has failed already


class Failed(Exception):
    """A job did not do what is measured; the text says what."""


def until(condition, what):
    """Waits until `condition` returns something true, and returns that."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.002)
    raise Failed(f"waited {PATIENCE_SECONDS} s in vain for {what}")


def lenet5(workers=2, servers=1, strategy=""):
    """A document whose steps take a few milliseconds."""
    return document("{name: lenet5}", 64, 8, 100_000, workers, servers, strategy)


def wide(megabytes, steps, batch=8, parts=8, workers=2, servers=0):
    """One whose state, weights and momentum, has about so many MB, most of it in one dense layer. Of
    400 steps slot 0 tells each."""
    inputs, edge = 784, 256
    outputs = 0
    while (inputs + outputs) * outputs * 8 < megabytes * 1e6:
        outputs += edge
    model = ("{input: [1, 28, 28], layers: [{type: flatten}, {type: dense, outputs: %d}, {type: relu}, "
             "{type: dense, outputs: %d}, {type: relu}, {type: dense, outputs: 10}, "
             "{type: softmaxCrossEntropy}]}" % (outputs, outputs))
    return document(model, batch, parts, steps, workers, servers,
                    "" if servers else "{topology: decentralized}")


def document(model, batch, parts, steps, workers, servers, strategy):
    return f"""apiVersion: sumac.dev/v1alpha1
kind: TrainingJob
metadata: {{name: members}}
spec:
  model: {model}
  data: {{format: generated, generated: {{shape: [1, 28, 28], classes: 10, trainSamples: 6400, testSamples: 8}}}}
  training:
    batchSize: {batch}
    logicalWorkers: {parts}
    steps: {steps}
    threads: 1
    optimizer: {{name: sgd, learningRate: "0.0001", momentum: "0.9"}}
    evaluation: {{everyEpochs: 1000000}}
  worker: {{replicas: {workers}}}
  security: {{transport: none}}
""" + (f"  server: {{replicas: {servers}}}\n" if servers else "") + (
        f"  strategy: {strategy}\n" if strategy else "")


class Line(dict):
    """A line of a member's log."""

    @property
    def at(self):
        """In seconds since 1970, as time.time(): to a millisecond."""
        return datetime.datetime.fromisoformat(self["time"]).timestamp()


class Members:
    """The processes of one job. `pids`: by name, such as "worker 1"."""

    def __init__(self, programs, folder, text):
        self.programs, self.folder = programs, folder
        folder.mkdir(parents=True, exist_ok=True)
        self.document = folder / "job.yaml"
        self.document.write_text(text)

    def log(self, name):
        raise NotImplementedError

    def pids(self):
        raise NotImplementedError

    def said(self, name, message):
        """The lines of a member's log with this message."""
        try:
            text = self.log(name).read_text()
        except FileNotFoundError:
            return []
        lines = (json.loads(line) for line in text.splitlines(True) if line.startswith("{") and line.endswith("\n"))
        return [Line(line) for line in lines if line["message"] == message]

    def await_line(self, name, message, count=1):
        """The line of that number, from 1."""
        return until(lambda: self.said(name, message)[count - 1:count], f"{name}: {message}")[0]

    def next_step(self, witness, action):
        """Lets members change by `action`, and waits until the worker `witness` has trained on.
        Returns the line that says so, and when the action began."""
        before = len(self.said(witness, "training goes on"))
        began = time.time()
        action()
        return self.await_line(witness, "training goes on", before + 1), began

    def kill(self, name, number=signal.SIGKILL):
        os.kill(until(lambda: self.pids().get(name), name), number)

    def step(self):
        """The newest step that slot 0 has told of; -1 before the first."""
        raise NotImplementedError

    def await_steps(self, count):
        """Until so many more are done."""
        first = until(lambda: self.step() + 1, "a first step")
        until(lambda: self.step() + 1 >= first + count, f"{count} steps")


class Run(Members):
    """`sumac run`, which starts members again that are lost."""

    def __init__(self, programs, folder, text, *arguments):
        super().__init__(programs, folder, text)
        self.output = folder / "run"
        self.start("--output-dir", self.output, *arguments)

    def start(self, *arguments):
        command = [self.programs / "sumac", "run", self.document, "--log-format", "json", *arguments]
        with open(self.folder / "out", "ab") as out:
            self.process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=out,
                                            stderr=out)

    def resume(self, *arguments):
        self.start("--resume", self.output, *arguments)

    def log(self, name):
        return self.output / (name.replace(" ", "-") + ".log")

    def pids(self):
        found = {}
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        for child in children.read_text().split():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                words = pathlib.Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
                role = os.path.basename(words[0].decode()).removeprefix("sumac-")
                if b"--index" in words:
                    found[f"{role} {words[words.index(b'--index') + 1].decode()}"] = int(child)
        return found

    def scale(self, workers):
        subprocess.run([self.programs / "sumac", "scale", self.output, str(workers)], check=True,
                       stdout=subprocess.DEVNULL)

    def step(self):
        try:
            lines = (self.output / "metrics.jsonl").read_text().splitlines()
        except FileNotFoundError:
            return -1
        steps = [json.loads(line)["step"] for line in lines[-3:]
                 if line.startswith('{"event":"progress"') and line.endswith("}")]
        return steps[-1] if steps else -1

    def stop(self, number=signal.SIGINT):
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(PATIENCE_SECONDS)


class Bare(Members):
    """Processes without a supervisor, as pods are; each may have a network namespace of its own."""

    def __init__(self, programs, folder, text, workers=2, servers=0, elastic=True, links=None):
        super().__init__(programs, folder, text)
        self.elastic, self.links = elastic, links
        self.processes, self.progress = {}, []  # (time.time(), event) of slot 0
        self.names = [f"server {i}" for i in range(servers)] + [f"worker {i}" for i in range(workers)]
        (folder / "token").write_text("the token of the job\n")
        self.places = {}

    def start_all(self):
        for name in self.names:
            self.start(name)

    def place(self, name):
        """The member's address: its own, so that it keeps its port."""
        if name not in self.places:
            number = len(self.places) + 1
            host = self.links.address(number - 1) if self.links else f"127.77.{os.getpid() % 250 + 1}.{number}"
            if self.links:
                port = 7070
            else:
                with socket.socket() as probe:
                    probe.bind((host, 0))
                    port = probe.getsockname()[1]
            self.places[name] = f"tcp://{host}:{port}"
        return self.places[name]

    def log(self, name):
        return self.folder / (name.replace(" ", "-") + ".log")

    def start(self, name):
        if name not in self.names:
            self.names.append(name)
        role, index = name.split()
        first = name == self.names[0]
        variables = {"SUMAC_JOB": self.document, "SUMAC_INDEX": index, "SUMAC_JOB_UID": "bench",
                     "SUMAC_JOB_TOKEN_FILE": self.folder / "token", "SUMAC_LISTEN": self.place(name),
                     "SUMAC_TERMINATION_FILE": self.log(name).with_suffix(".word"),
                     "SUMAC_CHECKPOINT": self.folder / "checkpoints", "SUMAC_OUTPUT": self.folder / "output",
                     "SUMAC_LOG_FORMAT": "json", "SUMAC_ELASTIC": str(self.elastic).lower()}
        variables["SUMAC_PROGRESS_FD" if first else "SUMAC_COORDINATOR"] = 1 if first else self.place(self.names[0])
        environment = {key: value for key, value in os.environ.items() if not key.startswith("SUMAC_")}
        environment.update({key: str(value) for key, value in variables.items()})
        command = [str(self.programs / f"sumac-{role}")]
        if self.links:
            command = self.links.inside(self.names.index(name)) + command
        with open(self.log(name), "ab") as log:
            process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stderr=log,
                                       stdout=subprocess.PIPE if first else log)
        self.processes[name] = process
        if first:
            threading.Thread(target=self._listen, args=(process,), daemon=True).start()

    def _listen(self, process):
        for line in process.stdout:
            if line.startswith(b"{"):
                self.progress.append((time.time(), json.loads(line)))

    def pids(self):
        return {name: process.pid for name, process in self.processes.items() if process.poll() is None}

    def step(self):
        steps = [event["step"] for _, event in self.progress if event["event"] in ("progress", "interim")]
        return steps[-1] if steps else -1

    def step_seconds(self):
        """Of the newest steps, where each is told."""
        times = [at for at, event in list(self.progress) if event["event"] == "progress"][-3:]
        return (times[-1] - times[0]) / (len(times) - 1)

    def event(self, name, after):
        """When slot 0 told of the first such event since."""
        found = lambda: [at for at, event in list(self.progress) if event["event"] == name and at >= after]
        return until(found, f"the event {name}")[0]

    def end(self, name):
        self.processes[name].kill()
        self.processes[name].wait()

    def stop(self):
        for process in self.processes.values():
            if process.poll() is None:
                process.kill()
            process.wait()
