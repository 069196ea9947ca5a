"""ebb slurm submit and ebb slurm tick on a real Slurm: sbatch's own options and scripts stay as they are, the job gets the
start that the forecast favours, and a tick moves waiting jobs and nothing else."""

import datetime
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

from cluster import Cluster, missing_programs

BUILD = Path(os.environ.get("EBB_BUILD", Path(__file__).resolve().parents[3] / "build/release"))
EBB = Path(os.environ.get("EBB", BUILD / "bin/ebb"))
HOUR = datetime.timedelta(hours=1)
CLEAN_IN_HOURS = 8
CLEAN_HOURS = 3
# A tick does not part jobs that overlap by less.
OVERLAP = datetime.timedelta(minutes=5)
# Prints two days of 400 g/kWh, and two days ahead that have one clean stretch of three hours.
SIGNAL = """
import datetime, sys
now = datetime.datetime.now(datetime.timezone.utc).replace(minute=0, second=0, microsecond=0)
clean = int(open(sys.argv[1]).read())
print("time,g_per_kwh,status")
for hour in range(-48, 48):
    at = now + datetime.timedelta(hours=hour)
    value = 100 if clean <= hour < clean + 3 else 400
    print(f"{at:%Y-%m-%dT%H:%M:%SZ},{value},{'forecast' if hour > 0 else 'measured'}")
"""

TRAINER = """
timeout 2 sh -c 'while :; do :; done'
echo "{\\"time_ms\\":$(date +%s%3N),\\"event\\":\\"epoch_end\\",\\"epoch\\":1,\\"train_loss\\":$1,\\"test_loss\\":$1}" \\
    >> "$EBB_RUN_DIR/progress.jsonl"
"""
SWEEP = """
name: s
parameters:
  grid: {{loss: [0.3, 0.1]}}
estimates:
  - {{duration: 1m, power_w: 10}}
name_template: "l{{loss}}"
command: [bash, {folder}/train.sh, "{{loss}}"]
slurm: {{gres: "", cpus_per_task: 1}}
"""


def this_hour():
    return datetime.datetime.now(datetime.timezone.utc).replace(minute=0, second=0, microsecond=0)


class Submit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if missing := missing_programs():
            raise unittest.SkipTest(f"this machine has no {', '.join(missing)}")
        if not EBB.exists():
            raise unittest.SkipTest(f"{EBB} is not built")
        cls.cluster = cls.enterClassContext(Cluster(nodes=2, gpus=2))
        folder = cls.folder = Path(cls.cluster.directory)
        (folder / "signal.py").write_text(SIGNAL)
        (folder / "settings.yaml").write_text(
            f"zone: XX\ntime_zone: UTC\nsignal_command: {sys.executable} {folder}/signal.py {folder}/clean\n"
            "signal_cache: none\n")

    def setUp(self):
        self.set_clean(CLEAN_IN_HOURS)
        self.addCleanup(self.cluster.run, "scancel", "--me")

    def set_clean(self, hours):
        (self.folder / "clean").write_text(str(hours))

    def ebb(self, *words, code=0, text=None):
        ended = subprocess.run([EBB, "slurm", *map(str, words)], capture_output=True, text=True, input=text, cwd=self.folder,
                               env={**self.cluster.environment, "EBB_CONFIG": str(self.folder / "settings.yaml"),
                                    "TZ": "UTC"})
        self.assertEqual(ended.returncode, code, f"{words}: {ended.stdout}{ended.stderr}")
        return ended

    def submit(self, *words, text=None):
        return json.loads(self.ebb("submit", "--format", "json", *words, text=text).stdout)

    def script(self, *lines):
        path = self.folder / "train.sbatch"
        path.write_text("\n".join(("#!/bin/bash", *lines)) + "\n")
        return path

    def begin_of(self, job):
        return datetime.datetime.fromisoformat(self.cluster.job(job)["StartTime"]).astimezone(datetime.timezone.utc)

    def assert_is_clean(self, job, clean_in_hours, hours):
        """The job runs in the clean stretch as a whole."""
        begin, clean = self.begin_of(job), this_hour() + clean_in_hours * HOUR
        self.assertLessEqual(clean, begin)
        self.assertLessEqual(begin + hours * HOUR, clean + CLEAN_HOURS * HOUR)

    def test_a_job_gets_the_cleanest_start(self):
        script = self.script("#SBATCH -t 2:00:00 --gres=gpu:1", "#EBB --start-by 20h --power 250", "hostname")
        answer = self.submit("-n", "2", "-J", "clean one", script, "--epochs", "3")
        job = self.cluster.job(answer["job"])
        self.assert_is_clean(answer["job"], CLEAN_IN_HOURS, 2)
        self.assertEqual(answer["expected_g_per_kwh"], 100)
        self.assertAlmostEqual(answer["saving_percent"], 75)
        self.assertEqual((job["JobState"], job["NumTasks"], job["TimeLimit"]), ("PENDING", "2", "02:00:00"))
        self.assertIn("ebb:start-by=", job["Comment"])
        self.assertIn("power=250", job["Comment"])

    def test_arguments_and_environment_reach_the_script(self):
        script = self.script('printf "%s|" "$TZ" "$SLURM_TIME_FORMAT" "$@"')
        answer = self.submit("--start-by", "1s", "-t", "1", f"--output={self.folder}/log/job-%j.out", script, "--tier", "a b")
        self.cluster.wait_for_state(answer["job"], "COMPLETED")
        self.assertEqual(self.cluster.output_of(answer["job"]), "UTC||--tier|a b|")

    def test_a_script_on_standard_input_and_wrap(self):
        read = self.submit("-t", "10", text="#!/bin/sh\n#SBATCH --job-name=read\nhostname\n")
        self.assertEqual(self.cluster.job(read["job"])["JobName"], "read")
        wrapped = self.submit("-t", "10", "--wrap", "hostname | cat")
        self.assertEqual(self.cluster.job(wrapped["job"])["JobName"], "wrap")

    def test_only_the_id_with_parsable(self):
        ended = self.ebb("submit", "--parsable", "-t", "10", "--wrap", "hostname")
        self.assertRegex(ended.stdout, r"^\d+\n$")
        self.assertIn("instead of 400, saves 75 %", ended.stderr)

    def test_nothing_is_submitted_by_a_dry_run_or_a_mistake(self):
        before = self.cluster.run("squeue", "-h")
        self.assertIn("--begin=uts", self.ebb("submit", "--dry-run", "-t", "10", "--wrap", "hostname").stdout)
        script = self.script("#EBB --start-bye 2h", "hostname")
        self.assertIn("train.sbatch line 2", self.ebb("submit", script, code=2).stderr)
        self.assertIn("nosuch", self.ebb("submit", "--partition=nosuch", "--wrap", "hostname", code=2).stderr)
        self.assertEqual(self.cluster.run("squeue", "-h"), before)

    def test_wait_returns_the_exit_code_of_the_job(self):
        self.ebb("submit", "--wait", "--start-by", "1s", "-t", "1", "--wrap", "exit 7", code=7)

    def test_a_managed_job_waits_with_its_latest_start(self):
        answer = self.submit("--managed", "--start-by", "12h", "-t", "10", "--wrap", "hostname")
        self.assertAlmostEqual((self.begin_of(answer["job"]) - this_hour()) / HOUR, 12, delta=1.1)

    def wait_until_planned(self, *jobs):
        for job in jobs:
            self.cluster.wait(lambda: self.cluster.job(job)["Reason"] == "BeginTime", f"job {job} to wait for its begin")

    def test_a_tick_follows_the_forecast_and_is_quiet_otherwise(self):
        job = self.submit("--start-by", "30h", "-t", "60", "--wrap", "hostname")["job"]
        held = self.submit("--hold", "--start-by", "30h", "-t", "60", "--wrap", "hostname")["job"]
        other = self.cluster.submit("--begin=now+5hours", "--wrap=hostname")
        self.wait_until_planned(job, other)
        first = self.ebb("tick")
        self.assertEqual((first.stdout, first.stderr), ("", ""))
        before = {each: self.begin_of(each) for each in (held, other)}
        self.set_clean(CLEAN_IN_HOURS + 6)
        self.assertIn(f"job {job} ", self.ebb("tick", "--dry-run").stdout)
        self.assert_is_clean(job, CLEAN_IN_HOURS, 1)
        self.assertEqual(len(self.ebb("tick").stdout.splitlines()), 1)
        self.assert_is_clean(job, CLEAN_IN_HOURS + 6, 1)
        self.assertEqual({each: self.begin_of(each) for each in before}, before)

    def test_a_tick_spreads_what_does_not_fit_together(self):
        jobs = [self.submit("--start-by", "30h", "-t", "60", "-G", "1", "--wrap", "hostname")["job"] for _ in range(9)]
        self.wait_until_planned(*jobs)
        self.ebb("tick")
        starts = [self.begin_of(job) for job in jobs]
        for start in starts:
            at_once = sum(1 for other in starts if other <= start < other + HOUR - OVERLAP)
            self.assertLessEqual(at_once, 4)

    def test_scripts_of_a_sweep_run_and_its_report_reads_them(self):
        (self.folder / "train.sh").write_text(TRAINER)
        (self.folder / "sweep.yaml").write_text(SWEEP.format(folder=self.folder))
        generated = subprocess.run([EBB, "sweep", "generate", self.folder / "sweep.yaml", "--target", "slurm", "--out",
                                    self.folder / "jobs"], capture_output=True, text=True)
        self.assertEqual(generated.returncode, 0, generated.stderr)
        path = f"{EBB.parent}:{os.environ['PATH']}"
        jobs = []
        for script in sorted((self.folder / "jobs").glob("*.sbatch")):
            answer = self.submit("--start-by", "1s", f"--chdir={self.folder}/jobs", f"--export=ALL,PATH={path}", script)
            jobs.append(answer["job"])
        self.assertEqual(len(jobs), 2)
        for job in jobs:
            self.cluster.wait_for_state(job, "COMPLETED")
        report = subprocess.run([EBB, "sweep", "report", self.folder / "jobs", "--format", "json"], capture_output=True,
                                text=True)
        self.assertEqual(report.returncode, 0, report.stderr)
        rows = json.loads(report.stdout)["experiments"]
        self.assertEqual([(row["name"], row["outcome"]) for row in rows], [("l0.1", "done"), ("l0.3", "done")])
        for row in rows:
            self.assertGreater(row["energy_kwh"], 0)

    def test_without_a_controller(self):
        self.cluster.kill_controller()
        try:
            self.assertIn("does not answer", self.ebb("tick", code=4).stderr)
            self.ebb("submit", "-t", "10", "--wrap", "hostname", code=4)
        finally:
            self.cluster.start_controller()


if __name__ == "__main__":
    unittest.main(verbosity=2)
