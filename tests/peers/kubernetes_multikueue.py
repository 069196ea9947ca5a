"""ebb controller as the dispatcher of Kueue's MultiKueue: three real API servers, a manager and two workers.

Run by ./dev peers kubernetes. The zones of the workers, NORTH and SOUTH, are clean when the test says so, in turns. The
manager's own zone, HOME, is always dirty.
"""

import collections
import http.server
import json
import signal
import sys
import threading
import time
import unittest
from datetime import datetime, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from kubernetes_controller import CLEAN, DIRTY, Controller, grant
from kubernetes_kueue import CHECK, FLAVOR, holds, local_queue
from kubernetes_test import KUEUE, Cluster, container, job
from api import ApiError
import build

DISPATCHER = "ebb/clean-power"
OWN_DISPATCHERS = tuple(f"kueue.x-k8s.io/multikueue-dispatcher-{name}" for name in ("all-at-once", "incremental"))
MULTIKUEUE = "kueue.x-k8s.io/multikueue"
ZONES = {"north": "NORTH", "south": "SOUTH"}
GPUS = 8  # of each worker
WORKLOADS = 100
FRAMEWORKS = {"integrations": {"frameworks": ["batch/job", "ray.io/rayjob", "ray.io/raycluster",
                                              "jobset.x-k8s.io/jobset"]}}


class Grids:
    """An address for each zone that tells the intensity of now, and which worker was clean when."""

    def __init__(self):
        self.g_per_kwh = {"HOME": DIRTY, "NORTH": DIRTY, "SOUTH": DIRTY}
        self.asked = collections.Counter()
        grids = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                zone = self.path.strip("/")
                grids.asked[zone] += 1
                now = datetime.now(timezone.utc).replace(microsecond=0).isoformat()
                answer = json.dumps({"carbonIntensity": grids.g_per_kwh[zone], "datetime": now}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/{{zone}}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def clean(self, *workers):
        """Makes these workers clean and the other dirty."""
        for worker, zone in ZONES.items():
            self.g_per_kwh[zone] = CLEAN if worker in workers else DIRTY

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Days(threading.Thread):
    """Opposite days: one worker is clean while the other is dirty. Keeps what was clean when."""

    def __init__(self, grids, seconds):
        super().__init__(daemon=True)
        self.grids, self.seconds, self.over, self.turns = grids, seconds, threading.Event(), []

    def run(self):
        turn = 0
        while not self.over.is_set():
            clean = ("north", "south")[turn % 2]
            self.grids.clean(clean)
            self.turns.append((time.monotonic(), clean))
            turn += 1
            self.over.wait(self.seconds)

    def was_clean(self, worker, at, seconds_before):
        """Whether it was clean at that moment, or not longer ago than it takes to act."""
        begun = [clean for since, clean in self.turns if since <= at]
        before = [clean for since, clean in self.turns if since <= at - seconds_before]
        return worker in (begun[-1:] + before[-1:])


class Runs(threading.Thread):
    """Which pods of which Jobs the workers have had, as far as they can be asked."""

    def __init__(self, workers):
        super().__init__(daemon=True)
        self.workers, self.over = workers, threading.Event()
        self.pods = collections.defaultdict(dict)  # job -> {(worker, uid): when first seen}

    def run(self):
        while not self.over.is_set():
            for name, worker in self.workers.items():
                try:
                    found = worker.admin.get("pods")
                except (ApiError, OSError, EOFError):
                    continue
                except Exception:  # a connection that was cut within an answer
                    continue
                for pod in found:
                    of = pod["metadata"]["labels"].get("job-name", pod["metadata"]["name"])
                    self.pods[of].setdefault((name, pod["metadata"]["uid"]), time.monotonic())
            time.sleep(0.2)


def queues(name, gpus, checks=()):
    flavor = {"name": "any", "resources": [{"name": "cpu", "nominalQuota": "100"},
                                           {"name": "memory", "nominalQuota": "1Ti"},
                                           {"name": "nvidia.com/gpu", "nominalQuota": str(gpus)}]}
    spec = {"namespaceSelector": {}, "resourceGroups": [
        {"coveredResources": ["cpu", "memory", "nvidia.com/gpu"], "flavors": [flavor]}]}
    if checks:
        spec["admissionChecksStrategy"] = {"admissionChecks": [{"name": check} for check in checks]}
    return ({"apiVersion": KUEUE, "kind": "ClusterQueue", "metadata": {"name": name}, "spec": spec}, local_queue(name))


def sent(name, gpus=1, queue="clean", annotations=None, runs_for=None):
    """A Job that MultiKueue runs in a worker."""
    made = job(name, {"containers": [container(gpus=gpus)]}, suspend=True, managedBy=MULTIKUEUE,
               annotations={"ebb.test/runs-for": runs_for} if runs_for else None)
    made["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": queue}
    made["metadata"]["annotations"] = {"ebb/threshold": "200", **(annotations or {})}
    return made


def job_set_definition():
    folder = build.go(build.SOURCES / "kueue", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/jobset").strip()
    return (Path(folder) / "config/components/crd/bases/jobset.x-k8s.io_jobsets.yaml").read_text(encoding="utf-8")


class TestMultiKueue(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.began = time.monotonic()
        cls.manager = cls.enterClassContext(Cluster())
        cls.workers = {name: cls.enterClassContext(Cluster()) for name in ZONES}
        cls.admin = cls.manager.admin
        definition = job_set_definition()
        for cluster in (cls.manager, *cls.workers.values()):
            cluster.admin.get("nodes")  # an idle connection was closed; a question is asked again, a change is not
            cluster.admin.apply_yaml(definition)
        cls.set_up_workers()
        cls.set_up_manager()
        cls.say(f"three clusters with Kueue after {time.monotonic() - cls.began:.0f} s")

    @classmethod
    def set_up_workers(cls):
        for cluster in cls.workers.values():
            cluster.admin.get("nodes")
            cluster.add_nodes(GPUS // 2, gpus=2, model="NVIDIA-H100")
            cluster.start_kuberay()
            cluster.start_kueue(FRAMEWORKS)
            for manifest in (FLAVOR, *queues("clean", GPUS), *queues("plain", GPUS)):
                cluster.admin.apply(manifest)

    @classmethod
    def set_up_manager(cls):
        cls.admin.get("nodes")
        cls.admin.apply_yaml((build.BIN / "kuberay-crds.yaml").read_text())
        cls.manager.start_kueue({"multiKueue": {"dispatcherName": DISPATCHER}, **FRAMEWORKS})
        grant(cls.manager)
        for name, zone in ZONES.items():
            cls.admin.apply({"apiVersion": "v1", "kind": "Secret",
                             "metadata": {"name": name, "namespace": "kueue-system"},
                             "stringData": {"kubeconfig": cls.workers[name].kubeconfig_text("admin")}})
            cls.admin.apply({"apiVersion": KUEUE, "kind": "MultiKueueCluster",
                             "metadata": {"name": name, "annotations": {"ebb/zone": zone, "ebb/gpus": str(GPUS)}},
                             "spec": {"clusterSource": {"kubeConfig": {"location": name, "locationType": "Secret"}}}})
        check = {"controllerName": MULTIKUEUE,
                 "parameters": {"apiGroup": "kueue.x-k8s.io", "kind": "MultiKueueConfig", "name": "workers"}}
        for manifest in ({"apiVersion": KUEUE, "kind": "MultiKueueConfig", "metadata": {"name": "workers"},
                          "spec": {"clusters": list(ZONES)}},
                         {"apiVersion": KUEUE, "kind": "AdmissionCheck", "metadata": {"name": "workers"},
                          "spec": check},
                         CHECK, FLAVOR, *queues("clean", 2 * GPUS, ("clean-power", "workers")),
                         *queues("plain", 2 * GPUS, ("workers",))):
            cls.admin.apply(manifest)
        cls.manager.wait(lambda: all(holds(found, "Active") for found in cls.admin.get("multikueueclusters")),
                         "the manager to reach the workers", 60)

    @staticmethod
    def say(text):
        print(text, file=sys.stderr, flush=True)

    def setUp(self):
        self.grids = Grids()
        self.addCleanup(self.grids.close)
        self.log = str(self.manager.directory / f"{self.id()}.log")
        self.addCleanup(self.remove_jobs)
        self.controller = self.begin()
        self.wait(lambda: holds(self.admin.get("clusterqueues", "clean"), "Active"), "the queue to be active")
        self.wait(lambda: all(self.grids.asked[zone] for zone in ZONES.values()), "the zones to be asked about")

    def begin(self, *flags):
        controller = Controller(self.manager, self.grids, self.log, "--zone", "HOME", "--dispatcher", DISPATCHER,
                                "--kueue-every", "2s", "--alone", *flags)
        self.addCleanup(lambda: controller.program.poll() is None and controller.end())
        return controller

    def begin_again(self, *flags):
        self.controller.end()
        self.controller = self.begin(*flags)

    def remove_jobs(self):
        for resource in ("jobs", "rayjobs", "jobsets"):
            for found in self.admin.get(resource):
                self.admin.delete(resource, found["metadata"]["name"])
        self.manager.wait(lambda: not self.admin.get("workloads"), "the end of all", 90)
        for worker in self.workers.values():
            self.manager.wait(lambda: not worker.admin.get("pods") and not worker.admin.get("workloads"),
                              "the end of all in the workers", 90)

    def said(self):
        return Path(self.log).read_text(encoding="utf-8")

    def wait(self, question, what, seconds=40):
        try:
            return self.manager.wait(question, what, seconds)
        except TimeoutError as error:
            self.fail(f"{what} did not come about: {error}\nthe controller said:\n{self.said()[-4000:]}")

    def annotation(self, name, key, resource="jobs"):
        return self.admin.get(resource, name)["metadata"].get("annotations", {}).get(f"ebb/{key}")

    def workload(self, name):
        found = [workload for workload in self.admin.get("workloads")
                 if workload["metadata"]["ownerReferences"][0]["name"] == name]
        if len(found) != 1:
            raise ApiError(404, f"{len(found)} of them", f"the Workload of {name}")
        return found[0]

    def status(self, name):
        return self.workload(name).get("status", {})

    def runs_in(self, name, worker, seconds=40):
        def there():
            found = self.status(name)
            if found.get("clusterName") and found["clusterName"] != worker:
                self.fail(f"{name} runs in {found['clusterName']}; the controller said:\n{self.said()[-4000:]}")
            return holds(self.workload(name), "Admitted") and found.get("clusterName") == worker
        self.wait(there, f"{name} to run in {worker}", seconds)

    def hold_queue(self, worker, hold):
        """Whether the worker's queue admits anything."""
        self.workers[worker].admin.patch("clusterqueues", "clean", {"spec": {"stopPolicy": "Hold" if hold else "None"}})

    # Where and when

    def test_what_waits_is_sent_to_the_cluster_that_gets_clean(self):
        self.admin.apply(sent("patient"))
        self.wait(lambda: self.annotation("patient", "stage") == "waiting", "its reason to be written")
        self.wait(lambda: not self.workload("patient")["spec"].get("active", True), "it to give its quota back")
        self.assertNotIn("nominatedClusterNames", self.status("patient"))
        self.grids.clean("south")
        self.runs_in("patient", "south")
        self.wait(lambda: self.annotation("patient", "cluster") == "south", "the cluster to be written")
        self.wait(lambda: self.annotation("patient", "intensity-at-start") == str(CLEAN), "its intensity, too")
        [pod] = self.workers["south"].admin.get("pods")
        self.assertEqual(pod["metadata"]["labels"]["job-name"], "patient")
        self.assertEqual(self.workers["north"].admin.get("workloads"), [])

    def test_a_job_names_or_forbids_clusters(self):
        self.grids.clean("north")
        self.admin.apply(sent("named", annotations={"ebb/clusters": "south"}))
        self.admin.apply(sent("forbids", annotations={"ebb/avoid-clusters": "north"}))
        self.admin.apply(sent("any"))
        self.runs_in("any", "north")
        for name in ("named", "forbids"):
            self.wait(lambda name=name: self.annotation(name, "stage") == "waiting", f"{name} to wait")
        self.grids.clean("south")
        for name in ("named", "forbids"):
            self.runs_in(name, "south")

    def test_what_does_not_wait_is_sent_to_the_cleanest_at_once(self):
        self.grids.clean("south")
        self.wait(lambda: self.grids.asked["SOUTH"] >= 3, "that to be heard")
        self.admin.apply(sent("hasty", annotations={"ebb/wait": "false"}))
        self.admin.apply(sent("plain", queue="plain"))
        self.runs_in("hasty", "south")
        self.runs_in("plain", "south")

    # The field that says where

    def test_a_nomination_changes_nothing_else_and_is_gone_after_the_reservation(self):
        self.hold_queue("north", True)
        self.addCleanup(self.hold_queue, "north", False)
        self.grids.clean("north")
        version = self.admin.request("GET", self.admin.path("workloads"))["metadata"]["resourceVersion"]
        self.admin.apply(sent("train"))
        self.wait(lambda: self.status("train").get("nominatedClusterNames") == ["north"], "the nomination")
        self.hold_queue("north", False)
        self.runs_in("train", "north")
        history = [event["object"] for event in self.admin.watch("workloads", resource_version=version, seconds=2)
                   if event["type"] in ("ADDED", "MODIFIED")]
        at = next(i for i, found in enumerate(history) if "nominatedClusterNames" in found.get("status", {}))
        before, after = history[at - 1]["status"], dict(history[at]["status"])
        self.assertEqual(after.pop("nominatedClusterNames"), ["north"])
        self.assertEqual(after, before, "an apply that leaves something out takes it away")
        self.assertEqual(self.owners(history[at]), [("kueue-admission", "Apply")])
        admitted = self.workload("train")
        self.assertNotIn("nominatedClusterNames", admitted["status"])
        self.assertTrue(holds(admitted, "QuotaReserved"))
        self.assertEqual(self.owners(admitted), [])

    @staticmethod
    def owners(workload):
        """Who owns the names of the nominated clusters."""
        return [(entry["manager"], entry["operation"]) for entry in workload["metadata"]["managedFields"]
                if "f:nominatedClusterNames" in entry["fieldsV1"].get("f:status", {})]

    def test_a_worker_that_does_not_admit_loses_its_nomination(self):
        self.begin_again("--dispatch-within", "4s")
        self.hold_queue("north", True)
        self.addCleanup(self.hold_queue, "north", False)
        self.grids.clean("north", "south")
        self.admin.apply(sent("first", annotations={"ebb/avoid-clusters": "south"}))
        self.wait(lambda: self.status("first").get("nominatedClusterNames") == ["north"], "the nomination")
        self.wait(lambda: "north has not admitted it within 4s" in self.said(), "it to be taken back")
        self.wait(lambda: not self.workers["north"].admin.get("workloads"), "its copy to be deleted")
        self.admin.apply(sent("second"))
        self.runs_in("second", "south")
        self.hold_queue("north", False)
        self.runs_in("first", "north", 150)  # the engine decides again after a minute

    def test_an_eviction_in_the_worker_makes_it_wait_again(self):
        self.grids.clean("north")
        self.admin.apply(sent("train"))
        self.runs_in("train", "north")
        self.grids.clean("south")
        self.wait(lambda: self.grids.asked["SOUTH"] >= 3, "that to be heard")
        self.workers["north"].admin.patch("clusterqueues", "clean", {"spec": {"stopPolicy": "HoldAndDrain"}})
        self.addCleanup(self.hold_queue, "north", False)
        self.wait(lambda: self.status("train").get("clusterName") == "south", "it to be sent to the other one", 60)

    # Kinds

    def test_a_ray_job_and_a_job_set_go_to_the_clean_cluster_as_a_whole(self):
        def pods(gpus):
            return {"spec": {"containers": [container(gpus=gpus)]}}
        labels = {"kueue.x-k8s.io/queue-name": "clean"}
        self.admin.apply({
            "apiVersion": "ray.io/v1", "kind": "RayJob",
            "metadata": {"name": "tuning", "namespace": "default", "labels": labels,
                         "annotations": {"ebb/threshold": "200"}},
            "spec": {"managedBy": MULTIKUEUE, "entrypoint": "true", "suspend": True, "shutdownAfterJobFinishes": True,
                     "rayClusterSpec": {
                         "headGroupSpec": {"rayStartParams": {}, "template": pods(1)},
                         "workerGroupSpecs": [{"groupName": "workers", "replicas": 2, "minReplicas": 2,
                                               "maxReplicas": 2, "rayStartParams": {}, "template": pods(1)}]}}})
        template = job("x", {"containers": [container(gpus=1)]})["spec"]
        self.admin.apply({
            "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet",
            "metadata": {"name": "set", "namespace": "default", "labels": labels,
                         "annotations": {"ebb/threshold": "200"}},
            "spec": {"managedBy": MULTIKUEUE, "suspend": True, "replicatedJobs": [
                {"name": "trainers", "replicas": 2, "template": {"spec": {**template, "suspend": False}}}]}})
        for resource, name in (("rayjobs", "tuning"), ("jobsets", "set")):
            self.wait(lambda r=resource, n=name: self.annotation(n, "stage", r) == "waiting", f"{name} to wait")
        self.grids.clean("north")
        self.runs_in("tuning", "north")
        self.runs_in("set", "north")
        north = self.workers["north"].admin
        self.wait(lambda: sum(pod["status"]["phase"] == "Running" for pod in north.get("pods")
                              if "ray.io/node-type" in pod["metadata"]["labels"]) >= 3, "its head and workers to run")
        self.wait(lambda: not north.get("jobsets", "set")["spec"]["suspend"], "the set to be released")
        self.assertEqual(self.admin.get("pods"), [])

    # All of it

    def completes(self, names, seconds, checked=lambda: None):
        def left():
            checked()
            done = {found["metadata"]["name"] for found in self.admin.get("jobs") if holds(found, "Complete")}
            return not set(names) - done
        self.wait(left, f"all {len(names)} to complete", seconds)

    def begin_days(self, seconds):
        days, runs = Days(self.grids, seconds), Runs(self.workers)
        for thread in (days, runs):
            thread.start()
            self.addCleanup(thread.join)
            self.addCleanup(thread.over.set)
        return days, runs

    def test_a_hundred_workloads_over_opposite_days_with_a_worker_and_the_manager_killed(self):
        days, runs = self.begin_days(15)
        names = [f"job-{i}" for i in range(WORKLOADS)]
        began = time.monotonic()
        self.manager.create_all(sent(name, runs_for="3s") for name in names)
        time.sleep(8)
        self.workers["north"].stop_api_server()
        time.sleep(12)
        self.workers["north"].start_api_server()
        self.controller.end(signal.SIGKILL)
        self.manager.restart_kueue({"multiKueue": {"dispatcherName": DISPATCHER}, **FRAMEWORKS})
        self.begin()
        self.completes(names, 600)
        seconds = time.monotonic() - began
        days.over.set()
        runs.over.set()
        lost = [name for name in names if not runs.pods[name]]
        twice = {name: runs.pods[name] for name in names if len(runs.pods[name]) > 1}
        self.assertEqual(lost, [])
        self.assertEqual(twice, {}, self.said()[-4000:])
        starts = [(name, worker, at) for name in names for (worker, _), at in runs.pods[name].items()]
        planned = {name: self.annotation(name, "cluster") for name in names}
        elsewhere = [(name, worker) for name, worker, _ in starts if planned[name] != worker]
        self.assertEqual(elsewhere, [], [line for line in self.said().splitlines() for name, _ in elsewhere
                                         if f"/{name}:" in line])
        # A release, a nomination and an admission take seconds, more when a worker has just come back.
        late = [(name, worker, round(at - began)) for name, worker, at in starts if not days.was_clean(worker, at, 8)]
        clean = sum(days.was_clean(worker, at, 0) for _, worker, at in starts)
        self.say(f"{WORKLOADS} workloads in {seconds:.0f} s: {len(lost)} lost, {len(twice)} twice, all in the cluster "
                 f"of their plan; {clean} of {len(starts)} starts while it was clean, {len(late)} more than 8 s after "
                 f"that (name, cluster, second): {late}; {dict(collections.Counter(worker for _, worker, _ in starts))}")

    def test_kueues_own_dispatchers_beside_it(self):
        """They take the first that admits. The same queue without Ebb's check, and Ebb does not dispatch."""
        self.controller.end()
        self.addCleanup(self.manager.restart_kueue, {"multiKueue": {"dispatcherName": DISPATCHER}, **FRAMEWORKS})
        for dispatcher in OWN_DISPATCHERS:
            self.manager.restart_kueue({"multiKueue": {"dispatcherName": dispatcher}, **FRAMEWORKS})
            days, runs = self.begin_days(15)
            names = [f"{dispatcher.rsplit('-', 1)[1]}-{i}" for i in range(WORKLOADS)]
            began = time.monotonic()
            self.manager.create_all(sent(name, queue="plain", runs_for="3s") for name in names)
            self.completes(names, 600)
            seconds = time.monotonic() - began
            days.over.set()
            runs.over.set()
            starts = [(worker, at) for name in names for (worker, _), at in runs.pods[name].items()]
            clean = sum(days.was_clean(worker, at, 0) for worker, at in starts)
            self.say(f"{dispatcher}: {WORKLOADS} workloads in {seconds:.0f} s, {clean} of {len(starts)} starts in the "
                     f"clean cluster")


if __name__ == "__main__":
    unittest.main(verbosity=2)
