"""What the benchmarks of forecasts with weather share: their series, and figures over start dates with intervals."""

import csv
import glob
import gzip
import os
import random

from simulate import DATA, need

SAMPLES, SEED = 2000, 1


def rows_of(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def one(pattern):
    """The one file of a pattern under the shared data."""
    found = sorted(glob.glob(os.path.join(DATA, pattern)))
    return need(found[0] if found else os.path.join(DATA, pattern))


def production(zone):
    return one(f"carbon/production_2020_2021/{zone}_*_lifecycle.csv.gz")


def weather(zone):
    return one(f"weather/{zone}_gfs-*.csv.gz")


def joined(zone, folder):
    """2020 scaled to the level of January 2021, then 2021 and a little of 2022; nothing of what is scored decides the scale."""
    past = {row["timestamp"]: float(row["carbon_intensity"]) for row in rows_of(production(zone))}
    later = [row for row in rows_of(one(f"carbon/lifecycle/{zone}_*_lifecycle.csv.gz")) if row["carbon_intensity"]]
    january = [row for row in later if row["timestamp"].startswith("2021-01")]
    scale = sum(float(row["carbon_intensity"]) for row in january) / sum(past[row["timestamp"]] for row in january)
    path = os.path.join(folder, f"{zone}_joined_2020-2021_hourly_lifecycle.csv")
    with open(path, "w", encoding="utf-8") as file:
        file.write("timestamp,carbon_intensity\n")
        for timestamp, value in past.items():
            if timestamp < "2021":
                file.write(f"{timestamp},{scale * value:.2f}\n")
        for row in later:
            if row["timestamp"] < "2022-01-20":
                file.write(f"{row['timestamp']},{row['carbon_intensity']}\n")
    return path


def grams(result):
    """By start date: run-now, the planner, the best in hindsight."""
    policies = {policy["label"]: policy["starts"] for policy in result["policies"]}
    bound = result["bound"]["emissions_g"]
    return [(at_once["emissions_g"], plan["emissions_g"], best)
            for at_once, plan, best in zip(policies["run-now"], policies["planner"], bound)]


def share(rows):
    return 100 * sum(row[0] - row[1] for row in rows) / sum(row[0] - row[2] for row in rows)


def interval(draw):
    """95 % of draw(indices) over resampled start dates, the same ones for both sides of a difference."""
    rng = random.Random(SEED)
    values = sorted(draw(rng) for _ in range(SAMPLES))
    return values[int(0.025 * SAMPLES)], values[int(0.975 * SAMPLES) - 1]


def gain(without, with_weather):
    def draw(rng):
        picked = [rng.randrange(len(without)) for _ in without]
        return share([with_weather[i] for i in picked]) - share([without[i] for i in picked])
    return interval(draw)
