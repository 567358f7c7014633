"""Jobs of programs whose members are started one by one, as `sumac run` and a kubelet start them: by variables."""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from programs import FOLDER, HERE, environment

PROGRAMS = pathlib.Path()
DEADLINE_SECONDS = 100  # ends only a test that has failed already, on however busy a machine


def document(workers, servers, steps, parts, batch, strategy, verify):
    spec = {
        "program": {"command": ["python3", "program.py"], "threads": 1, "verify": verify},
        "training": {"batchSize": batch, "steps": steps, "seed": 1, "logicalWorkers": parts},
        "worker": {"replicas": workers},
        "checkpoint": {"path": "/checkpoints", "everySteps": 5},
        "security": {"transport": "none"},
    }
    if servers:
        spec["server"] = {"replicas": servers}
        spec["strategy"] = {"topology": "centralized"}
    else:
        spec["strategy"] = {"exchange": "allReduce", "algorithm": strategy or "direct"}
    return {"apiVersion": "sumac.dev/v1alpha1", "kind": "TrainingJob", "metadata": {"name": "program"}, "spec": spec}


def code_of(files):
    """spec.program.code of sources by their names, as docs/trainingjob.md says."""
    lines = "".join(f"{hashlib.sha256(text.encode()).hexdigest()}  {name}\n" for name, text in sorted(files.items()))
    return {"sha256": hashlib.sha256(lines.encode()).hexdigest(), "files": sorted(files)}


class Member:
    """One process of a job; its stdout and stderr go to files."""

    def __init__(self, job, role, index, command, **more):
        self.job, self.role, self.index = job, role, index
        self.word = job.folder / f"{role}-{index}-{len(job.members)}.word"
        self.out, self.log = self.word.with_suffix(".out"), self.word.with_suffix(".log")
        ready, self._ready = os.pipe()
        variables = {"SUMAC_JOB": job.document, "SUMAC_INDEX": index, "SUMAC_WORKERS": job.workers,
                     "SUMAC_LISTEN": "tcp://127.0.0.1:0", "SUMAC_READY_FD": self._ready, "SUMAC_CHECKPOINT": job.checkpoints,
                     "SUMAC_OUTPUT": job.output, "SUMAC_TERMINATION_FILE": self.word, **job.variables, **more}
        if job.coordinator:
            variables["SUMAC_COORDINATOR"] = job.coordinator
        with open(self.out, "wb") as out, open(self.log, "wb") as log:
            self.process = subprocess.Popen([*map(str, command)], stdout=out, stderr=log, stdin=subprocess.DEVNULL,
                                            pass_fds=[self._ready], cwd=job.folder,
                                            env=environment(**{name: str(value) for name, value in variables.items()}))
        os.close(self._ready)
        self._ready = ready
        job.members.append(self)

    def endpoint(self):
        with open(self._ready, encoding="utf-8") as pipe:
            return pipe.readline().strip()

    @property
    def lines(self):
        return dict(line.partition(" ")[::2] for line in self.out.read_text(encoding="utf-8").splitlines())

    @property
    def errors(self):
        return self.log.read_text(encoding="utf-8")

    def end(self):
        """The exit code; a negative one is a signal's."""
        try:
            return self.process.wait(timeout=DEADLINE_SECONDS)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.role} {self.index} does not end:\n{self.errors}") from None

    def until(self, pattern, what="out"):
        """Waits until a line of its output has the pattern."""
        deadline = time.monotonic() + DEADLINE_SECONDS
        file = self.out if what == "out" else self.log
        while time.monotonic() < deadline:
            if found := re.search(pattern, file.read_text(encoding="utf-8"), re.MULTILINE):
                return found
            if self.process.poll() is not None and not re.search(pattern, file.read_text(encoding="utf-8"), re.MULTILINE):
                break
            time.sleep(0.005)
        raise AssertionError(f"{self.role} {self.index} has no line {pattern!r}:\n{self.out.read_text()}{self.errors}")


class Job:
    """A job in a folder; the next one in that folder resumes it."""

    def __init__(self, program, *words, workers=1, servers=0, steps=20, parts=4, batch=50, strategy=None, verify=0,
                 folder=None, first_only=False, code=None, **variables):
        self.folder = folder or pathlib.Path(tempfile.mkdtemp(dir=FOLDER.name))
        self.checkpoints, self.output = self.folder / "checkpoints", self.folder / "output"
        self.document = self.folder / "job.json"
        self.content = document(workers, servers, steps, parts, batch, strategy, verify)
        if code:
            variables.setdefault("SUMAC_CODE", self.sources("code", code))
            self.content["spec"]["program"]["code"] = code_of(code)
        self.document.write_text(json.dumps(self.content))
        self.command = [sys.executable, HERE / program, *words]
        self.workers, self.variables, self.members, self.coordinator = workers, variables, [], None
        self.servers = [self.server(index) for index in range(servers)]
        self.first = [] if servers else [self.worker(0)]
        others = range(len(self.first), len(self.first) if first_only else workers)
        self.all = self.first + [self.worker(index) for index in others]

    def _begin(self, member):
        if self.coordinator is None:
            self.coordinator = member.endpoint()
        return member

    def sources(self, name, files):
        """A new folder with these sources."""
        folder = self.folder / name
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        return folder

    def server(self, index):
        return self._begin(Member(self, "server", index, [PROGRAMS / "sumac-server"]))

    def worker(self, index, *words, **more):
        return self._begin(Member(self, "worker", index, [*self.command, *words], **more))

    def codes(self):
        return [member.end() for member in self.all]

    def result(self):
        return json.loads((self.output / "result.json").read_text())

    def kill(self):
        for member in self.members:
            if member.process.poll() is None:
                member.process.kill()
                member.process.wait()
