"""GPUs that drivers publish (dynamic resource allocation) on a real control plane: what ebb controller counts, with the
rights of the shipped manifest. The scheduler allocates the devices; no driver runs, so the slices are the test's.

Run by ./dev peers kubernetes.
"""

import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from kubernetes_test import container
from kubernetes_controller import CLEAN, DIRTY, ControllerTest, waiting

API = "resource.k8s.io/v1"
DRIVER = "gpu.nvidia.com"
NODES, GPUS = ("bulk-0", "bulk-1"), 4  # of each


def published(node):
    devices = [{"name": f"gpu-{i}", "attributes": {
        "productName": {"string": "NVIDIA H100 80GB HBM3"}, "type": {"string": "gpu"},
        "uuid": {"string": f"GPU-{node}-{i}"}}} for i in range(GPUS)]
    return {"apiVersion": API, "kind": "ResourceSlice", "metadata": {"name": f"{node}-gpus"},
            "spec": {"driver": DRIVER, "nodeName": node, "devices": devices,
                     "pool": {"name": node, "generation": 1, "resourceSliceCount": 1}}}


def claim_template(name, count):
    return {"apiVersion": API, "kind": "ResourceClaimTemplate", "metadata": {"name": name, "namespace": "default"},
            "spec": {"spec": {"devices": {"requests": [
                {"name": "gpus", "exactly": {"deviceClassName": DRIVER, "count": count}}]}}}}


def claims(template):
    made = container()
    made.setdefault("resources", {})["claims"] = [{"name": "gpus"}]
    return {"containers": [made], "resourceClaims": [{"name": "gpus", "resourceClaimTemplateName": template}]}


class TestDevices(ControllerTest):
    @classmethod
    def furnish(cls):
        cls.cluster.add_nodes(len(NODES))
        cls.admin.apply({"apiVersion": API, "kind": "DeviceClass", "metadata": {"name": DRIVER}, "spec": {"selectors": [
            {"cel": {"expression": f"device.driver == '{DRIVER}' && device.attributes['{DRIVER}'].type == 'gpu'"}}]}})
        for node in NODES:
            cls.admin.apply(published(node))
        cls.admin.apply(claim_template("one", 1))
        cls.admin.apply(claim_template("two", 2))

    def setUp(self):
        super().setUp()
        self.grid.g_per_kwh = CLEAN

    def released(self, names):
        return [name for name in names if not self.suspended(name)]

    def run_as_many_as_fit(self, template, count, fit):
        names = [f"{template}-{i}" for i in range(count)]
        for name in names:
            self.admin.apply(waiting(name, claims(template)))
        self.wait(lambda: sum(len(self.pods(name)) for name in names) == fit, f"{fit} jobs to run")
        time.sleep(3)
        self.assertEqual(len(self.released(names)), fit, self.said())
        waits = next(name for name in names if self.suspended(name))
        self.wait(lambda: self.annotation(waits, "reason"), "the others to say why")
        first = self.released(names)[0]
        self.admin.delete("jobs", first)
        names.remove(first)
        self.wait(lambda: len(self.released(names)) == fit, "the next one to be released", 90)
        self.wait(lambda: sum(len(self.pods(name)) for name in names) == fit, "it to run")

    def test_published_devices_are_capacity_and_no_more_is_released_than_fits(self):
        self.run_as_many_as_fit("one", 10, 8)

    def test_a_template_of_two_devices_counts_as_two(self):
        self.run_as_many_as_fit("two", 6, 4)

    def test_jobs_wait_for_devices_that_go_and_say_so(self):
        self.grid.turn(DIRTY)
        self.admin.apply(waiting("before", claims("two")))
        self.wait(lambda: "is above 200 g/kWh" in (self.annotation("before", "reason") or ""), "it to be known")
        for node in NODES:
            self.admin.delete("resourceslices", f"{node}-gpus")
        try:
            self.grid.turn(CLEAN)
            self.admin.apply(waiting("after", claims("two")))
            self.wait(lambda: "above" not in self.annotation("before", "reason"), "another reason to be written", 60)
            self.wait(lambda: self.annotation("after", "reason"), "the reason to be written")
            time.sleep(3)
            for name in ("before", "after"):
                self.assertTrue(self.suspended(name), self.said())
                self.assertRegex(self.annotation(name, "reason"), "device|GPU")
        finally:
            for node in NODES:
                self.admin.apply(published(node))
        for name in ("before", "after"):
            self.wait(lambda: self.pods(name), "the job to run once they are there", 90)

    def test_a_job_waits_for_its_template(self):
        self.admin.apply(waiting("early", claims("later")))
        self.wait(lambda: 'ResourceClaimTemplate "later" is not known' in (self.annotation("early", "reason") or ""),
                  "the reason to be written")
        self.assertTrue(self.suspended("early"))
        self.admin.apply(claim_template("later", 1))
        self.wait(lambda: self.pods("early"), "the job to run")


if __name__ == "__main__":
    unittest.main(verbosity=2)
