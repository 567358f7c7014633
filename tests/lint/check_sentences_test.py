#!/usr/bin/env python3
"""Plants repeated sentences and forgotten golden files in a temporary tree and looks for the checker's answer."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

CHECKER = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_sentences.py"
PRODUCT = {"cli/a.cc": 'complain("the file is "\n         "not there: give " + name);\n'}


def run(files, *arguments, most=0):
    """Runs the checker, with `most` sentences allowed, on a tree of {path: text}; returns its status and output."""
    with tempfile.TemporaryDirectory() as name:
        checker = pathlib.Path(name, "checker.py")
        text = CHECKER.read_text(encoding="utf-8")
        checker.write_text(re.sub(r"^MOST = .*$", f"MOST = {most}", text, flags=re.MULTILINE), encoding="utf-8")
        for path, text in files.items():
            file = pathlib.Path(name, "tree", path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        command = [sys.executable, checker, pathlib.Path(name, "tree"), *arguments]
        ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return ended.returncode, ended.stdout


def counted(test):
    """What the checker lists of one unit test."""
    return run({**PRODUCT, "tests/unit/cli/a_test.cc": test}, "--list", most=9)[1]


class CheckSentences(unittest.TestCase):
    def test_a_sentence_of_the_product_counts_though_it_is_broken_elsewhere(self):
        self.assertIn("tests/unit/cli/a_test.cc:2: File is not there: give x",
                      counted('\nBOOST_TEST(text == "File is"\n " not there: give x");\n'))

    def test_three_words_do_not_count(self):
        self.assertEqual(counted('has("is not there");\n'), "")

    def test_the_tests_own_words_do_not_count(self):
        self.assertEqual(counted('message("the file of the test is ready");\n'), "")

    def test_comments_do_not_count(self):
        self.assertEqual(counted("// the file is not there: give it\n"), "")

    def test_more_than_allowed_fails(self):
        files = {**PRODUCT, "tests/unit/cli/a_test.cc": 'has("the file is not");\n'}
        self.assertEqual(run(files, most=1)[0], 0)
        self.assertEqual(run(files, most=0)[0], 1)

    def test_a_golden_file_that_no_test_names_fails(self):
        golden = {"tests/golden/output/cli/x.txt": "x\n"}
        self.assertEqual(run(golden)[0], 1)
        self.assertEqual(run({**golden, "tests/unit/a_test.cc": 'checkGolden("cli/x.txt", x);'})[0], 0)
        self.assertEqual(run({**golden, "tests/unit/a_test.cc": 'checkGolden("cli/" + name, x);'})[0], 0)


if __name__ == "__main__":
    unittest.main()
