#pragma once
// The paths of a sweep on this machine. docs/sweep.md describes the files.

#include <filesystem>

#include "sweep/sweep.h"
#include "sweep/target_name.h"

namespace ebb::app {

struct SweepPaths {
  std::filesystem::path directory;
  std::filesystem::path sweep_file() const { return directory / "sweep.yaml"; }
  std::filesystem::path options() const { return directory / "options.json"; }
  /// The layout of the service: the folders jobs/ID lie beside the store.
  std::filesystem::path store() const { return directory / "ebb.db"; }
  std::filesystem::path JobsDirectory() const { return directory / "jobs"; }
  std::filesystem::path RunOf(std::string_view experiment) const {
    return directory / "runs" / sweep::FileName(experiment);
  }
  // Files of sweeps that an earlier version ran without a store.
  std::filesystem::path journal() const { return directory / "journal.jsonl"; }
  std::filesystem::path stopped() const { return directory / "stopped.jsonl"; }
  std::filesystem::path budget() const { return directory / "budget.jsonl"; }
  std::filesystem::path machine() const { return directory / "machine.jsonl"; }
};

}  // namespace ebb::app
