#include "core/decision.h"

#include <array>

#include "base/enum_names.h"

namespace ebb::core {
namespace {

constexpr std::array<std::string_view, 3> kActionNames{"start", "wait", "stop"};
constexpr std::array<std::string_view, 19> kRuleNames{
    "run_now",         "below_threshold",    "above_threshold",
    "cleanest_now",    "cleaner_later",      "latest_start",
    "signal_missing",  "forecast_missing",   "stopped_at_deadline",
    "planned",         "compulsory",         "saving_too_small",
    "running",         "paused_for_cleaner", "no_free_device",
    "behind_priority", "devices_reserved",   "ramp_limit",
    "retry_later"};

}  // namespace

std::string_view Name(GateAction action) { return kActionNames[static_cast<std::size_t>(action)]; }
std::string_view Name(GateRule rule) { return kRuleNames[static_cast<std::size_t>(rule)]; }

std::optional<GateAction> GateActionFromName(std::string_view name) {
  return EnumFromName<GateAction>(kActionNames, name);
}

std::optional<GateRule> GateRuleFromName(std::string_view name) {
  return EnumFromName<GateRule>(kRuleNames, name);
}

}  // namespace ebb::core
