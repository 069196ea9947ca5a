#include "app/jobs/open_runs.h"

#include <limits>

#include "base/text.h"
#include "platform/file.h"

namespace ebb::app {
namespace {
constexpr std::uint64_t kLongestFile = 4096;
}  // namespace

Status OpenRuns::Put(core::JobId job, const OpenRun& run) const {
  EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(folder_));
  return platform::WriteFileAtomically(
      FileOf(job), std::to_string(run.attempt) + " " + std::string(Name(run.outcome)) + "\n");
}

void OpenRuns::Remove(core::JobId job) const {
  std::error_code ignored;
  std::filesystem::remove(FileOf(job), ignored);
}

std::optional<OpenRun> OpenRuns::Find(core::JobId job) const {
  const auto text = platform::ReadFile(FileOf(job), kLongestFile);
  if (!text) return std::nullopt;
  OpenRun run;
  const auto words = Split(Trim(*text), ' ');
  if (words.size() != 2) return run;
  const auto attempt = ParseInteger(words[0]);
  const auto outcome = core::AttemptOutcomeFromName(words[1]);
  if (attempt && *attempt >= 1 && *attempt <= std::numeric_limits<int>::max())
    run.attempt = static_cast<int>(*attempt);
  if (outcome) run.outcome = *outcome;
  return run;
}

std::vector<core::JobId> OpenRuns::Jobs() const {
  std::vector<core::JobId> jobs;
  std::error_code ignored;
  for (std::filesystem::directory_iterator file(folder_, ignored), end; !ignored && file != end;
       file.increment(ignored))
    if (const auto job = ParseInteger(file->path().filename().string())) jobs.push_back(*job);
  return jobs;
}

}  // namespace ebb::app
