#include "app/run/run_end.h"

#include <utility>

#include "app/run/run_files.h"
#include "app/run/run_outputs.h"
#include "report/run/seal.h"

namespace ebb::app {
namespace {

std::string EndText(const core::Attempt& attempt) {
  const std::string code = "exit code " + std::to_string(attempt.exit_code);
  return std::string("the program ") +
         (attempt.outcome == core::AttemptOutcome::kDone ? "ended well (" + code + ")"
                                                         : "ended with " + code) +
         " after " + FormatDuration(attempt.wall.length());
}

}  // namespace

Status RunEnd::Close() {
  report::RunDirectory& directory = sinks_.directory;
  EBB_ASSIGN_OR_RETURN(core::RunRecord run, report::ReadRun(directory.path()));
  EBB_RETURN_IF_ERROR(StoreSurroundings(directory, surroundings_, run));
  return report::SealRun(directory.path(), wall_.Now());
}

Status RunEnd::NotStarted(int attempt_number, const Error& error) {
  core::Attempt attempt;
  attempt.number = attempt_number;
  attempt.wall = {wall_.Now(), wall_.Now()};
  attempt.grid = surroundings_.clock.ToGrid(attempt.wall);
  attempt.outcome = core::AttemptOutcome::kNotStarted;
  attempt.exit_code = static_cast<int>(error.code);
  sinks_.log.Write("not started: " + error.Message());
  EBB_RETURN_IF_ERROR(sinks_.directory.BeginAttempt(attempt));
  EBB_RETURN_IF_ERROR(sinks_.directory.EndAttempt(attempt));
  return Close();
}

// The run is read once, and everything is derived from that.
Result<report::Summary> RunEnd::Finish(const core::Attempt& attempt) {
  report::RunDirectory& directory = sinks_.directory;
  EBB_RETURN_IF_ERROR(directory.EndAttempt(attempt));
  std::vector<std::string> notices;
  EBB_ASSIGN_OR_RETURN(core::RunRecord run, report::ReadRun(directory.path(), &notices));
  EBB_RETURN_IF_ERROR(StoreSurroundings(directory, surroundings_, run));
  EBB_RETURN_IF_ERROR(StoreOutlook(directory.path(), surroundings_, run));
  EBB_ASSIGN_OR_RETURN(const RunViews views, WriteViews(directory.path(), std::move(run)));
  sinks_.SayNotes(notices);
  sinks_.SayNotes(PublishEmissions(options_, views.record, views.summary, directory.path()));
  sinks_.display.ShowSummary(views.record, views.summary, directory.path().string());
  return views.summary;
}

Error RunEnd::ShowUnwritten(const core::Attempt& attempt,
                            const std::vector<core::LedgerRow>& unstored, Error error) {
  const std::string directory = sinks_.directory.path().string();
  sinks_.display.Say(EndText(attempt) + "; its figures could not be written to " + directory +
                     ". This is what was measured:");
  if (auto run = report::ReadRun(sinks_.directory.path())) {
    run->ledger.insert(run->ledger.end(), unstored.begin(), unstored.end());
    std::erase_if(run->attempts,
                  [&](const core::Attempt& each) { return each.number == attempt.number; });
    run->attempts.push_back(attempt);
    if (auto signal = surroundings_.feed->Settled(SettledAround(*run, wall_.Now())))
      run->signal = *std::move(signal);
    sinks_.display.ShowSummary(*run, report::Summarise(*run), directory);
  }
  error.what = EndText(attempt) + ", but its figures could not be written: " + error.what;
  error.next =
      "make room on the disk, then write the figures that were kept: ebb summary " + directory;
  return error;
}

void RunEnd::SayRemarks(core::AttemptOutcome outcome, const report::Summary& summary,
                        bool is_of_job) {
  runtime::SignalFeed& feed = *surroundings_.feed;
  sinks_.SayNotes(feed.TakeNotes());
  if (summary.totals.energy_without_intensity > Energy{}) {
    const auto view = feed.Observe(surroundings_.clock.Now(), Duration::zero());
    if (!view) sinks_.SayNote("the carbon intensity is not known: " + view.error().Message());
  }
  const std::string directory = sinks_.directory.path().string();
  if (outcome == core::AttemptOutcome::kPaused && !is_of_job)
    sinks_.display.Say("paused with a checkpoint. Continue with: ebb resume " + directory);
  if (outcome == core::AttemptOutcome::kStoppedByBudget)
    sinks_.display.Say("stopped by its budget. Continue with a larger one: ebb resume " +
                       directory + " --budget-kwh KWH (or --budget-g GRAMS)");
}

}  // namespace ebb::app
