"""A Ray job that runs in clean hours:

    from ebb.ray_jobs import run_job

    run_job("python train.py", address="http://head:8265", duration="2h", start_by="12h", zone="DE")

    ebb submit --duration 2h -- python3 -m ebb.ray_jobs --address http://head:8265 -- python train.py

The first waits by itself. In the second, the queue service of Ebb waits; cancelling its job stops the Ray job.
"""

from __future__ import annotations

import argparse
import asyncio
import shlex
import signal
import sys
import time
import uuid
from types import FrameType
from typing import Any, Dict, List, Optional, Sequence, Union

from ray.job_submission import JobStatus, JobSubmissionClient

from ebb import _checkpoints
from ebb._error import Error
from ebb._grid import Duration
from ebb._waiting import When, wait_for_clean_power

_FAILED, _UNAVAILABLE = 1, 4
_LOOK_S = 1.0
#: For so long a server of jobs may be silent.
_PATIENCE_S = 600.0


def _print_logs(client: Any, job: str) -> None:
    async def follow() -> None:
        async for lines in client.tail_job_logs(job):
            print(lines, end="", flush=True)

    asyncio.run(follow())


def _wait_for_end(client: Any, job: str) -> Any:
    """Its status at the end. A server of jobs that restarts is asked again."""
    silent_since: Optional[float] = None
    while True:
        try:
            status = client.get_job_status(job)
        except (RuntimeError, OSError) as failure:
            now = time.monotonic()
            silent_since = silent_since or now
            if now - silent_since > _PATIENCE_S:
                raise Error(f"Ray does not say how the job {job} is: {failure}", _UNAVAILABLE) from failure
        else:
            silent_since = None
            if status.is_terminal():
                return status
        time.sleep(_LOOK_S)


def _stop(client: Any, job: str) -> None:
    try:
        client.stop_job(job)
    except (RuntimeError, OSError) as failure:
        print(f"the Ray job {job} could not be stopped: {failure}", file=sys.stderr)


def _follow(client: Any, job: str) -> Any:
    """Prints what the job prints until it has ended; returns its status."""
    try:
        try:
            _print_logs(client, job)
        except Exception as failure:  # whatever the connection raises: the job goes on
            print(f"the output of the Ray job {job} is no longer shown: {failure}", file=sys.stderr)
        return _wait_for_end(client, job)
    except BaseException:  # a signal, or Ctrl-C: nobody follows the job from here on
        _stop(client, job)
        raise


def _submit(client: Any, entrypoint: Union[str, Sequence[str]], job: Dict[str, Any]) -> str:
    line = entrypoint if isinstance(entrypoint, str) else shlex.join(entrypoint)
    name = job.get("submission_id") or f"ebb-{uuid.uuid4().hex[:12]}"
    try:
        return str(client.submit_job(entrypoint=line, **{**job, "submission_id": name}))
    except (KeyboardInterrupt, SystemExit):  # Ray may have taken it already
        _stop(client, name)
        raise


def run_job(
    entrypoint: Union[str, Sequence[str]],
    *,
    address: Optional[str] = None,
    duration: Optional[Duration] = None,
    start_by: Optional[When] = None,
    job: Optional[Dict[str, Any]] = None,
    **flags: Any,
) -> str:
    """Waits for clean power, submits a Ray job, prints its output until it has ended, and returns its id.

    ``job`` has arguments of JobSubmissionClient.submit_job, such as ``{"runtime_env": {"working_dir": "."}}``. Other
    keywords are those of ebb.wait_for_clean_power. In a job of Ebb nothing waits, since Ebb has started it at the right
    time. An ebb.Error if the Ray job does not succeed. If this program ends first, by Ctrl-C or an exception, the Ray
    job is stopped.
    """
    if not _checkpoints.is_job():
        wait_for_clean_power(duration, start_by, **flags)
    client = JobSubmissionClient(address)
    number = _submit(client, entrypoint, job or {})
    status = _follow(client, number)
    if status != JobStatus.SUCCEEDED:
        told = client.get_job_info(number).message or "no message"
        raise Error(f"the Ray job {number} is {status.value}: {told}", _FAILED)
    return number


def _end(number: int, frame: Optional[FrameType]) -> None:
    raise SystemExit(128 + number)


def main(words: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m ebb.ray_jobs", description="Runs a Ray job in clean hours.")
    parser.add_argument("--address", help="the address of the dashboard, such as http://head:8265 (else $RAY_ADDRESS)")
    parser.add_argument("--working-dir", help="a folder that the job has as its working directory")
    parser.add_argument("--duration", help="about how long the job takes (1h)")
    parser.add_argument("--start-by", help="the longest wait, or a time (24h)")
    parser.add_argument("--zone", help="the zone of the grid")
    parser.add_argument("entrypoint", nargs="+", metavar="COMMAND", help="after --: what the Ray job runs")
    asked = parser.parse_args(words)
    signal.signal(signal.SIGTERM, _end)
    job = {"runtime_env": {"working_dir": asked.working_dir}} if asked.working_dir else {}
    waits = {"duration": asked.duration, "start_by": asked.start_by, "zone": asked.zone}
    run_job(asked.entrypoint, address=asked.address, job=job, **waits)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Error as reason:
        print(f"ebb: {reason}", file=sys.stderr)
        sys.exit(reason.code)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
