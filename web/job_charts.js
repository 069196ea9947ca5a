"use strict";
// The course of one job: loss, power and intensity over the same time, each with the stretches in
// which it ran.

// What lies between the stretches are waiting and pauses.
const stretches = {
  id: "stretches",
  beforeDatasetsDraw(chart) {
    const { left, right, top, bottom } = chart.chartArea, context = chart.ctx;
    context.save();
    context.fillStyle = style("--run") + "22";
    for (const [begin, end] of jobCharts.ran) {
      const from = Math.max(left, chart.scales.x.getPixelForValue(begin));
      const to = Math.min(right, chart.scales.x.getPixelForValue(end ?? state.status.time));
      if (to > from) context.fillRect(from, top, to - from, bottom - top);
    }
    context.restore();
  },
};

const jobCharts = { ran: [], series: null };

// Points [begin, end, mean, low, high] as steps of one of the three.
const stepsOf = (points, column) => steps(points.map((point) => [point[0], point[1], point[column]]));

function banded(name, points, colour) {
  const datasets = [line(name, stepsOf(points, 2), style(colour))];
  if (points.some((point) => point[4] > point[3])) {
    datasets.push(line("highest", stepsOf(points, 4), style(colour) + "33", { borderWidth: 0, fill: "+1" }),
      line("lowest", stepsOf(points, 3), style(colour) + "33", { borderWidth: 0 }));
  }
  return datasets;
}

const dots = (name, points, colour) => line(name, points.map(([x, step, y]) => ({ x, y, step })), style(colour),
  { pointRadius: points.length < 40 ? 3 : 1, borderWidth: 1.5 });

function drawJobChart(canvas, title, datasets, limits, words) {
  const box = byId(canvas).parentElement;
  box.hidden = !datasets.some((dataset) => dataset.data.length);
  if (box.hidden) return;
  draw(canvas, "line", { datasets }, {
    animation: false, maintainAspectRatio: false, parsing: false, normalized: true,
    interaction: { mode: "nearest", axis: "x", intersect: false },
    scales: { x: timeAxis(limits), y: valueAxis(title) },
    plugins: { legend: { display: datasets.length > 1, labels: { color: style("--ink"), boxHeight: 2,
      filter: (item) => item.text !== "highest" && item.text !== "lowest" } },
      tooltip: { filter: (item) => item.dataset.borderWidth > 0, callbacks: { title: (items) => moment(items[0]?.parsed.x),
        label: (item) => item.dataset.label + ": " + number(item.parsed.y, canvas === "job-loss" ? 4 : 1) +
          (isKnown(item.raw.step) ? " (step or epoch " + item.raw.step + ")" : "") } } },
  }, [stretches]);
  byId(canvas).setAttribute("aria-label", words);
}

function lastOf(points) {
  const value = points.at(-1)?.[2];
  return isKnown(value) ? number(value, 4) : "not told";
}

function extremes(points, unit) {
  if (!points.length) return "not known";
  const low = points.reduce((least, point) => Math.min(least, point[3]), Infinity);
  const high = points.reduce((most, point) => Math.max(most, point[4]), -Infinity);
  return "from " + number(low, 1) + " to " + number(high, 1) + " " + unit;
}

function drawJobCharts(it, series) {
  jobCharts.series = series;
  jobCharts.ran = it.ran_ms || [];
  byId("job-charts").hidden = !series;
  if (!series) return;
  const [begin, end] = series.window_ms, limits = [begin, Math.max(end, begin + 1000)];
  const losses = [["loss", series.loss, "--ink"], ["training, by epoch", series.train_loss, "--run"], ["test, by epoch", series.test_loss, "--tier"]];
  drawJobChart("job-loss", "loss", losses.filter(([, points]) => points.length).map(([name, points, colour]) => dots(name, points, colour)),
    limits, "Loss over time; the last one: " + lastOf(series.loss.length ? series.loss : series.train_loss));
  drawJobChart("job-power", "W", banded("power", series.power, "--run"), limits, "Power over time, " + extremes(series.power, "watts"));
  drawJobChart("job-intensity", "g/kWh", banded("intensity", series.intensity, "--ink"), limits,
    "Carbon intensity from submission on, " + extremes(series.intensity, "grams per kilowatt-hour"));
  setText("job-charts-text", !jobCharts.ran.length ? "It has not run yet." :
    "Shaded: it ran. " + (it.pauses > 1 ? it.pauses + " pauses." : it.pauses ? "One pause." : "No pause."));
  if (byId("job-details").open) fillJobTable();
}

function fillJobTable() {
  const { series } = jobCharts, rows = [];
  const add = (what, points, digits) => points.forEach((point) => rows.push([moment(point[0]), what, ...point.slice(-3).map((value) => number(value, digits))]));
  jobCharts.ran.forEach(([begin, end]) => rows.push([moment(begin), "ran until " + (end ? moment(end) : "now"), "", "", ""]));
  add("loss", series.loss, 4);
  add("training loss", series.train_loss, 4);
  add("test loss", series.test_loss, 4);
  add("power, W", series.power, 1);
  add("intensity, g/kWh", series.intensity, 0);
  fillTable("job-table", rows);
}
