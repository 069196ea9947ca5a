#include "meter/gpu/power_limit.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace ebb::meter {
namespace {

std::string Watts(unsigned milliwatts) { return FormatExact(milliwatts / 1000.0) + " W"; }

double WantedMilliwatts(const core::PowerCap& cap, const PowerRange& range) {
  return cap.watts > 0 ? 1000 * cap.watts : range.default_mw * cap.percent / 100;
}

}  // namespace

PowerPlan PlanPowerCap(const NvmlLibrary& library, const std::vector<std::string>& uuids,
                       const core::PowerCap& cap) {
  PowerPlan plan;
  for (const std::string& uuid : uuids) {
    const auto refuse = [&](const std::string& why) {
      plan.notes.push_back("GPU " + uuid + " runs without the power cap: " + why);
    };
    const auto device = library.Find(uuid);
    if (uuid.starts_with("MIG-") || (device && library.MigIsOn(*device))) {
      refuse("it is a part of a GPU, and the limit would hold for all of it");
      continue;
    }
    const GpuAnswer<PowerRange> range =
        device ? library.PowerLimits(*device)
               : GpuAnswer<PowerRange>(tl::unexpected<GpuProblem>(GpuProblem::kOther));
    if (!range) {
      refuse(Describe(range.error()));
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
    const bool permission = *problem == GpuProblem::kNoPermission;
    return Fail({ExitCode::kUnavailable,
                 "the power of GPU " + limits[i].uuid + " cannot be limited: " + Describe(*problem),
                 "", permission ? "the driver lets root do that" : ""});
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

}  // namespace ebb::meter
