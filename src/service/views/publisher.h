#pragma once
// Writes the view that readers see: follows the engine's decisions, the accounts and the executor,
// and publishes a new view when the loop asks for it.
//
// Thread contract: Latest and WaitForNewer from any thread; the rest from the loop's.

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <set>

#include "engine/engine.h"
#include "service/views/figures.h"
#include "service/views/view.h"

namespace ebb::service {

class Publisher {
 public:
  /// The jobs that have to succeed before a job may start.
  using WaitsFor = std::function<std::vector<core::JobId>(core::JobId)>;

  std::shared_ptr<const View> Latest() const;
  /// Waits until a view newer than `version` is published, at most for `patience`. Returns the
  /// newest view in any case.
  std::shared_ptr<const View> WaitForNewer(std::uint64_t version,
                                           std::chrono::milliseconds patience) const;

  /// Adds the card of a job that has come in, or that was there when the service started.
  void AddJob(JobCard card) { next_.jobs.Put(std::move(card)); }
  /// Adds the card of a job that ended in an earlier life. Call it in the order of ends.
  void AddEnded(JobCard card) {
    ended_.push_back(card.submission->job.id);
    AddJob(std::move(card));
  }
  void EraseJob(core::JobId job) { next_.jobs.Erase(job); }
  const JobCard* Find(core::JobId job) const { return next_.jobs.Find(job); }
  /// Drops ended jobs beyond the newest `keep` from the view, and calls `forget` for each: the
  /// store has them. A job stays while its first-come figures are missing, up to `keep` more jobs.
  void ForgetEnded(std::size_t keep, const std::function<void(const JobCard&)>& forget);
  void SetForgotten(const store::EndedSums& sums) { next_.forgotten = sums; }
  const store::EndedSums& forgotten() const { return next_.forgotten; }
  void SetToday(const DayFigures& today) { next_.today = today; }
  void FollowDecision(const engine::Decision& decision, const engine::Engine& engine,
                      const WaitsFor& waits_for);
  void FollowJob(const engine::Explanation& explanation, const engine::State& state,
                 const WaitsFor& waits_for);
  /// Both return true if that is a change: the source was, or was not, lost before.
  bool FollowSignal(const engine::SignalObserved& signal);
  bool FollowLoss(const engine::SignalLost& loss);
  /// The signal of the only site; nullptr: there are several sites, or no signal yet.
  const core::SignalView* OnlySignal() const;
  void FollowFigures(const std::map<core::JobId, JobFigures>& changed);
  /// Sets the detail of a job that has not ended. Its end replaces the detail.
  void SetDetail(core::JobId job, const std::string& detail) {
    Change(job, [&](JobCard& card) { card.detail = detail; });
  }
  /// Replaces the submission of a known job.
  void SetSubmission(SharedSubmission submission) {
    Change(submission->job.id, [&](JobCard& card) { card.submission = submission; });
  }
  void SetHadItWaited(core::JobId job, const report::HadItWaited& waited);
  /// A later settlement of the same job replaces the figures. The counters count the first one.
  void SetSettlement(core::JobId job, const Settlement& settlement);
  void SetFirstCome(core::JobId job, const FirstComeFigures& figures);
  /// Returns the programs whose devices were not known before.
  std::vector<local::SupervisedFigures> SetRunning(std::vector<local::SupervisedFigures> running);
  void SetRemark(core::JobId job, const std::string& remark);
  void SetRecurring(std::vector<RecurringView> recurring) {
    next_.recurring = std::move(recurring);
  }
  /// The counters of the next view.
  Counters& counters() { return next_.counters; }
  void SetDevices(std::vector<local::Device> devices, std::string trouble) {
    next_.devices = std::move(devices);
    next_.device_trouble = std::move(trouble);
  }
  void SetCluster(core::Cluster cluster) { next_.cluster = std::move(cluster); }
  void SetBudgets(std::vector<BudgetView> budgets) { next_.budgets = std::move(budgets); }
  const std::optional<engine::Drain>& drain() const { return next_.drain; }
  void SetDrain(std::optional<engine::Drain> drain) { next_.drain = std::move(drain); }
  void SetTrouble(std::string trouble) { next_.trouble = std::move(trouble); }
  void Say(Time at, core::JobId job, std::string text, bool refusal = false);
  void Publish(Time now);

 private:
  void Change(core::JobId job, const std::function<void(JobCard&)>& change);
  SiteSignalView& SignalOf(int site);
  void FollowStartConditions(const std::vector<local::SupervisedFigures>& running);

  View next_;
  std::deque<core::JobId> ended_;
  std::set<core::JobId> uncompared_;  // jobs that ended in this life and are not in `compared` yet
  mutable std::mutex mutex_;
  mutable std::condition_variable published_;
  std::shared_ptr<const View> latest_ = std::make_shared<const View>();
};

}  // namespace ebb::service
