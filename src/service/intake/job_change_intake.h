#pragma once
// Changes of jobs that have not ended: cancel, hold, release, run now, other options, another
// budget.
//
// Thread contract: the loop's thread.

#include <vector>

#include "service/intake/job_holds.h"
#include "service/intake/job_ports.h"
#include "service/intake/pending_answers.h"
#include "service/intake/sweep_intake.h"

namespace ebb::service {

class JobChangeIntake {
 public:
  struct Ports {
    store::ServiceStore& store;
    Publisher& publisher;
    PendingAnswers& answers;
    JobHolds& holds;
    Dependencies& dependencies;
    SweepIntake& sweeps;
    KnownJobs& jobs;
    const AdmissionChecks& checks;
  };
  using Events = std::vector<runtime::Submitted>;
  explicit JobChangeIntake(Ports ports) : ports_(ports) {}

  void Take(const Cancel& cancel, Inbox::Promise asker, Time now, Events& events);
  void Take(const ControlJob& control, Inbox::Promise asker, Time now, Events& events);
  void Take(const ChangeJob& change, Inbox::Promise asker, Time now, Events& events);
  void Take(const ChangeBudget& change, Inbox::Promise asker);

  /// The engine has changed a job: its submission follows, and is stored with the fact, so that the
  /// next life finds both or neither.
  void OnTaken(const engine::JobChanged& fact);
  void OnTaken(const engine::SpeedupLearned& fact);

 private:
  bool HasEndedLongAgo(core::JobId job) const;
  Result<Answer> Checked(const ChangeJob& change, const engine::JobChanged& fact, Time now) const;
  Result<Answer> Changed(const ChangeBudget& change);
  void Replace(std::shared_ptr<core::Submission> changed);

  Ports ports_;
};

}  // namespace ebb::service
