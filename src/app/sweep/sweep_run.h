#pragma once
// `ebb sweep run`: the queue service for one sweep on this machine, until all its experiments have
// ended. Its store, in the directory of the sweep, lets it be continued.

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "app/options/run_options.h"
#include "app/sweep/sweep_observer.h"
#include "base/result.h"
#include "config/sweep_config.h"

namespace ebb::app {

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

/// Where the program of a job writes its progress.
using DirectoryOf = std::function<std::filesystem::path(core::JobId)>;
/// Makes what shows the sweep of this name, from its options: those of a sweep that is continued
/// are read first.
using MakeSweepObserver = std::function<std::unique_ptr<SweepObserver>(
    const std::string& name, const RunOptions& options, DirectoryOf directory_of)>;

/// The exit code: 0 all done, 1 an experiment failed, 75 interrupted, or stopped by a budget (it
/// can be continued).
Result<int> RunSweep(const SweepRunRequest& request, const MakeSweepObserver& make_observer);

}  // namespace ebb::app
