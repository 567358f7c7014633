"""Makes the programs of the entries about the exchange: jobs, exchanges, their limits and rivals."""
import json
import pathlib
import re
import shutil
import tempfile

import entries
from programs import (Failed, Once, Program, Served, children_seconds, run_to_end,
                      run_together)

RIVALS = pathlib.Path(__file__).resolve().parent.parent / "rivals"
MICROS = 1e6
JOB_EXTRA_SECONDS = 60  # start, evaluation, end


class Job(Program):
    """`sumac run` of a job; its rate is that of result.json: over the time inside steps, without
    start, evaluation and end."""

    def __init__(self, job, programs, cores, log):
        super().__init__(cores, 1, {"SUMAC_LOG_LEVEL": "warn"}, log)
        self.job, self.sumac = job, str(programs / "sumac")
        self.about = {}

    def measure(self, seconds):
        guess = self.rates[-1] / self.job.per_sample if self.rates else self.job.rate
        steps = max(50, int(seconds * guess / self.job.batch))
        folder = pathlib.Path(tempfile.mkdtemp(prefix="sumac-bench-"))
        try:
            document = folder / "job.yaml"
            document.write_text(self.job.document())
            own = children_seconds()
            command = [self.sumac, "run", str(document), "--output-dir", str(folder / "run"),
                       "--set", f"training.steps={steps}"]
            run_to_end(self, command, seconds + JOB_EXTRA_SECONDS)
            self.about = json.loads((folder / "run" / "result.json").read_text())
        finally:
            shutil.rmtree(folder)
        return self.about["samplesPerSecond"] * self.job.per_sample, children_seconds() - own

    def bytes_per_step(self):
        """On all connections together, with headers."""
        one = (self.about["sentBytes"] + self.about["receivedBytes"]) / self.about["steps"]
        # Servers have a connection to every worker; two workers without servers share one.
        return one * (self.job.workers if self.job.servers else self.job.workers / 2)


class Engines(Program):
    """So many workers' compute, each alone on a core and all at once: the sum of their rates."""

    def __init__(self, engine, program, cores, log):
        super().__init__(cores, 1, {}, log)
        self.engine, self.program = engine, program

    def measure(self, seconds):
        own = children_seconds()
        command = self.engine.command(self.program, seconds)
        outputs = run_together(self, [(command, [core]) for core in self.cores],
                               seconds + JOB_EXTRA_SECONDS)
        return sum(json.loads(output)["rate"] for output in outputs), children_seconds() - own


class AesGcm(Program):
    """What the job would reach if each byte were encrypted and decrypted by AES-256-GCM, as fast as
    OpenSSL does that on one of these cores now, and nothing overlapped with it. Computed from the
    clear job's last run, which must come before."""

    def __init__(self, clear, cores, log):
        super().__init__(cores, 1, {}, log)
        self.clear, self.version = clear, "OpenSSL"

    def measure(self, seconds):
        own = children_seconds()
        command = ["openssl", "speed", "-mr", "-seconds", "1", "-bytes", "65536", "-evp",
                   "aes-256-gcm"]
        output = run_to_end(self, command, JOB_EXTRA_SECONDS)
        found = re.search(rb"^\+F:\d+:[^:]+:([\d.]+)", output, re.MULTILINE)
        if not found:
            raise Failed("openssl speed printed no figure")
        step = self.clear.job.batch * self.clear.job.per_sample / self.clear.rates[-1]
        extra = 2 * self.clear.bytes_per_step() / float(found[1]) / len(self.cores)
        rate = self.clear.job.batch * self.clear.job.per_sample / (step + extra)
        return rate, children_seconds() - own


class Makers:
    """Makes programs for one entry."""

    def __init__(self, options, cores, log_of):
        self.options, self.cores, self.log_of = options, cores[:2], log_of
        self.clear = None

    def exchange(self, exchange):
        sumac = str(self.options.bin / "sumac")
        return Once(lambda seconds: exchange.command(sumac, seconds),
                    lambda answer: answer["cells"][0]["p50Seconds"] * MICROS, self.cores, 1,
                    self.log_of(f"{exchange.algorithm} {exchange.size} {exchange.workers}"))

    def bare(self, size, *options):
        program = str(self.options.bin / "sumac-bench-bare-exchange")

        def command(seconds):
            steps = max(20, min(5_000, int(seconds * 1e9 / (size + 50_000))))
            return [program, "--bytes", str(size), "--steps", str(steps), *options]

        return Once(command, "us", self.cores, 1, self.log_of("bare " + " ".join(options)))

    def gloo(self, size):
        return self._served("torch", "torch_all_reduce.py", ["--bytes", str(size)], {},
                            f"gloo {size}")

    def pslite(self, size):
        program = self._venvs() / "pslite" / "pslite-all-reduce"
        if not program.exists():
            raise Failed(f"there is no {program}; bench/rivals/setup_pslite.sh builds it")
        return Served([str(program), str(size)], {}, self.cores, 1, self.log_of(f"pslite {size}"))

    def job(self, job):
        return Job(job, self.options.bin, self.cores, self.log_of(f"job {job.transport}"))

    def clear_job(self, job):
        self.clear = self.job(job)
        return self.clear

    def aes_gcm(self, job):
        return AesGcm(self.clear, self.cores, self.log_of("aes-gcm"))

    def engines(self, engine, workers):
        return Engines(engine, str(self.options.bin / "sumac-bench-engine"), self.cores[:workers],
                       self.log_of("engines"))

    def job_rival(self, rival, job):
        arguments = ["--model", job.model, "--batch", str(job.batch // job.workers),
                     "--vocabulary", str(entries.VOCABULARY), *rival.options]
        return self._served(rival.framework, f"{rival.framework}_job.py", arguments, rival.env,
                            rival.name)

    def _venvs(self):
        if not self.options.venvs:
            raise Failed("measured without rivals")
        return self.options.venvs

    def _served(self, framework, script, arguments, env, name):
        python = self._venvs() / framework / "bin" / "python"
        env = {**env, "TORCHINDUCTOR_CACHE_DIR": str(self.options.output / "inductor")}
        return Served([str(python), str(RIVALS / script), *arguments], env, self.cores, 1,
                      self.log_of(name))
