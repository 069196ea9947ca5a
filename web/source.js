"use strict";
// Where the page's data come from: the service, live, or, in a saved page, what was saved with it.
// The rest of the page does not know which.

const saved = JSON.parse(document.getElementById("saved-data")?.textContent ?? "null");
// A page with one sweep and no queue (`ebb sweep report --html`).
const alone = Boolean(saved) && !saved.answers["/api/v1/status"];

const state = {
  status: null,
  jobs: new Map(),  // by number
  leftOut: 0,       // waiting jobs that are not among them
  heard: 0,         // of how many jobs, so far
  jobsChanged: false,  // since the queue was put in order
  barsChanged: false,  // something that the chart of the devices shows, since it was drawn
  site: null,       // intensity: what is known and what is expected
  tiers: [],
};

// The answers of the service to a GET, as text and as JSON; nothing where there is none.
async function ask(path) {
  if (saved) return undefined;
  const answer = await request(path);
  return answer.ok ? answer.text() : undefined;
}

async function askJson(path) {
  if (saved) return saved.answers[path];
  const text = await ask(path);
  return text === undefined ? undefined : JSON.parse(text);
}

const sameSpans = (a = [], b = []) => a.length === b.length && a.every((span, i) => span[0] === b[i][0] && span[1] === b[i][1]);

// Of a long queue most is planned for later than the charts show.
function showsBars(job, limits) {
  const shown = ([begin, end]) => begin < limits[1] && !(end <= limits[0]);
  return Boolean(job?.ran_ms?.some(shown) || job?.planned_ms?.some(shown));
}

// Times as numbers, once: the queue is sorted by them at every change.
function takeJob(job, limits) {
  const before = state.jobs.get(job.id);
  state.barsChanged ||= (before?.stage !== job.stage || !sameSpans(before.ran_ms, job.ran_ms) || !sameSpans(before.planned_ms, job.planned_ms) ||
    String(before.ran_on) !== String(job.ran_on) || String(before.planned_devices) !== String(job.planned_devices)) &&
    (showsBars(before, limits) || showsBars(job, limits));
  const end = job.ended ?? job.expected_end;
  job.begin = before && before.expected_start === job.expected_start ? before.begin : Date.parse(job.expected_start ?? "");
  job.end = before && (before.ended ?? before.expected_end) === end ? before.end : Date.parse(end ?? "");
  state.jobs.set(job.id, job);
}

function takeStatus(status) {
  const before = state.status ? state.status.events : [];
  status.events = [...before, ...status.events].slice(-200);
  status.time = Date.parse(status.now);
  state.status = status;
}

const takers = {
  status: takeStatus,
  grid(grid) { state.site = grid.sites[0] || null; },
  jobs(part) {
    if (part.whole) state.jobs.clear();
    for (const id of part.gone || []) state.barsChanged = state.jobs.delete(id) || state.barsChanged;
    const limits = state.status ? shownRange() : [-Infinity, Infinity];
    part.changed.forEach((job) => takeJob(job, limits));
    state.jobsChanged = true;
    state.heard += part.changed.length;
    state.leftOut = part.left_out || 0;
  },
};

const AGAIN_AFTER_MS = 2000;
// Whatever else the page has to do is done meanwhile.
const pause = (milliseconds = 0) => new Promise((done) => setTimeout(done, milliseconds));

// Calls `changed` with what has changed ("status", "jobs", "grid"), `lost` when the service cannot be heard.
function listen(changed, lost) {
  if (saved) {
    const { "/api/v1/status": status, "/api/v1/grid": grid, "/api/v1/jobs": queue } = saved.answers;
    takeStatus(status);
    takers.grid(grid);
    takers.jobs({ changed: queue.jobs });
    ["status", "grid", "jobs"].forEach(changed);
    return;
  }
  hearAll(changed, lost);
}

async function hearAll(changed, lost) {
  for (;;) {
    try {
      await hear(changed);
    } catch { /* the same as an end */ }
    lost();
    await pause(AGAIN_AFTER_MS);
  }
}

// Server-sent events until they end. EventSource, which does the same, can send no token.
async function hear(changed) {
  const answer = await request("/api/v1/events?view=rows");
  if (!answer.ok) return;
  if (state.status) state.status.events = [];  // a new connection tells everything again
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ;) {
    const { value, done } = await reader.read();
    if (done) return;
    const events = (text + value).split("\n\n");
    text = events.pop();
    for (const event of events) {
      take(event, changed);
      await pause();
    }
  }
}

// "event: NAME\ndata: JSON", or a line that says that the service is still there.
function take(event, changed) {
  const [, name, json] = /^event: (\w+)\ndata: (.*)$/.exec(event) || [];
  if (!takers[name]) return;
  const data = JSON.parse(json);
  takers[name](data);
  if (!data.more) changed(name);
}
