"""Elastic Jobs in queues of the real Kueue: ebb controller gives them the number of devices that the plan chooses, by
Kueue's workload slices while they run, and by a pause if Kueue makes no slices.

Run by ./dev peers kubernetes. A known intensity that changes within minutes makes the plan change the width.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import unittest
from datetime import datetime, timedelta, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from kubernetes_controller import CLEAN, DIRTY, EBB, Controller
from kubernetes_kueue import CHECK, CHECKED, KUEUE, KueueCase, cluster_queue, holds, local_queue, queued

ELASTIC = "kueue.x-k8s.io/elastic-job"
REPLACES = "kueue.x-k8s.io/workload-slice-replacement-for"
STEP = timedelta(seconds=30)


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
        self.trace = self.cluster.directory / f"{self.id()}.csv"
        if not self.trace.exists():
            self.write_trace(CLEAN)
        known = ["--signal", "replay", "--trace", self.trace, "--zone", "DE", "--forecast", "perfect",
                 "--publication-lag", "none"]
        controller = Controller(self.cluster, self.grid, self.log, "--kueue-every", "2s", "--store", self.store,
                                policy="planner", signal=known)
        self.addCleanup(lambda: controller.program.poll() is None and controller.end())
        return controller

    def write_trace(self, *grams):
        """Half minutes from now on; the last one stays."""
        begin = datetime.now(timezone.utc).replace(microsecond=0)
        rows = [(begin + k * STEP, grams[min(max(k, 0), len(grams) - 1)]) for k in range(-240, 6 * 120)]
        self.trace.write_text("timestamp,carbon_intensity\n" + "".join(
            f"{at:%Y-%m-%dT%H:%M:%SZ},{g}\n" for at, g in rows), encoding="utf-8")

    def begin_with(self, *grams):
        """Another controller, which knows this intensity."""
        self.controller.end()
        self.write_trace(*grams)
        self.controller = self.begin()
        self.wait(lambda: self.said().count("/controller.db, ") == 2, "it to be listened to")

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
    def test_it_is_wide_in_the_clean_minute_and_never_suspended(self):
        # Four minutes of work in three and a half: narrow, wide for the clean minute, and narrow again.
        self.begin_with(DIRTY, DIRTY, CLEAN, CLEAN, DIRTY)
        self.elastic("train", 1, "2=1.5,3=1.8", "4m", "3m30s")
        watch = Watch(self, "train")
        self.runs("train")
        first = self.uids("train")
        self.wait(lambda: len(self.pods("train")) == 3, "three pods in the clean minute", 90)
        self.assertLess(first, self.uids("train"), "the first pod runs on")
        [slice_] = self.live("train")
        self.assertIn(REPLACES, slice_["metadata"]["annotations"])
        self.assertTrue(holds(slice_, "Admitted"))
        self.assertEqual((self.annotation("train", "devices"), self.annotation("train", "own-devices")), ("3", "1"))
        self.wait(lambda: self.shown("train").get("devices_now") == 3, "the view to show it")
        self.wait(lambda: len(self.pods("train")) == 1, "one pod in the dirty minutes", 90)
        self.assertEqual(self.uids("train"), first)
        self.wait(lambda: self.shown("train").get("devices_now") == 1, "the view to show it")
        watch.end()
        seen = watch.since_start()
        print(f"(suspended, parallelism, pods): {seen}")
        self.assertNotIn(True, [suspended for suspended, _, _ in seen])
        self.assertEqual([workload["spec"]["podSets"][0]["count"] for workload in self.live("train")], [1])
        self.assertEqual(len(json.loads(self.ebb("queue", "--format", "json"))["jobs"]), 1, "one job all along")

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
        self.begin_with(DIRTY, CLEAN, CLEAN, CLEAN, DIRTY)
        self.elastic("train", 1, "2=1.5,3=1.8", "5m", "4m")
        self.runs("train", 3)
        before = self.shown("train")
        self.controller.end(signal.SIGKILL)
        self.controller = self.begin()
        self.wait(lambda: self.said().count("/controller.db, ") == 3, "it to be listened to again", 60)
        self.wait(lambda: self.shown("train").get("devices_now") == 3, "it to know the width")
        self.assertEqual(self.shown("train")["id"], before["id"])
        self.wait(lambda: len(self.pods("train")) == 1, "one pod in the dirty minutes", 150)
        self.assertEqual(self.shown("train")["id"], before["id"])

    def test_somebody_else_may_make_it_wider(self):
        self.elastic("train", 1, "2=1.9", "1h", "20h")
        self.runs("train")
        self.admin.patch("jobs", "train", {"spec": {"parallelism": 2, "completions": 2}})
        self.runs("train", 2)
        self.wait(lambda: self.shown("train").get("devices_now") == 2, "the view to show it")
        self.assertFalse(self.suspended("train"))


class TestTooWide(SlicesCase):
    """Kueue keeps all slices of a Job in one flavor, and no flavor has quota for more than two Pods."""
    queues = (local_queue("clean"), flavor("other"), {
        "apiVersion": KUEUE, "kind": "ClusterQueue", "metadata": {"name": "clean"},
        "spec": {"namespaceSelector": {}, **CHECKED, "resourceGroups": [
            {"coveredResources": ["cpu", "memory", "nvidia.com/gpu"], "flavors": [{"name": name, "resources": [
                {"name": "cpu", "nominalQuota": "100"}, {"name": "memory", "nominalQuota": "1Ti"},
                {"name": "nvidia.com/gpu", "nominalQuota": "2"}]} for name in ("any", "other")]}]}})

    def test_without_quota_it_keeps_its_width_and_says_why(self):
        self.begin_with(DIRTY, DIRTY, CLEAN, CLEAN, CLEAN, CLEAN, CLEAN, DIRTY)
        self.elastic("train", 1, "4=2.5", "6m", "5m")
        watch = Watch(self, "train")
        self.runs("train")
        first = self.uids("train")
        self.wait(lambda: self.admin.get("jobs", "train")["spec"]["parallelism"] == 4, "it to be made wider", 90)
        self.wait(lambda: self.admin.get("jobs", "train")["spec"]["parallelism"] == 1, "it to get its Pod back", 90)
        why = "it keeps its 1 device, not 4 devices: Kueue has not followed within 1m: "
        self.wait(lambda: why in self.annotation("train", "reason"), "the reason to be written")
        self.assertIn("insufficient", self.annotation("train", "reason"))
        self.assertIn(why, self.ebb("explain", "default/train"))
        self.assertEqual(self.shown("train")["devices_now"], 1)
        time.sleep(10)
        watch.end()
        seen = watch.since_start()
        print(f"(suspended, parallelism, pods): {seen}")
        self.assertEqual(self.uids("train"), first, "its pod runs on")
        self.assertEqual(len([state for state in seen if state[1] == 4]), 1, "tried once")
        self.assertNotIn(True, [suspended for suspended, _, _ in seen])
        self.assertEqual([workload["spec"]["podSets"][0]["count"] for workload in self.live("train")], [1])


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
