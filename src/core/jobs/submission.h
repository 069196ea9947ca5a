#pragma once
// A job as a person submits it to the service: the command and its place, beside the facts that the
// engine needs (core/jobs/job.h). Values only. The store keeps it, the executor runs it, the page
// shows it.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/devices/power_cap.h"
#include "core/jobs/job.h"
#include "core/jobs/tracking.h"
#include "core/ledger/budget.h"

namespace ebb::core {

/// Number of a sweep that the service has; from 1.
using SweepId = std::int64_t;
/// Parameters of a sweep with the values of one experiment, as texts of the sweep's file.
using Parameters = std::vector<std::pair<std::string, std::string>>;

struct Submission {
  /// The job's id is 0 until the service has given one out. Its times (submitted, start_by,
  /// finish_by) are on the service's grid clock.
  Job job;
  std::vector<std::string> command;  ///< argv; never goes through a shell
  std::string working_directory;     ///< absolute path
  /// Environment of the program, on top of the service's own.
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<JobId> after;            ///< the job starts only once all of these have succeeded
  std::optional<PowerCap> power_cap;   ///< power limit of each of the job's GPUs, if it can be set
  std::optional<Slowdown> slower_by;   ///< limit of a slowdown by a power cap that is found
  std::optional<Duration> time_limit;  ///< an attempt that runs longer than this on the grid clock
                                       ///< has failed
  Budget budget;                       ///< budget over all attempts
  Tracking tracking;                   ///< trackers, over the service's own
  /// Idempotency key, chosen by the client: a second submission with the same key returns the first
  /// job.
  std::string key;
  std::string recurring;  ///< name of the recurring job of which this is an instance; empty: none
  SweepId sweep = 0;      ///< the sweep of which this is an experiment; 0: none
  Parameters parameters;  ///< parameters of an experiment
  /// A random number, given together with the id. It tells this job's files from those of another
  /// job with the same id, in a store that a backup replaced. 0: the job is from a version that
  /// gave none.
  std::int64_t identity = 0;
  /// The job from whose checkpoints the first attempt goes on; 0: it begins anew.
  JobId resumes = 0;
  friend bool operator==(const Submission&, const Submission&) = default;
};

}  // namespace ebb::core
