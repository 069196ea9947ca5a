"""Trackers around a block or a function: a task of a ``with``, and CodeCarbon's decorators."""

from __future__ import annotations

from ebb._measuring import exit_code_of
from ebb.codecarbon._tracker import EmissionsTracker, OfflineEmissionsTracker

TYPE_CHECKING = False  # true for type checkers; typing takes a while to load

if TYPE_CHECKING:
    from typing import Any, Callable, Optional


class TaskEmissionsTracker:
    """``with TaskEmissionsTracker("grid search", tracker=t):``; without a tracker, one of its own."""

    def __init__(self, task_name: str, tracker: Optional[EmissionsTracker] = None) -> None:
        self.task_name = task_name
        self.is_default_tracker = tracker is None
        self.tracker = tracker or EmissionsTracker()

    def __enter__(self) -> "TaskEmissionsTracker":
        self.tracker.start_task(self.task_name)
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        self.tracker.stop_task()
        if self.is_default_tracker:
            self.tracker._stop(exit_code_of(kind))


def track_emissions(
    fn: Optional[Callable[..., Any]] = None,
    project_name: Optional[str] = None,
    *,
    offline: bool = False,
    **settings: Any,
) -> Callable[..., Any]:
    """CodeCarbon's decorator, bare or with the keywords of the trackers."""
    make = OfflineEmissionsTracker if offline else EmissionsTracker

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        from ebb._decorating import decorated

        return decorated(function, lambda: make(project_name, **settings))

    return decorate if fn is None else decorate(fn)


def track_task_emissions(
    fn: Optional[Callable[..., Any]] = None,
    tracker: Optional[EmissionsTracker] = None,
    task_name: str = "",
) -> Callable[..., Any]:
    """Each call of the function is a task, of ``tracker`` or of one of its own."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        from ebb._decorating import decorated

        return decorated(function, lambda: TaskEmissionsTracker(task_name, tracker))

    return decorate if fn is None else decorate(fn)
