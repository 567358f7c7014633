"""Programs on Sumac's Python package, for its tests."""

import concurrent.futures
import json
import os
import pathlib
import select
import socket
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
STANDIN = HERE / "standin"
POOL = concurrent.futures.ThreadPoolExecutor(4)
FOLDER = tempfile.TemporaryDirectory()
DEADLINE_SECONDS = 120  # ends only a test that has failed already, on however busy a machine


def clean():
    """To be called as a test's module is over."""
    POOL.shutdown()
    Forks.close()
    FOLDER.cleanup()


def environment(**more):
    """What a program is started with: no job, the package, and one thread for each process."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SUMAC_")}
    return {**kept, "SUMAC_LIBRARY": os.environ["SUMAC_LIBRARY"], "PYTHONPATH": f"{ROOT / 'python'}:{STANDIN}",
            "PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1", **more}


class Forks:
    """The process of forks.py, which starts with the first program."""

    _lock = threading.Lock()
    _process = _requests = None

    @classmethod
    def _start(cls):
        cls._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        cls._process = subprocess.Popen([sys.executable, HERE / "forks.py", str(theirs.fileno())], env=environment(),
                                        pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
        theirs.close()

    @classmethod
    def run(cls, words, variables, folder):
        """As subprocess.run() does."""
        with open(folder / "out", "w+b") as out, open(folder / "err", "w+b") as errors:
            reader, writer = os.pipe()
            request = json.dumps({"words": words, "variables": variables, "folder": str(folder)})
            with cls._lock:
                if cls._process is None:
                    cls._start()
                socket.send_fds(cls._requests, [request.encode()], [out.fileno(), errors.fileno(), writer])
            os.close(writer)
            with open(reader, "rb") as pipe:
                is_there = select.select([pipe], [], [], DEADLINE_SECONDS)[0]
                code = pipe.read() if is_there else b""
            text = [(folder / name).read_text(encoding="utf-8") for name in ("out", "err")]
        if not code:
            raise AssertionError(f"{words} does not end:\n{text[1]}")
        return subprocess.CompletedProcess(words, int(code), *text)

    @classmethod
    def close(cls):
        if cls._process is not None:
            cls._requests.close()
            cls._process.wait()
            cls._process = None


class Run:
    """A program that runs beside the others: what it printed, its exit code, and what it told the other members.

    It is a fork of forks.py's process, or with `is_fresh` a process of its own."""

    def __init__(self, *command, is_fresh=False, **more):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=FOLDER.name))
        self.files = {name: self.folder / name for name in ("failed", "metrics")}
        files = {f"SUMAC_TEST_{name.upper()}": str(file) for name, file in self.files.items()}
        self.environment = environment(**files, **more)
        self.words = list(map(str, command))
        self.future = POOL.submit(self.start if is_fresh else self.fork)

    def fork(self):
        return Forks.run(self.words, self.environment, self.folder)

    def start(self):
        return subprocess.run([sys.executable, *self.words], env=self.environment, capture_output=True, text=True,
                              timeout=DEADLINE_SECONDS, cwd=self.folder)

    @property
    def code(self):
        return self.future.result().returncode

    @property
    def lines(self):
        return dict(line.partition(" ")[::2] for line in self.future.result().stdout.splitlines())

    @property
    def errors(self):
        return self.future.result().stderr

    def said(self, name="failed"):
        self.future.result()
        file = self.files[name]
        return file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
