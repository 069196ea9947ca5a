#pragma once
// Stores the measurements of one attempt of a run while it lasts, shows them, and hands them to
// Prometheus and to experiment trackers.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/run/run_outputs.h"
#include "app/run/run_sinks.h"
#include "app/run/run_trackers.h"
#include "local/process/measured_attempt.h"
#include "report/run/progress_tail.h"

namespace ebb::app {

class AttemptRecorder final : public local::AttemptObserver {
 public:
  AttemptRecorder(RunSinks sinks, PrometheusExport prometheus, RunTrackers& trackers);

  Status OnBegin(const core::Attempt& attempt) override;
  Status OnRows(std::span<const core::LedgerRow> rows) override;
  void OnBudget(const core::BudgetEvent& event) override;
  bool OnTick(const local::LiveFigures& figures) override;
  /// The program has ended after `elapsed`.
  void OnEnd(Duration elapsed);
  /// Rows that could not be written, for example on a full disk.
  const std::vector<core::LedgerRow>& unstored() const { return unstored_; }

 private:
  void SayFailure(const std::optional<std::string>& failure);

  RunSinks sinks_;
  PrometheusExport prometheus_;
  RunTrackers& trackers_;
  report::ProgressTail tail_;
  std::vector<core::LedgerRow> unstored_;
};

}  // namespace ebb::app
