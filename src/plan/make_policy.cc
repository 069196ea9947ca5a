#include "plan/make_policy.h"

#include <array>

#include "base/text.h"
#include "plan/gated.h"

namespace ebb::plan {
namespace {

const std::array<std::string, 9> kNames{"run-now",     "edf",           "threshold",
                                        "tiers",       "lowest-window", "lowest-slots",
                                        "carbon-time", "dtpr",          "planner"};

const std::array<std::string, 3> kByThreshold{"threshold", "tiers", "planner"};
const std::array<std::string, 2> kByPriority{"tiers", "planner"};

constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kShortNames{
    {{"now", "run-now"}, {"window", "lowest-window"}}};

tl::unexpected<Error> Unknown(std::string_view name, std::span<const std::string> names) {
  return Fail({ExitCode::kUsage,
               "there is no policy \"" + std::string(name) + "\"" + SuggestionText(name, names), "",
               "choose one of " + Join(names, ", ")});
}

}  // namespace

std::span<const std::string> PolicyNames() { return kNames; }
std::span<const std::string> GatePolicyNames() {
  return std::span(kNames).first(kNames.size() - 1);
}

std::span<const std::string> PoliciesByThreshold() { return kByThreshold; }
std::span<const std::string> PoliciesByPriority() { return kByPriority; }

std::string_view PolicyNameOf(std::string_view given) {
  for (const auto& [short_name, name] : kShortNames)
    if (given == short_name) return name;
  return given;
}

Result<std::unique_ptr<GatePolicy>> MakeGatePolicy(std::string_view given,
                                                   const PolicyOptions& options) {
  const std::string_view name = PolicyNameOf(given);
  if (name == "run-now") return MakeRunNow();
  if (name == "edf") return MakeEarliestDeadlineFirst();
  if (name == "threshold") return MakeThreshold(options.threshold);
  if (name == "tiers") return MakeTiers(options.tiers);
  if (name == "lowest-window") return MakeLowestWindow(options.lowest_window);
  if (name == "lowest-slots") return MakeLowestSlots(options.lowest_slots);
  if (name == "carbon-time") return MakeCarbonTime();
  if (name == "dtpr") return MakeDtpr(options.dtpr);
  return Unknown(given, GatePolicyNames());
}

Result<std::unique_ptr<Policy>> MakePolicy(std::string_view name, const PolicyOptions& options) {
  if (name == "planner") return MakePlanner(options.planner);
  auto gate = MakeGatePolicy(name, options);
  if (!gate) return Unknown(name, PolicyNames());
  return MakeGated(*std::move(gate), {std::string(PolicyNameOf(name)), options.default_max_delay});
}

}  // namespace ebb::plan
