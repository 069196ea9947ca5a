#include "store/database/schema.h"

#include <array>

namespace ebb::store {
namespace {

constexpr std::string_view kJobsAndJournal = R"(
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE jobs(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  key TEXT UNIQUE,
  tier TEXT NOT NULL,
  recurring TEXT NOT NULL,
  stage TEXT NOT NULL,
  submitted_ms INTEGER NOT NULL,
  first_start_ms INTEGER,
  ended_ms INTEGER,
  pauses INTEGER NOT NULL DEFAULT 0,
  exit_code INTEGER,
  detail TEXT NOT NULL DEFAULT '',
  energy_uj INTEGER NOT NULL DEFAULT 0,
  energy_without_intensity_uj INTEGER NOT NULL DEFAULT 0,
  emissions_g REAL,
  submission TEXT NOT NULL
);
CREATE INDEX jobs_by_stage ON jobs(stage, id);
CREATE INDEX jobs_by_name ON jobs(name, id);
CREATE INDEX jobs_by_end ON jobs(ended_ms) WHERE ended_ms IS NOT NULL;

CREATE TABLE attempts(
  job INTEGER NOT NULL REFERENCES jobs(id) ON DELETE CASCADE,
  attempt INTEGER NOT NULL,
  pool INTEGER NOT NULL,
  decided_ms INTEGER,
  began_ms INTEGER,
  ended_ms INTEGER,
  phase TEXT NOT NULL,
  exit_code INTEGER NOT NULL DEFAULT 0,
  detail TEXT NOT NULL DEFAULT '',
  PRIMARY KEY(job, attempt)
) WITHOUT ROWID;

CREATE TABLE journal(
  seq INTEGER PRIMARY KEY,
  at_ms INTEGER NOT NULL,
  kind TEXT NOT NULL,
  line TEXT NOT NULL
);

CREATE TABLE snapshots(
  id INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  continues INTEGER NOT NULL
);
CREATE TABLE snapshot_lines(
  snapshot INTEGER NOT NULL REFERENCES snapshots(id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  lines TEXT NOT NULL,
  UNIQUE(snapshot, number)
);
)";

constexpr std::string_view kLedgerAndSignals = R"(
CREATE TABLE ledger(
  job INTEGER NOT NULL REFERENCES jobs(id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  device TEXT NOT NULL,
  component TEXT NOT NULL,
  source TEXT NOT NULL,
  wall_begin_ms INTEGER NOT NULL,
  wall_end_ms INTEGER NOT NULL,
  grid_begin_ms INTEGER NOT NULL,
  grid_end_ms INTEGER NOT NULL,
  energy_uj INTEGER NOT NULL,
  pue REAL NOT NULL,
  intensity_g_per_kwh REAL,
  intensity_status TEXT NOT NULL,
  signal_kind TEXT NOT NULL,
  intensity_source TEXT,
  other_intensity_g_per_kwh REAL,
  other_status TEXT,
  other_kind TEXT,
  PRIMARY KEY(job, number)
) WITHOUT ROWID;

CREATE TABLE ledger_files(
  file TEXT PRIMARY KEY,
  job INTEGER NOT NULL REFERENCES jobs(id) ON DELETE CASCADE,
  read_to INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE signal_history(
  zone TEXT NOT NULL,
  kind TEXT NOT NULL,
  boundary TEXT NOT NULL,
  begin_ms INTEGER NOT NULL,
  length_ms INTEGER NOT NULL,
  g_per_kwh REAL NOT NULL,
  rank INTEGER NOT NULL,
  source TEXT NOT NULL,
  PRIMARY KEY(zone, kind, boundary, begin_ms)
) WITHOUT ROWID;
)";

// A rung may refer to a job that is forgotten while its sweep goes on.
constexpr std::string_view kSweeps = R"(
CREATE TABLE sweeps(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  key TEXT UNIQUE,
  submitted_ms INTEGER NOT NULL,
  reduction INTEGER,
  minimum_epochs INTEGER,
  epochs INTEGER
);
CREATE INDEX sweeps_by_name ON sweeps(name, id);

ALTER TABLE jobs ADD COLUMN sweep INTEGER REFERENCES sweeps(id);
CREATE INDEX jobs_by_sweep ON jobs(sweep, id) WHERE sweep IS NOT NULL;

CREATE TABLE rung_losses(
  sweep INTEGER NOT NULL REFERENCES sweeps(id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  job INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  loss REAL,
  rung INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  reached INTEGER NOT NULL,
  kept INTEGER NOT NULL,
  stopped INTEGER NOT NULL,
  saved_uj INTEGER,
  saved_g REAL,
  PRIMARY KEY(sweep, number)
) WITHOUT ROWID;
)";

// first_come has rows for jobs that the readers' views have forgotten. attempts.devices: names,
// with commas between; empty: unknown.
constexpr std::string_view kFirstComeAndDevices = R"(
CREATE TABLE first_come(
  job INTEGER PRIMARY KEY REFERENCES jobs(id) ON DELETE CASCADE,
  begin_ms INTEGER,
  end_ms INTEGER,
  pool INTEGER NOT NULL,
  devices INTEGER NOT NULL,
  emissions_g REAL
);
CREATE INDEX first_come_by_end ON first_come(end_ms);

ALTER TABLE attempts ADD COLUMN devices TEXT NOT NULL DEFAULT '';
)";

// A snapshot is written a part at a time.
constexpr std::string_view kSnapshotsInParts = R"(
ALTER TABLE snapshots ADD COLUMN complete INTEGER NOT NULL DEFAULT 1;
)";

// Jobs that were forgotten before are not compared with their submission.
constexpr std::string_view kAtSubmission = R"(
ALTER TABLE first_come ADD COLUMN at_submission_g REAL;
)";

// Sums that every start needs are kept beside a job's ledger. So a start does not read ledgers, and
// the sums stay when the ledger is pruned. pruned: 1, its ledger is being removed; 2, it is gone.
// counted: it is part of the sums of jobs that the view has forgotten (meta).
constexpr std::string_view kRetention = R"(
ALTER TABLE jobs ADD COLUMN gpu_energy_uj INTEGER;
ALTER TABLE jobs ADD COLUMN gpu_metered_uj INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN gpu_metered_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN pruned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN counted INTEGER NOT NULL DEFAULT 0;
DROP INDEX jobs_by_end;
CREATE INDEX jobs_to_prune ON jobs(ended_ms) WHERE ended_ms IS NOT NULL AND pruned < 2;
CREATE INDEX jobs_to_count ON jobs(id) WHERE ended_ms IS NOT NULL AND counted = 0;
CREATE INDEX jobs_by_recurring ON jobs(recurring, id) WHERE recurring != '';

CREATE TABLE ledger_devices(
  job INTEGER NOT NULL REFERENCES jobs(id) ON DELETE CASCADE,
  attempt INTEGER NOT NULL,
  device TEXT NOT NULL,
  stored_up_to_ms INTEGER NOT NULL,
  PRIMARY KEY(job, attempt, device)
) WITHOUT ROWID;

INSERT INTO ledger_devices SELECT job, attempt, device, max(wall_end_ms) FROM ledger WHERE job IN
  (SELECT id FROM jobs WHERE stage IN ('waiting', 'starting', 'running', 'pausing', 'paused'))
  GROUP BY job, attempt, device;
UPDATE jobs SET
  gpu_energy_uj = (SELECT sum(energy_uj) FROM ledger WHERE job = id AND component = 'gpu'),
  gpu_metered_uj = (SELECT coalesce(sum(energy_uj), 0) FROM ledger
    WHERE job = id AND component = 'gpu' AND source != 'model'),
  gpu_metered_ms = (SELECT coalesce(sum(wall_end_ms - wall_begin_ms), 0) FROM ledger
    WHERE job = id AND component = 'gpu' AND source != 'model')
  WHERE stage IN ('waiting', 'starting', 'running', 'pausing', 'paused')
    OR id IN (SELECT id FROM jobs WHERE stage = 'succeeded' ORDER BY id DESC LIMIT 500);
)";

// Only accepted submissions keep a key. Older versions kept the keys of refused jobs, and of sweeps
// without any accepted job. A job that failed without an attempt was refused.
constexpr std::string_view kKeysOfRefused = R"(
UPDATE sweeps SET key = NULL WHERE key IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM jobs WHERE sweep = sweeps.id AND NOT (stage = 'failed'
    AND NOT EXISTS (SELECT 1 FROM attempts WHERE attempts.job = jobs.id)));
UPDATE jobs SET key = NULL WHERE key IS NOT NULL AND stage = 'failed'
  AND NOT EXISTS (SELECT 1 FROM attempts WHERE attempts.job = jobs.id);
)";

// Emissions of a job on the newest version of the signal that its baselines use.
constexpr std::string_view kSettled = R"(
ALTER TABLE first_come ADD COLUMN settled_g REAL;
)";

// Marks rows of a GPU whose reading was divided among the jobs that share it.
constexpr std::string_view kSharesOfGpus = R"(
ALTER TABLE ledger ADD COLUMN shared INTEGER NOT NULL DEFAULT 0;
)";

// Uncertainty of a saving: half of its 95 % interval.
constexpr std::string_view kSureSavings = R"(
ALTER TABLE first_come ADD COLUMN saving_half_width_g REAL;
)";

// Energy of the machine by hour (wall time), and its attribution.
constexpr std::string_view kMachineEnergy = R"(
CREATE TABLE machine_energy(
  hour_ms INTEGER NOT NULL,
  device TEXT NOT NULL,
  component TEXT NOT NULL,
  source TEXT NOT NULL,
  machine_uj INTEGER NOT NULL,
  jobs_uj INTEGER NOT NULL,
  idle_uj INTEGER NOT NULL,
  unattributed_uj INTEGER NOT NULL,
  read_for_ms INTEGER NOT NULL,
  PRIMARY KEY(hour_ms, device),
  CHECK(machine_uj = jobs_uj + idle_uj + unattributed_uj)
) WITHOUT ROWID;
)";

// Rows of older versions have no links: chains begin at the first row after the migration.
constexpr std::string_view kLinks = R"(
ALTER TABLE jobs ADD COLUMN ledger_link TEXT;
ALTER TABLE jobs ADD COLUMN ledger_linked_from INTEGER;
ALTER TABLE journal ADD COLUMN link TEXT;

CREATE TABLE settlements(
  job INTEGER NOT NULL REFERENCES jobs(id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  asked_ms INTEGER NOT NULL,
  signal TEXT NOT NULL,
  link TEXT NOT NULL,
  PRIMARY KEY(job, number)
) WITHOUT ROWID;
)";

constexpr std::string_view kSureFirstCome = R"(
ALTER TABLE first_come ADD COLUMN first_come_half_width_g REAL;
)";

// Common budget of the experiments of a sweep (fields of core::Budget), and its events.
constexpr std::string_view kSweepBudgets = R"(
ALTER TABLE sweeps ADD COLUMN budget TEXT;

CREATE TABLE sweep_budget_events(
  sweep INTEGER NOT NULL REFERENCES sweeps(id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  event TEXT NOT NULL,
  PRIMARY KEY(sweep, number)
) WITHOUT ROWID;
)";

// No code reads how far a file of a ledger had been read.
constexpr std::string_view kNoLedgerFiles = "DROP TABLE ledger_files;";

// The service's notes on a job were settings with the job's number in their key, and were not
// removed when the job had ended.
constexpr std::string_view kJobNotes = R"(
ALTER TABLE jobs ADD COLUMN held TEXT;
ALTER TABLE jobs ADD COLUMN why_held TEXT;
ALTER TABLE jobs ADD COLUMN budget_heard INTEGER NOT NULL DEFAULT 0;

UPDATE jobs SET
  held = (SELECT nullif(value, '') FROM meta WHERE key = 'hold of job ' || id),
  why_held = (SELECT nullif(value, '') FROM meta WHERE key = 'why job ' || id || ' is held'),
  budget_heard = coalesce(
    (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'budget events of job ' || id), 0)
  WHERE 'hold of job ' || id IN (SELECT key FROM meta)
    OR 'why job ' || id || ' is held' IN (SELECT key FROM meta)
    OR 'budget events of job ' || id IN (SELECT key FROM meta);
DELETE FROM meta WHERE key LIKE 'hold of job %' OR key LIKE 'why job % is held'
  OR key LIKE 'budget events of job %';
)";

// Savings from waiting, for a job that began at once (fields of report::HadItWaited).
constexpr std::string_view kHadItWaited = R"(
ALTER TABLE first_come ADD COLUMN had_it_waited TEXT;
)";

// The work that programs report, and the uncertainty of energy and emissions: half of the 95 %
// interval as a share of the figure. Jobs that ended before have neither.
constexpr std::string_view kWork = R"(
ALTER TABLE jobs ADD COLUMN tokens_done INTEGER;
ALTER TABLE jobs ADD COLUMN samples_done INTEGER;
ALTER TABLE jobs ADD COLUMN steps_done INTEGER;
ALTER TABLE first_come ADD COLUMN energy_half_width REAL;
ALTER TABLE first_come ADD COLUMN emissions_half_width REAL;
)";

// For a service with several sites: what the settlement of a job rests on at each
// (store/accounts/settled_sites.h), and what the job would have emitted at other places and times
// (fields of service::PlaceAndTime).
constexpr std::string_view kSettledSites = R"(
ALTER TABLE settlements ADD COLUMN sites TEXT;
ALTER TABLE first_come ADD COLUMN place_and_time TEXT;
)";

constexpr std::array<std::string_view, 20> kMigrations{kJobsAndJournal,
                                                       kLedgerAndSignals,
                                                       kSweeps,
                                                       kFirstComeAndDevices,
                                                       kSnapshotsInParts,
                                                       kAtSubmission,
                                                       kRetention,
                                                       kKeysOfRefused,
                                                       kSettled,
                                                       kSharesOfGpus,
                                                       kSureSavings,
                                                       kMachineEnergy,
                                                       kLinks,
                                                       kSureFirstCome,
                                                       kSweepBudgets,
                                                       kNoLedgerFiles,
                                                       kJobNotes,
                                                       kHadItWaited,
                                                       kWork,
                                                       kSettledSites};

}  // namespace

std::span<const std::string_view> Migrations() { return kMigrations; }

}  // namespace ebb::store
