#pragma once
// Tasks for clouds (`--target skypilot`, `--as skypilot`): asks for the signals of their regions,
// plans them, and shows the plan.

#include <string>
#include <vector>

#include "app/options/run_options.h"
#include "base/result.h"
#include "sweep/skypilot_task.h"

namespace ebb::cli {

/// The starts of all experiments that are submitted at `now`. `signal`: flags of the signal. Prints
/// what sources have to say.
Result<std::vector<sweep::CloudStart>> PlanCloudTasks(const sweep::Sweep& sweep,
                                                      const sweep::SkypilotOptions& options,
                                                      const app::FlagValues& signal, Time now);

/// A table of the plan: when and where each experiment is to start.
std::string CloudPlanText(const sweep::Sweep& sweep, const std::vector<sweep::CloudStart>& starts,
                          Time now);

}  // namespace ebb::cli
