#!/usr/bin/env python3
"""Plants breaches of every layer rule in a temporary tree and looks for the checker's answer."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import check_layers  # noqa: E402


def check(files):
    """Runs the checker on a tree of {path: text}; returns its status and output."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            target = pathlib.Path(folder, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            status = check_layers.main([folder])
        return status, output.getvalue()


def including(*paths):
    return "".join(f'#include "{path}"\n' for path in paths)


def check_reached(files):
    """The same with a test support that reaches all of them."""
    return check({**files, "tests/support/all.h": including(*files)})


class CheckLayers(unittest.TestCase):
    def assert_allowed(self, path, include):
        status, output = check_reached({path: f"#include {include}\n"})
        self.assertEqual(status, 0, f"{path} including {include}: {output}")

    def assert_refused(self, path, include, rule):
        status, output = check_reached({path: f"// first line\n#include {include}\n"})
        self.assertEqual(status, 1, f"{path} including {include} was accepted")
        self.assertIn(f"{path}:2: ", output)
        self.assertIn(rule, output)

    def test_wings_include_only_those_before_them(self):
        for below, of in enumerate(check_layers.TOP_ORDER):
            for to in check_layers.TOP_ORDER[:below + 1]:
                self.assert_allowed(f"{of}/{self.first(of)}/a.cc", f'"{to}/{self.first(to)}/b.h"')
            for to in check_layers.TOP_ORDER[below + 1:]:
                self.assert_refused(f"{of}/{self.first(of)}/a.cc", f'"{to}/{self.first(to)}/b.h"',
                                    f"{of} must not include {to}, a higher layer")

    def first(self, folder):
        """A library of a top folder."""
        return check_layers.ORDERS.get(folder, ("x",))[0]

    def test_libraries_of_a_wing_include_only_those_before_them(self):
        for wing, order in check_layers.ORDERS.items():
            for below, of in enumerate(order):
                for to in order[:below]:
                    self.assert_allowed(f"{wing}/{of}/a.h", f'"{wing}/{to}/b.h"')
                for to in order[below + 1:]:
                    self.assert_refused(f"{wing}/{of}/a.h", f'"{wing}/{to}/b.h"', "a higher layer")

    def test_nobody_includes_a_program(self):
        for to in check_layers.PROGRAMS:
            for of in ("base/core", "exchange/plan", "experiment/cells", "worker/train", "cli/run"):
                if of.split("/")[0] != to:
                    self.assert_refused(f"{of}/a.cc", f'"{to}/{self.first(to)}/b.h"',
                                        f"must not include {to}, which nobody includes")

    def test_programs_include_every_wing(self):
        for of in check_layers.PROGRAMS:
            for to in check_layers.TOP_ORDER:
                self.assert_allowed(f"{of}/{self.first(of)}/a.cc", f'"{to}/{self.first(to)}/b.h"')

    def test_trainingjob_folders_include_only_those_below_them(self):
        folders = ("state", "policy", "children", "progress", "observe", "apply")
        for below, of in enumerate(folders):
            source = f"operator/trainingjob/{of}/a.cc"
            for to in folders[:below + 1]:
                self.assert_allowed(source, f'"operator/trainingjob/{to}/b.h"')
            for to in folders[below + 1:]:
                self.assert_refused(source, f'"operator/trainingjob/{to}/b.h"',
                                    f"operator/trainingjob/{of} must not include "
                                    f"operator/trainingjob/{to}, a higher layer")

    def test_files_directly_in_trainingjob_are_its_top_layer(self):
        self.assert_allowed("operator/trainingjob/a.cc", '"operator/trainingjob/apply/b.h"')
        self.assert_allowed("operator/trainingjob/a.cc", '"operator/trainingjob/a.h"')
        self.assert_refused("operator/trainingjob/apply/a.cc", '"operator/trainingjob/b.h"',
                            "operator/trainingjob/apply must not include "
                            "operator/trainingjob/b.h, a higher layer")

    def test_a_new_folder_of_trainingjob_needs_its_place_in_the_order(self):
        status, output = check_reached({"operator/trainingjob/misc/a.h": "#pragma once\n"})

        self.assertEqual(status, 1)
        self.assertIn("operator/trainingjob/misc/a.h:1: operator/trainingjob/misc is not in the "
                      "order", output)
        self.assert_refused("operator/trainingjob/a.cc", '"operator/trainingjob/misc/a.h"',
                            "operator/trainingjob/misc is not in the order")

    def test_policies_know_no_cache_and_no_control(self):
        for of in ("state", "policy"):
            for to in ("cache", "control"):
                self.assert_refused(f"operator/trainingjob/{of}/a.h", f'"operator/{to}/b.h"',
                                    f"operator/trainingjob/{of} must not include operator/{to}")
        self.assert_allowed("operator/trainingjob/apply/a.h", '"operator/cache/cache.h"')

    def test_third_parties_stay_behind_their_fences(self):
        fences = {
            "<cpprest/http_client.h>": "kube/client/a.cc",
            "<yaml-cpp/yaml.h>": "base/yaml/a.cc",
            "<zmq.hpp>": "exchange/link/a.cc",
            "<zmq.h>": "exchange/link/a.cc",
            "<boost/beast/http.hpp>": "base/telemetry/a.cc",
            "<Eigen/Core>": "kernels/a.cc",
            "<curl/curl.h>": "cli/fetch.cc",
            "<boost/test/unit_test.hpp>": "tests/unit/a.cc",
        }
        for include, home in fences.items():
            self.assert_allowed(home, include)
            self.assert_refused("worker/train/a.cc", include, "only ")

    def test_what_other_programs_load_leaves_their_process_alone(self):
        for line, named in (("  std::signal(SIGPIPE, SIG_IGN);", "signal"),
                            ("  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);", "pthread_sigmask"),
                            ("  ::mallopt(M_TRIM_THRESHOLD, 1);", "mallopt"),
                            ("  std::_Exit(1);", "_Exit"),
                            ("  ::exit (1);", "exit"),
                            ("  std::cerr << 1;", "std::cerr"),
                            ('  std::fputs("", stderr);', "stderr"),
                            ("  Log::toStderr(level);", "toStderr"),
                            ('#include "base/process/stop_signal.h"', "base/process/stop_signal.h")):
            for of in ("job/model", "exchange/client", "engine/nn", "kernels", "base/core"):
                status, output = check_reached({f"{of}/a.cc": f"// exit()\n{line}\n"})
                self.assertEqual(status, 1, f"{of}: {line}")
                self.assertIn(f"{of}/a.cc:2: only programs and base/process may use {named}\n", output)
            for of in ("base/process", "worker/train", "cli/run"):
                self.assertEqual(check_reached({f"{of}/a.cc": line})[0], 0, f"{of}: {line}")

    def test_tests_include_everything(self):
        for target in ("engine/nn/engine.h", "server/service/a.h", "tests/support/b.h"):
            self.assert_allowed("tests/integration/a.cc", f'"{target}"')
        self.assert_allowed("tests/integration/a.cc", "<zmq.hpp>")

    def test_no_file_lies_directly_in_a_wing(self):
        status, output = check_reached({"base/util.h": "#pragma once\n"})

        self.assertEqual(status, 1)
        self.assertIn("base/util.h:1: no file lies directly in base/", output)

    def test_a_new_library_of_a_wing_needs_its_place_in_the_order(self):
        status, output = check_reached({"engine/misc/a.h": "#pragma once\n"})

        self.assertEqual(status, 1)
        self.assertIn("engine/misc/a.h:1: engine/misc is not in the order", output)

    def test_paths_in_quotes_start_at_the_root(self):
        self.assert_refused("engine/nn/a.cc", '"engine.h"', "start at the repository root")
        self.assert_refused("engine/nn/a.cc", '"../nn/engine.h"', "start at the repository root")

    def test_odd_spacing_hides_nothing(self):
        status, _ = check_reached({"base/core/a.h": '  #  include   "engine/nn/engine.h"\n'})

        self.assertEqual(status, 1)

    def test_an_empty_tree_is_an_error_not_a_pass(self):
        status, output = check({"README.md": "nothing\n"})

        self.assertEqual(status, 1)
        self.assertIn("wrong folder?", output)


class Reached(unittest.TestCase):
    MAIN = "int main(int argc, char** argv) {}\n"

    def unreached(self, files):
        """The files that the checker says nothing reaches."""
        status, output = check(files)
        found = [line.split(":")[0] for line in output.splitlines() if "no program reaches" in line]
        self.assertEqual(status, 1 if found else 0, output)
        return found

    def test_a_program_reaches_what_it_includes_and_the_sources_of_that(self):
        self.assertEqual(self.unreached({
            "cli/main.cc": including("cli/run/run.h") + self.MAIN,
            "cli/run/run.h": "",
            "cli/run/run.cc": including("cli/run/run.h", "base/core/file.h"),
            "base/core/file.h": "",
        }), [])

    def test_what_only_its_own_test_includes_is_refused(self):
        self.assertEqual(self.unreached({
            "cli/main.cc": self.MAIN,
            "planner/balance/overlap.h": "",
            "planner/balance/overlap.cc": including("planner/balance/overlap.h"),
            "tests/unit/planner/balance/overlap_test.cc": including("planner/balance/overlap.h"),
            "tests/fuzz/replay.cc": including("planner/balance/overlap.h") + self.MAIN,
        }), ["planner/balance/overlap.cc", "planner/balance/overlap.h"])

    def test_a_circle_of_includes_reaches_nothing(self):
        self.assertEqual(self.unreached({
            "cli/main.cc": self.MAIN,
            "cli/run/a.h": including("cli/run/b.h"),
            "cli/run/b.h": including("cli/run/a.h"),
        }), ["cli/run/a.h", "cli/run/b.h"])

    def test_a_header_may_have_sources_of_other_names(self):
        files = {
            "cli/main.cc": including("cli/run/commands.h") + self.MAIN,
            "cli/run/commands.h": "",
            "cli/run/start.cc": including("cli/run/commands.h"),
            "cli/run/stop.cc": including("cli/run/commands.h"),
        }
        self.assertEqual(self.unreached(files), [])
        self.assertEqual(self.unreached({**files, "cli/run/lonely.cc": including("cli/run/other.h")}),
                         ["cli/run/lonely.cc"])

    def test_test_support_and_the_library_reach_as_programs_do(self):
        self.assertEqual(self.unreached({
            "tests/support/fake.h": including("base/core/clock.h"),
            "base/core/clock.h": "",
        }), [])

    def test_what_waits_for_its_user_may_lie_there_with_what_it_includes(self):
        waiting = next(iter(check_layers.WAITING))
        files = {f"{waiting}.h": "", f"{waiting}.cc": including(f"{waiting}.h", "base/core/a.h"),
                 "base/core/a.h": ""}
        self.assertEqual(self.unreached(files), [])

        status, output = check({**files, "cli/main.cc": including(f"{waiting}.h") + self.MAIN})
        self.assertEqual(status, 1)
        self.assertIn(f"{waiting}.cc:1: a program reaches it: take it off WAITING", output)


class Crumbs(unittest.TestCase):
    SMALL = "// a line\n" * (check_layers.CRUMB_LINES - 1)

    def crumbs(self, files):
        """The headers that the checker finds to be crumbs."""
        reached = {**files, "tests/support/all.h": including("cli/run/run.h", "cli/plan/plan.h")}
        status, output = check(reached)
        found = [line.split(":")[0] for line in output.splitlines() if "it belongs there" in line]
        self.assertEqual(status, 1 if found else 0, output)
        return found

    def tree(self, crumb=SMALL, **more):
        return {"cli/run/run.h": "", "cli/run/run.cc": including("cli/run/run.h", "cli/run/crumb.h"),
                "cli/run/crumb.h": crumb, "cli/run/crumb.cc": including("cli/run/crumb.h"), **more}

    def test_a_small_header_for_one_file_beside_it_is_refused(self):
        self.assertEqual(self.crumbs(self.tree()), ["cli/run/crumb.h"])

    def test_a_header_of_25_lines_may_stay(self):
        self.assertEqual(self.crumbs(self.tree(self.SMALL + "// one more\n")), [])

    def test_a_header_with_a_second_user_may_stay(self):
        for user in ("cli/run/other.cc", "tests/unit/cli/run/crumb_test.cc"):
            files = {"cli/run/other.h": "", user: including("cli/run/crumb.h", "cli/run/other.h"),
                     "cli/plan/plan.h": including("cli/run/other.h")}
            self.assertEqual(self.crumbs(self.tree(**files)), [])

    def test_a_header_for_another_folder_may_stay(self):
        self.assertEqual(self.crumbs({"cli/run/run.h": "", "cli/run/crumb.h": "",
                                      "cli/plan/plan.h": including("cli/run/crumb.h")}), [])

    def test_an_exception_that_is_none_is_refused(self):
        kept = next(iter(check_layers.CRUMBS))
        status, output = check_reached({kept: ""})

        self.assertEqual(status, 1)
        self.assertIn(f"{kept}:1: no crumb any longer", output)


if __name__ == "__main__":
    unittest.main()
