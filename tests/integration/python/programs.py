"""Programs on Sumac's Python package, for its tests."""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
STANDIN = HERE / "standin"
POOL = concurrent.futures.ThreadPoolExecutor(4)
FOLDER = tempfile.TemporaryDirectory()


def clean():
    """To be called as a test's module is over."""
    POOL.shutdown()
    FOLDER.cleanup()


def environment(**more):
    """What a program is started with: no job, the package, and one thread for each process."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SUMAC_")}
    return {**kept, "SUMAC_LIBRARY": os.environ["SUMAC_LIBRARY"], "PYTHONPATH": f"{ROOT / 'python'}:{STANDIN}",
            "PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1", **more}


class Run:
    """A program that runs beside the others: what it printed, its exit code, and what it told the other members."""

    def __init__(self, *command, **more):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=FOLDER.name))
        self.files = {name: self.folder / name for name in ("failed", "metrics")}
        files = {f"SUMAC_TEST_{name.upper()}": str(file) for name, file in self.files.items()}
        self.environment = environment(**files, **more)
        self.command = [sys.executable, *map(str, command)]
        self.future = POOL.submit(self.run)

    def run(self):
        return subprocess.run(self.command, env=self.environment, capture_output=True, text=True, timeout=120,
                              cwd=self.folder)

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
