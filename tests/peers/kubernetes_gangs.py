"""ebb controller on a real control plane (tests/cluster): gangs of pods, and RayJobs with the real KubeRay.

Run by ./dev peers kubernetes.
"""

import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from kubernetes_controller import CLEAN, DIRTY, EBB, Controller, ControllerTest, Grid, grant, waiting
from kubernetes_test import ROOT, Cluster, container, job


def gated(annotations=None, labels=None, gpus=1):
    """Metadata and spec of a pod that Ebb's gate holds back."""
    return {"metadata": {"labels": labels or {}, "annotations": {"ebb/threshold": "200", **(annotations or {})}},
            "spec": {"schedulingGates": [{"name": "ebb/wait"}], "containers": [container(gpus=gpus)]}}


class TestGangs(ControllerTest):
    """Pods that a scheduling gate holds back."""

    def setUp(self):
        super().setUp()
        self.addCleanup(self.remove_pods)

    def remove_pods(self):
        """Those of Jobs go with them, and then all pods are waited for."""
        for owner in self.admin.get("replicasets"):
            self.admin.delete("replicasets", owner["metadata"]["name"])
        for pod in self.admin.get("pods"):
            if not pod["metadata"].get("ownerReferences"):
                self.admin.delete("pods", pod["metadata"]["name"])

    def add(self, name, size=3, **more):
        made = gated(labels={"ebb/gang": "train", "ebb/gang-size": str(size)}, **more)
        self.admin.create({"apiVersion": "v1", "kind": "Pod", **made, "metadata": {"name": name, **made["metadata"]}})

    def names(self, wanted):
        return sorted(pod["metadata"]["name"] for pod in self.admin.get("pods") if wanted(pod))

    def held(self):
        return self.names(lambda pod: pod["spec"].get("schedulingGates"))

    def runs(self):
        return self.names(lambda pod: pod["status"]["phase"] == "Running")

    def pod_annotation(self, name, key):
        return self.admin.get("pods", name)["metadata"]["annotations"].get(f"ebb/{key}")

    def test_a_gang_is_released_once_its_last_pod_is_there(self):
        self.grid.g_per_kwh = CLEAN
        for name in "a", "b":
            self.add(name)
        self.wait(lambda: self.pod_annotation("b", "reason") == "waiting: 2 of the 3 pods of its gang are there",
                  "the reason to be written")
        time.sleep(2)
        self.assertEqual(self.held(), ["a", "b"], self.said())
        self.add("c")
        self.wait(lambda: self.runs() == ["a", "b", "c"], "all of them to run")
        self.assertEqual({self.pod_annotation(name, "attempt") for name in "abc"}, {"1"})
        self.wait(lambda: self.pod_annotation("c", "stage") == "running", "that to be written")
        self.wait(lambda: {event["involvedObject"]["name"] for event in self.admin.get("events")
                           if event["reason"] == "Released" and event["involvedObject"]["kind"] == "Pod"} == set("abc"),
                  "an Event on each")

    def test_a_gang_that_lost_a_pod_waits_for_another(self):
        for name in "abc":
            self.add(name)
        self.wait(lambda: "400 g/kWh is above 200 g/kWh" in (self.pod_annotation("c", "reason") or ""), "the reason")
        first = self.admin.get("pods", "a")["metadata"]["creationTimestamp"]
        self.admin.delete("pods", "b")
        self.wait(lambda: "2 of the 3" in self.pod_annotation("c", "reason"), "the loss to be noticed")
        self.grid.turn(CLEAN)
        time.sleep(2)
        self.assertEqual(self.held(), ["a", "c"], self.said())
        self.grid.turn(DIRTY)
        self.add("b2")
        self.wait(lambda: self.pod_annotation("b2", "stage") == "waiting", "the new one to wait with them")
        self.assertEqual(self.pod_annotation("b2", "first-created"), first)
        self.controller.end(signal.SIGKILL)
        self.begin()
        self.grid.turn(CLEAN)
        self.wait(lambda: self.runs() == ["a", "b2", "c"], "all of them to run", 60)

    def test_a_gang_holds_its_devices_until_its_pods_have_ended(self):
        self.grid.g_per_kwh = CLEAN
        for name in "abc":
            self.add(name, annotations={"ebb.test/runs-for": "8s"})
        self.wait(lambda: self.runs() == ["a", "b", "c"], "all of them to run")
        self.admin.apply(waiting("wide", {"containers": [container(gpus=2)]}))
        self.wait(lambda: self.annotation("wide", "stage"), "the reason to be written")
        time.sleep(1)
        self.assertTrue(self.suspended("wide"), "one GPU is left")
        self.wait(lambda: self.pods("wide"), "the job to run after them")
        self.assertEqual(self.runs(), [self.pods("wide")[0]["metadata"]["name"]])

    def test_of_an_owner_that_was_released_new_pods_are_let_through(self):
        template = gated({"ebb/gang-size": "2"}, {"app": "set"})
        self.admin.create({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "set"},
                           "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "set"}}, "template": template}})
        self.wait(lambda: len(self.held()) == 2, "the pods")
        self.wait(lambda: self.pod_annotation(self.held()[0], "stage") == "waiting", "the reason to be written")
        # Made anew while it waits: it waits on.
        gone = self.held()[0]
        self.admin.delete("pods", gone)
        self.wait(lambda: len(self.held()) == 2 and gone not in self.held(), "the pod to be made anew")
        time.sleep(2)
        self.assertEqual(len(self.held()), 2)
        self.grid.turn(CLEAN)
        self.wait(lambda: len(self.runs()) == 2, "both to run")
        self.grid.turn(DIRTY)
        self.admin.delete("pods", self.runs()[0], grace_seconds=0)
        self.wait(lambda: len(self.runs()) == 2 and not self.held(), "a new one to run at once")
        self.assertEqual({self.pod_annotation(name, "attempt") for name in self.runs()}, {"1"})


# Objects that the manifests of the published sweep expect in a cluster.
SURROUNDINGS = [
    {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ray-jobs"}},
    {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia"}, "handler": "nvidia"},
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "llm-finetuning-script", "namespace": "ray-jobs"}},
    {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "models"},
     "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteMany"], "hostPath": {"path": "/nowhere"}}},
    {"apiVersion": "v1", "kind": "PersistentVolumeClaim",
     "metadata": {"name": "llm-finetuned-models-rwx", "namespace": "ray-jobs"},
     "spec": {"accessModes": ["ReadWriteMany"], "volumeName": "models", "storageClassName": "",
              "resources": {"requests": {"storage": "1Gi"}}}}]


class TestRay(unittest.TestCase):
    """The published sweep with the real KubeRay."""

    def setUp(self):
        self.cluster = self.enterContext(Cluster())
        self.admin = self.cluster.admin
        self.cluster.add_nodes(2, gpus=1, model="NVIDIA-RTX-3090", labels={"nvidia.com/gpu.present": "true"})
        self.cluster.start_kuberay()
        self.grid = Grid()
        self.addCleanup(self.grid.close)
        grant(self.cluster)

    def submit_sweep(self):
        for manifest in SURROUNDINGS:
            self.admin.apply(manifest)
        folder = self.cluster.directory / "sweep"
        subprocess.run([EBB, "sweep", "generate", ROOT / "configs/sweeps/qwen-lora-core21.yaml", "--target",
                        "kubernetes", "--out", folder], check=True, capture_output=True)
        manifests = sorted(folder.glob("*.yaml"))
        for manifest in manifests:
            self.admin.apply_yaml(manifest.read_text(encoding="utf-8"))
        return manifests

    def running(self, kind):
        pods = self.admin.get("pods", namespace="ray-jobs", selector=f"ray.io/node-type={kind}")
        return [pod for pod in pods if pod["status"]["phase"] == "Running"]

    def clusters(self):
        return self.admin.get("rayclusters", namespace="ray-jobs")

    def test_its_winner_is_served(self):
        for manifest in SURROUNDINGS:
            self.admin.apply(manifest)
        name = "qwen-lora-r32-a128-lr1e-04-d5-tier3"
        made = subprocess.run([EBB, "sweep", "serve", ROOT / "configs/sweeps/qwen-lora-core21.yaml", "--experiment",
                               name], check=True, capture_output=True, text=True).stdout
        for kind, document in zip(("deployments", "services"), made.split("---\n"), strict=True):
            # A field that the API server does not know is an error.
            path = self.admin.path(kind, "ray-jobs", name)
            self.admin.request("PATCH", path + "?fieldManager=test&dryRun=All&fieldValidation=Strict", document,
                               "application/apply-patch+yaml")
        self.admin.apply_yaml(made)
        self.cluster.wait(lambda: any(pod["status"]["phase"] == "Running"
                                      for pod in self.admin.get("pods", namespace="ray-jobs")), "a pod that serves", 60)
        self.assertIn(f"{name}=/mnt/models/{name}", made)

    def test_its_manifests_are_released_whole_and_no_more_than_fit(self):
        self.assertEqual(len(self.submit_sweep()), 21)
        log = self.cluster.directory / "controller.log"
        controller = Controller(self.cluster, self.grid, str(log))
        self.addCleanup(lambda: controller.program.poll() is None and controller.end(signal.SIGKILL))

        def staged():
            jobs = self.admin.get("rayjobs", namespace="ray-jobs")
            return [job for job in jobs if job["metadata"]["annotations"].get("ebb/stage") == "waiting"]
        try:
            self.cluster.wait(lambda: len(staged()) == 21, "all to wait", 60)
            self.assertEqual(self.clusters(), [], "nothing is released while the grid is dirty")
            self.assertIn("is above 225 g/kWh", " ".join(
                job["metadata"]["annotations"]["ebb/reason"] for job in staged()), "the thresholds of their tiers")
            self.grid.g_per_kwh = CLEAN
            self.cluster.wait(lambda: len(self.running("worker")) == 2, "two workers to run", 60)
        except TimeoutError as error:
            self.fail(f"{error}\n{log.read_text(encoding='utf-8')}")
        time.sleep(2)
        self.assertEqual(len(self.clusters()), 2, "the others wait whole, without a head")
        self.assertEqual(len(self.running("head")), 2)
        self.assertEqual(controller.end(), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
