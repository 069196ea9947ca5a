"use strict";
// The page of the queue service: what is at a glance, and when which part is drawn anew. Texts of
// others (names, commands, logs) only ever become text nodes.

const byId = (id) => document.getElementById(id);

function setText(id, text) {
  const element = byId(id);
  if (element.textContent !== text) element.textContent = text;
}

// At a glance ------------------------------------------------------------------------------

function showGrid() {
  const { status, site } = state, signal = status.signals[0] || {};
  setText("now", isKnown(signal.g_per_kwh) ? number(signal.g_per_kwh, 0) + " g/kWh" : "unknown");
  setText("now-note", [signal.zone, signal.status, signal.lost ? "source lost: " + signal.lost : ""].filter(Boolean).join(", "));
  const ahead = within(site?.forecast, [status.time, status.time + 48 * HOUR]);
  const best = ahead.length ? ahead.reduce((a, b) => b[2] < a[2] ? b : a) : null;
  setText("best", best ? number(best[2], 0) + " g/kWh" : "–");
  setText("best-note", best ? "expected " + moment(best[0]) : "no forecast");
}

function showPower() {
  const { status } = state, waiting = (status.jobs.waiting || 0) + (status.jobs.paused || 0);
  const sum = (key) => status.running.reduce((total, program) => total + program[key], 0);
  const rates = status.running.filter((program) => isKnown(program.emissions_g_per_hour));
  const isMeasured = !status.running.length || status.running.some((program) => isKnown(program.power_w));
  setText("power", isMeasured ? watts(sum("power_w")) : "–");
  setText("power-note", !status.running.length ? "nothing runs" : !isMeasured ? "not measured" : rates.length < status.running.length ? "emissions unknown now" :
    grams(rates.reduce((total, program) => total + program.emissions_g_per_hour, 0)) + " an hour");
  setText("running", String(status.running.length));
  setText("running-note", number(waiting, 0) + " waiting");
  setText("emitted", emitted(status.emissions_g, status.energy_kwh));
  setText("emitted-note", energy(status.energy_kwh) + " in all");
}

function showSaved() {
  const { saved_g: difference, first_come_g: was, jobs, not_compared: rest, half_width_g: halfWidth, without_interval: unsure } = state.status.saved_on_first_come;
  const share = was > 0 ? difference / was : 0, same = Math.abs(share) < LEAST_DIFFERENCE;
  const unclear = !same && Math.abs(difference) <= halfWidth, worse = difference < 0 && !same && !unclear;
  setText("saved-title", worse ? "Worse" : "Saved");
  setText("saved", !jobs || unclear ? "–" : grams(same ? 0 : Math.abs(difference)));
  byId("saved").className = "figure " + (worse ? "worse" : same || unclear ? "" : "better");
  const known = same ? "" : ` (± ${grams(halfWidth)}${unsure ? ` and that of ${number(unsure, 0)} jobs` : ""})`;
  const compared = (same ? "as much as" : unclear ? `no clear difference: ${grams(Math.abs(difference))} ${difference < 0 ? "more" : "less"}` + known + " than" :
    number(Math.abs(100 * share), 1) + " % " + (worse ? "more" : "less") + known + " than");
  setText("saved-note", (jobs ? `${compared} first come, first served; ${number(jobs, 0)} ended job${jobs === 1 ? "" : "s"}` :
    "against first come, first served, once jobs have ended") + (rest ? `; ${number(rest, 0)} not compared` : ""));
}

function showEvents() {
  const latest = state.status.events.slice(-60).reverse(), list = byId("events");
  if (list.dataset.latest === zone.name + latest[0]?.number) return;
  list.dataset.latest = zone.name + latest[0]?.number;
  list.replaceChildren(...latest.map((event) => {
    const item = document.createElement("li");
    item.textContent = moment(event.at) + "  " + (event.job ? "job " + event.job + ": " : "") + inZone(event.text);
    return item;
  }));
}

// What runs ends, and nothing starts.
function drainText(drain) {
  const jobs = (count, one, many) => `${number(count, 0)} job${count === 1 ? " " + one : "s " + many}`;
  const missed = drain.misses_deadline.slice(0, 5).map((job) => `${job.id} (${job.name})`);
  if (drain.misses_deadline.length > missed.length) missed.push(`${number(drain.misses_deadline.length - missed.length, 0)} more`);
  return "The service is draining" + (drain.until ? " until " + moment(drain.until) : "") + (drain.why ? ": " + drain.why : "") + ". " +
    (drain.running ? jobs(drain.running, "runs to its end", "run to their end") + (drain.last_end ? ", the last at about " + moment(drain.last_end) : "") : "Nothing runs any more") +
    "; nothing starts." + (missed.length ? " Deadlines that cannot be kept for it: job " + missed.join(", ") + "." : "");
}

function showDrain() {
  const { drain } = state.status;
  byId("drain").hidden = !drain;
  setText("drain", drain ? drainText(drain) : "");
}

function showStatus() {
  const { status } = state;
  showGrid();
  showPower();
  showSaved();
  showEvents();
  showDrain();
  showFailed();
  const aside = status.devices.filter((device) => device.state !== "ready")
    .map((device) => `${device.name} (${device.model}) is ${device.state}${device.why ? ": " + device.why : ""}`);
  const budgets = (status.budgets || []).map((budget) => budget.why).filter(Boolean);
  const trouble = [status.trouble, ...budgets, ...aside, status.device_trouble && "no GPU can be given to a job: " + status.device_trouble].filter(Boolean).join("; ");
  byId("trouble").hidden = !trouble;
  setText("trouble", trouble);
  setText("live", saved ? "saved as it was on" : "live");
  setText("time", moment(status.time));
}

// Keeping up -------------------------------------------------------------------------------

const due = { parts: new Set(), timer: 0, drawnAt: 0 };

// A pixel of the charts, in time: they are not drawn for less.
function nowHasMoved() {
  const [begin, end] = shownRange();
  return Math.abs(state.status.time - due.drawnAt) > (end - begin) / 800;
}

// What has to be drawn, in pieces between which the page answers to who uses it.
function piecesDue() {
  const parts = new Set(due.parts), all = parts.has("all") || nowHasMoved(), pieces = [showStatus, showSites, showQueue];
  due.parts.clear();
  if (typeof Chart !== "undefined") {
    if (all || parts.has("grid")) pieces.push(drawIntensity);
    if (all || parts.has("grid") || state.barsChanged) pieces.push(drawGantt);
    if (all) due.drawnAt = state.status.time;
  }
  if (parts.has("grid")) pieces.push(refreshRecord);
  pieces.push(refreshJob);
  return pieces;
}

async function drawPieces() {
  performance.mark("update-begin");
  for (const draw of piecesDue()) {
    draw();
    await pause();
  }
  // bench/page reads these.
  performance.measure("update", { start: "update-begin", detail: { jobs: state.jobs.size, heard: state.heard, charts: Object.keys(charts).length } });
}

async function drawDue() {
  try {
    if (state.status) await drawPieces();
  } finally {
    due.timer = 0;
  }
  if (state.status && due.parts.size) drawSoon("what came meanwhile");
}

// Several events in a row are drawn once.
function drawSoon(part) {
  due.parts.add(part);
  due.timer ||= setTimeout(drawDue, 50);
}

// All of it, also what has not changed: in another zone, or other colours.
function drawAnew() {
  drawSoon("all");
  showRecord();
  job.seriesAsked = 0;
  if (job.open) showJob();
}

function followZone() {
  const select = byId("zone");
  for (const name of new Set([OWN_ZONE, "UTC"])) select.add(new Option(name, name));
  select.addEventListener("change", () => {
    setZone(select.value);
    drawAnew();
  });
}

function followDetails() {
  byId("intensity-details").addEventListener("toggle", () => state.site && fillIntensityTable());
  byId("job-details").addEventListener("toggle", () => jobCharts.series && fillJobTable());
  byId("gantt-details").addEventListener("toggle", () => state.status && fillGanttTable());
}

// How far back is shown is kept for the next time, where the browser keeps anything.
function followPast() {
  const select = byId("past");
  try {
    select.value = localStorage.getItem("past") ?? select.value;
  } catch { /* what is first is shown */ }
  if (!select.value) select.selectedIndex = 0;
  select.addEventListener("change", () => {
    drawSoon("all");
    try {
      localStorage.setItem("past", select.value);
    } catch { /* for this time only */ }
  });
}

// The view of sweeps is fetched when somebody first asks for it.
function followSweepsLink() {
  if (saved) return;  // it lies in the page
  const fetchOnce = () => {
    if (!/^#sweep/.test(location.hash)) return;
    window.removeEventListener("hashchange", fetchOnce);
    document.body.append(Object.assign(document.createElement("script"), { src: "/sweeps.js" }));
  };
  window.addEventListener("hashchange", fetchOnce);
  fetchOnce();
}

async function start() {
  if (alone) return;  // sweeps.js shows what there is
  byId("save").hidden = Boolean(saved);
  followZone();
  followPast();
  followDetails();
  followTokenControls();
  followQueueControls();
  followJobControls();
  followSweepsLink();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAnew);
  // The library of the charts comes last: what can be read is there before.
  window.addEventListener("load", () => drawSoon("all"));
  listen(drawSoon, () => setText("live", "not connected; trying again"));
  state.tiers = (await askJson("/api/v1/tiers"))?.tiers || [];
  drawSoon("grid");
  followAddress();
}

start();
