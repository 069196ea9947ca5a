#pragma once
// Writes the view that readers see: follows the engine's decisions job by job, and publishes.
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
  /// The newest view once it is newer than `version`; the same one when `patience` passes first.
  std::shared_ptr<const View> WaitForNewer(std::uint64_t version,
                                           std::chrono::milliseconds patience) const;

  /// A job that came in, or that was there when the service started.
  void AddJob(JobCard card) { next_.jobs.Put(std::move(card)); }
  /// As AddJob, oldest end first.
  void AddEnded(JobCard card) {
    ended_.push_back(card.submission->job.id);
    AddJob(std::move(card));
  }
  void EraseJob(core::JobId job) { next_.jobs.Erase(job); }
  const JobCard* Find(core::JobId job) const { return next_.jobs.Find(job); }
  /// Ended jobs beyond the newest `keep` are left out, and `forget` is told: the store has them.
  /// One whose figures of first come, first served have not come yet stays, up to as many again.
  void ForgetEnded(std::size_t keep, const std::function<void(const JobCard&)>& forget);
  void SetForgotten(const store::EndedSums& sums) { next_.forgotten = sums; }
  const store::EndedSums& forgotten() const { return next_.forgotten; }
  void FollowDecision(const engine::Decision& decision, const engine::Engine& engine,
                      const WaitsFor& waits_for);
  void FollowJob(const engine::Explanation& explanation, const engine::State& state,
                 const WaitsFor& waits_for);
  void FollowSignal(const engine::SignalObserved& signal);
  /// Of the first site, where there is no other.
  const core::SignalView* OnlySignal() const;
  void FollowLoss(const engine::SignalLost& loss);
  void FollowFigures(const std::map<core::JobId, JobFigures>& changed);
  /// Of a job that has not ended; an end replaces it.
  void SetDetail(core::JobId job, const std::string& detail) {
    Change(job, [&](JobCard& card) { card.detail = detail; });
  }
  /// Of a job that is there.
  void SetSubmission(SharedSubmission submission) {
    Change(submission->job.id, [&](JobCard& card) { card.submission = submission; });
  }
  /// A later one of the same job replaces it; the counters count the first.
  void SetHadItWaited(core::JobId job, const report::HadItWaited& waited);
  void SetSettlement(core::JobId job, const Settlement& settlement);
  void SetFirstCome(core::JobId job, const FirstComeFigures& figures);
  /// Returns those of whose devices was not known before.
  std::vector<local::SupervisedFigures> SetRunning(std::vector<local::SupervisedFigures> running);
  void SetRecurring(std::vector<RecurringView> recurring) {
    next_.recurring = std::move(recurring);
  }
  /// Published with the next view.
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
  void FollowWhatTheyWaitFor(const std::vector<local::SupervisedFigures>& running);

  View next_;
  std::deque<core::JobId> ended_;
  std::set<core::JobId> uncompared_;  // ended in this life, and their savings are not counted
  mutable std::mutex mutex_;
  mutable std::condition_variable published_;
  std::shared_ptr<const View> latest_ = std::make_shared<const View>();
};

}  // namespace ebb::service
