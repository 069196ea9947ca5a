"""Trials of the real Ray Tune: their grams, and an experiment that Ebb pauses; and Ray jobs that Ebb starts and stops.

Run by ./dev peers ray, which makes the environment (ray.txt) and sets EBB_LIBRARY, EBB_BUILD and PYTHONPATH.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from pathlib import Path

os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0", EBB_CONFIG="none")
os.environ.setdefault("EBB_PROGRAM", os.path.join(os.environ["EBB_BUILD"], "bin", "ebb"))

import ray
from ray import tune
from ray.job_submission import JobStatus, JobSubmissionClient

import ebb
from document import example, examples
from ebb import ray_jobs
from ebb.ray import EbbCallback, fit, measured
from ebb.ray_jobs import run_job
from ran import FLAGS, InScratch

EBB = os.environ["EBB_PROGRAM"]
DASHBOARD = 8265


def quiet(**arguments):
    return tune.RunConfig(storage_path=os.path.abspath("results"), verbose=0, **arguments)


def work(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def train(config):
    for step in range(3):
        work(config["seconds"])
        tune.report({"loss": config["seconds"], "step": step})


class Stepping(tune.Trainable):
    def setup(self, config):
        self.done_steps = 0

    def step(self):
        work(0.05)
        self.done_steps += 1
        failed = self.config.get("fails_once")
        if failed and self.done_steps == 3 and not os.path.exists(failed):
            Path(failed).touch()
            raise ValueError("as asked")
        return {"loss": 1 / self.done_steps}

    def save_checkpoint(self, folder):
        Path(folder, "steps").write_text(str(self.done_steps))

    def load_checkpoint(self, folder):
        self.done_steps = int(Path(folder, "steps").read_text())


class OneCluster(InScratch):
    @classmethod
    def setUpClass(cls):
        #: Trials have the environment that Ray was started with: a zone's intensity is that of its typical days.
        settings = tempfile.NamedTemporaryFile("w", suffix=".yaml")
        settings.write("signal: profile\n")
        settings.flush()
        cls.addClassCleanup(settings.close)
        cls.addClassCleanup(os.environ.__setitem__, "EBB_CONFIG", os.environ["EBB_CONFIG"])
        os.environ["EBB_CONFIG"] = settings.name
        #: With the server of jobs, which is in the dashboard.
        ray.init(num_cpus=2, include_dashboard=True, dashboard_port=DASHBOARD, logging_level="error", log_to_driver=False)
        cls.addClassCleanup(ray.shutdown)


class TuneTest(OneCluster):
    def lines(self, result):
        return [json.loads(line) for line in Path(result.path, "result.json").read_text().splitlines()]

    def test_each_result_of_a_trial_has_its_energy_and_grams(self):
        space = {"seconds": tune.grid_search([0.05, 0.3])}
        results = fit(measured(train, **FLAGS), param_space=space, run_config=quiet(name="figures"))
        self.assertEqual(len(results), 2)
        for result in results:
            energies = [line["energy_kwh"] for line in self.lines(result)]
            self.assertEqual(len(energies), 3)
            self.assertEqual(energies, sorted(energies))
            grams = 360 * energies[-1]
            self.assertAlmostEqual(result.metrics["emissions_g"], grams, delta=grams * 1e-6)
            _, _, run = result.metrics["ebb_run"].partition(":")
            summary = json.loads(Path(run, "summary.json").read_text())
            self.assertEqual(summary["outcome"], "done")
            self.assertGreaterEqual(summary["energy"]["facility_j"] / 3.6e6, energies[-1])
        small, large = sorted(results, key=lambda result: result.config["seconds"])
        self.assertGreater(large.metrics["energy_kwh"], small.metrics["energy_kwh"])

    def test_grams_are_an_objective(self):
        settings = tune.TuneConfig(metric="emissions_g", mode="min")
        space = {"seconds": tune.grid_search([0.02, 0.5])}
        results = fit(measured(train, **FLAGS), param_space=space, tune_config=settings, run_config=quiet(name="objective"))
        self.assertEqual(results.get_best_result().config["seconds"], 0.02)

    def test_a_class_whose_process_goes_on_with_the_next_trial(self):
        class Reused(Stepping):
            def reset_config(self, new_config):
                self.done_steps = 0
                return True

        settings = tune.TuneConfig(max_concurrent_trials=1, reuse_actors=True)
        results = fit(
            measured(Reused, **FLAGS), param_space={"x": tune.grid_search([1, 2, 3])}, tune_config=settings,
            run_config=quiet(name="class", stop={"training_iteration": 3}),
        )  # fmt: skip
        runs = {result.metrics["ebb_run"] for result in results}
        self.assertEqual(len(runs), 3, "a run for each trial")
        self.assertEqual(len({result.metrics["pid"] for result in results}), 1, "in one process")
        self.assertTrue(all(result.metrics["energy_kwh"] > 0 for result in results))

    def test_a_trial_that_is_tried_again_has_the_energy_of_both_attempts(self):
        results = fit(
            measured(Stepping, **FLAGS), param_space={"fails_once": os.path.abspath("failed")},
            run_config=quiet(
                name="again", stop={"training_iteration": 4}, failure_config=tune.FailureConfig(max_failures=1),
                checkpoint_config=tune.CheckpointConfig(checkpoint_frequency=1),
            ),
        )  # fmt: skip
        (result,) = results
        lines = self.lines(result)
        self.assertEqual([line["loss"] for line in lines], [1, 1 / 2, 1 / 3, 1 / 4])
        energies = [line["energy_kwh"] for line in lines]
        self.assertEqual(energies, sorted(energies), "the second attempt goes on counting")
        runs = list(dict.fromkeys(line["ebb_run"].partition(":")[2] for line in lines))
        self.assertEqual(len(runs), 2)
        first, second = (json.loads(Path(run, "summary.json").read_text()) for run in runs)
        self.assertEqual((first["outcome"], second["outcome"]), ("failed", "done"))
        both = (first["energy"]["facility_j"] + second["energy"]["facility_j"]) / 3.6e6
        self.assertGreater(energies[-1], second["energy"]["facility_j"] / 3.6e6)
        self.assertLessEqual(energies[-1], both * 1.001)

    def test_sums_of_attempts_survive_a_pause_and_are_unknown_if_a_part_is(self):
        trial = type("Trial", (), {"trial_id": "t"})()
        callback = EbbCallback()
        callback.on_trial_result(1, [], trial, {"ebb_run": "a:1", "energy_kwh": 1.0, "emissions_g": 10.0})
        restored = EbbCallback()
        restored.set_state(callback.get_state())
        result = {"ebb_run": "b:2", "energy_kwh": 2.0, "emissions_g": 30.0}
        restored.on_trial_result(2, [], trial, result)
        self.assertEqual((result["energy_kwh"], result["emissions_g"]), (3.0, 40.0))
        unknown = {"ebb_run": "c:3", "energy_kwh": 2.0}
        restored.on_trial_result(3, [], trial, unknown)
        self.assertEqual(unknown, {"ebb_run": "c:3", "energy_kwh": 5.0})

    def test_the_example_of_the_document(self):
        names = {}
        exec(example("ray"), names)
        self.assertEqual(len(names["results"]), 2)
        self.assertTrue(all(result.metrics["emissions_g"] > 0 for result in names["results"]))

    def test_a_trial_can_wait_for_clean_power(self):
        names = {}
        exec(example("ray-wait").replace('start_by="8h"', 'start_by="1s"'), names)
        self.assertEqual(sorted(result.metrics["loss"] for result in names["results"]), [0.1, 0.2])


class JobsTest(OneCluster):
    ADDRESS = f"http://127.0.0.1:{DASHBOARD}"

    def setUp(self):
        super().setUp()
        Path("train.py").write_text("import time\nprint('trained', flush=True)\ntime.sleep(float(open('s').read()))\n")
        Path("s").write_text("0")

    def jobs(self):
        return JobSubmissionClient(self.ADDRESS).list_jobs()

    def start(self, *words):
        command = [sys.executable, "-m", "ebb.ray_jobs", "--address", self.ADDRESS, *words]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def test_the_example_of_the_document(self):
        before = {job.submission_id for job in self.jobs()}
        exec(example("ray-job").replace('start_by="12h"', 'start_by="1s"'), {})
        (job,) = [job for job in self.jobs() if job.submission_id not in before]
        self.assertEqual(job.status, "SUCCEEDED")

    def test_a_job_that_fails_is_an_error(self):
        with self.assertRaisesRegex(ebb.Error, "FAILED"):
            run_job(["python", "-c", "raise SystemExit('as asked')"], address=self.ADDRESS, constant=10)

    def test_the_service_runs_it_and_cancelling_stops_it(self):
        environment = {**os.environ, "EBB_STORE": os.path.abspath("ebb.db"), "PATH": f"{Path(EBB).parent}:{os.environ['PATH']}"}
        words = ["serve", "--constant", "200", "--slots", "1", "--port", "0"]
        service = subprocess.Popen([EBB, *words], env=environment, stderr=subprocess.PIPE, text=True)
        self.addCleanup(service.stderr.close)
        self.addCleanup(service.wait)
        self.addCleanup(service.terminate)
        re.search(r"http://[\d.:]+", service.stderr.readline())[0]
        (line,) = examples("sh", "ray-job")
        line = line.replace("python3 -m", shlex.quote(sys.executable) + " -m")
        subprocess.run(line, shell=True, env=environment, check=True, stdout=subprocess.DEVNULL)
        ended = subprocess.run([EBB, "wait", "1"], env=environment, capture_output=True, text=True, timeout=120)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        logs = subprocess.run([EBB, "logs", "1"], env=environment, capture_output=True, text=True)
        self.assertIn("trained", logs.stdout)
        Path("s").write_text("600")
        before = {job.submission_id for job in self.jobs()}
        subprocess.run(line, shell=True, env=environment, check=True, stdout=subprocess.DEVNULL)
        for _ in range(600):
            started = [job for job in self.jobs() if job.submission_id not in before and job.status == "RUNNING"]
            if started:
                break
            time.sleep(0.1)
        subprocess.run([EBB, "cancel", "2"], env=environment, check=True, stdout=subprocess.DEVNULL)
        (job,) = started
        for _ in range(600):
            status = JobSubmissionClient(self.ADDRESS).get_job_status(job.submission_id)
            if status.is_terminal():
                break
            time.sleep(0.1)
        self.assertEqual(status, "STOPPED")


class FollowTest(unittest.TestCase):
    """A client that loses its connection, as one does when the head of the cluster restarts."""

    class Client:
        def __init__(self, *answers):
            self.answers, self.stopped = list(answers), []

        async def tail_job_logs(self, job):
            yield "one line\n"
            raise RuntimeError("the connection is closed")

        def get_job_status(self, job):
            answer = self.answers.pop(0)
            if isinstance(answer, BaseException):
                raise answer
            return answer

        def stop_job(self, job):
            self.stopped.append(job)

    def setUp(self):
        self.addCleanup(setattr, ray_jobs, "_LOOK_S", ray_jobs._LOOK_S)
        self.addCleanup(setattr, ray_jobs, "_PATIENCE_S", ray_jobs._PATIENCE_S)
        ray_jobs._LOOK_S = 0.01

    def test_a_job_goes_on_while_its_server_is_away(self):
        client = self.Client(ConnectionError("away"), JobStatus.RUNNING, RuntimeError("away"), JobStatus.SUCCEEDED)
        self.assertEqual(ray_jobs._follow(client, "job"), JobStatus.SUCCEEDED)
        self.assertEqual(client.stopped, [])

    def test_a_server_that_stays_away_is_an_error(self):
        ray_jobs._PATIENCE_S = 0.05
        with self.assertRaisesRegex(ebb.Error, "does not say how the job job is: away"):
            ray_jobs._follow(self.Client(*[ConnectionError("away")] * 100), "job")

    def test_a_signal_stops_the_job(self):
        client = self.Client(JobStatus.RUNNING, SystemExit(143))
        with self.assertRaises(SystemExit):
            ray_jobs._follow(client, "job")
        self.assertEqual(client.stopped, ["job"])


class PausedTest(InScratch):
    """An experiment under `ebb run` that is paused, as a user's Ctrl-C does, once a trial has reported its third step."""

    STEPS = 6
    PROGRAM = """
        import json, os, pathlib, signal, sys, tempfile, time
        from ray import tune
        from ebb.ray import fit, init, measured

        HERE = os.getcwd()
        EBB = os.getppid()

        def train(config):
            step, kept = 0, tune.get_checkpoint()
            if kept:
                with kept.as_directory() as folder:
                    step = int(pathlib.Path(folder, "step").read_text())
            while step < STEPS:
                step += 1
                end = time.process_time() + 0.05
                while time.process_time() < end:
                    pass
                time.sleep(0.2)
                with open(HERE + "/steps", "a") as file:
                    file.write(json.dumps([config["x"], step]) + "\\n")
                asked = pathlib.Path(HERE, "asked")
                if step == 3 and not asked.exists():
                    asked.touch()
                    os.kill(config["ebb"], signal.SIGTERM)
                with tempfile.TemporaryDirectory() as folder:
                    pathlib.Path(folder, "step").write_text(str(step))
                    tune.report({"value": config["x"] * step}, checkpoint=tune.Checkpoint.from_directory(folder))

        init(num_cpus=2, include_dashboard=False, logging_level="error", log_to_driver=False)
        space = {"x": tune.grid_search([1, 2, 3]), "ebb": EBB}
        figures = dict(constant=100, read_codecarbon_settings=False, output_dir=HERE + "/trials")
        results = fit(measured(train, **figures), param_space=space, run_config=tune.RunConfig(name="e", verbose=0))
        found = [[r.metrics["value"], r.metrics["energy_kwh"]] for r in results]
        pathlib.Path("result").write_text(json.dumps(sorted(found)))
    """

    def start(self, *words):
        environment = dict(os.environ)
        for name in ("EBB_RUN_DIR", "EBB_CHECKPOINT_DIR", "EBB_RESUME", "RAY_ADDRESS"):
            environment.pop(name, None)
        return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=300)

    def test_paused_and_resumed_by_the_checkpoints_of_tune(self):
        Path("program.py").write_text(textwrap.dedent(self.PROGRAM).replace("STEPS", str(self.STEPS)))
        done = self.start(EBB, "run", "--constant", "100", "--", sys.executable, "program.py")
        self.assertEqual(done.returncode, 75, done.stdout + done.stderr)
        (run,) = Path("runs").iterdir()
        self.assertTrue((run / "checkpoints/e").is_dir())
        before = [json.loads(line) for line in Path("steps").read_text().splitlines()]
        self.assertLess(max(x for x, _ in before), 3, "the third trial had not begun")
        done = self.start(EBB, "resume", str(run))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        steps = [tuple(json.loads(line)) for line in Path("steps").read_text().splitlines()]
        every = {(x, step) for x in (1, 2, 3) for step in range(1, self.STEPS + 1)}
        self.assertEqual(set(steps), every)
        self.assertLessEqual(len(steps), len(every) + 2, "at most the step of each running trial twice")
        found = json.loads(Path("result").read_text())
        self.assertEqual([value for value, _ in found], [self.STEPS * x for x in (1, 2, 3)])
        self.assert_counts_all_attempts(found)

    def assert_counts_all_attempts(self, found):
        summaries = Path("trials").glob("*/summary.json")
        runs = [json.loads(summary.read_text()) for summary in summaries]
        self.assertGreaterEqual(len(runs), 4, "two attempts of a trial")
        energy = sum(summary["energy"]["facility_j"] for summary in runs) / 3.6e6
        self.assertLessEqual(sum(kwh for _, kwh in found), 1.001 * energy)
        self.assertGreater(sum(kwh for _, kwh in found), 0.5 * energy)

    def test_servers_of_ray_that_a_pause_would_end_are_a_mistake(self):
        Path("program.py").write_text(
            "import ray\nfrom ebb.ray import fit\n"
            "ray.init(num_cpus=1, include_dashboard=False, logging_level='error')\nfit(lambda config: None)\n"
        )
        done = self.start(EBB, "run", "--constant", "100", "--", sys.executable, "program.py")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("call ebb.ray.init()", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
