"""Encrypted transport: members authenticate each other by keys, which `sumac run` makes for them.

Usage: keys_test.py PROGRAMS_FOLDER [TEST...]
"""

import os
import pathlib
import signal
import stat
import subprocess

import jobs
from jobs import DEADLINE_SECONDS, ENDLESS, JOB, children, finish, has_checkpoint, has_progress
from jobs import is_gone, newest_checkpoint, run, sumac, until

CURVE = ("--set", "security.transport=curve")


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


class KeysTest(jobs.JobTest):
    def member(self, program, *arguments, status, **environment):
        """What a member prints that is started by hand."""
        done = subprocess.run(
            [jobs.PROGRAMS / program, "--index", "0", *map(str, arguments)],
            env={**os.environ, **environment}, capture_output=True, text=True,
            timeout=DEADLINE_SECONDS, stdin=subprocess.DEVNULL,
        )
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def test_a_token_that_others_cannot_see_keeps_strangers_out(self):
        folder = self.folder / "run"
        process = sumac(folder, *ENDLESS, "--workers", 2)
        until(lambda: has_progress(folder), "progress")
        environments = [pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
                        for pid in children(process.pid).values()]
        tokens = {entry for each in environments for entry in each
                  if entry.startswith(b"SUMAC_JOB_TOKEN=")}
        self.assertEqual(len(tokens), 1)
        token = tokens.pop().removeprefix(b"SUMAC_JOB_TOKEN=").decode()
        self.assertRegex(token, "^[0-9a-f]{64}$")
        pid = children(process.pid)["worker 1"]
        words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        self.assertNotIn(token.encode(), b" ".join(words))
        arguments = [word.decode() for word in words[1:] if word]

        # A second worker 1, with all that anyone can see of the first.
        outside = subprocess.Popen([jobs.PROGRAMS / "sumac-worker", *arguments],
                                   env={**os.environ, "SUMAC_TERMINATION_FILE": ""},
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(outside.kill)
        begun = jobs.reached(folder, "progress")
        until(lambda: has_progress(folder, step=begun + 1), "more progress")
        self.assertIsNone(outside.poll())
        outside.kill()
        outside.wait()
        process.send_signal(signal.SIGINT)
        finish(process, allowed=(130,))

    def test_bits_are_those_of_an_unencrypted_run(self):
        shape = ("--workers", 3, "--servers", 2)
        plain = run(self.folder / "plain", *shape)
        curve = run(self.folder / "curve", *shape, *CURVE)
        self.assertEqual(curve["parametersSha256"], plain["parametersSha256"])
        self.assertIn("none", (self.folder / "plain" / "job.yaml").read_text())
        self.assertFalse((self.folder / "plain" / "keys").exists())

    def test_keys_are_readable_by_the_owner_only_and_deleted_at_the_end(self):
        folder = self.folder / "run"
        process = sumac(folder, *ENDLESS, *CURVE, "--workers", 2)
        until(lambda: has_progress(folder), "progress")
        members = sorted(path.name for path in (folder / "keys").iterdir())
        self.assertEqual(members, ["server-0", *(f"worker-{index}" for index in range(4))])  # V: more may come
        self.assertEqual(mode(folder / "keys"), 0o700)
        for name in members:
            self.assertEqual(mode(folder / "keys" / name), 0o700)
            self.assertEqual(mode(folder / "keys" / name / "private"), 0o600)
        secrets = [(folder / "keys" / name / "private").read_text() for name in members]
        process.send_signal(signal.SIGINT)
        output = finish(process, allowed=(130,))
        self.assertFalse((folder / "keys").exists())
        logs = "".join(path.read_text() for path in folder.glob("*.log"))
        for secret in secrets:
            self.assertNotIn(secret, logs + output)

    def test_a_run_resumes_after_it_was_killed_and_left_keys_behind(self):
        often = ("--set", "checkpoint.everySteps=50", *CURVE)
        folder = self.folder / "run"
        process = sumac(folder, *ENDLESS, *often)
        until(lambda: has_checkpoint(folder), "a checkpoint")
        members = children(process.pid)
        process.kill()
        process.communicate(timeout=DEADLINE_SECONDS)
        for name, pid in members.items():
            until(lambda pid=pid: is_gone(pid), f"the end of {name}")
        self.assertTrue((folder / "keys").exists())
        length = ("--set", f"training.steps={newest_checkpoint(folder) + 100}")
        finish(sumac(folder, *length, *often))
        self.assertFalse((folder / "keys").exists())
        whole = run(self.folder / "whole", *length, *often)
        self.assertIn(whole["parametersSha256"], (folder / "result.json").read_text())

    def test_loss_of_a_member_is_noticed(self):
        folder = self.folder / "run"
        process = sumac(folder, *ENDLESS, *CURVE, *jobs.ONCE, "--workers", 2)
        until(lambda: has_progress(folder), "progress")
        os.kill(children(process.pid)["worker 1"], signal.SIGKILL)
        self.assertIn("worker 1", finish(process, allowed=(1, 75)))

    def test_members_refuse_to_start_without_keys(self):
        said = self.member("sumac-server", "--job", JOB, status=78)
        self.assertIn("security.transport", said)
        self.assertIn("--keys", said)
        said = self.member("sumac-worker", "--job", JOB, "--coordinator", "tcp://127.0.0.1:9", status=78)
        self.assertIn("--keys", said)

    def test_members_refuse_to_start_with_malformed_keys(self):
        keys = self.folder / "keys"
        keys.mkdir()
        said = self.member("sumac-server", "--job", JOB, status=78, SUMAC_KEYS=str(keys))
        self.assertIn(str(keys / "public"), said)
        (keys / "public").write_text("server-0 short\n")
        (keys / "private").write_text(40 * "x")
        said = self.member("sumac-server", "--job", JOB, status=78, SUMAC_KEYS=str(keys))
        self.assertIn("line 1 of the public keys", said)
        self.assertNotIn(40 * "x", said)


if __name__ == "__main__":
    jobs.main()
