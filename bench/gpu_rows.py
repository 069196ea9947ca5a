"""The table of bench/gpu: what Ebb and its peer reached, their ratios, and the aims."""

import dataclasses


@dataclasses.dataclass
class Figures:
    """Of one program in one setting; None: not known."""
    per_second: float
    joules_per_unit: float | None = None
    peak_gb: float | None = None
    flops_per_second: float | None = None
    note: str = ""
    more: dict = dataclasses.field(default_factory=dict)

    @property
    def units_per_joule(self):
        return 1 / self.joules_per_unit if self.joules_per_unit else None


@dataclasses.dataclass
class Row:
    part: str
    name: str
    unit: str
    ours: Figures | None = None
    peer: Figures | None = None
    ratio_aim: float | None = None  # of units per second and per joule
    note: str = ""

    def ratio(self, key):
        ours, peer = (getattr(each, key) if each else None for each in (self.ours, self.peer))
        return ours / peer if ours and peer else None


@dataclasses.dataclass
class Aim:
    what: str
    value: float | None
    compare: str  # ">=", "<", "=="
    aim: float
    unit: str = ""

    @property
    def met(self):
        if self.value is None:
            return None
        return {">=": self.value >= self.aim, "<": self.value < self.aim, "==": self.value == self.aim}[self.compare]

    def sentence(self):
        if self.value is None:
            return f"not measured  {self.what}: aim {self.compare} {self.aim:g}{self.unit}"
        return f"{'met' if self.met else 'MISSED':13} {self.what}: {self.value:.4g}{self.unit}, aim {self.compare} {self.aim:g}{self.unit}"


def number(value, digits=0):
    return "-" if value is None else f"{value:,.{digits}f}"


HEADER = (f"{'what':46} {'Ebb /s':>10} {'peer /s':>10} {'ratio':>6} {'Ebb /J':>9} {'peer /J':>9} {'ratio':>6} {'aim':>5} "
          f"{'Ebb GB':>7} {'peer GB':>8} {'share %':>8} {'peer %':>7}")


def line(row, rate):
    """`rate`: the product rate of the device, which shares are of."""
    def column(key, digits):
        return [number(getattr(each, key) if each else None, digits) for each in (row.ours, row.peer)]

    def share(figures):
        return number(100 * figures.flops_per_second / rate if figures and figures.flops_per_second and rate else None, 1)
    speed, joule, peak = column("per_second", 0 if row.unit != "tokens, one at a time" else 1), \
        column("units_per_joule", 1), column("peak_gb", 1)
    aim = "" if row.ratio_aim is None else f"{row.ratio_aim:g}x"
    text = (f"{row.name:46} {speed[0]:>10} {speed[1]:>10} {number(row.ratio('per_second'), 2):>6} {joule[0]:>9} {joule[1]:>9} "
            f"{number(row.ratio('units_per_joule'), 2):>6} {aim:>5} {peak[0]:>7} {peak[1]:>8} {share(row.ours):>8} {share(row.peer):>7}")
    notes = [note for note in (row.note, row.ours and row.ours.note, row.peer and row.peer.note) if note]
    return text + "".join(f"\n    {note}" for note in notes)


def aims_of_ratios(rows):
    aims = []
    for row in rows:
        if row.ratio_aim is not None:
            aims += [Aim(f"{row.name}: {row.unit}/{per} against the peer", row.ratio(key), ">=", row.ratio_aim, "x")
                     for per, key in (("s", "per_second"), ("J", "units_per_joule"))]
    return aims
