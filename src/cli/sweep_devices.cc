#include "cli/sweep_devices.h"

#include <algorithm>

#include "base/text.h"
#include "cli/flag_values.h"
#include "engine/engine.h"
#include "meter/meters.h"
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

void AddSlot(const std::string& model, const std::string& name, const core::DeviceProfile& profile,
             Devices& devices) {
  auto& pools = devices.cluster.pools;
  const auto same = std::find_if(pools.begin(), pools.end(),
                                 [&](const core::DevicePool& pool) { return pool.model == model; });
  if (same == pools.end()) {
    core::DevicePool pool;
    pool.model = model;
    devices.profiles.push_back(profile);
    const auto relative = core::RelativeTo(devices.profiles.front(), profile);
    pool.speed = relative.speed;
    pool.power_factor = relative.power_factor;
    pool.idle = profile.idle.value_or(Power{0});
    pools.push_back(pool);
    devices.gpus.push_back({name});
    if (profile.model.empty())
      devices.notes.push_back("nothing is known of \"" + model +
                              "\": it counts as fast as the first model here, and as hungry; "
                              "--device-profiles tells more");
  } else {
    ++same->count;
    devices.gpus[static_cast<std::size_t>(same - pools.begin())].push_back(name);
  }
}

// Those that were named, or all; none where there is no NVML and none were named.
Status AddGpus(const DeviceWish& wish, Devices& devices) {
  const std::string& given = wish.gpus;
  meter::GpuSearch search;
  search.cuda_visible_devices = meter::OptionsFromEnvironment().cuda_visible_devices;
  if (!given.empty()) {
    EBB_ASSIGN_OR_RETURN(search.names, GpusOf("--gpus", given));
  }
  const auto found = meter::FindGpus(search);
  if (!found && found.error().code != ExitCode::kUnavailable) {
    Error error = found.error();
    error.what = "--gpus: " + error.what;
    return Fail(std::move(error));
  }
  if (found) {
    devices.notes = found->notes;
    for (const meter::GpuDevice& gpu : found->devices)
      AddSlot(gpu.model, gpu.uuid, ProfileOf(gpu, wish.profiles), devices);
    return {};
  }
  if (search.names.empty()) return {};
  // AMD's GPUs, or a driver that comes later: as they were named, and nobody can check it.
  devices.notes.push_back("--gpus is not checked: " + found.error().Message());
  for (const std::string& name : search.names) AddSlot("gpu", name, {}, devices);
  return {};
}

}  // namespace

core::DeviceProfile ProfileOf(const meter::GpuDevice& device,
                              std::span<const core::DeviceProfile> own) {
  core::DeviceProfile profile = core::ProfileOf(device.model, own);
  if (!profile.model.empty() || device.uuid == device.card_uuid || !device.share) return profile;
  return core::PartOf(core::ProfileOf(device.card_model, own), *device.share);
}

Result<Devices> MakeDevices(const DeviceWish& wish, int devices_per_job, const core::Site& site) {
  if (!wish.slots.empty() && !wish.gpus.empty())
    return Fail({ExitCode::kUsage, "--slots and --gpus are both given", "", "leave one out"});
  Devices devices;
  devices.cluster.sites = {site};
  if (wish.slots.empty()) {
    EBB_RETURN_IF_ERROR(AddGpus(wish, devices));
    if (!devices.cluster.pools.empty()) return devices;
  }
  core::DevicePool pool;
  pool.model = "cpu";
  EBB_ASSIGN_OR_RETURN(pool.count, SlotCount(wish.slots, devices_per_job));
  devices.cluster.pools = {pool};
  devices.gpus = {{}};
  return devices;
}

std::string Describe(const core::Cluster& cluster) {
  std::vector<std::string> pools;
  for (const core::DevicePool& pool : cluster.pools)
    if (pool.count > 0) pools.push_back(std::to_string(pool.count) + " x " + pool.model);
  return Join(pools, ", ");
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
