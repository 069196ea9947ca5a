#include "app/jobs/sweep_devices.h"

#include <algorithm>

#include "app/options/flag_values.h"
#include "base/text.h"
#include "engine/engine.h"
#include "meter/gpu/nvml_library.h"
#include "meter/meters.h"
#include "plan/feasibility/feasibility.h"
#include "plan/make_policy.h"

namespace ebb::app {
namespace {

constexpr double kMostSlots = 1024;

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
      devices.notes.push_back("the speed and power of \"" + model +
                              "\" are unknown: it counts like the first model here; give them with "
                              "--device-profiles");
  } else {
    ++same->count;
    devices.gpus[static_cast<std::size_t>(same - pools.begin())].push_back(name);
  }
}

meter::GpuSearch SearchFor(const std::vector<std::string>& names) {
  meter::GpuSearch search;
  search.cuda_visible_devices = meter::OptionsFromEnvironment().cuda_visible_devices;
  search.names = names;
  return search;
}

}  // namespace

service::DeviceOptions DeviceOptionsFor(const std::string& gpus, std::vector<std::string> names,
                                        std::vector<core::DeviceProfile> profiles) {
  service::DeviceOptions options;
  const meter::GpuSearch search = SearchFor(names);
  options.look = [search] { return meter::FindAllGpus(search); };
  options.is_installed = [file = search.nvml_library] {
    return meter::NvmlLibrary::IsInstalled(file);
  };
  options.asked = gpus;
  options.names = std::move(names);
  options.profiles = std::move(profiles);
  return options;
}

Devices DevicesOf(const meter::GpuInventory& inventory,
                  const std::vector<core::DeviceProfile>& profiles, const core::Site& site) {
  Devices devices;
  devices.cluster.sites = {site};
  devices.notes = inventory.notes;
  for (const meter::GpuDevice& gpu : inventory.devices)
    AddSlot(gpu.model, gpu.uuid, meter::ProfileOf(gpu, profiles), devices);
  return devices;
}

Result<int> SlotCount(const std::string& text, int otherwise) {
  if (text.empty()) return otherwise;
  const auto slots = ParseInteger(text);
  if (!slots || *slots < 1 || static_cast<double>(*slots) > kMostSlots)
    return Fail({ExitCode::kUsage, "--slots: \"" + text + "\" is not accepted", "",
                 "give a whole number from 1 to 1024"});
  return static_cast<int>(*slots);
}

std::string Describe(const core::Cluster& cluster) {
  std::vector<std::string> pools;
  for (const core::DevicePool& pool : cluster.pools)
    if (pool.count > 0) pools.push_back(std::to_string(pool.count) + " x " + pool.model);
  return pools.empty() ? "no device" : Join(pools, ", ");
}

Status CheckFeasible(const std::vector<core::Job>& jobs, const core::Cluster& cluster, Time now) {
  engine::Engine trial({}, plan::MakePlanner({}));
  EBB_RETURN_IF_ERROR(trial.Apply({now, engine::ClusterChanged{cluster}}));
  std::vector<std::string> refused;
  for (const core::Job& job : jobs) {
    Status taken = plan::CheckJob(job, cluster);
    if (taken) taken = trial.Apply({now, engine::JobSubmitted{job}});
    if (!taken) refused.push_back(job.name + ": " + taken.error().Message());
  }
  if (refused.empty()) return {};
  return Fail({ExitCode::kInfeasible,
               std::to_string(refused.size()) + " of " + std::to_string(jobs.size()) +
                   " experiments cannot keep their latest start:\n  " + Join(refused, "\n  "),
               "", "give more slots, or tiers more time"});
}

}  // namespace ebb::app
