#include "app/clouds/region_plan.h"

#include <algorithm>
#include <limits>

#include "app/slurm/start_choice.h"

namespace ebb::app {
namespace {

// Every region is a site with one pool of devices.
core::Cluster ClusterOf(const std::vector<RegionGrid>& regions, int devices) {
  core::Cluster cluster;
  for (const RegionGrid& each : regions) {
    core::DevicePool pool;
    pool.site = static_cast<int>(cluster.sites.size());
    pool.count = devices;
    cluster.pools.push_back(pool);
    cluster.sites.push_back({each.region, std::string(each.view.known.identity().zone), {}});
  }
  return cluster;
}

int DevicesOf(const std::vector<core::Job>& jobs, int at_once) {
  int widest = 1, all = 0;
  for (const core::Job& job : jobs) {
    widest = std::max(widest, job.devices);
    all += job.devices;
  }
  return at_once > 0 ? std::min(all, at_once * widest) : all;
}

// The regions of a job: that of the plan, then the others by what is expected there at that time.
// Regions about which nothing is known come last.
std::vector<sweep::RegionOutlook> OrderOf(const std::vector<RegionGrid>& regions,
                                          const core::Job& job, const StartChoice& choice) {
  std::vector<sweep::RegionOutlook> order;
  for (const RegionGrid& each : regions)
    order.push_back({each.region, MeanOfRun(each.view, choice.start, job.duration)});
  auto others = order.begin();
  if (choice.pool >= 0) {
    std::rotate(order.begin(), order.begin() + choice.pool, order.begin() + choice.pool + 1);
    ++others;
  }
  std::stable_sort(others, order.end(), [](const auto& a, const auto& b) {
    const auto value = [](const sweep::RegionOutlook& each) {
      return each.expected ? each.expected->g_per_kwh : std::numeric_limits<double>::infinity();
    };
    return value(a) < value(b);
  });
  return order;
}

}  // namespace

Result<std::vector<sweep::CloudStart>> PlanRegions(std::vector<core::Job> jobs,
                                                   const std::vector<RegionGrid>& regions,
                                                   int at_once) {
  // A task names its own GPU, and any region may have it.
  for (core::Job& job : jobs) {
    job.sites.clear();
    job.models.clear();
  }
  std::vector<core::SignalView> views;
  for (const RegionGrid& each : regions) views.push_back(each.view);
  const Time now = views.front().now;
  const auto choices = ChooseStarts(ClusterOf(regions, DevicesOf(jobs, at_once)), jobs, views,
                                    now + std::chrono::hours{1});
  std::vector<sweep::CloudStart> starts;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!choices[i].refused.empty())
      return Fail({ExitCode::kInfeasible, choices[i].refused, jobs[i].name,
                   "change the times of the experiment, or its regions"});
    starts.push_back({choices[i].start, choices[i].latest, OrderOf(regions, jobs[i], choices[i])});
  }
  return starts;
}

}  // namespace ebb::app
