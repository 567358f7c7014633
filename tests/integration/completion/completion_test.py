#!/usr/bin/env python3
"""Presses Tab: bash runs the script that `sumac completion bash` prints, kubectl's helper is asked as
kubectl does. Job names come from an API server in this process.

    completion_test.py FOLDER_OF_PROGRAMS
"""

import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

PROGRAMS = pathlib.Path(sys.argv.pop(1)).resolve()
JOB = pathlib.Path(__file__).resolve().parents[3] / "examples" / "lenet5-fashion-mini.yaml"
NAMES = ["lenet5", "lenet5-second", "vgg"]

# Calls the function that completes, as readline does: COMP_WORDS has "=" as a word of its own.
PRESS_TAB = """
source <("$0" completion bash)
complete -p sumac >/dev/null
COMP_WORDS=("$0" "$@")
COMP_CWORD=$#
_sumac
printf '%s\\n' "${COMPREPLY[@]}"
"""


class ApiServer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        jobs = [{"apiVersion": "sumac.dev/v1alpha1", "kind": "TrainingJob",
                 "metadata": {"name": name, "namespace": "team", "uid": name, "resourceVersion": "1"},
                 "spec": {}} for name in NAMES]
        found = self.path.startswith("/apis/sumac.dev/v1alpha1/namespaces/team/trainingjobs")
        body = json.dumps({"apiVersion": "sumac.dev/v1alpha1", "kind": "TrainingJobList",
                           "metadata": {"resourceVersion": "1"}, "items": jobs if found else []}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Completion(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), ApiServer)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.config = cls.kubeconfig("config", f"http://127.0.0.1:{cls.server.server_port}")

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()
        shutil.rmtree(cls.folder)

    @classmethod
    def kubeconfig(cls, name, server):
        file = cls.folder / name
        file.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c", "users": [],
            "clusters": [{"name": "c", "cluster": {"server": server}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "namespace": "team"}}]}))
        return file

    def ask(self, command, config=None):
        environment = {**os.environ, "KUBECONFIG": str(config or self.config)}
        return subprocess.run(list(map(str, command)), env=environment, capture_output=True, text=True,
                              check=True, stdin=subprocess.DEVNULL, timeout=60)

    def tab(self, *words, config=None):
        done = self.ask(["bash", "-euc", PRESS_TAB, PROGRAMS / "sumac", *words], config)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash_completes_commands_options_and_choices(self):
        self.assertEqual(self.tab("des"), ["describe"])
        self.assertEqual(self.tab("run", "--out"), ["--output-dir"])
        self.assertEqual(self.tab("get", "--output", "=", "j"), ["json"])
        self.assertEqual(self.tab("get", "-o", "y"), ["yaml"])
        self.assertIn("--kubeconfig", self.tab("--kube"))

    def test_all_options_of_data_are_completed(self):
        for command in ("info", "generate"):
            text = self.ask([PROGRAMS / "sumac", "data", command, "--help"]).stdout
            options = set(re.findall(r"^  (?:-\w,)?(--[a-z-]+)", text, re.MULTILINE))
            self.assertIn("--format", options)
            self.assertEqual(set(self.tab("data", command, "--")), options | {"--help"})

    def test_bash_completes_the_names_of_jobs(self):
        self.assertEqual(self.tab("describe", "lenet5"), ["lenet5", "lenet5-second"])
        self.assertEqual(self.tab("--namespace", "team", "delete", "v"), ["vgg"])
        self.assertEqual(self.tab("describe", "-n", "other", ""), [])

    def test_a_cluster_that_does_not_answer_completes_nothing_and_says_nothing(self):
        for config in (self.kubeconfig("closed", "http://127.0.0.1:1"), self.folder / "missing"):
            self.assertEqual(self.tab("describe", "", config=config), [])

    def test_kubectl_is_answered_in_its_protocol(self):
        helper = PROGRAMS / "kubectl_complete-sumac"
        self.assertEqual(self.ask([helper, "sus"]).stdout, "suspend\n:4\n")
        self.assertEqual(self.ask([helper, "suspend", "v"]).stdout, "vgg\n:4\n")
        self.assertEqual(self.ask([helper, "submit", ""]).stdout, ":0\n")
        self.assertEqual(self.ask([helper, "scale", "v"]).stdout, "vgg\n:0\n")
        self.assertNotIn("validate", self.ask([helper, ""]).stdout)

    def test_flags_that_choose_the_cluster_work_before_the_command_too(self):
        missing = self.folder / "missing"
        before = self.ask([PROGRAMS / "sumac", "--kubeconfig", self.config, "get", "-o", "name"], missing)
        self.assertEqual(before.stdout.split(), [f"trainingjob.sumac.dev/{name}" for name in NAMES])
        both = self.ask([PROGRAMS / "sumac", "-n", "team", "get", "-n", "other", "-o", "name"])
        self.assertEqual(both.stdout, "")

    def test_a_wrong_command_line_is_a_usage_error_that_names_the_word(self):
        for words, part in ((["trian"], "unknown command `trian`"), (["help", "rnu"], "unknown command `rnu`"),
                            (["get", "--wathc"], "did you mean `--watch`?"),
                            (["validate", "-", "--set", "epochs"], "must be PATH=VALUE"),
                            (["logs", "x", "--index", "-1"], "-1"), (["logs", "x", "--since", ""], "--since")):
            done = subprocess.run([PROGRAMS / "sumac", *words], capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=60)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(part, done.stderr)
            self.assertLess(len(done.stderr), 300)
        self.assertTrue(self.ask([PROGRAMS / "sumac", "version"]).stdout.startswith("sumac "))
        self.assertIn("--workers", self.ask([PROGRAMS / "sumac", "help", "run"]).stdout)
        # `data` is another program's, whose words its help has.
        self.assertIn("generate", self.ask([PROGRAMS / "sumac", "help", "data"]).stdout)

    def test_what_does_not_exist_is_a_usage_error_as_docs_exit_codes_says(self):
        (self.folder / "file").touch()
        for code, *words in ((2, "run", "nofile"), (2, "validate", "nofile"), (2, "get", "--kubeconfig", "nofile"),
                             (2, "run", JOB, "--resume", "nofolder"), (2, "run", JOB, "--output-dir", self.folder),
                             (2, "explain", "spec.nothing"), (2, "models", "show", "nothing"),
                             (78, "data", "info", "nofile"), (78, "data", "info", "--format", "idx", "--path", "nofolder")):
            done = subprocess.run([PROGRAMS / "sumac", *words], capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=60)
            self.assertEqual(done.returncode, code, (words, done.stderr))

    def test_zsh_and_fish_can_read_their_scripts(self):
        for shell in filter(shutil.which, ("zsh", "fish")):
            script = self.folder / f"sumac.{shell}"
            script.write_text(self.ask([PROGRAMS / "sumac", "completion", shell]).stdout)
            self.ask([shell, "-n", script])


if __name__ == "__main__":
    unittest.main()
