"""`ebb serve --slurm` beside a cluster of tests, on a replayed grid clock: a day of 24 hours in a few minutes."""

import datetime
import json
import os
import signal
import subprocess
import time
from pathlib import Path

BUILD = Path(os.environ.get("EBB_BUILD", Path(__file__).resolve().parents[3] / "build/release"))
EBB = Path(os.environ.get("EBB", BUILD / "bin/ebb"))
START = datetime.datetime(2023, 5, 1, tzinfo=datetime.timezone.utc)


def trace_of_days(path, grams_by_hour, days=40, before=21):
    """A trace with the same day again and again."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("timestamp,carbon_intensity\n")
        for hour in range(-24 * before, 24 * days):
            at = START + datetime.timedelta(hours=hour)
            file.write(f"{at:%Y-%m-%dT%H:%M:%SZ},{grams_by_hour[hour % 24]}\n")
    return path


def replay(trace, speed, start=START, forecast="perfect"):
    """Flags of a service whose clock replays a trace. The clock begins anew with each life of the service."""
    return ["--signal", "replay", "--trace", trace, "--zone", "DE", "--grid-start", f"{start:%Y-%m-%dT%H:%M:%SZ}",
            "--grid-speed", str(speed), "--forecast", forecast]


class Service:
    """The service; `start` and `kill` may follow one another. Its store and its jobs lie in `directory`. `began`: the wall
    clock when it was started last."""

    def __init__(self, cluster, directory, flags):
        self.cluster, self.directory, self.flags = cluster, Path(directory), flags
        self.process, self.began = None, None
        self.log = open(self.directory / "serve.log", "a", encoding="utf-8")

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.process:
            self.kill(signal.SIGTERM)
        self.log.close()

    def start(self):
        self.began = time.time()
        self.process = subprocess.Popen(
            [EBB, "serve", "--slurm", "--slurm-every", "1s", "--store", self.directory / "ebb.db", "--port", "0", *self.flags],
            env={**self.cluster.environment, "EBB_CONFIG": "none"}, stdout=self.log, stderr=self.log)
        self.cluster.wait(self._answers, f"ebb serve ({self.directory}/serve.log)")
        return self

    def kill(self, with_signal=signal.SIGKILL):
        self.process.send_signal(with_signal)
        self.process.wait(timeout=60)
        self.process = None

    def _answers(self):
        assert self.process.poll() is None, (self.directory / "serve.log").read_text()
        try:
            return self.jobs() is not None
        except (RuntimeError, ValueError):
            return False

    def ebb(self, *words, check=True):
        ended = subprocess.run([EBB, *map(str, words)], capture_output=True, text=True, check=False, timeout=120,
                               env={**self.cluster.environment, "EBB_CONFIG": "none",
                                    "EBB_STORE": str(self.directory / "ebb.db")})
        if check and ended.returncode:
            raise RuntimeError(ended.stderr)
        return ended.stdout

    def jobs(self):
        return json.loads(self.ebb("queue", "--all", "--limit", "100000", "--format", "json"))["jobs"]

    def wait_until_ended(self, count, seconds):
        """Until so many jobs have ended. Returns all jobs."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            jobs = self.jobs()
            if sum(job["stage"] in ("succeeded", "failed", "cancelled") for job in jobs) >= count:
                return jobs
            time.sleep(1)
        left = [job for job in jobs if job["stage"] not in ("succeeded", "failed", "cancelled")]
        log = (self.directory / "serve.log").read_text(encoding="utf-8").splitlines()
        raise TimeoutError(f"{len(left)} of {count} jobs have not ended: {left[:5]}\n" + "\n".join(log[-30:]))
