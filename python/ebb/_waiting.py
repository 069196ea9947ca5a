"""Waiting for clean power: `ebb until`, which decides as `ebb run` does and starts nothing."""

from __future__ import annotations

import datetime
import functools
import json
import subprocess
import sys
from types import TracebackType
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Type, TypeVar, Union, overload

from ebb._error import Error
from ebb._grid import Duration, moment
from ebb._program import fail, flags_of, program

#: "6h", "18:00", "tomorrow 6am", seconds from now, a timedelta, or a datetime.
When = Union[str, float, datetime.timedelta, datetime.datetime]
Function = TypeVar("Function", bound=Callable[..., Any])

_TRY_LATER = 75


class Wait(NamedTuple):
    """How a wait ended, and why. True if it is time to start. Times are in UTC."""

    #: start, wait (a dry run would wait) or stop.
    action: str
    #: The rule that decided, by its stable name: cleanest_now, below_threshold, latest_start ...
    rule: str
    #: The rule with its numbers, for people.
    reason: str
    policy: str
    zone: str
    source: str
    submitted: datetime.datetime
    decided: datetime.datetime
    waited: datetime.timedelta
    latest_start: datetime.datetime
    #: When it would start: now, or of a wait what is expected; None: nothing is expected before the latest start.
    expected_start: Optional[datetime.datetime]
    #: Intensities in g CO2eq per kWh; None: unknown. The means are over the duration.
    g_per_kwh: Optional[float]
    g_per_kwh_at_submission: Optional[float]
    mean_at_submission_g_per_kwh: Optional[float]
    expected_mean_g_per_kwh: Optional[float]

    def __bool__(self) -> bool:
        return self.action == "start"

    def __str__(self) -> str:
        return f"{self.action}: {self.reason}"

    def __repr__(self) -> str:
        return f"<ebb.Wait {self}>"


class NoCleanPower(Error):
    """A wait with ``at_deadline="stop"`` or ``on_outage="stop"`` gave up; ``wait`` says why."""

    def __init__(self, wait: Wait) -> None:
        super().__init__(wait.reason, _TRY_LATER)
        self.wait = wait


def _wait_of(found: Dict[str, Any]) -> Wait:
    expected = found["expected_start"]
    return Wait(
        action=found["action"],
        rule=found["rule"],
        reason=found["reason"],
        policy=found["policy"],
        zone=found["zone"],
        source=found["source"],
        submitted=moment(found["submitted"]),
        decided=moment(found["decided"]),
        waited=datetime.timedelta(seconds=found["waited_s"]),
        latest_start=moment(found["latest_start"]),
        expected_start=moment(expected) if expected else None,
        g_per_kwh=found["intensity_g_per_kwh"],
        g_per_kwh_at_submission=found["intensity_at_submission_g_per_kwh"],
        mean_at_submission_g_per_kwh=found["mean_at_submission_g_per_kwh"],
        expected_mean_g_per_kwh=found["expected_mean_g_per_kwh"],
    )


def _command(duration: Optional[Duration], start_by: Optional[When], dry_run: bool, flags: Dict[str, Any]) -> List[str]:
    named = {"duration": duration, "start_by": start_by, "dry_run": dry_run, **flags}
    return [program(), "until", "--format", "json", *flags_of(named)]


def _shows_itself() -> bool:
    """True if the program may draw its line on the terminal; else its lines go through sys.stderr (a notebook, a
    captured stream, a file that Python has opened)."""
    try:
        return sys.stderr.fileno() == 2 and sys.stderr.isatty()
    except (AttributeError, OSError, ValueError):
        return False


def _end(code: int, told: bytes, said: str) -> Wait:
    if code in (0, _TRY_LATER) and told:
        wait = _wait_of(json.loads(told))
        if wait.action == "stop":
            raise NoCleanPower(wait)
        return wait
    if code == 128 + 2:
        raise KeyboardInterrupt
    return fail(["until"], code, said)


class _Relay:
    """Passes on the lines of progress, and keeps those of an error, which an exception tells."""

    def __init__(self) -> None:
        self.error = ""

    def add(self, line: bytes) -> None:
        text = line.decode(errors="replace")
        if self.error or text.startswith("ebb: "):
            self.error += text
        elif sys.stderr is not None:
            sys.stderr.write(text)
            sys.stderr.flush()


def wait_for_clean_power(
    duration: Optional[Duration] = None,
    start_by: Optional[When] = None,
    *,
    dry_run: bool = False,
    **flags: Any,
) -> Wait:
    """Blocks until power is clean for a run of ``duration`` (1 h), or ``start_by`` (24 h) is reached; returns why.

    Other keywords are the flags of `ebb until` with "_" for "-": ``zone="DE"``, ``threshold=200``, ``quiet=True``
    (no progress line), ``at_deadline="stop"`` (then NoCleanPower is raised rather than starting on dirty power).
    ``dry_run=True`` decides once and does not wait: the result is false if it would wait.
    """
    command = _command(duration, start_by, dry_run, flags)
    relay = _Relay()
    shows = _shows_itself()
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=None if shows else subprocess.PIPE
    )
    try:
        for line in process.stderr or ():
            relay.add(line)
        told, _ = process.communicate()
    except BaseException:
        process.terminate()
        process.wait()
        raise
    return _end(process.returncode, told, relay.error)


async def wait_for_clean_power_async(
    duration: Optional[Duration] = None,
    start_by: Optional[When] = None,
    *,
    dry_run: bool = False,
    **flags: Any,
) -> Wait:
    """wait_for_clean_power for asyncio; cancelling the task ends the wait."""
    import asyncio

    command = _command(duration, start_by, dry_run, flags)
    relay = _Relay()
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=None if _shows_itself() else asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        if process.stderr is not None:
            async for line in process.stderr:
                relay.add(line)
        told = await process.stdout.read()
        code = await process.wait()
    except BaseException:
        if process.returncode is None:
            process.terminate()
            await process.wait()
        raise
    return _end(code, told, relay.error)


class clean_power:  # noqa: N801  (used as a function)
    """``with ebb.clean_power(duration="2h") as wait:`` waits before the block; ``async with`` does, too. Arguments as
    wait_for_clean_power."""

    def __init__(self, duration: Optional[Duration] = None, start_by: Optional[When] = None, **flags: Any) -> None:
        if flags.get("dry_run"):
            raise Error("a block runs whatever a dry run says: use wait_for_clean_power(dry_run=True)", 2)
        self._arguments: Dict[str, Any] = {"duration": duration, "start_by": start_by, **flags}

    def __enter__(self) -> Wait:
        return wait_for_clean_power(**self._arguments)

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        return None

    async def __aenter__(self) -> Wait:
        return await wait_for_clean_power_async(**self._arguments)

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        return None


def _waiting(function: Callable[..., Any], make: Callable[[], clean_power]) -> Callable[..., Any]:
    import inspect

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def waits_async(*args: Any, **kwargs: Any) -> Any:
            async with make():
                return await function(*args, **kwargs)

        return waits_async

    if inspect.isasyncgenfunction(function):

        @functools.wraps(function)
        async def waits_async_generator(*args: Any, **kwargs: Any) -> Any:
            async with make():
                pass
            async for value in function(*args, **kwargs):
                yield value

        return waits_async_generator

    if inspect.isgeneratorfunction(function):

        @functools.wraps(function)
        def waits_generator(*args: Any, **kwargs: Any) -> Any:
            with make():
                return (yield from function(*args, **kwargs))

        return waits_generator

    @functools.wraps(function)
    def waits(*args: Any, **kwargs: Any) -> Any:
        with make():
            return function(*args, **kwargs)

    return waits


@overload
def when_clean(function: Function) -> Function: ...


@overload
def when_clean(
    *, duration: Optional[Duration] = None, start_by: Optional[When] = None, **flags: Any
) -> Callable[[Function], Function]: ...


def when_clean(function: Optional[Callable[..., Any]] = None, **arguments: Any) -> Any:
    """``@ebb.when_clean`` or ``@ebb.when_clean(duration="2h", start_by="12h")``: each call waits for clean power first.
    Coroutines wait without blocking the loop; generators wait when they are first iterated. Arguments as
    wait_for_clean_power."""
    if function is not None:
        return _waiting(function, clean_power)
    make = functools.partial(clean_power, **arguments)
    make()  # mistakes are told where the decorator stands
    return lambda decorated: _waiting(decorated, make)
