"""A workflow of the real Snakemake by Ebb's profile: its jobs are jobs of the queue service, which end as it says.

Run by ./dev peers snakemake, which makes the environment (snakemake.txt) and sets EBB_BUILD.
"""

import datetime
import json
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from document import example, examples, offline
from ran import InScratch

EBB = os.path.join(os.environ["EBB_BUILD"], "bin", "ebb")
PROFILE = Path(__file__).resolve().parent.parent.parent / "integrations/snakemake"


class SnakemakeTest(InScratch):
    def setUp(self):
        super().setUp()
        path = os.pathsep.join([os.path.dirname(sys.executable), os.path.dirname(EBB), os.environ["PATH"]])
        home = self.directory / "home"
        self.environment = {**os.environ, "PATH": path, "HOME": str(home), "EBB_CONFIG": "none"}
        self.environment["EBB_STORE"] = str(self.directory / "ebb.db")
        self.environment["XDG_CACHE_HOME"] = str(home)

    def serve(self, *flags):
        words = [EBB, "serve", "--slots", "2", "--port", "0", *flags]
        service = subprocess.Popen(words, env=self.environment, stderr=subprocess.PIPE, text=True)
        self.addCleanup(service.stderr.close)
        self.addCleanup(service.wait)
        self.addCleanup(service.terminate)
        self.assertRegex(service.stderr.readline(), r"http://")

    def command(self):
        (line,) = examples("sh", "snakemake")
        return line.strip().replace("path/of/ebb/integrations/snakemake", str(PROFILE)).split()

    def snakemake(self, *more):
        words = [*self.command(), "--seconds-between-status-checks", "1", *more]
        return subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=200)

    def show(self, job):
        words = [EBB, "show", "--format", "json", str(job)]
        return json.loads(subprocess.run(words, env=self.environment, capture_output=True, check=True).stdout)

    def test_the_example_of_the_document(self):
        self.serve("--constant", "200")
        Path("data.txt").write_text("clean\n")
        Path("Snakefile").write_text(example("snakemake"))
        done = self.snakemake()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(Path("model.txt").read_text(), "CLEAN\n")
        job = self.show(1)
        self.assertEqual((job["name"], job["stage"]), ("train", "succeeded"))
        self.assertGreater(job["emissions_g"], 0)
        self.assertEqual(job["duration_s"], 7200)
        begin, latest = (datetime.datetime.fromisoformat(job[name].rstrip("Z")) for name in ("submitted", "start_by"))
        self.assertEqual(latest - begin, datetime.timedelta(hours=12))

    def test_rules_that_depend_on_each_other(self):
        self.serve("--constant", "200")
        Path("Snakefile").write_text(
            'rule all:\n    input: "c"\n'
            'rule a:\n    output: "a"\n    shell: "echo a > {output}"\n'
            'rule b:\n    output: "b"\n    shell: "echo b > {output}"\n'
            'rule c:\n    input: "a", "b"\n    output: "c"\n    shell: "cat {input} > {output}"\n'
        )
        done = self.snakemake()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(Path("c").read_text(), "a\nb\n")
        self.assertEqual(sorted(self.show(job)["name"] for job in (1, 2, 3)), ["a", "b", "c"])

    def test_a_service_that_restarts_ends_no_job_and_an_unknown_job_is_an_error(self):
        status = [str(PROFILE / "ebb-status"), "99"]
        away = subprocess.run(status, env=self.environment, capture_output=True, text=True)
        self.assertEqual((away.returncode, away.stdout), (0, "running\n"))
        self.serve("--constant", "200")
        unknown = subprocess.run(status, env=self.environment, capture_output=True, text=True)
        self.assertEqual((unknown.returncode, unknown.stdout), (1, ""))

    def test_one_wait_before_the_workflow(self):
        offline(self)
        Path("Snakefile").write_text('rule a:\n    output: "a"\n    shell: "touch {output}"\n')
        (line,) = examples("sh", "snakemake-once")
        line = line.replace("--start-by 12h", "--start-by 1s")
        environment = {**self.environment, "EBB_CONFIG": os.environ["EBB_CONFIG"]}
        done = subprocess.run(line, shell=True, env=environment, capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(Path("a").exists())

    def test_a_job_that_fails_has_failed_in_both(self):
        self.serve("--constant", "200")
        Path("Snakefile").write_text('rule fails:\n    output: "x"\n    shell: "exit 3"\n')
        done = self.snakemake()
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(self.show(1)["stage"], "failed")
        self.assertIn("external jobid '1'", done.stderr)

    def test_a_job_waits_and_ctrl_c_cancels_it(self):
        hours = "".join(f"2026-01-01T{hour:02}:00:00Z,{100 if hour == 20 else 500}\n" for hour in range(24))
        Path("trace.csv").write_text("timestamp,carbon_intensity\n" + hours)
        self.serve("--trace", "trace.csv", "--grid-start", "2026-01-01T10:00Z", "--forecast", "perfect")
        Path("Snakefile").write_text('rule later:\n    output: "x"\n    shell: "touch {output}"\n')
        words = [*self.command(), "--seconds-between-status-checks", "1"]
        running = subprocess.Popen(words, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for _ in range(600):
            if subprocess.run([EBB, "show", "1"], env=self.environment, capture_output=True).returncode == 0:
                break
            time.sleep(0.1)
        self.assertEqual(self.show(1)["stage"], "waiting")
        time.sleep(3)
        self.assertEqual(self.show(1)["stage"], "waiting")
        running.send_signal(signal.SIGINT)
        told, _ = running.communicate(timeout=60)
        self.assertNotEqual(running.returncode, 0, told)
        self.assertEqual(self.show(1)["stage"], "cancelled", told)
        self.assertFalse(Path("x").exists())


if __name__ == "__main__":
    unittest.main()
