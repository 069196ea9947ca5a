#include "app/run/run_history.h"

#include <algorithm>
#include <fstream>

#include "app/run/run_files.h"
#include "base/json_node.h"
#include "platform/file.h"
#include "platform/shared_file.h"
#include "platform/user_name.h"
#include "report/run/known_emissions.h"
#include "report/run/run_directory.h"

namespace ebb::app {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLargestSummary = 64 << 20;

std::optional<double> NumberAt(const JsonNode& json, const char* pointer) {
  const JsonNode* node = json.At(pointer);
  return node ? node->AsNumber() : std::nullopt;
}

// Reads the summary that the run wrote at its end; false if the ledger has to be read.
bool TakeSummary(const fs::path& directory, PastRun& run) {
  const auto text = platform::ReadSharedFile(directory / report::kSummaryFile, kLargestSummary);
  if (!text) return false;
  const auto json = ParseJson(*text, "");
  if (!json || json->TextOf("run_id").empty()) return false;
  const auto joules = NumberAt(*json, "/energy/it_j");
  const auto seconds = NumberAt(*json, "/running_time_s");
  if (!joules || !seconds) return false;
  run.ran = DurationFromSeconds(*seconds);
  run.energy = Energy::Joules(*joules);
  const double unknown = NumberAt(*json, "/energy/without_intensity_j").value_or(0);
  if (const auto grams = NumberAt(*json, "/emissions_g");
      grams && (unknown < *joules || *joules == 0))
    run.emissions = Emissions{*grams};
  if (const auto grams = NumberAt(*json, "/same_energy_at_submission/saving_g"))
    run.saved = Emissions{*grams};
  core::Work work;
  for (const core::WorkUnit unit : core::kWorkUnits)
    if (const auto count =
            NumberAt(*json, ("/work/" + std::string(core::Name(unit)) + "s").c_str()))
      work.*core::CountOf(unit) = static_cast<std::int64_t>(*count);
  run.per_unit = core::UsePerUnit(work, *run.energy, unknown > 0 ? std::nullopt : run.emissions);
  return true;
}

void Summarise(const core::RunRecord& record, PastRun& run) {
  const report::Summary summary = report::Summarise(record);
  run.ran = summary.running_time;
  run.energy = summary.totals.energy;
  run.emissions = report::KnownEmissions(summary.totals);
  if (summary.at_submission) run.saved = summary.at_submission->saving;
  run.per_unit = summary.per_unit;
}

// True if the run goes on. For a run of a version without a lock, or of another user, the age of
// its ledger decides.
bool GoesOn(const fs::path& directory, const core::RunRecord& record, Time now) {
  if (std::ifstream(directory / report::kLockFile)) return report::IsBeingWritten(directory);
  return StillRuns(record, now);
}

std::string OutcomeOf(const core::RunRecord& record, bool goes_on) {
  if (record.attempts.empty()) return goes_on ? "waiting" : "not_started";
  const core::AttemptOutcome outcome = record.outcome();
  if (outcome == core::AttemptOutcome::kRunning && !goes_on) return "killed";
  return std::string(core::Name(outcome));
}

// The entry of a run whose files cannot be read.
PastRun Broken(const fs::path& directory, std::string why) {
  PastRun run;
  run.directory = directory;
  run.name = directory.filename().string();
  run.user = platform::OwnerOf(directory);
  run.outcome = "broken";
  run.note = std::move(why);
  return run;
}

}  // namespace

PastRun ReadPastRun(const fs::path& directory, Time now) {
  const auto head = report::ReadRunHead(directory);
  if (!head) return Broken(directory, head.error().Message());
  PastRun run;
  run.directory = directory;
  run.name = head->spec.name;
  run.user = platform::OwnerOf(directory / report::kRunFile);
  run.created = head->spec.created_wall;
  run.replayed = head->spec.clock.replayed;
  const bool is_over = !head->attempts.empty() && head->outcome() != core::AttemptOutcome::kRunning;
  if (is_over && TakeSummary(directory, run)) {
    run.outcome = OutcomeOf(*head, false);
    run.ended = head->attempts.back().wall.end;
    return run;
  }
  const auto record = report::ReadRun(directory);
  if (!record) {
    PastRun broken = Broken(directory, record.error().Message());
    broken.name = run.name;
    broken.created = run.created;
    broken.replayed = run.replayed;
    return broken;
  }
  const bool goes_on = GoesOn(directory, *record, now);
  run.outcome = OutcomeOf(*record, goes_on);
  for (const core::Attempt& attempt : record->attempts)
    run.ended = std::max(run.ended.value_or(attempt.wall.end), attempt.wall.end);
  if (goes_on) run.ended.reset();
  if (!record->attempts.empty()) Summarise(*record, run);
  return run;
}

RunsFound FindPastRuns(const fs::path& folder, Time now) {
  RunsFound found;
  const report::FoundRuns paths = report::SearchForRuns(folder);
  for (const fs::path& path : paths.runs) found.runs.push_back(ReadPastRun(path, now));
  for (const fs::path& path : paths.broken)
    found.runs.push_back(Broken(path, "holds parts of a run, and no run.json"));
  for (const fs::path& path : paths.closed)
    found.notes.push_back(path.string() +
                          ": cannot be searched; check the name and the permissions");
  return found;
}

}  // namespace ebb::app
