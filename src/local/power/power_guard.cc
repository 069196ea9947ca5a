#include "local/power/power_guard.h"

#include <algorithm>
#include <filesystem>

namespace ebb::local {

Status PowerGuard::Open() {
  if (library_) return {};
  EBB_ASSIGN_OR_RETURN(library_, meter::NvmlLibrary::Open(nvml_library_));
  return {};
}

Result<meter::CommonPowerRange> PowerGuard::Check() {
  EBB_RETURN_IF_ERROR(Open());
  return meter::CheckCommonPower(*library_, gpus_);
}

Status PowerGuard::Cap(const core::PowerCap& cap, std::vector<std::string>& warnings) {
  EBB_RETURN_IF_ERROR(Open());
  const meter::PowerPlan power = meter::PlanPowerCap(*library_, gpus_, cap);
  warnings.insert(warnings.end(), power.notes.begin(), power.notes.end());
  if (power.limits.empty()) return {};
  std::vector<meter::PowerLimit> changed = changed_;
  for (const meter::PowerLimit& limit : power.limits) {
    const auto known = std::ranges::find(changed, limit.uuid, &meter::PowerLimit::uuid);
    if (known == changed.end())
      changed.push_back(limit);
    else
      known->new_mw = limit.new_mw;
  }
  EBB_RETURN_IF_ERROR(WritePowerLimits(paths_, changed));
  Status set = meter::SetPowerLimits(*library_, power.limits);
  std::error_code gone;
  if (set)
    changed_ = std::move(changed);
  else if (changed_.empty())
    std::filesystem::remove(paths_.power(), gone);
  return set;
}

Status PowerGuard::PutBack() {
  return std::exchange(changed_, {}).empty() ? Status{} : RestorePower(paths_, nvml_library_);
}

Status RestorePower(const AttemptPaths& paths, const std::string& nvml_library) {
  EBB_ASSIGN_OR_RETURN(const std::vector<meter::PowerLimit> limits, ReadPowerLimits(paths));
  if (limits.empty()) return {};
  EBB_ASSIGN_OR_RETURN(const auto library, meter::NvmlLibrary::Open(nvml_library));
  EBB_RETURN_IF_ERROR(meter::RestorePowerLimits(*library, limits));
  std::error_code ignored;
  std::filesystem::remove(paths.power(), ignored);
  return {};
}

}  // namespace ebb::local
