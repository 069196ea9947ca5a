#pragma once
// The environment variables that a training program gets (docs/training-program.md). The EBB_ names
// are Ebb's own; the CG_ names are read by programs written for Compute Gardener.

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "base/units.h"

namespace ebb::local {

struct ContractValues {
  std::string job_id;
  std::filesystem::path run_directory;         ///< made absolute
  std::filesystem::path checkpoint_directory;  ///< made absolute
  bool resume = false;
  Time submitted{};  ///< grid time
  Time scheduled{};  ///< grid time of the start
  std::optional<Intensity> intensity_at_submission;
  std::optional<Intensity> intensity_at_start;
};

/// Exit code by which a program says "paused, with a checkpoint" (EX_TEMPFAIL).
inline constexpr int kPausedExitCode = 75;

std::vector<std::pair<std::string, std::string>> ContractEnvironment(const ContractValues& values);
/// The environment entry by which a program and its descendants are found again.
std::string RunDirectoryMark(const std::filesystem::path& run_directory);

}  // namespace ebb::local
