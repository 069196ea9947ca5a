#pragma once
// Counts the energy and the emissions of nodes that an autoscaler adds, outside the use of their
// pods: while a node starts for a job, and while it stays idle after it
// (kubernetes/nodes/node_timelines.h decides whose that is). Each job has a separate sum of these,
// beside its energy.
//
//
// - The start is counted with the idle power of a node that the configuration gives, because no
//   agent runs there yet.
// - Idle time is counted as the agent of the node measured it (pod_accounts.h), or else in the same
//   way as the start.
//
// If the node has an agent, both are also part of the job's own account. Otherwise the job's own
// use is unknown, and the sum stands alone.
//
// Thread contract: the loop's.

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/jobs/job.h"
#include "core/ledger/ledger.h"
#include "kubernetes/nodes/agent_reader.h"
#include "kubernetes/nodes/node_timelines.h"

namespace ebb::app {

struct NodeOverhead {
  Energy energy;
  std::optional<Emissions> emissions{Emissions{}};  ///< nullopt if unknown for a part
};

class NodeOverheads {
 public:
  struct Ports {
    kubernetes::NodeTimelines& lives;
    const kubernetes::NodeGroups& groups;
    kubernetes::AgentReader* agents;  ///< nullptr if nobody measures
    std::function<std::optional<core::JobId>(const std::string& object)> job_of;
    /// Enters a reading into the account of a job.
    std::function<core::LedgerTotals(core::JobId, int attempt, const core::EnergyReading&)> enter;
    std::function<std::optional<Intensity>(Time)> intensity_at;
    /// Receives energy that was counted with the configured power and is in no job's account.
    std::function<void(const std::string& object, Energy energy,
                       const std::optional<Emissions>& emissions)>
        in_no_account;
    /// Receives the sum of an object when it has changed.
    std::function<void(const std::string& object, const NodeOverhead& sum)> tell;
    Pue pue;
  };
  explicit NodeOverheads(Ports ports) : ports_(std::move(ports)) {}

  /// Counts the starts and idle times that are over. True if accounts of jobs have changed.
  bool Tick();
  /// Adds measured idle time that is in the job's account already.
  void Add(const std::string& object, const core::LedgerTotals& totals);
  void Forget(const std::string& object) { sums_.erase(object); }

 private:
  bool Count(const kubernetes::NodeStretch& stretch);
  void Add(const std::string& object, Energy energy, std::optional<Emissions> emissions);

  Ports ports_;
  std::map<std::string, NodeOverhead> sums_;  // by object
};

}  // namespace ebb::app
