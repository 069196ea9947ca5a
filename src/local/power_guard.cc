#include "local/power_guard.h"

#include <filesystem>

#include "meter/gpu/power_limit.h"
#include "platform/path_facts.h"

namespace ebb::local {
namespace {

// Limits the power. An Error: nothing was changed.
Status Cap(const AttemptPaths& paths, const AttemptPlan& plan, const std::string& nvml_library,
           std::vector<std::string>& warnings) {
  EBB_ASSIGN_OR_RETURN(const auto library, meter::NvmlLibrary::Open(nvml_library));
  meter::PowerPlan power = meter::PlanPowerCap(*library, plan.gpus, *plan.power_cap);
  warnings.insert(warnings.end(), power.notes.begin(), power.notes.end());
  if (power.limits.empty()) return {};
  EBB_RETURN_IF_ERROR(WritePowerLimits(paths, power.limits));
  Status set = meter::SetPowerLimits(*library, power.limits);
  std::error_code gone;
  if (!set) std::filesystem::remove(paths.power(), gone);
  return set;
}

}  // namespace

PowerGuard::PowerGuard(const AttemptPaths& paths, const AttemptPlan& plan,
                       const std::string& nvml_library, std::vector<std::string>& warnings)
    : paths_(paths), nvml_library_(nvml_library) {
  if (!plan.power_cap || plan.gpus.empty()) return;
  if (const Status capped = Cap(paths, plan, nvml_library, warnings); !capped)
    warnings.push_back("runs without its power cap of " + core::Describe(*plan.power_cap) + ": " +
                       capped.error().Message());
  set_ = platform::Exists(paths.power());
}

Status PowerGuard::PutBack() {
  return std::exchange(set_, false) ? RestorePower(paths_, nvml_library_) : Status{};
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
