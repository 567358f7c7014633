#!/usr/bin/env python3
"""Runs clang-tidy 14 on our sources, in parallel; exits 1 when it finds something.

With --base, only on the .cc files that differ from that commit, and on those beside a header that
differs. What was found clean is remembered by the hash of all that clang-tidy read, in
${XDG_CACHE_HOME:-~/.cache}/sumac/tidy, and not checked again. With --seconds, no file is begun after
so long; those that were left out are named.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOISE = re.compile(r"^(\d+ warnings? (and \d+ errors? )?generated\.|Suppressed .*|Use -header-filter.*)$")


def compile_commands(build):
    """For each file that the build compiles, relative to the root: one entry of the database."""
    database = json.loads((build / "compile_commands.json").read_text())
    entries = {}
    for entry in database:
        source = pathlib.Path(entry["directory"], entry["file"]).resolve()
        if source.is_relative_to(ROOT):
            entries[str(source.relative_to(ROOT))] = entry
    return dict(sorted(entries.items()))


def changed_sources(base):
    """The .cc files that changed since `base`, or whose header did."""
    run = subprocess.run(["git", "diff", "--name-only", base, "--"], cwd=ROOT, check=True,
                         stdout=subprocess.PIPE, text=True)
    return {re.sub(r"\.h$", ".cc", line) for line in run.stdout.splitlines()}


class Cache:
    """What was found clean before."""

    def __init__(self):
        home = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
        self.folder = pathlib.Path(home, "sumac", "tidy")
        self.folder.mkdir(parents=True, exist_ok=True)
        version = subprocess.run(["clang-tidy-14", "--version"], check=True, stdout=subprocess.PIPE)
        self.tool = hashlib.sha256(version.stdout)

    def key(self, source, entry):
        """The hash of the tool, its settings and all that it reads; none where that fails."""
        words = shlex.split(entry["command"])
        if "-o" in words:
            place = words.index("-o")
            words[place : place + 2] = []
        words = ["clang++-14"] + [word for word in words[1:] if word != "-c"]
        if words[1].endswith(("++", "++-14")):  # behind a compiler launcher
            del words[1]
        read = subprocess.run(words + ["-E", "-CC"], cwd=entry["directory"], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if read.returncode != 0:
            return None
        digest = self.tool.copy()
        for folder in (ROOT / source).parents:
            settings = folder / ".clang-tidy"
            if settings.is_file():
                digest.update(settings.read_bytes())
            if folder == ROOT:
                break
        digest.update(read.stdout.replace(bytes(ROOT), b"."))
        return digest.hexdigest()

    def has(self, key):
        return key is not None and (self.folder / key).exists()

    def add(self, key):
        if key is not None:
            (self.folder / key).touch()


class Checker:
    def __init__(self, build, seconds):
        self.build = build
        self.cache = Cache()
        self.end = time.monotonic() + seconds if seconds else None

    def check(self, source, entry):
        """What clang-tidy says about one file, and whether it is "clean", "known", "failed" or
        "left out"."""
        if self.end and time.monotonic() > self.end:
            return "", "left out"
        key = self.cache.key(source, entry)
        if self.cache.has(key):
            return "", "known"
        run = subprocess.run(["clang-tidy-14", "--quiet", "-p", str(self.build), source], cwd=ROOT,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True)
        text = "\n".join(line for line in run.stdout.splitlines() if not NOISE.match(line)).strip()
        if run.returncode != 0:
            return text, "failed"
        if not text:
            self.cache.add(key)
        return text, "clean"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="a configured build")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--base", help="check only what differs from this commit")
    parser.add_argument("--seconds", type=float, help="begin no file after so long")
    options = parser.parse_args()

    commands = compile_commands(options.build.resolve())
    if options.base:
        changed = changed_sources(options.base)
        commands = {source: entry for source, entry in commands.items() if source in changed}
    start = time.monotonic()
    checker = Checker(options.build.resolve(), options.seconds)
    count = {"clean": 0, "known": 0, "failed": 0, "left out": 0}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for source, (text, state) in zip(commands, pool.map(checker.check, *zip(*commands.items()))
                                         if commands else ()):
            if text:
                print(text, flush=True)
            if state == "left out":
                print(f"NOT CHECKED, out of time: {source}")
            count[state] += 1
    seconds = time.monotonic() - start
    print(f"clang-tidy: {len(commands)} files, {count['failed']} with findings, "
          f"{count['known']} known to be clean, {count['left out']} left out, {seconds:.0f} s")
    return 1 if count["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
