"""Elastic objects on a real control plane: ebb controller gives Jobs the number of devices that the plan chooses, and
the API server accepts these changes of Jobs that are held back.

Run by ./dev peers kubernetes. A deadline that a job cannot keep on its own devices makes it wide, and a later one lets
it be narrow again.
"""

import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from kubernetes_test import container
from kubernetes_controller import EBB, Controller, ControllerTest, waiting


class TestWidths(ControllerTest):
    def begin(self, *flags):
        self.store = str(self.cluster.directory / self.id() / "controller.db")
        controller = Controller(self.cluster, self.grid, self.log, "--store", self.store, *flags, policy="planner")
        self.addCleanup(lambda: controller.program.poll() is None and controller.end())
        return controller

    def ebb(self, *words):
        done = subprocess.run([EBB, *words, "--store", self.store], capture_output=True, text=True, check=False,
                              timeout=60, env={**os.environ, "EBB_CONFIG": "none"})
        self.assertEqual(done.returncode, 0, done.stderr)

    def elastic(self, name, speedup, **more):
        """An hour of work that must be done within 35 minutes, in pieces of ten minutes or more."""
        made = waiting(name, {"containers": [container(gpus=1)]},
                       {"ebb/speedup": speedup, "ebb/checkpointable": "true", "ebb/duration": "1h",
                        "ebb/finish-by": "35m", "ebb/minimum-segment": "10m"}, **more)
        del made["metadata"]["annotations"]["ebb/threshold"]
        self.admin.apply(made)

    def spec(self, name):
        return self.admin.get("jobs", name)["spec"]

    def gpus(self, name):
        return self.spec(name)["template"]["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"]

    def pause_and_allow_hours(self, name):
        """Paused by a person, and started again once it has time enough to be narrow."""
        self.ebb("pause", f"default/{name}")
        self.wait(lambda: self.annotation(name, "stage") == "paused", "the pause")
        self.admin.patch("jobs", name, {"metadata": {"annotations": {"ebb/finish-by": "20h"}}})
        self.ebb("now", f"default/{name}")
        self.wait(lambda: self.annotation(name, "attempt") == "2", "the next release")

    def test_an_indexed_job_has_the_planned_pods(self):
        self.elastic("wide", "2=1.9", completionMode="Indexed", parallelism=1, completions=1)
        self.wait(lambda: len(self.pods("wide")) == 2, "two pods to run")
        self.assertEqual((self.spec("wide")["parallelism"], self.spec("wide")["completions"]), (2, 2))
        self.assertEqual((self.annotation("wide", "devices"), self.annotation("wide", "own-devices")), ("2", "1"))
        self.pause_and_allow_hours("wide")
        self.wait(lambda: len(self.pods("wide")) == 1, "one pod to run")
        self.assertEqual((self.spec("wide")["parallelism"], self.spec("wide")["completions"]), (1, 1))

    def test_another_controller_knows_the_width_that_a_job_has(self):
        self.elastic("kept", "2=1.9", completionMode="Indexed", parallelism=1, completions=1)
        self.wait(lambda: len(self.pods("kept")) == 2, "two pods to run")
        self.controller.end()
        self.begin()
        self.wait(lambda: self.said().count("/controller.db, ") == 2, "it to be listened to again")
        self.pause_and_allow_hours("kept")
        self.wait(lambda: len(self.pods("kept")) == 1, "one pod to run")

    def test_a_job_of_one_pod_has_the_planned_gpus(self):
        self.elastic("one", "2=1.9")
        self.wait(lambda: self.pods("one"), "its pod to run")
        self.assertEqual(self.gpus("one"), "2")
        self.pause_and_allow_hours("one")
        self.wait(lambda: self.pods("one"), "its pod to run again")
        self.assertEqual(self.gpus("one"), "1")


if __name__ == "__main__":
    unittest.main(verbosity=2)
