"""The test cluster itself (tests/cluster): what later tests of Ebb on Kubernetes rely on.

Run by ./dev peers kubernetes, which builds the programs. One cluster serves all tests.
"""

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLUSTER = ROOT / "tests/cluster"
EBB_TRAIN = os.environ.get("EBB_TRAIN", str(ROOT / "build/release/bin/ebb-train"))
sys.path.insert(0, str(CLUSTER))
from api import ApiError
from cluster import Cluster, on_process_node

GATE = "ebb.test/gate"
# Says when it starts and when it is told to end, and takes a moment for that, as a training that checkpoints.
PATIENT = "echo started with $SEED in $PWD; trap 'sleep 0.3; echo saved; exit 7' TERM; while :; do sleep 0.05; done"


def job(name, pod_spec, suspend=False, annotations=None, **more):
    template = {"metadata": {"annotations": annotations or {}}, "spec": {"restartPolicy": "Never", **pod_spec}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name},
            "spec": {"suspend": suspend, "backoffLimit": 0, "template": template, **more}}


def container(command=("true",), gpus=0, **more):
    limits = {"cpu": "1", **({"nvidia.com/gpu": str(gpus)} if gpus else {})}
    return {"name": "main", "image": "none", "command": list(command), "resources": {"limits": limits}, **more}


def training(directory):
    return [EBB_TRAIN, "--data", "digits", "--train-samples", "2000", "--test-samples", "200", "--epochs", "2",
            "--threads", "1", "--device", "cpu", "--run-dir", str(directory), "--resume"]


def train_straight(words):
    """Without a pause, in the environment of a pod: OPENBLAS_CORETYPE, for example, chooses kernels with other bits."""
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"})


def events_of(directory):
    progress = directory / "progress.jsonl"
    return [json.loads(line)["event"] for line in progress.read_text().splitlines()] if progress.exists() else []


def trains(directory, parts):
    """Whether the last of `parts` parts has begun and made steps."""
    events = events_of(directory)
    begun = [i for i, event in enumerate(events) if event in ("begin", "resume")]
    return len(begun) == parts and events[begun[-1]:].count("step") >= 3


class TestCluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster()
        cls.enterClassContext(cls.cluster)
        cls.nodes = cls.cluster.add_nodes(3, gpus=2, model="NVIDIA-H100")

    def setUp(self):
        self.admin = self.cluster.admin

    def pods_of(self, name):
        return self.admin.get("pods", selector=f"job-name={name}")

    def wait_for_pods(self, name, phase, count=1):
        def pods():
            found = [pod for pod in self.pods_of(name) if pod["status"]["phase"] == phase]
            return found if len(found) == count else None
        return self.cluster.wait(pods, f"{count} pods {phase} of {name}")

    def wait_for_no_pods(self, name):
        self.cluster.wait(lambda: not self.pods_of(name), f"the end of the pods of {name}")

    def suspend(self, name, suspend):
        self.admin.patch("jobs", name, {"spec": {"suspend": suspend}})

    def condition(self, name, kind):
        conditions = self.admin.get("jobs", name)["status"].get("conditions", [])
        return any(condition["type"] == kind and condition["status"] == "True" for condition in conditions)

    def test_a_suspended_job_starts_on_bulk_nodes_and_frees_them(self):
        two = {"parallelism": 2, "completions": 2}
        self.admin.apply(job("bulk", {"containers": [container(gpus=2)]}, suspend=True, **two))
        self.cluster.wait(lambda: self.condition("bulk", "Suspended"), "the job to be suspended")
        self.assertEqual(self.pods_of("bulk"), [])
        self.suspend("bulk", False)
        pods = self.wait_for_pods("bulk", "Running", 2)
        self.assertLessEqual({pod["spec"]["nodeName"] for pod in pods}, set(self.nodes))
        self.assertEqual(len({pod["spec"]["nodeName"] for pod in pods}), 2, "each node has GPUs for one of them")
        self.suspend("bulk", True)
        self.wait_for_no_pods("bulk")

    def test_pods_on_bulk_nodes_complete_when_asked(self):
        self.admin.apply(job("short", {"containers": [container()]}, annotations={"ebb.test/runs-for": "300ms"}))
        self.cluster.wait(lambda: self.condition("short", "Complete"), "the job to complete")

    def test_pods_that_do_not_fit_wait(self):
        self.admin.apply(job("large", {"containers": [container(gpus=3)]}))
        [pod] = self.wait_for_pods("large", "Pending")

        def refusals():
            conditions = self.admin.get("pods", pod["metadata"]["name"])["status"].get("conditions", [])
            return [condition["message"] for condition in conditions if condition.get("reason") == "Unschedulable"]
        said = self.cluster.wait(refusals, "the scheduler to refuse")
        self.assertIn("Insufficient nvidia.com/gpu", said[0])
        self.admin.delete("jobs", "large")

    def test_a_gated_pod_waits_until_its_gate_is_removed(self):
        self.admin.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "gated"},
                           "spec": {"schedulingGates": [{"name": GATE}], "containers": [container()]}})
        time.sleep(1)
        self.assertEqual(self.admin.get("pods", "gated")["spec"].get("nodeName"), None)
        self.admin.patch("pods", "gated", [
            {"op": "test", "path": "/spec/schedulingGates/0/name", "value": GATE},
            {"op": "remove", "path": "/spec/schedulingGates/0"}])
        self.cluster.wait(lambda: self.admin.get("pods", "gated")["status"]["phase"] == "Running", "the pod to run")
        with self.assertRaises(ApiError) as refused:
            self.admin.patch("pods", "gated", {"spec": {"schedulingGates": [{"name": GATE}]}})
        self.assertEqual(refused.exception.status, 422)

    def process_job(self, name, script, **more):
        seed = {"name": "SEED", "value": "42"}
        spec = {"containers": [container(("sh", "-c", script), env=[seed])], **more}
        return job(name, on_process_node(spec))

    def test_a_process_is_told_to_end_when_its_job_is_suspended(self):
        self.admin.apply(self.process_job("process", PATIENT))
        [pod] = self.wait_for_pods("process", "Running")
        self.cluster.wait(lambda: "started" in self.cluster.pod_log(pod), "the process to start")
        end = self.end_of(pod, lambda: self.suspend("process", True))
        self.assertEqual(end["exitCode"], 7)
        self.assertEqual(self.cluster.pod_log(pod),
                         f"started with 42 in {self.cluster.pod_directory(pod)}\nsaved\n")
        self.wait_for_no_pods("process")
        self.suspend("process", False)
        self.wait_for_pods("process", "Running")
        self.admin.delete("jobs", "process")
        self.wait_for_no_pods("process")

    def test_a_process_that_does_not_end_is_killed_after_its_grace_period(self):
        self.admin.apply(self.process_job("deaf", "trap '' TERM; while :; do sleep 0.05; done",
                                          terminationGracePeriodSeconds=1))
        [pod] = self.wait_for_pods("deaf", "Running")
        began = time.monotonic()
        end = self.end_of(pod, lambda: self.admin.delete("jobs", "deaf"))
        self.assertEqual(end["exitCode"], 128 + signal.SIGKILL)
        self.assertGreater(time.monotonic() - began, 0.9)

    def end_of(self, pod, do):
        """How the container of a pod ended that `do` deletes, from the last that a watch says of it."""
        events = self.admin.watch("pods", resource_version=pod["metadata"]["resourceVersion"], seconds=20,
                                  fieldSelector=f"metadata.name={pod['metadata']['name']}")
        do()
        seen = []
        for event in events:
            if event["type"] in ("MODIFIED", "DELETED"):
                seen.append(event["object"]["status"]["containerStatuses"][0]["state"])
            if event["type"] == "DELETED":
                break
        return seen[-1]["terminated"]

    def test_how_a_process_ends_is_how_its_job_ends(self):
        self.admin.apply(self.process_job("good", "echo done"))
        self.admin.apply(self.process_job("bad", "exit 3"))
        self.cluster.wait(lambda: self.condition("good", "Complete"), "the good job to complete")
        self.cluster.wait(lambda: self.condition("bad", "Failed"), "the bad job to fail")
        self.assertEqual(self.cluster.pod_log(self.pods_of("good")[0]), "done\n")
        state = self.pods_of("bad")[0]["status"]["containerStatuses"][0]["state"]
        self.assertEqual(state["terminated"]["exitCode"], 3)

    @unittest.skipUnless(os.path.exists(EBB_TRAIN), "ebb-train is not built")
    def test_a_training_that_is_suspended_three_times_ends_with_the_same_parameters(self):
        straight, paused = self.cluster.directory / "straight", self.cluster.directory / "paused"
        train_straight(training(straight))
        self.admin.apply(job("training", on_process_node({"containers": [container(training(paused))]})))
        for parts in (1, 2, 3):
            self.cluster.wait(lambda: trains(paused, parts), f"part {parts} to train")
            self.suspend("training", True)
            self.wait_for_no_pods("training")
            self.suspend("training", False)
        self.cluster.wait(lambda: self.condition("training", "Complete"), "the training to complete", 60)
        pauses = [event for event in events_of(paused) if event in ("paused", "resume")]
        self.assertEqual(pauses, ["paused", "resume"] * 3)
        self.assertEqual((paused / "model.safetensors").read_bytes(), (straight / "model.safetensors").read_bytes())

    def test_a_user_may_do_only_what_was_granted(self):
        controller, jobs = self.cluster.user("controller"), "/apis/batch/v1/namespaces/default/jobs"
        with self.assertRaises(ApiError) as refused:
            controller.request("GET", jobs)
        self.assertEqual(refused.exception.status, 403)
        self.grant("controller", {"apiGroups": ["batch"], "resources": ["jobs"], "verbs": ["list"]})
        self.cluster.wait(lambda: controller.request("GET", jobs), "the grant to count")
        asked = self.cluster.requests_of_controller()
        self.assertEqual((asked[0], asked[-1]), (("list", jobs, 403), ("list", jobs, 200)))
        with self.assertRaises(ApiError) as unknown:
            self.cluster.user(token="guessed").request("GET", "/api/v1/pods")
        self.assertEqual(unknown.exception.status, 401)

    def grant(self, user, *rules):
        group = "rbac.authorization.k8s.io"
        self.admin.apply({"apiVersion": f"{group}/v1", "kind": "ClusterRole", "metadata": {"name": user},
                          "rules": list(rules)})
        self.admin.apply({"apiVersion": f"{group}/v1", "kind": "ClusterRoleBinding", "metadata": {"name": user},
                          "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": user},
                          "subjects": [{"apiGroup": group, "kind": "User", "name": user}]})

    def test_a_service_account_has_a_token(self):
        token = self.cluster.service_account_token("default")
        with self.assertRaises(ApiError) as refused:
            self.cluster.user(token=token).get("pods")
        self.assertIn("system:serviceaccount:default:default", str(refused.exception))

    def test_the_api_server_is_killed_and_keeps_its_data(self):
        self.admin.apply(self.process_job("survivor", PATIENT))
        [pod] = self.wait_for_pods("survivor", "Running")
        version = self.admin.request("GET", self.admin.path("jobs"))["metadata"]["resourceVersion"]
        watch = self.admin.watch("jobs", resource_version=version)
        self.admin.patch("jobs", "survivor", {"metadata": {"annotations": {"seen": "before"}}})
        self.assertEqual(next(watch)["type"], "MODIFIED")
        self.cluster.stop_api_server()
        with self.assertRaises(TimeoutError, msg="a wait goes on without the API server"):
            self.cluster.wait(lambda: self.admin.get("jobs", "survivor"), "an answer", 1)
        self.cluster.start_api_server()
        with self.assertRaises((StopIteration, OSError, http.client.HTTPException)):
            next(watch)
        self.admin.patch("jobs", "survivor", {"metadata": {"annotations": {"seen": "after"}}})
        self.assertIn(self.happened_since(version), (["410"], ["before", "after"]), "nothing may be missing in between")
        self.assertEqual(self.pods_of("survivor")[0]["metadata"]["uid"], pod["metadata"]["uid"])
        self.assertEqual(self.cluster.pod_log(pod).count("started"), 1, "the process went on")
        self.admin.delete("jobs", "survivor")
        self.wait_for_no_pods("survivor")

    def test_the_api_server_hangs_and_goes_on(self):
        self.cluster.pause_api_server()
        impatient = self.cluster.user("admin", patience=1)
        with self.assertRaises(TimeoutError):
            impatient.request("GET", "/readyz")
        self.cluster.resume_api_server()
        self.cluster.wait(lambda: impatient.request("GET", "/readyz"), "the API server to go on")

    def happened_since(self, version):
        """The values of the annotation in their order, or that the version is too old to say (410)."""
        seen = []
        for event in self.admin.watch("jobs", resource_version=version, seconds=10):
            if event["type"] == "ERROR":
                return [str(event["object"]["code"])]
            value = event["object"]["metadata"].get("annotations", {}).get("seen")
            if value and value not in seen:
                seen.append(value)
            if value == "after":
                break
        return seen

    def test_kubectl_reads_the_kubeconfig(self):
        try:
            said = subprocess.run(["kubectl", "--kubeconfig", self.cluster.kubeconfig, "get", "nodes", "-o", "name"],
                                  capture_output=True, text=True)
        except FileNotFoundError:
            self.skipTest("kubectl is not installed")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("node/processes", said.stdout)


def ray_job(name, gpus):
    def group(gpus=0):
        return {"rayStartParams": {}, "template": {"spec": {"containers": [container(gpus=gpus)]}}}
    workers = {"groupName": "workers", "replicas": 1, "minReplicas": 1, "maxReplicas": 1, **group(gpus)}
    return {"apiVersion": "ray.io/v1", "kind": "RayJob", "metadata": {"name": name},
            "spec": {"suspend": True, "entrypoint": "true", "shutdownAfterJobFinishes": True,
                     "rayClusterSpec": {"headGroupSpec": group(), "workerGroupSpecs": [workers]}}}


KUEUE = "kueue.x-k8s.io/v1beta2"
CHECK = {"apiVersion": KUEUE, "kind": "AdmissionCheck", "metadata": {"name": "carbon"},
         "spec": {"controllerName": "ebb.test/carbon"}}
FLAVOR = {"apiVersion": KUEUE, "kind": "ResourceFlavor", "metadata": {"name": "any"}}
CLUSTER_QUEUE = {
    "apiVersion": KUEUE, "kind": "ClusterQueue", "metadata": {"name": "all"},
    "spec": {"namespaceSelector": {}, "admissionChecksStrategy": {"admissionChecks": [{"name": "carbon"}]},
             "resourceGroups": [{"coveredResources": ["cpu", "nvidia.com/gpu"], "flavors": [{
                 "name": "any", "resources": [{"name": "cpu", "nominalQuota": "100"},
                                              {"name": "nvidia.com/gpu", "nominalQuota": "4"}]}]}]}}
QUEUE = {"apiVersion": KUEUE, "kind": "LocalQueue", "metadata": {"name": "mine", "namespace": "default"},
         "spec": {"clusterQueue": "all"}}


class TestControllers(unittest.TestCase):
    """KubeRay and Kueue on a cluster of their own."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster()
        cls.enterClassContext(cls.cluster)
        cls.admin = cls.cluster.admin
        cls.cluster.add_nodes(2, gpus=2, model="NVIDIA-H100")
        cls.cluster.start_kuberay()
        cls.cluster.start_kueue()

    def running(self, selector, count):
        def pods():
            found = [pod for pod in self.admin.get("pods", selector=selector) if pod["status"]["phase"] == "Running"]
            return len(found) == count
        self.cluster.wait(pods, f"{count} pods of {selector} that run")

    def gone(self, selector):
        # The garbage collector looks every 30 s for new kinds of owners.
        self.cluster.wait(lambda: not self.admin.get("pods", selector=selector), f"the pods of {selector} to end", 60)

    def test_a_ray_job_is_released_and_suspended(self):
        self.admin.apply(ray_job("ray", gpus=2))
        self.wait_until_suspended("ray")
        self.assertEqual(self.admin.get("rayclusters"), [])
        self.admin.patch("rayjobs", "ray", {"spec": {"suspend": False}})
        self.running("ray.io/node-type in (head, worker)", 2)
        self.admin.patch("rayjobs", "ray", {"spec": {"suspend": True}})
        self.gone("ray.io/node-type in (head, worker)")
        self.wait_until_suspended("ray")

    def wait_until_suspended(self, name):
        self.cluster.wait(
            lambda: self.admin.get("rayjobs", name).get("status", {}).get("jobDeploymentStatus") == "Suspended",
            f"the RayJob {name} to be suspended")

    def test_kueue_waits_for_an_admission_check(self):
        self.admin.apply(CHECK)
        self.admin.patch("admissionchecks", "carbon", {"status": {"conditions": [{
            "type": "Active", "status": "True", "reason": "Test", "message": "answers",
            "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}, subresource="status")
        for manifest in (FLAVOR, CLUSTER_QUEUE, QUEUE):
            self.admin.apply(manifest)
        queued = job("queued", {"containers": [container(gpus=2)]}, parallelism=2, completions=2)
        queued["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "mine"}
        self.admin.apply(queued)
        workload = self.cluster.wait(self.reserved, "the quota to be reserved")
        self.assertTrue(self.admin.get("jobs", "queued")["spec"]["suspend"])
        self.answer(workload, "Ready")
        self.running("job-name=queued", 2)
        self.answer(workload, "Retry")
        self.gone("job-name=queued")
        self.assertTrue(self.admin.get("jobs", "queued")["spec"]["suspend"])

    def reserved(self):
        """The name of the workload that holds quota."""
        for workload in self.admin.get("workloads"):
            conditions = workload.get("status", {}).get("conditions", [])
            if any(condition["type"] == "QuotaReserved" and condition["status"] == "True" for condition in conditions):
                return workload["metadata"]["name"]
        return None

    def answer(self, workload, state):
        check = {"name": "carbon", "state": state, "message": "by the test",
                 "lastTransitionTime": "2026-01-01T00:00:00Z"}
        self.admin.apply({"apiVersion": KUEUE, "kind": "Workload", "metadata": {"name": workload},
                          "status": {"admissionChecks": [check]}}, subresource="status", manager="carbon")


# Runs a process that starts another one, says where, and waits for Ctrl-C.
INTERRUPTED = """
import sys, time
sys.path.insert(0, sys.argv[1])
from cluster import Cluster, on_process_node
sleeps = {"name": "main", "image": "none", "command": ["sh", "-c", "sleep 1234567 & sleep 1234567"]}
with Cluster() as cluster:
    cluster.admin.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "sleeps"},
                          "spec": on_process_node({"containers": [sleeps]})})
    cluster.wait(lambda: cluster.admin.get("pods", "sleeps")["status"]["phase"] == "Running", "the pod")
    print(cluster.directory, flush=True)
    time.sleep(60)
"""


class TestItsEnd(unittest.TestCase):
    def test_ctrl_c_leaves_nothing(self):
        """Not even a process that a pod's process started."""
        # A job of a shell that nobody watches ignores Ctrl-C, and so would what it starts.
        program = subprocess.Popen([sys.executable, "-c", INTERRUPTED, str(CLUSTER)], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        directory = program.stdout.readline().strip()
        self.assertNotEqual(directory, "")
        self.assertGreaterEqual(len(processes_in(directory)), 8)
        program.send_signal(signal.SIGINT)
        program.wait(30)
        program.stdout.close()
        self.assertEqual(processes_in(directory), [])
        self.assertFalse(os.path.exists(directory))


def processes_in(directory):
    """The processes that name the directory in their command or run in it."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().decode(errors="replace")
            if directory in words or os.readlink(process / "cwd").startswith(directory):
                found.append(words.split("\0")[:2])
        except OSError:
            pass  # it has ended meanwhile
    return found


if __name__ == "__main__":
    unittest.main(verbosity=2)
