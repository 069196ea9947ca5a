#include "cli/sweep_devices.h"

#include <algorithm>

#include "base/text.h"
#include "cli/flag_values.h"
#include "engine/engine.h"
#include "plan/make_policy.h"

namespace ebb::cli {
namespace {

constexpr double kMostSlots = 1024;

Result<int> SlotCount(const std::string& text, int devices_per_job) {
  if (text.empty()) return devices_per_job;
  const auto slots = ParseInteger(text);
  if (!slots || *slots < 1 || static_cast<double>(*slots) > kMostSlots)
    return Fail({ExitCode::kUsage, "--slots: \"" + text + "\" is not accepted", "",
                 "give a whole number from 1 to 1024"});
  return static_cast<int>(*slots);
}

}  // namespace

Result<Devices> MakeDevices(const DeviceWish& wish, int devices_per_job, const core::Site& site) {
  Devices devices;
  devices.cluster.sites = {site};
  core::DevicePool pool;
  if (wish.gpus.empty()) {
    EBB_ASSIGN_OR_RETURN(pool.count, SlotCount(wish.slots, devices_per_job));
    pool.model = "cpu";
  } else {
    if (!wish.slots.empty())
      return Fail({ExitCode::kUsage, "--slots and --gpus are both given", "", "leave one out"});
    EBB_ASSIGN_OR_RETURN(std::vector<std::string> names, GpusOf("--gpus", wish.gpus));
    pool.count = static_cast<int>(names.size());
    pool.model = "gpu";
    devices.gpus = {std::move(names)};
  }
  devices.cluster.pools = {pool};
  return devices;
}

Status CheckFeasible(const std::vector<core::Job>& jobs, const core::Cluster& cluster, Time now) {
  engine::Engine trial({}, plan::MakePlanner({}));
  EBB_RETURN_IF_ERROR(trial.Apply({now, engine::ClusterChanged{cluster}}));
  std::vector<std::string> refused;
  for (const core::Job& job : jobs) {
    const Status taken = trial.Apply({now, engine::JobSubmitted{job}});
    if (!taken) refused.push_back(job.name + ": " + taken.error().Message());
  }
  if (refused.empty()) return {};
  return Fail({ExitCode::kInfeasible,
               std::to_string(refused.size()) + " of " + std::to_string(jobs.size()) +
                   " experiments cannot keep their latest start:\n  " + Join(refused, "\n  "),
               "", "give more slots, or tiers more time"});
}

}  // namespace ebb::cli
