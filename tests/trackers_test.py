#!/usr/bin/env python3
"""Experiment trackers of `ebb track`, read back: TensorBoard event files by a reader made from their specification,
MLflow's file store, and MLflow's REST API against a stand-in that holds Ebb to its contract. Usage: trackers_test.py EBB"""
import base64
import glob
import http.server
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

import event_file_reader

EBB = os.path.abspath(sys.argv.pop(1))
TRAINING = """
import json, os, time
file = open(os.environ["EBB_RUN_DIR"] + "/progress.jsonl", "a")
def say(**event):
    event["time_ms"] = int(time.time() * 1000)
    print(json.dumps(event), file=file, flush=True)
for step in range(1, 6):
    say(event="step", epoch=1, step=step, total_steps=5, loss=1 / step, samples_per_second=100)
    time.sleep(0.06)
say(event="epoch_end", epoch=1, train_loss=0.2, test_loss=0.3, test_accuracy_percent=90)
time.sleep(0.3)
"""
KEY = re.compile(r"^[\w\-. /]{1,250}$")


class Mlflow(http.server.ThreadingHTTPServer):
    """Keeps experiments and runs, and refuses what MLflow would refuse."""

    daemon_threads = True

    def __init__(self, failures=0, authorization=None):
        super().__init__(("127.0.0.1", 0), MlflowHandler)
        self.failures, self.authorization = failures, authorization
        self.another_is_quicker = False  # to make an experiment that was asked for and is not there
        self.answers = threading.Event()  # cleared: it takes requests and says nothing
        self.answers.set()
        self.experiments, self.runs, self.calls = {}, {}, []
        self.lock = threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class MlflowHandler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def handle_call(self, body):
        server = self.server
        path = urllib.parse.urlparse(self.path)
        if not server.answers.is_set():
            server.answers.wait()
            return self.close_connection_unheard()
        with server.lock:
            server.calls.append(path.path)
            if server.failures > 0:
                server.failures -= 1
                return self.answer(503, {"error_code": "TEMPORARILY_UNAVAILABLE", "message": "later"})
            if server.authorization and self.headers.get("Authorization") != server.authorization:
                return self.answer(401, {"error_code": "UNAUTHENTICATED", "message": "who are you?"})
            call = path.path.removeprefix("/api/2.0/mlflow/")
            handler = {
                ("GET", "experiments/get-by-name"): self.get_by_name,
                ("POST", "experiments/create"): self.create_experiment,
                ("POST", "runs/create"): self.create_run,
                ("POST", "runs/log-batch"): self.log_batch,
                ("POST", "runs/update"): self.update,
            }.get((self.command, call))
            if not handler:
                return self.answer(404, {"error_code": "ENDPOINT_NOT_FOUND", "message": call})
            query = dict(urllib.parse.parse_qsl(path.query))
            self.answer(*handler(query if self.command == "GET" else body))

    def close_connection_unheard(self):
        self.close_connection = True

    def do_GET(self):
        self.handle_call({})

    def do_POST(self):
        data = self.rfile.read(int(self.headers["Content-Length"]))
        assert self.headers["Content-Type"].startswith("application/json")
        assert len(data) <= 1_000_000
        self.handle_call(json.loads(data))

    def get_by_name(self, query):
        for key, name in self.server.experiments.items():
            if name == query["experiment_name"]:
                return 200, {"experiment": {"experiment_id": key, "name": name}}
        if self.server.another_is_quicker:
            self.server.experiments["7"] = query["experiment_name"]
        return 404, {"error_code": "RESOURCE_DOES_NOT_EXIST", "message": "no such experiment"}

    def create_experiment(self, body):
        if body["name"] in self.server.experiments.values():
            return 400, {"error_code": "RESOURCE_ALREADY_EXISTS", "message": "experiment exists already"}
        key = str(len(self.server.experiments) + 1)
        self.server.experiments[key] = body["name"]
        return 200, {"experiment_id": key}

    def create_run(self, body):
        assert body["experiment_id"] in self.server.experiments
        assert isinstance(body["start_time"], int)
        key = f"{len(self.server.runs):032x}"
        tags = {tag["key"]: tag["value"] for tag in body["tags"]}
        self.server.runs[key] = {"name": body["run_name"], "tags": tags, "params": {}, "metrics": {}, "status": ["RUNNING"]}
        return 200, {"run": {"info": {"run_id": key, "run_uuid": key}, "data": {}}}

    def log_batch(self, body):
        run = self.server.runs.get(body["run_id"])
        if not run:
            return 404, {"error_code": "RESOURCE_DOES_NOT_EXIST", "message": "no such run"}
        metrics, params = body.get("metrics", []), body.get("params", [])
        if len(metrics) > 1000 or len(params) > 100:
            return 400, {"error_code": "INVALID_PARAMETER_VALUE", "message": "too many"}
        for param in params:
            assert KEY.match(param["key"]) and len(param["value"]) <= 500
            if run["params"].setdefault(param["key"], param["value"]) != param["value"]:
                return 400, {"error_code": "INVALID_PARAMETER_VALUE", "message": "params do not change"}
        for metric in metrics:
            assert KEY.match(metric["key"]) and isinstance(metric["step"], int) and isinstance(metric["timestamp"], int)
            run["metrics"].setdefault(metric["key"], []).append((metric["step"], metric["value"]))
        return 200, {}

    def update(self, body):
        run = self.server.runs.get(body["run_id"])
        if not run:
            return 404, {"error_code": "RESOURCE_DOES_NOT_EXIST", "message": "no such run"}
        assert body["status"] in ("RUNNING", "SCHEDULED", "FINISHED", "FAILED", "KILLED")
        run["status"].append(body["status"])
        return 200, {"run_info": {"run_id": body["run_id"]}}


class InADirectory(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory(prefix="ebb_trackers_")
        self.addCleanup(self.place.cleanup)
        self.directory = self.place.name

    def path(self, *parts):
        return os.path.join(self.directory, *parts)

    def text(self, *parts):
        with open(self.path(*parts)) as file:
            return file.read()


class Trackers(InADirectory):
    def ebb(self, *words, environment=None, program=(sys.executable, "-c", TRAINING), command="track"):
        tail = ["--", *program] if program else []
        return subprocess.run(
            [EBB, command, *words, *tail], cwd=self.directory, env={**os.environ, **(environment or {})},
            capture_output=True, text=True, timeout=90)

    def track(self, *words, **more):
        return self.ebb("--constant", "200", "--interval", "100ms", "--run-dir", "run", "--name", "my run", *words, **more)

    def test_tensorboard_reads_back(self):
        outcome = self.track("--tensorboard", "tb")
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        (file,) = glob.glob(self.path("tb", "*", "events.out.tfevents.*"))
        scalars, texts = event_file_reader.read(file)
        self.assertEqual([step for step, _, _ in scalars["train/loss"]], [1, 2, 3, 4, 5])
        for step, wall_time, loss in scalars["train/loss"]:
            self.assertAlmostEqual(loss, 1 / step, places=6)
            self.assertLess(abs(wall_time - time.time()), 120)
        self.assertEqual(scalars["epoch/test_accuracy_percent"][0][::2], (1, 90))
        grams = [value for _, _, value in scalars["carbon/emissions_g"]]
        self.assertEqual(grams, sorted(grams))
        kwh = scalars["summary/energy_kwh"][0][2]
        self.assertAlmostEqual(scalars["summary/emissions_g"][0][2], 200 * kwh, delta=200 * kwh * 1e-5)
        self.assertAlmostEqual(grams[-1], 200 * kwh, delta=200 * kwh * 1e-5)
        self.assertEqual(scalars["carbon/intensity_g_per_kwh"][0][2], 200)
        self.assertIn("| policy | now |", texts["configuration/text_summary"])

    def test_the_last_values_of_a_program_that_told_much_at_its_end_are_not_lost(self):
        # Long lines in one write, right before it ends: no look comes between.
        flood = """
import json, os
lines = [json.dumps({"event": "step", "time_ms": 1, "step": step, "loss": step, "note": "x" * 8000}) + "\\n"
         for step in range(1, 3001)]
with open(os.environ["EBB_RUN_DIR"] + "/progress.jsonl", "a") as file:
    file.write("".join(lines))
"""
        outcome = self.track("--tensorboard", "tb", program=(sys.executable, "-c", flood))
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        (file,) = glob.glob(self.path("tb", "*", "events.out.tfevents.*"))
        scalars, _ = event_file_reader.read(file)
        self.assertEqual(scalars["train/loss"][-1][::2], (3000, 3000))

    def test_mlflow_files(self):
        outcome = self.track("--mlflow", "mlruns", "--mlflow-experiment", "trial")
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        (run,) = glob.glob(self.path("mlruns", "*", "*", "params"))
        run = os.path.dirname(run)
        self.assertIn("name: 'trial'", self.text(run, "..", "meta.yaml"))
        self.assertIn("status: 3\n", self.text(run, "meta.yaml"))
        lines = [line.split() for line in self.text(run, "metrics", "train", "loss").splitlines()]
        self.assertEqual([(float(value), int(step)) for _, value, step in lines], [(1 / s, s) for s in range(1, 6)])
        self.assertEqual(self.text(run, "params", "policy"), "now")

    def test_mlflow_server(self):
        server = Mlflow()
        outcome = self.track("--mlflow", server.url + "/")
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertEqual(list(server.experiments.values()), ["my run"])
        (run,) = server.runs.values()
        self.assertEqual(run["name"], "my run")
        self.assertEqual(run["status"], ["RUNNING", "FINISHED"])
        self.assertEqual(run["metrics"]["train/loss"], [(s, 1 / s) for s in range(1, 6)])
        kwh = run["metrics"]["summary/energy_kwh"][0][1]
        self.assertAlmostEqual(run["metrics"]["summary/emissions_g"][0][1], 200 * kwh)
        self.assertEqual(run["params"]["pue"], "1")

    def test_two_runs_that_begin_together_are_of_one_experiment(self):
        server = Mlflow()
        server.another_is_quicker = True
        outcome = self.track("--mlflow", server.url)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertEqual(list(server.experiments), ["7"])
        self.assertEqual([run["status"][-1] for run in server.runs.values()], ["FINISHED"])

    def test_a_failed_program_is_a_failed_run(self):
        server = Mlflow()
        outcome = self.track("--mlflow", server.url, program=("false",))
        self.assertEqual(outcome.returncode, 1)
        (run,) = server.runs.values()
        self.assertEqual(run["status"][-1], "FAILED")

    def test_a_server_that_comes_later_gets_everything(self):
        server = Mlflow(failures=1)
        outcome = self.track("--mlflow", server.url)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertEqual(outcome.stderr.count("does not take"), 1, outcome.stderr)
        (run,) = server.runs.values()
        self.assertEqual(run["metrics"]["train/loss"], [(s, 1 / s) for s in range(1, 6)])

    def test_access(self):
        basic = "Basic " + base64.b64encode(b"me:secret").decode()
        server = Mlflow(authorization=basic)
        environment = {"MLFLOW_TRACKING_USERNAME": "me", "MLFLOW_TRACKING_PASSWORD": "secret"}
        self.assertEqual(self.track("--mlflow", server.url, environment=environment).returncode, 0)
        self.assertEqual(len(server.runs), 1)
        refused = self.ebb("--mlflow", "http://mlflow.example.org", environment=environment)
        self.assertEqual(refused.returncode, 3, refused.stderr)
        self.assertIn("unencrypted", refused.stderr)
        self.assertNotIn("secret", refused.stderr)

    def test_a_resumed_run_goes_on_as_the_same_run(self):
        server = Mlflow()
        paused = "import sys, os; sys.exit(0 if os.environ['EBB_RESUME'] == '1' else 75)"
        first = self.track("--mlflow", server.url, "--tensorboard", "tb", program=(sys.executable, "-c", paused))
        self.assertEqual(first.returncode, 75, first.stderr)
        second = self.ebb("run", command="resume", program=())
        self.assertEqual(second.returncode, 0, second.stderr)
        (run,) = server.runs.values()
        self.assertEqual(run["status"], ["RUNNING", "SCHEDULED", "RUNNING", "FINISHED"])
        self.assertEqual(len(glob.glob(self.path("tb", "*"))), 1)
        self.assertEqual(len(glob.glob(self.path("tb", "*", "events*"))), 2)

    def test_trackers_that_fail_never_fail_the_run(self):
        silent = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(silent.close)
        open(self.path("file"), "w").close()
        hung = f"http://127.0.0.1:{silent.getsockname()[1]}"
        outcome = self.track("--mlflow", hung, "--tensorboard", "file", program=(sys.executable, "-c", TRAINING + "\nraise SystemExit(7)"))
        self.assertEqual(outcome.returncode, 7, outcome.stderr)
        self.assertEqual(outcome.stderr.count("TensorBoard"), 1, outcome.stderr)
        self.assertIn('"epochs"', self.text("run", "summary.json"))
        nobody = self.ebb("--constant", "200", "--mlflow", "http://127.0.0.1:1", "--run-dir", "two", program=("true",))
        self.assertEqual(nobody.returncode, 0, nobody.stderr)
        self.assertEqual(nobody.stderr.count("MLflow"), 1, nobody.stderr)

    def test_what_is_no_tracker(self):
        outcome = self.track("--mlflow", "ftp://x")
        self.assertEqual(outcome.returncode, 2)
        self.assertIn("--mlflow", outcome.stderr)


SWEEP = """
name: two
parameters: {grid: {code: [0, 3]}}
tiers: [{name: 1, threshold: 5000, max_delay: 1h, priority: 1}]
estimates: [{duration: 1m, power_w: 10}]
name_template: "two-{code}"
command: [python3, -c, "import sys, time; time.sleep(0.3); sys.exit({code})"]
"""
HALVED = """
name: halved
parameters: {grid: {loss: [0.1, 0.2, 0.9]}}
estimates: [{duration: 1m, power_w: 10}]
checkpointable: true
name_template: "h-{loss}"
command: [python3, train.py, "{loss}"]
successive_halving: {reduction: 3, minimum_epochs: 1, epochs: 9}
"""
PAUSABLE = """
import json, os, signal, sys, time
going = [True]
signal.signal(signal.SIGTERM, lambda *_: going.clear())
state = os.environ["EBB_CHECKPOINT_DIR"] + "/step"
os.makedirs(os.path.dirname(state), exist_ok=True)
step = int(open(state).read()) if os.path.exists(state) else 0
file = open(os.environ["EBB_RUN_DIR"] + "/progress.jsonl", "a")
while going and not os.path.exists("finish"):
    step += 1
    time.sleep(0.05)
    print(json.dumps(dict(event="step", epoch=1, step=step, total_steps=9, loss=1 / step, time_ms=int(time.time() * 1000))), file=file, flush=True)
open(state, "w").write(str(step))
sys.exit(0 if going else 75)
"""


class Sweeps(InADirectory):
    def sweep(self, *words):
        with open(self.path("sweep.yaml"), "w") as file:
            file.write(SWEEP)
        return subprocess.run(
            [EBB, "sweep", "run", "sweep.yaml", "--constant", "200", "--slots", "2", "--policy", "run-now", "--interval", "100ms",
             "--cpu-tdp", "50", *words], cwd=self.directory, capture_output=True, text=True, timeout=90)

    def test_each_experiment_is_a_run(self):
        server = Mlflow()
        outcome = self.sweep("--mlflow", server.url, "--tensorboard", "tb")
        self.assertEqual(outcome.returncode, 1, outcome.stderr)
        self.assertEqual(list(server.experiments.values()), ["two"])
        ends = {run["name"]: run["status"][-1] for run in server.runs.values()}
        self.assertEqual(ends, {"two-0": "FINISHED", "two-3": "FAILED"})
        for run in server.runs.values():
            self.assertGreater(run["metrics"]["summary/energy_kwh"][0][1], 0)
        self.assertEqual(len(glob.glob(self.path("tb", "*", "events.*"))), 2)

    def test_what_successive_halving_stops_is_killed(self):
        program = r'''
import json, os, signal, sys, time
loss = float(sys.argv[1])
signal.signal(signal.SIGTERM, lambda *_: sys.exit(75))
file = open(os.environ["EBB_RUN_DIR"] + "/progress.jsonl", "a")
for epoch in range(1, 5):
    time.sleep(0.2)
    event = dict(event="epoch_end", epoch=epoch, train_loss=loss, test_loss=loss, time_ms=int(time.time() * 1000))
    print(json.dumps(event), file=file, flush=True)
while loss > 0.5:
    time.sleep(0.05)
'''
        with open(self.path("train.py"), "w") as file:
            file.write(program)
        with open(self.path("sweep.yaml"), "w") as file:
            file.write(HALVED)
        server = Mlflow()
        outcome = subprocess.run(
            [EBB, "sweep", "run", "sweep.yaml", "--constant", "200", "--slots", "1", "--policy", "run-now", "--interval", "100ms",
             "--cpu-tdp", "50", "--mlflow", server.url], cwd=self.directory, capture_output=True, text=True, timeout=90)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        ends = {run["name"]: run["status"] for run in server.runs.values()}
        self.assertEqual(ends["h-0.1"], ["RUNNING", "FINISHED"])
        self.assertEqual(ends["h-0.2"], ["RUNNING", "FINISHED"])
        self.assertEqual(ends["h-0.9"], ["RUNNING", "KILLED"])

    def test_a_server_that_is_not_there_costs_it_nothing(self):
        outcome = self.sweep("--mlflow", "http://127.0.0.1:1")
        self.assertEqual(outcome.returncode, 1, outcome.stderr)
        self.assertEqual(outcome.stderr.count("does not take"), 2, outcome.stderr)


class Jobs(InADirectory):
    """Jobs of the queue service: each one tracked run over all its attempts, told while no service runs, too."""

    SECRET = "s3cret-t0ken"

    def setUp(self):
        super().setUp()
        self.service = None
        self.serve_flags = []
        self.addCleanup(self.stop)

    def start(self):
        self.service = subprocess.Popen(
            [EBB, "serve", "--store", "ebb.db", "--constant", "200", "--slots", "1", "--policy", "run-now", "--port", "0",
             "--interval", "100ms", "--cpu-tdp", "50", *self.serve_flags],
            cwd=self.directory, stderr=subprocess.PIPE, text=True)
        line = self.service.stderr.readline()
        self.assertIn("http://", line)

    def stop(self):
        if self.service:
            self.service.kill()
            self.service.wait()
            self.service.stderr.close()
            self.service = None

    def ask(self, *words):
        outcome = subprocess.run([EBB, *words, "--store", "ebb.db"], cwd=self.directory, capture_output=True, text=True, timeout=60)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        return outcome.stdout

    def wait_for(self, holds, what):
        for _ in range(600):
            if holds():
                return
            time.sleep(0.05)
        self.fail(f"{what} did not come about")

    def stage(self, job=1):
        return json.loads(self.ask("show", str(job), "--format", "json"))["stage"]

    def end_of(self, attempt):
        return lambda: os.path.exists(self.path("jobs", "1", f"attempt-{attempt}.end"))

    def submit(self, *flags):
        outcome = subprocess.run(
            [EBB, "submit", "--store", "ebb.db", "--name", "nap", "--checkpointable", *flags, "--", sys.executable, "-c", PAUSABLE],
            cwd=self.directory, capture_output=True, text=True, timeout=60)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)

    def losses(self, server):
        return [run["metrics"].get("train/loss", []) for run in server.runs.values()]

    def test_one_run_over_a_pause_and_the_death_of_the_service(self):
        server = Mlflow(authorization=f"Bearer {self.SECRET}")
        with open(self.path("token"), "w") as file:
            file.write(self.SECRET + "\n")
        self.start()
        self.submit("--mlflow", server.url, "--mlflow-token-file", "token", "--tensorboard", "tb")
        self.wait_for(lambda: any(self.losses(server)), "a loss while it runs")
        commands = subprocess.run(["ps", "axww"], capture_output=True, text=True, timeout=60).stdout
        self.ask("pause", "1")
        self.wait_for(lambda: self.stage() == "paused", "the pause")
        self.ask("resume", "1")
        self.wait_for(lambda: self.stage() == "running", "the second attempt")
        self.stop()
        before = len(self.losses(server)[0])
        self.wait_for(lambda: len(self.losses(server)[0]) > before + 20, "a loss while no service runs")
        open(self.path("finish"), "w").close()
        self.wait_for(self.end_of(2), "the end")
        self.wait_for(lambda: next(iter(server.runs.values()))["status"][-1] == "FINISHED", "the outcome")
        (run,) = server.runs.values()
        self.assertEqual(run["status"], ["RUNNING", "SCHEDULED", "RUNNING", "FINISHED"])
        steps = [step for step, _ in run["metrics"]["train/loss"]]
        self.assertEqual(steps, list(range(1, len(steps) + 1)), "each once, in order")
        kwh = run["metrics"]["summary/energy_kwh"][0][1]
        self.assertEqual(len(run["metrics"]["summary/energy_kwh"]), 2, "of each attempt's end")
        self.assertLess(kwh, run["metrics"]["summary/energy_kwh"][1][1])
        self.assertEqual(run["params"]["policy"], "run-now")
        self.assertEqual(list(server.experiments.values()), ["nap"])
        files = glob.glob(self.path("tb", "*", "events.*"))
        self.assertEqual(len(files), 2)
        self.assertEqual(len({os.path.dirname(file) for file in files}), 1)
        self.start()
        self.wait_for(lambda: self.stage() == "succeeded", "the next service to see it")
        measured = json.loads(self.ask("show", "1", "--format", "json"))["energy_kwh"]
        self.assertAlmostEqual(run["metrics"]["summary/energy_kwh"][1][1], measured, delta=measured * 1e-6)
        self.stop()
        self.assertIn("supervise", commands)
        self.assertNotIn(self.SECRET, commands)
        for file in glob.glob(self.path("**"), recursive=True):
            if os.path.isfile(file) and os.path.basename(file) != "token":
                with open(file, "rb") as content:
                    self.assertNotIn(self.SECRET.encode(), content.read(), file)

    def test_the_services_trackers_are_every_jobs(self):
        self.serve_flags = ["--mlflow", "mlruns"]
        self.start()
        self.submit("--mlflow-experiment", "mine")
        self.wait_for(lambda: glob.glob(self.path("mlruns", "*", "*", "metrics", "train", "loss")), "a loss")
        self.ask("cancel", "1")
        self.wait_for(lambda: self.stage() == "cancelled", "the end")
        (run,) = glob.glob(self.path("mlruns", "*", "*", "params"))
        self.assertIn("name: 'mine'", self.text(run, "..", "..", "meta.yaml"))
        self.assertIn("status: 5\n", self.text(run, "..", "meta.yaml"))
        (line,) = self.text(run, "..", "metrics", "summary", "waited_s").splitlines()
        self.assertTrue(0 <= float(line.split()[1]) < 60, line)
        self.assertTrue(os.path.exists(os.path.join(run, "..", "metrics", "summary", "saved_g")))

    def status(self, server):
        return [run["status"] for run in server.runs.values()]

    def begin_and_pause(self, server, *flags):
        self.start()
        self.submit("--mlflow", server.url, *flags)
        self.wait_for(lambda: any(self.losses(server)), "a loss while it runs")
        self.ask("pause", "1")
        self.wait_for(lambda: self.stage() == "paused", "the pause")

    def test_cancelled_while_paused_is_killed(self):
        server = Mlflow()
        self.begin_and_pause(server)
        self.assertEqual(self.status(server), [["RUNNING", "SCHEDULED"]])
        self.ask("cancel", "1")
        self.wait_for(lambda: self.status(server) == [["RUNNING", "SCHEDULED", "KILLED"]], "its end")
        self.wait_for(lambda: not os.listdir(self.path("jobs", "open-runs")), "nothing left to tell")

    def test_cancelled_while_paused_is_killed_in_files(self):
        self.serve_flags = ["--mlflow", "mlruns"]
        self.start()
        self.submit()
        self.wait_for(lambda: glob.glob(self.path("mlruns", "*", "*", "metrics", "train", "loss")), "a loss")
        self.ask("pause", "1")
        self.wait_for(lambda: self.stage() == "paused", "the pause")
        (meta,) = glob.glob(self.path("mlruns", "*", "*", "meta.yaml"))
        before = self.text(meta).splitlines()
        self.assertIn("status: 2", before)
        self.ask("cancel", "1")
        self.wait_for(lambda: "status: 5\n" in self.text(meta), "its end")
        changed = [line.split(":")[0] for line, was in zip(self.text(meta).splitlines(), before, strict=True) if line != was]
        self.assertEqual(sorted(changed), ["end_time", "status"])

    def test_a_server_that_hangs_holds_nothing_up_and_hears_it_later(self):
        server = Mlflow()
        self.begin_and_pause(server)
        server.answers.clear()
        self.ask("cancel", "1")
        self.wait_for(lambda: self.stage() == "cancelled", "the cancellation")
        began = time.monotonic()
        subprocess.run([EBB, "submit", "--store", "ebb.db", "--", "true"], cwd=self.directory, check=True, capture_output=True, timeout=60)
        self.wait_for(lambda: self.stage(2) == "succeeded", "another job meanwhile")
        self.assertEqual(self.status(server), [["RUNNING", "SCHEDULED"]])
        self.stop()  # killed with the outcome still to be told
        self.assertEqual(os.listdir(self.path("jobs", "open-runs")), ["1"])
        server.answers.set()
        self.start()
        self.wait_for(lambda: self.status(server) == [["RUNNING", "SCHEDULED", "KILLED"]], "its end")

    def test_cancelled_after_its_supervisor_was_killed(self):
        server = Mlflow()
        self.start()
        self.submit("--mlflow", server.url)
        self.wait_for(lambda: any(self.losses(server)), "a loss while it runs")
        with open(self.path("jobs", "1", "attempt-1.lock")) as file:
            supervisor = int(file.read().split()[1])
        self.ask("pause", "1")
        os.kill(supervisor, signal.SIGKILL)
        self.wait_for(lambda: self.stage() == "paused", "the pause")
        last = self.status(server)[0][-1]
        self.ask("cancel", "1")
        self.wait_for(lambda: self.status(server)[0][-1] == "KILLED", f"its end after {last}")

    def test_a_job_that_keeps_pausing_has_failed(self):
        server = Mlflow()
        self.start()
        subprocess.run(
            [EBB, "submit", "--store", "ebb.db", "--checkpointable", "--mlflow", server.url, "--", "sh", "-c", "exit 75"],
            cwd=self.directory, check=True, capture_output=True, timeout=60)
        self.wait_for(lambda: self.stage() == "failed", "the failure")
        self.wait_for(lambda: self.status(server)[0][-1] == "FAILED", "its end")
        self.assertEqual(self.status(server)[0][-2], "SCHEDULED")

    def test_given_up_after_its_supervisor_was_killed_again_and_again(self):
        server = Mlflow()
        self.serve_flags = ["--grid-start", "2026-01-01T00:00Z", "--grid-speed", "600"]  # retries after minutes
        self.start()
        subprocess.run(
            [EBB, "submit", "--store", "ebb.db", "--mlflow", server.url, "--", "sleep", "60"],
            cwd=self.directory, check=True, capture_output=True, timeout=60)
        # After four kills in a row within a minute of this clock, or ten of attempts that ran longer.
        for attempt in range(1, 45):
            lock = self.path("jobs", "1", f"attempt-{attempt}.lock")
            energy = self.path("jobs", "1", f"attempt-{attempt}.energy")
            self.wait_for(lambda: os.path.exists(energy) or self.stage() == "failed", "an attempt")
            if self.stage() == "failed":
                break
            self.wait_for(lambda: self.text(lock).startswith("supervisor"), "its supervisor")
            self.wait_for(lambda: self.status(server), "the run")
            os.kill(int(self.text(lock).split()[1]), signal.SIGKILL)
        self.wait_for(lambda: self.stage() == "failed", "the failure")
        # Requests that the killed supervisor had sent may arrive later.
        self.wait_for(lambda: "FAILED" in self.status(server)[0], "its end")
        self.assertEqual(len(server.runs), 1)

    def test_a_server_that_is_not_there_costs_the_job_nothing(self):
        self.start()
        open(self.path("finish"), "w").close()
        self.submit("--mlflow", "http://127.0.0.1:1")
        self.wait_for(lambda: self.stage() == "succeeded", "the end")
        said = self.ask("explain", "1")
        self.assertTrue(said)
        with open(self.path("jobs", "1", "attempt-1.end")) as file:
            self.assertIn("does not take", " ".join(json.load(file)["warnings"]))


if __name__ == "__main__":
    unittest.main(verbosity=2)
