"""Elastic Jobs in queues of the real Kueue: ebb controller gives them the number of devices that the plan chooses, by
Kueue's workload slices while they run, and by a pause if Kueue makes no slices.

Run by ./dev peers kubernetes. The intensity and its forecast come from a program whose clean minutes begin and end when
a test says so. An attempt runs for a minute before the engine changes its width.
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
from kubernetes_kueue import CHECKED, KUEUE, QUOTA, KueueCase, cluster_queue, gpus_of, holds, local_queue, queued

ELASTIC = "kueue.x-k8s.io/elastic-job"
REPLACES = "kueue.x-k8s.io/workload-slice-replacement-for"
STEP = timedelta(minutes=5)  # the planner's
CHANGES_WITHIN_S = 150
# Prints a day before and after now, clean from BEGIN to END (Unix time).
SOURCE = """
import time
print("time,g_per_kwh,status")
now = int(time.time()) // 300 * 300
for at in range(now - 86400, now + 86400, 300):
    print(f"{at},{CLEAN if BEGIN <= at < END else DIRTY},{'measured' if at <= now else 'forecast'}")
"""


def flavor(name):
    return {"apiVersion": KUEUE, "kind": "ResourceFlavor", "metadata": {"name": name}}


def step_of(moment):
    return moment.replace(minute=moment.minute // 5 * 5, second=0, microsecond=0)


def utc(moment):
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


class Watch:
    """What was seen of a Job every 0.1 s: (suspended, parallelism, pods that run). `most_gpus`: the most that admitted
    workloads had at once."""

    def __init__(self, case, name):
        self.case, self.name, self.seen, self.most_gpus, self.over = case, name, [], 0, threading.Event()
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
            self.most_gpus = max(self.most_gpus, sum(
                gpus_of(workload) for workload in self.admin.get("workloads")
                if holds(workload, "Admitted") and not holds(workload, "Finished")))

    def end(self):
        self.over.set()
        self.thread.join()

    def since_start(self):
        """What was seen since the Job ran first; ends the watch."""
        self.end()
        began = next(i for i, (suspended, _, _) in enumerate(self.seen) if not suspended)
        print(f"(suspended, parallelism, pods): {self.seen[began:]}; most GPUs {self.most_gpus}")
        return self.seen[began:]


class SlicesCase(KueueCase):
    gates = "ElasticJobsViaWorkloadSlices=true"
    queues = (local_queue("clean"), cluster_queue("clean", CHECKED))

    def setUp(self):
        self.clean = self.clean_minutes()
        super().setUp()

    @staticmethod
    def clean_minutes():
        begin = step_of(datetime.now(timezone.utc))
        return begin, begin + timedelta(hours=1)

    def begin(self):
        directory = self.cluster.directory / self.id()
        directory.mkdir(exist_ok=True)
        begin, end = (int(moment.timestamp()) for moment in self.clean)
        (directory / "source.py").write_text(f"CLEAN, DIRTY, BEGIN, END = {CLEAN}, {DIRTY}, {begin}, {end}\n{SOURCE}")
        self.store = directory / "controller.db"
        controller = Controller(self.cluster, self.grid, self.log, "--kueue-every", "2s", "--store", self.store,
                                policy="planner", signal=[
                                    "--signal-command", f"{sys.executable} {directory / 'source.py'}", "--zone", "XX",
                                    "--refresh", "20s", "--signal-cache", "none"])
        self.addCleanup(lambda: controller.program.poll() is None and controller.end())
        return controller

    def ebb(self, *words):
        done = subprocess.run([EBB, *words, "--store", self.store], capture_output=True, text=True, check=False,
                              timeout=60, env={**os.environ, "EBB_CONFIG": "none"})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def shown(self, name):
        [found] = [shown for shown in json.loads(self.ebb("queue", "--format", "json"))["jobs"]
                   if shown["name"] == f"default/{name}"]
        return found

    def elastic(self, name, speedup="2=1.9", duration="2h", finish_by="20h"):
        """A Job of one pod; two hours of work are more than one pod does in a clean hour."""
        made = queued(name, completionMode="Indexed", parallelism=1, completions=1, annotations={
            ELASTIC: "true", "ebb/speedup": speedup, "ebb/checkpointable": "true", "ebb/duration": duration,
            "ebb/finish-by": finish_by, "ebb/minimum-segment": "5s", "ebb/pause-cost": "1s"})
        del made["metadata"]["annotations"]["ebb/threshold"]
        self.admin.apply(made)

    def others(self, name, pods):
        """A Job that does not wait, with a GPU for each pod."""
        self.admin.apply(queued(name, annotations={"ebb/wait": "false"}, parallelism=pods, completions=pods))
        self.runs(name, pods)

    def urgent(self, name, pods):
        """A Job that must begin soon, with a GPU for each pod."""
        made = queued(name, parallelism=pods, completions=pods,
                      annotations={"ebb/duration": "10m", "ebb/finish-by": "13m"})
        del made["metadata"]["annotations"]["ebb/threshold"]
        self.admin.apply(made)

    def runs(self, name, pods=1, seconds=30):
        self.wait(lambda: len(self.pods(name)) == pods, f"{name} to run with {pods} pods", seconds)

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

    def wide_once_there_is_quota(self):
        """Beside a Job that leaves quota for one pod at first."""
        self.others("other", QUOTA - 1)
        self.elastic("train")
        watch = Watch(self, "train")
        self.runs("train")
        first = self.uids("train")
        self.admin.delete("jobs", "other")
        self.runs("train", 2, CHANGES_WITHIN_S)
        self.assertLess(first, self.uids("train"), "the first pod runs on")
        return watch, first

    def is_never_suspended(self, watch, parallelism):
        seen = watch.since_start()
        self.assertNotIn(True, [suspended for suspended, _, _ in seen])
        had = [pods for _, pods, _ in seen]
        self.assertEqual([pods for pods, before in zip(had, [0, *had]) if pods != before], parallelism)
        self.assertLessEqual(watch.most_gpus, QUOTA)


class TestSlices(SlicesCase):
    def test_it_is_wide_as_soon_as_there_is_quota_and_narrow_when_others_need_it(self):
        watch, first = self.wide_once_there_is_quota()
        [slice_] = self.live("train")
        self.assertIn(REPLACES, slice_["metadata"]["annotations"])
        self.wait(lambda: holds(self.live("train")[0], "Admitted"), "Kueue to admit the slice")
        self.assertEqual((self.annotation("train", "devices"), self.annotation("train", "own-devices")), ("2", "1"))
        self.wait(lambda: self.shown("train").get("devices_now") == 2, "the view to show it")
        self.urgent("urgent", QUOTA - 1)
        self.runs("urgent", QUOTA - 1, CHANGES_WITHIN_S)
        self.runs("train", 1)
        self.assertEqual(self.uids("train"), first, "the first pod runs on")
        self.is_never_suspended(watch, [1, 2, 1])

    def test_a_pause_ends_its_pods_and_gives_the_quota_back(self):
        self.elastic("train")
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
        self.elastic("train", speedup="2=1.01")
        self.runs("train")
        for pods in (2, 1):
            self.admin.patch("jobs", "train", {"spec": {"parallelism": pods, "completions": pods}})
            self.runs("train", pods)
            self.wait(lambda: self.shown("train").get("devices_now") == pods, "the view to show it")
            self.assertFalse(self.suspended("train"))


class TestCleanMinutes(SlicesCase):
    """Minutes that are clean, between dirty ones in which the Job has to run too, for its deadline."""

    @staticmethod
    def clean_minutes():
        begin = step_of(datetime.now(timezone.utc) + timedelta(minutes=3)) + STEP
        return begin, begin + STEP

    def test_it_is_wide_while_power_is_clean_and_narrow_while_it_is_not(self):
        begin, end = self.clean
        deadline = end + STEP
        # Narrow from now on, and wide for five minutes, with a minute to spare.
        work = (deadline - datetime.now(timezone.utc)).total_seconds() + 0.9 * STEP.total_seconds() - 60
        self.elastic("train", duration=f"{work:.0f}s", finish_by=utc(deadline))
        watch = Watch(self, "train")
        self.runs("train", 1, 90)
        first = self.uids("train")
        self.until(begin)
        self.runs("train", 2, 60)
        self.assertLess(first, self.uids("train"), "the first pod runs on")
        self.until(end)
        self.runs("train", 1, 60)
        self.assertEqual(self.uids("train"), first, "the first pod runs on")
        self.is_never_suspended(watch, [1, 2, 1])

    @staticmethod
    def until(moment):
        time.sleep(max(0, (moment - datetime.now(timezone.utc)).total_seconds()))


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
        self.elastic("train")
        watch = Watch(self, "train")
        self.runs("train")
        first = self.uids("train")
        self.admin.delete("jobs", "second")
        self.wait(lambda: self.parallelism("train") == 2, "it to be made wider", CHANGES_WITHIN_S)
        self.wait(lambda: self.parallelism("train") == 1, "it to get its pod back", CHANGES_WITHIN_S)
        self.keeps_its_width("Kueue has not followed within 1m")
        time.sleep(10)
        self.assertEqual(self.uids("train"), first, "its pod runs on")
        self.is_never_suspended(watch, [1, 2, 1])

    def test_it_starts_at_its_own_width_if_there_is_no_quota_for_the_planned_one(self):
        self.others("first", 1)  # half of the first flavor
        self.others("second", 1)  # the other half
        self.others("third", 1)  # half of the other flavor
        self.admin.delete("jobs", "second")
        self.wait(lambda: self.reserved_gpus() == 2, "its quota to be free")
        self.elastic("train")
        self.wait(lambda: self.parallelism("train") == 2, "it to be made wider")
        self.runs("train", 1, CHANGES_WITHIN_S)
        self.keeps_its_width("Kueue has not admitted it within 1m")

    def parallelism(self, name):
        return self.admin.get("jobs", name)["spec"]["parallelism"]

    def keeps_its_width(self, why):
        why = f"it keeps its 1 device, not 2 devices: {why}"
        self.wait(lambda: why in self.annotation("train", "reason"), "the reason to be written")
        self.assertIn("insufficient", self.annotation("train", "reason"))
        self.assertIn(why, self.ebb("explain", "default/train"))
        self.wait(lambda: self.shown("train")["devices_now"] == 1, "the view to show it")


class TestWithoutSlices(SlicesCase):
    gates = "ElasticJobsViaWorkloadSlices=false"

    def test_a_change_of_width_is_a_pause(self):
        self.elastic("train")
        watch = Watch(self, "train")
        self.runs("train", 2)
        self.assertEqual((self.annotation("train", "devices"), self.annotation("train", "own-devices")), ("2", "1"))
        why = "a change of its width is a pause: Kueue makes no workload slices of it"
        self.wait(lambda: why in self.annotation("train", "reason"), "the reason to be written")
        self.assertIn(why, self.ebb("explain", "default/train"))
        self.urgent("urgent", QUOTA - 1)
        self.runs("urgent", QUOTA - 1, CHANGES_WITHIN_S)
        self.runs("train", 1, CHANGES_WITHIN_S)
        self.assertEqual(self.annotation("train", "devices"), "1")
        seen = watch.since_start()
        self.assertIn(True, [suspended for suspended, _, _ in seen])
        self.assertLessEqual(watch.most_gpus, QUOTA)


if __name__ == "__main__":
    unittest.main(verbosity=2)
