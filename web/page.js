"use strict";
// The page of the queue service: what the API says, drawn. It asks for the status as it changes
// (server-sent events) and for the queue and the signal when the status has changed.

const byId = (id) => document.getElementById(id);
const HOUR = 3600e3;
const MOST_ROWS = 300;
const STAGES_ENDED = new Set(["succeeded", "failed", "cancelled"]);
const state = { status: null, jobs: [], site: null, asking: false, again: false, open: null };

const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const number = (value, digits) => value === undefined || value === null ? "–" :
  value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
const moment = (time) => time === undefined || time === null ? "" : new Date(time).toLocaleString([],
  { weekday: "short", hour: "2-digit", minute: "2-digit" });

function grams(value) {
  if (value === undefined || value === null) return "–";
  const size = Math.abs(value);
  if (size >= 1e6) return number(value / 1e6, 2) + " t";
  if (size >= 1000) return number(value / 1000, 2) + " kg";
  return number(value, size >= 100 ? 0 : size >= 1 ? 1 : 3) + " g";
}
function energy(kwh) {
  if (kwh === undefined || kwh === null) return "–";
  if (kwh >= 1) return number(kwh, 2) + " kWh";
  if (kwh >= 1e-3) return number(kwh * 1e3, 1) + " Wh";
  return number(kwh * 3.6e6, 1) + " J";
}
const watts = (value) => value >= 1000 ? number(value / 1000, 2) + " kW" : number(value, 1) + " W";

function setText(id, text) {
  const element = byId(id);
  if (element.textContent !== text) element.textContent = text;
}

// Tiles ------------------------------------------------------------------------------------

function cleanestAhead(site, now) {
  let best = null;
  for (const [begin, end, value] of site.forecast)
    if (end > now && begin < now + 48 * HOUR && (!best || value < best.value)) best = { begin, value };
  return best;
}

function showTiles() {
  const status = state.status, signal = status.signals[0] || {};
  setText("now", signal.g_per_kwh === undefined ? "unknown" : number(signal.g_per_kwh, 0) + " g/kWh");
  setText("now-note", [signal.zone, signal.status, signal.lost ? "source lost: " + signal.lost : ""]
    .filter(Boolean).join(", "));
  const best = state.site && cleanestAhead(state.site, Date.parse(status.now));
  setText("best", best ? number(best.value, 0) + " g/kWh" : "–");
  setText("best-note", best ? "expected " + moment(best.begin) : "no forecast");
  const power = status.running.reduce((sum, program) => sum + program.power_w, 0);
  setText("running", String(status.running.length));
  const waiting = (status.jobs.waiting || 0) + (status.jobs.paused || 0);
  setText("running-note", watts(power) + " now; " + waiting + " waiting");
  setText("emitted", grams(status.emissions_g));
  setText("emitted-note", energy(status.energy_kwh) + " in all");
  const saved = status.saved.saved_g, worse = saved < 0;
  const share = status.saved.at_submission_g > 0 ? saved / status.saved.at_submission_g : 0;
  setText("saved-title", worse ? "Worse" : "Saved");
  setText("saved", grams(Math.abs(saved)));
  byId("saved").className = "figure " + (worse ? "worse" : saved > 0 ? "better" : "");
  setText("saved-note", number(Math.abs(100 * share), 1) + " % " + (worse ? "more" : "less") +
    " than at submission, same energy");
  byId("trouble").hidden = !status.trouble;
  setText("trouble", status.trouble || "");
  setText("live", "live, " + moment(status.now));
}

// Charts -----------------------------------------------------------------------------------

let intensityChart = null, ganttChart = null;

const nowLine = {
  id: "now",
  afterDatasetsDraw(chart) {
    if (!state.status) return;
    const x = chart.scales.x.getPixelForValue(Date.parse(state.status.now));
    const { top, bottom, left, right } = chart.chartArea;
    if (x < left || x > right) return;
    const context = chart.ctx;
    context.save();
    context.strokeStyle = style("--ink");
    context.setLineDash([4, 3]);
    context.beginPath();
    context.moveTo(x, top);
    context.lineTo(x, bottom);
    context.stroke();
    context.restore();
  },
};

function timeAxis(range) {
  return {
    type: "linear", min: range[0], max: range[1],
    grid: { color: style("--line") },
    ticks: { color: style("--soft"), maxRotation: 0, autoSkip: false, callback: (value) => moment(value) },
    afterBuildTicks(axis) {
      const labels = Math.max(2, Math.floor(axis.chart.width / 130));
      const step = Math.max(6, Math.ceil((range[1] - range[0]) / HOUR / labels / 6) * 6) * HOUR;
      axis.ticks = [];
      for (let time = Math.ceil(range[0] / step) * step; time < range[1]; time += step) axis.ticks.push({ value: time });
    },
  };
}

// A step function as points.
const steps = (series) => series.flatMap(([begin, end, value]) => [{ x: begin, y: value }, { x: end, y: value }]);

function range() {
  const now = Date.parse(state.status.now);
  const ahead = state.site && state.site.forecast.length ? state.site.forecast.at(-1)[1] : now + 24 * HOUR;
  return [now - 24 * HOUR, Math.min(Math.max(ahead, now + 12 * HOUR), now + 72 * HOUR)];
}

function drawIntensity() {
  const site = state.site;
  if (!site) return;
  const line = (label, data, colour, extra) => ({ label, data, borderColor: colour, backgroundColor: colour,
    borderWidth: 2, pointRadius: 0, ...extra });
  const datasets = [line("known", steps(site.known), style("--ink")),
    line("expected", steps(site.forecast), style("--clean"), { borderDash: [6, 3] })];
  if (site.p10) {
    datasets.push(line("expected, 80 % band", steps(site.p90), style("--clean") + "33", { borderWidth: 0, fill: "+1" }),
      line("p10", steps(site.p10), style("--clean") + "33", { borderWidth: 0 }));
  }
  const options = {
    animation: false, maintainAspectRatio: false, parsing: false, interaction: { mode: "nearest", intersect: false },
    scales: { x: timeAxis(range()), y: { beginAtZero: true, grid: { color: style("--line") },
      ticks: { color: style("--soft") }, title: { display: true, text: "g/kWh", color: style("--soft") },
      afterFit: (axis) => { axis.width = 72; } } },
    plugins: { legend: { labels: { color: style("--ink"), boxHeight: 2, filter: (item) => item.text !== "p10" } },
      tooltip: { callbacks: { title: (items) => moment(items[0].parsed.x),
        label: (item) => item.dataset.label + ": " + number(item.parsed.y, 0) + " g/kWh" } } },
  };
  if (intensityChart) {
    intensityChart.data.datasets = datasets;
    intensityChart.options = options;
    intensityChart.update("none");
  } else {
    intensityChart = new Chart(byId("intensity"), { type: "line", data: { datasets }, options, plugins: [nowLine] });
  }
}

// Bars of running, done and planned, in as few rows as they need: about one for each device.
function bars(limits) {
  const now = Date.parse(state.status.now), all = [];
  for (const job of state.jobs) {
    for (const [begin, end] of job.ran_ms || [])
      all.push({ job, begin, end: end || now, kind: end ? "done" : "running" });
    const begin = Date.parse(job.expected_start), end = Date.parse(job.expected_end);
    if (job.stage === "running" && end > now) all.push({ job, begin: now, end, kind: "planned" });
    if ((job.stage === "waiting" || job.stage === "paused") && end > now && begin)
      all.push({ job, begin: Math.max(begin, now), end, kind: "planned" });
  }
  const seen = all.filter((bar) => bar.end > limits[0] && bar.begin < limits[1]).sort((a, b) => a.begin - b.begin);
  const rows = [], slots = state.status.pools.reduce((sum, pool) => sum + pool.count, 0);
  for (const bar of seen) {
    const mine = rows.findIndex((end, row) => end <= bar.begin || seen.some((other) => other.row === row &&
      other.job === bar.job && other.end >= bar.begin - 1));
    bar.row = mine < 0 ? rows.length : mine;
    rows[bar.row] = Math.max(rows[bar.row] || 0, bar.end);
    if (bar.row >= Math.max(slots, 12)) bar.row = null;
  }
  return { seen: seen.filter((bar) => bar.row !== null && bar.row !== undefined).slice(0, 1500), rows: Math.max(rows.length, 1) };
}

function drawGantt() {
  const limits = range(), { seen, rows } = bars(limits);
  const colours = { done: style("--done"), running: style("--run"), planned: style("--plan") };
  const datasets = ["done", "running", "planned"].map((kind) => ({
    label: kind, backgroundColor: colours[kind], borderWidth: 0, grouped: false, barPercentage: .9, categoryPercentage: .9,
    data: seen.filter((bar) => bar.kind === kind).map((bar) => ({ x: [Math.max(bar.begin, limits[0]), Math.min(bar.end, limits[1])],
      y: String(bar.row + 1), bar })),
  }));
  const shown = Math.min(rows, Math.max(12, state.status.pools.reduce((sum, pool) => sum + pool.count, 0)));
  const labels = Array.from({ length: shown }, (_, row) => String(row + 1));
  byId("gantt-box").style.height = Math.max(7, 4 + 1.4 * shown) + "rem";
  const options = {
    animation: false, indexAxis: "y", maintainAspectRatio: false,
    scales: { x: timeAxis(limits), y: { type: "category", labels, grid: { display: false }, ticks: { color: style("--soft") },
      title: { display: true, text: "at a time", color: style("--soft") },
      afterFit: (axis) => { axis.width = 72; } } },
    plugins: { legend: { labels: { color: style("--ink"), boxHeight: 8 } },
      tooltip: { callbacks: { title: (items) => "job " + items[0].raw.bar.job.id + " " + items[0].raw.bar.job.name,
        label: (item) => item.raw.bar.kind + " " + moment(item.raw.bar.begin) + " – " + moment(item.raw.bar.end) } } },
    onClick: (event, items) => { if (items.length) openJob(items[0].element.$context.raw.bar.job.id); },
  };
  if (ganttChart) {
    ganttChart.data = { labels, datasets };
    ganttChart.options = options;
    ganttChart.update("none");
  } else {
    ganttChart = new Chart(byId("gantt"), { type: "bar", data: { labels, datasets }, options, plugins: [nowLine] });
  }
  const running = state.jobs.filter((job) => job.stage === "running").map((job) => job.name);
  setText("chart-text", (running.length ? "Running: " + running.slice(0, 8).join(", ") + (running.length > 8 ? ", …" : "") : "Nothing runs") +
    ". Bars are stretches of running; gaps between bars of one job are pauses.");
}

// The queue --------------------------------------------------------------------------------

function wanted(job) {
  const stage = byId("stage").value, name = byId("filter").value.trim().toLowerCase();
  if (stage === "live" ? STAGES_ENDED.has(job.stage) : stage && job.stage !== stage) return false;
  return !name || job.name.toLowerCase().includes(name) || String(job.id) === name;
}

const ORDER = ["running", "starting", "pausing", "paused", "waiting", "failed", "succeeded", "cancelled"];
function inOrder(a, b) {
  const stages = ORDER.indexOf(a.stage) - ORDER.indexOf(b.stage);
  if (stages) return stages;
  if (STAGES_ENDED.has(a.stage)) return b.id - a.id;
  return (Date.parse(a.expected_start) || Infinity) - (Date.parse(b.expected_start) || Infinity) || a.id - b.id;
}

function cell(row, text, numeric) {
  const element = row.insertCell();
  element.textContent = text;
  if (numeric) element.className = "number";
  return element;
}

function showQueue() {
  const powers = new Map(state.status.running.map((program) => [program.job, program]));
  const jobs = state.jobs.filter(wanted).sort(inOrder);
  const body = document.createElement("tbody");
  body.id = "jobs";
  for (const job of jobs.slice(0, MOST_ROWS)) {
    const row = body.insertRow(), live = powers.get(job.id);
    const button = document.createElement("button");
    button.textContent = job.id;
    button.setAttribute("aria-label", "job " + job.id + ", " + job.name);
    button.addEventListener("click", () => openJob(job.id));
    row.insertCell().append(button);
    cell(row, job.name);
    cell(row, job.stage);
    cell(row, STAGES_ENDED.has(job.stage) ? "" : moment(job.expected_start));
    cell(row, live ? watts(live.power_w) : "", true);
    cell(row, energy(live ? Math.max(live.energy_kwh, job.energy_kwh) : job.energy_kwh), true);
    cell(row, grams(job.emissions_g), true);
    const reason = job.reason.startsWith(job.stage + ": ") ? job.reason.slice(job.stage.length + 2) : job.reason;
    cell(row, job.waits_for ? "after job " + job.waits_for.join(", ") : job.detail || reason);
  }
  const focused = document.activeElement && document.activeElement.closest("#jobs") ? document.activeElement.textContent : null;
  byId("jobs").replaceWith(body);
  if (focused) [...body.querySelectorAll("button")].find((button) => button.textContent === focused)?.focus();
  setText("more", jobs.length > MOST_ROWS ? jobs.length - MOST_ROWS + " more; a name narrows it down" :
    jobs.length ? "" : "Nothing here. ebb submit -- python train.py puts a job into the queue.");
}

function showHappenings() {
  const list = byId("happenings"), latest = state.status.happenings.slice(-60).reverse();
  list.replaceChildren(...latest.map((happening) => {
    const item = document.createElement("li");
    item.textContent = moment(happening.at) + "  " + (happening.job ? "job " + happening.job + ": " : "") + happening.text;
    return item;
  }));
}

// One job ----------------------------------------------------------------------------------

async function openJob(id) {
  state.open = id;
  await showJob();
  if (!byId("job").open) byId("job").showModal();
}

async function showJob() {
  const id = state.open;
  const [answer, log] = await Promise.all([fetch("/api/v1/jobs/" + id), fetch("/api/v1/jobs/" + id + "/log")]);
  if (!answer.ok || id !== state.open) return;
  const job = await answer.json();
  setText("job-title", "Job " + job.id + ": " + job.name);
  setText("job-reason", job.detail || job.reason);
  const facts = [["command", job.command && job.command.join(" ")], ["submitted", moment(job.submitted)],
    ["started", moment(job.started)], ["ended", moment(job.ended)], ["attempts", job.attempt], ["pauses", job.pauses],
    ["energy", energy(job.energy_kwh)], ["emitted", grams(job.emissions_g)],
    ["at submission", job.emissions_at_submission_g === undefined ? "" : grams(job.emissions_at_submission_g)],
    ["must start by", moment(job.start_by)], ["exit code", job.exit_code], ["directory", job.working_directory]];
  byId("job-facts").replaceChildren(...facts.filter(([, value]) => value !== undefined && value !== "").flatMap(([name, value]) => {
    const term = document.createElement("dt"), text = document.createElement("dd");
    term.textContent = name;
    text.textContent = value;
    return [term, text];
  }));
  const text = log.ok ? await log.text() : "nothing printed yet";
  const atEnd = byId("job-log").scrollHeight - byId("job-log").scrollTop - byId("job-log").clientHeight < 20;
  setText("job-log", text.slice(-100000));
  if (atEnd) byId("job-log").scrollTop = byId("job-log").scrollHeight;
}

// Keeping up -------------------------------------------------------------------------------

async function refresh() {
  if (state.asking) { state.again = true; return; }
  state.asking = true;
  try {
    do {
      state.again = false;
      const [jobs, grid] = await Promise.all([fetch("/api/v1/jobs?limit=20000"), fetch("/api/v1/grid")]);
      state.jobs = (await jobs.json()).jobs;
      state.site = (await grid.json()).sites[0] || null;
      showTiles();
      drawIntensity();
      drawGantt();
      showQueue();
      showHappenings();
      if (state.open && byId("job").open) await showJob();
      await new Promise((done) => setTimeout(done, 1000));
    } while (state.again);
  } catch (error) {
    setText("live", "not connected: " + error.message);
  } finally {
    state.asking = false;
  }
}

function connect() {
  const events = new EventSource("/api/v1/events");
  events.addEventListener("status", (event) => {
    state.status = JSON.parse(event.data);
    refresh();
  });
  events.addEventListener("error", () => setText("live", "not connected; trying again"));
}

byId("stage").addEventListener("change", () => state.status && showQueue());
byId("filter").addEventListener("input", () => state.status && showQueue());
byId("job").addEventListener("close", () => { state.open = null; });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { if (state.status) { drawIntensity(); drawGantt(); } });
connect();
