#include "app/slurm/job_runs.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/json_node.h"
#include "platform/file.h"
#include "platform/path_facts.h"
#include "report/json_parts.h"
#include "report/run/run_directory.h"
#include "slurm/jobs/job_place.h"

namespace ebb::app {

namespace fs = std::filesystem;

namespace {

constexpr const char* kSchema = "ebb.slurm-job/1";
constexpr std::uint64_t kLargestJobFile = 1 << 16;

// The folders of Slurm jobs that have runs at or below `folder`.
std::set<fs::path> JobFoldersIn(const fs::path& folder) {
  std::set<fs::path> folders;
  for (const fs::path& run : report::SearchForRuns(folder).runs) {
    const fs::path attempt = platform::AbsolutePath(run).lexically_normal().parent_path();
    if (slurm::AttemptOfFolder(attempt.filename())) folders.insert(attempt.parent_path());
  }
  return folders;
}

Interval WallOf(const std::vector<report::JobRun>& runs, const report::JobEnergy::Row& cell) {
  Interval wall{Time::max(), Time::min()};
  for (const report::JobRun& part : runs) {
    if (part.attempt != cell.attempt || part.node != cell.node) continue;
    for (const core::Attempt& each : part.run.attempts) {
      wall.begin = std::min(wall.begin, each.wall.begin);
      wall.end = std::max(wall.end, each.wall.end);
    }
  }
  return wall;
}

// The runs of one job in all its folders, each with an attempt number of its own: a site's prolog
// does not know how often a job was restarted.
Result<std::vector<report::JobRun>> ReadEachRun(const std::set<fs::path>& folders,
                                                std::vector<std::string>& notices) {
  std::vector<report::JobRun> all;
  for (const fs::path& folder : folders) {
    EBB_ASSIGN_OR_RETURN(std::vector<report::JobRun> runs, ReadJobRuns(folder, notices));
    for (report::JobRun& run : runs) {
      run.attempt = static_cast<int>(all.size()) + 1;
      all.push_back(std::move(run));
    }
  }
  return all;
}

}  // namespace

Status WriteJobFile(const fs::path& folder, const slurm::JobPlace& place) {
  EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(folder));
  const nlohmann::ordered_json json{
      {"schema", kSchema}, {"job", place.job}, {"cluster", place.cluster}, {"name", place.name}};
  return platform::WriteFileAtomically(slurm::JobFile(folder), report::Document(json));
}

std::optional<JobName> ReadJobFile(const fs::path& folder) {
  const fs::path file = slurm::JobFile(folder);
  const auto text = platform::ReadFile(file, kLargestJobFile);
  if (!text) return std::nullopt;
  const auto json = ParseJson(*text, file.string());
  if (!json || json->TextOf("schema") != kSchema) return std::nullopt;
  return JobName{json->TextOf("job"), json->TextOf("cluster")};
}

Result<fs::path> FindJobFolder(const std::string& named) {
  if (platform::IsDirectory(named)) return fs::path(named);
  const fs::path folder = slurm::JobFolder("", named);
  if (platform::IsDirectory(folder)) return folder;
  return Fail({ExitCode::kUnavailable, "no runs of this job are here", named,
               "name its folder: the one of ebb slurm run --directory, or .ebb/slurm-" + named +
                   " where the job was submitted"});
}

Result<std::vector<report::JobRun>> ReadJobRuns(const fs::path& folder,
                                                std::vector<std::string>& notices) {
  EBB_ASSIGN_OR_RETURN(const auto directories, report::FindRunDirectories(folder));
  std::vector<report::JobRun> runs;
  for (const fs::path& directory : directories) {
    const auto attempt = slurm::AttemptOfFolder(directory.parent_path().filename());
    if (!attempt) continue;
    EBB_ASSIGN_OR_RETURN(core::RunRecord run, report::ReadRun(directory, &notices));
    runs.push_back({*attempt, slurm::NodeOfFolder(directory.filename()), std::move(run)});
  }
  if (runs.empty())
    return Fail({ExitCode::kUnavailable, "holds no attempts of a Slurm job", folder.string(),
                 "ebb summary reads single runs"});
  return runs;
}

Result<std::vector<report::MeasuredAttempt>> MeasuredAttempts(const std::vector<fs::path>& folders,
                                                              Interval period,
                                                              std::vector<std::string>& notices) {
  std::map<std::pair<std::string, std::string>, std::set<fs::path>> jobs;
  for (const fs::path& folder : folders)
    for (const fs::path& of_job : JobFoldersIn(folder))
      if (const auto named = ReadJobFile(of_job)) jobs[{named->cluster, named->job}].insert(of_job);
  std::vector<report::MeasuredAttempt> attempts;
  for (const auto& [name, of_job] : jobs) {
    EBB_ASSIGN_OR_RETURN(const auto runs, ReadEachRun(of_job, notices));
    for (const report::JobEnergy::Row& cell : report::EnergyOf(name.second, runs).cells) {
      const Interval wall = WallOf(runs, cell);
      if (wall.begin < period.end && wall.end >= period.begin)
        attempts.push_back({name.second, name.first, wall, cell.figures});
    }
  }
  return attempts;
}

}  // namespace ebb::app
