"""ebb serve as a process of its own, for the benchmarks that run it."""
import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from bench_programs import build

ROOT = Path(__file__).resolve().parent.parent
EBB = os.environ.get("EBB", str(ROOT / "build/release/bin/ebb"))
ENDED = {"succeeded", "failed", "cancelled"}


class Refused(RuntimeError):
    """An answer that says no."""

    def __init__(self, status, text):
        super().__init__(text)
        self.for_now = status == 503


class Service:
    """ebb serve in a directory of its own."""

    def __init__(self, slots=None, policy="run-now", options=(), grid=("--constant", "200"), directory=None,
                 environment=None, log=None):
        """`slots` None: on the GPUs that it finds. `environment`: on top of this process's own. `log`: what it says."""
        self.directory = directory or Path(tempfile.mkdtemp(prefix="ebb-serve-"))
        self.log = log or self.directory / "serve.txt"
        self.store = self.directory / "ebb.db"
        self.token_file = self.directory / "ebb.db.token"
        self.slots, self.policy, self.options = slots, policy, [*grid, *options]
        self.environment = {**os.environ, **(environment or {})}
        self.start()

    def start(self):
        """Seconds until it listened."""
        began = time.monotonic()
        slots = [] if self.slots is None else ["--slots", str(self.slots)]
        with open(self.log, "ab") as log:
            before = log.tell()
            self.process = subprocess.Popen(
                [EBB, "serve", "--store", str(self.store), "--policy", self.policy, *slots, "--port", "0",
                 *self.options], cwd=self.directory, stdout=log, stderr=log, env=self.environment)
        while True:
            with open(self.log, "rb") as log:
                log.seek(before)
                said = log.read().decode()
            found = re.search(r"http://127\.0\.0\.1:(\d+)", said)
            if found:
                break
            if self.process.poll() is not None:
                raise SystemExit("ebb serve ended: " + said)
            time.sleep(0.002)
        took = time.monotonic() - began
        self.port = int(found.group(1))
        self.headers = {"Authorization": "Bearer " + self.token_file.read_text().strip()}
        return took

    def kill(self, number=signal.SIGKILL):
        self.process.send_signal(number)
        self.process.wait()

    def request(self, method, path, body=None, connection=None):
        link = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        link.request(method, path, json.dumps(body) if body is not None else None, self.headers)
        answer = link.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise Refused(answer.status, text.decode())
        return json.loads(text)

    def submit(self, command, **keys):
        return self.request("POST", "/api/v1/jobs", {
            "command": command, "working_directory": str(self.directory), "duration": "10s",
            **keys})["id"]

    def stages(self):
        jobs = self.request("GET", "/api/v1/jobs?limit=200000")["jobs"]
        return {job["id"]: job["stage"] for job in jobs}

    def wait_for_ends(self, ids):
        while True:
            stages = self.stages()
            if all(stages.get(i) in ENDED for i in ids):
                return stages
            time.sleep(0.1)

    def close(self):
        """What it has started outlives it, so that is ended, too."""
        self.kill(signal.SIGTERM)
        while left := children_of(self.directory):
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGTERM)
            time.sleep(0.05)
        shutil.rmtree(self.directory)


def measured_microjoules(directory):
    """What the supervisors of all attempts wrote; the shape of the lines is local/attempt_files."""
    total = 0
    for file in directory.glob("jobs/**/*.energy"):
        for line in file.read_text().splitlines():
            with contextlib.suppress(ValueError):  # a write that was cut off
                reading = json.loads(line)
                total += reading[5] if isinstance(reading, list) else 0
    return total


def cpu_seconds(pids):
    """All threads, in nanoseconds: ticks would hide what is used a little at a time."""
    used = 0
    for pid in pids:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            used += int((thread / "schedstat").read_text().split()[0])
    return used / 1e9


def resident_megabytes(pid):
    """ProcessLookupError where it has ended, also before anybody has taken its remains."""
    resident = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    if not resident:
        raise ProcessLookupError(f"process {pid} has ended")
    return int(resident.group(1)) / 1024


def children_of(directory):
    """Supervisors: programs named ebb whose arguments lie in the directory. Not what they have forked and
    what has not become the job's program yet."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        if b"supervise" in words and any(str(directory).encode() in word for word in words):
            parents[int(entry.name)] = parent
    return [pid for pid, parent in parents.items() if parent not in parents]
