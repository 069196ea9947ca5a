"""Elastic Jobs in queues of the real Kueue: ebb controller gives them the number of devices that the plan chooses, by
Kueue's workload slices while they run, and by a pause if Kueue makes no slices.

Run by ./dev peers kubernetes. A deadline that a Job cannot keep with one pod makes it wide, as soon as there is quota.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from kubernetes_controller import CLEAN, EBB, Controller
from kubernetes_kueue import CHECK, CHECKED, KUEUE, KueueCase, cluster_queue, holds, local_queue, queued

ELASTIC = "kueue.x-k8s.io/elastic-job"
REPLACES = "kueue.x-k8s.io/workload-slice-replacement-for"


def flavor(name):
    return {"apiVersion": KUEUE, "kind": "ResourceFlavor", "metadata": {"name": name}}


class Watch:
    """What was seen of a Job every 0.1 s: (suspended, parallelism, Pods that run)."""

    def __init__(self, case, name):
        self.case, self.name, self.seen, self.over = case, name, [], threading.Event()
        self.admin = case.cluster.user("token-admin")
        self.thread = threading.Thread(target=self.run)
        self.thread.start()
        case.addCleanup(self.end)

    def run(self):
        while not self.over.wait(0.1):
            spec = self.admin.get("jobs", self.name)["spec"]
            pods = [pod for pod in self.admin.get("pods", selector=f"job-name={self.name}")
                    if pod["status"]["phase"] == "Running" and "deletionTimestamp" not in pod["metadata"]]
            state = spec.get("suspend", False), spec["parallelism"], len(pods)
            if not self.seen or self.seen[-1] != state:
                self.seen.append(state)

    def end(self):
        self.over.set()
        self.thread.join()

    def since_start(self):
        began = next(i for i, (suspended, _, _) in enumerate(self.seen) if not suspended)
        return self.seen[began:]


class SlicesCase(KueueCase):
    gates = "ElasticJobsViaWorkloadSlices=true"
    queues = (local_queue("clean"), cluster_queue("clean", CHECKED))

    def begin(self):
        self.store = self.cluster.directory / self.id() / "controller.db"
        controller = Controller(self.cluster, self.grid, self.log, "--kueue-every", "2s", "--store", self.store,
                                policy="planner", signal=["--constant", str(CLEAN)])
        self.addCleanup(lambda: controller.program.poll() is None and controller.end())
        return controller

    def ebb(self, *words):
        done = subprocess.run([EBB, *words, "--store", self.store], capture_output=True, text=True, check=False,
                              timeout=60, env={**os.environ, "EBB_CONFIG": "none"})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def shown(self, name):
        jobs = json.loads(self.ebb("queue", "--format", "json"))
        jobs = jobs["jobs"] if isinstance(jobs, dict) else jobs
        [found] = [shown for shown in jobs if shown["name"] == f"default/{name}"]
        return found

    def elastic(self, name, pods, speedup, duration, finish_by, **annotations):
        made = queued(name, completionMode="Indexed", parallelism=pods, completions=pods, annotations={
            ELASTIC: "true", "ebb/speedup": speedup, "ebb/checkpointable": "true", "ebb/duration": duration,
            "ebb/finish-by": finish_by, "ebb/minimum-segment": "5s", **annotations})
        del made["metadata"]["annotations"]["ebb/threshold"]
        self.admin.apply(made)

    def others(self, name, pods):
        """A Job that does not wait, with a GPU for each pod."""
        self.admin.apply(queued(name, annotations={"ebb/wait": "false"}, parallelism=pods, completions=pods))
        self.runs(name, pods)

    def slices(self, name):
        """Its Workloads, the oldest first."""
        found = [workload for workload in self.admin.get("workloads")
                 if workload["metadata"]["ownerReferences"][0]["name"] == name]
        return sorted(found, key=lambda workload: REPLACES in workload["metadata"]["annotations"])

    def live(self, name):
        return [workload for workload in self.slices(name) if not holds(workload, "Finished")]

    def uids(self, name):
        return {pod["metadata"]["uid"] for pod in self.pods(name)}

    def pods(self, name):
        return [pod for pod in super().pods(name) if "deletionTimestamp" not in pod["metadata"]]


class TestSlices(SlicesCase):
    def wide_once_there_is_quota(self):
        """An hour of work that must be done within 35 minutes, beside a Job that leaves quota for one pod at first."""
        self.others("other", 3)
        self.elastic("train", 1, "2=1.9", "1h", "35m")
        watch = Watch(self, "train")
        self.runs("train")
        first = self.uids("train")
        self.admin.delete("jobs", "other")
        self.runs("train", 2)
        self.assertLess(first, self.uids("train"), "the first pod runs on")
        return watch

    def test_it_is_wide_as_soon_as_there_is_quota_and_never_suspended(self):
        watch = self.wide_once_there_is_quota()
        [slice_] = self.live("train")
        self.assertIn(REPLACES, slice_["metadata"]["annotations"])
        self.wait(lambda: holds(self.live("train")[0], "Admitted"), "Kueue to admit the slice")
        self.assertEqual((self.annotation("train", "devices"), self.annotation("train", "own-devices")), ("2", "1"))
        self.wait(lambda: self.shown("train").get("devices_now") == 2, "the view to show it")
        watch.end()
        seen = watch.since_start()
        print(f"(suspended, parallelism, pods): {seen}")
        self.assertNotIn(True, [suspended for suspended, _, _ in seen])

    def test_a_pause_ends_its_pods_and_gives_the_quota_back(self):
        self.elastic("train", 1, "2=1.9", "1h", "35m")
        self.runs("train", 2)
        self.ebb("pause", "default/train")
        self.wait(lambda: self.suspended("train") and not self.pods("train"), "it to be paused")
        self.wait(lambda: self.reserved_gpus() == 0, "its quota to be given back")
        self.wait(lambda: self.annotation("train", "stage") == "paused", "that to be written")
        self.ebb("now", "default/train")
        self.runs("train", 2)

    def test_another_controller_goes_on_with_the_same_job(self):
        self.wide_once_there_is_quota()
        self.wait(lambda: self.shown("train").get("devices_now") == 2, "the view to show it")
        before, pods = self.shown("train"), self.uids("train")
        self.controller.end(signal.SIGKILL)
        self.controller = self.begin()
        self.wait(lambda: self.said().count("/controller.db, ") == 2, "it to be listened to again", 60)
        self.wait(lambda: self.shown("train").get("devices_now") == 2, "it to know the width")
        self.assertEqual(self.shown("train")["id"], before["id"])
        self.assertEqual(self.uids("train"), pods)

    def test_somebody_else_may_make_it_wider_and_narrower(self):
        self.elastic("train", 1, "2=1.9", "1h", "20h")
        self.runs("train")
        for pods in (2, 1):
            self.admin.patch("jobs", "train", {"spec": {"parallelism": pods, "completions": pods}})
            self.runs("train", pods)
            self.assertFalse(self.suspended("train"))


class TestTooWide(SlicesCase):
    """Kueue keeps all slices of a Job in one flavor."""
    queues = (local_queue("clean"), flavor("other"), {
        "apiVersion": KUEUE, "kind": "ClusterQueue", "metadata": {"name": "clean"},
        "spec": {"namespaceSelector": {}, **CHECKED, "resourceGroups": [
            {"coveredResources": ["cpu", "memory", "nvidia.com/gpu"], "flavors": [{"name": name, "resources": [
                {"name": "cpu", "nominalQuota": "100"}, {"name": "memory", "nominalQuota": "1Ti"},
                {"name": "nvidia.com/gpu", "nominalQuota": "2"}]} for name in ("any", "other")]}]}})

    def test_without_quota_it_keeps_its_width_and_says_why(self):
        self.others("first", 1)  # half of the first flavor, of which the Job gets the other half
        self.others("second", 2)
        self.elastic("train", 1, "2=1.9", "1h", "35m")
        watch = Watch(self, "train")
        self.runs("train")
        first = self.uids("train")
        self.admin.delete("jobs", "second")
        self.wait(lambda: self.admin.get("jobs", "train")["spec"]["parallelism"] == 2, "it to be made wider", 60)
        self.wait(lambda: self.admin.get("jobs", "train")["spec"]["parallelism"] == 1, "it to get its Pod back", 120)
        why = "it keeps its 1 device, not 2 devices: Kueue has not followed within 1m"
        self.wait(lambda: why in self.annotation("train", "reason"), "the reason to be written")
        self.assertIn("insufficient", self.annotation("train", "reason"))
        self.assertIn(why, self.ebb("explain", "default/train"))
        self.assertEqual(self.shown("train")["devices_now"], 1)
        time.sleep(10)
        watch.end()
        seen = watch.since_start()
        print(f"(suspended, parallelism, pods): {seen}")
        self.assertEqual(self.uids("train"), first, "its pod runs on")
        self.assertEqual([parallelism for _, parallelism, _ in seen].count(2), 1, "tried once")
        self.assertNotIn(True, [suspended for suspended, _, _ in seen])


class TestWithoutSlices(SlicesCase):
    gates = "ElasticJobsViaWorkloadSlices=false"

    def test_a_change_of_width_is_a_pause(self):
        self.elastic("train", 1, "2=1.9", "1h", "35m")
        self.runs("train", 2)
        self.assertEqual((self.annotation("train", "devices"), self.annotation("train", "own-devices")), ("2", "1"))
        why = "a change of its width is a pause: Kueue makes no workload slices of it"
        self.wait(lambda: why in self.annotation("train", "reason"), "the reason to be written")
        self.assertIn(why, self.ebb("explain", "default/train"))
        self.ebb("pause", "default/train")
        self.wait(lambda: self.suspended("train") and not self.pods("train"), "it to be paused")
        self.admin.patch("jobs", "train", {"metadata": {"annotations": {"ebb/finish-by": "20h"}}})
        time.sleep(5)  # it is shown to Kueue meanwhile
        self.ebb("now", "default/train")
        self.runs("train")
        self.assertEqual(self.admin.get("jobs", "train")["spec"]["parallelism"], 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
