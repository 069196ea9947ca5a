#include "store/device_history.h"

#include <algorithm>

#include "base/text.h"
#include "core/jobs/widths.h"
#include "store/jobs/job_records.h"

namespace ebb::store {
namespace {

constexpr const char* kPools = "models of the pools";
constexpr const char* kSites = "sites of the pools";  // "NAME\tZONE" of each
constexpr char kBetween = '\n', kInPair = '\t';

// CROSS JOIN makes SQLite walk back from the newest attempt only as far as needed, instead of
// sorting all jobs that succeeded.
constexpr std::string_view kRuns = R"(
SELECT job, pool, attempts.ended_ms - began_ms FROM attempts CROSS JOIN jobs ON jobs.id = job
WHERE jobs.stage = 'succeeded' AND attempts.phase = 'succeeded' AND jobs.pauses = 0
  AND attempts.attempt = 1 AND began_ms IS NOT NULL AND attempts.ended_ms > began_ms
ORDER BY job DESC LIMIT ?)";

// GPU energy of a job in joules and the time that its GPUs were read in seconds, summed over them.
constexpr std::string_view kGpuPower =
    "SELECT gpu_metered_uj * 1e-6, gpu_metered_ms * 1e-3 FROM jobs WHERE id = ?";

struct Attempt {
  core::JobId job = 0;
  std::size_t pool = 0;
  double seconds = 0;
};

Result<std::vector<Attempt>> Attempts(Database& database, int limit) {
  std::vector<Attempt> attempts;
  EBB_RETURN_IF_ERROR(database.Query(kRuns, {std::int64_t{limit}}, [&](const Row& row) -> Status {
    if (row.Integer(1) >= 0)
      attempts.push_back({row.Integer(0), static_cast<std::size_t>(row.Integer(1)),
                          1e-3 * static_cast<double>(row.Integer(2))});
    return {};
  }));
  return attempts;
}

Result<double> GpuWatts(Database& database, core::JobId job) {
  double watts = 0;
  EBB_RETURN_IF_ERROR(database.Query(kGpuPower, {job}, [&](const Row& row) -> Status {
    if (row.Number(1) > 0) watts = row.Number(0) / row.Number(1);
    return {};
  }));
  return watts;
}

}  // namespace

void RememberPools(ServiceStore& store, const core::Cluster& cluster) {
  std::vector<std::string> models;
  for (const core::DevicePool& pool : cluster.pools) models.push_back(pool.model);
  store.SetMeta(kPools, Join(models, std::string(1, kBetween)));
  if (cluster.sites.size() < 2) return;
  std::vector<std::string> sites;
  for (int pool = 0; pool < static_cast<int>(cluster.pools.size()); ++pool)
    sites.push_back(cluster.SiteOf(pool).name + kInPair + cluster.SiteOf(pool).zone);
  store.SetMeta(kSites, Join(sites, std::string(1, kBetween)));
}

Result<std::vector<core::Site>> SitesOfPools(Database& database) {
  std::vector<core::Site> sites;
  EBB_ASSIGN_OR_RETURN(const auto remembered, GetMeta(database, kSites));
  if (!remembered) return sites;
  for (const std::string_view line : Split(*remembered, kBetween)) {
    const std::size_t pair = std::min(line.find(kInPair), line.size());
    core::Site& site = sites.emplace_back();
    site.name = line.substr(0, pair);
    if (pair < line.size()) site.zone = line.substr(pair + 1);
  }
  return sites;
}

Result<std::vector<core::DeviceRun>> DeviceRuns(Database& database, int limit) {
  std::vector<core::DeviceRun> runs;
  EBB_ASSIGN_OR_RETURN(const auto remembered, GetMeta(database, kPools));
  if (!remembered) return runs;
  const std::vector<std::string_view> models = Split(*remembered, kBetween);
  EBB_ASSIGN_OR_RETURN(const std::vector<Attempt> attempts, Attempts(database, limit));
  for (const Attempt& attempt : attempts) {
    EBB_ASSIGN_OR_RETURN(const auto submission, FindSubmission(database, attempt.job));
    if (!submission || submission->job.freeze || submission->power_cap ||
        core::IsElastic(submission->job) || attempt.pool >= models.size())
      continue;
    core::DeviceRun run;
    run.model = models[attempt.pool];
    run.run_time_s = attempt.seconds;
    run.expected_s = Seconds(submission->job.duration);
    EBB_ASSIGN_OR_RETURN(run.power_w, GpuWatts(database, attempt.job));
    run.expected_power_w = submission->job.power.watts;
    runs.push_back(std::move(run));
  }
  return runs;
}

Result<std::vector<core::DeviceRun>> DeviceRuns(ServiceStore& store) {
  return DeviceRuns(store.database());
}

}  // namespace ebb::store
