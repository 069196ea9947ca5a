"""`ebb serve --sites` with real sshd: a job runs where power is cleaner, connections are cut at random points, machines are
gone, keys change, disks are full, and a training moves between machines.

EBB_SITES_CUTS=300 cuts that often (default: 25); what cuts is a door between ssh and sshd (sites/machines.py). For root,
also in network namespaces, whose cables are pulled, EBB_SITES_PULLS times (default: 4) and once for EBB_SITES_OUTAGE_S
(default: 10).
"""

import datetime
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "sites"))
from machines import Cable, Machine, random_cuts, why_no_namespaces, why_not_here  # noqa: E402

BUILD = Path(os.environ.get("EBB_BUILD", Path(__file__).resolve().parents[2] / "build/release"))
EBB = Path(os.environ.get("EBB", BUILD / "bin/ebb"))
EBB_TRAIN = Path(os.environ.get("EBB_TRAIN", BUILD / "bin/ebb-train"))
CUTS = int(os.environ.get("EBB_SITES_CUTS", "25"))
PULLS = int(os.environ.get("EBB_SITES_PULLS", "4"))
OUTAGE_S = float(os.environ.get("EBB_SITES_OUTAGE_S", "10"))
PATIENCE_S = float(os.environ.get("EBB_SITES_PATIENCE_S", "240"))
START = datetime.datetime(2023, 5, 1, tzinfo=datetime.timezone.utc)
ENDED = ("succeeded", "failed", "cancelled")
TRAINING = [EBB_TRAIN, "--data", "digits", "--train-samples", "1280", "--test-samples", "50", "--batch-size", "32",
            "--epochs", "60", "--lr-schedule", "cosine", "--threads", "1", "--device", "cpu", "--progress", "none"]


def energy_uj(path):
    """The sum of a ledger that a supervisor wrote."""
    return sum(json.loads(line)[5] for line in path.read_text().splitlines() if line.startswith("["))


class OverSocket(http.client.HTTPConnection):
    """HTTP over the socket beside a store, which needs no token."""

    def __init__(self, path):
        super().__init__("localhost", timeout=30)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(30)
        self.sock.connect(self.path)


class Service:
    """`ebb serve --sites`; may be killed and started again."""

    def __init__(self, directory, machines, *flags, sites=None, home=("--slots", "1", "--signal", "constant", "--constant",
                                                                      "400", "--zone", "DE")):
        self.directory, self.machines, self.process = Path(directory), machines, None
        self.store = self.directory / "home/ebb.db"
        self.store.parent.mkdir(parents=True, exist_ok=True)
        self.flags = [*home, *flags]
        self.write_sites(sites or {machine.name: {"constant_g_per_kwh": 30} for machine in machines})
        self.log = open(self.directory / "serve.log", "a", encoding="utf-8")

    def write_sites(self, sites):
        config = self.directory / "ssh_config"
        config.write_text("".join(machine.ssh_config() for machine in self.machines))
        ssh = self.directory / "ssh"
        # Keep-alives of the configuration are shorter than those that Ebb asks for: the first value counts for ssh.
        ssh.write_text(f'#!/bin/sh\nexec ssh -o ServerAliveInterval=1 -o ServerAliveCountMax=2 -F {config} "$@"\n')
        ssh.chmod(0o755)
        lines = ["sites:"]
        for name, keys in sites.items():
            lines += [f"  - name: {name}", f"    host: {name}", f"    ssh: {ssh}", f"    ebb: {EBB}"]
            lines += [f"    {key}: {value}" for key, value in {"slots": 1, "zone": "NO-NO1", **keys}.items()]
        self.sites = self.directory / "sites.yaml"
        self.sites.write_text("\n".join(lines) + "\n")

    def environment(self):
        return {**os.environ, "EBB_CONFIG": "none", "EBB_STORE": str(self.store)}

    def start(self):
        self.process = subprocess.Popen(
            [EBB, "serve", "--store", self.store, "--port", "0", "--interval", "100ms", "--sites", self.sites, *self.flags],
            env=self.environment(), stdout=self.log, stderr=self.log)
        self.wait(lambda: self.ask("status"), "the service")
        return self

    def kill(self, with_signal=signal.SIGKILL):
        self.process.send_signal(with_signal)
        self.process.wait(timeout=60)
        self.process = None

    def close(self):
        if self.process:
            for job in self.jobs():
                if job["stage"] not in ENDED:
                    self.ebb("cancel", str(job["id"]), check=False)
            time.sleep(1)
            self.kill(signal.SIGTERM)
        self.log.close()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.close()

    def ebb(self, *words, check=True, cwd=None):
        ended = subprocess.run([EBB, *map(str, words)], capture_output=True, text=True, check=False, timeout=120,
                               env=self.environment(), cwd=cwd)
        if check and ended.returncode:
            raise RuntimeError(ended.stderr + ended.stdout)
        return ended.stdout if ended.returncode == 0 else ""

    def ask(self, path):
        """The answer of the service; None while it does not answer."""
        assert self.process.poll() is None, (self.directory / "serve.log").read_text()
        try:
            connection = OverSocket(f"{self.store}.sock")
            connection.request("GET", f"/api/v1/{path}")
            response = connection.getresponse()
            text = response.read()
            return json.loads(text) if response.status == 200 else None
        except (OSError, http.client.HTTPException):
            return None

    def status(self):
        return self.wait(lambda: self.ask("status"), "an answer")

    def jobs(self):
        return self.wait(lambda: self.ask("jobs?limit=100000"), "an answer")["jobs"]

    def said(self, text):
        return any(text in event["text"] for event in self.status()["events"])

    def job(self, number):
        return next(job for job in self.jobs() if job["id"] == number)

    def submit(self, folder, *words, flags=(), duration="1m"):
        folder.mkdir(parents=True, exist_ok=True)
        return int(self.ebb("submit", "--duration", duration, "--power", "100", *flags, *words, cwd=folder))

    def wait(self, holds, what, seconds=PATIENCE_S):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if value := holds():
                return value
            time.sleep(0.2)
        log = (self.directory / "serve.log").read_text()[-3000:]
        raise TimeoutError(f"{what}\n{log}\n{self.ebb('queue', '--all', check=False)}")

    def wait_until_ended(self, numbers, seconds=PATIENCE_S):
        numbers = set(numbers)
        return self.wait(lambda: (jobs := [job for job in self.jobs() if job["id"] in numbers]) and
                         all(job["stage"] in ENDED for job in jobs) and jobs, f"the end of {sorted(numbers)}", seconds)

    def folder(self, number):
        return self.store.parent / "jobs" / str(number)

    def place(self, number, attempt=1):
        """The name of the site where an attempt ran; "here": at home."""
        plan = json.loads((self.folder(number) / f"attempt-{attempt}.json").read_text())
        return plan["place"]["site"] if plan.get("place") else "here"

    def places(self, number, key="home_at_once_g"):
        """What an ended job would have emitted elsewhere, once `key` is known."""
        figures = lambda: json.loads(self.ebb("show", number, "--format", "json")).get("place_and_time", {})
        return self.wait(lambda: key in figures() and figures(), f"{key} of job {number}")

    def audit(self, number):
        """What `ebb audit` says of a job. It fails if it finds a difference."""
        text = self.ebb("audit", self.store, "--job", number)
        assert "other sites" not in text, text
        return text

    def reached(self, name):
        return any(pool.get("site") == name and pool["count"] > 0 for pool in self.status()["pools"])


class Sites(unittest.TestCase):
    def setUp(self):
        if missing := why_not_here():
            self.skipTest(f"this machine has no {missing}")
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="ebb-sites-")))
        self.machines = []
        self.addCleanup(lambda: [machine.close() for machine in self.machines])

    def machine(self, name="norway"):
        self.machines.append(Machine(self.directory, name))
        return self.machines[-1]

    def far_machine(self, name="norway"):
        if missing := why_no_namespaces():
            self.skipTest(f"no network namespaces: {missing}")
        self.machines.append(Machine(self.directory, name, Cable()))
        return self.machines[-1]

    def service(self, *flags, **options):
        return self.enterContext(Service(self.directory, self.machines, *flags, **options))

    def test_a_job_runs_where_power_is_cleaner(self):
        machine = self.machine()
        service = self.service_that_reaches(machine)
        folder = self.directory / "project"
        folder.mkdir()
        (folder / "in.txt").write_text("from here\n")
        job = service.submit(folder, "bash", "-c", "cat in.txt > out.txt; echo said; sleep 1")
        (ended,) = service.wait_until_ended([job])
        self.assertEqual(ended["stage"], "succeeded", service.ebb("show", job))
        self.assertEqual(service.place(job), "norway")
        self.assertEqual((folder / "out.txt").read_text(), "from here\n")
        self.assertEqual((service.folder(job) / "attempt-1.log").read_text(), "said\n")
        self.assertEqual([path for path in machine.state.rglob("attempt-*")], [], "nothing stays there")
        self.assertIn("norway", service.ebb("show", job))
        places = service.places(job)
        emitted = json.loads(service.ebb("show", job, "--format", "json"))["emissions_g"]
        self.assertAlmostEqual(places["home_at_once_g"] / emitted, 400 / 30, places=6)
        self.assertLessEqual(places["place_at_once_g"], places["home_at_once_g"])
        self.assertIn("figures of jobs computed again", service.audit(job))

    def test_cut_at_random_points(self):
        machine = self.machine()
        service = self.service_that_reaches(machine)
        machine.door.cut_after = random_cuts(7)
        jobs = self.run_jobs_until(lambda: machine.door.cuts >= CUTS, service, machine)
        print(f"{machine.door.cuts} cuts, {machine.door.connections} connections, {jobs}")

    def test_a_cable_pulled_at_random_times(self):
        machine = self.far_machine()
        service = self.service_that_reaches(machine)
        ends = threading.Event()
        pulls = threading.Thread(target=self.pull_until, args=(ends, machine.cable))
        pulls.start()
        try:
            jobs = self.run_jobs_until(lambda: machine.cable.pulled >= PULLS, service, machine)
        finally:
            ends.set()
            pulls.join()
        print(f"{machine.cable.pulled} times pulled, {jobs}")

    @staticmethod
    def pull_until(ends, cable):
        """ssh gives up after two seconds without an answer: some outages are shorter, some longer."""
        seeded = random.Random(11)
        while not ends.wait(seeded.uniform(1, 8)):
            cable.pull()
            ends.wait(seeded.choice((0.3, 1, 4, 8)))
            cable.plug_in()

    def service_that_reaches(self, machine):
        service = self.service()
        service.wait(lambda: service.reached(machine.name), "the site")
        return service

    def run_jobs_until(self, is_enough, service, machine):
        """Runs jobs at a machine, one after the other, kills the service after every third, and checks that each ran
        once and has the same log, files and ledger here as there."""
        ran = self.directory / "ran"
        data = os.urandom(100_000)
        folder = lambda job: self.directory / f"project-{job}"
        jobs = []
        # Exit code 3 keeps the job's folder there, with which its ledger is compared.
        script = f"echo $EBB_JOB_ID >> {ran}; for i in $(seq 40); do echo $i; sleep 0.05; done; cp data copy; exit 3"
        while not is_enough():
            folder(len(jobs) + 1).mkdir()
            (folder(len(jobs) + 1) / "data").write_bytes(data)
            jobs.append(service.submit(folder(len(jobs) + 1), "bash", "-c", script, flags=["--sites", machine.name]))
            service.wait_until_ended(jobs[-1:])
            if len(jobs) % 3 == 0:
                service.kill()
                service.start()
        if machine.door:
            machine.door.cut_after = None
        ended = service.wait_until_ended(jobs)
        counts = {str(job): 0 for job in jobs}
        for line in ran.read_text().split():
            counts[line] += 1
        lost = sum(count == 0 for count in counts.values())
        twice = sum(count > 1 for count in counts.values())
        differs = 0
        for job in ended:
            self.assertEqual(job["exit_code"], 3)
            self.assertEqual((service.folder(job["id"]) / "attempt-1.log").read_text(), "".join(f"{i}\n" for i in range(1, 41)))
            self.assertEqual((folder(job["id"]) / "copy").read_bytes(), data)
            differs += self.ledger_differs(service, machine, job["id"])
        self.assertEqual((lost, twice, differs), (0, 0, 0))
        return f"{len(jobs)} jobs: {lost} lost, {twice} twice, {differs} ledgers differ"

    def ledger_differs(self, service, machine, job):
        """True if the ledger of a job that failed there is not the same here; its energy is that of the ledger."""
        (there,) = machine.state.glob(f"ebb/site/*/{job}-*/run/attempt-1.energy")
        stored = json.loads(service.ebb("show", job, "--format", "json"))
        self.assertAlmostEqual(stored["energy_kwh"], energy_uj(there) / 3.6e12, places=15)
        return there.read_bytes() != (service.folder(job) / "attempt-1.energy").read_bytes()

    def test_an_outage_in_which_a_job_ends_there(self):
        machine = self.far_machine()
        service = self.service_that_reaches(machine)
        ran = self.directory / "ran"
        job = service.submit(self.directory / "project", "bash", "-c", f"echo x >> {ran}; sleep {OUTAGE_S / 2}; exit 3",
                             duration=f"{OUTAGE_S / 2:.0f}s")
        service.wait(ran.exists, "the job")
        machine.cable.pull()
        begin = time.monotonic()
        service.wait(lambda: service.said("cannot be reached"), "the trouble to be told")
        other = service.submit(self.directory / "other", "bash", "-c", "true")
        service.wait_until_ended([other])
        self.assertEqual(service.place(other), "here", "other jobs do not wait for it")
        service.kill()
        service.start()
        time.sleep(max(0.0, begin + OUTAGE_S - time.monotonic()))
        self.assertEqual(service.job(job)["stage"], "running", "nobody knows yet that it ended")
        machine.cable.plug_in()
        (ended,) = service.wait_until_ended([job])
        self.assertEqual((ended["stage"], ended["exit_code"]), ("failed", 3))
        self.assertEqual(ran.read_text(), "x\n")
        self.assertFalse(self.ledger_differs(service, machine, job))
        print(f"gone for {OUTAGE_S:.0f} s: its job ran once, and its ledger is the same here as there")

    def test_a_machine_that_is_gone_for_a_while(self):
        machine = self.machine()
        service = self.service_that_reaches(machine)
        ran = self.directory / "ran"
        job = service.submit(self.directory / "project", "bash", "-c", f"echo x >> {ran}; sleep 3; echo done")
        service.wait(ran.exists, "the job")
        machine.door.swallows = machine.door.is_shut = True
        service.wait(lambda: service.said("cannot be reached"), "the trouble to be told")
        self.assertEqual(service.job(job)["stage"], "running")
        service.kill()
        service.start()
        other = service.submit(self.directory / "other", "bash", "-c", "true")
        service.wait_until_ended([other])
        self.assertEqual(service.place(other), "here", "other jobs do not wait for it")
        machine.door.swallows = machine.door.is_shut = False
        machine.door.cut_all()
        (ended,) = service.wait_until_ended([job])
        self.assertEqual(ended["stage"], "succeeded")
        self.assertEqual(ran.read_text(), "x\n")
        self.assertEqual((service.folder(job) / "attempt-1.log").read_text(), "done\n")

    def test_a_changed_host_key_is_refused(self):
        machine = self.machine()
        machine.new_host_key()
        service = self.service()
        job = service.submit(self.directory / "project", "bash", "-c", "true")
        (ended,) = service.wait_until_ended([job])
        self.assertEqual(service.place(job), "here")
        self.assertEqual(ended["stage"], "succeeded")
        checked = subprocess.run([EBB, "site", "check", service.sites], env=service.environment(), capture_output=True,
                                 text=True, check=False)
        self.assertEqual(checked.returncode, 4)
        self.assertIn("host key has changed", checked.stdout)
        self.assertEqual(list(machine.state.rglob("*")), [], "nothing was sent there")

    def test_a_disk_that_is_full_there(self):
        machine = self.machine()
        if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", machine.state],
                                          check=False).returncode:
            self.skipTest("no small disk can be made here")
        self.addCleanup(lambda: subprocess.run(["umount", "-l", machine.state], check=False))
        service = self.service_that_reaches(machine)
        folder = self.directory / "project"
        folder.mkdir()
        (folder / "data").write_bytes(os.urandom(3_000_000))
        job = service.submit(folder, "bash", "-c", "wc -c < data > size")
        service.wait(lambda: service.said("No space left") or "No space left" in str(service.job(job)), "the refusal")
        self.assertNotEqual(service.job(job)["stage"], "failed")
        subprocess.run(["mount", "-o", "remount,size=50m", machine.state], check=True)
        (ended,) = service.wait_until_ended([job])
        self.assertEqual(ended["stage"], "succeeded")
        self.assertEqual((folder / "size").read_text(), "3000000\n")

    def kept(self, machine, job):
        """What the site keeps of the job's first start; None: nothing yet."""
        files = list(machine.state.glob(f"ebb/site/*/{job}-*/run/attempt-1.order"))
        return json.loads(files[0].read_text()) if files else None

    def day(self, name, grams):
        """A trace whose hours are these, from the start of the tests' days on."""
        path = self.directory / f"{name}.csv"
        path.write_text("timestamp,carbon_intensity\n" + "".join(
            f"{START + datetime.timedelta(hours=hour):%Y-%m-%dT%H:%M:%SZ},{grams(hour)}\n" for hour in range(-24 * 21, 24 * 10)))
        return path

    def service_with_clean_night(self, speed):
        """The site is clean in ten hours, and dirtier than home until then."""
        return self.service(
            sites={"norway": {"trace": self.day("norway", lambda hour: 20 if hour >= 10 else 900)}},
            home=("--slots", "1", "--signal", "replay", "--trace", self.day("home", lambda hour: 500), "--zone", "DE",
                  "--grid-start", f"{START:%Y-%m-%dT%H:%M:%SZ}", "--grid-speed", str(speed), "--forecast", "perfect"))

    def test_a_latest_start_is_kept_by_the_site(self):
        machine = self.machine()
        service = self.service_with_clean_night(speed=600)  # ten hours of the grid are a minute
        service.wait(lambda: service.reached("norway"), "the site")
        ran = self.directory / "ran"
        folder = self.directory / "project"
        folder.mkdir()
        (folder / "in.txt").write_text("from here\n")
        job = service.submit(folder, "bash", "-c", f"cat in.txt; echo x >> {ran}; sleep 2", flags=["--start-by", "11h"])
        service.wait(lambda: (self.kept(machine, job) or {}).get("state") == "waits", "the start to be kept")
        self.assertFalse(ran.exists())
        machine.door.is_shut = True
        machine.door.cut_all()
        service.kill()
        service.wait(ran.exists, "the site to start the job")
        self.assertEqual(self.kept(machine, job)["state"], "begun")
        service.start()
        service.wait(lambda: service.job(job)["stage"] == "running", "the service to know that it runs there")
        machine.door.is_shut = False
        (ended,) = service.wait_until_ended([job])
        self.assertEqual(ended["stage"], "succeeded", service.ebb("show", job))
        self.assertEqual(ran.read_text(), "x\n")
        self.assertEqual(service.place(job), "norway")
        self.assertEqual((service.folder(job) / "attempt-1.log").read_text(), "from here\n")

    def test_a_cancellation_reaches_a_job_that_the_site_keeps(self):
        machine = self.machine()
        service = self.service_with_clean_night(speed=1)
        service.wait(lambda: service.reached("norway"), "the site")
        ran = self.directory / "ran"
        job = service.submit(self.directory / "project", "bash", "-c", f"echo x >> {ran}", flags=["--start-by", "11h"])
        service.wait(lambda: (self.kept(machine, job) or {}).get("state") == "waits", "the start to be kept")
        service.ebb("cancel", job)
        service.wait(lambda: not list(machine.state.glob(f"ebb/site/*/{job}-*")), "the folder there to go")
        self.assertFalse(ran.exists())

    def test_folders_there_go_when_nobody_needs_them(self):
        machine = self.machine()
        service = self.service_that_reaches(machine)
        folder = self.directory / "project"
        failed = service.submit(folder, "bash", "-c", "exit 3", flags=["--sites", "norway"])
        succeeded = service.submit(folder, "bash", "-c", "echo done > out", flags=["--sites", "norway"])
        service.wait_until_ended([failed, succeeded])
        there = lambda job: list(machine.state.glob(f"ebb/site/*/{job}-*/run"))
        self.assertEqual((folder / "out").read_text(), "done\n")
        service.wait(lambda: not there(succeeded), "the folder of the job that succeeded to go")
        self.assertTrue(there(failed))
        # The service's retention is over; a service looks as soon as it has reached the site.
        service.kill(signal.SIGTERM)

        def pruned():
            service.ebb("store", "prune", "--older-than", "1s")
            return not service.folder(failed).exists()
        service.wait(pruned, "the folder here to go")
        service.start()
        service.wait(lambda: not there(failed), "the folder of the failed job to go")

    def test_a_training_that_moves_has_the_same_parameters(self):
        if not EBB_TRAIN.exists():
            self.skipTest("ebb-train is not built")
        north, south = self.machine("north"), self.machine("south")
        straight = self.directory / "straight"
        began = time.monotonic()
        subprocess.run([EBB, "run", "--constant", "300", "--quiet", "--run-dir", straight, "--", *TRAINING], check=True,
                       env={**os.environ, "EBB_CONFIG": "none"})
        # The training takes a day of the grid on any machine. Power is clean by turns of six hours, and the deadline
        # leaves less than a turn for waiting, so that it has to move.
        speed = 24 * 3600 / (time.monotonic() - began)
        def trace(name, grams):
            path = self.directory / f"{name}.csv"
            hours = range(-24 * 21, 24 * 40)
            path.write_text("timestamp,carbon_intensity\n" + "".join(
                f"{START + datetime.timedelta(hours=hour):%Y-%m-%dT%H:%M:%SZ},{grams(hour)}\n" for hour in hours))
            return path
        by_turns = lambda mine: lambda hour: 20 if (hour // 6) % 2 == mine else 500
        service = self.service(
            sites={"north": {"trace": trace("north", by_turns(0)), "zone": "NO-NO1"},
                   "south": {"trace": trace("south", by_turns(1)), "zone": "SE-SE4"}},
            home=("--slots", "1", "--signal", "replay", "--trace", trace("home", lambda hour: 900), "--zone", "DE",
                  "--grid-start", f"{START:%Y-%m-%dT%H:%M:%SZ}", "--grid-speed", f"{speed:.0f}", "--forecast", "perfect"))
        for machine in (north, south):
            service.wait(lambda: service.reached(machine.name), "the site")  # noqa: B023
        moves = service.submit(self.directory / "moves", *TRAINING, duration="24h",
                               flags=["--checkpointable", "--sites", "north,south", "--finish-by", "29h"])
        planned = service.wait(
            lambda: json.loads(service.ebb("show", moves, "--format", "json")).get("planned_sites"), "a plan over sites")
        self.assertIn("north", planned)
        self.assertIn("south", planned)
        self.assertIn("it follows clean hours from site to site: ", service.ebb("explain", moves))
        (ended,) = service.wait_until_ended([moves], 3 * PATIENCE_S)
        self.assertEqual(ended["stage"], "succeeded", service.ebb("show", moves))
        attempts = len(list(service.folder(moves).glob("attempt-*.json")))
        places = [service.place(moves, attempt) for attempt in range(1, attempts + 1)]
        moved = sum(one != other for one, other in zip(places, places[1:]))
        result = [json.loads((run / "train_result.json").read_text()) for run in (straight, service.folder(moves))]
        print(f"moved {moved} times: {places}")
        self.assertEqual(result[0]["parameters_sha256"], result[1]["parameters_sha256"])
        self.assertGreaterEqual(moved, 3)
        places = service.places(moves, "best_g")
        emitted = json.loads(service.ebb("show", moves, "--format", "json"))["emissions_g"]
        self.assertLess(emitted, places["home_at_once_g"], "at home it is 900 g/kWh all the time")
        self.assertAlmostEqual(places["home_best_g"] / places["home_at_once_g"], 1, places=9)
        for other in (places["home_best_g"], places["place_at_once_g"], emitted + places["moves_g"]):
            self.assertLessEqual(places["best_g"], other)
        self.assertIn("figures of jobs computed again", service.audit(moves))


if __name__ == "__main__":
    unittest.main(verbosity=2)
