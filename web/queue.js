"use strict";
// The queue as a table: a page of rows at a time, whatever its length. Rows stay in place and only
// texts that changed are written, so that focus and a reader's position survive an update.

const ROWS = 100;
const STAGES_ENDED = new Set(["succeeded", "failed", "cancelled"]);
const ORDER = ["running", "starting", "pausing", "paused", "waiting", "failed", "succeeded", "cancelled"];
const RANK = Object.fromEntries(ORDER.map((stage, rank) => [stage, rank]));
const COLUMNS = ["Name", "Stage", "When", "Power", "Energy", "Emitted", "Why"];
const queue = { first: 0, rows: new Map(), wanted: { what: "", jobs: [] } };

// What runs, then what comes next; of what has ended the latest first.
function inOrder(a, b) {
  const stages = RANK[a.stage] - RANK[b.stage];
  if (stages) return stages;
  if (STAGES_ENDED.has(a.stage)) return b.end - a.end || b.id - a.id;
  return (a.begin || Infinity) - (b.begin || Infinity) || a.id - b.id;
}

// What failed since somebody last looked at that, here or before: kept for the next time, where the browser keeps
// anything. Who looks for the first time sees the last day.
const looked = { since: null };

function lookedBefore() {
  try {
    return Number(localStorage.getItem("looked")) || 0;
  } catch {
    return 0;
  }
}

function failedSince() {
  const now = state.status.time, before = lookedBefore();
  looked.since ??= before && before <= now ? before : now - 24 * HOUR;
  return [...state.jobs.values()].filter((job) => job.stage === "failed" && job.end > looked.since);
}

// While they are shown they stay; what comes later is news the next time.
function lookAtFailed() {
  try {
    localStorage.setItem("looked", String(state.status.time));
  } catch { /* for this time only */ }
}

function showFailed() {
  const failed = failedSince();
  setText("failed", number(failed.length, 0));
  byId("failed").className = "figure " + (failed.length ? "worse" : "");
  setText("failed-note", failed.length ? "" : "since " + moment(looked.since));
  byId("failed-show").hidden = !failed.length;
  if (byId("stage").value === "failed-since") lookAtFailed();
}

// Whether a job is of the stage that is asked for.
function isOfStage(job, stage) {
  if (stage === "live") return !STAGES_ENDED.has(job.stage);
  if (stage === "failed-since") return job.stage === "failed" && job.end > looked.since;
  return !stage || job.stage === stage;
}

// Those that are asked for, in order. All jobs lie in the order they had, which is nearly the one they have now: such
// a sort costs little.
function wanted() {
  const stage = byId("stage").value, name = byId("filter").value.trim().toLowerCase(), what = stage + " " + name;
  if (!state.jobsChanged && queue.wanted.what === what) return queue.wanted.jobs;
  const all = [...state.jobs.values()].sort(inOrder);
  state.jobs = new Map(all.map((job) => [job.id, job]));
  state.jobsChanged = false;
  const jobs = all.filter((job) =>
    isOfStage(job, stage) &&
    (!name || String(job.id) === name || job.name.toLowerCase().includes(name)));
  queue.wanted = { what, jobs };
  return jobs;
}

function when(job) {
  if (STAGES_ENDED.has(job.stage)) return moment(job.ended);
  if (job.stage === "running") return job.end > state.status.time ? "until " + moment(job.end) : "";
  return job.begin ? "from " + moment(job.begin) : "";
}

function reasonOf(job) {
  if (job.waits_for) return "after job " + job.waits_for.join(", ");
  if (job.detail) return job.detail;
  const reason = job.reason || "";
  return inZone(reason.startsWith(job.stage + ": ") ? reason.slice(job.stage.length + 2) : reason);
}

function textsOf(job, live) {
  const used = Math.max(live?.energy_kwh ?? 0, job.energy_kwh) || null;
  return [job.name, job.stage, when(job), live ? watts(live.power_w) : "", energy(used),
    emitted(live && isKnown(live.emissions_g) ? Math.max(live.emissions_g, job.emissions_g ?? 0) : job.emissions_g, used), reasonOf(job)];
}

function makeRow(id) {
  const row = document.createElement("tr"), head = document.createElement("th"), link = document.createElement("a");
  row.setAttribute("role", "row");
  row.texts = [];
  head.scope = "row";
  head.setAttribute("role", "rowheader");
  link.href = "#job=" + id;
  link.textContent = id;
  head.append(link);
  row.append(head);
  for (const column of COLUMNS) {
    const cell = row.insertCell();
    cell.setAttribute("role", "cell");
    cell.dataset.label = column;
    if (["Power", "Energy", "Emitted"].includes(column)) cell.className = "number";
  }
  return row;
}

function fillRow(row, texts) {
  texts.forEach((text, i) => { if (row.texts[i] !== text) row.cells[i + 1].textContent = text; });
  if (row.texts[1] !== texts[1]) row.dataset.stage = texts[1];
  row.texts = texts;
}

function showQueue() {
  const running = new Map(state.status.running.map((program) => [program.job, program]));
  const jobs = wanted();
  queue.first = Math.max(0, Math.min(queue.first, Math.floor((jobs.length - 1) / ROWS) * ROWS));
  const shown = jobs.slice(queue.first, queue.first + ROWS), body = byId("jobs"), rows = new Map();
  const ids = new Set(shown.map((job) => job.id)), focused = document.activeElement;
  for (const [id, row] of queue.rows) if (!ids.has(id)) row.remove();
  let next = body.firstChild;
  shown.forEach((job, i) => {
    const row = queue.rows.get(job.id) || makeRow(job.id);
    rows.set(job.id, row);
    fillRow(row, textsOf(job, running.get(job.id)));
    const place = String(queue.first + i + 2);
    if (row.getAttribute("aria-rowindex") !== place) row.setAttribute("aria-rowindex", place);
    if (next === row) next = row.nextSibling;
    else body.insertBefore(row, next);
  });
  queue.rows = rows;
  // A row that is moved loses the focus.
  if (focused !== document.activeElement && body.contains(focused)) focused.focus({ preventScroll: true });
  byId("queue-table").setAttribute("aria-rowcount", jobs.length + 1);
  showPlace(jobs.length);
}

function showPlace(length) {
  const last = Math.min(queue.first + ROWS, length);
  setText("place", length ? `${number(queue.first + 1, 0)}–${number(last, 0)} of ${number(length, 0)}` : "");
  byId("previous").disabled = queue.first === 0;
  byId("next").disabled = last >= length;
  byId("pager").hidden = length <= ROWS;
  setText("more", (length ? "" : state.jobs.size ? "No job matches." : "The queue is empty. To submit a job, run: ebb submit python train.py") +
    (state.leftOut ? ` ${number(state.leftOut, 0)} more jobs wait; ebb queue lists them.` : ""));
}

const perKwh = (value) => isKnown(value) ? number(value, 0) + " g/kWh" : "unknown";

function siteTexts(site) {
  const remark = site.lost ? " (source lost)" : site.status === "modelled" ? " (modelled)" : "", away = site.away ? `, ${site.away} away` : "";
  return [site.site, site.zone, perKwh(site.g_per_kwh) + remark, perKwh(site.next_24_hours_g_per_kwh),
    site.cleanest_hour ? `${perKwh(site.cleanest_hour_g_per_kwh)}, ${moment(site.cleanest_hour)}` : "",
    `${site.free} of ${site.devices}${away}`, site.jobs.map((job) => `${job.id} ${job.name}`).join(", ")];
}

// Where a service has one site, the tiles say all that is to be said of it.
function showSites() {
  const sites = state.status.sites || [];
  byId("sites").hidden = !sites.length;
  if (sites.length) fillTable("sites-table", sites.map(siteTexts));
}

function turnTo(first) {
  queue.first = first;
  showQueue();
  byId("queue-box").scrollTop = 0;
}

// Another choice is another look.
function followStage() {
  const select = byId("stage");
  select.addEventListener("change", () => {
    if (!state.status) return;
    if (select.value !== "failed-since") looked.since = null;
    showFailed();
    turnTo(0);
  });
  byId("failed-show").addEventListener("click", () => {
    select.value = "failed-since";
    showFailed();
    turnTo(0);
    byId("queue").scrollIntoView();
  });
}

function followQueueControls() {
  followStage();
  byId("filter").addEventListener("input", () => state.status && turnTo(0));
  byId("previous").addEventListener("click", () => turnTo(queue.first - ROWS));
  byId("next").addEventListener("click", () => turnTo(queue.first + ROWS));
}
