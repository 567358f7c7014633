#!/usr/bin/env python3
"""Runs the libFuzzer programs of tests/fuzz, or adds what they found to the corpus.

    fuzz.py run BUILD [--seconds N] [TARGET...]     each target so long, one after the other
    fuzz.py merge BUILD [TARGET...]                 copies new inputs that reach new code to the corpus

A run keeps its new inputs in BUILD/corpus/TARGET, its log in BUILD/TARGET.log and what made a harness
fail in BUILD/findings/TARGET. It prints a line a target and exits 1 when there is a finding; replay one
with `build/dev/bin/sumac_fuzz_replay TARGET FILE`.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MOST_BYTES = 4096  # of an input; larger ones of the corpus are cut
MERGED_BYTES = 2048  # what is committed stays small

# Where the words of a format are: libFuzzer puts the texts of these sources into its inputs.
SOURCES = {
    "job": ("job/document/fields_*.cc", "job/model/network.cc", "job/model/parse.cc", "base/yaml/scalar.cc"),
    "joinRequest": ("exchange/membership/join_request.cc",),
    "kube": ("kube/api/*.cc", "kube/api/*.h", "kube/client/watch_event.cc", "kube/client/list_page.cc"),
    "manifest": ("engine/checkpoint/manifest.*",),
    "model": ("engine/model_file/description_text.cc", "engine/model_file/inputs_text.cc", "job/model/network.cc", "job/model/layer_types.cc"),
    "progress": ("job/progress/*.cc", "job/progress/*.h"),
    "roster": ("exchange/membership/roster.cc",),
    "programState": ("engine/checkpoint/program_state.cc", "engine/checkpoint/tensor_file.cc"),
    "safetensors": ("engine/checkpoint/safetensors.cc", "tests/fuzz/harness/networks.h"),
    "yaml": ("base/yaml/scalar.cc",),
}
SYNTAX = {
    "yaml": ("- ", ": ", "? ", "&a ", "*a", "!!str ", "!<tag:yaml.org,2002:str> ", "%YAML 1.2", "%TAG ! a:",
             "---", "...", "|", ">", "|-", ">+2", "<<: ", "[", "]", "{", "}", "#", "''", "\\x41", "\\u00e9",
             "\\U0001F600", "\\N", "\\_", "\n  ", "\r\n", "\xEF\xBB\xBF"),
    "json": ("[", "]", "{", "}", "{}", "[]", ":", ",", "null", "true", "1e999", "-0", "4294967296",
             "18446744073709551615", "9223372036854775807", "\\u0000", "\\ud800"),
}
WORD = re.compile(r'"([A-Za-z$_][A-Za-z0-9._/$-]{0,40})"')


def targets_of(build, wanted):
    """{target: folders of its inputs, its own corpus first}, of preset fuzz's list."""
    targets = {}
    for line in (build / "fuzzers.txt").read_text().splitlines():
        name, *folders = line.split()
        targets[name] = folders
    if unknown := set(wanted) - set(targets):
        sys.exit(f"fuzz.py: no target {' '.join(sorted(unknown))}; there are {' '.join(targets)}")
    return {name: targets[name] for name in wanted or targets}


def program(build, target):
    return str(build / "bin" / f"sumac_fuzz_{target}")


def environment(scratch):
    """Temporary folders of harnesses in memory, where there is such a place."""
    return os.environ | {"TMPDIR": scratch}


def number(log, name):
    """The last value of a statistic of libFuzzer; 0 where it did not get so far."""
    found = re.findall(rf"{name}:?\s+(\d+)", log)
    return int(found[-1]) if found else 0


def dictionary(build, target):
    """A file of words for the target; None where its inputs have no words."""
    if target not in SOURCES:
        return None
    syntax = SYNTAX["yaml" if target in ("yaml", "job") else "json"]
    words = {word for pattern in SOURCES[target] for path in ROOT.glob(pattern)
             for word in WORD.findall(path.read_text(encoding="utf-8"))}
    lines = [*syntax, *(form for word in sorted(words) for form in (word, f'"{word}"'))]
    path = build / f"{target}.dict"
    quoted = ("".join(f"\\x{byte:02X}" for byte in line.encode("latin-1")) for line in lines)
    path.write_text("".join(f'"{line}"\n' for line in quoted))
    return path


def fuzz(build, target, folders, seconds, scratch):
    """Runs one target; returns its findings' files."""
    own = build / "corpus" / target
    findings = build / "findings" / target
    for folder in (own, findings):
        folder.mkdir(parents=True, exist_ok=True)
    words = dictionary(build, target)
    command = [program(build, target), f"-max_total_time={seconds}", f"-max_len={MOST_BYTES}", "-timeout=20",
               "-report_slow_units=60", "-rss_limit_mb=3000", "-print_final_stats=1", f"-artifact_prefix={findings}/",
               *([f"-dict={words}"] if words else []), str(own), *folders]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=environment(scratch), check=False)
    log = done.stdout.decode(errors="replace")
    (build / f"{target}.log").write_text(log)
    found = sorted(findings.iterdir())
    print(f"{target:12} {number(log, 'stat::number_of_executed_units'):12,} {number(log, 'cov'):9,}"
          f" {len(list(own.iterdir())):8,} {len(found):9}", flush=True)
    if done.returncode != 0 and not found:
        print(log[-2000:])
        sys.exit(f"fuzz.py: {target} ended with {done.returncode}: see {build / target}.log")
    return found


def run(build, targets, seconds):
    print(f"{'target':12} {'executions':>12} {'branches':>9} {'inputs':>8} {'findings':>9}", flush=True)
    found = []
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory, prefix="sumac-fuzz-") as scratch:
        for target, folders in targets.items():
            found += fuzz(build, target, folders, seconds, scratch)
    for path in found:
        print(path)
    return 1 if found else 0


def merge(build, targets):
    for target, folders in targets.items():
        new = build / "corpus" / target
        if not new.is_dir():
            continue
        before = len(list(pathlib.Path(folders[0]).iterdir()))
        # Into the first folder, what reaches code that the others do not.
        command = [program(build, target), "-merge=1", f"-max_len={MERGED_BYTES}", *folders, str(new)]
        with tempfile.TemporaryDirectory(prefix="sumac-fuzz-") as scratch:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  env=environment(scratch), check=False)
        if done.returncode != 0:
            sys.exit(done.stdout.decode(errors="replace")[-2000:])
        print(f"{target:12} {len(list(pathlib.Path(folders[0]).iterdir())) - before:4} new inputs")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "merge"))
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--seconds", type=int, default=120)
    options = parser.parse_intermixed_args()
    build = options.build.resolve()
    targets = targets_of(build, options.targets)
    return run(build, targets, options.seconds) if options.what == "run" else merge(build, targets)


if __name__ == "__main__":
    sys.exit(main())
