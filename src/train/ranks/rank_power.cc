#include "train/ranks/rank_power.h"

#include <algorithm>
#include <array>

#include "core/devices/device_profile.h"
#include "meter/cpu/cpu_info.h"
#include "meter/cpu/cpu_model.h"

namespace ebb::train {

std::string Name(PowerSource source) {
  constexpr std::array kNames{"unknown", "given", "counter", "model"};
  return kNames[static_cast<std::size_t>(source)];
}

RankPower ModelledGpuPower(const std::string& model) {
  const core::DeviceProfile profile = core::ProfileOf(model);
  const auto busy = core::EstimatedPower(profile, 1), waiting = core::EstimatedPower(profile, 0);
  if (!busy || !waiting) return {};
  return {busy->watts, waiting->watts, PowerSource::kModel};
}

RankPower ModelledCpuPower(std::int64_t threads, const std::string& proc_root) {
  const meter::CpuInfo info = meter::ReadCpuInfo(proc_root);
  const meter::CpuPower power = meter::VisibleCpuPower(info, std::nullopt);
  const double part =
      std::min(1.0, static_cast<double>(threads) / std::max(1, info.logical_processors));
  return {part * power.tdp_w, part * meter::CpuModelMeter::IdleWatts(power), PowerSource::kModel};
}

}  // namespace ebb::train
