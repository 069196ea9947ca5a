#pragma once
// Successive halving at work: follows the progress files of a sweep's runs, asks
// sweep/successive_halving which of them to stop, and hands the engine its cancellations. What was
// decided is derived from the progress files alone, so a sweep that is continued decides the same.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/sweep_records.h"
#include "engine/engine.h"
#include "report/epoch_losses.h"
#include "runtime/grid_clock.h"
#include "runtime/submissions.h"
#include "sweep/successive_halving.h"

namespace ebb::cli {

/// Jobs known from the beginning, and what is wanted of them while they run.
class SweepSubmissions final : public runtime::Submissions {
 public:
  explicit SweepSubmissions(std::vector<core::Job> jobs)
      : jobs_(runtime::SubmissionList::OfJobs(std::move(jobs))) {}

  void Cancel(core::JobId job, std::string why) {
    wanted_.push_back(engine::JobCancelled{job, std::move(why)});
  }
  void Wish(core::JobId job, engine::Wish wish) { wanted_.push_back(engine::JobWished{job, wish}); }
  /// Somebody wants something that was not taken yet.
  bool pending() const { return !wanted_.empty(); }

  Time NextAt() const override { return pending() ? Time::min() : jobs_.NextAt(); }
  std::vector<engine::Event> Take(Time now) override;
  bool closed() const override { return !pending() && jobs_.closed(); }

 private:
  runtime::SubmissionList jobs_;
  std::vector<engine::Fact> wanted_;
};

/// The latest figures of a run's training.
struct RunProgress {
  int epoch = 0;
  std::optional<double> loss;
};

class SweepProgress {
 public:
  /// Everything borrowed must outlive it. Reads what the runs have written so far. On a clock that
  /// runs faster than time, estimates are of the energy that is really used.
  SweepProgress(const SweepPaths& paths, const sweep::Sweep& sweep, const engine::Engine& engine,
                SweepSubmissions& submissions, const runtime::GridClock& clock, Pue pue,
                SweepRecords::Say say);

  /// Reads on. True when a run shall be stopped.
  bool Poll();
  RunProgress Of(core::JobId job) const;

 private:
  void Note(core::JobId job, const report::ProgressEvent& event);
  bool Judge(const report::EpochLoss& epoch);
  void Store(core::JobId job, const sweep::Verdict& verdict, double loss);

  const SweepPaths& paths_;
  const sweep::Sweep& sweep_;
  const engine::Engine& engine_;
  SweepSubmissions& submissions_;
  const runtime::GridClock& clock_;
  Pue pue_;
  SweepRecords::Say say_;
  std::optional<sweep::SuccessiveHalving> halving_;
  report::EpochLosses losses_;
  std::map<core::JobId, RunProgress> progress_;
  std::set<core::JobId> stopped_;
};

}  // namespace ebb::cli
