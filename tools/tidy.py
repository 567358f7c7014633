#!/usr/bin/env python3
"""Runs clang-tidy 14 on our sources, in parallel; exits 1 when it finds something.

Preset tidy compiles the sources of a library as one, its unit: a unit takes hardly longer than a
source, since most of the time goes into the headers of others. A unit is checked as a whole.

With --base, only on what differs from that commit. First the changed files: sources that differ,
those beside a header that differs, and one that includes it where there is none beside it. Then all
other sources that include a changed header, directly or not.

With --seconds, no unit without a changed file is started after so long; the sources left are listed.
Without --base, every source counts as changed.

A unit that was found clean is remembered by the hash of all that clang-tidy read, in
${XDG_CACHE_HOME:-~/.cache}/sumac/tidy, and not checked again.
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
UNIT_PART = re.compile(r'^#include "(/[^"]+)"', re.MULTILINE)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
NOISE = re.compile(r"^(\d+ warnings? (and \d+ errors? )?generated\.|Suppressed .*|Use -header-filter.*)$")


def compile_commands(build):
    """(commands, unit_of): for each unit that the build compiles, its entry of the database; for each
    of our sources, the unit that it is part of. Paths are relative to the root."""
    commands, unit_of = {}, {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        unit = pathlib.Path(entry["directory"], entry["file"]).resolve()
        for source in sources_of(unit, build):
            commands[os.path.relpath(unit, ROOT)] = entry
            unit_of[source] = os.path.relpath(unit, ROOT)
    return commands, dict(sorted(unit_of.items()))


def sources_of(unit, build):
    """Our sources that a unit is made of, relative to the root; CMake's own files are none of ours."""
    parts = [unit]
    if unit.parent.name == "Unity":
        parts = [pathlib.Path(path) for path in UNIT_PART.findall(unit.read_text(encoding="utf-8"))]
    return [str(path.relative_to(ROOT)) for path in parts
            if path.is_relative_to(ROOT) and not path.is_relative_to(build)]


def changed_names(base):
    """The files that differ from the commit `base`, untracked ones included."""
    names = set()
    for command in (["git", "diff", "--name-only", base, "--"],
                    ["git", "ls-files", "--others", "--exclude-standard"]):
        run = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
        names.update(run.stdout.splitlines())
    return names


def includes_of(name):
    """The files of ours that a file includes, by their paths from the root."""
    try:
        text = (ROOT / name).read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    return [path for path in INCLUDE.findall(text) if (ROOT / path).is_file()]


def headers_by_source(sources):
    """For each source: all headers of ours that it includes, directly or not."""
    direct = {}

    def reach(name, found):
        if name not in direct:
            direct[name] = includes_of(name)
        for header in direct[name]:
            if header not in found:
                found.add(header)
                reach(header, found)
        return found

    return {source: reach(source, set()) for source in sources}


def select(sources, changed):
    """(changed, others): the sources to check first, and those that only include a changed header."""
    headers = {name for name in changed if name.endswith(".h")}
    first = {source for source in sources
             if source in changed or re.sub(r"\.cc$", ".h", source) in headers}
    included = headers_by_source(sources) if headers else {source: set() for source in sources}
    for header in sorted(headers):
        readers = [source for source in sources if header in included[source]]
        if readers and not first.intersection(readers):
            first.add(readers[0])
    others = [source for source in sources if source not in first and headers & included[source]]
    return sorted(first), others


class Cache:
    """Remembers which files were found clean."""

    def __init__(self):
        home = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
        self.folder = pathlib.Path(home, "sumac", "tidy")
        self.folder.mkdir(parents=True, exist_ok=True)
        version = subprocess.run(["clang-tidy-14", "--version"], check=True, stdout=subprocess.PIPE)
        self.tool = hashlib.sha256(version.stdout)

    def key(self, source, entry):
        """The hash of the tool, its settings and all that it reads; None where that fails."""
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
        self.end = None if seconds is None else time.monotonic() + seconds

    def check(self, source, entry, is_changed):
        """What clang-tidy says about one file, and whether that is "clean", "known", "failed" or
        "left"."""
        if not is_changed and self.end is not None and time.monotonic() >= self.end:
            return "", "left"
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


def run_all(checker, jobs, commands, sources, changed):
    """Checks the sources in their order; prints findings; returns the sources by their state."""
    by_state = {"clean": [], "known": [], "failed": [], "left": []}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = pool.map(
            lambda source: checker.check(source, commands[source], source in changed), sources)
        for source, (text, state) in zip(sources, results):
            if text:
                print(text, flush=True)
            by_state[state].append(source)
    return by_state


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="a configured build")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--base", help="check only what differs from this commit")
    parser.add_argument("--seconds", type=float,
                        help="start no file after so long that only includes a changed one")
    options = parser.parse_args()

    start = time.monotonic()
    checker = Checker(options.build.resolve(), options.seconds)
    commands, unit_of = compile_commands(options.build.resolve())
    changed, others = list(unit_of), []
    if options.base:
        changed, others = select(list(unit_of), changed_names(options.base))
    units = list(dict.fromkeys(unit_of[source] for source in changed + others))
    changed_units = {unit_of[source] for source in changed}
    by_state = run_all(checker, options.jobs, commands, units, changed_units)
    left = [source for source in others if unit_of[source] in by_state["left"]]
    for source in left:
        print(f"NOT CHECKED, out of time: {source} (includes a changed header)")
    count = {state: len(found) for state, found in by_state.items()}
    print(f"clang-tidy: {len(changed)} changed files and {len(others)} that include them, in "
          f"{len(units)} units: {count['clean'] + count['known']} clean ({count['known']} known "
          f"before), {count['failed']} with findings; {len(left)} files not checked; "
          f"{time.monotonic() - start:.0f} s")
    return 1 if count["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
