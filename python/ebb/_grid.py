"""The grid as data: the answers of `ebb grid`."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Union

from ebb._error import Error
from ebb._program import ask, flags_of

if TYPE_CHECKING:
    import pandas

#: "2h", seconds, or a timedelta.
Duration = Union[str, float, datetime.timedelta]


class Sample(NamedTuple):
    """One value of the carbon intensity, in g CO2eq per kWh."""

    start: datetime.datetime
    end: datetime.datetime
    g_per_kwh: float
    #: measured, estimated, forecast or modelled.
    status: str
    #: The band of a forecast, if it has one.
    p10_g_per_kwh: Optional[float] = None
    p90_g_per_kwh: Optional[float] = None


class Window(NamedTuple):
    """A stretch of hours with its mean carbon intensity."""

    start: datetime.datetime
    end: datetime.datetime
    g_per_kwh: float

    def __str__(self) -> str:
        return f"{self.start:%a %d %b %H:%M} to {_end_text(self)}, {self.g_per_kwh:.0f} g/kWh"


def _end_text(window: Window) -> str:
    is_same_day = window.start.date() == window.end.date()
    return format(window.end, "%H:%M UTC" if is_same_day else "%a %d %b %H:%M UTC")


class Grid(NamedTuple):
    """Carbon intensity now and ahead. Times are in UTC."""

    zone: str
    source: str
    #: average or marginal.
    kind: str
    #: lifecycle, direct or unknown.
    boundary: str
    now: datetime.datetime
    #: None: unknown.
    current: Optional[Sample]
    forecast: List[Sample]
    #: False: one value stands for all hours, so no hour is the cleanest.
    hours_known: bool
    forecast_method: str
    #: The cleanest first; empty if no hour is known.
    windows: List[Window]

    def __repr__(self) -> str:
        now = f"{self.current.g_per_kwh:.0f} g/kWh now, {self.current.status}" if self.current else "unknown now"
        ahead = f", {len(self.forecast)} values ahead" if self.forecast else ""
        best = f", cleanest {self.windows[0]}" if self.windows else ""
        return f"<ebb.Grid {self.zone or 'unnamed zone'}: {now}{ahead}{best}>"

    @property
    def g_per_kwh(self) -> Optional[float]:
        """The intensity now; None: unknown."""
        return self.current.g_per_kwh if self.current else None

    def to_frame(self) -> "pandas.DataFrame":
        """The value of now and the forecast as a pandas DataFrame, by start. An Error without pandas."""
        try:
            import pandas
        except ImportError:
            raise Error("a DataFrame needs pandas: pip install pandas", 4) from None
        known = [self.current] if self.current else []
        return pandas.DataFrame(known + self.forecast, columns=Sample._fields).set_index("start")


def moment(text: str) -> datetime.datetime:
    """A time of the program: always in UTC, with or without milliseconds."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def _sample(found: Dict[str, Any]) -> Sample:
    return Sample(
        moment(found["begin"]),
        moment(found["end"]),
        found["carbon_intensity_g_per_kwh"],
        found["status"],
        found.get("p10_g_per_kwh"),
        found.get("p90_g_per_kwh"),
    )


def grid(
    zone: Optional[str] = None,
    *,
    hours: Optional[float] = None,
    duration: Optional[Duration] = None,
    windows: Optional[int] = None,
    **flags: Any,
) -> Grid:
    """Carbon intensity now and ``hours`` ahead (48), and the cleanest ``windows`` (1) of ``duration`` (1 h).

    Other keywords are the flags of `ebb grid` with "_" for "-": ``signal="profile"``, ``trace="CISO.csv.gz"``. Without
    a zone, Ebb takes $EBB_ZONE, your settings or a guess.
    """
    named = {"zone": zone, "hours": hours, "duration": duration, "windows": windows, **flags}
    found = ask(["grid", *flags_of(named)])
    return Grid(
        zone=found["zone"],
        source=found["source"],
        kind=found["kind"],
        boundary=found["boundary"],
        now=moment(found["now"]),
        current=_sample(found["current"]) if found["current"] else None,
        forecast=[_sample(each) for each in found["forecast"]],
        hours_known=found["hours_known"],
        forecast_method=found["forecast_method"],
        windows=[Window(moment(w["start"]), moment(w["end"]), w["mean_g_per_kwh"]) for w in found["windows"]],
    )


def best_window(
    duration: Optional[Duration] = None, zone: Optional[str] = None, *, hours: Optional[float] = None, **flags: Any
) -> Optional[Window]:
    """The cleanest window of ``duration`` (1 h) within ``hours`` (48). None if one value stands for all hours."""
    found = grid(zone, hours=hours, duration=duration, windows=1, **flags).windows
    return found[0] if found else None
