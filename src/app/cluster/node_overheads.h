#pragma once
// The energy and the grams of nodes that an autoscaler adds, besides what their pods use: while a
// node starts for a job, and while it stays idle after it (kubernetes/node_timelines.h says whose
// that is). A job has a sum of its own of these, beside its energy.
//
// - The start is counted by the power of an idle node that the configuration names: no agent is
//   there yet.
// - Idle time is what the agent of the node measured (pod_accounts.h), or else counted in the same
//   way.
//
// Where the node has an agent, both are part of the job's own account, too. Elsewhere nothing is
// known of what the job itself used, and the sum stands alone.
//
// Thread contract: the loop's.

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/job.h"
#include "core/ledger.h"
#include "kubernetes/agent_reader.h"
#include "kubernetes/node_timelines.h"

namespace ebb::app {

struct NodeOverhead {
  Energy energy;
  std::optional<Emissions> emissions{Emissions{}};  ///< nothing: of a part it is not known
};

class NodeOverheads {
 public:
  struct Ports {
    kubernetes::NodeTimelines& lives;
    const kubernetes::NodeGroups& groups;
    kubernetes::AgentReader* agents;  ///< nullptr: nobody measures
    std::function<std::optional<core::JobId>(const std::string& object)> job_of;
    /// Into the account of a job.
    std::function<core::LedgerTotals(core::JobId, int attempt, const core::EnergyReading&)> enter;
    std::function<std::optional<Intensity>(Time)> intensity_at;
    /// Counted by the configured power, and in no job's account.
    std::function<void(const std::string& object, Energy energy,
                       const std::optional<Emissions>& emissions)>
        in_no_account;
    /// The sum of an object has changed.
    std::function<void(const std::string& object, const NodeOverhead& sum)> tell;
    Pue pue;
  };
  explicit NodeOverheads(Ports ports) : ports_(std::move(ports)) {}

  /// Counts what is over. True: accounts of jobs have changed.
  bool Tick();
  /// Measured, and in the job's account already.
  void Add(const std::string& object, const core::LedgerTotals& totals);
  void Forget(const std::string& object) { sums_.erase(object); }

 private:
  bool Count(const kubernetes::NodeStretch& stretch);
  void Add(const std::string& object, Energy energy, std::optional<Emissions> emissions);

  Ports ports_;
  std::map<std::string, NodeOverhead> sums_;  // by object
};

}  // namespace ebb::app
