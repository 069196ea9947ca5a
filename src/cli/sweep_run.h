#pragma once
// `ebb sweep run`: a sweep on this machine, through the engine, a policy, the local executor and
// the run loop, with a journal that lets it be continued. This is where ports meet implementations.

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/run_options.h"
#include "config/sweep_config.h"

namespace ebb::cli {

struct SweepRunRequest {
  std::string file;
  FlagValues flags;    ///< of the groups signal, clock, measuring, output
  std::string policy;  ///< empty: planner, or what the sweep was begun with
  std::string slots;   ///< how many programs at a time on the CPU; empty: see docs/sweep.md
  std::string gpus;    ///< names for CUDA_VISIBLE_DEVICES with commas between
  std::string grace;   ///< between SIGTERM and SIGKILL
  FlagValues budgets;  ///< sweep_budgets.h
  bool page = false;   ///< shown in a browser while it runs
};

/// The sweep's directory: --run-dir, or sweep-NAME under --output-dir.
std::string SweepDirectory(const RunOptions& options, const std::string& name);

/// The exit code: 0 all done, 1 an experiment failed, 75 interrupted, or stopped by a budget (it
/// can be continued).
Result<int> RunSweep(const SweepRunRequest& request);

}  // namespace ebb::cli
