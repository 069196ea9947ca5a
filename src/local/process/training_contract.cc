#include "local/process/training_contract.h"

#include "base/text.h"

namespace ebb::local {
namespace {

constexpr const char* kRunDirectory = "EBB_RUN_DIR";

std::string Absolute(const std::filesystem::path& path) {
  std::error_code code;
  const auto absolute = std::filesystem::absolute(path, code);
  return (code ? path : absolute).lexically_normal().string();
}

}  // namespace

std::vector<std::pair<std::string, std::string>> ContractEnvironment(const ContractValues& values) {
  std::vector<std::pair<std::string, std::string>> environment{
      {"EBB_JOB_ID", values.job_id},
      {kRunDirectory, Absolute(values.run_directory)},
      {"EBB_CHECKPOINT_DIR", Absolute(values.checkpoint_directory)},
      {"EBB_RESUME", values.resume ? "1" : "0"},
      {"CG_SUBMISSION_TIME", FormatTime(values.submitted)},
      {"CG_SCHEDULED_AT", FormatTime(values.scheduled)},
  };
  if (values.intensity_at_start)
    environment.emplace_back("CG_CARBON_INTENSITY",
                             FormatFixed(values.intensity_at_start->g_per_kwh, 1));
  if (values.intensity_at_start && values.intensity_at_submission)
    environment.emplace_back(
        "CG_CARBON_SAVED",
        FormatFixed(
            values.intensity_at_submission->g_per_kwh - values.intensity_at_start->g_per_kwh, 1));
  return environment;
}

std::string RunDirectoryMark(const std::filesystem::path& run_directory) {
  return std::string(kRunDirectory) + "=" + Absolute(run_directory);
}

}  // namespace ebb::local
