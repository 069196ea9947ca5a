#!/usr/bin/env python3
"""Live weather as a user asks for it: ebb beside a server of this file that answers as Open-Meteo and as a grid do.

    weather_test.py EBB
"""

import http.server
import json
import os
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from urllib.parse import parse_qs, urlparse

from live_sources import EBB, BesideServer, has_library, send

UNITS = {"wind": "m/s", "temperature": "°C", "shortwave": "W/m²", "precipitation": "mm"}
VALUES = {"wind": 5.5, "temperature": 9, "shortwave": 120, "precipitation": 0.1}


def kind_of(variable):
    return variable.split("_")[0]


def grid(now):
    hours = range(now - 100 * 86400, now + 1, 3600)
    return {"rows": [{"from": time.strftime("%Y-%m-%dT%H:00Z", time.gmtime(t)), "value": 300 + t // 3600 % 24}
                     for t in hours]}


def weather(query, now, wind_unit):
    day = now // 86400 * 86400
    times = list(range(day - 86400 * int(query["past_days"][0]), day + 86400 * int(query["forecast_days"][0]), 3600))
    variables = query["hourly"][0].split(",")
    units = {v: UNITS[kind_of(v)] for v in variables} | {v: wind_unit for v in variables if kind_of(v) == "wind"}
    place = {"hourly_units": units,
             "hourly": {"time": times} | {v: [VALUES[kind_of(v)]] * len(times) for v in variables}}
    places = len(query["latitude"][0].split(","))
    return place if places == 1 else [place] * places


class Server(http.server.ThreadingHTTPServer):
    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked, self.wind_unit = [], "m/s"


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):  # pylint: disable=invalid-name
        url = urlparse(self.path)
        now = int(time.time()) // 3600 * 3600
        if url.path == "/v1/forecast":
            self.server.asked.append(parse_qs(url.query))
            answer = weather(self.server.asked[-1], now, self.server.wind_unit)
        else:
            answer = grid(now)
        send(self, json.dumps(answer))


class TestWeather(BesideServer):
    make_server, variables = Server, {"OPEN_METEO_API_KEY": "the-key"}

    def open_meteo(self, *more, zone="DE"):
        return self.grid("--weather", "open-meteo", "--weather-url", self.address, *more, zone=zone)

    def test_the_forecast_knows_the_weather_and_says_so(self):
        first = self.open_meteo()
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertIn("and the weather (run of ", json.loads(first.stdout)["forecast_method"])
        self.assertIn("CC BY 4.0", first.stderr)
        self.assertEqual(len(self.server.asked), 2)
        self.assertEqual(len(self.server.asked[1]["latitude"][0].split(",")), 9)
        self.assertNotIn("apikey", self.server.asked[1], "the key is Open-Meteo's, not that of a server of one's own")
        again = self.open_meteo()
        self.assertIn("and the weather (run of ", json.loads(again.stdout)["forecast_method"])
        self.assertEqual(len(self.server.asked), 2, "kept on disk")
        self.assertEqual(again.stderr, "", "terms are told at first use")

    def test_places_of_ones_own(self):
        self.assertNotEqual(self.open_meteo(zone="elsewhere").returncode, 0)
        answer = self.open_meteo("--weather-points", "54.4,9.2; 53.4,7.6", zone="elsewhere")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertEqual(self.server.asked[-1]["latitude"], ["54.4,53.4"])

    def test_weather_that_cannot_be_used_is_left_out_and_said(self):
        self.server.wind_unit = "km/h"
        answer = self.open_meteo()
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertIn("no weather is known", json.loads(answer.stdout)["forecast_method"])
        self.assertIn('is in "km/h", not in m/s', answer.stderr)
        without = json.loads(self.grid().stdout)
        self.assertEqual(json.loads(answer.stdout)["forecast"][:40], without["forecast"][:40])

    def test_weather_without_a_use_is_refused(self):
        refused = self.grid("--weather", "runs.csv")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("a file of archived weather is for traces", refused.stderr)


def grib(category, number, level, span, value, issued):
    """One field of one value on a grid of 2 degrees over Europe, as a GRIB2 message. `level`: metres above ground, 0: its
    surface. `span`: hours, of a moment both the same."""
    begin, end = span
    year, month, day, hour = time.gmtime(issued)[:4]
    section = lambda number, body: struct.pack(">IB", len(body) + 5, number) + body
    micro = lambda degrees: struct.pack(">I", int(degrees * 1e6))
    identity = struct.pack(">HHBBBHBBBBBBB", 7, 0, 2, 1, 1, year, month, day, hour, 0, 0, 0, 1)
    points = struct.pack(">BIBBH", 0, 16 * 11, 0, 0, 0) + b"\6" + b"\0" * 15 + struct.pack(">IIII", 16, 11, 0, 0xFFFFFFFF)
    grid = points + micro(60) + micro(0) + b"\x30" + micro(40) + micro(30) + micro(2) + micro(2) + b"\0"
    surface = struct.pack(">BBIBBI", 103 if level else 1, 0, level, 255, 0, 0)
    product = struct.pack(">HHBBBBBHBBI", 0, 0 if begin == end else 8, category, number, 2, 0, 96, 0, 0, 1, begin) + surface
    if begin != end:
        over = time.gmtime(issued + end * 3600)[:4]
        product += struct.pack(">HBBBBBBIBBBIBI", *over, 0, 0, 1, 0, 0, 2, 1, end - begin, 255, 0)
    packing = struct.pack(">IHfhhBB", 16 * 11, 0, value, 0, 0, 0, 0)
    sections = (section(1, identity) + section(3, grid) + section(4, product) + section(5, packing) + section(6, b"\xff") +
                section(7, b"") + b"7777")
    return b"GRIB" + struct.pack(">HBBQ", 0, 0, 2, 16 + len(sections)) + sections


@unittest.skipUnless(has_library("libeccodes.so.0"), "ecCodes (libeccodes0) is not installed")
class TestGfsFolder(unittest.TestCase):
    """Files of GFS that somebody else brings, laid out as NOAA does, made here byte by byte."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name + "/gfs"
        self.scratch = scratch.name

    def add_run(self, issued, wind=5, last=120, begin=0):
        folder = time.strftime(self.folder + "/gfs.%Y%m%d/%H/atmos", time.gmtime(issued))
        os.makedirs(folder)
        for hour in range(begin, last + 1, 3):
            name = time.strftime(f"{folder}/gfs.t%Hz.pgrb2.0p25.f{hour:03}", time.gmtime(issued))
            at = (hour, hour)
            fields = [(2, 2, 10, at, wind), (2, 3, 10, at, 0), (0, 0, 2, at, 280)]
            if hour:
                span = ((hour - 1) // 6 * 6, hour)
                fields += [(4, 192, 0, span, 120), (1, 7, 0, span, 0.0001)]
            with open(name, "wb") as file:
                file.write(b"".join(grib(*field, issued) for field in fields))
            os.utime(name, (time.time() - 900, time.time() - 900))

    def ebb(self, *words):
        environment = os.environ | {"EBB_CONFIG": "none", "TZ": "UTC"}
        return subprocess.run([EBB, *words], capture_output=True, text=True, env=environment, timeout=60, check=False)

    def trace(self, begin, days):
        path = self.scratch + "/DE_made_hourly_lifecycle.csv"
        with open(path, "w", encoding="utf-8") as file:
            file.write("timestamp,carbon_intensity\n")
            for t in range(begin, begin + days * 86400, 3600):
                file.write(time.strftime("%Y-%m-%dT%H:00Z,", time.gmtime(t)) + f"{300 + t // 3600 % 24}\n")
        return path

    def test_a_folder_becomes_archived_runs(self):
        begin = 1772323200  # 2026-03-01
        self.add_run(begin)
        self.add_run(begin + 86400, wind=9)
        output = self.scratch + "/DE_gfs.csv"
        answer = self.ebb("data", "weather", self.folder, "--zone", "DE", "--weather-lag", "5h", "--output", output)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertIn("DE: 2 runs from 2026-03-01T00:00:00Z to 2026-03-02T00:00:00Z, 240 hours of weather, 0 hours unknown",
                      answer.stdout)
        with open(output, encoding="utf-8") as file:
            row = file.read().splitlines()[1].split(",")
        self.assertEqual(row[:3], ["2026-03-01T00:00:00Z", "2026-03-01T05:00:00Z", "0"])
        for value, expected in zip(row[3:], (5, 280, 120, 0.36)):
            self.assertAlmostEqual(float(value), expected, places=3)
        self.assertNotEqual(self.ebb("data", "weather", self.folder, "--zone", "XX").returncode, 0, "no places are known")

    def test_a_forecast_from_a_trace_knows_it(self):
        begin = 1772323200 - 110 * 86400
        for day in range(110):
            self.add_run(begin + day * 86400, wind=5 + day % 7, last=24 if day < 109 else 120)
        trace = self.trace(begin, 110)
        answer = self.ebb("forecast", "--trace", trace, "--weather", self.folder, "--at", "2026-02-28T23:00Z", "--format", "json")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertIn("and the weather (run of 2026-02-28T00:00:00Z", json.loads(answer.stdout)["method"])
        away = self.ebb("forecast", "--trace", trace, "--weather", self.folder, "--weather-points", "10,10")
        self.assertIn("the place 10,10 lies outside", away.stderr)

    def test_a_damaged_file_is_named(self):
        self.add_run(1772323200)
        name = self.folder + "/gfs.20260301/00/atmos/gfs.t00z.pgrb2.0p25.f003"
        with open(name, "r+b") as file:
            file.truncate(os.path.getsize(name) - 7)
        answer = self.ebb("data", "weather", self.folder, "--zone", "DE", "--dry-run")
        self.assertEqual(answer.returncode, 3)
        self.assertIn("f003: the file ends within a message", answer.stderr)

    def test_beside_a_live_source(self):
        now = int(time.time()) // 21600 * 21600
        self.add_run(now - 21600)
        server = Server()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        words = ["grid", "--zone", "DE", "--api-url", f"http://127.0.0.1:{server.server_address[1]}/co2", "--json-list",
                 "/rows", "--json-value", "/value", "--json-time", "/from", "--json-unit", "g/kWh", "--signal-cache",
                 self.scratch + "/cache", "--weather", self.folder, "--format", "json"]
        answer = self.ebb(*words)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        kept = [name for name in os.listdir(self.scratch + "/cache") if name.startswith("grib-folder_DE_")]
        self.assertTrue(any(name.endswith(".csv") for name in kept), kept)
        os.rename(self.folder, self.folder + "-away")
        os.makedirs(self.folder)
        again = self.ebb(*words)
        self.assertEqual(json.loads(again.stdout)["forecast_method"].split(",")[0],
                         json.loads(answer.stdout)["forecast_method"].split(",")[0], "kept on disk")


class TestScore(unittest.TestCase):
    """ebb forecast --score reads what a live source has left on disk, and asks nobody."""

    def keep(self, offset):
        now = int(time.time()) // 3600 * 3600
        iso = lambda t: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(t))
        value = lambda t: 100 + 10 * (t // 3600 % 24)
        rows = lambda begin, end, more: [[t, t + 1800, value(t) + more] for t in range(begin, end, 1800)]
        known = [[iso(a), iso(b), v, "measured"] for a, b, v in rows(now - 90 * 86400, now, 0)]
        forecasts = [{"at": iso(t), "known_until": iso(t), "rows": [[a - t, b - a, v] for a, b, v in rows(t, t + 2 * 86400, offset)]}
                     for t in range(now - 35 * 86400, now, 13 * 3600)]
        cache = {"schema": "ebb.signal-cache/1", "provider": "uk-carbon-intensity", "zone": "GB", "kind": "average",
                 "boundary": "direct", "source": "test", "answered_at": iso(now), "known": known, "forecast": []}
        with tempfile.TemporaryDirectory() as scratch:
            os.makedirs(scratch + "/ebb/signals")
            for ending, content in ("", cache), ("_forecasts", {"schema": "ebb.forecast-record/1", "forecasts": forecasts}):
                with open(f"{scratch}/ebb/signals/uk-carbon-intensity_GB_average_direct{ending}.json", "w", encoding="utf-8") as file:
                    json.dump(content, file)
            words = [EBB, "forecast", "--score", "--zone", "GB", "--format", "json"]
            environment = os.environ | {"EBB_CONFIG": "none", "TZ": "UTC", "XDG_CACHE_HOME": scratch}
            return subprocess.run(words, capture_output=True, text=True, env=environment, timeout=60, check=False)

    def test_of_a_provider_beside_ours(self):
        for offset in 0, 50:
            answer = self.keep(offset)
            self.assertEqual(answer.returncode, 0, answer.stderr)
            score = json.loads(answer.stdout)
            self.assertAlmostEqual(score["provider_or_ours"]["provider_mae_g_per_kwh"], offset)
            self.assertLess(score["provider_or_ours"]["ours_mae_g_per_kwh"], 10)
            self.assertEqual(score["uses_provider"], offset == 0)
            self.assertEqual([method["method"] for method in score["methods"]],
                             ["persistence", "seasonal-naive", "ridge", "typical-days", "provider"])
            self.assertEqual(score["publication_lag_s"], 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
