#pragma once
// `ebb sweep run`: runs the queue service for one sweep on this machine until all experiments have
// ended. The store is in the directory of the sweep, so that the sweep can be continued.

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "app/options/run_options.h"
#include "app/sweep/sweep_observer.h"
#include "base/result.h"
#include "config/sweep/sweep_config.h"

namespace ebb::app {

struct SweepRunRequest {
  std::string file;
  FlagValues flags;    ///< flags of the groups signal, clock, measuring, output
  std::string policy;  ///< empty for planner, or the policy that the sweep began with
  std::string slots;   ///< programs at a time on the CPU; empty: see docs/sweep.md
  std::string gpus;    ///< values for CUDA_VISIBLE_DEVICES, separated by commas
  std::string grace;   ///< time between SIGTERM and SIGKILL
  FlagValues budgets;  ///< see sweep_budgets.h
  bool page = false;   ///< show the sweep in a browser while it runs
};

/// The sweep's directory: --run-dir, or sweep-NAME under --output-dir.
std::string SweepDirectory(const RunOptions& options, const std::string& name);

/// The folder in which the program of a job writes its progress.
using DirectoryOf = std::function<std::filesystem::path(core::JobId)>;
/// Makes the display of the sweep with this name from its options. For a sweep that is continued,
/// the options are read first.
using MakeSweepObserver = std::function<std::unique_ptr<SweepObserver>(
    const std::string& name, const RunOptions& options, DirectoryOf directory_of)>;

/// The exit code: 0 if all experiments are done, 1 if one failed, 75 if interrupted or stopped by a
/// budget (the sweep can be continued).
Result<int> RunSweep(const SweepRunRequest& request, const MakeSweepObserver& make_observer);

}  // namespace ebb::app
