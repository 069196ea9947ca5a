"use strict";
// The charts over the time of the grid: its intensity, and which device runs what. Each says the same
// in words and as a table.

const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const LEFT_OF_AXIS = 76;  // both charts begin at the same place
const MOST_BARS = 800;
const MOST_ROWS_OF_DEVICES = 48;
const NARROWEST_LABEL = 12;  // in pixels: a digit, and what is left free beside it

function vertical(chart, time, colour, dash) {
  const x = chart.scales.x.getPixelForValue(time), { top, bottom, left, right } = chart.chartArea;
  if (!(x >= left && x <= right)) return;
  const context = chart.ctx;
  context.save();
  context.strokeStyle = colour;
  context.setLineDash(dash);
  context.beginPath();
  context.moveTo(x, top);
  context.lineTo(x, bottom);
  context.stroke();
  context.restore();
}

const nowLine = {
  id: "now",
  afterDatasetsDraw(chart) { if (state.status) vertical(chart, state.status.time, style("--ink"), [4, 3]); },
};

// Intensities at or below which jobs of a tier start. Names that would lie on each other share a
// line of text.
function thresholdLabels(tiers, pixelOf) {
  const labels = [];
  for (const tier of [...tiers].sort((a, b) => b.threshold - a.threshold)) {
    const y = pixelOf(tier.threshold), last = labels.at(-1), text = tier.name + " ≤ " + number(tier.threshold, 0);
    if (last && y - last.y < 12) last.text = last.text.replace(/^tiers? /, "tiers ") + ", " + text;
    else labels.push({ y, text: "tier " + text });
  }
  return labels;
}

const thresholdLines = {
  id: "thresholds",
  afterDatasetsDraw(chart) {
    const context = chart.ctx, { left, right, top, bottom } = chart.chartArea, pixelOf = (value) => chart.scales.y.getPixelForValue(value);
    const tiers = state.tiers.filter((tier) => pixelOf(tier.threshold) >= top && pixelOf(tier.threshold) <= bottom);
    context.save();
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "right";
    context.setLineDash([2, 3]);
    context.strokeStyle = context.fillStyle = style("--tier");
    for (const tier of tiers) {
      context.beginPath();
      context.moveTo(left, pixelOf(tier.threshold));
      context.lineTo(right, pixelOf(tier.threshold));
      context.stroke();
    }
    context.setLineDash([]);
    context.lineWidth = 3;
    context.strokeStyle = style("--panel");
    for (const label of thresholdLabels(tiers, pixelOf)) {
      context.strokeText(label.text, right - 3, label.y - 3);
      context.fillText(label.text, right - 3, label.y - 3);
    }
    context.restore();
  },
};

// The offset of the page's zone from UTC at a moment, so that ticks lie on its midnights.
function offsetOf(time) {
  const parts = {};
  zone.formats.parts ||= new Intl.DateTimeFormat("en-US", { timeZone: zone.name, hourCycle: "h23", year: "numeric",
    month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" });
  for (const { type, value } of zone.formats.parts.formatToParts(time)) parts[type] = +value;
  return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute) - Math.floor(time / 60e3) * 60e3;
}

const TICK_STEPS = [1 / 3600, 5 / 3600, 15 / 3600, 1 / 60, 5 / 60, .25, .5, 1, 2, 3, 6, 12, 24, 48, 96, 168].map((hours) => hours * HOUR);
function timeTicks(limits, width) {
  const most = Math.max(2, Math.floor(width / 95));
  const step = TICK_STEPS.find((hours) => (limits[1] - limits[0]) / hours <= most) || TICK_STEPS.at(-1);
  const offset = offsetOf(limits[0]), ticks = [];
  for (let time = Math.ceil((limits[0] + offset) / step) * step - offset; time <= limits[1]; time += step) ticks.push({ value: time });
  return ticks;
}

function timeAxis(limits) {
  return {
    type: "linear", min: limits[0], max: limits[1], grid: { color: style("--line") },
    ticks: { color: style("--soft"), maxRotation: 0, autoSkip: false,
      callback: (value) => timeText(limits[1] - limits[0] > 12 * HOUR ? "tick" : "second", value) },
    afterBuildTicks(axis) { axis.ticks = timeTicks(limits, axis.chart.width - LEFT_OF_AXIS); },
  };
}

function valueAxis(title, extra) {
  return { beginAtZero: true, grid: { color: style("--line") }, ticks: { color: style("--soft") },
    title: { display: true, text: title, color: style("--soft") }, afterFit: (axis) => { axis.width = LEFT_OF_AXIS; }, ...extra };
}

function line(label, data, colour, extra) {
  return { label, data, borderColor: colour, backgroundColor: colour, borderWidth: 2, pointRadius: 0, ...extra };
}

// A step function as points; nothing is drawn over what is not known.
function steps(series) {
  const points = [];
  for (const [begin, end, value] of series) {
    if (points.length && points.at(-1).x < begin) points.push({ x: begin, y: NaN });
    points.push({ x: begin, y: value }, { x: end, y: value });
  }
  return points;
}

// One chart for each canvas: made once, then given new data.
const charts = {};
function draw(canvas, type, data, options, plugins) {
  if (charts[canvas]) {
    Object.assign(charts[canvas], { data, options });
    charts[canvas].update("none");
  } else {
    charts[canvas] = new Chart(document.getElementById(canvas), { type, data, options, plugins });
  }
}

function shownRange() {
  const now = state.status.time, past = +byId("past").value * HOUR;
  const ahead = state.site?.forecast.at(-1)?.[1] ?? now + 24 * HOUR;
  return [now - past, Math.min(Math.max(ahead, now + 12 * HOUR), now + 168 * HOUR)];
}

const within = (series, limits) => (series || []).filter(([begin, end]) => end > limits[0] && begin < limits[1]);

function fillTable(id, rows) {
  const body = byId(id).tBodies[0];
  body.replaceChildren(...rows.map((texts) => {
    const row = document.createElement("tr");
    for (const text of texts) row.insertCell().textContent = text;
    return row;
  }));
}

// Intensity --------------------------------------------------------------------------------

function intensityWords(limits) {
  const { site, status } = state, ahead = within(site.forecast, [status.time, limits[1]]);
  const current = status.signals[0]?.g_per_kwh;
  const words = [isKnown(current) ? number(current, 0) + " g/kWh now" : "the intensity is not known now"];
  if (ahead.length) {
    const best = ahead.reduce((a, b) => b[2] < a[2] ? b : a), worst = ahead.reduce((a, b) => b[2] > a[2] ? b : a);
    words.push(`from ${number(best[2], 0)} (${moment(best[0])}) to ${number(worst[2], 0)} (${moment(worst[0])}) expected`);
    words.push("forecast: " + site.forecast_method);
  }
  return words.join("; ") + ".";
}

function drawIntensity() {
  const site = state.site;
  if (!site) return;
  const limits = shownRange(), clean = style("--clean");
  const datasets = [line("known", steps(within(site.known, limits)), style("--ink")),
    line("expected", steps(within(site.forecast, limits)), clean, { borderDash: [6, 3] })];
  if (site.p10) {
    datasets.push(line("80 % band", steps(within(site.p90, limits)), clean + "33", { borderWidth: 0, fill: "+1" }),
      line("p10", steps(within(site.p10, limits)), clean + "33", { borderWidth: 0 }));
  }
  draw("intensity", "line", { datasets }, {
    animation: false, maintainAspectRatio: false, parsing: false, normalized: true, spanGaps: false,
    interaction: { mode: "nearest", axis: "x", intersect: false },
    scales: { x: timeAxis(limits), y: valueAxis("g/kWh") },
    plugins: { legend: { labels: { color: style("--ink"), boxHeight: 2, filter: (item) => item.text !== "p10" } },
      tooltip: { filter: (item) => item.datasetIndex < 2, callbacks: { title: (items) => moment(items[0]?.parsed.x),
        label: (item) => item.dataset.label + ": " + number(item.parsed.y, 0) + " g/kWh" } } },
  }, [nowLine, thresholdLines]);
  byId("intensity").setAttribute("aria-label", "Carbon intensity over time: " + intensityWords(limits));
  setText("intensity-text", intensityWords(limits));
  if (byId("intensity-details").open) fillIntensityTable();
}

function fillIntensityTable() {
  const site = state.site, limits = shownRange();
  const low = new Map((site.p10 || []).map((row) => [row[0], row[2]])), high = new Map((site.p90 || []).map((row) => [row[0], row[2]]));
  const known = within(site.known, limits).map(([begin, , value, status]) => [moment(begin), number(value, 0), "", status]);
  const expected = within(site.forecast, limits).map(([begin, , value]) => [moment(begin), number(value, 0),
    low.has(begin) ? number(low.get(begin), 0) + " to " + number(high.get(begin), 0) : "", "expected"]);
  fillTable("intensity-table", [...known, ...expected]);
}

// Who runs when ----------------------------------------------------------------------------

function barsOf(limits) {
  const now = state.status.time, bars = [];
  const add = (job, begin, end, kind, width, on = []) => {
    if (end > limits[0] && begin < limits[1] && end > begin) bars.push({ job, begin, end, kind, width: width || job.devices, on });
  };
  for (const job of state.jobs.values()) {
    const ran = job.ran_ms || [], planned = job.planned_ms || [];
    ran.forEach(([begin, end], i) => {
      const isOpen = end === undefined;
      add(job, begin, isOpen ? now : end, isOpen ? "running" : i + 1 < ran.length || planned.length ? "then paused" : "done", job.ran_devices?.[i], job.ran_on?.[i]);
    });
    planned.forEach(([begin, end], i) => add(job, Math.max(begin, now), end, "planned", job.planned_devices?.[i]));
  }
  return bars.sort((a, b) => a.begin - b.begin || a.job.id - b.job.id);
}

// The rows that a bar takes: those of its devices, and where these are not known (of what is planned they never are) one
// for each, those that the job had before where they are free.
function placeBars(bars, limits) {
  const slots = (pool, index) => Math.max(pool.count + pool.away, ...state.status.devices.filter((device) => device.pool === index).map((device) => device.slot + 1));
  const rows = state.status.pools.flatMap((pool, index) => Array.from({ length: Math.min(slots(pool, index), MOST_ROWS_OF_DEVICES) },
    (_, device) => ({ pool: index, device, label: pool.model + " " + (device + 1), until: -Infinity, job: null })));
  const slack = (limits[1] - limits[0]) / 2000, placed = [];
  for (const bar of bars) {
    if (placed.length >= MOST_BARS) break;
    const pool = bar.job.pool ?? 0;
    const mine = rows.filter((row) => row.pool === pool && (!bar.on.length || bar.on.includes(row.device)));
    const free = bar.on.length ? mine : mine.filter((row) => row.until <= bar.begin + slack);
    free.sort((a, b) => (b.job === bar.job.id) - (a.job === bar.job.id));
    const taken = free.slice(0, bar.width);
    if (!bar.on.length && taken.length < Math.min(bar.width, MOST_ROWS_OF_DEVICES)) continue;
    for (const row of taken) {
      Object.assign(row, { until: bar.end, job: bar.job.id });
      placed.push({ ...bar, row: row.label });
    }
  }
  return { rows, placed };
}

// The job's number in its bar, and the sign of a pause at the end of a stretch that was paused.
const barLabels = {
  id: "labels",
  afterDatasetsDraw(chart) {
    const context = chart.ctx;
    context.save();
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    chart.data.datasets.forEach((dataset, index) => {
      context.fillStyle = dataset.labelColour;
      chart.getDatasetMeta(index).data.forEach((element, i) => {
        const bar = dataset.data[i].bar, { x, base, y } = element.getProps(["x", "base", "y"], true);
        const text = bar.job.id + (bar.kind === "then paused" ? " ‖" : ""), left = Math.min(x, base);
        if (Math.abs(x - base) < NARROWEST_LABEL) return;
        if (context.measureText(text).width + 6 < Math.abs(x - base)) context.fillText(text, left + 3, y);
      });
    });
    context.restore();
  },
};

const BAR_STYLES = { done: "--done", "then paused": "--paused", running: "--run", planned: "--plan" };

function drawGantt() {
  state.barsChanged = false;
  const limits = shownRange(), bars = barsOf(limits), { rows, placed } = placeBars(bars, limits);
  const labels = rows.map((row) => row.label);
  const datasets = Object.entries(BAR_STYLES).map(([kind, colour]) => ({
    label: kind, backgroundColor: style(colour), labelColour: style(colour + "-ink"), borderWidth: 0, grouped: false,
    barPercentage: .86, categoryPercentage: .94,
    data: placed.filter((bar) => bar.kind === kind).map((bar) => ({ y: bar.row, bar,
      x: [Math.max(bar.begin, limits[0]), Math.min(bar.end, limits[1])] })),
  }));
  byId("gantt-box").style.height = 4.5 + 1.6 * labels.length + "rem";
  draw("gantt", "bar", { labels, datasets }, {
    animation: false, indexAxis: "y", maintainAspectRatio: false,
    scales: { x: timeAxis(limits), y: { type: "category", labels, grid: { display: false }, ticks: { color: style("--soft") },
      afterFit: (axis) => { axis.width = LEFT_OF_AXIS; } } },
    plugins: { legend: { labels: { color: style("--ink"), boxHeight: 8 } },
      tooltip: { callbacks: { title: (items) => "job " + items[0].raw.bar.job.id + " " + items[0].raw.bar.job.name,
        label: (item) => item.raw.bar.kind + " " + span(item.raw.bar.begin, item.raw.bar.end) } } },
    onClick: (event, items) => { if (items.length) location.hash = "job=" + items[0].element.$context.raw.bar.job.id; },
  }, [nowLine, barLabels]);
  setText("gantt-text", ganttWords(bars, placed));
  byId("gantt").setAttribute("aria-label", "Devices over time: " + ganttWords(bars, placed));
  if (byId("gantt-details").open) fillGanttTable();
}

function ganttWords(bars, placed) {
  const running = state.status.running.map((program) => state.jobs.get(program.job)?.name).filter(isKnown);
  const shown = new Set(placed.map((bar) => bar.job.id)), all = new Set(bars.map((bar) => bar.job.id));
  return (running.length ? "Running: " + running.slice(0, 8).join(", ") + (running.length > 8 ? ", …" : "") : "Nothing runs") +
    ". ‖ ends a stretch with a pause." + (shown.size < all.size ? ` Of ${number(all.size, 0)} jobs in this time ${number(shown.size, 0)} are drawn.` : "");
}

function fillGanttTable() {
  fillTable("gantt-table", barsOf(shownRange()).slice(0, MOST_BARS).map((bar) =>
    [String(bar.job.id), bar.job.name, bar.kind, moment(bar.begin), moment(bar.end)]));
}
