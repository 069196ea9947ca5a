#include "app/run/attempt_recorder.h"

#include <utility>

namespace ebb::app {

AttemptRecorder::AttemptRecorder(RunSinks sinks, PrometheusExport prometheus, RunTrackers& trackers)
    : sinks_(sinks),
      prometheus_(std::move(prometheus)),
      trackers_(trackers),
      tail_(sinks.directory.path() / report::kProgressFile) {}

Status AttemptRecorder::OnBegin(const core::Attempt& attempt) {
  sinks_.log.Write("attempt " + std::to_string(attempt.number) + " begins, grid " +
                   FormatTime(attempt.grid.begin));
  trackers_.OnBegin(attempt);
  return sinks_.directory.BeginAttempt(attempt);
}

Status AttemptRecorder::OnRows(std::span<const core::LedgerRow> rows) {
  // Rows that could not be stored are offered again together with the next ones.
  unstored_.assign(rows.begin(), rows.end());
  EBB_RETURN_IF_ERROR(sinks_.directory.AppendRows(rows));
  unstored_.clear();
  prometheus_.OnRows(rows);
  trackers_.OnRows(rows);
  return {};
}

void AttemptRecorder::OnBudget(const core::BudgetEvent& event) {
  const std::string text = core::BudgetText(event);
  sinks_.log.Write(text);
  sinks_.display.Say(text);
  if (auto kept = sinks_.directory.AppendBudgetEvent(event); !kept)
    sinks_.log.Write("budget event not stored: " + kept.error().Message());
}

bool AttemptRecorder::OnTick(const local::LiveFigures& figures) {
  SayFailure(prometheus_.OnTick(figures.elapsed));
  const bool shown = sinks_.display.TrainingInterval() > Duration::zero();
  if (!shown && !trackers_.wanted()) return false;
  const std::vector<report::ProgressEvent> events = tail_.Poll();
  trackers_.OnProgress(events);
  sinks_.SayNotes(trackers_.TakeNotes());
  return shown && sinks_.display.ShowTraining(events, figures);
}

void AttemptRecorder::OnEnd(Duration elapsed) {
  SayFailure(prometheus_.OnEnd(elapsed));
  do {
    trackers_.OnProgress(tail_.Poll());
  } while (tail_.has_more());
}

void AttemptRecorder::SayFailure(const std::optional<std::string>& failure) {
  if (failure) sinks_.SayNote(*failure);
}

}  // namespace ebb::app
