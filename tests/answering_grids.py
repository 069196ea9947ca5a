"""Answers of the services that tell the grid's mix or intensity without a key, in the layouts that the tests of their
readers have, as of the moment when this module is loaded: by host, from a path with its query to a text, or None for what
the service does not have."""

import json
import zoneinfo
from datetime import datetime, timedelta, timezone
from urllib.parse import parse_qs, urlparse

FIVE = timedelta(minutes=5)
EASTERN_STANDARD = timezone(timedelta(hours=-5))
NOW = datetime.now(timezone.utc).replace(second=0, microsecond=0)


def sun(moment):
    """MW of a sun that shines from 6 to 18 hours of UTC, so that the hours differ."""
    hour = moment.astimezone(timezone.utc).hour
    return 6000 - abs(hour - 12) * 1000 if 6 <= hour < 18 else 0


def moments(begin, end, step):
    while begin <= end:
        yield begin
        begin += step


def whole(moment, minutes):
    return moment - timedelta(minutes=moment.minute % minutes)


def energy_charts(path):
    if urlparse(path).path != "/co2eq":
        return None
    last = whole(NOW, 15) - timedelta(minutes=30)
    times = list(moments(last - timedelta(days=2), last + timedelta(days=1), timedelta(minutes=15)))
    value = [400 - sun(moment) / 40 for moment in times]
    return json.dumps({
        "unix_seconds": [int(moment.timestamp()) for moment in times],
        "co2eq": [v if moment <= last else None for moment, v in zip(times, value)],
        "co2eq_forecast": value, "deprecated": False})


def uk_carbon_intensity(path):
    parts = urlparse(path).path.split("/")
    if parts[1] != "intensity":
        return None
    begin = datetime.strptime(parts[2], "%Y-%m-%dT%H:%MZ").replace(tzinfo=timezone.utc)
    end = begin + timedelta(days=2) if parts[3] == "fw48h" else datetime.strptime(
        parts[3], "%Y-%m-%dT%H:%MZ").replace(tzinfo=timezone.utc)
    rows = []
    for moment in moments(whole(begin, 30), end, timedelta(minutes=30)):
        past = moment < NOW - timedelta(minutes=30)
        value = round(300 - sun(moment) / 40)
        rows.append({"from": moment.strftime("%Y-%m-%dT%H:%MZ"),
                     "to": (moment + timedelta(minutes=30)).strftime("%Y-%m-%dT%H:%MZ"),
                     "intensity": {"forecast": value, "actual": value if past else None, "index": "moderate"}})
    return json.dumps({"data": rows})


def nyiso(path):
    day = urlparse(path).path.removeprefix("/public/csv/rtfuelmix/").removesuffix("rtfuelmix.csv")
    new_york = zoneinfo.ZoneInfo("America/New_York")
    begin = datetime.strptime(day, "%Y%m%d").replace(tzinfo=new_york).astimezone(timezone.utc)
    rows = ["Time Stamp,Time Zone,Fuel Category,Gen MW"]
    for moment in moments(begin + FIVE, NOW - FIVE, FIVE):
        local = moment.astimezone(new_york)
        if (moment - FIVE).astimezone(new_york).strftime("%Y%m%d") != day:
            break
        rows += [f"{local:%m/%d/%Y %H:%M:%S},{local:%Z},{fuel}" for fuel in (
            "Dual Fuel,4521", "Natural Gas,3200", "Nuclear,3100", "Other Fossil Fuels,50",
            f"Other Renewables,{200 + sun(moment) / 10:.0f}", "Wind,1500", "Hydro,2800")]
    return "\r\n".join(rows) + "\r\n" if len(rows) > 1 else None


def caiso(path):
    parts = urlparse(path).path.split("/")
    pacific = zoneinfo.ZoneInfo("America/Los_Angeles")
    day = NOW.astimezone(pacific).strftime("%Y%m%d") if parts[2] == "current" else parts[3]
    midnight = datetime.strptime(day, "%Y%m%d")
    fuels = ("Solar,Wind,Geothermal,Biomass,Biogas,Small hydro,Coal,Nuclear,Natural Gas,Large Hydro,Batteries,Imports,"
             "Other").split(",")
    rows = ["Time," + ",".join(fuels)]
    for step in range(24 * 12):
        local = midnight + step * FIVE
        moment = local.replace(tzinfo=pacific).astimezone(timezone.utc)
        values = [sun(moment), 1500, 700, 300, 200, 250, 0, 2200, 9000, 2500, -300, 4000, 0]
        known = moment < NOW - 2 * FIVE
        rows.append(f"{local:%H:%M}," + ",".join(str(value) if known else "" for value in values))
    return "\n".join(rows) + "\n"


def open_electricity(path):
    if not urlparse(path).path.endswith("/power/7d.json"):
        return None
    end = whole(NOW, 5) - 2 * FIVE
    times = list(moments(end - timedelta(days=7), end, FIVE))
    start = times[0].astimezone(timezone(timedelta(hours=10))).isoformat()

    def series(technology, kind, units, value):
        return {"id": f"au.nem.nsw1.fuel_tech.{technology}.{kind}", "type": kind, "fuel_tech": technology,
                "code": technology, "network": "nem", "region": "NSW1", "data_type": kind, "units": units,
                "history": {"start": start, "last": start, "interval": "5m", "data": [value(t) for t in times]}}

    return json.dumps({"type": "power", "version": "4.0.14", "network": "nem", "region": "NSW1", "data": [
        series("coal_black", "power", "MW", lambda _: 7400), series("wind", "power", "MW", lambda _: 1600),
        series("coal_black", "emissions", "tCO2e", lambda _: 550), series("solar_utility", "power", "MW", sun),
        series("imports", "power", "MW", lambda _: 500), series("battery_charging", "power", "MW", lambda _: -20)]})


def ieso(path):
    day = path[-12:-4]
    midnight = datetime.strptime(day, "%Y%m%d").replace(tzinfo=EASTERN_STANDARD)
    hours = range(min(24, int((NOW - midnight).total_seconds() // 3600)))
    if not hours:
        return None
    plants = ""
    for name, fuel, value in (("BRUCEA-G1", "NUCLEAR", lambda _: 9000), ("LENNOX-G1", "GAS", lambda _: 3000),
                              ("SIRADAMBECK1", "HYDRO", lambda _: 4000), ("ONEIDA ENERGY STORAGE", "OTHER", lambda _: 100),
                              ("ATIKOKAN-G1", "BIOFUEL", lambda _: 100), ("AMARANTH", "WIND", lambda _: 900),
                              ("GRANDRENEWABLE", "SOLAR", sun)):
        outputs = "".join(f"<Output><Hour>{hour + 1}</Hour><EnergyMW>{value(midnight + timedelta(hours=hour))}"
                          "</EnergyMW></Output>" for hour in hours)
        able = "".join(f"<Capability><Hour>{hour}</Hour><EnergyMW>9999</EnergyMW></Capability>" for hour in range(1, 25))
        there = able.replace("Capability", "AvailCapacity") if fuel in ("SOLAR", "WIND") else ""
        plants += (f"<Generator><GeneratorName>{name}</GeneratorName><FuelType>{fuel}</FuelType><Outputs>{outputs}</Outputs>"
                   f"<Capabilities>{able}</Capabilities><Capacities>{there}</Capacities></Generator>")
    return ('<?xml version="1.0" encoding="UTF-8"?><IMODocument xmlns="http://www.theIMO.com/schema"><IMODocBody>'
            f"<Date>{midnight:%Y-%m-%d}</Date><Generators>{plants}</Generators></IMODocBody></IMODocument>")


def miso(path):
    first = NOW.astimezone(EASTERN_STANDARD).replace(hour=0, minute=0)
    begin = first if path.endswith("Today") else first - timedelta(days=1)
    rows = [{"INTERVALEST": f"{moment:%Y-%m-%d} {moment:%I:%M:%S %p}", "CATEGORY": category, "ACT": str(value)}
            for moment in moments(begin, (NOW - 2 * FIVE).astimezone(EASTERN_STANDARD), FIVE)
            for category, value in (("Coal", 26869), ("Natural Gas", 30000), ("Nuclear", 11000), ("Wind", 9000),
                                    ("Solar", sun(moment)), ("Battery Storage", -420), ("Imports", 2500), ("Other", 1800))]
    return json.dumps({"RefId": "", "TotalMW": "82968", "Fuel": {"Type": rows}})


def spp(path):
    file = parse_qs(urlparse(path).query)["path"][0]
    if file not in ("/SPP/GenMix2Hour_SPP.csv", "/SWPW/GenMix2Hour_SWPW.csv"):
        return None
    area = file.split("/")[1]
    end = whole(NOW, 5) - FIVE
    rows = ["GMT MKT Interval,BAA,Coal,Diesel Fuel Oil,Hydro,Natural Gas,Nuclear,Solar,Waste Disposal Services,Wind,"
            "Waste Heat,Energy Storage,Other,Load"]
    rows += [f"{moment:%Y-%m-%dT%H:%M:%SZ},{area},7761.80,0.00,976.70,9519.40,1857.10,{sun(moment)},11.50,20211.00,0.00,"
             "-18.10,65.70,41852.580" for moment in moments(end - timedelta(hours=2), end, FIVE)]
    return "\n".join(rows) + "\n"


def ercot(path):
    if not path.endswith("/fuel-mix.json"):
        return None
    central = zoneinfo.ZoneInfo("America/Chicago")
    days = {}
    for moment in moments(whole(NOW, 5) - timedelta(hours=20), NOW - 2 * FIVE, FIVE):
        stamp = (moment + timedelta(minutes=4, seconds=45)).astimezone(central)
        days.setdefault(f"{stamp:%Y-%m-%d}", {})[f"{stamp:%Y-%m-%d %H:%M:%S%z}"] = {
            fuel: {"gen": value} for fuel, value in (("Coal and Lignite", 8000), ("Natural Gas", 25000), ("Nuclear", 5000),
                                                     ("Hydro", 100), ("Solar", sun(moment)), ("Wind", 12000),
                                                     ("Power Storage", -200), ("Other", 20))}
    return json.dumps({"lastUpdated": "", "data": days})


BY_HOST = {
    "api.energy-charts.info": energy_charts,
    "api.carbonintensity.org.uk": uk_carbon_intensity,
    "mis.nyiso.com": nyiso,
    "www.caiso.com": caiso,
    "data.openelectricity.org.au": open_electricity,
    "reports-public.ieso.ca": ieso,
    "public-api.misoenergy.org": miso,
    "portal.spp.org": spp,
    "www.ercot.com": ercot,
}
