#!/usr/bin/env python3
"""Counts the sentences of the product that unit tests repeat, and refuses more than there were.

    check_sentences.py [ROOT]           fails where there are more than MOST, or a golden file that no test names
    check_sentences.py [ROOT] --list    prints each, as file:line: sentence

A literal of a unit test repeats a sentence when four consecutive words of it stand in a literal of the product:
whoever improves the sentence must then change the test too, so nobody does. Whole outputs are compared with golden
files (tests/support/golden.h), which one command rewrites; unit tests assert codes, paths, numbers and names.
"""

import argparse
import pathlib
import re
import sys

# Never more than before: lower it when there are fewer.
MOST = 7

WORDS = 4
PRODUCT = ("base", "kernels", "job", "exchange", "kube", "engine", "planner", "experiment", "worker", "server",
           "operator", "cli")
SOURCES = {".cc", ".h", ".c"}

COMMENT = r"//[^\n]*|/\*.*?\*/"
RAW = r'R"(?P<fence>[^()\\\s]{0,16})\(.*?\)(?P=fence)"'
TEXT = r'"(?:\\.|[^"\\\n])*"'
LETTER = r"(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'"
TOKEN = re.compile(f"(?P<comment>{COMMENT})|(?P<raw>{RAW})|(?P<text>{TEXT})|(?P<letter>{LETTER})", re.DOTALL)
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include.*$", re.MULTILINE)
WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")


def literals(source):
    """The string literals of a source, adjacent ones joined, each as (line, text)."""
    source = INCLUDE.sub("", source)
    found, end = [], None
    for token in TOKEN.finditer(source):
        if token["comment"] or token["letter"]:
            continue
        text = token[0][1:-1] if token["text"] else token[0]
        text = re.sub(r"\\[nt]", " . ", text)
        if end is not None and source[end:token.start()].strip() == "":
            found[-1] = (found[-1][0], found[-1][1] + text)
        else:
            found.append((source.count("\n", 0, token.start()) + 1, text))
        end = token.end()
    return found


def phrases(text):
    """All runs of WORDS words that nothing but spaces and commas parts, in small letters."""
    runs = set()
    for piece in re.split(r"[^A-Za-z' ,-]+", text):
        words = [word.lower() for word in WORD.findall(piece)]
        runs.update(tuple(words[i:i + WORDS]) for i in range(len(words) - WORDS + 1))
    return runs


def sources(root, folders):
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SOURCES:
                yield path


def repeated(root):
    """The sentences of the product in the unit tests of `root`, each as (path, line, text)."""
    said = set()
    for path in sources(root, PRODUCT):
        for _, text in literals(path.read_text(encoding="utf-8")):
            said |= phrases(text)
    for path in sources(root, ["tests/unit"]):
        for line, text in literals(path.read_text(encoding="utf-8")):
            if phrases(text) & said:
                yield path.relative_to(root), line, text


def unused_goldens(root):
    """The golden files that no test names, by their path or by a folder above them ("cli/help/")."""
    folder = root / "tests" / "golden" / "output"
    named = "".join(path.read_text(encoding="utf-8", errors="replace") for path in sorted((root / "tests").rglob("*"))
                    if path.suffix in SOURCES | {".py"})
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        names = [f'"{name}"'] + [f'"{parent}/"' for parent in name.parents if parent.name]
        if path.is_file() and not any(name in named for name in names):
            yield path.relative_to(root)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", default=".", type=pathlib.Path)
    parser.add_argument("--list", action="store_true", help="print each sentence")
    arguments = parser.parse_args()
    found = list(repeated(arguments.root))
    if arguments.list:
        for path, line, text in found:
            print(f"{path}:{line}: {text}")
    if len(found) > MOST:
        print(f"unit tests repeat {len(found)} sentences of the product, {MOST} are allowed: compare whole outputs with "
              "golden files (tests/support/golden.h), and assert codes, paths and numbers; --list prints them",
              file=sys.stderr)
        return 1
    unused = list(unused_goldens(arguments.root))
    for path in unused:
        print(f"{path}: no test names this golden file: delete it", file=sys.stderr)
    return 1 if unused else 0


if __name__ == "__main__":
    sys.exit(main())
