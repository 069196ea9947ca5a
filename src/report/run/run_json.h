#pragma once
// The parts of a run as JSON text, one function pair each, exact in both directions. Layout:
// docs/run-directory.md. `where` names file and line in errors.

#include <string>
#include <string_view>

#include "base/result.h"
#include "core/run/run.h"

namespace ebb::report {

std::string RunSpecToJson(const core::RunSpec& spec);  ///< indented, schema "ebb.run/1"
Result<core::RunSpec> RunSpecFromJson(std::string_view text, std::string where);

std::string DecisionToJson(const core::GateDecision& decision);
std::string SkippedWaitToJson(const core::SkippedWait& wait);
/// Adds a line of decisions.jsonl to the run.
Status AddDecisionLine(std::string_view line, std::string where, core::RunRecord& run);

std::string AttemptBeginToJson(const core::Attempt& attempt);
std::string AttemptEndToJson(const core::Attempt& attempt);
/// Adds a line of attempts.jsonl: a begin adds an attempt, an end completes it.
Status AddAttemptLine(std::string_view line, std::string where, core::RunRecord& run);

std::string SignalVersionToJson(const core::SignalVersion& version);
/// Adds a line of signal_versions.jsonl.
Status AddSignalVersionLine(std::string_view line, std::string where, core::RunRecord& run);

}  // namespace ebb::report
