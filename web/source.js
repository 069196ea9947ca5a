"use strict";
// Where the page's data come from: the service, live, or, in a saved page, what was saved with it.
// The rest of the page does not know which.

const saved = JSON.parse(document.getElementById("saved-data")?.textContent ?? "null");

const state = {
  status: null,
  jobs: new Map(),  // by number
  leftOut: 0,       // waiting jobs that are not among them
  heard: 0,         // of how many jobs, so far
  barsChanged: false,  // since the chart of the devices was drawn
  site: null,       // intensity: what is known and what is expected
  tiers: [],
};

// The answers of the service to a GET, as text and as JSON; nothing where there is none.
async function ask(path) {
  if (saved) return undefined;
  const answer = await fetch(path);
  return answer.ok ? answer.text() : undefined;
}

async function askJson(path) {
  if (saved) return saved.answers[path];
  const text = await ask(path);
  return text === undefined ? undefined : JSON.parse(text);
}

const sameSpans = (a = [], b = []) => a.length === b.length && a.every((span, i) => span[0] === b[i][0] && span[1] === b[i][1]);

// Times as numbers, once: the queue is sorted by them at every change.
function takeJob(job) {
  const before = state.jobs.get(job.id);
  state.barsChanged ||= !before || before.stage !== job.stage || !sameSpans(before.ran_ms, job.ran_ms) || !sameSpans(before.planned_ms, job.planned_ms);
  const end = job.ended ?? job.expected_end;
  job.begin = before && before.expected_start === job.expected_start ? before.begin : Date.parse(job.expected_start ?? "");
  job.end = before && (before.ended ?? before.expected_end) === end ? before.end : Date.parse(end ?? "");
  state.jobs.set(job.id, job);
}

function takeStatus(status) {
  const before = state.status ? state.status.happenings : [];
  status.happenings = [...before, ...status.happenings].slice(-200);
  status.time = Date.parse(status.now);
  state.status = status;
}

const takers = {
  status: takeStatus,
  grid(grid) { state.site = grid.sites[0] || null; },
  jobs(part) {
    if (part.whole) state.jobs.clear();
    for (const id of part.gone || []) state.barsChanged = state.jobs.delete(id) || state.barsChanged;
    part.changed.forEach(takeJob);
    state.heard += part.changed.length;
    state.leftOut = part.left_out || 0;
  },
};

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
  const events = new EventSource("/api/v1/events?view=whole");
  for (const name of Object.keys(takers)) {
    events.addEventListener(name, (event) => {
      const data = JSON.parse(event.data);
      takers[name](data);
      if (!data.more) changed(name);
    });
  }
  // A new connection tells everything again.
  events.addEventListener("open", () => { if (state.status) state.status.happenings = []; });
  events.addEventListener("error", lost);
}
