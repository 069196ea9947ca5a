"""For Airflow: a sensor that lets its DAG go on when power is clean.

    from ebb.airflow import CleanPowerSensor

    CleanPowerSensor(task_id="clean", duration="2h", start_by=datetime.timedelta(hours=8), zone="DE") >> train
"""

from __future__ import annotations

import datetime
from typing import Any, Dict, Optional

try:
    from airflow.sdk import BaseSensorOperator
except ImportError:  # Airflow 2
    from airflow.sensors.base import BaseSensorOperator

from ebb._grid import Duration
from ebb._waiting import wait_for_clean_power


class CleanPowerSensor(BaseSensorOperator):
    """Other keywords are the flags of `ebb until`, by ``flags``, or ``zone``. Each poke is one `ebb until --dry-run`."""

    template_fields = ("duration", "zone")

    def __init__(
        self,
        *,
        duration: Duration = "1h",
        start_by: datetime.timedelta = datetime.timedelta(hours=24),
        zone: Optional[str] = None,
        flags: Optional[Dict[str, Any]] = None,
        poke_interval: float = 300,
        mode: str = "reschedule",
        **arguments: Any,
    ) -> None:
        # The deadline is that of `ebb until`, which starts then; Airflow's would fail the task.
        arguments.setdefault("timeout", start_by.total_seconds() + 24 * 3600)
        super().__init__(poke_interval=poke_interval, mode=mode, **arguments)
        self.duration, self.start_by, self.zone, self.flags = duration, start_by, zone, dict(flags or {})

    def poke(self, context: Any) -> bool:
        began = context["dag_run"].start_date or datetime.datetime.now(datetime.timezone.utc)
        left = began + self.start_by - datetime.datetime.now(datetime.timezone.utc)
        wait = wait_for_clean_power(
            self.duration,
            max(left, datetime.timedelta(0)),
            dry_run=True,
            **{"zone": self.zone, "quiet": True, **self.flags},
        )
        self.log.info("%s", wait)
        return bool(wait)
