#!/usr/bin/env python3
"""Live weather as a user asks for it: ebb beside a server of this file that answers as Open-Meteo and as a grid do.

    weather_test.py EBB
"""

import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from urllib.parse import parse_qs, urlparse

EBB = sys.argv[1]
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
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class TestWeather(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.cache = scratch.name
        self.server = Server()
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def grid(self, *more, zone="DE"):
        words = [EBB, "grid", "--zone", zone, "--api-url", self.address + "/co2", "--json-list", "/rows",
                 "--json-value", "/value", "--json-time", "/from", "--json-unit", "g/kWh", "--signal-cache", self.cache,
                 "--format", "json", *more]
        environment = os.environ | {"EBB_CONFIG": "none", "TZ": "UTC", "OPEN_METEO_API_KEY": "the-key"}
        return subprocess.run(words, capture_output=True, text=True, env=environment, timeout=60, check=False)

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
                             ["persistence", "seasonal-naive", "ridge", "provider"])
            self.assertEqual(score["publication_lag_s"], 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
