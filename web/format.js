"use strict";
// Numbers, units and times as people read them. Every time on the page is shown in one zone, the
// viewer's own or UTC; what the service writes is in UTC.

const HOUR = 3600e3;
const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
const zone = { name: OWN_ZONE, formats: {}, sentences: new Map() };
const MOST_SENTENCES = 1000;
const LEAST_DIFFERENCE = 5e-4;  // of a baseline: below that both count as the same

const TIME_PARTS = {
  moment: { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" },
  clock: { hour: "2-digit", minute: "2-digit" },
  tick: { weekday: "short", hour: "2-digit", minute: "2-digit" },
  day: { year: "numeric", month: "2-digit", day: "2-digit" },
  second: { hour: "2-digit", minute: "2-digit", second: "2-digit" },
};

function setZone(name) {
  zone.name = name;
  zone.formats = {};
  zone.sentences.clear();
}

// Making a format is slow, using one is not.
function timeText(kind, time) {
  const format = zone.formats[kind] ||= new Intl.DateTimeFormat("en-GB",
    { timeZone: zone.name, hourCycle: "h23", ...TIME_PARTS[kind] });
  return format.format(time);
}

// "Thu, 4 May, 09:02", of milliseconds or an ISO text.
function moment(time) {
  if (time === undefined || time === null) return "";
  const at = new Date(time);
  return isNaN(at) ? "" : timeText("moment", at);
}

// "Thu, 4 May, 09:00–12:30", with the second date where it differs.
function span(begin, end) {
  const last = timeText("day", begin) === timeText("day", end) ? timeText("clock", end) : moment(end);
  return moment(begin) + "–" + last;
}

// The service's sentences hold "2023-05-01 11:00-13:00", "2023-05-01 11:00-2023-05-02 01:00" and
// "2023-05-01T22:10:00Z", in UTC.
const WRITTEN_TIME =
  /(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?Z?(?:-(\d{4}-\d\d-\d\d )?(\d\d:\d\d))?/g;
function inZone(text) {
  const known = zone.sentences.get(text);
  if (known !== undefined) return known;
  if (zone.sentences.size >= MOST_SENTENCES) zone.sentences.clear();
  const told = withTimesInZone(text);
  zone.sentences.set(text, told);
  return told;
}

function withTimesInZone(text) {
  return text.replace(WRITTEN_TIME, (all, date, time, lastDate, lastTime) => {
    const begin = Date.parse(date + "T" + time + "Z");
    if (isNaN(begin)) return all;
    return lastTime ? span(begin, Date.parse((lastDate || date).trim() + "T" + lastTime + "Z")) : moment(begin);
  });
}

const isKnown = (value) => value !== undefined && value !== null;

const numberFormats = {};
function number(value, digits) {
  if (!isKnown(value)) return "–";
  const format = numberFormats[digits] ||= new Intl.NumberFormat("en",
    { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return format.format(value);
}

// Three significant digits in the largest unit in which the value is at least 1: as in base/units_text.h.
const significantFormat = new Intl.NumberFormat("en", { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });
function inUnits(value, units) {
  if (!isKnown(value)) return "–";
  if (value === 0) return "0 " + units.find(([size]) => size === 1)[1];
  const rounded = (size) => Math.abs(Number((value / size).toPrecision(3)));
  const [size, unit] = units.findLast(([each]) => rounded(each) >= 1) || units[0];
  const text = rounded(size) >= 1000 ? number(value / size, 0) : significantFormat.format(value / size);
  return text + " " + unit;
}

const grams = (value) => inUnits(value, [[1e-9, "ng"], [1e-6, "µg"], [1e-3, "mg"], [1, "g"], [1e3, "kg"], [1e6, "t"]]);

// Of what used energy, unknown is a word.
const emitted = (value, kwh) => isKnown(value) || !(kwh > 0) ? grams(value) : "unknown";

const energy = (kwh) => joules(isKnown(kwh) ? kwh * 3.6e6 : kwh);
const joules = (value) => inUnits(value,
  [[1e-9, "nJ"], [1e-6, "µJ"], [1e-3, "mJ"], [1, "J"], [3600, "Wh"], [3.6e6, "kWh"], [3.6e9, "MWh"], [3.6e12, "GWh"]]);

// Units of work, the finest first, and of how many at once grams are told: as in core/ledger/work.h.
const WORK_UNITS = [["token", 1e6, "million tokens"], ["sample", 1e3, "1,000 samples"], ["step", 1e3, "1,000 steps"]];

// "4.12 mJ/token", of the finest unit that is reported.
function perUnit(it) {
  const found = WORK_UNITS.find(([unit]) => isKnown(it[`energy_per_${unit}_j`]));
  return found ? joules(it[`energy_per_${found[0]}_j`]) + "/" + found[0] : "";
}

const watts = (value) => inUnits(value, [[1e-3, "mW"], [1, "W"], [1e3, "kW"], [1e6, "MW"]]);

function duration(milliseconds) {
  const minutes = Math.round(milliseconds / 60e3);
  if (minutes < 1) return number(milliseconds / 1e3, 0) + " s";
  if (minutes < 60) return minutes + " min";
  if (minutes < 48 * 60) return Math.floor(minutes / 60) + " h " + minutes % 60 + " min";
  return Math.floor(minutes / 1440) + " d " + Math.round(minutes % 1440 / 60) + " h";
}
