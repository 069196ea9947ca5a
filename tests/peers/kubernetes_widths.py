"""Elastic objects on a real control plane: ebb controller gives Jobs the number of devices that the plan chooses, and
the API server accepts these changes of Jobs that are held back.

Run by ./dev peers kubernetes. A deadline that a job cannot keep on its own devices makes it wide, and a later one lets
it be narrow again.
"""

import json
import os
import shlex
import subprocess
import sys
import unittest
from datetime import datetime, timedelta, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from kubernetes_test import ROOT, container, events_of, on_process_node, train_straight, training, trains
from kubernetes_controller import EBB, Controller, ControllerTest, waiting


class TestWidths(ControllerTest):
    def begin(self, *flags):
        self.store = str(self.cluster.directory / self.id() / "controller.db")
        controller = Controller(self.cluster, self.grid, self.log, "--store", self.store, *flags, policy="planner")
        self.addCleanup(lambda: controller.program.poll() is None and controller.end())
        return controller

    def ebb(self, *words):
        done = subprocess.run([EBB, *words, "--store", self.store], capture_output=True, text=True, check=False,
                              timeout=60, env={**os.environ, "EBB_CONFIG": "none"})
        self.assertEqual(done.returncode, 0, done.stderr)

    def elastic(self, name, speedup, template=None, **more):
        """An hour of work that must be done within 35 minutes, in pieces of ten minutes or more."""
        made = waiting(name, template or {"containers": [container(gpus=1)]},
                       {"ebb/speedup": speedup, "ebb/checkpointable": "true", "ebb/duration": "1h",
                        "ebb/finish-by": "35m", "ebb/minimum-segment": "10m"}, **more)
        del made["metadata"]["annotations"]["ebb/threshold"]
        if template:
            made["spec"]["template"].setdefault("metadata", {})["annotations"] = {"ebb/devices": "1"}
        self.admin.apply(made)

    def spec(self, name):
        return self.admin.get("jobs", name)["spec"]

    def gpus(self, name):
        return self.spec(name)["template"]["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"]

    def pause_and_allow(self, name, finish_by, attempt="2"):
        """Paused by a person, and started again with another deadline."""
        self.ebb("pause", f"default/{name}")
        self.wait(lambda: self.annotation(name, "stage") == "paused", "the pause")
        self.admin.patch("jobs", name, {"metadata": {"annotations": {"ebb/finish-by": finish_by}}})
        self.ebb("now", f"default/{name}")
        self.wait(lambda: self.annotation(name, "attempt") == attempt, "the next release")

    def pause_and_allow_hours(self, name):
        self.pause_and_allow(name, "20h")

    def test_an_indexed_job_has_the_planned_pods(self):
        self.elastic("wide", "2=1.9", completionMode="Indexed", parallelism=1, completions=1)
        self.wait(lambda: len(self.pods("wide")) == 2, "two pods to run")
        self.assertEqual((self.spec("wide")["parallelism"], self.spec("wide")["completions"]), (2, 2))
        self.assertEqual((self.annotation("wide", "devices"), self.annotation("wide", "own-devices")), ("2", "1"))
        self.pause_and_allow_hours("wide")
        self.wait(lambda: len(self.pods("wide")) == 1, "one pod to run")
        self.assertEqual((self.spec("wide")["parallelism"], self.spec("wide")["completions"]), (1, 1))

    def test_another_controller_knows_the_width_that_a_job_has(self):
        self.elastic("kept", "2=1.9", completionMode="Indexed", parallelism=1, completions=1)
        self.wait(lambda: len(self.pods("kept")) == 2, "two pods to run")
        self.controller.end()
        self.begin()
        self.wait(lambda: self.said().count("/controller.db, ") == 2, "it to be listened to again")
        self.pause_and_allow_hours("kept")
        self.wait(lambda: len(self.pods("kept")) == 1, "one pod to run")

    def test_a_job_of_one_pod_has_the_planned_gpus(self):
        self.elastic("one", "2=1.9")
        self.wait(lambda: self.pods("one"), "its pod to run")
        self.assertEqual(self.gpus("one"), "2")
        self.pause_and_allow_hours("one")
        self.wait(lambda: self.pods("one"), "its pod to run again")
        self.assertEqual(self.gpus("one"), "1")

    def test_a_training_goes_on_at_each_width(self):
        """Two ranks, one, four, two: every image of every epoch once, and the loss of a training at one width."""
        straight, other, elastic = (self.cluster.directory / name for name in ("straight", "other", "elastic"))
        train_straight(longer(straight, 1))
        train_straight(longer(other, 2))
        self.admin.get("jobs")  # makes a connection anew that was closed meanwhile
        # The ranks as torchrun starts them.
        launch = f"exec {sys.executable} {ROOT}/bench/elastic launch $EBB_DEVICES {shlex.join(longer(elastic, 1))}"
        width = {"name": "EBB_DEVICES", "valueFrom": {"fieldRef": {"fieldPath": "metadata.annotations['ebb/devices']"}}}
        template = {"containers": [container(["bash", "-c", launch], gpus=1, env=[width])]}
        self.elastic("training", "2=1.9,4=3", template=on_process_node(template))
        devices = []
        for part, minutes in enumerate((35, 1200, 24, 35), 1):
            if part > 1:
                self.pause_and_allow("training", minutes_from_now(minutes), str(part))
            self.wait(lambda: trains(elastic, part), f"part {part} to train", 60)
            devices.append(self.annotation("training", "devices"))
        self.assertEqual(devices, ["2", "1", "4", "2"])
        self.wait(lambda: "end" in events_of(elastic), "its end", 120)
        self.assertEqual(samples_of_parts(elastic), 4)
        mine, its, others = (final_losses(directory) for directory in (elastic, straight, other))
        self.assertEqual(len(mine), len(its))
        between = max(abs(a - b) for a, b in zip(its, others))
        farthest = max(abs(a - b) for a, b in zip(mine, its))
        print(f"loss: farthest from one width {farthest:.4f}; between two seeds {between:.4f}")
        self.assertLess(farthest, between)


def minutes_from_now(minutes):
    return (datetime.now(timezone.utc) + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


def longer(directory, seed):
    words = training(directory)
    words[words.index("--epochs") + 1] = "14"
    return [str(word) for word in words] + ["--seed", str(seed)]


def lines_of(directory):
    return [json.loads(line) for line in (directory / "progress.jsonl").read_text().splitlines()]


def final_losses(directory):
    return [line["test_loss"] for line in lines_of(directory) if line["event"] == "epoch_end"]


def samples_of_parts(directory):
    """The number of parts, if each went on at the sample at which the one before it was paused."""
    lines = lines_of(directory)
    paused = [line["samples_seen"] for line in lines if line["event"] == "paused"]
    resumed = [line["samples_seen"] for line in lines if line["event"] == "resume"]
    assert paused == resumed, (paused, resumed)
    return 1 + len(resumed)


if __name__ == "__main__":
    unittest.main(verbosity=2)
