"""ebb agent beside ebb controller on a real control plane (tests/cluster): real processes, metered by their groups, and
what the budgets of their namespaces make of it.

Run by ./dev peers kubernetes. The process node puts no pod into a control group, so each pod enters one of its own, by
the name that a kubelet would give it: below the groups of this machine, if it permits that.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from kubernetes_controller import CLEAN, DIRTY, EBB, ControllerTest, long_training, waiting
from kubernetes_test import container, events_of, on_process_node, train_straight, trains

GROUPS = Path("/sys/fs/cgroup")
TOKEN = "of-a-test"
POLICIES = "ebb-policies"
LITTLE = 1e-5  # grams of a budget: a third of a joule
BURN = ["sh", "-c", "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done"]
# 0: whoever writes it. ($$ would be a $ in the command of a container.)
ENTER = """for top in $TOPS; do mkdir -p $top/besteffort/pod$POD_UID; echo 0 > $top/besteffort/pod$POD_UID/cgroup.procs; done
exec "$@"
"""


def tops():
    """Where a kubelet keeps its pods: in the one hierarchy, or in those that count time and memory."""
    if (GROUPS / "cgroup.controllers").exists():
        return [GROUPS / "kubepods"]
    return [GROUPS / name / "kubepods" for name in ("cpuacct", "memory") if (GROUPS / name).is_dir()]


def in_group(words):
    """A container whose process enters the group of its pod first."""
    made = container(["sh", "-c", ENTER, "sh", *words])
    made["env"] = [{"name": "POD_UID", "valueFrom": {"fieldRef": {"fieldPath": "metadata.uid"}}},
                   {"name": "TOPS", "value": " ".join(map(str, tops()))}]
    return made


def remove_groups():
    for top in tops():
        for folder, _, _ in os.walk(top, topdown=False):
            try:
                os.rmdir(folder)
            except OSError:
                pass  # somebody is still in it


def setUpModule():
    try:
        if not tops():
            raise OSError("there are no control groups here")
        for top in tops():
            top.mkdir(exist_ok=True)
            (top / "cgroup.procs").read_text()
    except OSError as reason:
        print(f"SKIPPED: pods were not metered by their control groups: {reason}", file=sys.stderr)
        raise unittest.SkipTest(str(reason))
    unittest.addModuleCleanup(remove_groups)


class Agent:
    def __init__(self, state, log):
        with open(log, "a", encoding="utf-8") as said:
            self.program = subprocess.Popen(
                [EBB, "agent", "--node", "processes", "--port", "0", "--state", state, "--interval", "200ms",
                 "--record", "1s"], stderr=said, env={**os.environ, "EBB_AGENT_TOKEN": TOKEN})
        self.log = log

    @property
    def url(self):
        found = re.findall(r"listens at (\S+)", Path(self.log).read_text(encoding="utf-8"))
        return f"http://{found[-1]}" if found else None

    def records(self):
        asked = urllib.request.Request(f"{self.url}/records", headers={"Authorization": f"Bearer {TOKEN}"})
        with urllib.request.urlopen(asked, timeout=10) as answer:
            return [json.loads(line) for line in answer.read().splitlines()[1:]]

    def end(self, number=signal.SIGTERM):
        self.program.send_signal(number)
        return self.program.wait(20)


class AgentTest(ControllerTest):
    """An agent beside the controller."""

    def begin(self, *flags):
        self.agent = self.begin_agent()
        os.environ["EBB_AGENT_TOKEN"] = TOKEN
        self.addCleanup(os.environ.pop, "EBB_AGENT_TOKEN", None)
        return super().begin("--agent", self.agent.url, "--agents-every", "1s", *flags)

    def begin_agent(self):
        agent = Agent(self.cluster.directory / f"agent-{self.id()}", self.log + ".agent")
        self.addCleanup(lambda: agent.program.poll() is None and agent.end())
        self.wait(lambda: agent.url, "the agent to listen")
        return agent

    def said(self):
        agent = Path(self.log + ".agent")
        return super().said() + (agent.read_text(encoding="utf-8") if agent.exists() else "")

    def complete(self, name):
        conditions = self.admin.get("jobs", name)["status"].get("conditions", [])
        return any(condition["type"] == "Complete" and condition["status"] == "True" for condition in conditions)

    def energy(self, name):
        return float(self.annotation(name, "energy-j") or 0)

    def pods_of(self, records):
        """Joules by pod, all together, and of the node."""
        pods, node = {}, 0
        for record in records:
            for device in record.get("devices", []):
                node += device.get("idle_uj", 0) + device.get("unattributed_uj", 0)
                for pod in device.get("pods", []):
                    pods[pod["pod"]] = pods.get(pod["pod"], 0) + pod["energy_uj"]
                    node += pod["energy_uj"]
        return pods, node

    def is_all_told(self, names, uids):
        """Whether the objects have the energy of these pods. Their groups stay here and hold a little memory, so that
        the agent's records go on."""
        told = sum(round(self.energy(name) * 1e6) for name in names)
        pods, node = self.pods_of(self.agent.records())
        self.assertLess(told, node)
        return told == sum(pods.get(uid, 0) for uid in uids)


class TestAgent(AgentTest):
    def test_a_training_that_was_paused_three_times_has_the_energy_and_grams_of_all_its_parts(self):
        straight, paused = self.cluster.directory / "straight", self.cluster.directory / "paused"
        train_straight(long_training(straight))
        self.grid.g_per_kwh = CLEAN
        self.admin.apply(waiting("training", on_process_node({"containers": [in_group(long_training(paused))]}),
                                 {"ebb/checkpointable": "true"}))
        uids, seen = set(), []
        for parts in (1, 2, 3):
            self.wait(lambda: trains(paused, parts), f"part {parts} to train", 60)
            uids |= {pod["metadata"]["uid"] for pod in self.pods("training")}
            self.grid.g_per_kwh = DIRTY
            self.wait(lambda: self.annotation("training", "stage") == "paused", f"pause {parts}", 60)
            self.wait(lambda: self.energy("training") > (seen[-1] if seen else 0), f"the energy of part {parts}")
            seen.append(self.energy("training"))
            if parts == 2:  # a new version of the agent
                self.agent.end()
                self.restarted()
            self.grid.g_per_kwh = CLEAN
        self.wait(lambda: self.pods("training"), "the last part")
        uids |= {pod["metadata"]["uid"] for pod in self.pods("training")}
        self.wait(lambda: self.complete("training"), "the training to complete", 120)
        self.assertEqual((paused / "model.safetensors").read_bytes(), (straight / "model.safetensors").read_bytes())
        self.assertEqual(self.annotation("training", "attempt"), "4")
        self.wait(lambda: self.annotation("training", "saved-g"), "what was saved", 60)
        self.assertEqual(len(uids), 4, "a pod for each part")

        self.wait(lambda: self.is_all_told(["training"], uids), "the agent's records of its four pods, to the microjoule")
        pods, _ = self.pods_of(self.agent.records())
        for uid in uids:
            self.assertGreater(pods.get(uid, 0), 0, "each part has energy")
        grams = float(self.annotation("training", "emissions-g"))
        kwh = self.energy("training") / 3.6e6
        self.assertGreaterEqual(grams, 0.99 * CLEAN * kwh)
        self.assertLessEqual(grams, 1.01 * DIRTY * kwh)
        print(f"training: {self.energy('training'):.6f} J, {grams} g in four parts, saved "
              f"{self.annotation('training', 'saved-g')} g; after each pause: {seen}", file=sys.stderr)

    def restarted(self):
        """The agent at the same address, with the records that it had."""
        port = self.agent.url.rsplit(":", 1)[1]
        Path(self.log + ".agent").write_text("", encoding="utf-8")
        state = self.cluster.directory / f"agent-{self.id()}"
        with open(self.log + ".agent", "a", encoding="utf-8") as said:
            self.agent.program = subprocess.Popen(
                [EBB, "agent", "--node", "processes", "--port", port, "--state", state, "--interval", "200ms",
                 "--record", "1s"], stderr=said, env={**os.environ, "EBB_AGENT_TOKEN": TOKEN})
        self.wait(lambda: self.agent.url, "the agent to listen again")

    def test_two_jobs_and_the_rest_are_the_node(self):
        self.grid.g_per_kwh = DIRTY
        # This source has no history: what was saved is known of jobs that came once the controller knew a value.
        self.admin.apply(waiting("before"))
        self.wait(lambda: f"{DIRTY} g/kWh" in (self.annotation("before", "reason") or ""), "a first value")
        for name in ("one", "two"):
            self.admin.apply(waiting(name, on_process_node({"containers": [in_group(BURN)]})))
        for name in ("one", "two"):
            self.wait(lambda: self.annotation(name, "stage") == "waiting", f"{name} to wait")
        self.grid.g_per_kwh = CLEAN
        for name in ("one", "two"):
            self.wait(lambda: self.complete(name), f"{name} to complete", 90)
            self.wait(lambda: self.annotation(name, "saved-g"), "what was saved", 60)
        self.assertIn("intensity-at-start", " ".join(self.admin.get("jobs", "one")["metadata"]["annotations"]))
        uids = {pod["metadata"]["uid"] for name in ("one", "two")
                for pod in self.admin.get("pods", selector=f"job-name={name}")}
        self.assertEqual(len(uids), 2)
        self.wait(lambda: self.is_all_told(["one", "two"], uids), "the agent's records of their pods, to the microjoule")

    def test_where_no_agent_is_it_says_that_it_does_not_know(self):
        self.controller.end()
        self.log += ".without"
        ControllerTest.begin(self)
        self.grid.g_per_kwh = CLEAN
        self.admin.apply(waiting("unknown", on_process_node({"containers": [container(["true"])]})))
        self.wait(lambda: self.complete("unknown"), "the job to complete", 60)
        self.wait(lambda: self.annotation("unknown", "stage") == "succeeded", "the end to be written")
        self.assertIsNone(self.annotation("unknown", "energy-j"))


class TestBudgets(AgentTest):
    def setUp(self):
        super().setUp()
        self.addCleanup(lambda: self.admin.delete("configmaps", POLICIES, "ebb"))

    def budget(self, grams):
        self.admin.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": POLICIES, "namespace": "ebb"},
                          "data": {"default.yaml": f"budget: {{emissions_g: {grams}, time_zone: Europe/Berlin}}"}})

    def noted(self, key):
        return self.admin.get("configmaps", POLICIES, "ebb")["metadata"].get("annotations", {}).get(f"ebb/{key}", "")

    def used(self):
        return json.loads(self.noted("used") or "{}").get("namespaces", {}).get("default", {})

    def burn(self, name):
        """Expected to need next to nothing, so that only what is measured counts."""
        self.admin.apply(waiting(name, on_process_node({"containers": [in_group(BURN)]}),
                                 {"ebb/power": "1", "ebb/duration": "1s"}))

    def spend(self):
        """A job that uses the budget up, and another one that is held for that."""
        self.budget(LITTLE)
        self.wait(lambda: self.noted("status") == "in force for default", "the policy to be in force")
        self.grid.turn(CLEAN)
        self.burn("first")
        self.wait(lambda: self.complete("first"), "the first job to complete", 90)
        self.wait(lambda: self.used().get("emissions_g", 0) >= LITTLE and self.used().get("estimated_g") == 0,
                  "its grams to be counted", 180)
        self.burn("second")
        # A start may have been refused just before, for what runs.
        self.wait(lambda: "it starts again on" in (self.annotation("second", "reason") or ""), "the reason", 60)

    def test_grams_that_are_spent_hold_the_next_job_until_the_limit_is_raised(self):
        self.spend()
        self.assertRegex(self.annotation("second", "reason"),
                         r"the budget of namespace default for \S+ is used up: \S+ \S?g of 10\S* µg are used; "
                         r"it starts again on \S+-01 \(Europe/Berlin\)")
        # The sum is kept every two minutes, and the pod's control group keeps a little memory.
        self.wait(lambda: 0.9 < self.used()["energy_kwh"] * 3.6e6 / self.energy("first") <= 1 + 1e-6,
                  "what the agent measured to be counted", 180)
        self.assertAlmostEqual(self.used()["emissions_g"] / self.used()["energy_kwh"], CLEAN, delta=1)
        time.sleep(3)  # the grid is clean, and devices are free
        self.assertTrue(self.suspended("second"), self.said())
        self.budget(1000)
        self.wait(lambda: self.complete("second"), "the second job to complete with a larger budget", 120)

    def test_the_next_month_lets_go_what_was_held(self):
        self.spend()
        self.controller.end()
        self.agent.end()
        # As if the month had turned meanwhile: what is kept is of the one before.
        kept = json.loads(self.noted("used"))
        kept["namespaces"]["default"]["month"] = "2026-01"
        self.admin.patch("configmaps", POLICIES, {"metadata": {"annotations": {"ebb/used": json.dumps(kept)}}}, "ebb")
        self.begin()
        self.wait(lambda: self.complete("second"), "the second job to complete in a new month", 120)
        self.wait(lambda: self.used()["month"] != "2026-01", "the new month to be kept", 60)


if __name__ == "__main__":
    unittest.main(verbosity=2)
