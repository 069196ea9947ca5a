#pragma once
// Refines what is expected of a submitted job by what the same job took before (core/estimate.h).
// Remembers what it looked up, so that a thousand submissions of one program cost one look.
//
// Thread contract: the loop's thread.

#include <functional>
#include <map>
#include <string>

#include "core/estimate.h"
#include "service/inbox.h"
#include "store/database.h"

namespace ebb::service {

class Estimator {
 public:
  /// `cluster` gives the pools by which attempts are numbered. Both must outlive the estimator.
  Estimator(store::Database& database, std::function<core::Cluster()> cluster)
      : database_(database), cluster_(std::move(cluster)) {}

  /// Sets run time and power of the job from earlier runs and the owner's hints. Says so in one
  /// line; empty: there were no earlier runs, and everything stays.
  std::string Refine(Submit& submit);
  /// A job has ended: what is remembered of its like is looked up again.
  void Forget(const core::Submission& submission);

 private:
  static std::string SignatureOf(const core::Submission& submission);

  store::Database& database_;
  std::function<core::Cluster()> cluster_;
  std::map<std::string, std::vector<core::EarlierRun>> known_;
};

}  // namespace ebb::service
