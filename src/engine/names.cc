// Names of the engine's enumerators, for stores and answers.

#include <array>

#include "base/enum_names.h"
#include "engine/decision.h"
#include "engine/event.h"

namespace ebb::engine {
namespace {

constexpr std::array<std::string_view, 8> kStages{"waiting", "starting",  "running", "pausing",
                                                  "paused",  "succeeded", "failed",  "cancelled"};
constexpr std::array<std::string_view, 3> kJobControls{"none", "hold", "now"};
constexpr std::array<std::string_view, 8> kPhases{
    "running", "paused", "succeeded", "failed", "start_failed", "cancelled", "frozen", "starting"};
constexpr std::array<std::string_view, 6> kPlannings{"whole", "beside", "ask",
                                                     "take",  "follow", "place"};

}  // namespace

std::string_view Name(Stage stage) { return kStages[static_cast<std::size_t>(stage)]; }
std::optional<Stage> StageFromName(std::string_view name) {
  return EnumFromName<Stage>(kStages, name);
}

std::string_view Name(JobControl control) {
  return kJobControls[static_cast<std::size_t>(control)];
}
std::optional<JobControl> JobControlFromName(std::string_view name) {
  return EnumFromName<JobControl>(kJobControls, name);
}

std::string_view Name(JobPhase phase) { return kPhases[static_cast<std::size_t>(phase)]; }
std::optional<JobPhase> JobPhaseFromName(std::string_view name) {
  return EnumFromName<JobPhase>(kPhases, name);
}

std::string_view Name(Planning planning) { return kPlannings[static_cast<std::size_t>(planning)]; }
std::optional<Planning> PlanningFromName(std::string_view name) {
  return EnumFromName<Planning>(kPlannings, name);
}

}  // namespace ebb::engine
