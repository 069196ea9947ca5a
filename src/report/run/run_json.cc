#include "report/run/run_json.h"

#include <algorithm>

#include "core/run/run_fields.h"

namespace ebb::report {
namespace {

constexpr std::string_view kBegin = "begin";
constexpr std::string_view kEnd = "end";

struct AttemptLine {
  std::string event;
  core::Attempt attempt;
};

template <typename Archive, Like<AttemptLine> Value>
void Visit(Archive& archive, Value& value) {
  auto& [number, wall, grid, outcome, exit_code, cpu_utilisation_percent, ram_used_gb,
         gpu_utilisation_percent, devices] = value.attempt;
  archive("event", value.event);
  archive("attempt", number);
  if (value.event == kBegin) {
    archive("wall_ms", wall.begin);
    archive("grid_ms", grid.begin);
    archive.Maybe("devices", devices);
    return;
  }
  archive("wall_ms", wall);
  archive("grid_ms", grid);
  archive("outcome", outcome);
  archive("exit_code", exit_code);
  archive("cpu_utilisation_percent", cpu_utilisation_percent);
  archive("ram_used_gb", ram_used_gb);
  archive("gpu_utilisation_percent", gpu_utilisation_percent);
  archive.Maybe("devices", devices);
  if (value.event != kEnd) archive.Fail("is neither \"begin\" nor \"end\": \"event\"");
}

template <typename T>
std::string Line(const T& value) {
  return ToFieldText(value, FieldStyle::kComplete);
}

template <typename T>
Status AddLine(std::string_view line, std::string where, std::vector<T>& values) {
  EBB_ASSIGN_OR_RETURN(T value, FromFieldText<T>(line, std::move(where), FieldStyle::kComplete));
  values.push_back(std::move(value));
  return {};
}

}  // namespace

std::string RunSpecToJson(const core::RunSpec& spec) { return Indented(Line(spec)) + "\n"; }
Result<core::RunSpec> RunSpecFromJson(std::string_view text, std::string where) {
  return FromFieldText<core::RunSpec>(text, std::move(where), FieldStyle::kComplete);
}

std::string DecisionToJson(const core::GateDecision& decision) { return Line(decision); }
std::string SkippedWaitToJson(const core::SkippedWait& wait) { return Line(wait); }
Status AddDecisionLine(std::string_view line, std::string where, core::RunRecord& run) {
  if (AddLine(line, where, run.skipped_waits)) return {};
  return AddLine(line, std::move(where), run.decisions);
}

std::string AttemptBeginToJson(const core::Attempt& attempt) {
  return Line(AttemptLine{std::string(kBegin), attempt});
}
std::string AttemptEndToJson(const core::Attempt& attempt) {
  return Line(AttemptLine{std::string(kEnd), attempt});
}
Status AddAttemptLine(std::string_view line, std::string where, core::RunRecord& run) {
  EBB_ASSIGN_OR_RETURN(AttemptLine read,
                       FromFieldText<AttemptLine>(line, where, FieldStyle::kComplete));
  core::Attempt& attempt = read.attempt;
  const bool begins = read.event == kBegin;
  const auto begun = std::find_if(run.attempts.begin(), run.attempts.end(),
                                  [&](const auto& a) { return a.number == attempt.number; });
  if (begins != (begun == run.attempts.end()))
    return Fail({ExitCode::kConfiguration,
                 "attempt " + std::to_string(attempt.number) +
                     (begins ? " begins a second time" : " ends without having begun"),
                 std::move(where), ""});
  if (!begins) {
    *begun = attempt;
    return {};
  }
  attempt.wall.end = attempt.wall.begin;
  attempt.grid.end = attempt.grid.begin;
  run.attempts.push_back(attempt);
  return {};
}

std::string SignalVersionToJson(const core::SignalVersion& version) { return Line(version); }
Status AddSignalVersionLine(std::string_view line, std::string where, core::RunRecord& run) {
  return AddLine(line, std::move(where), run.signal_versions);
}

}  // namespace ebb::report
