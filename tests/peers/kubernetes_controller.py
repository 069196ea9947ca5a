"""ebb controller on a real control plane (tests/cluster): what it holds back, releases, writes and survives.

Run by ./dev peers kubernetes. The intensity comes from an address of the test, so that the grid is clean when the test
says so.
"""

import concurrent.futures
import http.server
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import unittest
from datetime import datetime, timedelta, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from kubernetes_test import (ROOT, Cluster, container, events_of, job, on_process_node, train_straight, trains,
                             training)
from api import resource_definition, wait_for

EBB = os.environ.get("EBB", str(ROOT / "build/release/bin/ebb"))
MANIFEST = ROOT / "deploy/kubernetes/controller.yaml"
CLEAN, DIRTY = 100, 400


class Grid:
    """An address that tells the intensity of now."""

    def __init__(self):
        self.g_per_kwh, self.asked = DIRTY, 0
        self.on_answer = lambda g_per_kwh: None
        grid = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                grid.asked += 1
                now = datetime.now(timezone.utc).replace(microsecond=0).isoformat()
                told = grid.g_per_kwh
                answer = json.dumps({"carbonIntensity": told, "datetime": now}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)
                grid.on_answer(told)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def turn(self, g_per_kwh):
        """Returns once that has been asked for, twice, so that the first answer has been heard."""
        self.g_per_kwh, before = g_per_kwh, self.asked
        wait_for(lambda: self.asked >= before + 2, "the intensity to be asked for")

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def grant(cluster):
    """The account of the shipped manifest with what that grants, and no more: all of it but the Deployment.

    The same for the user "controller", whose requests the cluster writes down.
    """
    for part in MANIFEST.read_text(encoding="utf-8").split("\n---\n")[:-1]:
        cluster.admin.apply_yaml(part)
    group = "rbac.authorization.k8s.io"
    cluster.admin.apply({"apiVersion": f"{group}/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "watched"},
                         "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "ebb-controller"},
                         "subjects": [{"apiGroup": group, "kind": "User", "name": "controller"}]})
    write_kubeconfig(cluster, "ebb-controller")


def write_kubeconfig(cluster, account):
    """For Controller: what a service account of the namespace ebb may do."""
    token = cluster.directory / "controller.token"
    token.write_text(cluster.service_account_token(account, namespace="ebb"), encoding="utf-8")
    kubeconfig = cluster.directory / "controller.kubeconfig"
    kubeconfig.write_text(f"""
apiVersion: v1
kind: Config
current-context: pod
clusters:
- name: test
  cluster: {{server: "https://127.0.0.1:{cluster.port}", certificate-authority: certificates/ca.crt}}
users:
- name: ebb
  user: {{tokenFile: {token}}}
contexts:
- name: pod
  context: {{cluster: test, user: ebb, namespace: ebb}}
""", encoding="utf-8")


class Controller:
    def __init__(self, cluster, grid, log, *flags, kubeconfig=None, policy="threshold"):
        kubeconfig = kubeconfig or ["--kubeconfig", cluster.directory / "controller.kubeconfig"]
        with open(log, "a", encoding="utf-8") as errors:
            self.program = subprocess.Popen(
                [EBB, "controller", *kubeconfig, "--api-url", grid.url, "--refresh", "1s", "--policy", policy,
                 "--port", "0", *flags], stderr=errors)

    def end(self, number=signal.SIGTERM):
        self.program.send_signal(number)
        return self.program.wait(20)


def resident_kilobytes(process):
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return int(re.search(r"^VmRSS:\s+(\d+) kB$", status, re.MULTILINE).group(1))


def long_training(directory):
    """Long enough for three pauses, each of which takes a second or two to come."""
    words = training(directory)
    words[words.index("--epochs") + 1] = "7"
    return words


def waiting(name, spec=None, annotations=None, **more):
    """A Job that Ebb may hold back."""
    made = job(name, spec or {"containers": [container()]}, suspend=True, **more)
    made["metadata"]["annotations"] = {"ebb/wait": "true", "ebb/threshold": "200", **(annotations or {})}
    return made


class ControllerTest(unittest.TestCase):
    """A controller beside a cluster."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster()
        cls.enterClassContext(cls.cluster)
        cls.admin = cls.cluster.admin
        cls.furnish()
        grant(cls.cluster)

    @classmethod
    def furnish(cls):
        """What the cluster has before there is a controller."""
        cls.cluster.add_nodes(2, gpus=2, model="NVIDIA-H100")

    def setUp(self):
        self.grid = Grid()
        self.addCleanup(self.grid.close)
        self.log = str(self.cluster.directory / f"{self.id()}.log")
        self.controller = self.begin()
        self.addCleanup(self.remove_jobs)

    def begin(self, *flags):
        controller = Controller(self.cluster, self.grid, self.log, *flags)
        # Asked to end, it gives its lease back, so that the next test need not wait for it.
        self.addCleanup(lambda: controller.program.poll() is None and controller.end())
        return controller

    def remove_jobs(self):
        for found in self.admin.get("jobs"):
            self.admin.delete("jobs", found["metadata"]["name"])
        # The garbage collector removes them; on a busy machine it may miss its first try and wait a while for the next.
        self.cluster.wait(lambda: not self.admin.get("pods"), "the pods to end", 180)

    def said(self):
        return Path(self.log).read_text(encoding="utf-8")

    def annotation(self, name, key):
        return self.admin.get("jobs", name)["metadata"].get("annotations", {}).get(f"ebb/{key}")

    def suspended(self, name):
        return self.admin.get("jobs", name)["spec"].get("suspend", False)

    def wait(self, question, what, seconds=30):
        try:
            return self.cluster.wait(question, what, seconds)
        except TimeoutError:
            self.fail(f"{what} did not come about; the controller said:\n{self.said()}")

    def pods(self, name):
        return [pod for pod in self.admin.get("pods", selector=f"job-name={name}")
                if pod["status"]["phase"] == "Running"]


class TestController(ControllerTest):
    def test_a_job_waits_for_clean_power_and_says_why(self):
        self.admin.apply(waiting("patient"))
        self.wait(lambda: self.annotation("patient", "stage") == "waiting", "the reason to be written")
        self.assertIn("400 g/kWh is above 200 g/kWh", self.annotation("patient", "reason"))
        self.assertTrue(self.suspended("patient"))
        self.grid.g_per_kwh = CLEAN
        self.wait(lambda: self.pods("patient"), "the job to run")
        self.wait(lambda: self.annotation("patient", "stage") == "running", "that to be written")
        self.assertEqual(self.annotation("patient", "attempt"), "1")

    def test_no_more_is_released_than_fits(self):
        self.grid.g_per_kwh = CLEAN
        for i in range(4):
            self.admin.apply(waiting(f"wide-{i}", {"containers": [container(gpus=2)]}))
        self.wait(lambda: sum(len(self.pods(f"wide-{i}")) for i in range(4)) == 2, "two jobs to run")
        time.sleep(2)
        released = [i for i in range(4) if not self.suspended(f"wide-{i}")]
        self.assertEqual(len(released), 2, self.said())
        self.admin.delete("jobs", f"wide-{released[0]}")
        self.wait(lambda: sum(not self.suspended(f"wide-{i}") for i in range(4) if i != released[0]) == 2,
                  "the next one to be released")

    def test_a_pod_that_fits_no_node_is_not_released(self):
        self.grid.g_per_kwh = CLEAN
        self.admin.apply(waiting("wide", {"containers": [container(gpus=4)]}))  # four on two nodes are free
        self.wait(lambda: "no node has the 4 GPUs" in (self.annotation("wide", "reason") or ""), "the reason")
        self.admin.apply(waiting("halves", {"containers": [container(gpus=2)]}, parallelism=2, completions=2))
        self.wait(lambda: len(self.pods("halves")) == 2, "the job that fits to run")
        self.assertTrue(self.suspended("wide"))

    def test_devices_of_others_are_theirs(self):
        self.grid.g_per_kwh = CLEAN
        self.admin.apply(job("theirs", {"containers": [container(gpus=2)]}, parallelism=2, completions=2))
        self.wait(lambda: len(self.pods("theirs")) == 2, "the other job to run")
        self.admin.apply(waiting("ours", {"containers": [container(gpus=2)]}))
        self.wait(lambda: self.annotation("ours", "stage"), "the reason to be written")
        time.sleep(2)
        self.assertTrue(self.suspended("ours"), self.said())
        self.admin.delete("jobs", "theirs")
        self.wait(lambda: self.pods("ours"), "our job to run")

    def test_the_latest_start_counts_from_the_creation(self):
        self.admin.apply(waiting("late", annotations={"ebb/start-by": "8s"}))
        created = datetime.fromisoformat(self.admin.get("jobs", "late")["metadata"]["creationTimestamp"])
        self.wait(lambda: not self.suspended("late"), "the job to be released")
        waited = datetime.now(timezone.utc) - created
        self.assertGreater(waited, timedelta(seconds=6))
        self.assertLess(waited, timedelta(seconds=15))

    def test_a_field_that_the_cluster_does_not_know_is_not_taken_for_written(self):
        """Definitions of resources from before they could be suspended: the API server would drop the field."""
        old = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"network": {"type": "string"}}}}}
        jobsets = resource_definition("JobSet", "jobset.x-k8s.io/v1alpha2", schema=old)
        self.admin.apply(jobsets)
        self.addCleanup(self.admin.delete, "customresourcedefinitions", jobsets["metadata"]["name"])
        self.wait(lambda: self.admin.get("jobsets.jobset.x-k8s.io") == [], "the resource to be served")
        self.controller.end()
        self.begin()
        self.admin.apply({"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet",
                          "metadata": {"name": "old", "annotations": {"ebb/wait": "true", "ebb/threshold": "200"}},
                          "spec": {"network": "none"}})
        self.wait(lambda: 'cannot be held back: ' in self.said(), "the refusal")
        self.assertIn('unknown field "spec.suspend"', self.said())

    def test_a_job_that_was_not_held_back_is_held_back(self):
        made = waiting("eager")
        made["spec"]["suspend"] = False
        self.admin.apply(made)
        self.wait(lambda: self.suspended("eager"), "the job to be held back")
        self.wait(lambda: not self.pods("eager"), "its pods to end")

    def test_nothing_else_is_touched(self):
        self.admin.apply(job("service", {"containers": [container()]}))
        self.admin.apply(waiting("asked"))
        self.wait(lambda: self.annotation("asked", "stage"), "the reason to be written")
        self.assertEqual(self.admin.get("jobs", "service")["metadata"].get("annotations", {}).keys() &
                         {"ebb/stage", "ebb/attempt"}, set())
        self.assertTrue(self.pods("service"))

    def test_another_controller_goes_on_where_one_was_killed(self):
        self.grid.g_per_kwh = CLEAN
        self.admin.apply(waiting("runs"))
        self.wait(lambda: self.pods("runs"), "the job to run")
        self.grid.turn(DIRTY)
        self.admin.apply(waiting("waits"))
        self.wait(lambda: self.annotation("waits", "stage") == "waiting", "the reason to be written")
        [pod] = self.pods("runs")
        self.controller.end(signal.SIGKILL)
        self.begin()
        self.grid.g_per_kwh = CLEAN
        self.wait(lambda: self.pods("waits"), "the waiting job to run")
        self.assertEqual(self.pods("runs")[0]["metadata"]["uid"], pod["metadata"]["uid"])
        self.assertEqual(self.annotation("runs", "attempt"), "1")

    def test_the_api_server_is_killed_and_nothing_is_released_meanwhile(self):
        self.admin.apply(waiting("patient"))
        self.wait(lambda: self.annotation("patient", "stage") == "waiting", "the reason to be written")
        self.cluster.stop_api_server()
        self.wait(lambda: "request failed" in self.said(), "the controller to notice")
        self.cluster.start_api_server()
        time.sleep(2)
        self.assertTrue(self.suspended("patient"))
        self.grid.g_per_kwh = CLEAN
        self.wait(lambda: self.pods("patient"), "the job to run", 60)

    def test_of_two_controllers_one_acts_until_it_is_killed(self):
        self.wait(lambda: "acts: it holds the lease" in self.said(), "the first one to act")
        self.log += ".second"
        self.begin()
        self.wait(lambda: "waits: " in self.said(), "the second one to wait")
        self.admin.apply(waiting("patient"))
        self.wait(lambda: self.annotation("patient", "stage") == "waiting", "the reason to be written")
        self.assertNotIn("patient", self.said())
        began = time.monotonic()
        self.controller.end(signal.SIGKILL)
        self.grid.g_per_kwh = CLEAN
        self.wait(lambda: self.pods("patient"), "the second one to release the job", 30)
        self.assertLess(time.monotonic() - began, 25)
        self.assertEqual(self.annotation("patient", "attempt"), "1")

    def test_a_dry_run_only_writes(self):
        self.controller.end()
        self.begin("--dry-run")
        made = waiting("watched")
        made["spec"]["suspend"] = False
        self.admin.apply(made)
        self.wait(lambda: self.annotation("watched", "stage") == "waiting", "what would be done")
        self.assertTrue(self.pods("watched"), "it runs all the same")
        self.assertIsNone(self.annotation("watched", "attempt"))

    def test_it_ends_when_it_is_asked_to(self):
        self.wait(lambda: "acts: it holds the lease" in self.said(), "the controller to act")
        self.assertEqual(self.controller.end(), 0)
        self.assertIn("what waits stays held back", self.said())

    def test_it_ends_when_it_is_asked_to_before_it_has_begun(self):
        self.controller.end()
        self.cluster.pause_api_server()
        self.addCleanup(self.cluster.resume_api_server)
        for flags in [], ["--alone"]:  # while it asks for the lease, and while it asks what there is
            Path(self.log).write_text("", encoding="utf-8")
            controller = self.begin(*flags)
            self.wait(lambda: "ebb controller: https" in self.said(), "the controller to begin")
            time.sleep(0.5)
            self.assertEqual(controller.end(), 0)
            self.assertIn("what waits stays held back", self.said())

    def test_its_queue_outlives_it_and_takes_job_controls(self):
        self.controller.end()
        store = str(self.cluster.directory / "kept" / "controller.db")

        def ebb(*words):
            done = subprocess.run([EBB, *words, "--store", store], capture_output=True, text=True, check=False, timeout=60,
                                  env={**os.environ, "EBB_CONFIG": "none"})
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout

        def number_of(name, *words):
            jobs = json.loads(ebb(*words, "--format", "json"))["jobs"]
            return {found["name"]: found["id"] for found in jobs}.get(name)

        controller = self.begin("--store", store)
        self.admin.apply(waiting("patient", on_process_node({"containers": [container(["true"])]})))
        self.wait(lambda: self.annotation("patient", "stage") == "waiting", "the reason to be written")
        number = number_of("default/patient", "queue")
        self.assertIn("400 g/kWh is above 200 g/kWh", ebb("explain", "default/patient"))
        controller.end()
        controller = self.begin("--store", store)
        self.wait(lambda: "/controller.db, " in self.said().split("stopped;")[-1], "it to be listened to again")
        self.assertEqual(number_of("default/patient", "queue"), number)
        ebb("now", "default/patient")
        self.wait(lambda: self.complete("patient"), "the job to complete", 60)
        self.wait(lambda: number_of("default/patient", "history") == number, "it to be told as ended")
        self.wait(lambda: self.annotation("patient", "stage") == "succeeded", "the end to be written")
        controller.end()
        self.begin("--store", store)
        self.wait(lambda: self.said().count("/controller.db, ") == 3, "it to be listened to once more")
        self.assertEqual(number_of("default/patient", "history"), number)
        self.assertIsNone(number_of("default/patient", "queue"))

    def test_a_training_is_paused_in_dirty_hours_and_ends_with_the_same_parameters(self):
        straight, paused = self.cluster.directory / "straight", self.cluster.directory / "paused"
        train_straight(long_training(straight))
        self.grid.g_per_kwh = CLEAN
        self.admin.apply(waiting("training", on_process_node({"containers": [container(long_training(paused))]}),
                                 {"ebb/checkpointable": "true"}))
        for parts in (1, 2, 3):
            self.wait(lambda: trains(paused, parts), f"part {parts} to train", 60)
            self.grid.g_per_kwh = DIRTY
            self.wait(lambda: self.annotation("training", "stage") == "paused", f"pause {parts}")
            self.grid.g_per_kwh = CLEAN
        self.wait(lambda: self.complete("training"), "the training to complete", 120)
        self.assertEqual([e for e in events_of(paused) if e in ("paused", "resume")], ["paused", "resume"] * 3)
        self.assertEqual((paused / "model.safetensors").read_bytes(), (straight / "model.safetensors").read_bytes())
        self.assertEqual(self.annotation("training", "attempt"), "4")

    def complete(self, name):
        conditions = self.admin.get("jobs", name)["status"].get("conditions", [])
        return any(condition["type"] == "Complete" and condition["status"] == "True" for condition in conditions)

    def test_a_job_that_people_hold_back_is_released_again(self):
        self.grid.g_per_kwh = CLEAN
        self.admin.apply(waiting("held", annotations={"ebb/checkpointable": "true"}))
        self.wait(lambda: self.pods("held"), "the job to run")
        self.admin.patch("jobs", "held", {"spec": {"suspend": True}})
        self.wait(lambda: self.annotation("held", "attempt") == "2", "the next release")
        self.wait(lambda: self.pods("held"), "the job to run again")

    def annotate(self, name, **annotations):
        self.admin.patch("jobs", name, {"metadata": {"annotations": {
            f"ebb/{key.replace('_', '-')}": value for key, value in annotations.items()}}})

    def test_changed_annotations_of_what_waits_are_followed(self):
        self.admin.apply(waiting("patient"))
        self.wait(lambda: self.annotation("patient", "stage") == "waiting", "the reason to be written")
        self.annotate("patient", threshold="300", checkpointable="true")
        time.sleep(2)
        self.assertTrue(self.suspended("patient"), "400 g/kWh is above 300, too")
        self.annotate("patient", threshold="500")
        self.wait(lambda: self.pods("patient"), "the job to run")
        self.wait(lambda: self.annotation("patient", "stage") == "running", "that to be written")
        # While it runs, a lower threshold is followed too: the engine hears of it once it is paused.
        self.annotate("patient", threshold="300")
        self.grid.turn(CLEAN)
        self.admin.patch("jobs", "patient", {"spec": {"suspend": True}})
        self.wait(lambda: self.annotation("patient", "attempt") == "2", "the next release")

    def test_a_latest_start_that_is_brought_forward_is_kept(self):
        self.admin.apply(waiting("patient"))
        self.wait(lambda: self.annotation("patient", "stage") == "waiting", "the reason to be written")
        self.annotate("patient", start_by="8s")
        self.wait(lambda: self.pods("patient"), "the job to run", 15)
        self.assertEqual(self.annotation("patient", "attempt"), "1")

    def test_what_is_not_to_wait_any_more_is_left_as_it_is(self):
        self.admin.apply(waiting("waits"))
        self.wait(lambda: self.annotation("waits", "stage") == "waiting", "the reason to be written")
        self.annotate("waits", wait="false")
        self.wait(lambda: self.annotation("waits", "reason") is None, "the notes to be removed")
        self.assertIsNone(self.annotation("waits", "stage"))
        self.grid.turn(CLEAN)
        self.admin.apply(waiting("other"))
        self.wait(lambda: self.pods("other"), "another job to run")
        self.assertTrue(self.suspended("waits"), "it is its owner's to resume")
        self.assertIn("waits: is let go", self.said())
        self.annotate("waits", wait="true")
        self.wait(lambda: self.pods("waits"), "it to be released after all")

    def told(self, name):
        """The Events on an object, as `kubectl describe` asks for them: reason -> Event of core/v1."""
        uid = self.admin.get("jobs", name)["metadata"]["uid"]
        return {event["reason"]: event for event in self.admin.get("events")
                if event["involvedObject"].get("uid") == uid and event["source"].get("component") == "ebb-controller"}

    def test_decisions_are_told_as_events_that_another_controller_goes_on_with(self):
        self.admin.apply(waiting("patient", annotations={
            "compute-gardener-scheduler.kubernetes.io/price-threshold": "0.2", "ebb/duration": "long"}))
        self.wait(lambda: self.told("patient").keys() >= {"Waiting", "BadAnnotation"}, "the Events")
        told = self.told("patient")
        self.assertIn("400 g/kWh is above 200 g/kWh", told["Waiting"]["message"])
        self.assertEqual(told["Waiting"]["message"], self.annotation("patient", "reason"))
        self.assertIn("price-threshold: this controller knows no prices", told["BadAnnotation"]["message"])
        self.assertIn('ebb/duration: "long" is not a duration', told["BadAnnotation"]["message"])
        self.controller.end()
        self.begin()
        self.grid.turn(CLEAN)
        self.wait(lambda: "Released" in self.told("patient"), "the release to be told")
        self.assertEqual({reason: event["count"] for reason, event in self.told("patient").items()},
                         {"Waiting": 1, "BadAnnotation": 1, "Released": 1}, "nothing is told anew")
        # Held back by a person, and released again: the same Event counts on.
        self.wait(lambda: self.pods("patient"), "the job to run")
        self.admin.patch("jobs", "patient", {"spec": {"suspend": True}})
        self.wait(lambda: "HeldBackByAnother" in self.told("patient"), "that to be told")
        self.wait(lambda: self.told("patient")["Released"]["count"] == 2, "the next release to be told", 60)

    def test_nodes_that_come_and_go_leave_nothing_behind(self):
        self.wait(lambda: "acts: it holds the lease" in self.said(), "the controller to act")
        used = []
        for turn in range(20):
            names = self.cluster.add_nodes(100, gpus=8, model=f"NVIDIA-{turn}", prefix="passing")
            with concurrent.futures.ThreadPoolExecutor(max_workers=8) as several:
                list(several.map(lambda name: self.admin.delete("nodes", name), names))
            used.append(resident_kilobytes(self.controller.program.pid))
        # The controller grows over some eleven turns, by 3.5 MB; a leak would go on after that.
        self.assertLess(used[-1] - used[11], 1_000, f"kB after each turn: {used}")
        self.grid.g_per_kwh = CLEAN
        self.admin.apply(waiting("prompt", {"containers": [container(gpus=2)]}))
        self.wait(lambda: self.pods("prompt"), "the job to run", 10)

    def test_what_kueue_releases_is_left_to_it(self):
        queued = waiting("queued")
        queued["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "mine"}
        self.admin.apply(queued)
        self.admin.apply(waiting("asked"))
        self.wait(lambda: self.annotation("asked", "stage"), "the reason to be written")
        self.assertIsNone(self.annotation("queued", "stage"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
