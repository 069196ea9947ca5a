#pragma once
// The energy, the emissions and the saving of a job as annotations of its object: written, and read
// again by a controller that has another store.
//
// Thread contract: one thread, the loop's.

#include <map>
#include <string>

#include "app/cluster/node_overheads.h"
#include "app/cluster/pod_accounts.h"
#include "kubernetes/reconciler/object_reconciler.h"
#include "service/accounting/outside_metering.h"
#include "service/views/job_index.h"

namespace ebb::app {

/// The value with six significant digits and without trailing zeros.
std::string Rounded(double value);

class ObjectFigures {
 public:
  struct Ports {
    kubernetes::ObjectReconciler& objects;
    service::OutsideMetering& metering;
    PodAccounts& accounts;
    /// The figures of a running job are written at most this often.
    Duration every;
  };
  explicit ObjectFigures(Ports ports) : ports_(ports) {}

  /// Writes the energy and the saving of the object's job.
  void Write(const std::string& uid, const service::JobCard& card);
  void WriteOverhead(const std::string& uid, const NodeOverhead& sum);
  /// Adds the energy that a controller with another store counted before: only the object's
  /// annotations still have it.
  void TakeEarlier(const std::string& uid, core::JobId job);
  void Forget(const std::string& uid) { written_.erase(uid); }

 private:
  struct Written {
    std::map<std::string, std::string> figures;
    Duration at{};
  };
  Ports ports_;
  std::map<std::string, Written> written_;  // by uid
};

}  // namespace ebb::app
