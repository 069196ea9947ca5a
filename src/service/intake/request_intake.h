#pragma once
// Between the inbox and the loop: requests become facts for the engine, jobs become known to the
// store, the executor and the job index, and whoever asked gets an answer once the decision that
// follows is stored.
//
// Thread contract: the loop's thread.

#include <deque>
#include <functional>
#include <set>

#include "runtime/run_loop.h"
#include "runtime/submissions.h"
#include "service/intake/dependencies.h"
#include "service/intake/estimator.h"
#include "service/intake/inbox.h"
#include "service/intake/recurring.h"
#include "service/sweeps/sweep_budget_watch.h"
#include "service/sweeps/sweep_watch.h"
#include "service/views/publisher.h"
#include "store/service_store.h"

namespace ebb::service {

class RequestIntake final : public runtime::Submissions {
 public:
  struct Ports {
    Inbox& inbox;
    store::ServiceStore& store;
    Publisher& publisher;
    Dependencies& dependencies;
    Recurring& recurring;
    Estimator& estimator;
    SweepWatch& sweeps;
    SweepBudgetWatch& sweep_budgets;
    /// Makes a job known to the executor; an Error refuses it.
    std::function<Status(const SharedSubmission&)> add_job;
    /// Of a job that is known: in place of what it was.
    std::function<void(const SharedSubmission&)> replace_job;
    /// It was refused after that.
    std::function<void(core::JobId)> forget_job;
    std::function<Time()> now;
    std::function<Result<std::string>(const ChangeDevice&)> change_device;
    /// Whether there are devices that it could ever run on.
    std::function<Status(const core::Job&)> check_job;
    /// Whether it would be taken now if these jobs were cancelled.
    std::function<Status(const core::Job&, Time now, const std::vector<core::JobId>& without)>
        check_without;
    /// What a job that waits would become.
    std::function<Result<core::Job>(const engine::JobChanged&, Time now)> check_change;
    /// How long the next decision may wait, as far as only submissions ask for it.
    std::function<Duration()> patience;
    /// When the service has something to do for itself.
    std::function<Time()> own_due;
    /// Nobody will ask for anything more once all that has come in is taken.
    bool is_last = false;
  };
  explicit RequestIntake(Ports ports) : ports_(std::move(ports)) {}

  // runtime::Submissions
  Time NextAt() const override;
  std::vector<engine::Event> Take(Time now) override;
  Duration Patience() const override;
  bool closed() const override;

  /// The recurring jobs of an earlier life.
  Status LoadRecurring();
  /// Jobs of an earlier life whose submission never reached the engine.
  void Resubmit(std::vector<core::Submission> submissions);
  /// A job of an earlier life that the engine holds: by a person, or because it waits for others.
  /// What they became while nobody looked is followed now.
  Status TakeUpHeld(const core::Submission& submission);
  /// The loop's observer passes these on.
  void OnTaken(const engine::Event& event);
  void OnRefused(const engine::Event& event, const Error& error);
  /// Everything that was taken or refused is durable now: those who asked are told.
  void OnStored();
  /// What was taken is decided upon, and the decision is stored.
  void OnDecided(const engine::Decision& decision);
  /// It could not be stored: they are told that.
  void OnTrouble(const Error& error);
  /// Holds the job as a person does; a resume lets it go. `why` is shown until then.
  void Hold(core::JobId job, const std::string& why);
  /// As a resume does.
  void LetGo(core::JobId job);
  /// Empty: a person holds it.
  std::string WhyHeld(core::JobId job) const;
  /// Tells the engine, with what is taken next.
  void Tell(engine::Fact fact) { follow_ups_.push_back(std::move(fact)); }
  /// A job has ended: others may have waited for it.
  void OnEnded(core::JobId job, bool succeeded, const engine::State& state);

 private:
  struct Pending {
    std::optional<Inbox::Promise> promise;  // nothing: nobody asked
    Result<Answer> answer;
  };
  // A submission that the engine has not answered.
  struct Taking {
    SharedSubmission submission;
    bool is_new = true;  // not of an earlier life
    store::StoreMark before;
    std::shared_ptr<NewSweep> begun;  // with this experiment
    std::string estimate;
  };
  // What is taken one by one.
  struct Round {
    std::deque<Inbox::Asked> asked;
    std::deque<Recurring::Due> due;
  };
  bool HasComeIn() const;
  bool TakeNext(Time now, std::vector<engine::Event>& events);
  void TakeRequest(Inbox::Asked asked, Time now, std::vector<engine::Event>& events);
  Result<bool> BeginSweep(Submit& submit, Time now);
  void Refuse(std::optional<Inbox::Promise> promise, const core::Submission& submission,
              bool is_new, Time now, Error error);
  void Undo(const Taking& taking, Time now, const Error& error);
  void TakeRecurring(Submit submit, Inbox::Promise promise, Time now);
  void TakeChange(const ChangeRecurring& change, Inbox::Promise promise, Time now);
  Result<Answer> ChangedBudget(const ChangeBudget& change);
  void KeepRecurring();
  void TakeSubmission(Submit submit, std::optional<Inbox::Promise> promise, Time now,
                      std::vector<engine::Event>& events);
  void TakeInstance(Recurring::Due due, Time now, std::vector<engine::Event>& events);
  Status MakeKnown(const SharedSubmission& submission, std::vector<core::JobId> pending);
  void Expect(std::optional<Inbox::Promise> promise, Result<Answer> answer);
  std::vector<core::JobId> PendingOf(const core::Submission& submission, Status& status);
  bool IsOurs(const engine::Event& event) const;
  bool HasEndedLongAgo(core::JobId job) const;
  void TakeControl(const ControlJob& control, Inbox::Promise promise, Time now,
                   std::vector<engine::Event>& events);
  void TakeChange(const ChangeJob& change, Inbox::Promise promise, Time now,
                  std::vector<engine::Event>& events);
  void FollowChange(const engine::JobChanged& fact);
  void TakeDrain(const ChangeDrain& change, Inbox::Promise promise, Time now,
                 std::vector<engine::Event>& events);
  void RememberHold(core::JobId job, bool held);
  void RememberWhy(core::JobId job, const std::string& why);

  Ports ports_;
  std::deque<Pending> expected_;    // facts handed out, in order; the engine has not seen them
  std::vector<Pending> answered_;   // not stored yet
  std::vector<Pending> undecided_;  // whose answer is what was decided
  std::deque<core::Submission> resubmitted_;
  std::optional<Round> round_;
  std::optional<Taking> taking_;
  std::vector<engine::Fact> follow_ups_;
  bool urgent_ = false;                   // more than submissions wait for a decision
  std::set<core::JobId> held_by_person_;  // among those that come after others; in the store too
};

}  // namespace ebb::service
