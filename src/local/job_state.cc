#include "local/job_state.h"

#include <array>
#include <map>

#include "base/enum_names.h"
#include "base/text.h"
#include "platform/file.h"

namespace ebb::local {
namespace {

constexpr std::array<std::string_view, 6> kPhaseNames{"running", "paused",       "succeeded",
                                                      "failed",  "start_failed", "cancelled"};
constexpr std::uint64_t kLongestFile = 1 << 16;

std::string OneLine(std::string text) {
  for (char& c : text) c = c == '\n' || c == '\r' ? ' ' : c;
  return text;
}

std::map<std::string, std::string> Lines(const std::string& text) {
  std::map<std::string, std::string> lines;
  for (const std::string_view line : Split(text, '\n')) {
    const auto blank = line.find(' ');
    if (blank == std::string_view::npos) continue;
    lines.emplace(line.substr(0, blank), line.substr(blank + 1));
  }
  return lines;
}

}  // namespace

Status WriteJobState(const std::filesystem::path& file, const JobState& state) {
  const engine::JobReport& report = state.report;
  const std::string text =
      "phase " + std::string(kPhaseNames[static_cast<std::size_t>(report.phase)]) + "\nattempt " +
      std::to_string(report.attempt) + "\npool " + std::to_string(report.pool) + "\nsince_ms " +
      std::to_string(report.since.time_since_epoch().count()) + "\nexit_code " +
      std::to_string(report.exit_code) + "\npid " + std::to_string(state.pid) + "\nprocess " +
      state.process_identity + "\ndetail " + OneLine(report.detail) + "\n";
  return platform::WriteFileAtomically(file, text);
}

Result<std::optional<JobState>> ReadJobState(const std::filesystem::path& file, core::JobId job) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return std::optional<JobState>();
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(file, kLongestFile));
  const auto lines = Lines(text);
  const auto value = [&](const char* name) {
    const auto found = lines.find(name);
    return found == lines.end() ? std::string() : found->second;
  };
  const auto phase = EnumFromName<engine::JobPhase>(kPhaseNames, value("phase"));
  const auto attempt = ParseInteger(value("attempt"));
  const auto pool = ParseInteger(value("pool"));
  const auto since = ParseInteger(value("since_ms"));
  const auto exit_code = ParseInteger(value("exit_code"));
  const auto pid = ParseInteger(value("pid"));
  if (!phase || !attempt || !pool || !since || !exit_code || !pid)
    return Fail({ExitCode::kUnavailable, "is not the state of a job", file.string(),
                 "if the job is not needed any more, remove its directory"});
  JobState state;
  state.report = {job,
                  static_cast<int>(*attempt),
                  *phase,
                  static_cast<int>(*pool),
                  Time{Duration{*since}},
                  static_cast<int>(*exit_code),
                  value("detail")};
  state.pid = static_cast<int>(*pid);
  state.process_identity = value("process");
  return std::optional(std::move(state));
}

}  // namespace ebb::local
