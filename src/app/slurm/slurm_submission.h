#pragma once
// Prepares one submission to Slurm: reads what the user wants, has the planner choose a start, and
// makes the command line of sbatch. Nothing is submitted.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/slurm/start_choice.h"
#include "app/slurm/submit_options.h"
#include "base/result.h"
#include "core/jobs/submission.h"

namespace ebb::app {

struct SlurmSubmitRequest {
  std::vector<std::string> words;  ///< options of sbatch, script and arguments
  std::vector<GivenOption> flags;  ///< carbon options of the command line
  std::string script;              ///< text of the script; empty with --wrap
  std::string script_name;         ///< for messages
  /// Value of SBATCH_TIMELIMIT, which overrides the script; empty: none.
  std::string time_limit_of_environment;
  bool managed = false;  ///< a service moves the start; otherwise it is chosen now
  /// The script that measures, which sbatch gets in place of the user's; empty: it gets that.
  std::string tracked_script{};
};

/// The knowledge of the grid at a moment, for as long ahead as is asked for.
using ObserveGrid = std::function<Result<core::SignalView>(Duration horizon)>;

struct SlurmSubmission {
  std::vector<std::string> command;   ///< sbatch with all its words, but for the script of stdin
  core::Job job;                      ///< duration, deadlines and devices as far as they are known
  std::optional<Power> power;         ///< power of one device, if the user gives it
  std::optional<StartChoice> choice;  ///< absent if Ebb does not choose the start
  std::optional<Time> begin;          ///< value of --begin; absent: none is set
  std::vector<std::string> notes;
};

Result<SlurmSubmission> PrepareSubmission(const SlurmSubmitRequest& request,
                                          const SubmitMoment& moment, const ObserveGrid& observe);

}  // namespace ebb::app
