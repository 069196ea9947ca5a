#pragma once
// The service as the loop's source of events: requests from the inbox, recurring jobs that are due,
// and facts that the service tells by itself become events of the engine. What a request means is
// decided by the intake of its kind; this class decides the order.
//
// Thread contract: the loop's thread.

#include <deque>
#include <functional>
#include <optional>

#include "runtime/submissions.h"
#include "service/intake/job_change_intake.h"
#include "service/intake/recurring_intake.h"
#include "service/intake/submission_intake.h"

namespace ebb::service {

class RequestIntake final : public runtime::Submissions {
 public:
  struct Ports {
    Inbox& inbox;
    Publisher& publisher;
    PendingAnswers& answers;
    FactQueue& facts;
    SubmissionIntake& submissions;
    JobChangeIntake& changes;
    RecurringIntake& recurring;
    /// Sets a device aside, or puts it back; the device's name.
    std::function<Result<std::string>(const ChangeDevice&)> change_device;
    /// How long the next decision may wait if only submissions ask for it.
    std::function<Duration()> patience;
    /// When the service itself has something to do next.
    std::function<Time()> own_due;
    /// Nothing comes once the inbox is empty and nothing is due.
    bool is_last = false;
  };
  explicit RequestIntake(Ports ports) : ports_(std::move(ports)) {}

  // runtime::Submissions
  Time NextAt() const override;
  std::vector<runtime::Submitted> Take(Time now) override;
  void OnTaken(runtime::Ticket ticket, const engine::Event& event) override;
  void OnRefused(runtime::Ticket ticket, const engine::Event& event, const Error& error) override;
  Duration Patience() const override;
  bool closed() const override;

  /// Jobs that an earlier life acknowledged and never handed to the engine.
  void Resubmit(std::vector<core::Submission> submissions);
  /// A decision is stored, and so is everything that it knew of.
  void OnDecided(const engine::Decision& decision);
  /// Nothing can be stored, or the service ends: whoever waits for an answer is told.
  void OnTrouble(const Error& error);

 private:
  using Events = std::vector<runtime::Submitted>;
  // A batch of what had come in at one moment. It is handed out one by one.
  struct Round {
    std::deque<Inbox::Asked> asked;
    std::deque<Recurring::Due> due;
  };
  bool HasComeIn() const;
  bool TakeNext(Time now, Events& events);
  void TakeFacts(Time now, Events& events);
  void BeginRound(Time now);
  void TakeRequest(Inbox::Asked asked, Time now, Events& events);
  void TakeDrain(const ChangeDrain& change, Inbox::Promise asker, Time now, Events& events);
  Result<Answer> ChangedDevice(const ChangeDevice& change);

  Ports ports_;
  std::deque<core::Submission> resubmitted_;
  std::optional<Round> round_;
  bool urgent_ = false;  // more than submissions wait for a decision
};

}  // namespace ebb::service
