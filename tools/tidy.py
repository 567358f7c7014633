#!/usr/bin/env python3
"""Runs clang-tidy 14 on our sources, in parallel; exits 1 when it finds something.

With --base, only on the .cc files that differ from that commit, and on those beside a header that
differs.
"""

import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOISE = re.compile(r"^(\d+ warnings? (and \d+ errors? )?generated\.|Suppressed .*|Use -header-filter.*)$")


def known_sources(build):
    """The files that the build compiles, relative to the root; some are compiled several times."""
    database = json.loads((build / "compile_commands.json").read_text())
    sources = {pathlib.Path(entry["directory"], entry["file"]).resolve() for entry in database}
    return sorted(str(s.relative_to(ROOT)) for s in sources if s.is_relative_to(ROOT))


def changed_sources(base):
    """The .cc files that changed since `base`, or whose header did."""
    run = subprocess.run(["git", "diff", "--name-only", base, "--"], cwd=ROOT, check=True,
                         stdout=subprocess.PIPE, text=True)
    return {re.sub(r"\.h$", ".cc", line) for line in run.stdout.splitlines()}


def check(build, source):
    """Returns what clang-tidy says about one file, and whether that is a failure."""
    run = subprocess.run(["clang-tidy-14", "--quiet", "-p", str(build), source], cwd=ROOT,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True)
    lines = [line for line in run.stdout.splitlines() if not NOISE.match(line)]
    return "\n".join(lines).strip(), run.returncode != 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="a configured build")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--base", help="check only what differs from this commit")
    options = parser.parse_args()

    sources = known_sources(options.build.resolve())
    if options.base:
        changed = changed_sources(options.base)
        sources = [source for source in sources if source in changed]
    start = time.monotonic()
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for text, failed in pool.map(lambda s: check(options.build.resolve(), s), sources):
            if text:
                print(text, flush=True)
            failures += failed
    seconds = time.monotonic() - start
    print(f"clang-tidy: {len(sources)} files, {failures} with findings, {seconds:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
