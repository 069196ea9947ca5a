"use strict";
// Sweeps: all of them (#sweeps), and one with its experiments ranked (#sweep=3). Asked for only while this is open, and
// this file only once somebody opens it. What is asked for lies in a saved page (src/web/live/saved_sweep.h): the same
// addresses. In a page with one sweep and nothing else it takes the place of the queue.

const SWEEPS_EVERY_MS = 2000;
const MOST_SWEEPS = saved ? 10 : 50;  // in the list
const MOST_CURVES = 24;       // in the chart, from the best on
const CURVES_AT_ONCE = 6;     // asked for
const sweeps = { shown: null, timer: 0, reports: new Map(), curves: new Map(), report: null };

document.body.insertAdjacentHTML("beforeend", `
<dialog id="sweeps" aria-labelledby="sweeps-title">
  <form method="dialog"><button aria-label="Close">×</button></form>
  <h2 id="sweeps-title">Sweeps</h2>
  <p id="sweeps-words" role="status"></p>
  <div id="sweeps-all">
    <div class="scroll" tabindex="0" role="region" aria-labelledby="sweeps-title">
      <table class="ranking" role="table"><thead role="rowgroup"><tr role="row"></tr></thead><tbody id="sweep-rows" role="rowgroup"></tbody></table>
    </div>
  </div>
  <div id="sweep-one" hidden>
    <p id="sweep-machine" class="note"></p>
    <p class="of-queue"><a href="#sweeps">All sweeps</a></p>
    <div class="pair">
      <div>
        <div class="chart"><canvas id="sweep-losses" role="img" aria-label="Loss over epochs"></canvas></div>
        <p id="sweep-losses-text" class="note"></p>
      </div>
      <div>
        <div class="chart"><canvas id="sweep-front" role="img" aria-label="Loss and emissions"></canvas></div>
        <p id="sweep-front-text" class="note"></p>
      </div>
    </div>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="sweeps-title">
      <table class="ranking" role="table"><thead role="rowgroup"><tr role="row"></tr></thead><tbody id="experiment-rows" role="rowgroup"></tbody></table>
    </div>
    <p class="note">◆ no other that is done has both less loss and fewer grams. <span class="of-queue">A name leads to its job.</span></p>
    <details id="sweep-details"><summary>Losses as a table</summary>
      <div class="scroll" tabindex="0" role="region" aria-label="Losses"><table id="sweep-losses-table">
        <thead><tr><th scope="col">Experiment</th><th scope="col">Epoch</th><th scope="col">Loss</th></tr></thead><tbody></tbody>
      </table></div>
    </details>
    <div id="sweep-notices" hidden><h3>Notes</h3><ul></ul></div>
  </div>
</dialog>`);

// Null: the address means no sweep; 0: all.
function sweepInAddress() {
  const [, all, one] = /^#(?:(sweeps)|sweep=(\d+))$/.exec(location.hash) || [];
  return all ? 0 : one ? +one : null;
}

// A cell of the table; in a row of the head, or with its label for where it stands alone.
function rankingCell(kind, role, [label, look = ""]) {
  const cell = document.createElement(kind);
  cell.setAttribute("role", role);
  cell.className = look;
  cell.dataset.label = label;
  return cell;
}

// Each column: [label, how its cells look]. Rows of other columns are of no use any more.
function fillHead(head, body, columns) {
  if (head.dataset.columns === JSON.stringify(columns)) return;
  head.dataset.columns = JSON.stringify(columns);
  head.replaceChildren(...columns.map((column) => {
    const cell = rankingCell("th", "columnheader", column);
    cell.scope = "col";
    cell.textContent = column[0];
    return cell;
  }));
  body.replaceChildren();
}

// Rows are kept, so that the focus and a reader's place survive: [key, address, texts], where the second cell has the link,
// if there is an address.
function fillRanking(body, columns, rows) {
  fillHead(body.parentElement.tHead.rows[0], body, columns);
  const before = new Map([...body.rows].map((row) => [row.dataset.key, row])), focused = document.activeElement;
  rows.forEach(([key, address, texts], place) => {
    const row = before.get(key) || document.createElement("tr");
    before.delete(key);
    if (!row.cells.length) {
      row.dataset.key = key;
      row.setAttribute("role", "row");
      row.append(...columns.map((column, i) => i === 1 ? rankingCell("th", "rowheader", column) : rankingCell("td", "cell", column)));
      row.cells[1].scope = "row";
      const link = document.createElement(address ? "a" : "span");
      if (address) link.href = address;
      row.cells[1].append(link);
    }
    texts.forEach((text, i) => {
      const holder = i === 1 ? row.cells[1].firstChild : row.cells[i];
      if (holder.textContent !== text) holder.textContent = text;
    });
    if (body.rows[place] !== row) body.insertBefore(row, body.rows[place] || null);
  });
  for (const row of before.values()) row.remove();
  if (focused !== document.activeElement && body.contains(focused)) focused.focus({ preventScroll: true });
}

// All ------------------------------------------------------------------------------------------

const sumOf = (jobs, ...stages) => stages.reduce((sum, stage) => sum + (jobs[stage] || 0), 0);

// A run that failed at once ran for a tenth of a second, and not for none.
const ranText = (seconds) => !isKnown(seconds) ? "–" : seconds < 10 ? number(seconds, 1) + " s" : duration(1000 * seconds);

function stateOf(jobs) {
  if (sumOf(jobs, "running", "starting", "pausing")) return "running";
  return sumOf(jobs, "waiting", "paused") ? "waiting" : "over";
}

// The best of what is done, or, until something is, what has the lowest loss now.
function bestText(report) {
  if (!report) return saved ? "not saved" : "…";
  const known = report.experiments.filter((row) => isKnown(row.loss));
  const best = report.experiments.find((row) => row.rank === 1) || known.sort((a, b) => a.loss - b.loss)[0];
  return best ? `${best.name}: ${number(best.loss, 4)}` + (best.rank ? "" : ` (${best.outcome})`) : "–";
}

const SWEEP_COLUMNS = [["Sweep"], ["Name"], ["State"], ["Best so far"], ["Running", "number"], ["Waiting", "number"], ["Stopped", "number"],
  ["Done", "number"], ["Submitted"]];

function fillSweeps(list) {
  fillRanking(byId("sweep-rows"), SWEEP_COLUMNS, list.map(({ sweep, name, jobs, submitted }) => [String(sweep), "#sweep=" + sweep, [String(sweep), name,
    stateOf(jobs) + (jobs.failed ? `, ${number(jobs.failed, 0)} failed` : ""),
    bestText(sweeps.reports.get(sweep)), ...[["running", "starting", "pausing"], ["waiting", "paused"], ["cancelled"], ["succeeded"]]
      .map((stages) => number(sumOf(jobs, ...stages), 0)), moment(submitted)]]));
}

async function showAllSweeps() {
  const answer = await askJson("/api/v1/sweeps?limit=" + MOST_SWEEPS);
  if (sweeps.shown !== 0) return;
  const list = answer?.sweeps || [];
  setText("sweeps-words", !list.length ? "There are no sweeps. To submit one, run: ebb submit SWEEP.yaml" :
    list.length < MOST_SWEEPS ? "" : `The newest ${MOST_SWEEPS}` + (saved ? " were saved." : "; ebb queue --sweep NAME shows any of them."));
  fillSweeps(list);
  for (const { sweep, jobs } of list) {
    if (sweeps.reports.get(sweep)?.over) continue;  // nothing changes any more
    if (stateOf(jobs) === "waiting" && sweeps.reports.has(sweep)) continue;
    sweeps.reports.set(sweep, await askJson("/api/v1/sweeps/" + sweep));
    if (sweeps.shown !== 0) return;
    fillSweeps(list);
  }
}

// One ------------------------------------------------------------------------------------------

function sweepWords(report) {
  const counts = new Map();
  for (const { outcome } of report.experiments) counts.set(outcome, (counts.get(outcome) || 0) + 1);
  const words = [[...counts].map(([outcome, count]) => `${number(count, 0)} ${outcome}`).join(", "),
    `${energy(report.energy_kwh)} and ${isKnown(report.emissions_g) ? grams(report.emissions_g) : "emissions unknown"} in all`];
  if (report.stopped_early)
    words.push(`by stopping ${number(report.stopped_early, 0)} early about ${energy(report.estimated_saved_kwh)} and ${grams(report.estimated_saved_g)} were saved ` +
      "(an estimate; nobody can know whether the best configuration was among them)");
  return words.join("; ") + ".";
}

// What the machine used beside them, where it is known.
function machineWords({ energy_kwh: experiments, machine }) {
  if (!machine) return "";
  const part = (name, kwh, g) => `${name} ${energy(kwh)} (${isKnown(g) ? grams(g) : "emissions unknown"})`;
  return `The machine, while Ebb ran: ${energy(experiments + machine.idle_kwh + machine.unattributed_kwh)} = experiments ${energy(experiments)} + ` +
    part("idle", machine.idle_kwh, machine.idle_g) + " + " + part("unattributed", machine.unattributed_kwh, machine.unattributed_g) + ".";
}

function fillNotices({ notices }) {
  byId("sweep-notices").hidden = !notices.length;
  byId("sweep-notices").querySelector("ul").replaceChildren(...notices.map((notice) => {
    const item = document.createElement("li");
    item.textContent = inZone(notice);
    return item;
  }));
}

const parameterText = (row, name) => Object.hasOwn(row.parameters, name) ? row.parameters[name] : "";

// A column for each parameter in which they differ, with the texts of the sweep's file.
function parameterColumns({ varied_parameters: names, experiments }) {
  const isNumber = (text) => text.trim() !== "" && Number.isFinite(+text);
  return names.map((name) => [name, experiments.every((row) => isNumber(parameterText(row, name))) ? "number" : "words"]);
}

function fillExperiments(report) {
  const withWork = report.experiments.some((row) => perUnit(row));
  const columns = [["Rank"], ["Experiment"], ["Verdict"], ...parameterColumns(report), ["Loss", "number"], ["Epochs", "number"], ["Ran", "number"],
    ["Energy", "number"], ["Emitted", "number"], ...(withWork ? [["Per unit", "number"]] : []), ["Waited", "number"], ["Tier"], ["Why"]];
  fillRanking(byId("experiment-rows"), columns, report.experiments.map((row) => [String(row.job), alone ? "" : "#job=" + row.job,
    [(row.rank ?? "–") + (row.on_pareto_front ? " ◆" : ""), row.name, row.outcome, ...report.varied_parameters.map((name) => parameterText(row, name)),
      number(row.loss, 4), number(row.epochs, 0), ranText(row.running_time_s), energy(row.energy_kwh),
      row.attempts && !isKnown(row.emissions_g) ? "unknown" : grams(row.emissions_g), ...(withWork ? [perUnit(row)] : []), row.attempts ? duration(1000 * row.waited_s) : "–", row.tier, row.note]]));
}

// Loss and grams: what is on the front is joined, and rings have not run to their end.
function drawFront(report) {
  const rows = report.experiments.filter((row) => isKnown(row.loss) && isKnown(row.emissions_g)), front = rows.filter((row) => row.on_pareto_front);
  const box = byId("sweep-front").parentElement;
  box.hidden = !rows.length || typeof Chart === "undefined";
  setText("sweep-front-text", rows.length ? "Loss and emissions. ◆ on the front; rings have not run to their end." :
    "No experiment has both a loss and known emissions yet.");
  if (box.hidden) return;
  const points = (these) => these.map((row) => ({ x: row.emissions_g, y: row.loss, row }));
  const others = rows.filter((row) => !row.on_pareto_front), clean = style("--clean"), soft = style("--soft");
  const datasets = [line("on the front", points(front), clean, { showLine: true, pointStyle: "rectRot", pointRadius: 7 }),
    line("done", points(others.filter((row) => row.outcome === "done")), style("--ink"), { pointRadius: 4 }),
    line("not to its end", points(others.filter((row) => row.outcome !== "done")), soft, { pointRadius: 4, backgroundColor: "transparent" })];
  draw("sweep-front", "scatter", { datasets }, {
    animation: false, maintainAspectRatio: false,
    interaction: { mode: "nearest", axis: "xy", intersect: false },
    scales: { x: { type: "linear", grid: { color: style("--line") }, ticks: { color: soft, maxRotation: 0, autoSkipPadding: 12, callback: (value) => grams(value) },
      title: { display: true, text: "emitted", color: soft } }, y: valueAxis("loss", { beginAtZero: false }) },
    plugins: { legend: { display: false }, tooltip: { callbacks: { title: (items) => items[0]?.raw.row.name,
      label: ({ raw: { row } }) => `loss ${number(row.loss, 4)}, ${grams(row.emissions_g)}, ${row.outcome}` } } },
    onClick: (event, items) => { if (items.length && !alone) location.hash = "job=" + items[0].element.$context.raw.row.job; },
  });
  byId("sweep-front").setAttribute("aria-label", `Loss and emissions of ${rows.length} experiments` +
    (front.length ? "; on the front: " + front.map((row) => row.name).join(", ") : ""));
}

// [epoch, loss] of one experiment: of validation, or of training where there is none.
async function curveOf(row) {
  const before = sweeps.curves.get(row.job);
  if (!row.epochs || before?.epochs === row.epochs) return;
  const series = await askJson(`/api/v1/jobs/${row.job}/series?only=losses&points=200`);
  if (!series) return;
  const told = series.test_loss.length ? series.test_loss : series.train_loss;
  sweeps.curves.set(row.job, { epochs: row.epochs, points: told.map(([, epoch, loss]) => ({ x: epoch, y: loss })) });
}

async function askCurves(report) {
  const rows = report.experiments.filter((row) => row.epochs).slice(0, MOST_CURVES);
  for (let i = 0; i < rows.length; i += CURVES_AT_ONCE) {
    await Promise.all(rows.slice(i, i + CURVES_AT_ONCE).map(curveOf));
    if (sweeps.report !== report) return;
  }
  drawCurves(report, rows.filter((row) => sweeps.curves.get(row.job)?.points.length));
}

// Not by colour alone: the best is thick, what was stopped is dashed.
function curveStyle(row) {
  if (row.rank === 1) return ["--clean", { borderWidth: 3.5, order: -1 }];
  if (row.outcome === "running") return ["--ink", { borderWidth: 1.5 }];
  return ["--soft", { borderWidth: 1, borderDash: row.outcome === "done" ? [] : [4, 3] }];
}

function drawCurves(report, rows) {
  const box = byId("sweep-losses").parentElement;
  box.hidden = !rows.length || typeof Chart === "undefined";
  setText("sweep-losses-text", rows.length ? "Loss over epochs. Thick: the best that is done; dashed: stopped, failed or paused." +
    (rows.length === MOST_CURVES ? ` The first ${MOST_CURVES} are drawn.` : "") : "No experiment has reported a loss yet.");
  if (byId("sweep-details").open) fillLosses();
  if (box.hidden) return;
  const datasets = rows.map((row) => {
    const [colour, extra] = curveStyle(row), { points } = sweeps.curves.get(row.job);
    return line(row.name, points, style(colour), { pointRadius: points.length < 20 ? 2.5 : 0, ...extra });
  });
  draw("sweep-losses", "line", { datasets }, {
    animation: false, maintainAspectRatio: false, parsing: false, normalized: true,
    interaction: { mode: "nearest", axis: "xy", intersect: false },
    scales: { x: { type: "linear", grid: { color: style("--line") }, ticks: { color: style("--soft"), precision: 0 },
      title: { display: true, text: "epoch", color: style("--soft") } }, y: valueAxis("loss", { beginAtZero: false }) },
    plugins: { legend: { display: false }, tooltip: { callbacks: { title: (items) => "epoch " + items[0]?.parsed.x,
      label: (item) => item.dataset.label + ": " + number(item.parsed.y, 4) } } },
    onClick: (event, items) => { if (items.length && !alone) location.hash = "job=" + rows[items[0].datasetIndex].job; },
  });
  const best = rows.find((row) => row.rank === 1);
  byId("sweep-losses").setAttribute("aria-label", `Loss over epochs of ${rows.length} experiments` +
    (best ? `; the best, ${best.name}, ends at ${number(best.loss, 4)}` : ""));
}

function fillLosses() {
  const rows = sweeps.report?.experiments || [];
  fillTable("sweep-losses-table", rows.flatMap((row) => (sweeps.curves.get(row.job)?.points || []).map(({ x, y }) => [row.name, number(x, 0), number(y, 4)])));
}

async function showSweep() {
  const id = sweeps.shown, report = await askJson("/api/v1/sweeps/" + id);
  if (id !== sweeps.shown) return;
  byId("sweep-one").hidden = !report;
  if (!report) {
    setText("sweeps-words", saved ? "It was not saved with this page." : "There is no such sweep.");
    return;
  }
  sweeps.report = report;
  sweeps.reports.set(id, report);
  setText("sweeps-title", alone ? "Sweep " + report.name : `Sweep ${id}: ${report.name}`);
  setText("sweeps-words", sweepWords(report));
  setText("sweep-machine", machineWords(report));
  fillExperiments(report);
  fillNotices(report);
  drawFront(report);
  await askCurves(report);
}

// Keeping up -----------------------------------------------------------------------------------

async function showSweeps() {
  clearTimeout(sweeps.timer);
  const shown = sweeps.shown;
  if (shown === null) return;
  try {
    await (shown ? showSweep() : showAllSweeps());
  } catch (error) {
    setText("sweeps-words", "cannot be asked: " + error.message);
  }
  clearTimeout(sweeps.timer);
  const settled = saved || (shown && sweeps.report?.over);
  if (sweeps.shown === shown && !settled) sweeps.timer = setTimeout(showSweeps, SWEEPS_EVERY_MS);
}

function followSweepAddress() {
  const dialog = byId("sweeps"), shown = sweepInAddress();
  sweeps.shown = shown;
  sweeps.report = null;
  if (shown === null) {
    if (dialog.open) dialog.close();
    return;
  }
  byId("sweeps-all").hidden = shown > 0;
  byId("sweep-one").hidden = true;
  setText("sweeps-title", shown ? "Sweep " + shown : "Sweeps");
  setText("sweeps-words", "");
  if (!dialog.open) dialog.showModal();
  showSweeps();
}

// In place of the queue.
function showAlone() {
  const section = document.createElement("section"), dialog = byId("sweeps");
  section.id = dialog.id;
  section.setAttribute("aria-labelledby", "sweeps-title");
  section.append(...dialog.children);
  document.querySelector("main").replaceChildren(section);
  section.querySelectorAll("form, #sweeps-all, .of-queue").forEach((element) => element.remove());
  document.querySelectorAll("dialog, .skip, header > :not(h1)").forEach((element) => element.remove());
  const path = Object.keys(saved.answers).find((address) => address.startsWith("/api/v1/sweeps/"));
  sweeps.shown = +path.split("/").at(-1);
  document.title = "Ebb: sweep " + saved.answers[path].name;
  showSweeps();
}

function followSweeps() {
  window.addEventListener("hashchange", followSweepAddress);
  byId("sweeps").addEventListener("close", () => {
    // A job is shown in its place, or another sweep is meant already.
    if (byId("sweeps").open || sweepInAddress() === null || sweepInAddress() !== sweeps.shown) return;
    sweeps.shown = null;
    history.replaceState(null, "", location.pathname + location.search);
  });
  followSweepAddress();
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showSweeps);
byId("sweep-details").addEventListener("toggle", fillLosses);
if (alone) showAlone();
else followSweeps();
