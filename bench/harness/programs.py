"""Runs measured programs, pinned to cores, and sees how much others disturbed them."""
import contextlib
import json
import os
import pathlib
import resource
import select
import signal
import subprocess
import time

START_SECONDS = 400  # a rival may compile its model first
EXTRA_SECONDS = 60  # beyond those that a run was asked for

# Settings of whoever runs this would falsify the figures of the programs that read them.
STEERING = ("OPENBLAS_", "OMP_", "GOMP_", "KMP_", "MKL_", "BLIS_", "MALLOC_", "GLIBC_", "MXNET_",
            "DNNL_", "ONEDNN_", "TORCH", "LD_PRELOAD", "LD_LIBRARY_PATH", "PYTHON", "SUMAC_KERNELS")


def children_seconds():
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
    """Of a process and of all that it started and that still run."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return own + sum(_process_seconds(int(child)) for child in children)


class Program:
    """What can be run for some seconds again and again; keeps its rates and its disturbance."""

    def __init__(self, cores, threads, env, log):
        self.cores, self.log = cores, log
        self.env = environment(threads, env)
        self.rates, self.others, self.version = [], 0.0, ""

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

    def start_process(self, command, cores=None, **options):
        cores = cores or self.cores
        try:
            return subprocess.Popen(command, env=self.env, stdout=subprocess.PIPE,
                                    preexec_fn=lambda: os.sched_setaffinity(0, cores), **options)
        except OSError as error:
            raise Failed(str(error)) from None

    def failure(self, what):
        """With the last line that the program left in its log."""
        lines = [line for line in self.log.read_text(errors="replace").splitlines() if line.strip()]
        return Failed(f"{what}: {lines[-1].strip()[:200]}" if lines else what)


def kill_group(process):
    """Also what it started; for processes with a session of their own."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def run_to_end(program, command, timeout):
    """What a process of the program prints on standard output. Raises Failed where it fails."""
    return run_together(program, [(command, program.cores)], timeout)[0]


def run_together(program, commands, timeout):
    """The same of several processes at the same time: a pair of command and cores for each. Leaves
    no process, however it ends."""
    processes, end = [], time.monotonic() + timeout
    try:
        with program.log.open("wb") as log:
            for command, cores in commands:
                processes.append(program.start_process(command, cores, stderr=log,
                                                       start_new_session=True))
        outputs = [process.communicate(timeout=max(0, end - time.monotonic()))[0]
                   for process in processes]
    except BaseException as error:  # Ctrl-C does not reach their sessions
        for process in processes:
            kill_group(process)
            process.stdout.close()
        if isinstance(error, subprocess.TimeoutExpired):
            raise program.failure("did not end") from None
        raise
    for process in processes:
        if process.returncode != 0:
            raise program.failure(f"exit status {process.returncode}")
    return outputs


class Once(Program):
    """Starts anew for each run; `command` is a function of the seconds. What it prints is JSON, and
    `key` that of its rate, or a function that finds it."""

    def __init__(self, command, key, cores, threads, log):
        super().__init__(cores, threads, {}, log)
        self.command, self.key, self.about = command, key, {}

    def measure(self, seconds):
        own = children_seconds()
        answer = json.loads(run_to_end(self, self.command(seconds), seconds + EXTRA_SECONDS))
        self.about, self.version = answer, answer.get("version", "")
        rate = self.key(answer) if callable(self.key) else answer[self.key]
        return rate, children_seconds() - own


class Served(Program):
    """A rival's program, which waits between runs; see bench/rivals/rounds.py."""

    def __init__(self, command, env, cores, threads, log):
        super().__init__(cores, threads, env, log)
        with log.open("wb") as errors:
            self.process = self.start_process(command, stdin=subprocess.PIPE, stderr=errors,
                                              start_new_session=True)
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
            pass
        kill_group(self.process)  # also rivals of several processes
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
        kill_group(self.process)
        raise self.failure("gave no answer")
