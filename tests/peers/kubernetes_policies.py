"""Policies of namespaces on a real control plane: what ebb controller makes of its ConfigMap, with the rights of the
shipped manifest.

Run by ./dev peers kubernetes.
"""

import json
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from kubernetes_test import container
from kubernetes_controller import ControllerTest, waiting

NAME = "ebb-policies"


class PoliciesTest(ControllerTest):
    def setUp(self):
        super().setUp()
        self.addCleanup(lambda: self.admin.delete("configmaps", NAME, "ebb"))

    def policies(self, **texts):
        self.admin.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": NAME, "namespace": "ebb"},
                          "data": {f"{name}.yaml": text for name, text in texts.items()}})

    def noted(self, key):
        return self.admin.get("configmaps", NAME, "ebb")["metadata"].get("annotations", {}).get(f"ebb/{key}", "")

    def plain(self, name, **annotations):
        """A Job that says nothing but that it waits."""
        made = waiting(name)
        made["metadata"]["annotations"] = {"ebb/wait": "true", **annotations}
        return made


class TestPolicies(PoliciesTest):
    def test_a_policy_says_what_a_job_does_not_and_is_followed(self):
        self.policies(default="defaults: {threshold: 200}")
        self.wait(lambda: self.noted("status") == "in force for default", "the policy to be in force")
        self.admin.apply(self.plain("silent"))
        self.wait(lambda: "is above 200 g/kWh" in (self.annotation("silent", "reason") or ""), "the reason")
        self.policies(default="defaults: {threshold: 500}")
        self.wait(lambda: self.pods("silent"), "the job to run under the new policy")

    def test_a_wrong_policy_is_named_and_the_last_good_one_stays(self):
        self.policies(_others="defaults: {threshold: 200}")
        self.wait(lambda: "all other namespaces" in self.noted("status"), "the policy to be in force")
        self.policies(_others="defaults: {treshold: 500}")
        self.wait(lambda: '_others.yaml:1: unknown key "treshold"' in self.noted("status"), "the mistake to be named")
        self.wait(lambda: any(event["reason"] == "BadPolicy" and event["involvedObject"]["name"] == NAME
                              for event in self.admin.get("events", namespace="ebb")), "the Event")
        self.controller.end()
        self.begin()
        self.admin.apply(self.plain("silent"))
        self.wait(lambda: "is above 200 g/kWh" in (self.annotation("silent", "reason") or ""), "the reason")

    def test_a_job_that_is_too_wide_is_held_back_until_the_policy_allows_it(self):
        self.grid.turn(100)
        self.policies(default="limits: {gpus: 1}")
        self.wait(lambda: self.noted("status"), "the policy to be in force")
        self.admin.apply(waiting("wide", {"containers": [container(gpus=2)]}))
        self.wait(lambda: "allows one object 1" in (self.annotation("wide", "reason") or ""), "the reason")
        self.assertTrue(self.suspended("wide"))
        self.policies(default="limits: {gpus: 2}")
        self.wait(lambda: self.pods("wide"), "the job to run")

    def test_pods_are_kept_away_from_models_that_draw_too_much(self):
        # Up to 700 W; the cards of the other nodes are unknown, and pass.
        self.cluster.add_nodes(1, gpus=2, model="NVIDIA-H100-80GB-HBM3")
        self.grid.turn(100)
        self.policies(default="defaults: {max-power: 500}")
        self.wait(lambda: self.noted("status"), "the policy to be in force")
        four = {"containers": [container(gpus=1)]}
        self.admin.apply(waiting("frugal", four, parallelism=4, completions=4))
        self.wait(lambda: len(self.pods("frugal")) == 4, "the job to run on all GPUs that it wants")
        spec = self.admin.get("jobs", "frugal")["spec"]["template"]["spec"]
        terms = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        self.assertEqual(terms["nodeSelectorTerms"], [{"matchExpressions": [
            {"key": "nvidia.com/gpu.product", "operator": "NotIn", "values": ["NVIDIA-H100-80GB-HBM3"]}]}])
        self.admin.apply(waiting("another", {"containers": [container(gpus=1)]}))
        self.wait(lambda: self.annotation("another", "stage") == "waiting", "the reason")
        time.sleep(2)
        self.assertTrue(self.suspended("another"), "the GPUs that are free draw too much")

    def test_a_budget_that_is_used_up_holds_what_is_new_and_says_when_it_starts_again(self):
        self.grid.turn(100)
        # The running job is expected to use all of the 3.6 MJ: 1 kW for an hour.
        self.policies(default="budget: {energy_kwh: 1, time_zone: Europe/Berlin}")
        self.wait(lambda: self.noted("status"), "the policy to be in force")
        whole = {"ebb/power": "1000", "ebb/duration": "1h"}
        self.admin.apply(waiting("first", {"containers": [container(gpus=1)]}, annotations=whole))
        self.wait(lambda: self.pods("first"), "the first job to run")
        self.admin.apply(waiting("second", {"containers": [container(gpus=1)]}, annotations=whole))
        self.wait(lambda: "it starts again on " in (self.annotation("second", "reason") or ""), "the reason", 60)
        self.assertIn("the budget of namespace default for ", self.annotation("second", "reason"))
        self.assertIn("-01 (Europe/Berlin)", self.annotation("second", "reason"))
        self.assertTrue(self.suspended("second"))
        self.wait(lambda: any(event["reason"] == "BudgetUsedUp"
                              for event in self.admin.get("events", namespace="ebb")), "the Event")
        self.wait(lambda: json.loads(self.noted("used") or "{}").get("namespaces", {})
                  .get("default", {}).get("estimated_kwh", 0) > 0, "the use to be kept", 180)
        used = json.loads(self.noted("used"))["namespaces"]["default"]["energy_kwh"]
        self.controller.end()
        self.begin()
        self.wait(lambda: json.loads(self.noted("used"))["namespaces"]["default"]["energy_kwh"] > used,
                  "the next controller to go on", 180)
        self.assertLess(json.loads(self.noted("used"))["namespaces"]["default"]["energy_kwh"], used + 0.1)
        self.policies(default="budget: {energy_kwh: 3, time_zone: Europe/Berlin}")
        self.wait(lambda: self.pods("second"), "the second job to run with a larger budget", 120)


if __name__ == "__main__":
    unittest.main(verbosity=2)
