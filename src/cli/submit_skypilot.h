#pragma once
// `ebb submit --as skypilot`: a job becomes a task for SkyPilot instead of a job of the queue
// service. The task is printed, written, or launched at its planned start.

#include <string>

#include "app/options/run_options.h"
#include "base/result.h"
#include "cli/parser.h"
#include "sweep/skypilot_task.h"

namespace ebb::cli {

struct CloudFlags {
  std::string as;  ///< "skypilot"; empty: the job goes to the queue service
  std::string regions, out;
  sweep::SkypilotOptions options;
  app::FlagValues signal;
  bool launch = false;
};

/// `flags` must outlive the command.
void AddCloudFlags(Command& command, CloudFlags& flags);

/// `job`: the job as the API takes it.
Result<int> SubmitToSkypilot(CloudFlags flags, const std::string& job);

}  // namespace ebb::cli
