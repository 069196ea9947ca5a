#pragma once
// Requests about recurring jobs. Their definitions are stored with the instances that come of them,
// so that no instance comes twice.
//
// Thread contract: the loop's thread.

#include "service/intake/job_ports.h"
#include "service/intake/pending_answers.h"
#include "service/intake/recurring.h"
#include "service/views/publisher.h"
#include "store/service_store.h"

namespace ebb::service {

class RecurringIntake {
 public:
  struct Ports {
    store::ServiceStore& store;
    Publisher& publisher;
    PendingAnswers& answers;
    Recurring& recurring;
    const AdmissionChecks& checks;
  };
  explicit RecurringIntake(Ports ports) : ports_(ports) {}

  /// The recurring jobs of an earlier life.
  Status Load();
  /// Adds a recurring job, or replaces the one with its name.
  void Take(Submit submit, Inbox::Promise asker, Time now);
  void Take(const ChangeRecurring& change, Inbox::Promise asker, Time now);
  /// The instances that are due at `now`.
  std::vector<Recurring::Due> TakeDue(Time now) { return ports_.recurring.TakeDue(now); }
  Time NextAt() const { return ports_.recurring.NextAt(); }
  /// Adds what has changed to the store's next commit.
  void Keep();

 private:
  Result<Answer> Put(Submit submit, Time now);
  Error NotFound(const std::string& name) const;

  Ports ports_;
};

}  // namespace ebb::service
