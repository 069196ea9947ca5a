"""The queue service: submit and forget. Every call is a command of `ebb`, so the service, its token and its store are
found as there: $EBB_SERVER, $EBB_TOKEN_FILE and $EBB_STORE, the settings, or the store of this user."""

from __future__ import annotations

import functools
import json
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Union

from ebb import _call
from ebb._error import Error
from ebb._program import answer, ask, fail, flags_of, program

#: The work that ebb.submit takes: a function, the words of a command, or a line for a shell.
Work = Union[Callable[..., Any], Sequence[str], str]

_USAGE = 2
_SUCCEEDED = "succeeded"


class JobFailed(Error):
    """A job ended without success; ``info`` is what the service knows about it."""

    def __init__(self, info: Dict[str, Any], trace: str = "") -> None:
        why = info.get("detail") or info.get("reason") or info["stage"]
        text = f"job {info['id']} ({info['name']}) {info['stage']}: {why}"
        super().__init__(f"{text}\n{trace}" if trace else text, 1)
        self.info = info


class Job:
    """A job of the queue service."""

    def __init__(self, client: "Client", number: int, folder: Optional[str] = None) -> None:
        self._client = client
        self._folder = folder
        self.id = number

    def __repr__(self) -> str:
        return f"<ebb.Job {self.id}>"

    def info(self) -> Dict[str, Any]:
        """Everything that the service knows about it (docs/api.md, A job)."""
        found: Dict[str, Any] = self._client._ask("show", self.id)
        return found

    @property
    def stage(self) -> str:
        """waiting, running, paused, succeeded, failed, cancelled ..."""
        return str(self.info()["stage"])

    def explain(self) -> str:
        """Why it waits, until when, and what that saves."""
        return self._client._answer("explain", self.id).rstrip()

    def logs(self, attempt: Optional[int] = None) -> str:
        """What it has printed; of the last attempt unless another is named."""
        return self._client._answer("logs", self.id, attempt=attempt)

    def follow(self) -> Iterator[str]:
        """The lines that it prints, until it has ended."""
        with self._client._start("logs", self.id, follow=True) as process:
            assert process.stdout is not None and process.stderr is not None
            try:
                for line in process.stdout:
                    yield line.decode(errors="replace")
                said = process.stderr.read()
                if process.wait() != 0:
                    fail(["logs"], process.returncode, said.decode(errors="replace"))
            finally:
                process.terminate()

    def wait(self, timeout: Optional[float] = None) -> Dict[str, Any]:
        """Blocks until it has ended, and returns info(). A TimeoutError after ``timeout`` seconds; the job goes on."""
        with self._client._start("wait", self.id, format="json") as process:
            try:
                told, said = process.communicate(timeout=timeout)
            except subprocess.TimeoutExpired:
                raise TimeoutError(f"job {self.id} has not ended after {timeout:g} s") from None
            finally:
                process.terminate()
        return self._ended(process.returncode, told, said)

    async def wait_async(self) -> Dict[str, Any]:
        """wait() for asyncio."""
        import asyncio

        process = await asyncio.create_subprocess_exec(
            *self._client._command("wait", self.id, format="json"),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            told, said = await process.communicate()
        except BaseException:
            if process.returncode is None:
                process.terminate()
                await process.wait()
            raise
        return self._ended(process.returncode or 0, told, said)

    def result(self, timeout: Optional[float] = None) -> Any:
        """Waits, and returns what the function returned, or raises what it raised. Of a command: info(). JobFailed if
        the job did not succeed and nothing else was raised."""
        info = self.wait(timeout)
        found = _call.read_result(self._folder) if self._folder else None
        if found is not None:
            returned, value, trace = found
            if info["stage"] == _SUCCEEDED and returned:
                return value
            if not returned and isinstance(value, BaseException):
                raise value from JobFailed(info, trace)
        if info["stage"] != _SUCCEEDED:
            raise JobFailed(info)
        if self._folder:
            raise Error(f"job {self.id} left no result in {self._folder}", 4)
        return info

    def cancel(self) -> None:
        """Ends it for good."""
        self._client._answer("cancel", self.id)

    def pause(self) -> None:
        """Holds it until resume()."""
        self._client._answer("pause", self.id)

    def resume(self) -> None:
        self._client._answer("resume", self.id)

    def now(self) -> None:
        """Runs it now, whatever the grid."""
        self._client._answer("now", self.id)

    def edit(self, **flags: Any) -> None:
        """Changes it while it waits or is paused; keywords are the flags of `ebb edit`."""
        self._client._answer("edit", self.id, **flags)

    def restart(self, resume: bool = False) -> "Job":
        """Submits it again once it has ended; ``resume``: from the checkpoint that it left. A function is called again,
        and its result replaces the one that is there."""
        return Job(self._client, int(self._client._ask("restart", self.id, resume=resume)["id"]), self._folder)

    def _ended(self, code: int, told: bytes, said: bytes) -> Dict[str, Any]:
        # The exit code is the job's own, so only the answer says whether the waiting failed.
        try:
            info = json.loads(told)
        except ValueError:
            info = None
        if not isinstance(info, dict) or "stage" not in info:
            fail(["wait"], code, said.decode(errors="replace"))
        return info


class Client:
    """A queue service. ``server`` is its URL, ``token_file`` holds its token, ``store`` is its database; without them
    each is found as `ebb submit` finds it."""

    def __init__(
        self, server: Optional[str] = None, *, token_file: Optional[str] = None, store: Optional[str] = None
    ) -> None:
        self._where = flags_of({"server": server, "token_file": token_file, "store": store})

    def __repr__(self) -> str:
        return f"<ebb.Client {' '.join(self._where) or 'of the service that ebb submit finds'}>"

    def submit(
        self,
        work: Work,
        *,
        args: Sequence[Any] = (),
        kwargs: Optional[Dict[str, Any]] = None,
        folder: Optional[str] = None,
        after: Sequence[Union[Job, int, str]] = (),
        **flags: Any,
    ) -> Job:
        """Gives a job to the service and returns it.

        ``work`` is the words of a command, a line for /bin/sh, or a function, which is called with ``args`` and
        ``kwargs`` in a new process of this Python: it is imported there by name, as multiprocessing does, so a script
        needs its `if __name__ == "__main__"`. ``folder`` keeps the call and its result (default: below
        ~/.local/state/ebb/calls); the service must run on a machine that has it. Other keywords are the flags of
        `ebb submit`: ``duration="2h"``, ``start_by="12h"``, ``checkpointable=True``, ``env={"SEED": 1}``.
        """
        if "cron" in flags:
            raise Error("a recurring job has no handle; give it with: ebb submit --cron", _USAGE)
        named = {"after": [job.id if isinstance(job, Job) else job for job in after] or None, **flags}
        if callable(work):
            function: Any = work.func if isinstance(work, functools.partial) else work
            named.setdefault("name", getattr(function, "__name__", type(work).__name__))
            folder = _make_call(work, args, kwargs or {}, folder)
            words = [sys.executable, os.path.abspath(_call.__file__), folder]
        elif args or kwargs or folder:
            raise Error("args, kwargs and folder are for a function: put the words of a command into one list", _USAGE)
        elif isinstance(work, str):
            named["wrap"] = work
            words = []
        elif isinstance(work, Iterable):
            words = [str(word) for word in work]
        else:
            raise Error(f"give a function, a list of words or a line for the shell, not {work!r}", _USAGE)
        given = ["submit", *self._where, *flags_of(named), *(["--", *words] if words else [])]
        return Job(self, int(ask(given)["id"]), folder)

    def job(self, name: Union[int, str]) -> Job:
        """The job with this number or name. An Error if there is none."""
        return Job(self, int(self._ask("show", name)["id"]))

    def jobs(self, **flags: Any) -> List[Dict[str, Any]]:
        """The queue; keywords are the flags of `ebb queue`: ``stage="running"``, ``me=True``, ``all=True``."""
        found: List[Dict[str, Any]] = self._ask("queue", **flags)["jobs"]
        return found

    def history(self, **flags: Any) -> List[Dict[str, Any]]:
        """Jobs that have ended, the newest first; keywords are the flags of `ebb history`: ``since="7d"``."""
        found: List[Dict[str, Any]] = self._ask("history", **flags)["jobs"]
        return found

    def sweeps(self) -> List[Dict[str, Any]]:
        """The sweeps that were submitted, the newest first (docs/sweep.md)."""
        found: List[Dict[str, Any]] = self._ask("queue", sweeps=True)["sweeps"]
        return found

    def sweep(self, name: Union[int, str], **flags: Any) -> Dict[str, Any]:
        """The experiments of a sweep, ranked by loss, or by ``rank_by="energy"`` or ``"emissions"``."""
        found: Dict[str, Any] = self._ask("queue", sweep=name, **flags)
        return found

    def recurring(self) -> List[Dict[str, Any]]:
        """The recurring jobs, and when each is due."""
        found: List[Dict[str, Any]] = self._ask("recurring")["recurring"]
        return found

    def devices(self) -> Any:
        """The devices that jobs can have, and what runs on them (docs/api.md)."""
        return self._ask("devices")

    def tiers(self) -> Any:
        """The tiers that jobs can be submitted in (docs/config.md)."""
        return self._ask("tiers")

    def _words(self, command: str, job: Union[int, str, None] = None, **flags: Any) -> List[str]:
        return [command, *self._where, *flags_of(flags), *([] if job is None else [str(job)])]

    def _command(self, command: str, job: Union[int, str, None] = None, **flags: Any) -> List[str]:
        return [program(), *self._words(command, job, **flags)]

    def _answer(self, command: str, job: Union[int, str, None] = None, **flags: Any) -> str:
        return answer(self._words(command, job, **flags))

    def _ask(self, command: str, job: Union[int, str, None] = None, **flags: Any) -> Any:
        return ask(self._words(command, job, **flags))

    def _start(self, command: str, job: Union[int, str, None] = None, **flags: Any) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            self._command(command, job, **flags),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )


def _make_call(work: Callable[..., Any], args: Sequence[Any], kwargs: Dict[str, Any], folder: Optional[str]) -> str:
    if folder is None:
        state = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
        calls = os.path.join(state, "ebb", "calls")
        os.makedirs(calls, mode=0o700, exist_ok=True)
        folder = tempfile.mkdtemp(dir=calls)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    try:
        _call.write_call(folder, work, args, kwargs)
    except (pickle.PicklingError, AttributeError, TypeError) as reason:
        raise Error(f"the call cannot be given to another process: {reason}", _USAGE) from reason
    return os.path.abspath(folder)


def submit(
    work: Work,
    *,
    args: Sequence[Any] = (),
    kwargs: Optional[Dict[str, Any]] = None,
    folder: Optional[str] = None,
    after: Sequence[Union[Job, int, str]] = (),
    server: Optional[str] = None,
    token_file: Optional[str] = None,
    store: Optional[str] = None,
    **flags: Any,
) -> Job:
    """Gives a function or a command to the queue service, which runs it in clean hours: Client(...).submit(...)."""
    client = Client(server, token_file=token_file, store=store)
    return client.submit(work, args=args, kwargs=kwargs, folder=folder, after=after, **flags)
