#pragma once
// Estimates the duration and power of a submitted job from earlier runs of the same job
// (core/jobs/estimate.h). A job without earlier runs is expected to draw the usual power of its
// device model (core/devices/device_profile.h). Earlier runs are read once, so that a thousand
// submissions of one program cost one query.
//
// Thread contract: the loop's thread.

#include <functional>
#include <map>
#include <string>

#include "core/devices/device_profile.h"
#include "core/jobs/estimate.h"
#include "service/intake/requests.h"
#include "store/service_store.h"

namespace ebb::service {

class Estimator {
 public:
  /// `cluster`: the pools whose numbers attempts are stored with. Both must outlive the estimator.
  /// `profiles`: the user's own profiles of device models, which go before the built-in ones.
  Estimator(store::ServiceStore& store, std::function<core::Cluster()> cluster,
            std::vector<core::DeviceProfile> profiles = {})
      : store_(store), cluster_(std::move(cluster)), profiles_(std::move(profiles)) {}

  /// Sets the job's duration and power from earlier runs and the owner's hints. Returns one line
  /// that says so. Empty: there were no earlier runs and the device model is unknown, so nothing
  /// has changed.
  std::string Refine(Submit& submit);
  /// A job has ended, so the earlier runs of the same job are read again.
  void Forget(const core::Submission& submission);

 private:
  std::string GuessPower(core::Job& job) const;
  static std::string SignatureOf(const core::Submission& submission);

  store::ServiceStore& store_;
  std::function<core::Cluster()> cluster_;
  std::vector<core::DeviceProfile> profiles_;
  std::map<std::string, std::vector<core::EarlierRun>> known_;
};

}  // namespace ebb::service
