"""ebb controller beside a tool that applies a manifest again and again, on a real control plane (tests/cluster).

Run by ./dev peers kubernetes. The tool applies with server-side apply, by force, as Argo CD and Flux do; each way out of
docs/kubernetes.md, GitOps, is gone here.
"""

import copy
import sys
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from kubernetes_admission import documents
from kubernetes_controller import CLEAN, ControllerTest, waiting

ROUNDS = 20  # more than any fight had before it was given up


class Tool:
    """Applies what `manifest` gives each time, five times a second."""

    NAME = "git-tool"

    def __init__(self, admin, manifest):
        self.admin, self.manifest = admin, manifest
        self.rounds, self.failure = 0, None
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._apply, daemon=True)
        self._thread.start()

    def _apply(self):
        try:
            while not self._end.wait(0.2):
                self.admin.apply(self.manifest(), manager=self.NAME)
                self.rounds += 1
        except Exception as error:  # pylint: disable=broad-except; the test tells it
            self.failure = error

    def end(self):
        self._end.set()
        self._thread.join()
        if self.failure:
            raise self.failure


def without_suspend(manifest):
    made = copy.deepcopy(manifest)
    del made["spec"]["suspend"]
    return made


class TestGitOps(ControllerTest):
    @classmethod
    def furnish(cls):
        super().furnish()
        for document in documents("admission-policy.yaml"):
            cls.admin.apply_yaml(document)
        # The policy is in use a moment after it was applied.
        tried = without_suspend(waiting("tried"))
        path = cls.admin.path("jobs", "default") + "?dryRun=All"
        cls.cluster.wait(lambda: cls.admin.request("POST", path, tried)["spec"].get("suspend"), "the policy")

    def tool(self, manifest):
        made = Tool(self.admin, manifest)
        self.addCleanup(made.end)
        return made

    def rounds(self, tool, count=ROUNDS):
        """So many rounds later."""
        end = tool.rounds + count
        self.wait(lambda: tool.failure or tool.rounds >= end, "the tool's rounds", 120)
        self.assertIsNone(tool.failure)

    def held_back(self, name):
        """The Event on what others did to the job; empty before that."""
        uid = self.admin.get("jobs", name)["metadata"]["uid"]
        return next((event for event in self.admin.get("events") if event["reason"] == "HeldBackByAnother" and
                     event["involvedObject"].get("uid") == uid), {})

    def test_a_manifest_that_suspends_ends_with_the_second_time(self):
        self.grid.turn(CLEAN)
        tool = self.tool(lambda: waiting("fought"))
        self.wait(lambda: "2 times soon after its release" in self.held_back("fought").get("message", ""),
                  "the controller to give up", 60)
        message = self.held_back("fought")["message"]
        self.assertIn(f"held back by {Tool.NAME}", message, "the manager of the field")
        self.assertIn("leave that field out", message, "the way out")
        self.rounds(tool)
        self.assertEqual(self.annotation("fought", "attempt"), "2", self.said())
        self.assertTrue(self.suspended("fought"))
        self.assertIn(Tool.NAME, self.annotation("fought", "reason"))
        tool.end()
        # A person ends the wait.
        self.admin.patch("jobs", "fought", {"spec": {"suspend": False}})
        self.wait(lambda: self.pods("fought"), "the job to run")

    def test_a_field_that_git_never_had_is_left_alone(self):
        tool = self.tool(lambda: without_suspend(waiting("quiet")))
        self.wait(lambda: self.annotation("quiet", "stage") == "waiting", "the job to wait")
        self.rounds(tool)
        self.assertTrue(self.suspended("quiet"), "the policy set it, and the tool does not own it")
        self.grid.turn(CLEAN)
        self.wait(lambda: self.pods("quiet"), "the job to run")
        self.rounds(tool)
        self.assertTrue(self.pods("quiet"))
        self.assertEqual(self.annotation("quiet", "attempt"), "1")
        self.assertEqual(self.held_back("quiet"), {})

    def test_a_field_that_leaves_git_after_a_release_is_left_alone(self):
        self.grid.turn(CLEAN)
        self.admin.apply(waiting("cleaned"), manager=Tool.NAME)
        self.wait(lambda: self.pods("cleaned"), "the job to run")
        tool = self.tool(lambda: without_suspend(waiting("cleaned")))
        self.rounds(tool)
        self.assertTrue(self.pods("cleaned"))
        self.assertEqual(self.annotation("cleaned", "attempt"), "1")
        self.assertEqual(self.held_back("cleaned"), {})

    def test_a_field_that_leaves_git_while_the_job_waits_starts_it(self):
        self.admin.apply(waiting("waited"), manager=Tool.NAME)
        self.wait(lambda: self.annotation("waited", "stage") == "waiting", "the job to wait")
        self.admin.apply(without_suspend(waiting("waited")), manager=Tool.NAME)
        self.wait(lambda: self.pods("waited"), "the default of the API server: not suspended")

    def test_a_difference_that_is_ignored_is_left_alone(self):
        """As ignoreDifferences with RespectIgnoreDifferences: the live value takes the place of Git's."""
        def respectful():
            made = waiting("ignored")
            made["spec"]["suspend"] = self.suspended("ignored")
            return made

        self.admin.apply(waiting("ignored"), manager=Tool.NAME)
        tool = self.tool(respectful)
        self.wait(lambda: self.annotation("ignored", "stage") == "waiting", "the job to wait")
        self.rounds(tool)
        self.grid.turn(CLEAN)
        self.wait(lambda: self.pods("ignored"), "the job to run", 60)
        self.rounds(tool)
        self.assertTrue(self.pods("ignored"))
        self.assertNotIn("times soon", self.held_back("ignored").get("message", ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
