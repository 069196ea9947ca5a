#pragma once
// A job as a person submits it to the service: what to run and where, beside what the engine has to
// know of it (core/job.h). Values only. The store keeps it, the executor runs it, the page shows
// it.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/budget.h"
#include "core/job.h"
#include "core/power_cap.h"
#include "core/tracking.h"

namespace ebb::core {

/// Of a sweep that the service was given; from 1.
using SweepId = std::int64_t;
/// Parameters of a sweep, each with the value that one experiment has: the texts of its file.
using Parameters = std::vector<std::pair<std::string, std::string>>;

struct Submission {
  /// id 0 until the service has given one out. Its times (submitted, start_by, finish_by) are on
  /// the service's grid clock.
  Job job;
  std::vector<std::string> command;  ///< argv; never goes through a shell
  std::string working_directory;     ///< absolute
  /// The environment the program gets, on top of the service's own.
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<JobId> after;            ///< starts only once all of these have succeeded
  std::optional<PowerCap> power_cap;   ///< of each of its GPUs, where it may be set
  std::optional<Duration> time_limit;  ///< longer than this on the grid clock has failed
  Budget budget;                       ///< over all its attempts
  Tracking tracking;                   ///< over the service's own
  /// Chosen by the client: a second submission with the same key is the first one.
  std::string key;
  std::string recurring;  ///< name of the recurring job it is an instance of; empty: none
  SweepId sweep = 0;      ///< the sweep it is an experiment of; 0: none
  Parameters parameters;  ///< of an experiment
  /// Random, given together with the id: tells what this job left on the disk from what another
  /// job with its id did, in a store that a backup replaced. 0: of a version that gave none.
  std::int64_t identity = 0;
  /// The job from whose checkpoints its first attempt goes on; 0: it begins anew.
  JobId resumes = 0;
  friend bool operator==(const Submission&, const Submission&) = default;
};

}  // namespace ebb::core
