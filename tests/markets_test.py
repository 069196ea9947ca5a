#!/usr/bin/env python3
"""Live sources of what operators expect and of day-ahead prices as a user asks for them: ebb beside a server of this
file that answers as a grid, the ENTSO-E transparency platform, Energy-Charts and California's OASIS do.

    markets_test.py EBB
"""

import calendar
import glob
import http.server
import io
import json
import os
import re
import sys
import time
import unittest
import zipfile
from urllib.parse import parse_qs, urlparse

from live_sources import BesideServer, has_library, send

HOUR, DAY = 3600, 86400
TODAY = int(time.time()) // DAY


def wind(hour):
    """MW of a day. No day is like the one before, so that only those who are told know it. Days count from today: the
    test sees the same ones on every date."""
    return 1000 + (hour // DAY - TODAY) ** 2 % 101 * 180


def load(hour):
    return 50000 + hour // HOUR % 24 * 500


def price(hour):
    return (load(hour) - wind(hour)) / 1000


def stamp(seconds, form="%Y-%m-%dT%H:%MZ"):
    return time.strftime(form, time.gmtime(seconds))


def grid(now):
    hours = range(now - 100 * DAY, now + 1, HOUR)
    return {"rows": [{"from": stamp(t), "value": 400 - wind(t) / 100 + t // HOUR % 24} for t in hours]}


def period(begin, end, value, tag, curve):
    """Hours from begin to end; of A03, those that repeat the one before are left out."""
    points, before = "", None
    for position, hour in enumerate(range(begin, end, HOUR), 1):
        if value(hour) != before or curve == "A01":
            points += f"<Point><position>{position}</position><{tag}>{value(hour)}</{tag}></Point>"
        before = value(hour)
    return (f"<curveType>{curve}</curveType><Period><timeInterval><start>{stamp(begin)}</start><end>{stamp(end)}</end>"
            f"</timeInterval><resolution>PT60M</resolution>{points}</Period>")


def entsoe(query, known_until):
    """An answer of the platform: text, status."""
    if query["securityToken"] != ["the-token"]:
        return "<html>Unauthorized</html>", 401
    begin, end = (calendar.timegm(time.strptime(query[key][0], "%Y%m%d%H%M")) for key in ("periodStart", "periodEnd"))
    end = min(end, known_until)
    kind = query["documentType"][0]
    if end <= begin:
        return ("<Acknowledgement_MarketDocument><Reason><code>999</code><text>No matching data found for Data item"
                "</text></Reason></Acknowledgement_MarketDocument>"), 200
    megawatts = "<quantity_Measure_Unit.name>MAW</quantity_Measure_Unit.name>"
    plants = "<MktPSRType><psrType>{}</psrType></MktPSRType>".format
    if kind == "A44":
        series = ("<currency_Unit.name>EUR</currency_Unit.name><price_Measure_Unit.name>MWH</price_Measure_Unit.name>" +
                  period(begin, end, price, "price.amount", "A03"))
        return f"<Publication_MarketDocument><type>A44</type><TimeSeries>{series}</TimeSeries></Publication_MarketDocument>", 200
    series = [megawatts + period(begin, end, load, "quantity", "A01")]
    if kind == "A69":
        series = [megawatts + plants("B19") + period(begin, end, wind, "quantity", "A03"),
                  megawatts + plants("B16") + period(begin, end, lambda _: 0, "quantity", "A03")]
    return (f"<GL_MarketDocument xmlns='urn:iec62325.351:tc57wg16:451-6:generationloaddocument:3:0'><type>{kind}</type>"
            "<process.processType>A01</process.processType>" + "".join(f"<TimeSeries>{s}</TimeSeries>" for s in series) +
            "</GL_MarketDocument>"), 200


def energy_charts(query, known_until):
    begin, end = (calendar.timegm(time.strptime(query[key][0], "%Y-%m-%dT%H:%M:%SZ")) for key in ("start", "end"))
    hours = list(range(begin, min(end + HOUR, known_until), HOUR))
    return {"license_info": "CC BY 4.0", "unix_seconds": hours, "price": [price(t) for t in hours], "unit": "EUR / MWh"}


def oasis(query, known_until):
    begin, end = (calendar.timegm(time.strptime(query[key][0], "%Y%m%dT%H:%M-0000")) for key in
                  ("startdatetime", "enddatetime"))
    assert end - begin <= 31 * DAY
    hours = range(begin, min(end, known_until), HOUR)
    kind = query["queryname"][0]
    when = lambda t: f"{stamp(t, '%Y-%m-%dT%H:00:00-00:00')},{stamp(t + HOUR, '%Y-%m-%dT%H:00:00-00:00')}"
    head = "INTERVALSTARTTIME_GMT,INTERVALENDTIME_GMT,"
    if kind == "SLD_FCST":
        rows = [head + "TAC_AREA_NAME,MARKET_RUN_ID,MW"] + [f"{when(t)},CA ISO-TAC,DAM,{load(t)}" for t in hours]
    elif kind == "SLD_REN_FCST":
        rows = [head + "TRADING_HUB,RENEWABLE_TYPE,MARKET_RUN_ID,MW"]
        for t in reversed(hours):
            rows += [f"{when(t)},NP15,Wind,DAM,{wind(t) - 200}", f"{when(t)},SP15,Wind,DAM,200",
                     f"{when(t)},SP15,Solar,DAM,0"]
    else:
        rows = [head + "NODE,MARKET_RUN_ID,LMP_TYPE,MW"]
        rows += [f"{when(t)},{query['node'][0]},DAM,LMP,{price(t)}" for t in hours]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        if len(hours):
            archive.writestr(kind + ".csv", "\n".join(rows) + "\n")
        else:
            archive.writestr("INVALID_REQUEST.xml", "<m:OASISReport xmlns:m='u'><m:ERR_DESC>No data returned for the "
                                                    "specified selection</m:ERR_DESC></m:OASISReport>")
    return packed.getvalue()


class Server(http.server.ThreadingHTTPServer):
    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked, self.is_down = [], False
        self.known_until = int(time.time()) // DAY * DAY + 2 * DAY


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):  # pylint: disable=invalid-name
        url = urlparse(self.path)
        query = parse_qs(url.query)
        now = int(time.time()) // HOUR * HOUR
        status = 200
        if url.path == "/co2":
            body = json.dumps(grid(now))
        else:
            self.server.asked.append((url.path, query))
            if self.server.is_down:
                body, status = "", 404
            elif url.path == "/api":
                body, status = entsoe(query, self.server.known_until)
            elif url.path == "/price":
                body = json.dumps(energy_charts(query, self.server.known_until))
            else:
                body = oasis(query, self.server.known_until)
        send(self, body, status)


class Fixture(BesideServer):
    make_server, variables = Server, {"ENTSOE_API_KEY": "the-token"}

    def until_its_past_is_known(self, pieces, *flags, **options):
        """A command is over sooner than a year's past is fetched: the next ones go on. The last of them."""
        for _ in range(20):
            answer = self.grid(*flags, **options)
            self.assertEqual(answer.returncode, 0, answer.stderr)
            if len(self.server.asked) >= pieces:
                return self.grid(*flags, **options)
        self.fail(f"asked {len(self.server.asked)} times only")

    def kept(self, name):
        (path,) = glob.glob(f"{self.cache}/{name}_*.csv")
        return path


@unittest.skipUnless(has_library("libexpat.so.1"), "Expat (libexpat1) is not installed")
class TestEntsoe(Fixture):
    def operators(self):
        return ["--operators", "entso-e", "--operators-url", self.address]

    def prices(self):
        return ["--forecast-prices", "entso-e", "--forecast-prices-url", self.address]

    def test_the_forecast_knows_what_operators_expect(self):
        first = self.grid(*self.operators())
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertIn("data of the ENTSO-E transparency platform", first.stderr)
        self.assertEqual({query["documentType"][0] for _, query in self.server.asked[:2]}, {"A65", "A69"})
        known = json.loads(self.until_its_past_is_known(10, *self.operators()).stdout)
        self.assertIn("expected load, wind and sun", known["forecast_method"])
        # How much better depends on the hour: before the operators publish, nobody knows tomorrow's wind.
        errors = re.search(r"(\d+) g/kWh with expected load, wind and sun, (\d+) without\)", known["forecast_method"])
        self.assertLess(int(errors[1]), int(errors[2]))
        asked = len(self.server.asked)
        again = self.grid(*self.operators())
        self.assertEqual((len(self.server.asked), again.stderr), (asked, ""), "kept on disk, terms told at first use")

    def test_what_was_told_can_be_read_again(self):
        self.until_its_past_is_known(10, *self.operators())
        trace = self.cache + "/DE_made_hourly_lifecycle.csv"
        now = int(time.time()) // HOUR * HOUR
        with open(trace, "w", encoding="utf-8") as file:
            file.write("timestamp,carbon_intensity\n")
            file.writelines(f"{row['from']},{row['value']}\n" for row in grid(now)["rows"])
        answer = self.ebb("forecast", "--trace", trace, "--operators", self.kept("entso-e_operators"))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertIn("expected load, wind and sun", answer.stdout)

    def test_prices_of_two_services(self):
        flags = self.prices()
        known = json.loads(self.until_its_past_is_known(5, *flags).stdout)
        self.assertIn("prices", known["forecast_method"])
        self.assertEqual(self.server.asked[0][1]["in_Domain"], ["10Y1001A1001A82H"])
        with open(self.kept("entso-e_prices"), encoding="utf-8") as file:
            self.assertEqual(file.readline(), "timestamp,price_eur_per_mwh,published\n")
        answer = self.ebb("prices", self.kept("entso-e_prices"))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.server.asked.clear()
        flags = ["--forecast-prices", "energy-charts", "--forecast-prices-url", self.address]
        known = json.loads(self.until_its_past_is_known(5, *flags).stdout)
        self.assertIn("prices", known["forecast_method"])
        self.assertEqual(self.server.asked[0][1]["bzn"], ["DE-LU"])

    def test_a_token_that_is_refused_is_said_and_nothing_waits_for_it(self):
        refused = self.grid(*self.operators(), ENTSOE_API_KEY="another-token")
        self.assertEqual(refused.returncode, 0, refused.stderr)
        self.assertIn("check the token of ENTSO-E", refused.stderr)
        self.assertNotIn("another-token", refused.stderr + refused.stdout)
        self.assertNotIn("expected load, wind and sun", json.loads(refused.stdout)["forecast_method"])
        self.assertEqual(len(self.server.asked), 1, "not asked again with a token that is refused")
        none = self.grid(*self.operators(), ENTSOE_API_KEY="")
        self.assertNotEqual(none.returncode, 0)
        self.assertIn("ENTSOE_API_KEY is not set", none.stderr)

    def test_a_service_that_is_away_leaves_what_is_known(self):
        self.until_its_past_is_known(10, *self.operators())
        for path in glob.glob(self.cache + "/*.asked"):
            with open(path, encoding="utf-8") as file:
                lines = file.read().split("\n")
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join([stamp(time.time() - DAY)] + lines[1:]))
        self.server.is_down = True
        away = self.grid(*self.operators())
        self.assertEqual(away.returncode, 0, away.stderr)
        self.assertIn("nothing new of entso-e operators", away.stderr)
        self.assertIn("expected load, wind and sun", json.loads(away.stdout)["forecast_method"])

    def test_settings_name_the_service_and_the_token(self):
        path = self.cache + "/settings.yaml"
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"zone: DE\nsignal: http\napi_url: {self.address}/co2\njson_list: /rows\njson_value: /value\njson_time: /from\n"
                       "json_unit: g/kWh\nforecast_prices: entso-e\nentsoe:\n  token_env: MY_TOKEN\n")
        os.chmod(path, 0o600)
        refused = self.ebb("grid", "--signal-cache", self.cache, EBB_CONFIG=path, ENTSOE_API_KEY="")
        self.assertIn("MY_TOKEN is not set", refused.stderr)
        shown = self.ebb("config", "show", EBB_CONFIG=path)
        self.assertIn("entso-e", shown.stdout)

    def test_what_has_no_use_is_refused(self):
        for flags, zone, why in [(self.operators(), "elsewhere", "tells nothing of zone elsewhere"),
                                 (["--operators", "energy-charts"], "DE", "energy-charts"),
                                 (["--operators-url", self.address], "DE", "no operators that is asked there"),
                                 (["--forecast-prices", "oasis"], "DE", "tells nothing of zone DE")]:
            refused = self.grid(*flags, zone=zone)
            self.assertNotEqual(refused.returncode, 0, flags)
            self.assertIn(why, refused.stderr)
        refused = self.ebb("grid", "--signal", "profile", "--zone", "DE", "--operators", "entso-e")
        self.assertIn("for live sources", refused.stderr)


class TestOasis(Fixture):
    def test_operators_of_california(self):
        flags = ["--operators", "oasis", "--operators-url", self.address]
        first = self.grid(*flags, zone="US-CAL-CISO")
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertIn("data of OASIS", first.stderr)
        self.assertEqual(self.server.asked[0][1]["market_run_id"], ["DAM"])
        with open(self.kept("oasis_operators"), encoding="utf-8") as file:
            self.assertEqual(file.readline(), "timestamp,load_mw,wind_mw,solar_mw,published\n")
            hour, told_load, told_wind, told_sun, _ = file.readline().split(",")
        at = calendar.timegm(time.strptime(hour, "%Y-%m-%dT%H:%M:%SZ"))
        self.assertEqual((float(told_load), float(told_wind), float(told_sun)), (load(at), wind(at), 0))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
