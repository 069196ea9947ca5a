#include "meter/gpu/power_limit.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/units_text.h"

namespace ebb::meter {
namespace {

std::string Watts(unsigned milliwatts) { return FormatExact(milliwatts / 1000.0) + " W"; }

double WantedMilliwatts(const core::PowerCap& cap, const PowerRange& range) {
  return cap.watts > 0 ? 1000 * cap.watts : range.default_mw * cap.percent / 100;
}

// The GPU's limits; an Error says why they are not its own to set.
Result<PowerRange> RangeOf(const NvmlLibrary& library, const std::string& uuid) {
  const auto refused = [](std::string why) {
    return Fail({ExitCode::kUnavailable, std::move(why), "", ""});
  };
  const auto device = library.Find(uuid);
  if (uuid.starts_with("MIG-") || (device && library.MigIsOn(*device)))
    return refused("it is a part of a GPU, and the limit would hold for all of it");
  if (!device) return refused(Describe(GpuProblem::kOther));
  const GpuAnswer<PowerRange> range = library.PowerLimits(*device);
  if (!range) return refused(Describe(range.error()));
  return *range;
}

Status CannotLimit(const std::string& uuid, GpuProblem problem) {
  return Fail({ExitCode::kUnavailable,
               "the power of GPU " + uuid + " cannot be limited: " + Describe(problem), "",
               problem == GpuProblem::kNoPermission ? "the driver lets root do that" : ""});
}

}  // namespace

PowerPlan PlanPowerCap(const NvmlLibrary& library, const std::vector<std::string>& uuids,
                       const core::PowerCap& cap) {
  PowerPlan plan;
  for (const std::string& uuid : uuids) {
    const auto range = RangeOf(library, uuid);
    if (!range) {
      plan.notes.push_back("GPU " + uuid + " runs without the power cap: " + range.error().what);
      continue;
    }
    const double wanted = WantedMilliwatts(cap, *range);
    const auto least = std::min(range->least_mw, range->most_mw);
    const double set = std::clamp<double>(wanted, least, range->most_mw);
    if (set != wanted)
      plan.notes.push_back("GPU " + uuid + " is capped at " + Watts(static_cast<unsigned>(set)) +
                           ": it allows " + Watts(least) + " to " + Watts(range->most_mw));
    const auto new_mw = static_cast<unsigned>(std::lround(set));
    if (new_mw != range->now_mw) plan.limits.push_back({uuid, range->now_mw, new_mw});
  }
  return plan;
}

Status SetPowerLimits(const NvmlLibrary& library, const std::vector<PowerLimit>& limits) {
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const auto device = library.Find(limits[i].uuid);
    const auto problem = device ? library.SetPowerLimit(*device, limits[i].new_mw)
                                : std::optional(GpuProblem::kOther);
    if (!problem) continue;
    std::ignore = RestorePowerLimits(
        library, {limits.begin(), limits.begin() + static_cast<std::ptrdiff_t>(i)});
    return CannotLimit(limits[i].uuid, *problem);
  }
  return {};
}

Status RestorePowerLimits(const NvmlLibrary& library, const std::vector<PowerLimit>& limits) {
  std::vector<std::string> failed;
  for (const PowerLimit& limit : limits) {
    const auto device = library.Find(limit.uuid);
    if (!device || library.SetPowerLimit(*device, limit.old_mw))
      failed.push_back(limit.uuid + " (" + Watts(limit.old_mw) + ")");
  }
  if (failed.empty()) return {};
  return Fail({ExitCode::kUnavailable, "power limits could not be put back: " + Join(failed, ", "),
               "", "nvidia-smi --id=UUID --power-limit=WATTS does it by hand"});
}

Result<CommonPowerRange> CheckCommonPower(const NvmlLibrary& library,
                                          const std::vector<std::string>& uuids) {
  CommonPowerRange common;
  for (const std::string& uuid : uuids) {
    auto range = RangeOf(library, uuid);
    if (!range) {
      range.error().what = "GPU " + uuid + ": " + range.error().what;
      return Fail(std::move(range).error());
    }
    const auto device = *library.Find(uuid);
    const std::string model = library.Name(device);
    const Power now{range->now_mw / 1000.0}, least{range->least_mw / 1000.0};
    if (common.model.empty()) common = {model, now, least};
    if (model != common.model || now != common.now)
      return Fail({ExitCode::kUsage,
                   "the GPUs have different models or limits: " + common.model + " at " +
                       PowerText(common.now) + ", " + model + " at " + PowerText(now),
                   "", "give a limit: --power-cap 70%"});
    common.least = std::max(common.least, least);
    if (const auto problem = library.SetPowerLimit(device, range->now_mw))
      return Fail(CannotLimit(uuid, *problem).error());
  }
  return common;
}

}  // namespace ebb::meter
