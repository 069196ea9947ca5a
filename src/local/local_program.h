#pragma once
// One attempt that runs: its measured process, the slots it holds, and who asked it to end. Passes
// on what its measuring says, under its job's id. Private to local/.

#include <chrono>
#include <memory>
#include <vector>

#include "engine/event.h"
#include "local/ending.h"
#include "local/from_outside.h"
#include "local/local_job.h"
#include "local/measured_process.h"

namespace ebb::local {

using SteadyTime = std::chrono::steady_clock::time_point;

class LocalProgram final : public AttemptObserver {
 public:
  /// Why it was asked to end.
  enum class Wish { kNone, kPause, kCancel, kTooLong, kBudget, kStop };

  LocalProgram(const LocalJob& local_job, int attempt_number, int in_pool,
               std::vector<int> on_slots, JobRecords& job_records, Duration grace_period);

  Status OnBegin(const core::Attempt& begun) override {
    return records_.Begin(job.job().id, begun);
  }
  Status OnRows(std::span<const core::LedgerRow> rows) override {
    return records_.Rows(job.job().id, rows);
  }
  bool OnTick(const LiveFigures&) override { return false; }
  void OnBudget(const core::BudgetEvent& event) override;

  /// The first wish is the one that explains the end, but for a cancellation.
  void AskToEnd(Wish why);
  /// The grace period is over: as if it was at once.
  void EndGrace();
  /// Its process has been started, `at` runtime::Clock::SinceBoot.
  void Begin(std::unique_ptr<MeasuredProcess> begun, Duration at);
  /// SIGKILL once the grace period is over.
  void KillIfOverdue();
  /// It has ended, and so has everything that it left running: that is asked to end, too. To be
  /// called now and then.
  bool HasEnded();
  /// What its end means, given what was asked of it. `stopping`: so is this process.
  engine::JobReport EndReport(Time now, const platform::ExitStatus& status, bool stopping) const;

  const LocalJob& job;
  const int attempt;
  const int pool;
  const std::vector<int> slots;
  const Duration grace;  ///< between SIGTERM and SIGKILL
  std::unique_ptr<MeasuredProcess> process;
  Duration since_boot{};  ///< runtime::Clock::SinceBoot when it was started

 private:
  JobRecords& records_;
  Wish wish_ = Wish::kNone;
  SteadyTime kill_at_{};
  bool killed_ = false;
  std::optional<OomWatch> oom_;  // once it has a process
  std::optional<Ending> rest_;   // once it has ended itself
};

}  // namespace ebb::local
