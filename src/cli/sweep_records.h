#pragma once
// Where the runs of a sweep are kept: one run directory for each experiment under the sweep's own
// directory, written as `ebb run` writes one (report/run_directory.h).
//
//   DIR/sweep.yaml      the sweep, written out
//   DIR/journal.jsonl   facts and decisions
//   DIR/options.json    the flags it was begun with
//   DIR/stopped.jsonl   what successive halving stopped, and why
//   DIR/budget.jsonl    what all experiments may use together, and every crossing
//   DIR/machine.jsonl   what the machine used and no run did: ledger rows (docs/ledger.md)
//   DIR/runs/NAME/      one run each

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "cli/run_trackers.h"
#include "local/local_executor.h"
#include "platform/file.h"
#include "prices/price_source.h"
#include "report/progress_tail.h"
#include "report/run_directory.h"
#include "sweep/sweep.h"

namespace ebb::cli {

struct SweepPaths {
  std::filesystem::path directory;
  std::filesystem::path sweep_file() const { return directory / "sweep.yaml"; }
  std::filesystem::path journal() const { return directory / "journal.jsonl"; }
  std::filesystem::path options() const { return directory / "options.json"; }
  std::filesystem::path stopped() const { return directory / "stopped.jsonl"; }
  std::filesystem::path budget() const { return directory / "budget.jsonl"; }
  std::filesystem::path machine() const { return directory / "machine.jsonl"; }
  std::filesystem::path RunOf(const sweep::Experiment& experiment) const;
};

class SweepRecords final : public local::JobRecords {
 public:
  using Say = std::function<void(const std::string&)>;

  /// What the runs' surroundings are read from.
  struct Surroundings {
    runtime::SignalFeed& feed;
    const std::optional<prices::PriceSource>& prices;
  };
  /// Who has to hear of budgets.
  struct Listener {
    std::function<void(core::JobId)> hold;                       ///< as its budget wants it
    std::function<void(std::span<const core::LedgerRow>)> rows;  ///< that were kept
  };
  /// What all runs share.
  struct Common {
    core::RunSpec spec;
    core::Tracking tracking;
    core::Budget budget;  ///< of each
  };
  /// The surroundings and `sweep` must outlive the records.
  SweepRecords(SweepPaths paths, const sweep::Sweep& sweep, Common common,
               Surroundings surroundings, Say say, Listener listener);
  /// Tells the trackers what the programs have written meanwhile. Often.
  void Tick();
  /// Experiments that ended while none of their programs ran: MLflow believes them to be paused.
  void CloseEnded(const std::map<core::JobId, engine::EndedJob>& ended);
  /// At the end: waits some seconds for what is on its way to trackers.
  void WaitForTrackers();

  Status Begin(core::JobId job, const core::Attempt& attempt) override;
  Status Rows(core::JobId job, std::span<const core::LedgerRow> rows) override;
  void End(core::JobId job, const local::AttemptResult& result) override;
  Status MachineRows(std::span<const core::LedgerRow> rows) override;
  void OnBudget(core::JobId job, const core::BudgetEvent& event) override;
  /// How an experiment stands against its budget; nothing where the sweep's have none.
  Result<std::optional<runtime::BudgetWatch::Terms>> BudgetOf(core::JobId job) const;

 private:
  const sweep::Experiment& ExperimentOf(core::JobId job) const;
  core::RunSpec SpecFor(const sweep::Experiment& experiment) const;
  /// One run that goes on. Trackers outlive it: what is on its way holds nobody up.
  struct Open {
    report::RunDirectory directory;
    std::unique_ptr<RunTrackers> trackers;  // null: none is wanted
    std::unique_ptr<report::ProgressTail> tail;
  };
  Status StoreEnd(core::JobId job, Open& open, const local::AttemptResult& result);
  Status Track(const core::Attempt& attempt, Open& open);
  void SayNotes(RunTrackers& trackers);

  SweepPaths paths_;
  const sweep::Sweep& sweep_;
  Common common_;
  Surroundings surroundings_;
  Say say_;
  Listener listener_;
  std::map<core::JobId, Open> open_;
  struct Ending {
    core::JobId job = 0;
    std::unique_ptr<RunTrackers> trackers;
  };
  std::vector<Ending> ending_;
  std::set<core::JobId> paused_;  // as MLflow has heard
  std::optional<platform::LineWriter> machine_;
};

}  // namespace ebb::cli
