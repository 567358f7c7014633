"""Runs measured programs, pinned to cores, and sees how much others disturbed them."""
import contextlib
import json
import os
import pathlib
import resource
import select
import subprocess
import time

START_SECONDS = 400  # a rival may compile its model first
EXTRA_SECONDS = 60  # beyond those that a run was asked for

# Settings of whoever runs this would falsify the figures of the programs that read them.
STEERING = ("OPENBLAS_", "OMP_", "GOMP_", "KMP_", "MKL_", "BLIS_", "MALLOC_", "GLIBC_", "MXNET_",
            "DNNL_", "ONEDNN_", "TORCH", "LD_PRELOAD", "LD_LIBRARY_PATH", "PYTHON", "SUMAC_KERNELS")


def _children_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)  # of those that have ended
    return usage.ru_utime + usage.ru_stime


class Failed(Exception):
    """A program did not do its run; the text says why, in one line."""


def environment(threads, extra):
    env = {key: value for key, value in os.environ.items() if not key.startswith(STEERING)}
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        env[name] = str(threads)
    return {**env, **extra}


def _core_seconds(cores):
    """What these cores have worked since the machine began, for whomever; what a hypervisor took
    away counts too."""
    total = 0
    for line in pathlib.Path("/proc/stat").read_text().splitlines():
        fields = line.split()
        if fields[0] in {f"cpu{core}" for core in cores}:
            ticks = [int(field) for field in fields[1:9]]
            total += sum(ticks) - ticks[3] - ticks[4]  # less idle and waiting for a disk
    return total / os.sysconf("SC_CLK_TCK")


def _process_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Program:
    """What can be run for some seconds again and again; keeps its rates and its disturbance."""

    def __init__(self, cores, threads, env, log):
        self.cores, self.log = cores, log
        self.env = environment(threads, env)
        self.rates, self.others = [], 0.0

    def run(self, seconds):
        began, busy = time.monotonic(), _core_seconds(self.cores)
        rate, own = self.measure(seconds)
        lasted = time.monotonic() - began
        share = (_core_seconds(self.cores) - busy - own) / (lasted * len(self.cores))
        self.others = max(self.others, share)
        self.rates.append(rate)

    def measure(self, seconds):
        """Returns the rate and the processor's seconds of the program itself."""
        raise NotImplementedError

    def stop(self):
        pass

    def start_process(self, command, **options):
        cores = self.cores
        try:
            return subprocess.Popen(command, env=self.env, stdout=subprocess.PIPE,
                                    preexec_fn=lambda: os.sched_setaffinity(0, cores), **options)
        except OSError as error:
            raise Failed(str(error)) from None

    def failure(self, what):
        """With the last line that the program left in its log."""
        lines = [line for line in self.log.read_text(errors="replace").splitlines() if line.strip()]
        return Failed(f"{what}: {lines[-1].strip()[:200]}" if lines else what)


class Once(Program):
    """Starts anew for each run; `command` is a function of the seconds."""

    def __init__(self, command, key, cores, threads, log):
        super().__init__(cores, threads, {}, log)
        self.command, self.key, self.about = command, key, {}

    def measure(self, seconds):
        own = _children_seconds()
        with self.log.open("wb") as log:
            process = self.start_process(self.command(seconds), stderr=log)
            try:
                output, _ = process.communicate(timeout=seconds + EXTRA_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                raise self.failure("did not end") from None
        if process.returncode != 0:
            raise self.failure(f"exit status {process.returncode}")
        answer = json.loads(output)
        self.about = answer
        return answer[self.key], _children_seconds() - own


class Served(Program):
    """A rival's program, which waits between runs; see bench/rivals/rounds.py."""

    def __init__(self, command, env, cores, threads, log):
        super().__init__(cores, threads, env, log)
        with log.open("wb") as errors:
            self.process = self.start_process(command, stdin=subprocess.PIPE, stderr=errors)
        try:
            self.version = self._answer(START_SECONDS)["version"]
        except Failed:
            self.stop()
            raise

    def measure(self, seconds):
        own = _process_seconds(self.process.pid)
        try:
            self.process.stdin.write(f"{seconds}\n".encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            raise self.failure("ended by itself") from None
        rate = self._answer(seconds + EXTRA_SECONDS)["rate"]
        return rate, _process_seconds(self.process.pid) - own

    def stop(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def _answer(self, timeout):
        end = time.monotonic() + timeout
        while select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))[0]:
            line = self.process.stdout.readline()
            if not line:
                self.process.wait()
                raise self.failure(f"exit status {self.process.returncode}")
            if line.startswith(b"{"):
                return json.loads(line)
        self.process.kill()
        self.process.wait()
        raise self.failure("gave no answer")
