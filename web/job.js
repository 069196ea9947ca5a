"use strict";
// One job: why it is where it is, its figures, its course, and what it printed. The address says which:
// #job=7.

const LOG_BYTES = 64 * 1024;
const SERIES_EVERY_MS = 5000;
const job = { open: 0, asked: 0, seriesAsked: 0 };

function jobInAddress() {
  const found = /^#job=(\d+)$/.exec(location.hash);
  return found ? +found[1] : 0;
}

function followAddress() {
  const id = jobInAddress(), dialog = byId("job");
  job.open = id;
  if (!id) {
    if (dialog.open) dialog.close();
    return;
  }
  if (!dialog.open) dialog.showModal();
  setText("job-title", "Job " + id);
  setText("job-log", "");
  byId("job-charts").hidden = true;
  job.seriesAsked = 0;
  showJob();
}

function factsOf(it) {
  return [["command", it.command && it.command.join(" ")], ["directory", it.working_directory], ["tier", it.tier],
    ["devices", widthsText(it)],
    ["speed-up", it.speedup && it.speedup.join(", ") + (it.learned_speedup ? "; measured " + it.learned_speedup.join(", ") + ", which plans use" : "")],
    ["parameters", it.parameters && Object.entries(it.parameters).map(([name, value]) => `${name} = ${value}`).join(", ")],
    ["submitted", moment(it.submitted)], ["started", moment(it.started)],
    ["expected", !it.ended && it.expected_end ? span(Date.parse(it.expected_start), Date.parse(it.expected_end)) : ""],
    ["must start by", it.started ? "" : moment(it.latest_start)], ["must end by", moment(it.finish_by)], ["ended", moment(it.ended)],
    ["attempts", it.attempt], ["pauses", it.pauses], ["exit code", it.exit_code],
    ["energy", energy(it.energy_kwh)], ["emitted", emitted(it.emissions_g, it.energy_kwh)],
    ...WORK_UNITS.map(([unit, ...grams]) => ["per " + unit, unitText(it, unit, ...grams)]),
    ["at submission, alone", isKnown(it.emissions_at_submission_g) ? comparison(it.emissions_g, it.emissions_at_submission_g, it.saving_half_width_g) : ""],
    ...placesOf(it.place_and_time, it.emissions_g),
    ["had it waited", it.had_it_waited ? waitedText(it.had_it_waited) : ""],
    ["first come, first served", isKnown(it.emissions_first_come_g) ? "from " + moment(it.first_come_start) + ", " +
      comparison(it.emissions_g, it.emissions_first_come_g, it.first_come_half_width_g) : ""]];
}

// "4 now; so far 2, 1, 4; planned 4, 2" of an elastic job, otherwise nothing: a row of the chart tells.
function widthsText(it) {
  const series = (widths) => widths.filter((width, i) => width && width !== widths[i - 1]).join(", ");
  return [isKnown(it.devices_now) && it.devices_now + " now", it.ran_devices && "so far " + series(it.ran_devices),
    it.planned_devices && "planned " + series(it.planned_devices)].filter(Boolean).join("; ");
}

// "4.12 mJ ± 42 %, 0.343 g per million tokens ± 44 %; 1,234,567 tokens", or nothing where it is not reported.
function unitText(it, unit, atOnce, many) {
  const used = it[`energy_per_${unit}_j`], emittedPer = it[`emissions_per_${unit}_g`];
  if (!isKnown(used)) return "";
  const sure = (percent) => isKnown(percent) ? " ± " + number(percent, 0) + " %" : "";
  return joules(used) + sure(it.energy_half_width_percent) +
    (isKnown(emittedPer) ? `, ${grams(emittedPer * atOnce)} per ${many}` + sure(it.emissions_half_width_percent) : "") +
    `; ${number(it[unit + "s"], 0)} ${unit}s`;
}

// "up to 1 d 0 h: 23.1 % less at 11:00, an estimate (…)"
function waitedText(waited) {
  const gain = waited.saving_percent >= 1 ? number(waited.saving_percent, 1) + " % less at " + moment(waited.start) : "nothing to gain";
  return "up to " + duration(1000 * waited.up_to_s) + ": " + gain + "; an estimate by known hours and a forecast (" + waited.forecast_method + ")";
}

// The rows on what the energy of a job would have emitted at other places and times.
function placesOf(places, emitted) {
  if (!places) return [];
  const at = (known, where, start) => isKnown(known) ? [grams(known), where, start && "from " + moment(start)].filter(Boolean).join(", ") : "not known yet";
  return [["at home, at its best time", at(places.home_best_g, "", places.home_start)],
    ["at submission, at its best site", at(places.place_at_once_g, places.site_at_once)],
    ["at its best site and time", at(places.best_g, places.best_is_as_it_ran ? "as it ran" : places.best_site, places.best_start)],
    ["as it ran, moves included", isKnown(places.moves_g) && isKnown(emitted) ? grams(emitted + places.moves_g) : "unknown"]];
}

// "12.0 g: 3.1 g saved", or "… worse", or "the same", or "no clear difference" within what is known.
function comparison(is, was, halfWidth) {
  const difference = was - is;
  if (isKnown(halfWidth) && difference !== 0 && Math.abs(difference) <= halfWidth)
    return grams(was) + ": no clear difference (" + grams(Math.abs(difference)) + (difference > 0 ? " less" : " more") + ", ± " + grams(halfWidth) + ")";
  if (Math.abs(difference) < LEAST_DIFFERENCE * was) return grams(was) + ": the same";
  return grams(was) + ": " + grams(Math.abs(difference)) + (difference >= 0 ? " saved" : " worse");
}

function showFacts(it) {
  setText("job-title", "Job " + it.id + ": " + it.name);
  setText("job-reason", it.waits_for ? "waits for job " + it.waits_for.join(", ") : it.detail || inZone(it.reason || it.stage));
  byId("job-facts").replaceChildren(...factsOf(it).filter(([, value]) => isKnown(value) && value !== "").flatMap(([name, value]) => {
    const term = document.createElement("dt"), text = document.createElement("dd");
    term.textContent = name;
    text.textContent = value;
    return [term, text];
  }));
}

function showLog(text) {
  const log = byId("job-log"), atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 20;
  setText("job-log", isKnown(text) ? text : saved ? "Logs are not saved." : "nothing printed yet");
  if (atEnd) log.scrollTop = log.scrollHeight;
}

async function showJob() {
  const id = job.open, base = "/api/v1/jobs/" + id;
  job.asked = Date.now();
  try {
    const [it, log] = await Promise.all([askJson(base), ask(base + "/log?tail=" + LOG_BYTES)]);
    if (id !== job.open) return;
    if (!it) {
      setText("job-reason", !saved ? "There is no such job." : state.jobs.has(id) ? "Only its row was saved with this page." : "It was not saved with this page.");
      byId("job-facts").replaceChildren();
      return;
    }
    showFacts(it);
    showLog(log);
    if (Date.now() - job.seriesAsked < SERIES_EVERY_MS) return;
    job.seriesAsked = Date.now();
    const series = await askJson(base + "/series?points=300");
    if (id === job.open) drawJobCharts(it, series);
  } catch (error) {
    setText("job-reason", "cannot be asked: " + error.message);
  }
}

// Once a second at most while it is open.
function refreshJob() {
  if (job.open && byId("job").open && Date.now() - job.asked > 1000) showJob();
}

function followJobControls() {
  window.addEventListener("hashchange", followAddress);
  byId("job").addEventListener("close", () => {
    // Another one is meant already, or the address has closed it.
    if (!job.open || byId("job").open || jobInAddress() !== job.open) return;
    history.replaceState(null, "", location.pathname + location.search);
    const row = queue.rows.get(job.open);
    job.open = 0;
    row?.querySelector("a").focus();
  });
}
