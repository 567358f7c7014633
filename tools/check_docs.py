#!/usr/bin/env python3
"""Checks that documents and comments tell the truth where a machine can see it.

    check_docs.py [ROOT]                  links, cited paths and headings, names of tests, ADR numbers, make targets
    check_docs.py [ROOT] --programs DIR   the commands too, with the programs in DIR

- Every link of a document, every path in its `code`, and every file cited in a comment exists; so does the
  heading after a '#'.
- Every test that a document names in `code` exists, by its whole name or, in Go, the beginning of one. In the
  column "shown by", the last one of a table, shorter names are tests too, and each row has something.
- Every block of commands (```sh, or a block that begins with `$ `) is run in a temporary folder that has
  examples/, a small job.yaml and data/ptb, unless the line before it says who runs it or what it needs:

      <!-- needs: cluster -->    <!-- needs: internet -->    <!-- needs: rival -->    <!-- needs: another terminal -->
      <!-- covered by .ci/run -->

  Commands that .ci/run covers must stand there, or in a script that it calls, with the same arguments.

- In all blocks and in `code`, the commands and flags of sumac are those of its help.
- README's map of the tree names every library, and no folder that does not exist.

Prints `file:line: problem` for each and exits 1 when there is one.
"""

import argparse
import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SKIPPED = {".git", "build", "runs", "__pycache__", "corpus"}  # corpus: inputs of tests/fuzz
CODE = {".h", ".cc", ".c", ".py", ".sh", ".go", ".cmake", ".yaml", ".yml"}
CODE_NAMES = {"CMakeLists.txt", "Makefile"}
PLANTED = {"tests/lint/check_docs_test.py"}  # cites files that do not exist, to test this checker

MAP = "## Map of the tree"
MARK = re.compile(r"^\s*<!-- (.+) -->\s*$")
MARKS = {"needs: cluster", "needs: internet", "needs: rival", "needs: another terminal", "covered by .ci/run"}
# What a block without a mark may call; anything else needs a mark that says who runs it.
RUNNABLE = {"sumac", "export", "cd", "ls", "cat"}
BLOCK_SECONDS = 60

# Lines of a script that run no command of ours: they print, or set a variable.
PRINTS = re.compile(r"(say|echo|printf)\b|\w+=")
# Between the commands of a line; a quoted argument can hold commands for another shell.
SEPARATOR = re.compile(r"&&|\|\||[|;']")

FENCE = re.compile(r"^\s*```(\w*)\s*$")
LINK = re.compile(r"(?<!\!)\[[^\]\[]*(?:`[^`]*`[^\]\[]*)*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
INLINE = re.compile(r"`([^`]+)`")
CITED_DOCUMENT = re.compile(r"(?<![\w/.<{*-])((?:[\w.-]+/)*[\w-][\w.-]*\.md)(#[\w-]+)?(?![\w/])")
CITED_SOURCE = re.compile(r"(?<![\w/.<{*-])((?:[\w.-]+/)+[\w.-]+\.(?:h|cc|py|sh|go|yaml|cmake|txt))(?![\w/*])")
ADR = re.compile(r"\bADRs? (\d{4})\b")
COMMENT = {"c": re.compile(r"(?<![:\"])//(.*)"), "hash": re.compile(r"(?:^|\s)#(.*)")}

# What in `code` is a test's name: of Go, of Python, and of Boost, where five words and more are never anything else
# but a metric of ours.
CITED_TEST = re.compile(r"Test[A-Z]\w+|test_\w+|(?!sumac_)[a-z0-9]+(?:_[a-z0-9]+){4,}")
NAMED_TEST = re.compile(r"(?:_TEST_CASE|BOOST_PROP)\(\s*(\w+)|_TEST_CASE_F\(\s*\w+,\s*(\w+)|"
                        r"def (test_\w+)\(|^func (Test\w+)\(", re.MULTILINE)
SHOWN_BY = "shown by"  # the last column of a table, where every name with a '_' is a test's

JOB = """\
apiVersion: sumac.dev/v1alpha1
kind: TrainingJob
metadata: {name: tiny}
spec:
  model: {name: lenet5}
  data: {format: generated, generated: {trainSamples: 128, testSamples: 32, shape: [1, 28, 28], classes: 10}}
  training: {batchSize: 64, epochs: 1, logicalWorkers: 4, optimizer: {name: sgd, learningRate: "0.01"}}
"""


def files(root):
    """All files below the root that are ours, in order, as paths relative to it."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
        for name in sorted(names):
            yield pathlib.Path(folder, name).relative_to(root)


def slug(heading):
    """The anchor that a heading gets."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


@functools.lru_cache(maxsize=None)
def anchors(path):
    found, in_code = set(), False
    for line in path.read_text(encoding="utf-8").splitlines():
        if FENCE.match(line):
            in_code = not in_code
        elif not in_code and line.startswith("#"):
            found.add(slug(line.lstrip("#")))
    return found


def uncommented(line):
    """A line of a shell script without its comment."""
    return re.sub(r"(^|\s)#.*", "", line)


def script_lines(path):
    return [uncommented(line).strip() for line in path.read_text(encoding="utf-8").splitlines()]


def plain(command):
    """A command without redirections, its words one space apart."""
    return " ".join(re.sub(r"\d*[<>]+&?\s*\S+", "", command).split())


class Checker:
    def __init__(self, root, programs):
        self.root = root
        self.programs = programs
        self.problems = 0
        self.ran = 0
        self.top = {path.name for path in root.iterdir() if path.is_dir() and path.name not in SKIPPED}

    def report(self, source, line, text):
        print(f"{source}:{line}: {text}")
        self.problems += 1

    # Paths

    def check_path(self, source, line, target, anchor="", nearby=True):
        """A path from the root or, where `nearby`, from the folder of the file that cites it."""
        places = [self.root / target] + ([self.root / source.parent / target] if nearby else [])
        found = next((place for place in places if place.exists()), None)
        if found is None:
            self.report(source, line, f"{target} does not exist")
        elif anchor and found.suffix == ".md" and anchor.lstrip("#") not in anchors(found.resolve()):
            self.report(source, line, f"{target} has no heading {anchor}")

    def check_adrs(self, source, line, text):
        for number in ADR.findall(text):
            if not list(self.root.glob(f"docs/adr/{number}-*.md")):
                self.report(source, line, f"there is no ADR {number}")

    @functools.lru_cache(maxsize=None)
    def tests(self):
        """The names of all tests."""
        names = set()
        for path in (self.root / "tests").rglob("*"):
            if path.suffix in {".cc", ".py", ".go"}:
                for groups in NAMED_TEST.findall(path.read_text(encoding="utf-8", errors="replace")):
                    names.update(filter(None, groups))
        return names

    def check_test(self, source, line, name):
        if name in self.tests() or name[0] == "T" and any(test.startswith(name) for test in self.tests()):
            return
        self.report(source, line, f"there is no test {name}")

    def check_row(self, source, line, text, is_shown):
        """Whether a line is of a table with a column SHOWN_BY, as `is_shown` says of the line before."""
        cells, _, cell = text.strip().removesuffix("|").rpartition("|")
        if not cells or not is_shown or re.fullmatch(r"[-: ]*-[-: ]*", cell):
            return bool(cells) and (is_shown or cell.strip() == SHOWN_BY)
        names = INLINE.findall(cell)
        if not names:
            self.report(source, line, "no test shows this row")
        for name in names:
            if re.fullmatch(r"\w+", name) and "_" in name and not CITED_TEST.fullmatch(name):
                self.check_test(source, line, name)
        return True

    def check_code(self, source):
        style = "c" if source.suffix in {".h", ".cc", ".c", ".go"} else "hash"
        text = (self.root / source).read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), start=1):
            comment = COMMENT[style].search(line)
            for target, anchor in CITED_DOCUMENT.findall(line):  # with a folder in messages and help texts too
                if "/" in target or comment and target in comment.group(1):
                    self.check_path(source, number, target, anchor)
            if comment:
                self.check_adrs(source, number, comment.group(1))
                for target in CITED_SOURCE.findall(comment.group(1)):
                    if target.split("/")[0] in self.top:
                        self.check_path(source, number, target, nearby=False)

    def check_prose(self, source, number, line):
        for match in LINK.finditer(line):
            target = match.group(1) or match.group(2)
            if re.match(r"[a-z]+:", target) or "*" in target:  # elsewhere; part of a pattern
                continue
            target, _, anchor = target.partition("#")
            place = source.parent / target if target else source
            if not (self.root / place).exists():
                self.report(source, number, f"link to {target}, which does not exist")
            else:
                self.check_path(source, number, os.path.normpath(place), anchor, nearby=False)
        self.check_adrs(source, number, line)
        for code in INLINE.findall(line):
            if re.fullmatch(r"\.?\w[\w.-]*(/[\w.-]+)+/?", code) and code.split("/")[0] in self.top:
                self.check_path(source, number, code)
            elif CITED_TEST.fullmatch(code):
                self.check_test(source, number, code)
            else:
                self.check_command(source, number, code)

    # Commands

    @functools.lru_cache(maxsize=None)
    def help_of(self, words):
        run = subprocess.run([self.programs / words[0], *words[1:], "--help"], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, check=False,
                             timeout=BLOCK_SECONDS)
        return run.stdout if run.returncode == 0 else None

    def check_sumac(self, source, line, words):
        """The command exists, and its help has the flags."""
        command = ("sumac",)
        while len(command) < len(words) and re.fullmatch(r"[a-z][a-z-]*", words[len(command)]):
            if self.help_of(command + (words[len(command)],)) == self.help_of(command):
                break
            if self.help_of(command + (words[len(command)],)) is None:
                break
            command += (words[len(command)],)
        name, text = " ".join(command), self.help_of(command) or ""
        if command == ("sumac",) and words[1:] and re.fullmatch(r"[a-z][a-z-]*", words[1]):
            self.report(source, line, f"sumac has no command {words[1]}")
        for word in words[len(command):]:
            flag = re.match(r"--?[a-zA-Z][\w-]*", word)
            if flag and not re.search(rf"(?<![\w-]){re.escape(flag.group())}(?![\w-])", text):
                self.report(source, line, f"{name} has no flag {flag.group()}")

    def check_command(self, source, line, text):
        """What can be seen without running it."""
        words = tuple(re.sub(r"\s#.*|[|<>&;].*", "", text).split())
        while words and re.fullmatch(r"[A-Z_]+=\S*", words[0]):
            words = words[1:]
        if words[:1] == ("make",):
            makefile = (self.root / "Makefile").read_text(encoding="utf-8")
            for target in (word for word in words[1:2] if re.fullmatch(r"[a-z-]+", word)):
                if not re.search(rf"^{target}:", makefile, re.MULTILINE):
                    self.report(source, line, f"make has no target {target}")
        elif words[:2] == ("kubectl", "sumac"):
            words = words[1:]
        if words[:1] == ("sumac",) and len(words) > 1 and self.programs:
            self.check_sumac(source, line, words)

    @functools.lru_cache(maxsize=None)
    def ci_commands(self):
        """The commands that .ci/run and the scripts that it calls run, without what they only print."""
        path = self.root / ".ci" / "run"
        lines = script_lines(path) if path.exists() else []
        for script in sorted(set(re.findall(r"tools/\w+\.sh", "\n".join(lines)))):
            lines = lines + script_lines(self.root / script)
        found = set()
        for line in lines:
            if not PRINTS.match(line):
                found.update(plain(part) for part in SEPARATOR.split(line))
        return found

    def check_covered(self, source, line, text):
        """Whether .ci/run runs every command of the line, with these arguments, in a clone that it is given."""
        for part in uncommented(text).split("&&"):
            command = plain(part)
            if re.match(r"(git clone|cd)\b", command) or not command:
                continue
            if command not in self.ci_commands():
                self.report(source, line, f".ci/run does not run '{command}'")

    def commands(self, source, start, lines, mark):
        """Checks a block of commands that begins at line `start`."""
        if mark is not None and mark not in MARKS:
            self.report(source, start, f"unknown mark '{mark}'; there are: {', '.join(sorted(MARKS))}")
        for number, line in enumerate(lines, start=start + 1):
            self.check_command(source, number, line)
            if mark == "covered by .ci/run":
                self.check_covered(source, number, line)
            first = re.match(r"[A-Za-z./][\w./-]*", line)
            if mark is None and first and first.group() not in RUNNABLE:
                self.report(source, number, f"nothing runs '{first.group()}': give the block a mark")
                return False
        return mark is None

    def run_blocks(self, source, blocks):
        """Runs the blocks of a document one after the other in one folder."""
        with tempfile.TemporaryDirectory(prefix="sumac docs ") as name:
            folder = pathlib.Path(name)
            (folder / "job.yaml").write_text(JOB, encoding="utf-8")
            (folder / "examples").symlink_to(self.root / "examples")
            (folder / "build" / "release").mkdir(parents=True)
            (folder / "build" / "release" / "bin").symlink_to(self.programs)
            environment = {"PATH": f"{self.programs}:/usr/bin:/bin", "HOME": name, "NO_COLOR": "1"}
            (folder / "data" / "ptb").mkdir(parents=True)
            (folder / "data" / "ptb" / "ptb.train.txt").write_text("many small words make one text\n" * 100,
                                                                   encoding="utf-8")
            for start, lines in blocks:
                run = subprocess.run(["bash", "-euo", "pipefail", "-c", "\n".join(lines)], cwd=folder,
                                     env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT, text=True, check=False, timeout=BLOCK_SECONDS)
                self.ran += len(lines)
                if run.returncode != 0:
                    self.report(source, start, f"exit code {run.returncode}: {' '.join(run.stdout.split())[-600:]}")

    def check_document(self, source):
        blocks, block, mark, is_shown = [], None, None, False
        lines = (self.root / source).read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, start=1):
            fence = FENCE.match(line)
            if block is not None:
                if fence:
                    start, language, inside = block
                    is_session = not language and inside and inside[0].startswith("$ ")
                    if is_session:
                        inside = [text[2:] for text in inside if text.startswith("$ ")]
                    if (language in {"sh", "bash", "console"} or is_session) and self.commands(
                            source, start, inside, mark):
                        blocks.append((start, [text for text in inside if text.strip()]))
                    block, mark = None, None
                else:
                    block[2].append(line)
            elif fence:
                block = (number, fence.group(1), [])
            else:
                found = MARK.match(line)
                mark = found.group(1) if found else mark if not line.strip() else None
                is_shown = self.check_row(source, number, line, is_shown)
                self.check_prose(source, number, line)
        if self.programs and blocks:
            self.run_blocks(source, blocks)

    def check_map(self):
        """README's map has a row for each top folder of the build, with the libraries in it."""
        told, is_inside, readme = {}, False, self.root / "README.md"
        lines = readme.read_text(encoding="utf-8").splitlines() if readme.exists() else []
        for number, line in enumerate(lines, start=1):
            if line.startswith("#"):
                is_inside = line == MAP
            cells = line.split("|")
            if is_inside and len(cells) > 3:
                for top in re.findall(r"`([a-z_]+)/`", cells[1]):
                    told[top] = number, set(re.findall(r"`([a-z_]+)`", cells[2]))
        for top in sorted(path.parent for path in self.root.glob("*/CMakeLists.txt")):
            line, names = told.get(top.name, (1, set()))
            there = {path.parent.name for path in top.glob("*/CMakeLists.txt")}
            if top.name not in told or there - names:
                lacking = " ".join([f"{top.name}/{name}" for name in sorted(there - names)] or [f"{top.name}/"])
                self.report("README.md", line, f"the map of the tree lacks {lacking}")
            for name in sorted(names - there):
                if not (top / name).is_dir():
                    self.report("README.md", line, f"{top.name}/{name} of the map does not exist")

    def run(self):
        count = 0
        for source in files(self.root):
            if source.as_posix() in PLANTED:
                continue
            if source.suffix == ".md":
                count += 1
                self.check_document(source)
            elif source.suffix in CODE or source.name in CODE_NAMES:
                self.check_code(source)
        self.check_map()
        ran = f", {self.ran} commands run" if self.programs else ""
        print(f"docs: {count} documents{ran}, {self.problems} problems")
        if count == 0:
            print(f"no documents under {self.root}: wrong folder?")
        return 1 if self.problems or count == 0 else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--programs", type=pathlib.Path, help="the folder of sumac, sumac-worker and sumac-server")
    arguments = parser.parse_args()
    programs = arguments.programs.resolve() if arguments.programs else None
    return Checker(arguments.root.resolve(), programs).run()


if __name__ == "__main__":
    sys.exit(main())
