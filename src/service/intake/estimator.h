#pragma once
// Refines what is expected of a submitted job by what the same job took before (core/estimate.h).
// The first of its kind is expected to draw what devices of its model usually do
// (core/device_profile.h). Remembers what it looked up, so that a thousand submissions of one
// program cost one look.
//
// Thread contract: the loop's thread.

#include <functional>
#include <map>
#include <string>

#include "core/device_profile.h"
#include "core/estimate.h"
#include "service/intake/requests.h"
#include "store/database.h"

namespace ebb::service {

class Estimator {
 public:
  /// `cluster` gives the pools by which attempts are numbered. Both must outlive the estimator.
  /// `profiles`: of device models, before the built-in ones.
  Estimator(store::Database& database, std::function<core::Cluster()> cluster,
            std::vector<core::DeviceProfile> profiles = {})
      : database_(database), cluster_(std::move(cluster)), profiles_(std::move(profiles)) {}

  /// Sets run time and power of the job from earlier runs and the owner's hints. Says so in one
  /// line; empty: there were no earlier runs and the models of devices are unknown, and everything
  /// stays.
  std::string Refine(Submit& submit);
  /// A job has ended: what is remembered of its like is looked up again.
  void Forget(const core::Submission& submission);

 private:
  std::string GuessPower(core::Job& job) const;
  static std::string SignatureOf(const core::Submission& submission);

  store::Database& database_;
  std::function<core::Cluster()> cluster_;
  std::vector<core::DeviceProfile> profiles_;
  std::map<std::string, std::vector<core::EarlierRun>> known_;
};

}  // namespace ebb::service
