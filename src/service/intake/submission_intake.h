#pragma once
// New submissions, instances of recurring jobs among them: each becomes known to the store, the
// executor and the views, and is handed to the engine. If it is refused on the way, it leaves no
// trace.
//
// One submission is on its way at a time: if the engine refuses it, its number and key are free
// for the next one.
//
// Thread contract: the loop's thread.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/state.h"
#include "service/intake/estimator.h"
#include "service/intake/job_holds.h"
#include "service/intake/job_ports.h"
#include "service/intake/pending_answers.h"
#include "service/intake/power_choices.h"
#include "service/intake/recurring.h"
#include "service/intake/sweep_intake.h"
#include "service/intake/width_history.h"

namespace ebb::service {

class SubmissionIntake {
 public:
  struct Ports {
    store::ServiceStore& store;
    Publisher& publisher;
    PendingAnswers& answers;
    FactQueue& facts;
    JobHolds& holds;
    Dependencies& dependencies;
    Recurring& recurring;
    Estimator& estimator;
    const PowerChoices& power_choices;
    const WidthHistory& widths;
    SweepIntake& sweeps;
    KnownJobs& jobs;
    const AdmissionChecks& checks;
  };
  using Asker = std::optional<Inbox::Promise>;
  using Events = std::vector<runtime::Submitted>;
  explicit SubmissionIntake(Ports ports) : ports_(ports) {}

  /// A job that somebody submits now (its id is 0), or that an earlier life acknowledged and never
  /// handed to the engine. Without an asker a refusal is told as an event of the service.
  void Take(Submit submit, Asker asker, Time now, Events& events);
  /// An instance of a recurring job. The jobs that it replaces go on if it is refused.
  void TakeInstance(Recurring::Due due, Time now, Events& events);
  /// A job of an earlier life that the engine knows and that has not ended.
  Status Recover(const SharedSubmission& submission, bool is_held);

  void OnTaken(runtime::Ticket ticket, const engine::Event& event);
  /// False: the ticket is not that of a submission.
  bool OnRefused(runtime::Ticket ticket, const engine::Event& event, const Error& error);
  /// A job has ended: those that depend on it are released or cancelled.
  void OnEnded(core::JobId job, bool succeeded, const engine::State& state);
  /// Answers of the engine are not awaited any more.
  void AbandonAll() { on_their_way_.clear(); }

 private:
  // A submission that the engine has not answered.
  struct OnItsWay {
    SharedSubmission submission;
    bool is_new = true;  // not of an earlier life
    store::StoreMark before;
    std::shared_ptr<NewSweep> begun;  // the sweep that begins with it
    std::string estimate;
  };
  // The result of the checks of a new submission, before anybody else knows it.
  struct Checked {
    std::optional<Answer> known;  // its key is known: this is the answer, and nothing is new
    std::vector<core::JobId> pending;
  };
  Result<Checked> Check(Submit& submit) const;
  Status AddToStore(Submit& submit, Time now, OnItsWay& way);
  void ExpectPowerCap(core::Submission& submission, Time now, OnItsWay& way) const;
  void ExpectWidths(core::Submission& submission, Time now, OnItsWay& way) const;
  Status Enter(const OnItsWay& way, const Result<std::vector<core::JobId>>& pending);
  Status MakeKnown(const SharedSubmission& submission, std::vector<core::JobId> pending);
  void HandOut(OnItsWay way, const std::vector<core::JobId>& pending, Asker asker, Time now,
               Events& events);
  void Refuse(Asker asker, const core::Submission& submission, bool is_new, Time now, Error error);
  void TellRefusal(const core::Submission& submission, bool is_new, Time now, const Error& error);
  void Undo(const OnItsWay& way, Time now, const Error& error);
  Status RecoverHold(const core::Submission& submission);

  Ports ports_;
  std::map<runtime::Ticket, OnItsWay> on_their_way_;
};

}  // namespace ebb::service
