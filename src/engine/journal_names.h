#pragma once
// Names of enumerators in journals; stable. Private to the engine.

#include <array>
#include <string_view>

namespace ebb::engine {

/// In the order of JobPhase.
inline constexpr std::array<std::string_view, 7> kPhaseNames{
    "running", "paused", "succeeded", "failed", "start_failed", "cancelled", "frozen"};
/// In the order of Fact.
inline constexpr std::array<std::string_view, 11> kFactNames{
    "cluster_changed", "job_submitted", "job_cancelled",     "job_wished", "signal_observed",
    "signal_lost",     "job_report",    "executor_observed", "tick",       "ended_forgotten",
    "clock_set"};
/// In the order of Planning.
inline constexpr std::array<std::string_view, 4> kPlanningNames{"whole", "beside", "ask", "take"};
/// In the order of Command.
inline constexpr std::array<std::string_view, 3> kCommandNames{"start", "pause", "cancel"};

}  // namespace ebb::engine
