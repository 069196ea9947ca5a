"""ebb controller beside the real Kueue: when it says that a workload may start, and what it leaves to Kueue.

Run by ./dev peers kubernetes.
"""

import signal
import sys
import time
import unittest
from datetime import datetime, timedelta, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from kubernetes_controller import CLEAN, DIRTY, Controller, Grid, grant
from kubernetes_test import KUEUE, Cluster, container, job

QUOTA = 4
GATES = "kueue.x-k8s.io/admission-gated-by"
CHECK = {"apiVersion": KUEUE, "kind": "AdmissionCheck", "metadata": {"name": "clean-power"},
         "spec": {"controllerName": "ebb/gate"}}
FLAVOR = {"apiVersion": KUEUE, "kind": "ResourceFlavor", "metadata": {"name": "any"}}


CHECKED = {"admissionChecksStrategy": {"admissionChecks": [{"name": "clean-power"}]}}


def cluster_queue(name, more):
    return {"apiVersion": KUEUE, "kind": "ClusterQueue", "metadata": {"name": name},
            "spec": {"namespaceSelector": {}, **more, "resourceGroups": [
                {"coveredResources": ["cpu", "memory", "nvidia.com/gpu"], "flavors": [{"name": "any", "resources": [
                    {"name": "cpu", "nominalQuota": "100"}, {"name": "memory", "nominalQuota": "1Ti"},
                    {"name": "nvidia.com/gpu", "nominalQuota": str(QUOTA)}]}]}]}}


def local_queue(name):
    return {"apiVersion": KUEUE, "kind": "LocalQueue", "metadata": {"name": name, "namespace": "default"},
            "spec": {"clusterQueue": name}}


def queued(name, gpus=1, annotations=None, queue="clean", runs_for=None, **more):
    """A Job in a queue of Kueue that starts at or below 200 g/kWh."""
    made = job(name, {"containers": [container(gpus=gpus)]}, suspend=True,
               annotations={"ebb.test/runs-for": runs_for} if runs_for else None, **more)
    made["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": queue}
    made["metadata"]["annotations"] = {"ebb/threshold": "200", **(annotations or {})}
    return made


def holds(thing, condition):
    return any(found["type"] == condition and found["status"] == "True"
               for found in thing.get("status", {}).get("conditions", []))


def gpus_of(workload):
    pods = workload["spec"]["podSets"][0]
    return pods["count"] * int(pods["template"]["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"])


class KueueCase(unittest.TestCase):
    """A cluster with six GPUs, Kueue, and these queues."""
    queues = ()
    with_kuberay = False

    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster(flags={"kueue": ["--feature-gates=VisibilityOnDemand=false,AdmissionGatedBy=true"]})
        cls.enterClassContext(cls.cluster)
        cls.admin = cls.cluster.admin
        cls.cluster.add_nodes(3, gpus=2, model="NVIDIA-H100")
        if cls.with_kuberay:
            cls.cluster.start_kuberay()
        cls.cluster.start_kueue()
        grant(cls.cluster)
        for manifest in (CHECK, FLAVOR, *cls.queues):
            cls.admin.apply(manifest)

    def setUp(self):
        self.grid = Grid()
        self.addCleanup(self.grid.close)
        self.log = str(self.cluster.directory / f"{self.id()}.log")
        self.controller = self.begin()
        self.addCleanup(self.remove_jobs)
        self.wait(lambda: holds(self.admin.get("clusterqueues", "clean"), "Active"), "the queue to be active")

    def begin(self):
        controller = Controller(self.cluster, self.grid, self.log, "--kueue-every", "2s")
        self.addCleanup(lambda: controller.program.poll() is None and controller.end())
        return controller

    def remove_jobs(self):
        for found in self.admin.get("jobs"):
            self.admin.delete("jobs", found["metadata"]["name"])
        self.cluster.wait(lambda: not self.admin.get("pods") and not self.admin.get("workloads"), "the end of all", 90)

    def said(self):
        return Path(self.log).read_text(encoding="utf-8")

    def wait(self, question, what, seconds=30):
        try:
            return self.cluster.wait(question, what, seconds)
        except TimeoutError:
            self.fail(f"{what} did not come about; the controller said:\n{self.said()}")

    def annotation(self, name, key):
        return self.admin.get("jobs", name)["metadata"].get("annotations", {}).get(f"ebb/{key}")

    def workload(self, name):
        [found] = [workload for workload in self.admin.get("workloads")
                   if workload["metadata"]["ownerReferences"][0]["name"] == name]
        return found

    def suspended(self, name):
        return self.admin.get("jobs", name)["spec"].get("suspend", False)

    def pods(self, name):
        return [pod for pod in self.admin.get("pods", selector=f"job-name={name}")
                if pod["status"]["phase"] == "Running"]

    def runs(self, name, pods=1):
        self.wait(lambda: len(self.pods(name)) == pods, f"{name} to run")

    def waits(self, name):
        self.wait(lambda: self.annotation(name, "stage") == "waiting", f"the reason of {name} to be written")

    def reserved_gpus(self):
        """What is running, or about to; Kueue does not count what was made inactive before it was admitted."""
        return sum(gpus_of(workload) for workload in self.admin.get("workloads")
                   if holds(workload, "QuotaReserved") and not holds(workload, "Finished")
                   and (workload["spec"].get("active", True) or holds(workload, "Admitted")))


class TestKueue(KueueCase):
    queues = (local_queue("clean"), local_queue("plain"), cluster_queue("clean", CHECKED), cluster_queue("plain", {}))

    def test_what_waits_says_why_and_leaves_its_quota_to_others(self):
        self.admin.apply(queued("patient", gpus=2, parallelism=2, completions=2))
        self.waits("patient")
        self.assertIn("400 g/kWh is above 200 g/kWh", self.annotation("patient", "reason"))
        self.wait(lambda: holds(self.workload("patient"), "Evicted"), "Kueue to take the quota back")
        self.assertIn("400 g/kWh is above 200 g/kWh", self.workload("patient")["metadata"]["annotations"]["ebb/held"])
        self.admin.apply(queued("other", gpus=2, annotations={"ebb/wait": "false"}, parallelism=2, completions=2))
        self.runs("other", 2)
        self.assertTrue(self.suspended("patient"))
        self.admin.delete("jobs", "other")
        self.grid.g_per_kwh = CLEAN
        self.runs("patient", 2)
        self.wait(lambda: self.annotation("patient", "stage") == "running", "that to be written")

    def test_what_waits_holds_quota_for_moments_only(self):
        self.admin.apply(queued("patient"))
        self.waits("patient")
        self.wait(lambda: self.reserved_gpus() == 0, "its quota to be given back", 3)
        samples = []
        for _ in range(100):
            samples.append(self.reserved_gpus())
            time.sleep(0.05)
        self.assertLess(sum(samples), 30, self.said())

    def test_queues_without_the_check_are_left_alone(self):
        self.admin.apply(queued("plain", queue="plain"))
        self.runs("plain")
        self.assertIsNone(self.annotation("plain", "stage"))

    def test_a_checkpointable_one_is_paused_and_another_is_not(self):
        self.grid.g_per_kwh = CLEAN
        self.admin.apply(queued("pausable", annotations={"ebb/checkpointable": "true"}))
        self.admin.apply(queued("steady"))
        self.runs("steady")
        [steady] = self.pods("steady")
        for _ in range(2):
            self.runs("pausable")
            self.grid.turn(DIRTY)
            self.wait(lambda: not self.pods("pausable") and self.suspended("pausable"), "it to be paused")
            self.wait(lambda: self.annotation("pausable", "stage") == "paused", "that to be written")
            self.wait(lambda: self.reserved_gpus() == 1, "its quota to be given back")
            self.grid.turn(CLEAN)
        self.runs("pausable")
        self.assertEqual(self.pods("steady")[0]["metadata"]["uid"], steady["metadata"]["uid"])

    def test_the_latest_start_is_kept_in_dirty_hours(self):
        self.admin.apply(queued("late", annotations={"ebb/start-by": "8s"}))
        created = datetime.fromisoformat(self.admin.get("jobs", "late")["metadata"]["creationTimestamp"])
        self.runs("late")
        waited = datetime.now(timezone.utc) - created
        self.assertGreater(waited, timedelta(seconds=6))
        self.assertLess(waited, timedelta(seconds=20))

    def test_nothing_sticks_and_no_quota_is_exceeded_over_many_changes(self):
        names = [f"job-{i}" for i in range(8)]
        for i, name in enumerate(names):
            self.admin.apply(queued(name, gpus=1 + i % 2, runs_for="4s", annotations={
                "ebb/checkpointable": "true" if i % 4 < 3 else "false"}))
        for turn in range(12):
            self.grid.g_per_kwh = DIRTY if turn % 2 else CLEAN
            until = time.monotonic() + 1.5 + 0.3 * (turn % 4)
            while time.monotonic() < until:
                self.assertLessEqual(self.reserved_gpus(), QUOTA)
                time.sleep(0.1)
        self.grid.g_per_kwh = CLEAN

        def left():
            self.assertLessEqual(self.reserved_gpus(), QUOTA)
            return [name for name in names if not holds(self.admin.get("jobs", name), "Complete")]
        self.wait(lambda: not left(), "all to complete", 90)

    def test_another_controller_goes_on_where_one_was_killed(self):
        self.grid.g_per_kwh = CLEAN
        self.admin.apply(queued("runs"))
        self.runs("runs")
        self.grid.turn(DIRTY)
        self.admin.apply(queued("waits"))
        self.waits("waits")
        [pod] = self.pods("runs")
        self.controller.end(signal.SIGKILL)
        self.begin()
        self.grid.g_per_kwh = CLEAN
        self.runs("waits")
        self.assertEqual(self.pods("runs")[0]["metadata"]["uid"], pod["metadata"]["uid"])

    def test_an_admission_gate_is_taken_away_when_it_may_start(self):
        self.admin.apply(queued("gated", queue="plain", annotations={GATES: "ebb/wait"}))
        self.waits("gated")
        time.sleep(3)
        gated = self.workload("gated")
        self.assertFalse(holds(gated, "QuotaReserved") or holds(gated, "Evicted"), "Kueue does not look at it")
        self.grid.g_per_kwh = CLEAN
        self.runs("gated")
        self.assertNotIn(GATES, self.admin.get("jobs", "gated")["metadata"]["annotations"])

    def test_an_admission_gate_and_the_check_go_together(self):
        self.admin.apply(queued("both", annotations={GATES: "ebb/wait", "ebb/checkpointable": "true"}))
        self.waits("both")
        self.assertFalse(holds(self.workload("both"), "Evicted"))
        self.grid.turn(CLEAN)
        self.runs("both")
        self.grid.turn(DIRTY)
        self.wait(lambda: self.suspended("both") and not self.pods("both"), "it to be paused")


class TestCohort(KueueCase):
    queues = (local_queue("clean"), local_queue("lender"), cluster_queue("clean", {**CHECKED, "cohortName": "all"}),
              cluster_queue("lender", {"cohortName": "all"}))

    def test_what_borrows_starts_in_a_clean_hour_and_not_before(self):
        self.admin.apply(queued("wide", gpus=2, parallelism=3, completions=3))
        self.wait(lambda: self.annotation("wide", "stage") in ("waiting", "refused"), "a reason to be written")
        until = time.monotonic() + 12
        while time.monotonic() < until:  # it is shown to Kueue several times
            self.assertTrue(self.suspended("wide"), self.said())
            time.sleep(0.2)
        self.assertEqual(self.pods("wide"), [])
        self.grid.turn(CLEAN)
        self.runs("wide", 3)

    def test_what_was_lent_is_not_there_for_others(self):
        self.grid.turn(CLEAN)
        self.admin.apply(queued("lender", gpus=2, queue="lender", parallelism=2, completions=2))
        self.runs("lender", 2)
        self.admin.apply(queued("wide", gpus=2, parallelism=3, completions=3))
        self.wait(lambda: self.annotation("wide", "stage"), "a reason to be written")
        time.sleep(6)
        self.assertTrue(self.suspended("wide"), self.said())
        self.admin.delete("jobs", "lender")
        self.runs("wide", 3)


class TestPreemption(KueueCase):
    queues = (local_queue("clean"),
              cluster_queue("clean", {**CHECKED, "preemption": {"withinClusterQueue": "LowerPriority"}}),
              {"apiVersion": KUEUE, "kind": "WorkloadPriorityClass", "metadata": {"name": "urgent"}, "value": 1000})

    def uids(self, name):
        return {pod["metadata"]["uid"] for pod in self.pods(name)}

    def test_what_runs_is_preempted_once_at_most_for_what_comes(self):
        self.grid.turn(CLEAN)
        self.admin.apply(queued("low", gpus=2, parallelism=2, completions=2))
        self.runs("low", 2)
        first = self.uids("low")
        urgent = queued("urgent", gpus=2, parallelism=2, completions=2)
        urgent["metadata"]["labels"]["kueue.x-k8s.io/priority-class"] = "urgent"
        self.admin.apply(urgent)
        runs = self.wait(lambda: next((name for name in ("low", "urgent") if len(self.uids(name)) == 2
                                       and not self.uids(name) & first), None), "Kueue to preempt, and one to run", 90)
        waits, before = "urgent" if runs == "low" else "low", self.uids(runs)
        until = time.monotonic() + 10
        while time.monotonic() < until:  # what waits would have been shown to Kueue several times
            self.assertLessEqual(self.reserved_gpus(), QUOTA)
            time.sleep(0.2)
        self.assertEqual(self.uids(runs), before, self.said())
        self.assertEqual(self.pods(waits), [])
        self.admin.delete("jobs", runs)
        self.wait(lambda: len(self.pods(waits)) == 2, "the other one to run", 90)


class TestRayJobs(KueueCase):
    queues = (local_queue("clean"), cluster_queue("clean", CHECKED))
    with_kuberay = True

    def ray_pods(self):
        return [pod for pod in self.admin.get("pods") if pod["status"]["phase"] == "Running"
                and "ray.io/node-type" in pod["metadata"]["labels"]]

    def test_a_ray_job_waits_as_a_whole_and_starts_as_a_whole(self):
        def pods(gpus):
            return {"spec": {"containers": [container(gpus=gpus)]}}
        self.addCleanup(lambda: self.admin.delete("rayjobs", "tuning"))
        self.admin.apply({
            "apiVersion": "ray.io/v1", "kind": "RayJob",
            "metadata": {"name": "tuning", "namespace": "default", "labels": {"kueue.x-k8s.io/queue-name": "clean"},
                         "annotations": {"ebb/threshold": "200"}},
            "spec": {"entrypoint": "true", "suspend": True, "shutdownAfterJobFinishes": True, "rayClusterSpec": {
                "headGroupSpec": {"rayStartParams": {}, "template": pods(1)},
                "workerGroupSpecs": [{"groupName": "workers", "replicas": 2, "minReplicas": 2, "maxReplicas": 2,
                                      "rayStartParams": {}, "template": pods(1)}]}}})
        written = lambda: self.admin.get("rayjobs", "tuning")["metadata"]["annotations"]
        self.wait(lambda: "400 g/kWh is above 200 g/kWh" in written().get("ebb/reason", ""), "the reason")
        time.sleep(5)
        self.assertEqual(self.ray_pods(), [], self.said())
        self.grid.turn(CLEAN)
        self.wait(lambda: {pod["metadata"]["labels"]["ray.io/node-type"] for pod in self.ray_pods()}
                  == {"head", "worker"} and len(self.ray_pods()) >= 2, "its head and workers to run")
        self.wait(lambda: written().get("ebb/stage") == "running", "that to be written")


if __name__ == "__main__":
    unittest.main(verbosity=2)
