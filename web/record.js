"use strict";
// How good the forecasts of the last two weeks were, by how far ahead they looked.

const RECORD_EVERY_MS = 60e3;
const record = { askedAt: -Infinity, answer: null };

// What a forecast is held against are values that somebody measured or estimated when they came.
function whyNoRecord() {
  const known = new Set((state.site?.known || []).map(([, , , status]) => status));
  if (!known.size || known.has("measured") || known.has("estimated"))
    return "Nothing to compare yet: no forecast that this service was given has met a measured value.";
  return "Nothing to compare: what is known of this signal is " + [...known].map((status) => status === "forecast" ? "a forecast itself" : status).join(" or ") +
    ", and nobody measures it. With a live source, or a trace of measured values, the forecasts are checked here.";
}

const percent = (share) => isKnown(share) ? number(100 * share, 0) + " %" : "–";

function showRecord() {
  const { answer } = record;
  if (!answer) return;
  byId("record-box").hidden = !answer.horizons.length;
  setText("record-text", answer.horizons.length ?
    `${number(answer.forecasts, 0)} forecasts since ${moment(answer.since)}, each as it was issued, against what was measured. Now: ${answer.method}.` :
    whyNoRecord());
  fillTable("record-table", answer.horizons.map((row) => [
    row.from_h ? row.from_h + " to " + row.until_h + " h" : "under " + row.until_h + " h",
    number(row.mean_absolute_error_g_per_kwh, 1) + " g/kWh", percent(row.mean_relative_error),
    number(row.bias_g_per_kwh, 1) + " g/kWh", percent(row.inside_band), number(row.rows, 0)]));
}

// The signal has changed: asked once a minute at most.
async function refreshRecord() {
  if (performance.now() - record.askedAt < RECORD_EVERY_MS) return;
  record.askedAt = performance.now();
  record.answer = await askJson("/api/v1/forecast-record").catch(() => null);
  showRecord();
}
