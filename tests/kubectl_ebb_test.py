#!/usr/bin/env python3
"""deploy/kubernetes/kubectl-ebb beside a kubectl of this file: it finds the pod that acts, and runs Ebb there.

    kubectl_ebb_test.py EBB SOURCE_TREE
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

EBB, SOURCE = sys.argv[1], Path(sys.argv[2])

# A stand-in for kubectl, which writes down its arguments: `get` answers as the test says, `exec` runs the rest here.
KUBECTL = """#!/usr/bin/env python3
import json, os, sys
words = sys.argv[1:]
with open(os.environ["CALLS"], "a") as calls:
    calls.write(json.dumps(words) + "\\n")
if "get" in words:
    if os.environ["HOLDER"] == "absent":
        sys.exit('Error from server (NotFound): leases.coordination.k8s.io "ebb-controller" not found')
    print(os.environ["HOLDER"], end="")
else:
    rest = words[words.index("--") + 1:]
    os.execvp(rest[0], rest)
"""


class TestPlugin(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = Path(scratch.name)
        (self.directory / "kubectl").write_text(KUBECTL, encoding="utf-8")
        (self.directory / "kubectl").chmod(0o755)
        (self.directory / "ebb").symlink_to(EBB)

    def run_plugin(self, *words, holder="ebb-controller-7d9f_1763000000000", **variables):
        environment = {"PATH": f"{self.directory}:{os.environ['PATH']}", "CALLS": str(self.directory / "calls"),
                       "HOLDER": holder, "EBB_CONFIG": "none", **variables}
        return subprocess.run([SOURCE / "deploy/kubernetes/kubectl-ebb", *words], env=environment, text=True,
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=60)

    def calls(self):
        return [json.loads(line) for line in (self.directory / "calls").read_text(encoding="utf-8").splitlines()]

    def test_the_command_runs_in_the_pod_that_acts(self):
        done = self.run_plugin("version")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("ebb "), done.stdout)
        asked, ran = self.calls()
        self.assertEqual(asked[:5], ["get", "lease", "ebb-controller", "-n", "ebb"])
        self.assertEqual(ran[:ran.index("--")],
                         ["exec", "--stdin", "-n", "ebb", "ebb-controller-7d9f", "-c", "controller"])

    def test_flags_of_kubectl_go_to_both_calls(self):
        self.run_plugin("--context", "lab", "--kubeconfig=/k", "-n", "green", "version", "--context", "of ebb",
                        TZ="Europe/Berlin")
        for call in self.calls():
            self.assertEqual(call[:2], ["--context=lab", "--kubeconfig=/k"])
            self.assertEqual(call[call.index("-n") + 1], "green")
        self.assertEqual(self.calls()[1][-5:], ["TZ=Europe/Berlin", "ebb", "version", "--context", "of ebb"])

    def test_exit_codes_come_through(self):
        self.assertEqual(self.run_plugin("nosuch").returncode, 2)

    def test_without_a_controller_it_says_so(self):
        for holder, said in (("", "no controller acts now"), ("absent", "is the controller there?")):
            done = self.run_plugin("queue", holder=holder)
            self.assertEqual(done.returncode, 4)
            self.assertIn(said, done.stderr)

    def test_without_a_command_it_shows_how_it_is_used(self):
        done = self.run_plugin()
        self.assertEqual(done.returncode, 2)
        self.assertIn("kubectl ebb queue", done.stderr)
        self.assertEqual(self.run_plugin("--help").returncode, 0)
        self.assertEqual(self.run_plugin("--nosuch", "queue").returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
