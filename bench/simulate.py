"""What the simulation benchmarks share: run `ebb simulate` on a scenario text, and figures over some of its start dates."""

import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EBB = os.environ.get("EBB", os.path.join(ROOT, "build", "release", "bin", "ebb"))
SHIPPED = os.path.join(ROOT, "data", "carbon")
# Series and jobs that may not be passed on, laid out as the benchmarks name them; absent on most machines.
DATA = os.environ.get("EBB_SHARED_DATA", os.path.join(os.path.dirname(ROOT), "shared", "data"))

SWEEP_JOBS = """
  - {name: r16, count: 8, duration: 1.4h, power_w: 381, tier: "1", max_delay: 24h%s}
  - {name: r32, count: 4, duration: 1.6h, power_w: 381, tier: "2", max_delay: 48h%s}
  - {name: r32-wide, count: 9, duration: 1.6h, power_w: 381, tier: "3", max_delay: 96h%s}"""


# By grams and deadlines: the thresholds and priorities of the tiers are for the policy `tiers`.
PLANNER = "{policy: planner, thresholds_and_priorities: false}"


def sweep_jobs(more=""):
    """The published sweep; `more` is added to every group."""
    return SWEEP_JOBS % (more, more, more)


def need(path):
    """Skips visibly where data is absent."""
    if not os.path.exists(path):
        print(f"SKIPPED: {os.path.relpath(path, ROOT)} is absent; data/README.md says what may not be shipped and where it is")
        sys.exit(0)
    return path


def simulate(text, *flags):
    """The JSON of a scenario given as text."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as scenario:
        scenario.write(text)
        scenario.flush()
        done = subprocess.run([EBB, "simulate", scenario.name, "--format", "json", *flags], stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(done.returncode)
    return json.loads(done.stdout)


# Each hour known as it begins, which nobody can, and an hour after its end, the default of measured series (docs/signals.md).
LAGS = ("none", "1h")


def add_lags(parser):
    parser.add_argument("--publication-lag", dest="lags", action="append", metavar="DURATION",
                        help="how long after its end an hour is published, or none: as it begins; several times: side by side (default: none and 1h)")


def by_lag(lags, text):
    """The JSON of a scenario for each publication lag."""
    return {lag: simulate(text, "--publication-lag", lag) for lag in lags or LAGS}


def cost_of_lag(name, sums):
    """One line: what knowing later costs, from {lag: Sums}."""
    values = list(sums.values())
    if len(values) < 2:
        return ""
    first, last = values[0], values[-1]
    return (f"  {name}: captured " + ", ".join(f"{s.share:.1f} % ({lag})" for lag, s in sums.items())
            + f"; knowing later costs {first.share - last.share:.1f} points, {100 * (last.grams / first.grams - 1):.1f} % more grams")


class Sums:
    """One policy over the start dates that `chosen` accepts."""

    def __init__(self, result, label, chosen=lambda start: True):
        policies = {policy["label"]: policy for policy in result["policies"]}
        starts, base = policies[label]["starts"], policies["run-now"]["starts"]
        picked = [i for i, start in enumerate(starts) if chosen(start["start"])]
        total = lambda rows, key: sum(rows[i][key] for i in picked)
        self.count = len(picked)
        self.grams, self.base = total(starts, "emissions_g"), total(base, "emissions_g")
        self.kwh, self.base_kwh = total(starts, "energy_kwh"), total(base, "energy_kwh")
        self.bound = sum(result["bound"]["emissions_g"][i] for i in picked)
        self.late = total(starts, "late_starts") + total(starts, "late_ends")
        self.pauses = total(starts, "pauses")
        self.worse = sum(starts[i]["emissions_g"] > base[i]["emissions_g"] for i in picked)
        self.jobs = self.count * result["jobs"]

    @property
    def share(self):
        return 100 * (self.base - self.grams) / (self.base - self.bound) if self.base > self.bound else float("nan")

    @property
    def saving(self):
        return 100 * (1 - self.grams / self.base)

    def row(self, name):
        return (f"  {name:34} {self.count:4} starts  saved {self.saving:5.1f} %  of the hindsight saving {self.share:6.1f} %"
                f"  late {self.late}/{self.jobs}  worse {self.worse}")
