#!/usr/bin/env python3
"""Plants wrong links, citations, marks and commands in a temporary tree and looks for the checker's answer."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECKER = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_docs.py"

# Stands for sumac: knows one command, and fails when it is told to.
SUMAC = """\
#!/bin/sh
case "$*" in
  "--help") echo "run  Trains" ;;
  "run --help") echo "--workers N  Workers" ;;
  *--help) exit 2 ;;
  "run bad.yaml") echo "no such file"; exit 78 ;;
  *) echo "$@" >>ran.txt ;;
esac
"""


def check(files, programs=False):
    """Runs the checker on a tree of {path: text}; returns its status and output."""
    with tempfile.TemporaryDirectory() as name:
        root, bin_folder = pathlib.Path(name, "tree"), pathlib.Path(name, "bin")
        bin_folder.mkdir()
        (bin_folder / "sumac").write_text(SUMAC, encoding="utf-8")
        (bin_folder / "sumac").chmod(0o755)
        for path, text in {"README.md": "# Here\n", "Makefile": "run: build\n", **files}.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        command = [sys.executable, CHECKER, root] + (["--programs", bin_folder] if programs else [])
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return run.returncode, run.stdout


class CheckDocs(unittest.TestCase):
    def assert_good(self, files, programs=False):
        status, output = check(files, programs)
        self.assertEqual(status, 0, output)
        return output

    def assert_bad(self, files, expected, programs=False):
        status, output = check(files, programs)
        self.assertEqual(status, 1, output)
        self.assertIn(expected, output)

    def test_links_lead_to_files_and_headings(self):
        page = "## The operator's `rights`, today\n"
        self.assert_good({"docs/a.md": "[b](b.md#the-operators-rights-today), [up](../README.md), [x](https://x.y/z)\n",
                          "docs/b.md": page})
        self.assert_bad({"docs/a.md": "fine\nsee [b](b.md)\n"}, "docs/a.md:2: link to b.md, which does not exist")
        self.assert_bad({"docs/a.md": "[b](b.md#wrongs)\n", "docs/b.md": page}, "docs/b.md has no heading wrongs")
        self.assert_bad({"docs/a.md": "[here](#wrongs)\n"}, "docs/a.md has no heading wrongs")
        self.assert_bad({"docs/a.md": "![curve](curve.svg)\n"}, "link to curve.svg")

    def test_the_map_of_the_tree_has_every_library(self):
        tree = {"base/CMakeLists.txt": "", "base/core/CMakeLists.txt": "", "base/log/CMakeLists.txt": ""}

        def readme(row):
            return {**tree, "README.md": f"# Here\n## Map of the tree\n| folder | what |\n| --- | --- |\n{row}\n"}

        self.assert_good(readme("| `base/` | `core` (errors), `log`, by `make run` |"))
        self.assert_bad(readme("| `base/` | `core` |"), "README.md:5: the map of the tree lacks base/log")
        self.assert_bad(readme("| `job/` | `core` |"), "README.md:1: the map of the tree lacks base/core base/log")
        self.assert_bad(readme("| `base/` | `core` `log` `zoo` |"), "README.md:5: base/zoo of the map does not exist")

    def test_paths_in_documents_exist(self):
        self.assert_good({"docs/a.md": "`base/core/a.h`, `build/x/y`, `</x/y>`\n", "base/core/a.h": ""})
        self.assert_bad({"docs/a.md": "`base/core/b.h`\n", "base/core/a.h": ""}, "base/core/b.h does not exist")
        self.assert_bad({"docs/a.md": "see ADR 0007\n"}, "there is no ADR 0007")

    def test_tests_that_documents_name_exist(self):
        tests = {"tests/unit/a_test.cc": "BOOST_AUTO_TEST_CASE(a_late_sum_is_not_added) {}\n",
                 "tests/kube/a_test.go": "func TestAPodIsLost(t *testing.T) {}\n",
                 "tests/run/a_test.py": "    def test_ends(self):\n"}
        self.assert_good({"docs/a.md": "`a_late_sum_is_not_added`, `TestAPodIsLost`, `TestA`, `test_ends`\n", **tests})
        self.assert_good({"docs/a.md": "`sumac_server_pull_duration_seconds`, `four_words_are_none`\n", **tests})
        self.assert_bad({"docs/a.md": "fine\n`a_late_sum_is_added_twice`\n", **tests},
                        "docs/a.md:2: there is no test a_late_sum_is_added_twice")
        self.assert_bad({"docs/a.md": "`TestAPodIsFound`\n", **tests}, "there is no test TestAPodIsFound")
        self.assert_bad({"docs/a.md": "`test_end`\n", **tests}, "there is no test test_end")

    def test_rows_name_the_tests_that_show_them(self):
        cases = "BOOST_DATA_TEST_CASE_F(a_fixture, is_added,\nBOOST_FIXTURE_TEST_CASE(is_late, F) {}\n"
        tests = {"tests/unit/a_test.cc": cases}

        def table(cell, before="is `here`"):
            return {"docs/a.md": f"| event | shown by |\n| --- | --- |\n| {before} | {cell} |\n", **tests}

        self.assert_good(table("`is_added`, `is_late`"))
        self.assert_good({"docs/a.md": f"{table('`is_late`')['docs/a.md']}\n| a | b |\n| --- | --- |\n| c | `d` |\n", **tests})
        self.assert_bad(table("`is_added`, `is_lost`"), "docs/a.md:3: there is no test is_lost")
        self.assert_bad(table("`a_fixture`"), "docs/a.md:3: there is no test a_fixture")
        for cell in ("", "the same"):
            self.assert_bad(table(cell), "docs/a.md:3: no test shows this row")
        self.assert_bad(table("`is_late`", "by `make gone`"), "make has no target gone")

    def test_files_cited_in_comments_exist(self):
        self.assert_good({"common/a.h": '// docs/a.md#here, ADR 0001\n#include "common/gone.h"\n',
                          "docs/a.md": "# Here\n", "docs/adr/0001-x.md": ""})
        self.assert_bad({"common/a.h": "int a;  // see docs/gone.md section 4\n"},
                        "common/a.h:1: docs/gone.md does not exist")
        self.assert_bad({"common/a.h": "// (gone.md section 4)\n"}, "gone.md does not exist")
        self.assert_bad({"common/a.h": "// docs/a.md#there\n", "docs/a.md": "# Here\n"},
                        "docs/a.md has no heading #there")
        self.assert_bad({"common/a.cc": "// as in common/gone.h\n"}, "common/gone.h does not exist")
        self.assert_bad({"tools/a.sh": "# as in tools/gone.py\n"}, "tools/gone.py does not exist")
        self.assert_bad({"common/a.cc": "// ADR 0042 says why\n"}, "there is no ADR 0042")
        self.assert_bad({"common/a.cc": 'say("see docs/gone.md");\n'}, "docs/gone.md does not exist")

    def test_blocks_that_nobody_runs_are_named(self):
        self.assert_bad({"docs/a.md": "```sh\nkubectl get pods\n```\n"}, "docs/a.md:2: nothing runs 'kubectl'")
        self.assert_bad({"docs/a.md": "```\n$ kubectl get pods\n```\n"}, "nothing runs 'kubectl'")
        self.assert_good({"docs/a.md": "<!-- needs: cluster -->\n```sh\nkubectl get pods\n```\n"})
        self.assert_good({"docs/a.md": "<!-- needs: rival -->\n\n```sh\npip install it\n```\n"})
        self.assert_good({"docs/a.md": "```yaml\nkubectl: x\n```\n```\nkubectl output\n```\n"})

    def test_a_mark_holds_for_one_block(self):
        marked = "<!-- needs: cluster -->\n```sh\nkubectl get pods\n```\n"
        self.assert_bad({"docs/a.md": marked + "\n```sh\nkubectl get jobs\n```\n"}, "docs/a.md:7: nothing runs")
        self.assert_bad({"docs/a.md": "<!-- needs: cluster -->\ntext\n```sh\nkubectl get pods\n```\n"}, "nothing runs")

    def test_unknown_marks_are_named(self):
        self.assert_bad({"docs/a.md": "<!-- needs: luck -->\n```sh\nkubectl get pods\n```\n"}, "unknown mark")

    def test_what_ci_is_said_to_cover_it_does(self):
        block = "<!-- covered by .ci/run -->\n```sh\ngit clone URL x && cd x\nmake run RUN_ARGS=\"-n 1\"  # now\n```\n"
        command = 'make run RUN_ARGS="-n 1"'
        missing = f"docs/a.md:4: .ci/run does not run '{command}'"
        self.assert_good({"docs/a.md": block, ".ci/run": f"{command} 2>&1 | tee log\n"})
        self.assert_good({"docs/a.md": block, ".ci/run": "tools/fresh.sh\n",
                          "tools/fresh.sh": f"x 'make test && {command}'\n"})
        for other in ("make test", "make run", f"# {command}", f"x  # then {command}", f'say "{command}"',
                      f"say {command}", f"echo '{command}'", f"text='{command}'", f"{command[:-1]}1\""):
            self.assert_bad({"docs/a.md": block, ".ci/run": f"{other}\n"}, missing)
        self.assert_bad({"docs/a.md": block, ".ci/run": "# tools/fresh.sh\n", "tools/fresh.sh": f"{command}\n"},
                        missing)
        self.assert_bad({"docs/a.md": block.replace("make", "curl"), ".ci/run": "make run\n"},
                        ".ci/run does not run 'curl run")

    def test_make_has_the_targets_that_are_named(self):
        self.assert_good({"docs/a.md": "`make run`\n"})
        self.assert_bad({"docs/a.md": "`make gone`\n"}, "make has no target gone")

    def test_commands_are_run(self):
        block = "```sh\nsumac run job.yaml --workers 2\n\ncat ran.txt job.yaml\n```\n"
        output = self.assert_good({"docs/a.md": block}, True)
        self.assertIn("2 commands run", output)
        self.assert_bad({"docs/a.md": "text\n```sh\nsumac run bad.yaml\n```\n"},
                        "docs/a.md:2: exit code 78: no such file", True)

    def test_blocks_of_a_document_share_a_folder(self):
        self.assert_good({"docs/a.md": "```sh\nsumac run job.yaml\n```\n```sh\ncat ran.txt\n```\n"}, True)

    def test_marked_commands_are_not_run(self):
        self.assert_good({"docs/a.md": "<!-- needs: cluster -->\n```sh\nsumac run bad.yaml\n```\n"}, True)

    def test_flags_and_commands_are_those_of_the_help(self):
        for text in ("`sumac run x --servers 2`\n", "<!-- needs: cluster -->\n```sh\nsumac run x --servers 2\n```\n"):
            self.assert_bad({"docs/a.md": text}, "sumac run has no flag --servers", True)
        self.assert_bad({"docs/a.md": "`kubectl sumac walk`\n"}, "sumac has no command walk", True)
        self.assert_good({"docs/a.md": "`sumac run FILE --workers 2 | tail --lines 3`, `sumac`, `sumac-worker`\n"},
                         True)

    def test_an_empty_tree_is_an_error_not_a_pass(self):
        with tempfile.TemporaryDirectory() as name:
            run = subprocess.run([sys.executable, CHECKER, name], stdout=subprocess.PIPE, text=True, check=False)
        self.assertEqual(run.returncode, 1)
        self.assertIn("wrong folder?", run.stdout)


if __name__ == "__main__":
    unittest.main()
