"""Groups of nodes that an autoscaler adds, on a real control plane: what ebb controller releases for nodes that do not
stand yet, with the rights of the shipped manifest. The test is the autoscaler: the nodes are bulk nodes.

Run by ./dev peers kubernetes.
"""

import os
import subprocess
import sys
import threading
import time
import unittest
import uuid
from datetime import datetime, timedelta, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from kubernetes_test import container
from kubernetes_controller import CLEAN, EBB, ControllerTest, waiting

GROUP, MODEL, GPUS, MOST = "spot", "NVIDIA-A100-SXM4-80GB", 4, 2
START_UP_S, IDLE_TAIL_S, IDLE_W, GIVES_UP_S = 4, 6, 1000, 20
GROUPS = f"""
node_groups:
  - {{name: {GROUP}, autoscaler: cluster-autoscaler, labels: {{pool: {GROUP}}}, gpu_model: {MODEL}, gpus: {GPUS},
     cores: 32, most_nodes: {MOST}, start_up: {START_UP_S}s, gives_up_after: {GIVES_UP_S}s, idle_tail: {IDLE_TAIL_S}s,
     idle_power: {IDLE_W}}}
"""
STATUS = """autoscalerStatus: Running
nodeGroups:
- name: {group}
  health: {{status: Healthy, cloudProviderTarget: 0, minSize: 0, maxSize: 8}}
  scaleUp: {{status: {status}, backoffInfo: {{errorMessage: "{why}"}}}}
"""


class Autoscaler:
    """Adds a node for each pod that no node has room for, some time later, and removes nodes that run nothing."""

    def __init__(self, cluster):
        self.cluster, self.most_at_once, self.nodes, self.failed = cluster, 0, {}, None
        self.admin = cluster.user("admin")
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        try:
            while not self.stop.wait(0.5):
                self.scale()
        except Exception as error:  # told by the test
            self.failed = error

    def scale(self):
        pods = [pod for pod in self.admin.get("pods") if pod["status"]["phase"] in ("Pending", "Running")]
        used = {pod["spec"].get("nodeName") for pod in pods}
        now = time.monotonic()
        for name in [name for name, busy in self.nodes.items() if name not in used and now - busy > IDLE_TAIL_S]:
            self.admin.delete("nodes", name)
            del self.nodes[name]
        self.nodes.update({name: now for name in self.nodes if name in used})
        unplaced = [pod for pod in pods if not pod["spec"].get("nodeName")]
        empty = [name for name in self.nodes if name not in used]
        if len(unplaced) <= len(empty):
            return
        time.sleep(START_UP_S / 2)
        [name] = self.cluster.add_nodes(1, gpus=GPUS, model=MODEL, prefix=GROUP, labels={"pool": GROUP})
        self.nodes[name] = time.monotonic()
        self.most_at_once = max(self.most_at_once, len(self.nodes))

    def close(self):
        self.stop.set()
        self.thread.join(60)
        for name in self.nodes:
            self.admin.delete("nodes", name)


class TestGroups(ControllerTest):
    @classmethod
    def furnish(cls):
        cls.groups = cls.cluster.directory / "groups.yaml"
        cls.groups.write_text(GROUPS, encoding="utf-8")

    def begin(self, *flags):
        self.store = self.cluster.directory / f"{uuid.uuid4().hex[:8]}.db"  # a socket beside it takes a short name
        return super().begin("--node-groups", self.groups, "--store", self.store, *flags)

    def autoscale(self):
        autoscaler = Autoscaler(self.cluster)
        self.addCleanup(autoscaler.close)
        return autoscaler

    def wide(self, name, runs_for=None, **annotations):
        made = waiting(name, {"containers": [container(gpus=GPUS)]}, annotations)
        if runs_for:
            made["spec"]["template"]["metadata"]["annotations"] = {"ebb.test/runs-for": runs_for}
        self.admin.apply(made)

    def told(self, name):
        uid = self.admin.get("jobs", name)["metadata"]["uid"]
        return {event["reason"]: event["message"] for event in self.admin.get("events")
                if event["involvedObject"].get("uid") == uid}

    def explained(self, name):
        done = subprocess.run([EBB, "explain", f"default/{name}", "--store", str(self.store)], capture_output=True,
                              text=True, check=False, timeout=60, env={**os.environ, "EBB_CONFIG": "none"})
        return done.stdout

    def publish(self, status, why=""):
        self.admin.apply({"apiVersion": "v1", "kind": "ConfigMap",
                          "metadata": {"name": "cluster-autoscaler-status", "namespace": "kube-system"},
                          "data": {"status": STATUS.format(group=GROUP, status=status, why=why)}})
    def test_as_many_are_released_as_the_group_may_have_and_its_nodes_are_part_of_their_energy(self):
        self.grid.turn(CLEAN)
        names = [f"wide-{i}" for i in range(3)]
        for name in names:
            self.wide(name, runs_for="6s")
        self.wait(lambda: sum(not self.suspended(name) for name in names) == MOST, "two jobs to be released")
        first = next(name for name in names if not self.suspended(name))
        self.wait(lambda: f"a node of group {GROUP} has to start for it" in (self.annotation(first, "reason") or ""),
                  "that to be said")
        self.wait(lambda: "NodeStarts" in self.told(first), "the Event")
        self.wait(lambda: f"a node of group {GROUP} has to start for it" in self.explained(first), "ebb explain to say it")
        time.sleep(3)
        self.assertEqual(sum(not self.suspended(name) for name in names), MOST, self.said())
        autoscaler = self.autoscale()
        self.wait(lambda: all(self.annotation(name, "stage") == "succeeded" for name in names), "all jobs to run", 120)
        self.assertLessEqual(autoscaler.most_at_once, MOST)
        self.assertIsNone(autoscaler.failed)
        self.wait(lambda: all(self.annotation(name, "idle-energy-j") for name in names), "the idle time", 60)
        self.wait(lambda: not autoscaler.nodes, "the nodes to go", 60)
        joules = sum(float(self.annotation(name, "idle-energy-j")) for name in names)
        # Each node starts once; a stretch of idle time is over when the next pod comes, or after the idle tail.
        least, most = IDLE_W * MOST * START_UP_S, IDLE_W * (MOST * START_UP_S + 3 * IDLE_TAIL_S)
        self.assertTrue(least < joules <= most, f"{joules} J")
        grams = sum(float(self.annotation(name, "idle-emissions-g")) for name in names)
        self.assertAlmostEqual(grams, joules / 3.6e6 * CLEAN, delta=grams / 100)
        self.assertIsNone(self.annotation(first, "energy-j"), "no agent measures, so it is not known")

    def test_a_deadline_allows_for_the_start_of_a_node(self):
        self.wide("late", **{"ebb/start-by": "12s"})
        created = datetime.fromisoformat(self.admin.get("jobs", "late")["metadata"]["creationTimestamp"])
        self.wait(lambda: not self.suspended("late"), "the job to be released")
        waited = datetime.now(timezone.utc) - created
        self.assertGreater(waited, timedelta(seconds=12 - START_UP_S - 2))
        self.assertLess(waited, timedelta(seconds=12))

    def test_a_job_for_which_no_node_comes_waits_again_and_is_released_when_one_comes(self):
        self.grid.turn(CLEAN)
        self.wide("unlucky")
        self.wait(lambda: not self.suspended("unlucky"), "the job to be released")
        self.wait(lambda: self.suspended("unlucky"), "the job to be held back again", GIVES_UP_S + 30)
        self.wait(lambda: "found a node within" in self.told("unlucky").get("NoNode", ""), "the Event")
        self.wait(lambda: "found a node within" in self.annotation("unlucky", "reason"), "the reason", 60)
        [name] = self.cluster.add_nodes(1, gpus=GPUS, model=MODEL, prefix=GROUP, labels={"pool": GROUP})
        self.addCleanup(self.admin.delete, "nodes", name)
        self.wait(lambda: self.pods("unlucky"), "the job to run after all", 120)
        self.assertEqual(self.annotation("unlucky", "attempt"), "2")

    def test_a_group_whose_autoscaler_backs_off_counts_for_nothing(self):
        self.publish("Backoff", "no GPUs left in the region")
        self.addCleanup(self.admin.delete, "configmaps", "cluster-autoscaler-status", "kube-system")
        self.wait(lambda: "no GPUs left in the region" in self.said(), "the back-off to be read")
        self.grid.turn(CLEAN)
        self.wide("patient")
        self.wait(lambda: self.annotation("patient", "stage") == "waiting", "the reason")
        time.sleep(3)
        self.assertTrue(self.suspended("patient"), self.said())
        self.publish("NoActivity")
        self.autoscale()
        self.wait(lambda: self.pods("patient"), "the job to run", 60)


if __name__ == "__main__":
    unittest.main(verbosity=2)
