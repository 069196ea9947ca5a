"""Objects that wait are created suspended, on a real control plane (tests/cluster): by the webhook of ebb controller,
and by the API server's own policy (deploy/kubernetes/admission-policy.yaml).

Run by ./dev peers kubernetes. What counts is the answer to the creation: nothing of the object has run before that.
"""

import base64
import http.client
import json
import os
import shutil
import signal
import ssl
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from kubernetes_controller import CLEAN, Controller, Grid, grant
from kubernetes_test import ROOT, Cluster, container, job
from api import ApiError, resource_definition
from processes import free_port

DEPLOY = ROOT / "deploy/kubernetes"
GARDENER = "compute-gardener-scheduler"
THEIRS = f"{GARDENER}.kubernetes.io"
POD = {"metadata": {}, "spec": {"containers": [container()]}}
KUBEFLOW = {"PyTorchJob": "pytorch", "TFJob": "tf", "MPIJob": "mpi", "XGBoostJob": "xgb", "PaddleJob": "paddle",
            "JAXJob": "jax"}


def documents(file):
    return (DEPLOY / file).read_text(encoding="utf-8").split("\n---\n")


def object_of(kind, version, spec, name="new", namespace="default", **metadata):
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": namespace, **metadata},
            "spec": spec}


def new_job(name="new", template=None, suspend=None, **metadata):
    """Without a word of suspension, unless one is given."""
    made = job(name, {"containers": [container()]})
    del made["spec"]["suspend"]
    if suspend is not None:
        made["spec"]["suspend"] = suspend
    made["spec"]["template"]["metadata"].update(template or {})
    made["metadata"].update({"namespace": "default", **metadata})
    return made


def new_pod(spec=None, name="new", **metadata):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default", **metadata},
            "spec": {"containers": [container()], **(spec or {})}}


WAITS = {"labels": {"ebb/wait": "true"}}


def ray_cluster(pods=None):
    return {"headGroupSpec": {"rayStartParams": {}, "template": pods or POD},
            "workerGroupSpecs": [{"groupName": "a", "replicas": 1, "minReplicas": 1, "maxReplicas": 1,
                                  "rayStartParams": {}, "template": pods or POD}]}


# Each kind as (kind, version, plural, function from the template of pods to the spec).
KINDS = [("Job", "batch/v1", "jobs", lambda pods: {"template": dict(pods, spec={**pods["spec"],
                                                                               "restartPolicy": "Never"})}),
         ("RayJob", "ray.io/v1", "rayjobs", lambda pods: {"entrypoint": "true", "shutdownAfterJobFinishes": True,
                                                         "rayClusterSpec": ray_cluster(pods)}),
         ("RayCluster", "ray.io/v1", "rayclusters", ray_cluster),
         ("JobSet", "jobset.x-k8s.io/v1alpha2", "jobsets",
          lambda pods: {"replicatedJobs": [{"name": "a", "template": {"spec": {"template": pods}}}]}),
         ("TrainJob", "trainer.kubeflow.org/v1alpha1", "trainjobs", lambda pods: {"runtimeRef": {"name": "torch"}}),
         *((kind, "kubeflow.org/v1", kind.lower() + "s",
            lambda pods, prefix=prefix: {f"{prefix}ReplicaSpecs": {"Worker": {"template": pods}}})
           for kind, prefix in KUBEFLOW.items())]


class Admission:
    """What the webhook and the policy have in common; `switch_on` of each makes the API server ask it."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster()
        cls.enterClassContext(cls.cluster)
        cls.admin = cls.cluster.admin
        cls.cluster.add_nodes(1)
        cls.cluster.start_kuberay()
        for kind, version, plural, _ in KINDS[3:]:
            cls.admin.apply(resource_definition(kind, version, plural))
        for name, metadata in (("chosen", WAITS), ("annotated", {"annotations": {"ebb/wait": "true"}})):
            cls.admin.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, **metadata}})
        cls.cluster.wait(lambda: all(cls.admin.get(kind[2] + "." + kind[1].split("/")[0]) == [] for kind in KINDS),
                         "the resources")
        cls.switch_on()
        # The policy is in use a moment after it was applied.
        cls.cluster.wait(lambda: cls.tried(new_job(**WAITS))["spec"].get("suspend") and
                         cls.tried(new_pod(**WAITS))["spec"].get("schedulingGates"), "its use")
        # A policy knows new kinds a while after the API server serves them.
        cls.cluster.wait(lambda: all(cls.knows(kind, version, spec) for kind, version, _, spec in KINDS), "the kinds",
                         120)

    @classmethod
    def knows(cls, kind, version, spec):
        try:
            return cls.tried(object_of(kind, version, spec(POD), **WAITS))
        except ApiError as refused:
            if refused.status != http.client.SERVICE_UNAVAILABLE:
                raise
            return False

    @classmethod
    def tried(cls, manifest):
        """The object as it would be created."""
        path = cls.admin.path(f"{manifest['kind']}".lower(), manifest["metadata"]["namespace"])
        return cls.admin.request("POST", path + "?dryRun=All", manifest)

    def is_held(self, manifest):
        return self.tried(manifest)["spec"].get("suspend", False)

    def test_each_kind_is_created_suspended(self):
        for kind, version, _, spec in KINDS:
            with self.subTest(kind=kind):
                made = self.tried(object_of(kind, version, spec(POD), **WAITS))["spec"]
                made = made.get("runPolicy", {}) if version == "kubeflow.org/v1" else made
                self.assertIs(made.get("suspend"), True)
                free = self.tried(object_of(kind, version, spec(POD)))["spec"]
                self.assertNotIn(True, (free.get("suspend"), free.get("runPolicy", {}).get("suspend")))

    def test_what_a_run_policy_has_besides_stays(self):
        spec = {"pytorchReplicaSpecs": {"Worker": {"template": POD}}, "runPolicy": {"cleanPodPolicy": "None"}}
        made = self.tried(object_of("PyTorchJob", "kubeflow.org/v1", spec, **WAITS))
        self.assertEqual(made["spec"]["runPolicy"], {"cleanPodPolicy": "None", "suspend": True})

    def test_annotations_of_templates_count(self):
        for kind, version, _, spec in KINDS:
            if kind == "TrainJob":
                continue  # its templates are elsewhere
            for annotations in ({"ebb/wait": "true"}, {f"{THEIRS}/max-scheduling-delay": "24h"}):
                with self.subTest(kind=kind, annotations=annotations):
                    pods = dict(POD, metadata={"annotations": annotations})
                    made = self.tried(object_of(kind, version, spec(pods)))["spec"]
                    self.assertIs((made.get("runPolicy") or made).get("suspend"), True)

    def test_who_asks_to_wait(self):
        owner = {"apiVersion": "v1", "name": "o", "uid": "1"}
        for held, metadata in (
                (False, {}), (True, WAITS), (True, {"annotations": {"ebb/wait": "true"}}),
                (True, {"annotations": {f"{THEIRS}/carbon-intensity-threshold": "200"}}),
                (False, {"annotations": {f"{THEIRS}/carbon-intensity-threshold": "200", "ebb/wait": "false"}}),
                (False, {**WAITS, "annotations": {"ebb/wait": "false"}}),
                (True, {"namespace": "chosen"}),
                (False, {"namespace": "chosen", "labels": {"ebb/wait": "false"}}),
                (False, {"namespace": "chosen", "annotations": {f"{THEIRS}/skip": "true"}}),
                (False, {"namespace": "chosen", "annotations": {f"{THEIRS}/carbon-enabled": "false"}}),
                (False, {"namespace": "chosen", "labels": {"kueue.x-k8s.io/queue-name": "q"}}),
                (False, {"namespace": "chosen", "ownerReferences": [{**owner, "kind": "JobSet"}]}),
                (True, {"namespace": "chosen", "ownerReferences": [{**owner, "kind": "CronJob"}]}),
                (False, {"namespace": "kube-system", **WAITS}), (False, {"namespace": "kube-public", **WAITS})):
            with self.subTest(held=held, metadata=metadata):
                self.assertIs(self.is_held(new_job(**metadata)), held)

    def test_a_ray_job_that_kuberay_does_not_suspend_is_left_alone(self):
        """KubeRay would end it as failed."""
        for more in ({"shutdownAfterJobFinishes": False}, {"clusterSelector": {"ray.io/cluster": "a"}}):
            spec = {"entrypoint": "true", "shutdownAfterJobFinishes": True, "rayClusterSpec": ray_cluster(), **more}
            self.assertFalse(self.is_held(object_of("RayJob", "ray.io/v1", spec, **WAITS)), more)
        refused = {"entrypoint": "true", "suspend": True, "rayClusterSpec": ray_cluster()}
        self.admin.create(object_of("RayJob", "ray.io/v1", refused, name="refused"))
        self.addCleanup(lambda: self.admin.delete("rayjobs", "refused"))
        self.cluster.wait(lambda: self.admin.get("rayjobs", "refused").get("status", {})
                          .get("jobDeploymentStatus") == "ValidationFailed", "KubeRay to refuse it")

    def test_false_is_overruled_and_true_stays(self):
        self.assertTrue(self.is_held(new_job(suspend=False, **WAITS)))
        self.assertTrue(self.is_held(new_job(suspend=True, **WAITS)))
        self.assertTrue(self.is_held(new_job(suspend=True)))

    def test_a_dry_run_creates_nothing(self):
        self.assertTrue(self.is_held(new_job("dry", **WAITS)))
        time.sleep(1)
        self.assertEqual(self.admin.get("jobs"), [])

    def test_a_job_never_has_a_pod_until_it_is_released_and_its_changes_do_not_hold_it_again(self):
        made = self.admin.create(new_job("real", **WAITS))
        self.addCleanup(lambda: self.admin.delete("jobs", "real"))
        self.assertTrue(made["spec"]["suspend"])
        self.assertEqual(made["metadata"]["generation"], 1)
        self.cluster.wait(lambda: self.admin.get("jobs", "real").get("status", {}).get("conditions"),
                          "the Job's controller")
        self.assertEqual(self.admin.get("pods", selector="job-name=real"), [])
        self.assertNotIn("startTime", self.admin.get("jobs", "real")["status"])
        self.admin.patch("jobs", "real", {"spec": {"suspend": False}})
        changed = self.admin.patch("jobs", "real", {"metadata": {"labels": {"more": "1"}}})
        self.assertFalse(changed["spec"]["suspend"])
        self.cluster.wait(lambda: [pod for pod in self.admin.get("pods", selector="job-name=real")
                                   if pod["status"]["phase"] == "Running"], "its pod to run")

    def gates(self, manifest):
        return [gate["name"] for gate in self.tried(manifest)["spec"].get("schedulingGates", [])]

    def test_pods_with_the_label_are_gated(self):
        owner = {"apiVersion": "v1", "name": "o", "uid": "1"}
        self.assertEqual(self.gates(new_pod(**WAITS)), ["ebb/wait"])
        self.assertEqual(self.gates(new_pod({"schedulingGates": [{"name": "a/b"}]}, **WAITS)), ["a/b", "ebb/wait"])
        self.assertEqual(self.gates(new_pod({"schedulingGates": [{"name": "ebb/wait"}]}, **WAITS)), ["ebb/wait"])
        self.assertEqual(self.gates(new_pod()), [])
        self.assertEqual(self.gates(new_pod(namespace="chosen")), [])
        self.assertEqual(self.gates(new_pod(annotations={"ebb/wait": "true"})), [])
        self.assertEqual(self.gates(new_pod({"nodeName": "n"}, **WAITS)), [])
        self.assertEqual(self.gates(new_pod(ownerReferences=[{**owner, "kind": "Job"}], **WAITS)), [])
        self.assertEqual(self.gates(new_pod(ownerReferences=[{**owner, "kind": "ReplicaSet"}], **WAITS)), ["ebb/wait"])
        self.assertEqual(self.gates(new_pod(**dict(WAITS, annotations={f"{THEIRS}/skip": "true"}))), [])
        self.assertEqual(self.gates(new_pod(namespace="kube-public", **WAITS)), [])

    def test_pods_made_for_compute_gardener_are_scheduled(self):
        def scheduler(name, **metadata):
            return self.tried(new_pod({"schedulerName": name}, **metadata))["spec"]["schedulerName"]
        self.assertEqual(scheduler(GARDENER), "default-scheduler")
        self.assertEqual(scheduler(GARDENER, **WAITS), "default-scheduler")
        self.assertEqual(scheduler("another"), "another")
        self.assertEqual(scheduler(GARDENER, labels={"ebb/wait": "false"}), GARDENER)
        self.assertEqual(scheduler(GARDENER, namespace="kube-system"), GARDENER)
        made = new_job("theirs", annotations={f"{THEIRS}/carbon-intensity-threshold": "200"})
        made["spec"]["template"]["spec"]["schedulerName"] = GARDENER
        self.assertTrue(self.admin.create(made)["spec"]["suspend"])
        self.addCleanup(lambda: self.admin.delete("jobs", "theirs"))
        self.admin.patch("jobs", "theirs", {"spec": {"suspend": False}})
        self.cluster.wait(lambda: [pod for pod in self.admin.get("pods", selector="job-name=theirs")
                                   if pod["status"]["phase"] == "Running"], "its pod to run")

    def rules(self):
        raise NotImplementedError

    def test_its_kinds_are_those_that_the_controller_may_hold_back(self):
        role = self.admin.get("clusterroles", "ebb-controller")
        held = {(rule["apiGroups"][0], resource) for rule in role["rules"] if "patch" in rule["verbs"]
                for resource in rule["resources"] if rule["apiGroups"][0] not in ("", "kueue.x-k8s.io")}
        for rules in self.rules():
            self.assertEqual({(rule["apiGroups"][0], resource) for rule in rules for resource in rule["resources"]},
                             held)


class TestPolicy(Admission, unittest.TestCase):
    """The API server alone."""

    @classmethod
    def switch_on(cls):
        grant(cls.cluster)
        for part in documents("admission-policy.yaml"):
            cls.admin.apply_yaml(part)

    def rules(self):
        policy = self.admin.get("mutatingadmissionpolicies", "ebb-objects")
        return [policy["spec"]["matchConstraints"]["resourceRules"]]

    def test_annotated_namespaces_are_chosen_too(self):
        self.assertTrue(self.is_held(new_job(namespace="annotated")))


class TestWebhook(Admission, unittest.TestCase):
    @classmethod
    def switch_on(cls):
        grant(cls.cluster)
        cls.grid = Grid()
        cls.addClassCleanup(cls.grid.close)
        cls.port = free_port()
        cls.mounted = cls.cluster.directory / "mounted"
        cls.mounted.mkdir()
        cls.first, cls.second = (cls.pair(name) for name in ("first", "second"))
        cls.mount(cls.first)
        for name in ("tls.crt", "tls.key"):
            (cls.mounted / name).symlink_to(Path("..data") / name)
        cls.log = str(cls.cluster.directory / "webhook.log")
        cls.begin()
        cls.configure()

    @classmethod
    def begin(cls, *flags):
        """One that never gets the lease, so that whatever is held back was held back by the webhook."""
        cls.take_lease()
        cls.controller = Controller(cls.cluster, cls.grid, cls.log, "--webhook-port", str(cls.port), "--webhook-cert",
                                    cls.mounted / "tls.crt", "--webhook-key", cls.mounted / "tls.key", *flags)
        controller = cls.controller
        cls.addClassCleanup(lambda: controller.program.poll() is None and controller.end(signal.SIGKILL))

    @classmethod
    def take_lease(cls):
        now = time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime())
        cls.admin.apply({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
                         "metadata": {"name": "ebb-controller", "namespace": "ebb"},
                         "spec": {"holderIdentity": "test", "leaseDurationSeconds": 3600, "acquireTime": now,
                                  "renewTime": now}})

    @classmethod
    def pair(cls, name):
        """A certificate for this machine, made as docs/kubernetes.md says for a service; its folder."""
        folder = cls.cluster.directory / name
        folder.mkdir()
        [line] = [line.strip() for line in (ROOT / "docs/kubernetes.md").read_text(encoding="utf-8").splitlines()
                  if line.strip().startswith("openssl req")]
        subprocess.run(line.replace("DNS:ebb-webhook.ebb.svc", "IP:127.0.0.1"), shell=True, cwd=folder, check=True,
                       stderr=subprocess.DEVNULL)
        return folder

    @classmethod
    def mount(cls, pair):
        """As a kubelet updates a Secret: a new folder, and a link that is replaced."""
        folder = cls.mounted / f"..{time.monotonic_ns()}"
        shutil.copytree(pair, folder)
        (cls.mounted / "..new").symlink_to(folder.name)
        os.replace(cls.mounted / "..new", cls.mounted / "..data")

    @classmethod
    def configure(cls):
        """The shipped configuration, but for where the webhook is."""
        authorities = b"".join((pair / "tls.crt").read_bytes() for pair in (cls.first, cls.second))
        for part in documents("webhook.yaml"):
            cls.admin.apply_yaml(part.replace("CA_BUNDLE", base64.b64encode(authorities).decode()))
        made = cls.admin.get("mutatingwebhookconfigurations", "ebb")
        for webhook in made["webhooks"]:
            service = webhook["clientConfig"].pop("service")
            webhook["clientConfig"]["url"] = f"https://127.0.0.1:{cls.port}{service['path']}"
        cls.admin.request("PUT", cls.admin.path("mutatingwebhookconfigurations", name="ebb"), made)

    @classmethod
    def said(cls):
        return Path(cls.log).read_text(encoding="utf-8")

    def rules(self):
        webhooks = self.admin.get("mutatingwebhookconfigurations", "ebb")["webhooks"]
        return [webhook["rules"] for webhook in webhooks if not webhook["name"].startswith("pods")]

    def test_templates_made_for_compute_gardener_get_the_clusters_scheduler(self):
        for kind, version, _, spec in KINDS:
            if kind != "TrainJob":
                with self.subTest(kind=kind):
                    pods = dict(POD, spec={**POD["spec"], "schedulerName": GARDENER})
                    made = json.dumps(self.tried(object_of(kind, version, spec(pods)))["spec"])
                    self.assertNotIn(GARDENER, made)
                    self.assertIn('"schedulerName": "default-scheduler"', made)

    def test_the_certificate_is_replaced_under_load_and_no_request_fails(self):
        failed, served, asked, done = [], set(), [0], threading.Event()
        trusts = ssl.create_default_context(cadata="".join((pair / "tls.crt").read_text()
                                                           for pair in (self.first, self.second)))

        def ask():
            """By the API server; an object that slips by is a failure."""
            user = self.cluster.user("admin")
            path = user.path("jobs") + "?dryRun=All"
            while not done.is_set():
                asked[0] += 1
                if not user.request("POST", path, new_job(**WAITS))["spec"].get("suspend"):
                    failed.append("not suspended")

        def connect():
            """Each time anew, which the API server does not."""
            while not done.is_set():
                connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=trusts, timeout=10)
                try:
                    connection.request("GET", "/readyz")
                    served.add(connection.sock.getpeercert()["serialNumber"])
                    if connection.getresponse().read() != b"ok\n":
                        failed.append("not ready")
                except OSError as error:
                    failed.append(error)
                finally:
                    connection.close()
        threads = [threading.Thread(target=work) for work in (ask, ask, connect, connect)]
        for thread in threads:
            thread.start()
        for pair in (self.second, self.first, self.second):
            replaced = self.said().count("was replaced")
            self.mount(pair)
            self.cluster.wait(lambda: self.said().count("was replaced") > replaced, "the new certificate")
            time.sleep(1)
        broken = self.cluster.directory / f"broken{time.monotonic_ns()}"
        shutil.copytree(self.first, broken)
        shutil.copy(self.second / "tls.key", broken / "tls.key")
        self.mount(broken)
        self.cluster.wait(lambda: "the former pair is used" in self.said(), "the broken pair to be said")
        done.set()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])
        self.assertGreater(asked[0], 100)
        self.assertEqual(len(served), 2)
        self.mount(self.first)

    def test_two_controllers_answer_whether_or_not_they_act(self):
        self.assertIn("waits: ", self.said(), "the lease is another's")
        self.assertTrue(self.is_held(new_job(**WAITS)))

    def test_without_the_webhook_jobs_get_in_and_the_controller_holds_them_back(self):
        self.controller.end(signal.SIGKILL)
        log = self.cluster.directory / "other.log"
        other = Controller(self.cluster, self.grid, str(log), "--alone")
        try:
            made = self.admin.create(new_job("slips-by", annotations={"ebb/threshold": "200"}, **WAITS))
            self.assertFalse(made["spec"].get("suspend", False))
            self.cluster.wait(lambda: self.admin.get("jobs", "slips-by")["spec"]["suspend"], "the controller")
            self.cluster.wait(lambda: not self.admin.get("pods", selector="job-name=slips-by"), "its pods to end")
            self.grid.g_per_kwh = CLEAN
            self.cluster.wait(lambda: not self.admin.get("jobs", "slips-by")["spec"]["suspend"], "its release")
        finally:
            other.end()
            self.admin.delete("jobs", "slips-by")
            self.begin()
            self.cluster.wait(lambda: self.is_held(new_job(**WAITS)), "the webhook")


if __name__ == "__main__":
    unittest.main(verbosity=2)
